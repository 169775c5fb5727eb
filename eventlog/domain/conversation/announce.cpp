// Words for an agent: a headline, what the subagent found, figures, and what to do with them.
#include "eventlog/domain/conversation/announce.hpp"

#include "eventlog/domain/conversation/agent_exchange.hpp"
#include "eventlog/domain/conversation/queued_prompt.hpp"
#include "eventlog/domain/conversation/short_age.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"
#include "eventlog/domain/conversation/silent_reply.hpp"

namespace domain {
namespace {

std::string outcome_text(const SubagentRun& run) {
  switch (run.outcome) {
    case SubagentOutcome::ok:
      return "completed successfully";
    case SubagentOutcome::timeout:
      return "timed out";
    case SubagentOutcome::error: {
      const std::string error = one_line(run.error);
      return "failed: " + (error.empty() ? "unknown error" : error);
    }
    case SubagentOutcome::none:
    case SubagentOutcome::unknown:
      break;
  }
  return "ended with unknown status";
}

std::string figures_text(const SubagentRun& run, const RunFigures& figures) {
  std::optional<base::Duration> runtime;
  if (run.started != Time{} && run.ended != Time{}) runtime = run.ended - run.started;
  std::string text = "Stats: runtime " + short_duration(runtime);
  if (figures.input_tokens > 0 || figures.output_tokens > 0) {
    text += ", tokens " + std::to_string(figures.input_tokens) + " in and " +
            std::to_string(figures.output_tokens) + " out";
  }
  if (!figures.cost.empty()) text += ", cost " + figures.cost;
  return text + ", session " + run.child;
}

}  // namespace

AnnounceWay announce_way(std::string_view reply, QueueMode mode, AgentWork work) {
  if (is_announce_skip(reply)) return AnnounceWay::none;
  if (work == AgentWork::none) return AnnounceWay::turn;
  const bool is_steering = mode == QueueMode::steer || mode == QueueMode::steer_backlog;
  return is_steering && work == AgentWork::steerable ? AnnounceWay::steered : AnnounceWay::queued;
}

DeliveryContext announce_route(const SubagentRun& run, const DeliveryContext& last) {
  const DeliveryContext origin = normal_delivery(run.origin);
  // A target of one channel means nothing in another.
  const std::string channel = normal_delivery(last).channel;
  const bool is_elsewhere =
      !origin.channel.empty() && !channel.empty() && origin.channel != channel;
  return is_elsewhere ? origin : merged_delivery(origin, last);
}

std::string announce_text(const SubagentRun& run, std::string_view reply,
                          const RunFigures& figures) {
  const std::string_view findings = trimmed(reply);
  return "A background task \"" + one_line(short_label(run)) + "\" " + outcome_text(run) +
         ".\n\nFindings:\n" + std::string(findings.empty() ? "(no output)" : findings) + "\n\n" +
         figures_text(run, figures) +
         "\n\nTell the user what matters of it, in one or two sentences that fit the conversation. "
         "Leave out the figures, and that it was a background task. If the user needs to hear "
         "nothing, answer " +
         std::string(kSilentToken) + ".";
}

std::string announces_prompt(const NextTurn& turn, std::span<const std::string_view> texts) {
  std::string prompt = queued_prompt(turn, texts);
  // The agent must not take them for messages of its user.
  constexpr std::string_view kTitle = "[Queued ";
  if (turn.shape == TurnShape::collected && prompt.starts_with(kTitle)) {
    prompt.insert(kTitle.size(), "announce ");
  }
  return prompt;
}

AnnounceCleanup announce_cleanup(const SubagentRun& run) {
  return {std::string(trimmed(run.label)), run.cleanup == RunCleanup::remove};
}

RunAfterRestart after_restart(const SubagentRun& run) {
  if (run.ended == Time{}) return RunAfterRestart::wait;
  return run.is_announced ? RunAfterRestart::nothing : RunAfterRestart::announce;
}

}  // namespace domain
