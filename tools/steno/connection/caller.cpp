// Reads settings and the variable that an agent's processes have.
#include "tools/steno/connection/caller.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "eventlog/domain/decision.hpp"
#include "tools/steno/text/failure.hpp"
#include "workers/operations/opening.hpp"

namespace steno {
namespace {

// Returns the name of the user whom the process runs as, which works without a terminal, too.
std::string actor() {
  std::array<char, 4096> texts{};
  passwd entry{};
  passwd* found = nullptr;
  const uid_t uid = ::getuid();
  ::getpwuid_r(uid, &entry, texts.data(), texts.size(), &found);
  return found != nullptr && *found->pw_name != '\0' ? std::string(found->pw_name)
                                                     : "uid " + std::to_string(uid);
}

// Returns the session whose agent runs this process; empty: none does.
std::string own_session() {
  const char* self = std::getenv("STENO_SESSION");
  return self == nullptr ? std::string() : self;
}

workers::GrantSettings grant_of(const Config& config) {
  return {config.mcp_permission_max, config.session.budget, config.mcp_tools,
          config.mcp_workdirs,       config.session,        config.mcp_approvals};
}

// Returns the grant by the settings that nobody said who can have been a model: those of the file,
// not of this process's own flags and variables.
workers::Outcome<workers::GrantSettings> grant_of_file(const Config& config) {
  const auto is_bound = [](std::string_view key) {
    return key.starts_with("mcp_") || key == "budget_usd";
  };
  // The home alone says which file that is.
  std::map<std::string, std::string> flags;
  if (is_flag(config, "home")) flags["home"] = config.home;
  ConfigInput input = process_input(std::move(flags));
  for (const ConfigKey& key : config_keys()) {
    if (is_bound(key.name)) input.environment.erase(environment_name(key.name));
  }
  const auto loaded = load_config(input);
  if (!loaded) return workers::refuse(loaded.error());
  return grant_of(*loaded);
}

}  // namespace

bool runs_in_session() {
  return base::SessionId::parse(own_session()).value_or(base::SessionId{}).is_set();
}

workers::SpecDefaults spec_defaults(const Config& config) {
  workers::SpecDefaults defaults;
  defaults.spec = config.session;
  defaults.is_fallback_named = is_flag(config, "fallback_model");
  workers::settle_fallback(defaults, defaults.spec);
  defaults.start_within = config.start_within;
  defaults.channel = config.channel;
  defaults.channel_rules = channel_rules(config);
  // An agent's own process is heard where the agent's session is, unless a flag says otherwise.
  defaults.names_channel = is_flag(config, "channel") || !runs_in_session();
  return defaults;
}

workers::Caller caller_of(const Config& config, workers::AsyncClient& server) {
  workers::Caller caller{server, actor(), config.agent};
  caller.self = own_session();
  caller.is_program = runs_in_session();
  caller.defaults = spec_defaults(config);
  caller.grant = grant_of(config);
  caller.routing = config.conversations.routing;
  caller.grant_in_session = [&config] { return grant_of_file(config); };
  return caller;
}

}  // namespace steno
