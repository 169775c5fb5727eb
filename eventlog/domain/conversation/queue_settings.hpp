// How the messages of a conversation wait while its agent works: the choices that can be made at
// several places, and the settings that follow from them. Source: details 2.1.
#pragma once

#include <optional>
#include <string_view>

#include "eventlog/domain/types.hpp"

namespace domain {

enum class QueueMode : std::uint8_t {
  steer,          // into the turn that runs; where it takes nothing, as followup
  followup,       // each is a turn of its own
  collect,        // all that wait become one turn
  steer_backlog,  // into the turn that runs, and a turn of its own as well
  interrupt,      // the turn that runs is ended for it
};

// What happens when a message comes and as many wait as may.
enum class QueueDrop : std::uint8_t {
  old,        // the oldest are dropped
  newest,     // the message is refused
  summarize,  // the oldest are dropped, and the agent is told a line of each
};

// Each can be missing, at each place where choices are made.
struct QueueChoices {
  std::optional<QueueMode> mode;
  std::optional<base::Duration> debounce;
  std::optional<std::int64_t> cap;
  std::optional<QueueDrop> drop;

  bool operator==(const QueueChoices&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("mode", &QueueChoices::mode);
    visit("debounce_us", &QueueChoices::debounce);
    visit("cap", &QueueChoices::cap);
    visit("drop", &QueueChoices::drop);
  }
};

struct QueueSettings {
  QueueMode mode = QueueMode::collect;
  // A turn starts once no message was accepted for so long.
  base::Duration debounce = std::chrono::seconds(1);
  std::int64_t cap = 20;  // so many messages can wait
  QueueDrop drop = QueueDrop::summarize;

  bool operator==(const QueueSettings&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("mode", &QueueSettings::mode);
    visit("debounce_us", &QueueSettings::debounce);
    visit("cap", &QueueSettings::cap);
    visit("drop", &QueueSettings::drop);
  }
};

// The facts of what waits are in memory, with a line of each message.
constexpr std::int64_t kQueueCapMax = 1'000;
// A conversation whose turns never start would look dead.
constexpr base::Duration kQueueDebounceMax = std::chrono::hours(24);

// The places of choices. An earlier one wins, for each field alone.
struct QueueLayers {
  QueueChoices inlined;          // in the text of the message
  QueueChoices conversation;     // that /queue has left
  QueueChoices channel;          // of the server's settings, for the channel
  QueueChoices channel_default;  // that the channel itself brings
  QueueChoices global;           // of the server's settings
};

// Returns the settings. What is out of bounds becomes the nearest bound: a debounce from 0 to
// kQueueDebounceMax, a cap from 1 to kQueueCapMax.
QueueSettings queue_settings(const QueueLayers& layers);

// Both take aliases, capitals, and white space around the word. None: the word is no such thing.
std::optional<QueueMode> parse_queue_mode(std::string_view word);
std::optional<QueueDrop> parse_queue_drop(std::string_view word);

}  // namespace domain

template <>
struct base::EnumNames<domain::QueueMode> {
  static constexpr std::string_view kNames[] = {"steer", "followup", "collect", "steer-backlog",
                                                "interrupt"};
};
template <>
struct base::EnumNames<domain::QueueDrop> {
  static constexpr std::string_view kNames[] = {"old", "new", "summarize"};
};
