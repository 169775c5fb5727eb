// Checks what can be checked before the server is asked.
#include "tools/steno/operations/opening.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/session/session_name.hpp"
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/event_json.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/protocol/status.hpp"
#include "workers/text/composed_text.hpp"

namespace steno {
namespace {

// Returns the old session's mode, except bypassPermissions: asking is given up only if the
// configuration or a flag of this session says so.
domain::PermissionMode mode_to_resume(const Config& config, bool is_told,
                                      domain::PermissionMode before) {
  const bool is_taken_over = before != domain::PermissionMode::bypass_permissions;
  return !is_told && is_taken_over ? before : config.permission_mode;
}

// Names the session that has waited longest for a prompt where there are too many: it makes room at
// no loss.
tl::unexpected<Failure> with_idle_session(Connection& connection, Failure failure) {
  if (failure.code != base::enum_name(domain::RejectionCode::session_limit)) {
    return tl::unexpected(std::move(failure));
  }
  workers::QueryBody query;
  query.statuses = {domain::SessionStatus::running};
  const auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
  if (!page) return tl::unexpected(std::move(failure));
  const projections::SessionRow* idle = nullptr;
  for (const projections::SessionRow& row : page->sessions) {
    if (!row.is_waiting_for_input || row.is_parked || row.tasks > 0) continue;
    if (idle == nullptr || row.updated_at < idle->updated_at) idle = &row;
  }
  if (idle != nullptr) {
    const std::string& own = connection.config().agent;
    failure.text += "; session " + idle->name + " waits for a prompt since " +
                    duration_text(connection.clock().wall() - idle->updated_at) + ": steno close " +
                    idle->alias + (idle->agent == own ? "" : " --agent " + idle->agent) +
                    " ends it";
  }
  return tl::unexpected(std::move(failure));
}

}  // namespace

base::SessionId calling_session() {
  const char* self = std::getenv("STENO_SESSION");
  return self == nullptr ? base::SessionId{}
                         : base::SessionId::parse(self).value_or(base::SessionId{});
}

Outcome<std::optional<workers::ShowAnswer>> own_session(Connection& connection) {
  const base::SessionId self = calling_session();
  if (!self.is_set()) return std::nullopt;
  workers::QueryBody query;
  query.agent = connection.config().agent;
  query.reference = self.text();
  auto shown = connection.ask<workers::ShowAnswer>(workers::kVerbShow, query);
  if (shown) return std::move(*shown);
  if (shown.error().exit_code != kExitNotFound) return tl::unexpected(shown.error());
  // It can be of another agent than the one that this process names. The newest come first.
  workers::QueryBody all;
  for (bool has_more = true; has_more;) {
    const auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, all);
    if (!page) return tl::unexpected(page.error());
    for (const projections::SessionRow& row : page->sessions) {
      if (row.session != self) continue;
      query.agent = row.agent;
      shown = connection.ask<workers::ShowAnswer>(workers::kVerbShow, query);
      if (!shown) return tl::unexpected(shown.error());
      return std::move(*shown);
    }
    all.before = page->before;
    has_more = page->has_more;
  }
  return std::nullopt;
}

domain::SessionSpec spec_of(const Config& config) {
  domain::SessionSpec spec;
  spec.engine = config.engine;
  spec.workdir = config.workdir;
  spec.model = config.model;
  spec.permission_mode = config.permission_mode;
  spec.background = config.background;
  spec.budget = config.budget;
  spec.idle_timeout = said(config.idle_timeout);
  spec.run_timeout = said(config.run_timeout);
  spec.repeated_calls_max = said(config.repeated_calls_max);
  spec.remind_after = said(config.remind_after);
  spec.use_limits = config.use_limits;
  spec.fallback_model = config.fallback_model;
  spec.restart_policy = config.restart_policy;
  spec.setting_sources = config.setting_sources;
  spec.hooks_must_answer = config.hooks_must_answer;
  spec.mcp_must_connect = config.mcp_must_connect;
  settle_fallback(config, spec);
  return spec;
}

void settle_fallback(const Config& config, domain::SessionSpec& spec) {
  const bool is_named = is_flag(config, "fallback_model");
  if (!is_named && spec.fallback_model == spec.model) spec.fallback_model.reset();
}

