// Which conversations a list shows, and in which order. Lists come from projections; here is what
// all of them have in common. Source: details 2.6, R291, R292.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/conversation/delivery.hpp"
#include "eventlog/domain/conversation/key_listing.hpp"
#include "eventlog/domain/types.hpp"

namespace domain {

// Empty fields are not known.
struct ConversationRow {
  std::string key;  // canonical
  std::string session_id;
  std::string scope;  // the view of the key that other tools know
  ToolKind kind = ToolKind::other;
  std::string display_name;  // as row_name() makes it
  std::string title;
  std::string subject;
  std::string label;
  std::vector<std::string> labels;
  std::string spawned_by;  // the key of the conversation that it is a subagent of
  DeliveryContext delivery;
  std::int64_t tokens = 0;
  std::string preview;
  Time updated;  // 0: never
  Time created;

  bool operator==(const ConversationRow&) const = default;
};

// Conditions that a row must meet all. Blank texts and empty lists are no condition.
struct ListFilter {
  std::string agent;
  std::string scope;
  std::vector<ToolKind> kinds;
  std::string label;       // exactly; the label or one of the labels
  std::string spawned_by;  // exactly
  std::string search;      // in names, labels, the subject, the session id or the key, in any case
  std::optional<std::int64_t> active_minutes;  // below 1 counts as 1
  std::optional<std::int64_t> limit;           // rows; likewise
  // The keys that belong to no agent; no agent's or parent's list has them.
  bool includes_global = false;
  bool includes_unknown = false;
};

// Returns the rows that the filter lets through, the one that was updated last first. Rows of the
// same time stay in the order in which they came.
std::vector<ConversationRow> listed(std::vector<ConversationRow> rows, const ListFilter& filter,
                                    Time now);

// A row's name is made of these.
struct RowNaming {
  std::string_view display_name;  // that was given
  std::string_view label;
  std::string_view origin_label;  // of where its first message came from
  std::string_view key;           // canonical
  // The group that it is held in, if it is one. The key says the channel where this does not.
  std::string_view channel;
  std::string_view group_channel;
  std::string_view space;
  std::string_view subject;
};

// Returns the first that there is: the given name, that of its group, its label, the origin's.
std::string row_name(const RowNaming& naming);

// Returns the tokens that a row shows: the total, else those of input and output.
std::int64_t shown_tokens(std::optional<std::int64_t> total, std::int64_t input,
                          std::int64_t output);

struct CappedList {
  std::size_t first = 0;  // index of the first item that is kept
  std::size_t bytes = 0;  // of the JSON list of those that are kept

  bool operator==(const CappedList&) const = default;
};

// Leaves out the first items until the list fits, but never the last one. `item_bytes` are those of
// each item's JSON, which is written without blanks.
CappedList cap_bytes(std::span<const std::size_t> item_bytes, std::size_t bytes_max);

}  // namespace domain
