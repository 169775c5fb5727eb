// Reads the environment, which the worker and its agents inherit.
#include "tools/steno/serve/server_facts.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tools/steno/config/command_words.hpp"
#include "tools/steno/config/find_program.hpp"

namespace steno {
namespace {

// With one of these an agent reaches its model without a login.
constexpr std::array<const char*, 6> kKeyNames = {
    "ANTHROPIC_API_KEY",       "ANTHROPIC_AUTH_TOKEN",   "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"};

constexpr base::Duration kLookEvery = std::chrono::seconds(1);

constexpr std::array<std::string_view, 6> kToldSettings = {
    "keeper_program",  "agent_home", "agent_environment",
    "agent_sandboxed", "model",      "permission_mode"};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::string user_name() {
  std::array<char, 4096> texts{};
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(::geteuid(), &entry, texts.data(), texts.size(), &found);
  return found != nullptr ? found->pw_name : "uid " + std::to_string(::geteuid());
}

// Claude Code keeps its login there.
bool has_login(const std::string& home) {
  const std::string named = variable("CLAUDE_CONFIG_DIR");
  const std::string folder = named.empty() ? home + "/.claude" : named;
  return ::access((folder + "/.credentials.json").c_str(), R_OK) == 0;
}

// Sets what can change while the server runs.
void look_again(const Config& config, workers::ServerFacts& facts) {
  facts.has_login = has_login(facts.agent_home);
  facts.engines.clear();
  for (const engines::CatalogEntry& engine : config.engines.entries()) {
    const std::vector<std::string>& words = engine.settings.program;
    if (words.empty()) continue;
    facts.engines.push_back(
        {engine.name, join_words(words), find_program(words.front(), facts.search_path)});
  }
}

}  // namespace

workers::ServerFacts server_facts(const Config& config) {
  workers::ServerFacts facts;
  facts.pid = ::getpid();
  facts.since = base::SystemClock().wall();
  facts.user = user_name();
  facts.data_folder = config.data_folder;
  facts.run_folder = config.run_folder;
  if (config.has_config_file) facts.config_file = config.config_file;
  facts.program_folder = config.program_folder;
  facts.search_path = variable("PATH");
  facts.agent_home = config.agent_home.empty() ? variable("HOME") : config.agent_home;
  facts.engine = config.session.engine;
  for (const char* name : kKeyNames) {
    if (!variable(name).empty()) facts.keys.emplace_back(name);
  }
  look_again(config, facts);
  for (const Setting& setting : config.settings) {
    const bool is_told =
        std::find(kToldSettings.begin(), kToldSettings.end(), setting.key) != kToldSettings.end();
    if (!is_told || setting.source == SettingSource::builtin) continue;
    facts.settings.push_back(setting.key + "=" + setting.value);
  }
  for (const Setting& setting : engine_settings(config)) {
    facts.settings.push_back(setting.key + "=" + setting.value);
  }
  for (const Setting& setting : config.conversations.said) {
    facts.settings.push_back(setting.key + "=" + setting.value);
  }
  return facts;
}

std::function<workers::ServerFacts()> kept_facts(const Config& config) {
  return [&config, facts = server_facts(config), looked_at = base::SystemClock().boot()]() mutable {
    const base::Duration now = base::SystemClock().boot();
    if (now - looked_at >= kLookEvery) {
      looked_at = now;
      look_again(config, facts);
    }
    return facts;
  };
}

}  // namespace steno
