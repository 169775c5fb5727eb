// Takes each field from the first place that has it.
#include "eventlog/domain/conversation/queue_settings.hpp"

#include <algorithm>

#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

constexpr std::size_t kWordBytesMax = 32;  // longer than each word, so that no long text is copied

template <class Value>
struct Alias {
  std::string_view word;
  Value value;
};

constexpr Alias<QueueMode> kModeAliases[] = {
    {"queue", QueueMode::steer},
    {"queued", QueueMode::steer},
    {"steering", QueueMode::steer},
    {"follow-up", QueueMode::followup},
    {"follow-ups", QueueMode::followup},
    {"followups", QueueMode::followup},
    {"coalesce", QueueMode::collect},
    {"steer+backlog", QueueMode::steer_backlog},
    {"steer_backlog", QueueMode::steer_backlog},
    {"abort", QueueMode::interrupt},
    {"interrupts", QueueMode::interrupt},
};

constexpr Alias<QueueDrop> kDropAliases[] = {
    {"oldest", QueueDrop::old},
    {"newest", QueueDrop::newest},
    {"summary", QueueDrop::summarize},
};

template <class Value, std::size_t Count>
std::optional<Value> parse_word(std::string_view word, const Alias<Value> (&aliases)[Count]) {
  word = trimmed(word);
  if (word.size() > kWordBytesMax) return std::nullopt;
  const std::string small = small_letters(word);
  for (const Alias<Value>& alias : aliases) {
    if (alias.word == small) return alias.value;
  }
  return base::parse_enum<Value>(small);
}

}  // namespace

QueueSettings queue_settings(const QueueLayers& layers) {
  const auto choose = [&](auto member, auto& chosen) {
    for (const QueueChoices* place : {&layers.inlined, &layers.conversation, &layers.channel,
                                      &layers.channel_default, &layers.global}) {
      if (!(place->*member)) continue;
      chosen = *(place->*member);
      return;
    }
  };
  QueueSettings settings;
  choose(&QueueChoices::mode, settings.mode);
  choose(&QueueChoices::debounce, settings.debounce);
  choose(&QueueChoices::cap, settings.cap);
  choose(&QueueChoices::drop, settings.drop);
  settings.debounce = std::clamp(settings.debounce, base::Duration{0}, kQueueDebounceMax);
  settings.cap = std::clamp<std::int64_t>(settings.cap, 1, kQueueCapMax);
  return settings;
}

std::optional<QueueMode> parse_queue_mode(std::string_view word) {
  return parse_word(word, kModeAliases);
}

std::optional<QueueDrop> parse_queue_drop(std::string_view word) {
  return parse_word(word, kDropAliases);
}

}  // namespace domain
