// How the end of a subagent's run reaches the conversation that asked for it: by which way, to whom
// its agent then speaks, and in which words. The requester's agent tells the user itself.
// Source: details 2.12, the vectors subagent.announce and subagent.after_restart.
#pragma once

#include <span>

#include "eventlog/domain/conversation/message_queue.hpp"
#include "eventlog/domain/conversation/subagent_run.hpp"

namespace domain {

enum class AnnounceWay : std::uint8_t {
  none,     // the subagent wants it so
  turn,     // a turn of the requester
  steered,  // into the requester's turn that runs
  queued,   // it waits with the requester's messages
};

// `mode` and `work` are those of the requester's conversation. An announcement interrupts nothing.
AnnounceWay announce_way(std::string_view reply, QueueMode mode, AgentWork work);

// Returns where the requester's answer goes: to the place that the run came from, completed by the
// last route of the requester.
DeliveryContext announce_route(const SubagentRun& run, const DeliveryContext& last);

// The use of a run, as far as it is known.
struct RunFigures {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::string cost{};  // "$0.12"; empty: not known
};
// Returns the text for the requester's agent. `reply` is the last one of the subagent.
std::string announce_text(const SubagentRun& run, std::string_view reply,
                          const RunFigures& figures);
// Returns the prompt of a turn of announcements that have waited. `texts` are those of
// announce_text(), in the turn's order.
std::string announces_prompt(const NextTurn& turn, std::span<const std::string_view> texts);

// The steps after an announcement, whether it succeeded or not.
struct AnnounceCleanup {
  std::string label{};         // for the subagent's conversation; empty: none
  bool deletes_child = false;  // with its transcript, after the label

  bool operator==(const AnnounceCleanup&) const = default;
};
AnnounceCleanup announce_cleanup(const SubagentRun& run);

// The need of a run once the server is back.
enum class RunAfterRestart : std::uint8_t { nothing, wait, announce };
RunAfterRestart after_restart(const SubagentRun& run);

}  // namespace domain

template <>
struct base::EnumNames<domain::AnnounceWay> {
  static constexpr std::string_view kNames[] = {"none", "turn", "steered", "queued"};
};
