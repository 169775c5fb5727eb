// The configuration: precedence of flags, environment, file and defaults. Every mistake is refused
// with its place and the accepted values.
#include "tools/steno/config/config.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using base::ErrorCode;
using steno::Config;
using steno::ConfigInput;
using steno::load_config;
using steno::SettingSource;

struct World {
  support::TemporaryFolder folder;
  ConfigInput input;

  World() {
    input.environment = {{"HOME", folder.path()}};
    input.program_folder = "/opt/steno/bin";
    input.working_folder = "/work space";
  }
  // Writes the file to its default place.
  void write_file(const std::string& text) {
    std::filesystem::create_directories(folder.file(".config/steno"));
    std::ofstream(folder.file(".config/steno/steno.toml")) << text;
  }
  std::string file() const { return folder.file(".config/steno/steno.toml"); }
  Config load() const {
    const auto config = load_config(input);
    INFO((config ? "" : base::describe(config.error())));
    REQUIRE(config);
    return *config;
  }
  base::Error refusal() const {
    const auto config = load_config(input);
    REQUIRE_FALSE(config);
    return config.error();
  }
};

const steno::Setting& setting(const Config& config, const std::string& key) {
  for (const steno::Setting& one : config.settings) {
    if (one.key == key) return one;
  }
  FAIL("no setting " << key);
  return config.settings.front();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("without any setting the defaults hold", "[tools][R026][R084][D01]") {
  const World world;
  const Config config = world.load();
  CHECK(config.agent == "main");
  CHECK(config.max_sessions == 5);
  CHECK(config.session.budget.value == 5'000'000'000);
  CHECK(config.session.permission_mode == domain::PermissionMode::ask);
  CHECK(config.session.engine == "claude");
  CHECK(config.session.workdir == "/work space");
  CHECK(config.keeper_program == "/opt/steno/bin/steno-keeper");
  CHECK(config.programs.at("scripted") ==
        std::vector<std::string>{"/opt/steno/bin/steno-scripted-agent"});
  CHECK(config.data_folder == world.folder.file(".local/share/steno"));
  CHECK(config.run_folder == world.folder.file(".local/share/steno/run"));
  CHECK(config.config_file == world.file());
  CHECK(setting(config, "agent").where == "default");
}

TEST_CASE("a flag beats the environment, which beats the file, which beats the default",
          "[tools]") {
  World world;
  CHECK(world.load().agent == "main");
  world.write_file("agent = \"from-file\"\nmax_sessions = 7\nrepeated_calls_max = 20\n");
  CHECK(world.load().agent == "from-file");
  CHECK(setting(world.load(), "agent").where == world.file() + " line 1");
  world.input.environment["STENO_AGENT"] = "from-environment";
  CHECK(world.load().agent == "from-environment");
  CHECK(setting(world.load(), "agent").source == SettingSource::environment);
  world.input.flags["agent"] = "from-flag";
  CHECK(world.load().agent == "from-flag");
  CHECK(setting(world.load(), "agent").where == "--agent");
  CHECK(world.load().max_sessions == 7);
  CHECK(world.load().session.repeated_calls_max == 20);
  CHECK(steno::is_flag(world.load(), "agent"));
  CHECK_FALSE(steno::is_flag(world.load(), "max_sessions"));
}

TEST_CASE("an empty variable of the environment says nothing", "[tools]") {
  World world;
  world.input.environment["STENO_AGENT"] = "";
  CHECK(world.load().agent == "main");
}

TEST_CASE("variables that are not settings are none of the configuration's business", "[tools]") {
  World world;
  world.input.environment["STENO_SESSION"] = "0123";
  CHECK(world.load().agent == "main");
}

TEST_CASE("a variable that misses a setting's name by little is refused with that name",
          "[tools]") {
  World world;
  world.input.environment["STENO_MAXSESSIONS"] = "20";
  const auto config = steno::load_config(world.input);
  REQUIRE_FALSE(config);
  CHECK(config.error().code == base::ErrorCode::invalid);
  CHECK(base::describe(config.error()).find("STENO_MAX_SESSIONS?") != std::string::npos);
}

TEST_CASE("a home puts everything into one folder", "[tools]") {
  World world;
  world.input.flags["home"] = "/tmp/h/";
  const Config config = world.load();
  CHECK(config.home == "/tmp/h");
  CHECK(config.data_folder == "/tmp/h/data");
  CHECK(config.run_folder == "/tmp/h/run");
  CHECK(config.config_file == "/tmp/h/steno.toml");
}

TEST_CASE("a home by flag beats a folder from the environment, and a folder by flag beats it",
          "[tools]") {
  World world;
  world.input.environment["STENO_DATA_FOLDER"] = "/elsewhere";
  world.input.flags["home"] = "/tmp/h";
  CHECK(world.load().data_folder == "/tmp/h/data");
  world.input.flags["data_folder"] = "/named";
  CHECK(world.load().data_folder == "/named");
}

TEST_CASE("the home's own file is read, and not the user's", "[tools]") {
  World world;
  world.write_file("agent = \"user\"\n");
  std::ofstream(world.folder.file("steno.toml")) << "agent = \"home\"\n";
  world.input.environment["STENO_HOME"] = world.folder.path();
  CHECK(world.load().agent == "home");
}

TEST_CASE("a named file must exist", "[tools]") {
  World world;
  world.input.flags["config"] = world.folder.file("absent.toml");
  CHECK(world.refusal().code == ErrorCode::not_found);
  std::ofstream(world.folder.file("present.toml")) << "agent = \"named\"\n";
  world.input.environment["STENO_CONFIG"] = world.folder.file("present.toml");
  world.input.flags.erase("config");
  CHECK(world.load().agent == "named");
}

TEST_CASE("folders follow the XDG variables, and relative ones are ignored", "[tools]") {
  World world;
  world.input.environment["XDG_DATA_HOME"] = "/d";
  world.input.environment["XDG_RUNTIME_DIR"] = "/r";
  CHECK(world.load().data_folder == "/d/steno");
  // $XDG_RUNTIME_DIR goes with the last login, and a server stays.
  CHECK(world.load().run_folder == "/d/steno/run");
  world.input.environment["XDG_DATA_HOME"] = "/" + std::string(100, 'd');
  CHECK(world.load().run_folder == "/r/steno");
  world.input.environment["XDG_DATA_HOME"] = "relative";
  CHECK(world.load().data_folder == world.folder.file(".local/share/steno"));
}

TEST_CASE("a run folder is said only if it is named itself", "[tools]") {
  World world;
  CHECK_FALSE(steno::is_run_folder_said(world.load()));
  world.input.environment["STENO_HOME"] = "/tmp/h";
  CHECK_FALSE(steno::is_run_folder_said(world.load()));
  world.input.environment["STENO_RUN_FOLDER"] = "/r";
  CHECK(steno::is_run_folder_said(world.load()));
}

TEST_CASE("without HOME and XDG variables a folder must be named", "[tools]") {
  World world;
  world.input.environment.clear();
  CHECK(contains(world.refusal().text, "--home"));
  world.input.flags["home"] = "/tmp/h";
  CHECK(world.load().data_folder == "/tmp/h/data");
}

TEST_CASE("an unknown key is refused with its file, its line and the known keys", "[tools]") {
  World world;
  world.write_file("\nmax_session = 3\n");
  const base::Error error = world.refusal();
  CHECK(error.code == ErrorCode::invalid);
  CHECK(contains(error.text, "'max_session'"));
  CHECK(contains(error.text, "max_sessions"));
  CHECK(error.where == world.file() + " line 2");
}

TEST_CASE("a file that is not TOML is refused with its line", "[tools]") {
  World world;
  world.write_file("agent = \"a\"\nthis is not toml\n");
  CHECK(contains(world.refusal().where, "line 2"));
}

TEST_CASE("a value that is not accepted is refused with what is", "[tools]") {
  struct Case {
    const char* line;
    const char* accepted;
  };
  const auto wrong = GENERATE(
      Case{"max_sessions = 0", "1 to 10000"}, Case{"max_sessions = 10001", "1 to 10000"},
      Case{"repeated_calls_max = -1", "0 to 1000"}, Case{"repeated_calls_max = \"5\"", "0 to 1000"},
      Case{"idle_timeout = \"soon\"", "never"}, Case{"run_timeout = 5", "never"},
      Case{"worker_silence_max = \"999ms\"", "at least 1s"},
      Case{"max_sessions = \"5\"", "1 to 10000"}, Case{"max_sessions = 2.5", "1 to 10000"},
      Case{"budget_usd = -1", "US dollars"}, Case{"budget_usd = \"5\"", "US dollars"},
      Case{"agent = \"Main\"", "a-z"}, Case{"agent = 5", "a-z"},
      Case{"permission_mode = \"yolo\"", "acceptEdits"}, Case{"engine = \"gpt\"", "scripted"},
      Case{"output = \"xml\"", "jsonl"}, Case{"keep_workers = \"yes\"", "true or false"},
      Case{"agent_environment = [\"GH-TOKEN\"]", "names of variables"},
      Case{"agent_environment = \"A=b\"", "names of variables"},
      Case{"log_level = \"loud\"", "debug"}, Case{"timeout = \"soon\"", "30s"},
      Case{"timeout = \"0s\"", "30s"}, Case{"workdir = \"relative\"", "absolute"},
      Case{"claude_program = \"'open\"", "arguments"}, Case{"claude_program = []", "arguments"},
      Case{"model = \"a\\nb\"", "model"});
  World world;
  world.write_file(std::string(wrong.line) + "\n");
  const base::Error error = world.refusal();
  INFO(wrong.line << " → " << base::describe(error));
  CHECK(error.code == ErrorCode::invalid);
  CHECK(contains(error.text, wrong.accepted));
  CHECK(error.where == world.file() + " line 1");
}

TEST_CASE("values of every kind are read from the file", "[tools]") {
  World world;
  world.write_file(R"(
budget_usd = 0.25
permission_mode = "acceptEdits"
workdir = "~/code"
claude_program = ["/opt/my claude", "--flag"]
scripted_program = "node '/a b/agent.js'"
keep_workers = true
agent_environment = ["GH_TOKEN", "NPM_TOKEN"]
agent_sandboxed = true
timeout = "1500ms"
orphan_grace = "2h"
output = "jsonl"
)");
  const Config config = world.load();
  CHECK(config.session.budget.value == 250'000'000);
  CHECK(config.session.permission_mode == domain::PermissionMode::accept_edits);
  CHECK(config.session.workdir == world.folder.file("code"));
  CHECK(config.programs.at("claude") == std::vector<std::string>{"/opt/my claude", "--flag"});
  CHECK(config.programs.at("scripted") == std::vector<std::string>{"node", "/a b/agent.js"});
  CHECK(config.keep_workers);
  CHECK(config.agent_environment == std::vector<std::string>{"GH_TOKEN", "NPM_TOKEN"});
  CHECK(config.is_agent_sandboxed);
  CHECK(config.timeout == std::chrono::milliseconds(1500));
  CHECK(config.orphan_grace == std::chrono::hours(2));
  CHECK(config.output == steno::OutputFormat::jsonl);
}

TEST_CASE("relative paths begin at the working folder when a flag gives them", "[tools]") {
  World world;
  world.input.flags["workdir"] = "sub/../other/";
  CHECK(world.load().session.workdir == "/work space/other");
}

TEST_CASE("a path has one form, however its slashes are written", "[tools]") {
  World world;
  for (const auto& [given, path] : {std::pair{"/", "/"}, std::pair{"///", "/"},
                                    std::pair{"//a//b/", "/a/b"}, std::pair{"/a/./c/..", "/a"}}) {
    world.input.flags["workdir"] = given;
    CHECK(world.load().session.workdir == path);
  }
}

TEST_CASE("the flags of a configuration give the same configuration again", "[tools]") {
  World world;
  world.write_file("budget_usd = 0.25\nclaude_program = [\"a b\", \"c\\\"d\"]\nagent = \"ci\"\n");
  const Config config = world.load();
  World other;
  for (const std::string& flag : steno::flags_of(config)) {
    const std::size_t equals = flag.find('=');
    REQUIRE(equals != std::string::npos);
    for (const steno::ConfigKey& key : steno::config_keys()) {
      if (steno::flag_name(key.name) == flag.substr(0, equals)) {
        other.input.flags[std::string(key.name)] = flag.substr(equals + 1);
      }
    }
  }
  const Config again = other.load();
  REQUIRE(again.settings.size() == config.settings.size());
  for (std::size_t i = 0; i < config.settings.size(); ++i) {
    CHECK(again.settings[i].value == config.settings[i].value);
  }
  CHECK((again.session == config.session));
}

TEST_CASE("each setting of a session is a key with its own default", "[tools]") {
  World world;
  const Config config = world.load();
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    INFO(setting.key);
    CHECK(steno::default_text(setting.key) == setting.initial);
    // Whatever it shows can be given.
    domain::SessionSpec spec;
    const std::string shown = workers::setting_text(setting, config.session);
    REQUIRE(workers::set_setting(setting, shown, spec));
    CHECK(workers::setting_text(setting, spec) == shown);
  }
}

TEST_CASE("every key has a setting, a flag and a variable", "[tools]") {
  const World world;
  const Config config = world.load();
  REQUIRE(config.settings.size() == steno::config_keys().size());
  for (std::size_t i = 0; i < config.settings.size(); ++i) {
    CHECK(config.settings[i].key == steno::config_keys()[i].name);
  }
  CHECK(steno::flag_name("max_sessions") == "--max-sessions");
  CHECK(steno::environment_name("max_sessions") == "STENO_MAX_SESSIONS");
}

TEST_CASE("a table of the file adds an engine with settings of its own", "[tools]") {
  World world;
  world.write_file(
      "agent_home = \"/home/agents\"\nengine = \"opus-sandbox\"\n"
      "[engines.opus-sandbox]\nkind = \"claude\"\nprogram = [\"~/bin/claude\", \"--flag\"]\n"
      "home = \"/srv/home\"\npass = [\"GH_TOKEN\"]\nenvironment = [\"A=b c\"]\nsandboxed = true\n"
      "description = \"Opus in a box\"\n[engines.plain]\nkind = \"scripted\"\n");
  const Config config = world.load();
  CHECK(config.session.engine == "opus-sandbox");
  CHECK(config.engines.names() ==
        std::vector<std::string>{"claude", "scripted", "opus-sandbox", "plain"});
  CHECK(config.engines.injecting_names() == config.engines.names());
  const engines::CatalogEntry& opus = *config.engines.find("opus-sandbox");
  CHECK(opus.kind->name == "claude");
  CHECK(opus.description == "Opus in a box");
  CHECK(opus.settings.program ==
        std::vector<std::string>{world.folder.file("bin/claude"), "--flag"});
  CHECK(opus.settings.home == "/srv/home");
  CHECK(opus.settings.passed_names == std::vector<std::string>{"GH_TOKEN"});
  CHECK(opus.settings.environment == std::vector<std::string>{"A=b c"});
  CHECK(opus.settings.is_sandboxed);
  const engines::CatalogEntry& plain = *config.engines.find("plain");
  CHECK(plain.settings.program == config.programs.at("scripted"));
  CHECK(plain.settings.home == "/home/agents");
  CHECK_FALSE(plain.settings.is_sandboxed);
  const auto settings = steno::engine_settings(config);
  REQUIRE(settings.size() == 8);
  const auto home = std::find_if(settings.begin(), settings.end(), [](const steno::Setting& one) {
    return one.key == "engines.opus-sandbox.home";
  });
  REQUIRE(home != settings.end());
  CHECK(home->value == "/srv/home");
  CHECK(home->where == world.file() + " line 6");
  CHECK(steno::flags_of(config).back() == "--config=" + world.file());
}

TEST_CASE("a table of an engine that is always there says the same as its own keys", "[tools]") {
  World world;
  world.write_file("[engines.claude]\nprogram = \"/opt/claude\"\nsandboxed = true\n");
  const Config config = world.load();
  CHECK(setting(config, "claude_program").value == "/opt/claude");
  CHECK(setting(config, "claude_program").where == world.file() + " line 2");
  CHECK(config.engines.find("claude")->settings.program == std::vector<std::string>{"/opt/claude"});
  CHECK(config.engines.find("claude")->settings.is_sandboxed);
  CHECK_FALSE(config.engines.find("scripted")->settings.is_sandboxed);
  world.input.flags["claude_program"] = "/flag/claude";
  CHECK(world.load().engines.find("claude")->settings.program ==
        std::vector<std::string>{"/flag/claude"});
  world.input.flags.clear();
  world.write_file("claude_program = \"a\"\n[engines.claude]\nprogram = \"b\"\n");
  const base::Error both = world.refusal();
  CHECK(contains(both.text, "claude_program and [engines.claude] program are one setting"));
  CHECK(contains(both.where, world.file() + " line "));
}

TEST_CASE("a mistake in a table is refused with its place, its key and what is accepted",
          "[tools]") {
  struct Case {
    const char* text;
    const char* says;
    int line;
  };
  const auto wrong = GENERATE(
      Case{"[engines.x]\n", "[engines.x] has no kind; accepted: claude or scripted", 1},
      Case{"[engines.x]\nkind = \"gpt\"\n",
           "[engines.x] kind = 'gpt' is not accepted; accepted: claude or scripted", 2},
      Case{"[engines.claude]\nkind = \"scripted\"\n", "accepted: claude", 2},
      Case{"[engines.x]\nkind = \"claude\"\nprogam = \"a\"\n",
           "unknown key 'progam' in [engines.x]; did you mean program?", 3},
      Case{"[engines.x]\nkind = 5\n", "[engines.x] kind is of the wrong kind", 2},
      Case{"[engines.x]\nkind = \"claude\"\nhome = \"relative\"\n", "an absolute path", 3},
      Case{"[engines.x]\nkind = \"claude\"\npass = [\"A-B\"]\n", "names of variables", 3},
      Case{"[engines.x]\nkind = \"claude\"\nenvironment = [\"A\"]\n", "NAME=value", 3},
      Case{"[engines.x]\nkind = \"claude\"\nsandboxed = \"yes\"\n", "true or false", 3},
      Case{"[engines.x.y]\nkind = \"claude\"\n", "unknown key 'y' in [engines.x]", 1},
      Case{"[engines.\"A b\"]\nkind = \"claude\"\n", "1 to 64 of a-z 0-9 _ -", 1},
      Case{"[engines]\nx = \"claude\"\n", "accepted are tables [engines.NAME]", 2},
      Case{"engines = 3\n", "accepted are tables [engines.NAME]", 1},
      Case{"[engine.x]\nkind = \"claude\"\n", "unknown table [engine]", 1},
      Case{"[engines.x]\nkind = \"claude\"\n[engines.x]\nkind = \"claude\"\n", "not TOML", 3});
  World world;
  world.write_file(wrong.text);
  const base::Error error = world.refusal();
  INFO(wrong.text << " → " << base::describe(error));
  CHECK(error.code == ErrorCode::invalid);
  CHECK(contains(error.text, wrong.says));
  CHECK(error.where == world.file() + " line " + std::to_string(wrong.line));
}

TEST_CASE("an unknown engine is refused with all that there are", "[tools]") {
  World world;
  world.write_file("[engines.box]\nkind = \"claude\"\n");
  world.input.flags["engine"] = "bix";
  CHECK(contains(world.refusal().text, "accepted: claude, scripted or box"));
}

std::string text_of_page(const std::string& name) {
  std::ifstream file(std::string(STENO_SOURCE_DIR) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("the pages name every key, also those of tables", "[tools]") {
  const std::string readme = text_of_page("docs/configuration.md");
  for (const steno::ConfigKey& key : steno::config_keys()) {
    INFO(key.name);
    CHECK(contains(readme, "`" + std::string(key.name) + "`"));
  }
  const std::string engines = text_of_page("docs/engines.md");
  for (const steno::ConfigKey& key : steno::engine_keys()) {
    INFO(key.name);
    CHECK(contains(engines, "`" + std::string(key.name.substr(key.name.rfind('.') + 1)) + "`"));
  }
  const std::string hooks = text_of_page("docs/hooks.md");
  for (const steno::ConfigKey& key : steno::hook_keys()) {
    INFO(key.name);
    CHECK(contains(hooks, "`" + std::string(key.name.substr(key.name.rfind('.') + 1)) + "`"));
  }
  const std::string conversations = text_of_page("docs/conversations.md");
  for (const steno::ConfigKey& key : steno::conversation_keys()) {
    const std::string name(key.name.substr(key.name.rfind('.') + 1));
    INFO(key.name);
    CHECK((name == "*" || contains(conversations, "`" + name + "`")));
  }
}

TEST_CASE("the table of conversations says what holds for them", "[tools][R121]") {
  World world;
  world.write_file(
      "[conversations]\nagents = [\"main\", \"work\"]\ndm_scope = \"per-peer\"\n"
      "[conversations.lanes]\nmain = 9\n"
      "[conversations.queue]\ncap = 5\n[conversations.queue.telegram]\nmode = \"steer\"\n"
      "[conversations.reset.thread]\nmode = \"idle\"\nidle_minutes = 30\n"
      "[[conversations.send.rules]]\naction = \"deny\"\nchat_type = \"group\"\n"
      "[[conversations.bindings]]\nagent = \"work\"\nchannel = \"slack\"\npeer = \"7\"\n"
      "peer_kind = \"group\"\n[conversations.identity_links]\nada = [\"telegram:1\"]\n");
  const steno::Config config = world.load();
  REQUIRE_FALSE(config.tables_fault);
  const domain::ConversationPolicy& policy = config.conversations.policy;
  CHECK(policy.lanes == domain::LaneLimits{9, 8, 1});
  CHECK(policy.queue.cap == 5);
  CHECK(policy.queue_by_channel.at("telegram").mode == domain::QueueMode::steer);
  CHECK(policy.resets.thread.mode == domain::ResetMode::idle);
  CHECK(policy.resets.thread.idle_minutes == 30);
  REQUIRE(policy.send.rules.size() == 1);
  CHECK(policy.send.rules.front().chat_type == domain::ChatType::group);
  const domain::RoutingSettings& routing = config.conversations.routing;
  CHECK(domain::default_agent(routing.agents) == "main");
  CHECK(routing.dm_scope == domain::DmScope::per_peer);
  REQUIRE(routing.bindings.size() == 1);
  CHECK(routing.bindings.front().peer == domain::Peer{domain::ChatType::group, "7"});
  CHECK(routing.identity_links.front().name == "ada");
  CHECK(config.conversations.said.size() == 14);
}

TEST_CASE("a mistake in the table of conversations is told with its line", "[tools][bad-input]") {
  struct Case {
    const char* text;
    const char* says;
    int line;
  };
  const auto wrong = GENERATE(
      Case{"conversations = 3\n", "accepted is a table [conversations]", 1},
      Case{"[conversations.queue.x]\nmod = \"steer\"\n", "did you mean mode?", 2},
      Case{"[conversations.queue]\nmode = \"often\"\n", "steer, followup", 2},
      Case{"[conversations.queue]\ndebounce = \"2d\"\n", "from 0s to 24h", 2},
      Case{"[conversations.lanes]\nmain = 0\n", "1 to 1000", 2},
      Case{"[conversations.lane]\nmain = 1\n", "unknown table [conversations.lane]", 1},
      Case{"[conversations.send]\nrules = 3\n", "[[conversations.send.rules]]", 2},
      Case{"[[conversations.send.rules]]\nchannel = \"x\"\n", "needs an action", 1},
      Case{"[[conversations.bindings]]\nagent = \"x\"\n", "an agent and a channel", 1},
      Case{"[[conversations.bindings]]\nagent = \"x\"\nchannel = \"y\"\npeer_kind = \"dm\"\n",
           "a peer_kind and no peer", 1},
      Case{"[conversations.identity_links]\nada = 3\n", "wrong kind", 2});
  World world;
  world.write_file(wrong.text);
  const steno::Config config = world.load();
  REQUIRE(config.tables_fault);
  INFO(wrong.text << " → " << base::describe(*config.tables_fault));
  CHECK(config.tables_fault->code == ErrorCode::invalid);
  CHECK(contains(config.tables_fault->text, wrong.says));
  CHECK(config.tables_fault->where == world.file() + " line " + std::to_string(wrong.line));
}

TEST_CASE("sockets lie in the run folder, unless their paths would be too long", "[tools]") {
  World world;
  world.input.flags["run_folder"] = "/r";
  const auto endpoints = steno::endpoints_of(world.load());
  REQUIRE(endpoints);
  CHECK(endpoints->command == "ipc:///r/command.sock");
  CHECK(endpoints->worker == "ipc:///r/worker.sock");
  CHECK(endpoints->feed == "ipc:///r/feed.sock");
  world.input.flags["run_folder"] = "/" + std::string(93, 'r');  // /command.sock makes it 107 bytes
  CHECK(steno::endpoints_of(world.load()));
  world.input.flags["run_folder"] = "/" + std::string(94, 'r');
  const auto refused = steno::endpoints_of(world.load());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::too_large);
  CHECK(contains(refused.error().text, "run_folder"));
}

}  // namespace
