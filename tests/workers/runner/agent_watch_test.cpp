// An agent is watched for calls that repeat, and for silence while nothing of its runs.
#include "workers/runner/agent_watch.hpp"

#include "tests/support/session_samples.hpp"

namespace workers {
namespace {

using base::Duration;
using support::turn;

constexpr Duration kHeard = std::chrono::seconds(100);
constexpr Duration kSilence = std::chrono::seconds(15);

std::int64_t repeats_of(AgentWatch& watch, const std::string& tool, const std::string& input,
                        const std::string& parent = "") {
  domain::Report call = domain::ReportToolCallStarted{turn(1), "call", tool, input, parent, ""};
  watch.take(call);
  return std::get<domain::ReportToolCallStarted>(call).repeats;
}

void take(AgentWatch& watch, domain::Report report) {
  watch.take(report);
}

TEST_CASE("identical calls are counted as long as no other comes between", "[workers]") {
  AgentWatch watch;
  CHECK(repeats_of(watch, "Bash", "ls") == 0);
  CHECK(repeats_of(watch, "Bash", "ls") == 2);
  CHECK(repeats_of(watch, "Bash", "ls") == 3);
  CHECK(repeats_of(watch, "Bash", "ls -l") == 0);
  CHECK(repeats_of(watch, "Bash", "ls") == 0);
  CHECK(repeats_of(watch, "Read", "ls") == 0);
  CHECK(repeats_of(watch, "Rea", "dls") == 0);
}

TEST_CASE("each subagent's calls are counted apart", "[workers]") {
  AgentWatch watch;
  CHECK(repeats_of(watch, "Bash", "ls", "one") == 0);
  CHECK(repeats_of(watch, "Bash", "ls", "two") == 0);
  CHECK(repeats_of(watch, "Bash", "ls") == 0);
  CHECK(repeats_of(watch, "Bash", "ls", "one") == 2);
  CHECK(repeats_of(watch, "Bash", "ls", "two") == 2);
}

TEST_CASE("any number of subagents takes little memory, and loses counts only", "[workers]") {
  AgentWatch watch;
  for (int i = 0; i < 1'000; ++i) CHECK(repeats_of(watch, "Bash", "ls", std::to_string(i)) == 0);
  CHECK(repeats_of(watch, "Bash", "ls", "999") == 2);
}

TEST_CASE("calls of another turn are not repeated ones", "[workers]") {
  AgentWatch watch;
  CHECK(repeats_of(watch, "Bash", "ls") == 0);
  take(watch, domain::ReportTurnResult{});
  CHECK(repeats_of(watch, "Bash", "ls") == 0);
}

// Makes a call that ends with that result.
std::int64_t polled(AgentWatch& watch, const std::string& result) {
  const std::int64_t repeats = repeats_of(watch, "Bash", "gh pr checks");
  domain::ReportToolCallFinished finished;
  finished.turn = turn(1);
  finished.call = "call";
  finished.output = result;
  take(watch, finished);
  return repeats;
}

TEST_CASE("a poll whose result changes is no repetition", "[workers]") {
  AgentWatch watch;
  for (int i = 0; i < 100; ++i) CHECK(polled(watch, std::to_string(i)) <= 2);
}

TEST_CASE("identical calls with identical results are counted", "[workers]") {
  AgentWatch watch;
  CHECK(polled(watch, "pending") == 0);
  CHECK(polled(watch, "pending") == 2);
  CHECK(polled(watch, "pending") == 3);
  CHECK(polled(watch, "passed") == 4);
  CHECK(polled(watch, "passed") == 2);
  CHECK(polled(watch, "passed") == 3);
}

TEST_CASE("a result is known whose turn has said nothing", "[workers]") {
  AgentWatch watch;
  const auto is_unsaid = [&] {
    domain::ReportTurnResult result;
    result.turn = turn(1);
    domain::Report report = result;
    watch.take(report);
    return std::get<domain::ReportTurnResult>(report).is_unsaid;
  };
  CHECK(is_unsaid());
  take(watch, domain::ReportOutput{turn(1), domain::OutputKind::thinking, "Hm."});
  take(watch, domain::ReportOutput{turn(1), domain::OutputKind::text, "A subagent's.", "call"});
  take(watch, domain::ReportOutput{turn(2), domain::OutputKind::text, "Of another turn."});
  CHECK(is_unsaid());
  take(watch, domain::ReportOutput{turn(1), domain::OutputKind::text, "Yes."});
  CHECK_FALSE(is_unsaid());
  CHECK(is_unsaid());
}

TEST_CASE("the tool of a denied call is filled in", "[workers]") {
  AgentWatch watch;
  repeats_of(watch, "Write", "{}");
  domain::ReportToolCallFinished denied;
  denied.call = "call";
  denied.is_denied = true;
  domain::Report report = denied;
  watch.take(report);
  CHECK(std::get<domain::ReportToolCallFinished>(report).tool == "Write");
}

TEST_CASE("an agent is silent a while after it was last heard", "[workers][R065]") {
  AgentWatch watch;
  CHECK(watch.silent_at(kHeard, kSilence) == kHeard + kSilence);
  CHECK_FALSE(watch.silent_at(kHeard, Duration{0}));
}

TEST_CASE("an agent whose tool runs is not silent", "[workers][R065][D09]") {
  AgentWatch watch;
  repeats_of(watch, "Bash", "make");
  CHECK_FALSE(watch.silent_at(kHeard, kSilence));
  take(watch, domain::ReportToolCallFinished{turn(1), "call", false, ""});
  CHECK(watch.silent_at(kHeard, kSilence));
  repeats_of(watch, "Bash", "make");
  take(watch, domain::ReportTurnResult{});
  CHECK(watch.silent_at(kHeard, kSilence));
}

TEST_CASE("an agent that waits to call its model again is not silent", "[workers]") {
  AgentWatch watch;
  take(watch, domain::ModelCallRetried{turn(1), 1, 10, std::chrono::minutes(1), 529, "overloaded"});
  CHECK(watch.silent_at(kHeard, kSilence) == kHeard + std::chrono::minutes(1) + kSilence);
  domain::Report later = domain::ReportPartialOutput{turn(1), "what it had said before"};
  watch.take(later, false);
  take(watch, domain::RateLimitReported{turn(1), "allowed_warning", "five_hour", {}});
  CHECK(watch.silent_at(kHeard, kSilence) == kHeard + std::chrono::minutes(1) + kSilence);
  take(watch, domain::ReportPartialOutput{turn(1), "so"});
  CHECK(watch.silent_at(kHeard, kSilence) == kHeard + kSilence);
}

TEST_CASE("silence is reported once, until the agent says something", "[workers][R065]") {
  AgentWatch watch;
  take(watch, domain::AgentSilenceReported{turn(1)});
  CHECK(watch.is_silence_reported());
  CHECK_FALSE(watch.silent_at(kHeard, kSilence));
  domain::Report spent = domain::ReportSpending{turn(1), {}};
  watch.take(spent, false);
  CHECK(watch.is_silence_reported());
  take(watch, domain::ReportPartialOutput{turn(1), "so"});
  CHECK_FALSE(watch.is_silence_reported());
  CHECK(watch.silent_at(kHeard, kSilence));
  take(watch, domain::AgentSilenceReported{turn(1)});
  take(watch, domain::AgentSilenceReported{turn(1), true});
  CHECK_FALSE(watch.is_silence_reported());
}

}  // namespace
}  // namespace workers
