// The server's settings about sinks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/result.hpp"
#include "eventlog/domain/decision.hpp"
#include "workers/engines/engine_catalog.hpp"
#include "workers/hooks/hook_step.hpp"

namespace workers {

struct WebhookOptions {
  std::string url;        // http or https
  std::string secret;     // the key of the signature; empty: requests are not signed
  std::string program{};  // path of steno-webhook, which makes the requests
};

struct WakeOptions {
  std::string url;        // http or https
  std::string token;      // that OpenClaw's hooks ask for; empty: none
  std::string program{};  // as above
};

// A command is a program and its arguments, as parse_template() takes them; empty: no such sink.
struct SinkOptions {
  std::vector<std::string> channel_command;
  std::vector<std::string> system_command;
  std::vector<std::string> desktop_command;
  std::optional<WebhookOptions> webhook;
  std::optional<WakeOptions> wake;
  // Path of steno-keeper, which ends a program with this process; empty: programs go on.
  std::string guard_program;
  // Those that are asked before a notification goes out, and told of the ends of sessions.
  const HookTable* hooks = &no_hooks();  // outlives the sinks
  HookPrograms hook_programs{};
  engines::EngineCatalog engines = engines::catalog_of_kinds();  // whose agents are named
};

// Returns the targets for which there is a sink; for `parent` there always is.
std::array<bool, domain::kNotificationTargets> targets_of(const SinkOptions& options);

// The commands that are used where a setting names none of its own.
std::vector<std::string> builtin_channel_command();
std::vector<std::string> builtin_system_command();
std::vector<std::string> builtin_desktop_command();

// Reads a webhook's file: a line with the URL, and perhaps one with the secret. Errors name the
// line and what is accepted, and hold nothing that the file does; refused: others can read the
// file.
base::Result<WebhookOptions> read_webhook_file(const std::string& path);
// The same for the file of the sink that wakes: a line with the URL, and perhaps one with the
// token.
base::Result<WakeOptions> read_wake_file(const std::string& path);

}  // namespace workers
