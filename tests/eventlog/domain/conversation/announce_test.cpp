// How the end of a run reaches the conversation that asked, beyond the vectors.
#include "eventlog/domain/conversation/announce.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

SubagentRun ended() {
  SubagentRun run;
  run.child = "agent:main:subagent:x";
  run.task = "count the\nfiles";
  run.started = {1'000'000};
  run.ended = {66'000'000};
  run.outcome = SubagentOutcome::ok;
  return run;
}

TEST_CASE("an announcement never interrupts a turn", "[conversation]") {
  for (const QueueMode mode : {QueueMode::interrupt, QueueMode::collect, QueueMode::followup}) {
    CHECK(announce_way("", mode, AgentWork::steerable) == AnnounceWay::queued);
    CHECK(announce_way("", mode, AgentWork::none) == AnnounceWay::turn);
  }
  CHECK(announce_way("", QueueMode::steer_backlog, AgentWork::steerable) == AnnounceWay::steered);
  CHECK(announce_way("", QueueMode::steer, AgentWork::busy) == AnnounceWay::queued);
  CHECK(announce_way(" ANNOUNCE_SKIP ", QueueMode::steer, AgentWork::none) == AnnounceWay::none);
}

TEST_CASE("an announcement says what was done, found and used", "[conversation][R212]") {
  SubagentRun run = ended();
  const std::string text = announce_text(run, " 12 files \n", {10, 3, "$0.01"});
  CHECK(
      text.starts_with("A background task \"count the files\" completed successfully.\n\n"
                       "Findings:\n12 files\n\n"
                       "Stats: runtime 1m5s, tokens 10 in and 3 out, cost $0.01, session "
                       "agent:main:subagent:x\n\n"));
  run.outcome = SubagentOutcome::error;
  run.started = {};
  CHECK(announce_text(run, "", {})
            .find("failed: unknown error.\n\nFindings:\n(no output)\n\n"
                  "Stats: runtime n/a, session") != std::string::npos);
}

TEST_CASE("a target of one channel is not used in another", "[conversation]") {
  SubagentRun run = ended();
  run.origin.channel = "telegram";
  DeliveryContext last;
  last.channel = " WhatsApp ";
  last.to = "+15550100";
  CHECK(announce_route(run, last).to.empty());
  run.origin.channel = "whatsapp";
  CHECK(announce_route(run, last).to == "+15550100");
  run.origin.channel = "";
  CHECK(announce_route(run, last).channel == "whatsapp");
}

TEST_CASE("only announcements that wait together have a title", "[conversation]") {
  const std::vector<std::string_view> texts = {"one"};
  NextTurn turn;
  turn.shape = TurnShape::single;
  CHECK(announces_prompt(turn, texts) == "one");
  turn.shape = TurnShape::collected;
  CHECK(announces_prompt(turn, texts).starts_with("[Queued announce messages while "));
}

TEST_CASE("a run that was announced before a restart is not announced again", "[conversation]") {
  SubagentRun run = ended();
  CHECK(after_restart(run) == RunAfterRestart::announce);
  run.is_announced = true;
  CHECK(after_restart(run) == RunAfterRestart::nothing);
  run.ended = {};
  CHECK(after_restart(run) == RunAfterRestart::wait);
}

}  // namespace
}  // namespace domain