base::Time start_before(Connection& connection) {
  const base::Duration within = connection.config().start_within;
  return within.count() > 0 ? connection.clock().wall() + within : base::Time{};
}

base::Time start_before_flag(Connection& connection) {
  return is_flag(connection.config(), "start_within") ? start_before(connection) : base::Time{};
}

Outcome<bool> check_prompt(const std::string& prompt) {
  if (auto fault = domain::prompt_fault(prompt)) return fail(kExitUsage, *std::move(fault));
  if (static_cast<std::int64_t>(prompt.size()) <= domain::kContentBytesMax) return true;
  return fail(kExitRefused, "the prompt is over " + std::to_string(domain::kContentBytesMax) +
                                " bytes, the most that is accepted; name a file instead");
}

Outcome<bool> check_workdir(const std::string& workdir, std::string_view parameter) {
  std::error_code ignored;
  if (workdir.empty()) {
    return fail(kExitNotFound,
                "the folder that steno was started in is not there any more; go to another one, or "
                "name one with " +
                    std::string(parameter));
  }
  if (std::filesystem::is_directory(workdir, ignored)) return true;
  const bool is_file = std::filesystem::exists(workdir, ignored);
  return fail(kExitNotFound, "the working folder " + workdir +
                                 (is_file ? " is a file; name a folder with "
                                          : " is not there; make it, or name another one with ") +
                                 std::string(parameter));
}

std::string channel_to_name(const Config& config, const std::string& workdir) {
  if (is_flag(config, "channel") || !calling_session().is_set()) return channel_of(config, workdir);
  return {};
}

Outcome<std::string> unheard_text(Connection& connection, const std::string& channel) {
  const auto status =
      connection.ask<workers::StatusAnswer>(workers::kVerbStatus, workers::QueryBody{});
  if (!status) return tl::unexpected(status.error());
  const std::string_view name = base::enum_name(domain::NotificationTarget::channel);
  if (std::find(status->sinks.begin(), status->sinks.end(), name) != status->sinks.end()) {
    return std::string();
  }
  return "nobody will hear in " + channel +
         ": the server has no program that sends to channels; set notify_command, and start the "
         "server again";
}

Outcome<bool> describe_as_child(Connection& connection, domain::Descriptor& descriptor) {
  using domain::DescriptorKind;
  const auto own = own_session(connection);
  if (!own) return tl::unexpected(own.error());
  if (!*own || (*own)->session.agent != connection.config().agent) return true;
  const projections::SessionRow& row = (*own)->session;
  if (!domain::is_live(row.status) || row.descriptor.kind == DescriptorKind::subagent) return true;
  descriptor.kind = DescriptorKind::subagent;
  descriptor.parent = row.session;
  return true;
}

Outcome<Spawned> send_spawn(Connection& connection, const domain::Spawn& wanted) {
  const base::CommandId id = connection.fresh_command_id();
  Spawned spawned{base::SessionId{id.bytes}, id, {}};
  domain::Spawn spawn = wanted;
  spawn.name = workers::composed_text(wanted.name);
  spawn.caller = calling_session();
  auto reply =
      connection.command(spawned.command, spawned.session, connection.config().agent, spawn);
  if (!reply) return with_idle_session(connection, reply.error());
  spawned.reply = std::move(*reply);
  return spawned;
}

Outcome<Spawned> send_resume(Connection& connection, const domain::Spawn& spawn,
                             const workers::ShowAnswer& shown) {
  auto spawned = send_spawn(connection, spawn);
  if (spawned || spawned.error().exit_code != kExitBusy) return spawned;
  auto follower =
      Follower::open(connection, workers::agent_level(shown.session.agent), shown.position);
  if (!follower) return tl::unexpected(follower.error());
  WaitFor wanted;
  wanted.until = connection.clock().boot() + connection.config().timeout;
  while (true) {
    const auto wake = (*follower)->wait(wanted);
    if (!wake) return tl::unexpected(wake.error());
    if (*wake != Wake::event) return spawned;
    const auto seen = workers::see((*follower)->event());
    if (!seen) return fail(seen.error());
    const domain::Event& event = seen->recorded.event;
    if (std::holds_alternative<domain::LeaseReleased>(event) ||
        std::holds_alternative<domain::LeaseExpired>(event)) {
      spawned = send_spawn(connection, spawn);
      if (spawned || spawned.error().exit_code != kExitBusy) return spawned;
    }
  }
}

