// Parses word by word; the first that is no part of a directive ends it.
#include "eventlog/domain/conversation/queue_directive.hpp"

#include <algorithm>

#include "eventlog/base/digits.hpp"
#include "eventlog/domain/conversation/short_duration.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

constexpr std::string_view kDirective = "/queue";

bool is_space_next(std::string_view text) {
  return !text.empty() && is_white_space(take_any_code_point(text));
}

void skip_space(std::string_view& text) {
  while (is_space_next(text)) take_any_code_point(text);
}

std::string_view take_word(std::string_view& text) {
  const std::string_view from = text;
  while (!text.empty() && !is_space_next(text)) take_any_code_point(text);
  return from.substr(0, from.size() - text.size());
}

bool has_prefix(std::string_view text, std::string_view prefix) {
  return small_letters(text.substr(0, prefix.size())) == prefix;
}

// Returns where a directive begins; npos: nowhere.
std::size_t find_directive(std::string_view text) {
  bool is_after_space = true;
  for (std::string_view rest = text; !rest.empty();) {
    if (is_after_space && has_prefix(rest, kDirective)) {
      const std::string_view after = rest.substr(kDirective.size());
      if (after.empty() || after.front() == ':' || is_space_next(after)) {
        return text.size() - rest.size();
      }
    }
    is_after_space = is_white_space(take_any_code_point(rest));
  }
  return std::string_view::npos;
}

// Returns what stands behind "name:" or "name="; none if the word is no such option.
std::optional<std::string_view> value_of_option(std::string_view word, QueueOption option) {
  const std::string_view name = base::enum_name(option);
  if (!has_prefix(word, name) || word.size() == name.size()) return std::nullopt;
  if (word[name.size()] != ':' && word[name.size()] != '=') return std::nullopt;
  return word.substr(name.size() + 1);
}

std::optional<base::Duration> parse_debounce(std::string_view word) {
  const auto debounce = parse_short_duration(word, std::chrono::milliseconds(1));
  return debounce && *debounce <= kQueueDebounceMax ? debounce : std::nullopt;
}

// A fraction is cut off, as that of a cap in the settings is.
std::optional<std::int64_t> parse_cap(std::string_view word) {
  const std::size_t point = std::min(word.find('.'), word.size());
  const auto cap = base::parse_digits(word.substr(0, point));
  const bool is_whole = point == word.size();
  if (!is_whole && !base::parse_digits(word.substr(point + 1))) return std::nullopt;
  return cap && *cap >= 1 && *cap <= kQueueCapMax ? cap : std::nullopt;
}

// Returns false if the word is no part of a directive.
bool take_part(QueueDirective& directive, std::string_view word) {
  if (const auto value = value_of_option(word, QueueOption::debounce)) {
    directive.debounce_word = *value;
    directive.choices.debounce = parse_debounce(*value);
  } else if (const auto cap = value_of_option(word, QueueOption::cap)) {
    directive.cap_word = *cap;
    directive.choices.cap = parse_cap(*cap);
  } else if (const auto drop = value_of_option(word, QueueOption::drop)) {
    directive.drop_word = *drop;
    directive.choices.drop = parse_queue_drop(*drop);
  } else if (const auto mode = parse_queue_mode(word)) {
    directive.mode_word = word;
    directive.choices.mode = mode;
  } else {
    return false;
  }
  return true;
}

bool is_reset_word(std::string_view word) {
  constexpr std::string_view kWords[] = {"default", "reset", "clear"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view reset) {
    return word.size() == reset.size() && has_prefix(word, reset);
  });
}

// Takes the parts of a directive off the text behind its name.
void take_parts(QueueDirective& directive, std::string_view& text) {
  std::string_view rest = text;
  skip_space(rest);
  if (rest.starts_with(':')) {
    rest.remove_prefix(1);
    skip_space(rest);
    text = rest;
  }
  while (!rest.empty()) {
    const std::string_view word = take_word(rest);
    directive.is_reset = is_reset_word(word);
    if (!directive.is_reset && !take_part(directive, word)) return;
    skip_space(rest);
    text = rest;
    if (directive.is_reset) return;
  }
}

std::string fault_text(QueueOption option, const QueueDirective& directive) {
  const auto quoted = [](const std::optional<std::string>& word) {
    return "'" + cut_fact(word.value_or("")) + "' is no ";
  };
  switch (option) {
    case QueueOption::debounce:
      return quoted(directive.debounce_word) + "debounce; give a time of at most 1 day, such as 2s";
    case QueueOption::cap:
      return quoted(directive.cap_word) + "cap; give a number from 1 to " +
             std::to_string(kQueueCapMax);
    case QueueOption::drop:
      return quoted(directive.drop_word) + "drop rule; give old, new or summarize";
  }
  return {};
}

std::string status_text(const QueueSettings& settings) {
  return "queue: mode " + std::string(base::enum_name(settings.mode)) + ", debounce " +
         std::to_string(settings.debounce / std::chrono::milliseconds(1)) + "ms, cap " +
         std::to_string(settings.cap) + ", drop " + std::string(base::enum_name(settings.drop)) +
         "\nmodes are steer, followup, collect, steer-backlog and interrupt; change them with "
         "/queue <mode> debounce:2s cap:25 drop:old|new|summarize; /queue default clears the "
         "choices of this conversation";
}

}  // namespace

QueueDirective parse_queue_directive(std::string_view text) {
  QueueDirective directive;
  const std::size_t begin = find_directive(text);
  directive.is_present = begin != std::string_view::npos;
  if (!directive.is_present) {
    directive.rest = trimmed(text);
    return directive;
  }
  std::string_view after = text.substr(begin + kDirective.size());
  take_parts(directive, after);
  directive.rest = one_line(std::string(text.substr(0, begin)) + ' ' + std::string(after));
  return directive;
}

std::vector<QueueOption> faults(const QueueDirective& directive) {
  std::vector<QueueOption> options;
  const QueueChoices& choices = directive.choices;
  if (directive.debounce_word && !choices.debounce) options.push_back(QueueOption::debounce);
  if (directive.cap_word && !choices.cap) options.push_back(QueueOption::cap);
  if (directive.drop_word && !choices.drop) options.push_back(QueueOption::drop);
  return options;
}

QueueReply reply_kind(const QueueDirective& directive) {
  if (!directive.is_present) return QueueReply::none;
  if (!faults(directive).empty()) return QueueReply::faults;
  const bool asks_nothing = !directive.is_reset && directive.choices == QueueChoices{};
  return asks_nothing ? QueueReply::status : QueueReply::none;
}

std::string reply_text(const QueueDirective& directive, const QueueSettings& settings) {
  const QueueReply kind = reply_kind(directive);
  if (kind == QueueReply::status) return status_text(settings);
  std::string text;
  for (const QueueOption option : faults(directive)) {
    if (!text.empty()) text += '\n';
    text += fault_text(option, directive);
  }
  return text;
}

}  // namespace domain
