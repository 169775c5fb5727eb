// Checks what can be checked before the server is asked.
#include "workers/operations/opening.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/session/session_name.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "workers/json/event_json.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/text_bounds.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/protocol/status.hpp"
#include "workers/text/composed_text.hpp"

namespace workers {

// The sessions that wait for a prompt.
struct IdleSessions {
  bool gives_place = false;  // one of a conversation, which does so for a new session
  std::optional<projections::SessionRow> longest;  // idle; none: all are at work
};

namespace {

// An agent process exits within milliseconds, and nobody waits for it for long.
constexpr base::Duration kLeaseLookEvery = std::chrono::milliseconds(50);
// An agent that is to give up its place is given some seconds to end.
constexpr base::Duration kPlaceWait = std::chrono::seconds(10);
constexpr base::Duration kPlaceLookEvery = std::chrono::milliseconds(100);

// Returns the old session's mode, except bypassPermissions: asking is given up only if somebody
// says so for this session.
domain::PermissionMode mode_to_resume(const SpecDefaults& defaults, domain::PermissionMode before) {
  const bool is_taken_over = before != domain::PermissionMode::bypass_permissions;
  return is_taken_over ? before : defaults.spec.permission_mode;
}

// The server takes over what is not said from the session itself. Answers show these, and a grant
// is compared with them.
domain::SessionSpec spec_to_resume(const SpecDefaults& defaults,
                                   const projections::SessionRow& row) {
  domain::SessionSpec spec;
  spec.engine = row.engine;
  spec.workdir = row.workdir;
  spec.model = row.model;
  spec.permission_mode = mode_to_resume(defaults, row.permission_mode);
  spec.budget = row.budget;
  spec.background = row.background;
  return spec;
}

// Adds to what is said each setting that a grant or a rule has changed.
void say_changes(const domain::SessionSpec& before, domain::Spawn& spawn) {
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    const bool is_said =
        std::find(spawn.said.begin(), spawn.said.end(), setting.key) != spawn.said.end();
    if (is_said || domain::has_same_setting(setting, before, spawn.spec)) continue;
    spawn.said.emplace_back(setting.key);
  }
}

bool has_found_no_place(const Refusal& refusal) {
  return refusal.code == base::enum_name(domain::RejectionCode::session_limit);
}

Task<IdleSessions> idle_sessions(const Caller& caller) {
  QueryBody query;
  query.statuses = {domain::SessionStatus::running};
  const auto page = co_await caller.server.ask<ListAnswer>(kVerbList, query);
  IdleSessions idle;
  if (!page) co_return idle;
  for (const projections::SessionRow& row : page->sessions) {
    if (!row.is_waiting_for_input || row.is_parked || row.tasks > 0) continue;
    idle.gives_place |= !row.descriptor.conversation.empty();
    if (!idle.longest || row.updated_at < idle.longest->updated_at) idle.longest = row;
  }
  co_return idle;
}

Refusal with_idle_session(const Caller& caller, Refusal refusal, const IdleSessions& sessions) {
  if (!sessions.longest) return refusal;
  const projections::SessionRow& idle = *sessions.longest;
  const base::Duration waited = caller.server.clock().wall() - idle.updated_at;
  refusal.text += "; session " + idle.name + " waits for a prompt since " +
                  base::duration_text(waited) + ": steno close " + idle.alias +
                  (idle.agent == caller.agent ? "" : " --agent " + idle.agent) + " ends it";
  return refusal;
}

bool is_busy(const Outcome<Spawned>& spawned) {
  return !spawned && spawned.error().error == OperationError::busy;
}

// True if a lease ends in one of these events.
Outcome<bool> ends_lease(const std::vector<bus::FeedEvent>& events) {
  for (const bus::FeedEvent& event : events) {
    const auto seen = see(event);
    if (!seen) return refuse(seen.error());
    const domain::Event& what = seen->recorded.event;
    if (what.is<domain::LeaseReleased>() || what.is<domain::LeaseExpired>()) return true;
  }
  return false;
}

}  // namespace

void settle_fallback(const SpecDefaults& defaults, domain::SessionSpec& spec) {
  const bool is_named = defaults.is_fallback_named;
  if (!is_named && spec.fallback_model == spec.model) spec.fallback_model.reset();
}

Outcome<bool> check_prompt(const std::string& prompt, bool has_files) {
  if (has_files && prompt.empty()) return true;
  if (auto fault = domain::prompt_fault(prompt))
    return refuse(OperationError::usage, *std::move(fault));
  if (static_cast<std::int64_t>(prompt.size()) <= domain::kContentBytesMax) return true;
  return refuse(OperationError::refused,
                "the prompt is over " + std::to_string(domain::kContentBytesMax) +
                    " bytes, the most that is accepted; name a file instead");
}

Outcome<bool> check_mcp_config(const domain::SessionSpec& spec) {
  const std::string& path = spec.mcp_config;
  if (path.empty()) return true;
  std::error_code failed;
  if (std::filesystem::is_regular_file(path, failed) && ::access(path.c_str(), R_OK) == 0) {
    return true;
  }
  return refuse(OperationError::usage, "mcp_config is " + shown(path) +
                                           ", which is no file that can be read; name one with "
                                           "{\"mcpServers\": {…}}, by its absolute path");
}

