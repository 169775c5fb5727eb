// Rare branches are counted only in builds with mutants, where the product marks them.
#include "tests/simulation/reached.hpp"

#include <utility>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/rare_branches.hpp"
#include "tests/simulation/schedule.hpp"

template <>
struct base::EnumNames<base::Rare> {
  static constexpr std::string_view kNames[] = {
      "report gap",    "report repeated",    "stale token",          "command repeated",
      "id reused",     "version conflict",   "stream evicted",       "command waited",
      "snapshot used", "append doubtful",    "directive overtaken",  "older lease alive",
      "lease lost",    "reports resent",     "registration renewed", "query parked",
      "lease expired", "worker was stopped", "refusal repeated",     "directive of ended lease",
      "inbox full"};
  static_assert(std::size(kNames) == base::kRareBranches);
};

namespace simulation {
namespace {

// Consequences of faults, and the goals of the worlds.
constexpr std::string_view kMust[] = {
    "accepted",
    "accepted before",
    "outcomes unknown",
    "queries answered",
    "refused: session_limit",
    "refused: turn_not_running",
    "refused: session_ended",
    "writes refused by a full disk",
    "starts refused by the disk",
    "blocks found that nobody had synced",
    "blocks lost with the power",
    "index rows lost with the power",
    "view rows lost with the power",
    "heads lost with the power",
    "kills before a write",
    "kills between write and sync",
    "kills behind a sync",
    "servers that stopped by themselves",
    "locks that lied",
    "two agents of one session",
    "messages lost",
    "messages doubled",
    "messages delayed",
    "messages reordered",
    "messages cut off",
    "messages dropped for slow subscribers",
    "messages refused by full queues",
    "gaps in the feed",
    "contents replaced",
    "texts that expired",
    "sessions that waited too long",
    "turns that ran too long",
    "turns that repeated a call",
    "turns over the budget of a day",
    "turns with too many calls",
    "turns that are tried again",
    "prompts dropped",
    "prompts that wait for the next day",
    "notifications that reached a sink",
    "deliveries that failed",
    "outputs shown",
    "prompts about subagents",
    "event PromptInjected",
    "event ConversationRunEnded",
    "event ConversationRunReturned",
    "event MessagesEnded",
    "event MessageSteered",
    "event MessageFileAttached",
    "event TaskWithdrawn",
    "event LabelTaken",
    "event FileAttached",
    "event TurnContinued",
    "event RunTaken",
    "event RunRefused",
    "event ScheduleSkipped",
    "kills within an erasure",
    "erased contents back after a loss of power",
    "refused: content_in_use",
    "refused: lease_held",
    "asks granted",
    "asks denied",
    "asks withdrawn",
    "asks answered by a rule",
    "asks answered by a hook",
    "steps",
    "calls that hooks answered",
    "prompts that hooks answered",
    "agents that go on at a message",
    "agents without their transcript",
};

}  // namespace

Counts take_rare_branches() {
  Counts counts;
#ifdef STENO_MUTANTS
  for (std::size_t i = 0; i < base::kRareBranches; ++i) {
    counts["rare: " + std::string(base::enum_name(static_cast<base::Rare>(i)))] =
        std::exchange(base::rare_reached[i], 0);
  }
#endif
  return counts;
}

std::vector<std::string> not_reached(const Counts& counts) {
  std::vector<std::string> missing;
  const auto need = [&](const std::string& name) {
    if (counts.of(name) == 0) missing.push_back(name);
  };
  for (int kind = 0; kind < kFaultKinds; ++kind) {
    need(std::string(name_of(static_cast<FaultKind>(kind))));
  }
  for (std::size_t i = 0; i < base::kRareBranches; ++i) {
    need("rare: " + std::string(base::enum_name(static_cast<base::Rare>(i))));
  }
  for (const std::string_view name : kMust) need(std::string(name));
  return missing;
}

}  // namespace simulation
