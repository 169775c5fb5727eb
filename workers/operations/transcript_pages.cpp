// Reads parts from the end backwards, or from the beginning on, until the page is full.
#include "workers/operations/transcript_pages.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "workers/operations/finding.hpp"

namespace workers {
namespace {

using base::Position;

bool has_part(const std::vector<TranscriptPart>& parts, base::SessionId session) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const TranscriptPart& part) { return part.session == session; });
}

// Adds the session, and before it those of the conversation that it goes on with.
Task<Outcome<bool>> add_chain(const Caller& caller, base::SessionId session,
                              const projections::ConversationShown& shown,
                              std::vector<TranscriptPart>& parts) {
  Caller of_agent = caller;
  of_agent.agent = shown.agent;
  std::vector<TranscriptPart> chain;
  while (session.is_set() && !has_part(parts, session) && !has_part(chain, session)) {
    const auto found = co_await find_session(of_agent, session.text());
    if (!found) co_return tl::unexpected(found.error());
    const bool is_its = found->session.descriptor.conversation == shown.key;
    if (!is_its && !chain.empty()) break;
    chain.push_back({session, shown.agent});
    session = found->session.resumed_from;
  }
  parts.insert(parts.end(), chain.rbegin(), chain.rend());
  co_return true;
}

bool is_message(const OutputItem& item) {
  return item.kind != ItemKind::thought && item.kind != ItemKind::notice &&
         item.kind != ItemKind::ended;
}

// A page that fills.
class Filling {
 public:
  explicit Filling(const TranscriptWanted& wanted) : wanted_(wanted) {}

  bool is_full() const { return room() == 0 || bytes_ >= wanted_.bytes_max; }

  QueryBody query(const TranscriptPart& part, Position after, Position before) const {
    QueryBody query;
    query.agent = part.agent;
    query.reference = part.session.text();
    query.is_transcript = true;
    query.roles = wanted_.roles;
    query.limit = static_cast<std::int64_t>(room());
    query.after = after;
    query.before = before;
    return query;
  }

  void take(const TranscriptPart& part, std::vector<OutputItem> items, bool is_at_end) {
    std::vector<TranscriptItem> taken;
    taken.reserve(items.size());
    for (OutputItem& item : items) {
      if (wanted_.wants_messages && !is_message(item)) continue;
      bytes_ += static_cast<std::int64_t>(item.text.size());
      taken.push_back({part.session, std::move(item)});
    }
    page.items.insert(is_at_end ? page.items.end() : page.items.begin(),
                      std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
  }

  TranscriptPage page;

 private:
  std::size_t room() const {
    const auto count = static_cast<std::size_t>(wanted_.count);
    return count - std::min(count, page.items.size());
  }

  const TranscriptWanted& wanted_;
  std::int64_t bytes_ = 0;
};

Task<Outcome<TranscriptPage>> last_page(const Caller& caller,
                                        const std::vector<TranscriptPart>& parts,
                                        const TranscriptWanted& wanted) {
  Filling filling(wanted);
  TranscriptPage& page = filling.page;
  page.through = Position{wanted.before.value > 0 ? wanted.before.value - 1 : 0};
  page.has_later = wanted.before.value > 0;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    Position before = wanted.before;
    for (bool has_more = true; has_more;) {
      if (filling.is_full()) {
        page.has_earlier = true;
        co_return page;
      }
      const QueryBody query = filling.query(*part, {}, before);
      auto answer = co_await caller.server.ask<OutputAnswer>(kVerbOutput, query);
      if (!answer) co_return tl::unexpected(answer.error());
      if (page.through.value == 0) page.through = answer->through;
      page.from = before = answer->from;
      filling.take(*part, std::move(answer->items), false);
      has_more = answer->has_more;
    }
  }
  co_return page;
}

Task<Outcome<TranscriptPage>> first_page(const Caller& caller,
                                         const std::vector<TranscriptPart>& parts,
                                         const TranscriptWanted& wanted) {
  Filling filling(wanted);
  TranscriptPage& page = filling.page;
  page.from = wanted.after.plus(1);
  page.has_earlier = wanted.after.value > 0;
  for (const TranscriptPart& part : parts) {
    Position after{std::max<std::int64_t>(wanted.after.value, 1)};
    for (bool has_more = true; has_more;) {
      if (filling.is_full()) {
        page.has_later = true;
        co_return page;
      }
      const QueryBody query = filling.query(part, after, {});
      auto answer = co_await caller.server.ask<OutputAnswer>(kVerbOutput, query);
      if (!answer) co_return tl::unexpected(answer.error());
      page.through = after = answer->through;
      filling.take(part, std::move(answer->items), true);
      has_more = answer->has_more;
    }
  }
  co_return page;
}

}  // namespace

Task<Outcome<std::vector<TranscriptPart>>> parts_of(const Caller& caller,
                                                    const projections::ConversationShown& shown) {
  std::vector<TranscriptPart> parts;
  for (const domain::PastSession& past : shown.past) {
    const auto added = co_await add_chain(caller, past.session, shown, parts);
    if (!added) co_return tl::unexpected(added.error());
  }
  const auto added = co_await add_chain(caller, shown.session, shown, parts);
  if (!added) co_return tl::unexpected(added.error());
  co_return parts;
}

Task<Outcome<TranscriptPage>> transcript_page(const Caller& caller,
                                              const std::vector<TranscriptPart>& parts,
                                              const TranscriptWanted& wanted) {
  const bool is_forward = wanted.is_first || wanted.after.value > 0;
  return is_forward ? first_page(caller, parts, wanted) : last_page(caller, parts, wanted);
}

}  // namespace workers
