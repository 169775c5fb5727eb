// A session that lives takes other settings: from now on, or with its agent's next process.
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::fact;
using support::given;
using support::turn;

SessionSpec said() {
  SessionSpec spec;
  spec.permission_mode = PermissionMode::plan;
  spec.run_timeout = base::Duration{7};
  return spec;
}

SettingsChanged changed(bool is_to_tell) {
  return {1, {"permission_mode", "run_timeout"}, said(), is_to_tell};
}

TEST_CASE("a live session takes other settings, and its agent is told", "[session]") {
  const ChangeSettings c{{"permission_mode", "run_timeout", "run_timeout"}, said()};
  given(support::running()).when(c).then(changed(true));
  given(support::unleased()).when(c).then(changed(false));
  const ChangeSettings own{{"approval_timeout"}, {}};
  given(support::running()).when(own).then(SettingsChanged{1, {"approval_timeout"}, {}, false});
}

TEST_CASE("what is a session's for good cannot be changed", "[session]") {
  const auto refuses = [](const ChangeSettings& c) {
    given(support::running()).when(c).then_rejected(RejectionCode::invalid);
  };
  refuses({{}, {}});
  refuses({{"workdir"}, said()});
  refuses({{"budget_usd"}, said()});
  refuses({{"nonsense"}, said()});
  SessionSpec same;
  same.model = same.fallback_model.edit() = "opus";
  refuses({{"model", "fallback_model"}, same});
  SessionSpec relative;
  relative.mcp_config = std::string("servers.json");
  refuses({{"mcp_config"}, relative});
  given().when(ChangeSettings{{"model"}, {}}).then_rejected(RejectionCode::not_found);
}

TEST_CASE("a session has the settings that it was given last", "[session]") {
  const SessionState s = given(support::running() + changed(true)).session();
  CHECK(s.inconsistent.value == 0);
  CHECK(s.spec.permission_mode == PermissionMode::plan);
  CHECK(s.spec.run_timeout == base::Duration{7});
  CHECK(s.changed->changes == 1);
  CHECK(settings_to_tell(s.changed) == std::vector<std::string>{"permission_mode"});
  SessionSpec opened;
  opened.model = "opus";
  apply_changes(s.changed, opened);
  CHECK(opened.permission_mode == PermissionMode::plan);
  CHECK(opened.model == "opus");
  CHECK(lease_state(s).limits.run_timeout == base::Duration{7});
}

AgentStatusReported in_mode(const std::string& mode) {
  return {turn(1), "", mode, "", true};
}

TEST_CASE("the mode into which an agent changes is that of its next process", "[session]") {
  const auto next_mode = [](const std::string& mode) {
    const SessionState s =
        given(support::running() + changed(true) + fact(in_mode(mode)).by_report(1, 3)).session();
    // It is no change by somebody, of which the agent would have to be told.
    CHECK(s.changed->changes == 1);
    CHECK(s.spec.permission_mode == PermissionMode::plan);
    SessionSpec next;
    apply_changes(s.changed, next);
    return next.permission_mode;
  };
  CHECK(next_mode("default") == PermissionMode::ask);
  CHECK(next_mode("plan") == PermissionMode::plan);
  // No word of an agent gives it more than people have.
  CHECK(next_mode("bypassPermissions") == PermissionMode::plan);
  CHECK(next_mode("acceptEdits") == PermissionMode::plan);
  CHECK(next_mode("dontAsk") == PermissionMode::plan);
  given(support::running())
      .when(support::report(3, AgentStatusReported{turn(1), "", "default", ""}))
      .then(in_mode("default"));
  // Events of earlier releases only tell it.
  const auto told = fact(AgentStatusReported{turn(1), "", "default", ""}).by_report(1, 3);
  CHECK(given(support::running() + told).session().changed == ChangedSettings{});
  // A person's word counts from then on.
  const auto after = given(support::running() + fact(in_mode("default")).by_report(1, 3) +
                           SettingsChanged{1, {"permission_mode"}, said(), true});
  CHECK_FALSE(after.session().changed->agent_mode);
}

TEST_CASE("what an agent says of its settings and its commands is bounded", "[session]") {
  given(support::running())
      .when(support::report(3, SettingsTold{1, std::string(5000, 'x')}))
      .then(SettingsTold{1, cut_fact(std::string(5000, 'x'))});
  const std::vector<std::string> many(300, "compact");
  const std::vector<std::string> kept(256, "compact");
  given(support::running())
      .when(support::report(3, SlashCommandsReported{many}))
      .then(SlashCommandsReported{kept});
}

}  // namespace
}  // namespace domain
