// The directive `/queue <mode> debounce:2s cap:25 drop:summarize` in a text of a user, and
// `/queue default`, which clears what it has set. It stands at the beginning or behind white space,
// and ends before the first word that is no part of it. Of a part that comes twice, the last
// counts. Source: details 2.1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/conversation/queue_settings.hpp"

namespace domain {

enum class QueueOption : std::uint8_t { debounce, cap, drop };

// A directive as it was written. A word without a choice is one that says nothing.
struct QueueDirective {
  bool is_present = false;
  bool is_reset = false;  // "default", "reset" or "clear": the conversation's choices are cleared
  QueueChoices choices;
  std::optional<std::string> mode_word;
  std::optional<std::string> debounce_word;
  std::optional<std::string> cap_word;
  std::optional<std::string> drop_word;
  // The text without the directive; if there is one, on one line. Empty: it has no other words.
  std::string rest;

  bool operator==(const QueueDirective&) const = default;
};

// Finds the first directive of the text. Without one, the rest is the text, trimmed.
QueueDirective parse_queue_directive(std::string_view text);

// Returns the options whose words say nothing. If there is one, no choice must be taken.
std::vector<QueueOption> faults(const QueueDirective& directive);

enum class QueueReply : std::uint8_t {
  none,    // the caller confirms what it has changed
  status,  // the directive asks for nothing, so it is answered with the settings
  faults,
};
QueueReply reply_kind(const QueueDirective& directive);
// Returns the words of a reply of that kind; empty for `none`. `settings` are those that hold.
std::string reply_text(const QueueDirective& directive, const QueueSettings& settings);

}  // namespace domain

template <>
struct base::EnumNames<domain::QueueOption> {
  static constexpr std::string_view kNames[] = {"debounce", "cap", "drop"};
};
template <>
struct base::EnumNames<domain::QueueReply> {
  static constexpr std::string_view kNames[] = {"none", "status", "error"};
};
