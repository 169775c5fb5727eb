// Runs of subagents, beyond the vectors.
#include "eventlog/domain/conversation/subagent_run.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

SubagentRun labelled(std::string label, std::string task = {}) {
  SubagentRun run;
  run.label = std::move(label);
  run.task = std::move(task);
  return run;
}

TEST_CASE("a run has the label that says most", "[conversation]") {
  CHECK(label_of(labelled(" L ", "task")) == "L");
  CHECK(label_of(labelled("\n\u00A0", " do it ")) == "do it");
  CHECK(label_of(labelled("", "\t")) == "subagent");
}

TEST_CASE("a short label is cut between characters as a reader sees them", "[conversation]") {
  const std::string family = "👨‍👩‍👧";
  CHECK(short_label(labelled(family + family), 1) == family + "…");
  CHECK(short_label(labelled("e\u0301e\u0301"), 2) == "e\u0301e\u0301");
  CHECK(short_label(labelled("ab"), 0) == "ab");
  CHECK(short_label(labelled("ab"), -1) == "ab");
  CHECK(short_label(labelled(std::string(72, 'x'))) == std::string(72, 'x'));
  CHECK(short_label(labelled(std::string(73, 'x'))) == std::string(72, 'x') + "…");
}

TEST_CASE("a run is over once it has an end", "[conversation]") {
  SubagentRun run;
  run.outcome = SubagentOutcome::error;
  CHECK(status_of(run) == RunStatus::running);
  run.ended = {5};
  CHECK(status_of(run) == RunStatus::error);
  run.outcome = SubagentOutcome::none;
  CHECK(status_of(run) == RunStatus::done);
  CHECK(base::decode<SubagentRun>(base::encode(run)).value() == run);
}

TEST_CASE("runs are archived after whole minutes, or never", "[conversation]") {
  CHECK(archive_after({}) == std::chrono::hours(1));
  CHECK(archive_after(std::chrono::seconds(1)) == std::chrono::minutes(1));
  CHECK(archive_after(std::chrono::seconds(150)) == std::chrono::minutes(2));
  CHECK(archive_after(std::chrono::seconds(-1)) == std::nullopt);
}

TEST_CASE("the key of a subagent names its agent", "[conversation][R205]") {
  CHECK(subagent_key(" Ops Team", "AB-1") == "agent:ops-team:subagent:ab-1");
}

TEST_CASE("an old run keeps what it knew", "[conversation]") {
  SubagentRun run;
  run.origin.channel = " Slack ";
  OldRunFields old;
  old.channel = "whatsapp";
  old.announce_completed = {9};
  const SubagentRun now = upgraded(run, old);
  CHECK(now.origin.channel == "slack");
  CHECK(now.cleaned_up == Time{9});
  CHECK(now.is_announced);
  old.is_announce_handled = false;
  CHECK_FALSE(upgraded(run, old).is_announced);
}

}  // namespace
}  // namespace domain