Outcome<bool> check_workdir(const std::string& workdir, std::string_view parameter) {
  std::error_code ignored;
  if (workdir.empty()) {
    return refuse(
        OperationError::not_found,
        "the folder that steno was started in is not there any more; go to another one, or "
        "name one with " +
            std::string(parameter));
  }
  if (std::filesystem::is_directory(workdir, ignored)) return true;
  const bool is_file = std::filesystem::exists(workdir, ignored);
  return refuse(OperationError::not_found,
                "the working folder " + workdir +
                    (is_file ? " is a file; name a folder with "
                             : " is not there; make it, or name another one with ") +
                    std::string(parameter));
}

std::string channel_to_name(const SpecDefaults& defaults, const std::string& workdir) {
  if (!defaults.names_channel) return {};
  return defaults.channel.empty() ? defaults.channel_rules.channel_of(workdir) : defaults.channel;
}

Task<Outcome<std::string>> unheard_text(const Caller& caller, const std::string& channel) {
  const QueryBody nothing;
  const auto status = co_await caller.server.ask<StatusAnswer>(kVerbStatus, nothing);
  if (!status) co_return tl::unexpected(status.error());
  const std::string_view name = base::enum_name(domain::NotificationTarget::channel);
  if (std::find(status->sinks.begin(), status->sinks.end(), name) != status->sinks.end()) {
    co_return std::string();
  }
  co_return "nobody will hear in " + channel +
      ": the server has no program that sends to channels; set notify_command, and start the "
      "server again";
}

Task<Outcome<bool>> describe_as_child(const Caller& caller, domain::Descriptor& descriptor) {
  using domain::DescriptorKind;
  const auto own = co_await own_session(caller);
  if (!own) co_return tl::unexpected(own.error());
  if (!*own || (*own)->session.agent != caller.agent) co_return false;
  const projections::SessionRow& row = (*own)->session;
  const bool is_subagent = row.descriptor.kind == DescriptorKind::subagent;
  if (!domain::is_live(row.status) || is_subagent) co_return false;
  descriptor.kind = DescriptorKind::subagent;
  descriptor.parent = row.session;
  co_return true;
}

Task<Outcome<Spawned>> send_spawn(const Caller& caller, const domain::Spawn& wanted) {
  Spawned spawned;
  spawned.command = command_id(caller);
  spawned.session = base::SessionId{spawned.command.bytes};
  domain::Spawn spawn = wanted;
  spawn.name = composed_text(wanted.name);
  spawn.caller = session_of(caller);
  const domain::Command command = std::move(spawn);
  base::Clock& clock = caller.server.clock();
  const base::Duration until = clock.boot() + kPlaceWait;
  for (bool is_first = true;; is_first = false) {
    auto reply =
        co_await send_command(caller, spawned.command, spawned.session, caller.agent, command);
    if (reply) {
      spawned.reply = std::move(*reply);
      co_return spawned;
    }
    if (!has_found_no_place(reply.error())) co_return tl::unexpected(reply.error());
    const auto idle = co_await idle_sessions(caller);
    // By now the place can be free.
    const bool can_be_free = is_first || idle.gives_place;
    if (!can_be_free || clock.boot() > until) {
      co_return tl::unexpected(with_idle_session(caller, reply.error(), idle));
    }
    if (!idle.gives_place) continue;
    auto pause = caller.server.after(kPlaceLookEvery);
    co_await pause;
  }
}

Task<Outcome<Spawned>> send_resume(const Caller& caller, const domain::Spawn& wanted,
                                   const ShowAnswer& shown) {
  domain::Spawn spawn = wanted;
  if (spawn.takes_over) say_changes(spec_to_resume(caller.defaults, shown.session), spawn);
  base::Clock& clock = caller.server.clock();
  const base::Duration until = clock.boot() + caller.server.timeout();
  auto spawned = co_await send_spawn(caller, spawn);
  bus::ReadRequest read;
  read.level = agent_level(shown.session.agent);
  read.after = shown.position;
  while (is_busy(spawned) && clock.boot() < until) {
    const auto page = co_await caller.server.ask<bus::LogPage>(bus::kReadVerb, read);
    if (!page) co_return tl::unexpected(page.error());
    read.after = page->complete_through;
    const auto has_ended = ends_lease(page->events);
    if (!has_ended) co_return tl::unexpected(has_ended.error());
    if (*has_ended) {
      spawned = co_await send_spawn(caller, spawn);
    } else if (page->complete_through >= page->head) {
      auto pause = caller.server.after(kLeaseLookEvery);
      co_await pause;
    }
  }
  co_return spawned;
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

domain::Spawn to_resume(const SpecDefaults& defaults, const ResumeRequest& wanted,
                        const ShowAnswer& shown) {
  const projections::SessionRow& row = shown.session;
  domain::Spawn spawn;
  spawn.name = wanted.name;
  // A name that was made is text, which only the row has.
  if (!wanted.is_fork && row.made_name.value != 0 && !domain::name_fault(row.name)) {
    spawn.name_like = row.name;
  }
  spawn.prompt = wanted.prompt;
  spawn.resume = row.session;
  spawn.is_fork = wanted.is_fork;
  spawn.takes_over = true;
  spawn.spec = spec_to_resume(defaults, row);
  spawn.spec.is_multi_turn = row.is_multi_turn || wanted.is_multi_turn;
  spawn.system_prompt = wanted.system_prompt.empty() ? shown.system_prompt : wanted.system_prompt;
  // The server takes over those of the old session if these are empty.
  spawn.spec.allowed_tools = wanted.allowed_tools;
  spawn.spec.max_turns = wanted.max_turns;
  return spawn;
}

}  // namespace workers
