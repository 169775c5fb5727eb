// Rows from conversation_list in their order, filtered as the domain says, until the page is full.
// Titles are read from the log.
#include "workers/queries/conversations.hpp"

#include <algorithm>

#include "eventlog/domain/conversation/chat_type.hpp"
#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/conversation_list.hpp"
#include "eventlog/domain/conversation/conversing.hpp"
#include "eventlog/domain/conversation/title.hpp"
#include "workers/protocol/conversations.hpp"
#include "workers/queries/session_texts.hpp"

namespace workers {
namespace {

using projections::ConversationShown;

// Returns what the filter goes by.
domain::ConversationRow row_of(const ConversationShown& shown) {
  const auto field = [&](std::string_view name) {
    return std::string(domain::field_of(shown.entry, name));
  };
  domain::ConversationRow row;
  row.key = shown.key;
  if (shown.session.is_set()) row.session_id = shown.session.text();
  domain::KeySettings settings;
  settings.agent = shown.agent;
  const auto type = domain::parse_chat_type(field("chatType"));
  row.kind = domain::tool_kind(shown.key, settings, domain::list_kind(shown.key, type));
  row.display_name = field("displayName");
  row.subject = field("subject");
  row.label = field("label");
  row.labels = domain::labels_of(field("labels"));
  const bool is_subagent = domain::lane_of(shown.key) == domain::Lane::subagent;
  if (is_subagent) row.spawned_by = shown.parent;
  row.updated = shown.updated_at;
  return row;
}

domain::ListFilter filter_of(const QueryBody& body) {
  domain::ListFilter filter;
  filter.kinds.assign(body.filter->kinds.begin(), body.filter->kinds.end());
  filter.label = body.filter->label;
  filter.spawned_by = body.filter->spawned_by;
  filter.search = body.filter->words;
  filter.includes_global = filter.includes_unknown = true;
  return filter;
}

std::string title_of(const QuerySources& sources, const ConversationShown& shown) {
  // A text that cannot be read leaves the other sources of a title.
  const auto first =
      shown.first.value == 0 ? base::Result<std::string>() : text_at(sources, shown.first);
  const std::string session = shown.session.is_set() ? shown.session.text() : std::string();
  domain::TitleSources titles;
  titles.display_name = domain::field_of(shown.entry, "displayName");
  titles.subject = domain::field_of(shown.entry, "subject");
  if (first) titles.first_user_text = *first;
  titles.session_id = session;
  titles.updated = shown.updated_at;
  return domain::title_of(titles).value_or(std::string());
}

base::Result<void> fill_use(const QuerySources& sources, ConversationShown& shown) {
  if (!shown.session.is_set()) return {};
  const auto row = projections::get_session(sources.views, shown.agent, shown.session);
  if (!row) return tl::unexpected(row.error());
  if (!*row) return {};
  shown.use = {(*row)->agent_model, (*row)->usage, (*row)->cost, (*row)->compactions};
  return {};
}

base::Result<ConversationsAnswer> conversations(const QuerySources& sources, const QueryBody& body,
                                                const Query& query) {
  ConversationsAnswer answer;
  answer.position = query.durable;
  if (!body.reference.empty()) {
    auto one = projections::get_conversation(sources.views, body.agent,
                                             domain::conversation_id(body.agent, body.reference));
    if (!one) return tl::unexpected(one.error());
    if (!*one) return answer;
    if (body.filter->wants_titles) (*one)->title = title_of(sources, **one);
    if (auto filled = fill_use(sources, **one); !filled) return tl::unexpected(filled.error());
    answer.conversations.push_back(std::move(**one));
    return answer;
  }
  constexpr std::size_t kMost = projections::kConversationsMax;
  const std::size_t limit =
      body.limit > 0 ? std::min(static_cast<std::size_t>(body.limit), kMost) : kMost;
  const domain::ListFilter filter = filter_of(body);
  base::Result<void> filled;
  const auto take = [&](ConversationShown shown) {
    if (shown.updated_at < body.active_since) return false;
    if (body.filter->session.is_set() && shown.session != body.filter->session) return true;
    if (domain::listed({row_of(shown)}, filter, {}).empty()) return true;
    answer.has_more = answer.conversations.size() == limit;
    if (answer.has_more) return false;
    if (body.filter->wants_titles) shown.title = title_of(sources, shown);
    // A thousand conversations with all their files would be no answer any more.
    shown.files.clear();
    filled = fill_use(sources, shown);
    answer.conversations.push_back(std::move(shown));
    return filled.has_value();
  };
  const auto walked = projections::for_each_conversation(
      sources.views, body.agent, {body.filter->before, body.filter->before_key}, take);
  if (!walked) return tl::unexpected(walked.error());
  if (!filled) return tl::unexpected(filled.error());
  return answer;
}

}  // namespace

const QueryKind kConversationsQuery{
    kVerbConversations,       QueryReads::rows, projections::ConversationList::kName,
    run_query<conversations>, nullptr,          projections::SessionList::kName};

}  // namespace workers
