// A descriptor says what a session is for, in the words of whoever opens it. It is written once, in
// the session's first event, and never guessed.
#pragma once

#include <string>

#include "eventlog/domain/types.hpp"

namespace domain {

enum class DescriptorKind : std::uint8_t {
  none,       // nobody said
  user,       // a person talks to it, through a connector; only such a session is in the foreground
  cron,       // a schedule opened it for one of its runs
  heartbeat,  // a schedule sends all its runs to it
  subagent,   // another session, its parent, had it opened
};

struct Descriptor {
  DescriptorKind kind = DescriptorKind::none;
  std::string connector;       // of a user, such as "telegram", and so have the next two
  std::string user;            // the person's id there
  std::string channel;         // where they talk
  std::string task;            // of cron and heartbeat: the schedule's name
  SessionId parent;            // of a subagent: a session of the same agent
  std::string conversation{};  // the session key of the conversation whose runs it works on

  bool operator==(const Descriptor&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("kind", &Descriptor::kind);
    visit("connector", &Descriptor::connector);
    visit("user", &Descriptor::user);
    visit("channel", &Descriptor::channel);
    visit("task", &Descriptor::task);
    visit("parent", &Descriptor::parent);
    visit("conversation", &Descriptor::conversation);
  }
};

}  // namespace domain

template <>
struct base::EnumNames<domain::DescriptorKind> {
  static constexpr std::string_view kNames[] = {"none", "user", "cron", "heartbeat", "subagent"};
};
