// Rows are filtered before they are sorted, and the limit comes last.
#include "eventlog/domain/conversation/conversation_list.hpp"

#include <algorithm>
#include <numeric>

#include "eventlog/domain/conversation/group_name.hpp"
#include "eventlog/domain/conversation/key_kind.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

// Longer than there are times; minutes beyond it would not fit into a time.
constexpr std::int64_t kActiveMinutesMax = std::int64_t{1} << 32;

template <class T>
bool has(const std::vector<T>& values, const T& wanted) {
  return std::find(values.begin(), values.end(), wanted) != values.end();
}

// A filter with its words in the form in which they are compared.
class Condition {
 public:
  Condition(const ListFilter& filter, Time now)
      : filter_(filter),
        agent_(trimmed(filter.agent)),
        scope_(trimmed(filter.scope)),
        label_(trimmed(filter.label)),
        spawned_by_(trimmed(filter.spawned_by)),
        search_(small_letters(trimmed(filter.search))) {
    if (!agent_.empty()) agent_ = normal_agent_id(agent_);
    if (!filter.active_minutes) return;
    const std::chrono::minutes window(
        std::clamp<std::int64_t>(*filter.active_minutes, 1, kActiveMinutesMax));
    active_since_ = now + -base::Duration(window);
  }

  bool is_met(const ConversationRow& row) const {
    return is_included(row) && is_of_agent(row) && (scope_.empty() || row.scope == scope_) &&
           (filter_.kinds.empty() || has(filter_.kinds, row.kind)) &&
           (label_.empty() || row.label == label_ || has(row.labels, label_)) &&
           (!active_since_ || row.updated >= *active_since_) && is_found(row);
  }

 private:
  bool is_included(const ConversationRow& row) const {
    const bool is_global = row.key == kGlobalKey;
    const bool is_unknown = row.key == kUnknownKey;
    if (!is_global && !is_unknown) return spawned_by_.empty() || row.spawned_by == spawned_by_;
    return spawned_by_.empty() && (is_global ? filter_.includes_global : filter_.includes_unknown);
  }
  bool is_of_agent(const ConversationRow& row) const {
    if (agent_.empty()) return true;
    const auto key = parse_session_key(row.key);
    return key && normal_agent_id(key->agent) == agent_;
  }
  bool is_found(const ConversationRow& row) const {
    const auto is_in = [this](const std::string& text) {
      return small_letters(text).find(search_) != std::string::npos;
    };
    return search_.empty() || is_in(row.display_name) || is_in(row.label) || is_in(row.subject) ||
           is_in(row.session_id) || is_in(row.key) ||
           std::any_of(row.labels.begin(), row.labels.end(), is_in);
  }

  const ListFilter& filter_;  // outlives this
  std::string agent_;
  std::string scope_;
  std::string label_;
  std::string spawned_by_;
  std::string search_;
  std::optional<Time> active_since_;
};

}  // namespace

std::vector<ConversationRow> listed(std::vector<ConversationRow> rows, const ListFilter& filter,
                                    Time now) {
  const Condition condition(filter, now);
  std::erase_if(rows, [&](const ConversationRow& row) { return !condition.is_met(row); });
  std::stable_sort(
      rows.begin(), rows.end(),
      [](const ConversationRow& a, const ConversationRow& b) { return a.updated > b.updated; });
  if (filter.limit) {
    const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(*filter.limit, 1));
    if (rows.size() > limit) rows.resize(limit);
  }
  return rows;
}

std::string row_name(const RowNaming& naming) {
  const std::string_view given = trimmed(naming.display_name);
  if (!given.empty()) return std::string(given);
  const GroupKey group = parse_group_key(naming.key).value_or(GroupKey());
  const std::string channel =
      channel_word(trimmed(naming.channel).empty() ? group.channel : naming.channel);
  const bool is_group = !group.id.empty() || !trimmed(naming.group_channel).empty() ||
                        !trimmed(naming.space).empty() || !trimmed(naming.subject).empty();
  if (is_group && !channel.empty()) {
    return group_display_name({channel, std::string(naming.group_channel),
                               std::string(naming.space), std::string(naming.subject), group.id,
                               request_key(naming.key)});
  }
  const std::string_view label = trimmed(naming.label);
  return std::string(label.empty() ? trimmed(naming.origin_label) : label);
}

std::int64_t shown_tokens(std::optional<std::int64_t> total, std::int64_t input,
                          std::int64_t output) {
  return total ? *total : input + output;
}

CappedList cap_bytes(std::span<const std::size_t> item_bytes, std::size_t bytes_max) {
  constexpr std::size_t kBrackets = 2;
  if (item_bytes.empty()) return {0, kBrackets};
  const std::size_t commas = item_bytes.size() - 1;
  CappedList capped{0, std::accumulate(item_bytes.begin(), item_bytes.end(), kBrackets + commas)};
  while (capped.bytes > bytes_max && capped.first + 1 < item_bytes.size()) {
    capped.bytes -= item_bytes[capped.first++] + 1;
  }
  return capped;
}

}  // namespace domain