std::string resumed_place_text(const projections::SessionRow& old, const Spawned& spawned) {
  switch (spawned.reply.resumed_at) {
    case domain::ResumedAt::end:
      return {};
    case domain::ResumedAt::message:
      return "the agent's session has gone on since " + old.alias +
             " ended; this one goes on where " + old.alias + " ended, with a copy of it";
    case domain::ResumedAt::latest:
      return "the agent's session has gone on since " + old.alias + " ended, and where " +
             old.alias + " ended in it is not known; this one goes on at its newest end";
    case domain::ResumedAt::record:
      return "the agent has lost its transcript of " + old.alias +
             "; a new agent is told what the record holds";
  }
  return {};
}

domain::Spawn to_resume(const Config& config, const ResumeRequest& wanted,
                        const workers::ShowAnswer& shown) {
  const projections::SessionRow& row = shown.session;
  const auto is_told = [&](std::string_view key) {
    return wanted.takes_flags && is_flag(config, key);
  };
  domain::Spawn spawn;
  spawn.name = wanted.name;
  // A name that was made is text, which only the row has.
  if (!wanted.is_fork && row.made_name.value != 0 && !domain::name_fault(row.name)) {
    spawn.name_like = row.name;
  }
  spawn.prompt = wanted.prompt;
  spawn.resume = row.session;
  spawn.is_fork = wanted.is_fork;
  spawn.spec.engine = is_told("engine") ? config.engine : row.engine;
  spawn.spec.workdir = is_told("workdir") ? config.workdir : row.workdir;
  spawn.spec.model = is_told("model") ? config.model : row.model;
  spawn.spec.permission_mode =
      mode_to_resume(config, is_told("permission_mode"), row.permission_mode);
  spawn.spec.budget = is_told("budget_usd") ? config.budget : row.budget;
  spawn.spec.background = is_told("background") ? config.background : row.background;
  if (is_told("idle_timeout")) spawn.spec.idle_timeout = said(config.idle_timeout);
  if (is_told("run_timeout")) spawn.spec.run_timeout = said(config.run_timeout);
  if (is_told("repeated_calls_max")) {
    spawn.spec.repeated_calls_max = said(config.repeated_calls_max);
  }
  if (is_told("fallback_model")) spawn.spec.fallback_model = config.fallback_model;
  if (is_told("restart_policy")) spawn.spec.restart_policy = config.restart_policy;
  if (is_told("setting_sources")) spawn.spec.setting_sources = config.setting_sources;
  if (is_told("hooks_must_answer")) spawn.spec.hooks_must_answer = config.hooks_must_answer;
  if (is_told("mcp_must_connect")) spawn.spec.mcp_must_connect = config.mcp_must_connect;
  if (is_told("remind_after")) spawn.spec.remind_after = said(config.remind_after);
  // Without one of its own it goes where those of the old session went.
  if (is_told("channel")) spawn.origin_channel = config.channel;
  spawn.spec.is_multi_turn = row.is_multi_turn || wanted.is_multi_turn;
  spawn.system_prompt = wanted.system_prompt.empty() ? shown.system_prompt : wanted.system_prompt;
  domain::UseLimits use = spawn.spec.use_limits;
  if (is_told("max_tokens")) use.max_tokens = said(config.use_limits.max_tokens);
  if (is_told("max_tool_calls")) use.max_tool_calls = said(config.use_limits.max_tool_calls);
  if (is_told("max_output_bytes")) use.max_output_bytes = said(config.use_limits.max_output_bytes);
  spawn.spec.use_limits = use;
  // The server takes over those of the old session if these are empty.
  spawn.spec.allowed_tools = wanted.allowed_tools;
  spawn.spec.max_turns = wanted.max_turns;
  return spawn;
}

bool may_be_foreign(const std::string& reference, const Failure& failure) {
  return failure.exit_code == kExitNotFound && base::SessionId::parse(reference);
}

}  // namespace steno
