// The command line, environment and first bytes with which Claude Code is started for a session.
#include "tests/support/catch.hpp"
#include "tests/support/prices.hpp"
#include "tests/workers/engines/claude/driven_claude.hpp"
#include "workers/engines/claude/claude_engine.hpp"

namespace {

using engines::driven_claude;
using engines::EngineSettings;
using engines::LaunchPlan;
using engines::SessionLaunch;
using Words = std::vector<std::string>;

const Words kAlways = {"/opt/claude",
                       "--output-format",
                       "stream-json",
                       "--verbose",
                       "--input-format",
                       "stream-json",
                       "--include-partial-messages",
                       "--disallowedTools=ScheduleWakeup"};

Words with(Words more) {
  Words all = kAlways;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

EngineSettings settings() {
  EngineSettings settings;
  settings.program = {"/opt/claude"};
  settings.prices = support::sample_prices();
  settings.prices.aliases["haiku"] = "claude-haiku-4-5";
  return settings;
}

Words argv_of(SessionLaunch session) {
  session.spec.approvals = domain::Approvals::deny;
  return driven_claude(settings(), session)->plan().argv;
}

TEST_CASE("an agent that may ask is told to ask its host", "[workers]") {
  const Words all = driven_claude(settings(), {})->plan().argv;
  const Words asking = {"--permission-prompt-tool=stdio", "--permission-mode=default"};
  CHECK(std::search(all.begin(), all.end(), asking.begin(), asking.end()) != all.end());
}

TEST_CASE("a plain session asks for streamed JSON and its permission mode", "[workers]") {
  CHECK(argv_of({}) == with({"--permission-mode=default"}));
}

TEST_CASE("each limit and choice of the session is one argument", "[workers][R014][D01]") {
  SessionLaunch session;
  session.spec.model = "haiku";
  session.spec.fallback_model = "sonnet";
  session.spec.max_turns = 12;
  session.spec.budget.value = 2'050'000'000;
  session.spec.allowed_tools.edit() = {"Read", "Bash(git diff:*)"};
  session.spec.permission_mode = domain::PermissionMode::accept_edits;
  CHECK(argv_of(session) ==
        with({"--max-turns=12", "--max-budget-usd=2.05", "--model=haiku", "--fallback-model=sonnet",
              "--allowedTools=Read,Bash(git diff:*)", "--permission-mode=acceptEdits"}));
}

TEST_CASE("an agent whose session others have used goes on at its last message, with a copy",
          "[workers][C19]") {
  SessionLaunch session;
  session.resume_agent_session = "old";
  session.last_message = "last";
  CHECK(argv_of(session) == with({"--resume=old", "--permission-mode=default"}));
  session.is_shared = true;
  CHECK(argv_of(session) == with({"--resume=old", "--permission-mode=default",
                                  "--resume-session-at=last", "--fork-session"}));
}

TEST_CASE("an agent is not told of a budget if its model has no price", "[workers][R023]") {
  SessionLaunch session;
  session.spec.budget.value = 2'000'000'000;
  session.spec.model = "other-1";
  CHECK(argv_of(session) == with({"--model=other-1", "--permission-mode=default"}));
}

TEST_CASE("a budget is written as an exact decimal", "[workers]") {
  const auto budget = [](std::int64_t nanos) {
    SessionLaunch session;
    session.spec.budget.value = nanos;
    return argv_of(session)[kAlways.size()];
  };
  CHECK(budget(1) == "--max-budget-usd=0.000000001");
  CHECK(budget(5'000'000'000) == "--max-budget-usd=5");
  CHECK(budget(100'000'000) == "--max-budget-usd=0.1");
  CHECK(budget(9'007'199'254'740'991) == "--max-budget-usd=9007199.254740991");
}

TEST_CASE("a resumed session goes on, a forked one under a new id, but only once",
          "[workers][R014]") {
  SessionLaunch session;
  session.spec.resume_agent_session = "old";
  CHECK(argv_of(session) == with({"--resume=old", "--permission-mode=default"}));
  session.spec.is_fork = true;
  CHECK(argv_of(session) == with({"--resume=old", "--permission-mode=default", "--fork-session"}));
  session.resume_agent_session = "forked";
  CHECK(argv_of(session) == with({"--resume=forked", "--permission-mode=default"}));
}

TEST_CASE("a session goes on at a message only where it begins", "[workers]") {
  SessionLaunch session;
  session.spec.resume_agent_session = "old";
  session.spec.resume_message = "m-9";
  CHECK(argv_of(session) == with({"--resume=old", "--permission-mode=default"}));
  session.spec.resumed_at = domain::ResumedAt::message;
  CHECK(argv_of(session) ==
        with({"--resume=old", "--permission-mode=default", "--resume-session-at=m-9"}));
  session.spec.is_fork = true;
  CHECK(argv_of(session) == with({"--resume=old", "--permission-mode=default",
                                  "--resume-session-at=m-9", "--fork-session"}));
  session.resume_agent_session = "forked";
  CHECK(argv_of(session) == with({"--resume=forked", "--permission-mode=default"}));
}

TEST_CASE("bypassing permissions has to be allowed explicitly", "[workers]") {
  SessionLaunch session;
  session.spec.permission_mode = domain::PermissionMode::bypass_permissions;
  CHECK(argv_of(session) ==
        with({"--permission-mode=bypassPermissions", "--allow-dangerously-skip-permissions"}));
}

TEST_CASE("the environment is private: what an agent needs, and nothing else", "[workers]") {
  EngineSettings all = settings();
  all.inherited_environment = {"PATH=/bin",
                               "HOME=/home/me",
                               "LANG=de_DE",
                               "AWS_SECRET_ACCESS_KEY=secret",
                               "STENO_KEY=secret",
                               "TMPDIR=/tmp",
                               "ANTHROPIC_API_KEY=a=b",
                               "CLAUDE_CODE_MAX_RETRIES=2",
                               "CLAUDE_CODE_ENTRYPOINT=cli",
                               "https_proxy=http://proxy:3128",
                               "NOT AN ASSIGNMENT"};
  all.environment = {"EXTRA=1", "LANG=C"};
  SessionLaunch session;
  session.temp_folder = "/s/tmp";
  session.runtime_folder = "/s/run";
  CHECK(driven_claude(all, session)->plan().environment ==
        Words{"ANTHROPIC_API_KEY=a=b", "CLAUDE_CODE_DISABLE_CRON=1",
              "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
              "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1", "CLAUDE_CODE_ENTRYPOINT=sdk-cpp",
              "CLAUDE_CODE_MAX_RETRIES=2", "CLAUDE_CODE_TMPDIR=/s/tmp", "DISABLE_AUTOUPDATER=1",
              "DISABLE_ERROR_REPORTING=1", "DISABLE_TELEMETRY=1", "EXTRA=1", "HOME=/home/me",
              "LANG=C", "PATH=/bin", "TMPDIR=/s/tmp", "XDG_RUNTIME_DIR=/s/run",
              "https_proxy=http://proxy:3128"});
  session.hook_points = {domain::HookPoint::session_start};
  const Words with_hooks = driven_claude(all, session)->plan().environment;
  CHECK(std::count(with_hooks.begin(), with_hooks.end(), "CLAUDE_ENV_FILE=/s/run/hooks.env") == 1);
}

TEST_CASE("the marks of an agent in whose shell the server was started are not passed on",
          "[workers]") {
  constexpr const char* kMarks[] = {"CHILD_SESSION",          "SESSION_ID", "MESSAGING_SOCKET",
                                    "MESSAGING_TOKEN",        "EXECPATH",   "CHILD_NOTES_DIR",
                                    "SESSION_ATTENDED",       "SSE_PORT",   "SESSION_ACCESS_TOKEN",
                                    "LAUNCHED_BY_SESSION_IDS"};
  EngineSettings all = settings();
  all.inherited_environment = {"CLAUDECODE=1", "CLAUDE_CODE_SESSION_IDLE_MAX=5"};
  for (const char* mark : kMarks) {
    all.inherited_environment.push_back("CLAUDE_CODE_" + std::string(mark) + "=outer");
  }
  for (const std::string& entry : driven_claude(all, {})->plan().environment) {
    INFO(entry);
    CHECK(entry.find("outer") == std::string::npos);
    CHECK_FALSE(entry.starts_with("CLAUDECODE="));
  }
  const Words environment = driven_claude(all, {})->plan().environment;
  CHECK(std::find(environment.begin(), environment.end(), "CLAUDE_CODE_SESSION_IDLE_MAX=5") !=
        environment.end());
}

bool has(const EngineSettings& all, const std::string& entry, const SessionLaunch& session = {}) {
  const Words environment = driven_claude(all, session)->plan().environment;
  return std::find(environment.begin(), environment.end(), entry) != environment.end();
}

TEST_CASE("the credentials of a cloud are passed on if the agent uses that cloud", "[workers]") {
  const auto is_passed = [](const Words& chosen, const std::string& entry) {
    EngineSettings all = settings();
    all.inherited_environment = chosen;
    all.inherited_environment.push_back(entry);
    return has(all, entry);
  };
  CHECK(is_passed({"CLAUDE_CODE_USE_BEDROCK=1"}, "AWS_PROFILE=me"));
  CHECK(is_passed({"CLAUDE_CODE_USE_VERTEX=true"}, "GOOGLE_APPLICATION_CREDENTIALS=/key"));
  CHECK(is_passed({"CLAUDE_CODE_USE_VERTEX=1"}, "CLOUD_ML_REGION=east"));
  CHECK(is_passed({"CLAUDE_CODE_USE_FOUNDRY=1"}, "AZURE_CLIENT_ID=me"));
  CHECK_FALSE(is_passed({"CLAUDE_CODE_USE_VERTEX=1"}, "AWS_PROFILE=me"));
  CHECK_FALSE(is_passed({"CLAUDE_CODE_USE_BEDROCK=0"}, "AWS_PROFILE=me"));
  CHECK_FALSE(is_passed({"CLAUDE_CODE_USE_BEDROCK="}, "AWS_PROFILE=me"));
  CHECK_FALSE(is_passed({}, "AWS_PROFILE=me"));
}

TEST_CASE("variables that the operator names are passed on, but not over Steno's own",
          "[workers]") {
  EngineSettings all = settings();
  all.inherited_environment = {"GH_TOKEN=t", "GH_TOKEN_2=t", "LANG=de_DE", "USER=me"};
  CHECK(has(all, "USER=me"));
  CHECK_FALSE(has(all, "GH_TOKEN=t"));
  all.passed_names = {"GH_TOKEN", "LANG", "NOT_THERE"};
  CHECK(has(all, "GH_TOKEN=t"));
  CHECK_FALSE(has(all, "GH_TOKEN_2=t"));
  CHECK(has(all, "LANG=C.UTF-8"));
}

TEST_CASE("an agent learns that it is sandboxed from a setting only", "[workers]") {
  EngineSettings all = settings();
  all.inherited_environment = {"IS_SANDBOX=1"};
  CHECK_FALSE(has(all, "IS_SANDBOX=1"));
  all.is_sandboxed = true;
  CHECK(has(all, "IS_SANDBOX=1"));
}

TEST_CASE("what an agent starts runs in the background, within its turn, or not at all",
          "[workers]") {
  using domain::BackgroundTasks;
  const std::string off = "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1";
  const auto with = [](BackgroundTasks background) {
    SessionLaunch session;
    session.spec.background = background;
    return session;
  };
  const auto denied = [&](BackgroundTasks background) {
    const Words argv = driven_claude(settings(), with(background))->plan().argv;
    const auto found = std::find_if(argv.begin(), argv.end(), [](const std::string& word) {
      return word.starts_with("--disallowedTools=");
    });
    return found == argv.end() ? "" : found->substr(found->find('=') + 1);
  };
  EngineSettings all = settings();
  all.inherited_environment = {"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=0"};
  CHECK_FALSE(has(all, off, with(BackgroundTasks::allow)));
  CHECK(has(all, off, with(BackgroundTasks::inlined)));
  CHECK(has(all, off, with(BackgroundTasks::forbid)));
  CHECK(denied(BackgroundTasks::allow) == "ScheduleWakeup");
  CHECK(denied(BackgroundTasks::inlined) == "ScheduleWakeup");
  CHECK(denied(BackgroundTasks::forbid) == "ScheduleWakeup,Agent,Task");
}

TEST_CASE("the operator's word overrides Steno's", "[workers]") {
  EngineSettings all = settings();
  all.environment = {"CLAUDE_CODE_DISABLE_CRON=0"};
  CHECK(has(all, "CLAUDE_CODE_DISABLE_CRON=0"));
}

TEST_CASE("a HOME of its own is a setting", "[workers]") {
  EngineSettings all = settings();
  all.inherited_environment = {"HOME=/home/me"};
  all.home = "/private";
  CHECK(driven_claude(all, {})->plan().environment ==
        Words{"CLAUDE_CODE_DISABLE_CRON=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
              "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1", "CLAUDE_CODE_ENTRYPOINT=sdk-cpp",
              "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_TELEMETRY=1",
              "HOME=/private", "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin"});
}

// Of a session whose agent asks nobody, and so holds no questions.
SessionLaunch denying() {
  SessionLaunch session;
  session.spec.approvals = domain::Approvals::deny;
  return session;
}

TEST_CASE("a system prompt is given in a greeting, before the first turn", "[workers]") {
  CHECK(driven_claude(settings(), denying())->start() ==
        "{\"type\":\"control_request\",\"request_id\":\"steno-1\",\"request\":{\"subtype\":"
        "\"initialize\",\"forwardSubagentText\":true}}\n");
  SessionLaunch session = denying();
  session.system_prompt = "Be brief.\n\"Now\"";
  CHECK(driven_claude(settings(), session)->start() ==
        "{\"type\":\"control_request\",\"request_id\":\"steno-1\",\"request\":{\"subtype\":"
        "\"initialize\",\"forwardSubagentText\":true,\"appendSystemPrompt\":\"Be "
        "brief.\\n\\\"Now\\\"\"}}\n");
}

TEST_CASE("the greeting names the points at which hooks are asked", "[workers]") {
  SessionLaunch session;
  session.hook_points = {domain::HookPoint::stop, domain::HookPoint::session_start,
                         domain::HookPoint::pre_tool_use};
  CHECK(driven_claude(settings(), session)->start() ==
        "{\"type\":\"control_request\",\"request_id\":\"steno-1\",\"request\":{\"subtype\":"
        "\"initialize\",\"forwardSubagentText\":true,\"hooks\":{\"PreToolUse\":[{"
        "\"hookCallbackIds\":[\"PreToolUse\"],\"timeout\":2000000,\"onFailure\":\"block\"}],"
        "\"Stop\":[{\"hookCallbackIds\":[\"Stop\"],\"timeout\":2000000}]}}}\n");
}

TEST_CASE("the agent takes its settings from where its session says", "[workers]") {
  const auto argument = [](const std::string& sources) {
    SessionLaunch session;
    session.spec.setting_sources = sources;
    for (const std::string& word : driven_claude(settings(), session)->plan().argv) {
      if (word.starts_with("--setting-sources")) return word;
    }
    return std::string();
  };
  CHECK(argument("").empty());
  CHECK(argument("none") == "--setting-sources=");
  CHECK(argument("user,project") == "--setting-sources=user,project");
}

TEST_CASE("a prompt is one line of ASCII that carries its turn's id", "[workers]") {
  base::TurnId turn;
  turn.bytes.back() = 7;
  const auto engine = driven_claude(settings(), {});
  const std::string head = "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":";
  const std::string tail =
      "},\"parent_tool_use_id\":null,\"session_id\":\"\","
      "\"uuid\":\"00000000-0000-0000-0000-000000000007\"}\n";
  CHECK(engine->begin_turn(turn, "a\nb\xE2\x80\xA8 \xFF") ==
        head + "\"a\\nb\\u2028 \\ufffd\"" + tail);
  CHECK(engine->begin_turn(turn, "") == head + "\"\"" + tail);
}

TEST_CASE("an interrupt withdraws a prompt that has not begun", "[workers]") {
  const auto engine = driven_claude(settings(), {});
  const base::TurnId turn{{1}};
  engine->begin_turn(turn, "hang");
  CHECK(engine->interrupt(turn) ==
        "{\"type\":\"control_request\",\"request_id\":\"steno-1\",\"request\":{\"subtype\":"
        "\"interrupt\",\"cancel_queued\":true}}\n");
  CHECK(engine->interrupt(turn).find("\"steno-2\"") != std::string::npos);
}

TEST_CASE("an interrupt of a turn of the agent's own withdraws no prompt", "[workers]") {
  const auto engine = driven_claude(settings(), {});
  engine->begin_turn(base::TurnId{{1}}, "next");
  CHECK(engine->interrupt(base::TurnId{{2}}).find("\"cancel_queued\":false") != std::string::npos);
}

}  // namespace
