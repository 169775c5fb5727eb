// The effect of a message on the session of its conversation, and that of a reset. Every
// surface resets alike: a reset replaces the SessionShare and leaves all else of the conversation's
// entry, so that levels, model, send policy, queue, labels, origin and delivery stay. Source: the
// ruling "What survives a reset".
#pragma once

#include "eventlog/domain/conversation/reset_policy.hpp"

namespace domain {

// The part of a conversation's entry that its current session has made. A reset replaces it by one
// that has nothing but the id of the new session.
struct SessionShare {
  std::string session{};        // its id; empty: the conversation has none
  std::string agent_session{};  // the id of the agent's own session
  std::string transcript{};     // the file in which it is kept, if that is not the usual one
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t total_tokens = 0;
  std::int64_t compactions = 0;
  Time memory_flushed{};                                   // 0: it was not
  std::optional<std::int64_t> memory_flush_compactions{};  // how many there were at that time
  bool is_system_prompt_sent = false;
  bool was_aborted = false;  // its last turn was

  bool operator==(const SessionShare&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionShare::session);
    visit("agent_session", &SessionShare::agent_session);
    visit("transcript", &SessionShare::transcript);
    visit("input_tokens", &SessionShare::input_tokens);
    visit("output_tokens", &SessionShare::output_tokens);
    visit("total_tokens", &SessionShare::total_tokens);
    visit("compactions", &SessionShare::compactions);
    visit("memory_flushed", &SessionShare::memory_flushed);
    visit("memory_flush_compactions", &SessionShare::memory_flush_compactions);
    visit("system_prompt_sent", &SessionShare::is_system_prompt_sent);
    visit("aborted", &SessionShare::was_aborted);
  }
};

// Why a message has the session that it has.
enum class SessionStart : std::uint8_t {
  continued,  // that of the message before
  first,      // the conversation had none
  trigger,    // its user asked for a new one
  daily,      // the hour of the daily reset has passed since the last message
  idle,       // the last message is too long ago
};

struct ArrivedMessage {
  std::string key{};      // the session key
  std::string channel{};  // where it came from
  bool is_group = false;
  ThreadMarks thread{};
  std::string text{};         // as it was typed, without the names and the history around it
  bool is_authorised = true;  // its sender can use commands; see is_authorised()
};

struct MessageStart {
  SessionStart start = SessionStart::continued;
  std::optional<std::string> remainder{};  // of a trigger: it replaces the text; can be empty
  std::string display_name{};              // the new one of the conversation; empty: unchanged

  bool operator==(const MessageStart&) const = default;
};

// `updated` is the time of the conversation's last message; none: it has no session. A trigger of a
// sender who is not authorised is text like any other.
MessageStart on_message(const ResetSettings& settings, const ArrivedMessage& message,
                        std::optional<Time> updated, const LocalMoment& moment);

// True if one of the names under which a channel knows a sender is in the list, or "*" is. An empty
// list excludes nobody. Numbers are compared by their digits: "+1 555 01 00",
// "15550100@s.whatsapp.net".
bool is_authorised(std::span<const std::string> allowed, std::span<const std::string> sender);

}  // namespace domain

template <>
struct base::EnumNames<domain::SessionStart> {
  static constexpr std::string_view kNames[] = {"continued", "first", "trigger", "daily", "idle"};
};
