// Puts together what is said, what the settings say, and what the caller can give.
#include "workers/operations/launching.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "eventlog/domain/outbox/route.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/text_bounds.hpp"

namespace workers {
namespace {

// Holds what a program launches to its grant, and notes what that changes.
Task<Outcome<bool>> apply_grant(const Caller& caller, const LaunchArguments& said,
                                const projections::SessionRow* resumed, Launched& launched) {
  if (!caller.is_program) co_return true;
  const auto grant = co_await program_grant(caller);
  if (!grant) co_return tl::unexpected(grant.error());
  const SaidForGrant is_said = [&said](std::string_view key) {
    if (key == "permission_mode") return said.permission_mode.has_value();
    if (key == "budget_usd") return said.max_budget.has_value();
    return std::find(said.said.begin(), said.said.end(), key) != said.said.end();
  };
  auto notes = co_await hold_to(*grant, is_said, caller, resumed, launched.wanted.spec);
  if (!notes) co_return tl::unexpected(notes.error());
  launched.notes.insert(launched.notes.end(), notes->begin(), notes->end());
  co_return true;
}

// Sets what the arguments say for a session, new or resumed.
Outcome<bool> apply_said(const Caller& caller, const LaunchArguments& said, domain::Spawn& spawn) {
  if (!said.workdir.empty()) {
    // A folder of the server's machine: the caller's own place says nothing about it.
    if (!std::filesystem::path(said.workdir).is_absolute()) {
      return refuse(OperationError::usage,
                    "workdir takes an absolute path, not " + shown(said.workdir));
    }
    spawn.spec.workdir = said.workdir;
  }
  if (!said.model.empty()) spawn.spec.model = said.model;
  settle_fallback(caller.defaults, spawn.spec);
  for (const std::string& key : said.said) {
    domain::copy_setting(*domain::find_spec_setting(key), said.settings, spawn.spec);
    if (spawn.takes_over) spawn.said.push_back(key);
  }
  if (said.max_budget) spawn.spec.budget = *said.max_budget;
  if (!said.system_prompt.empty()) spawn.system_prompt = said.system_prompt;
  if (!said.allowed_tools.empty()) spawn.spec.allowed_tools = said.allowed_tools;
  if (said.permission_mode) spawn.spec.permission_mode = *said.permission_mode;
  const std::string& channel = said.channel.empty() ? caller.channel : said.channel;
  if (!channel.empty()) {
    if (auto ok = check_channel(channel); !ok) return ok;
    spawn.origin_channel = channel;
  } else if (!spawn.resume.is_set()) {
    spawn.origin_channel = channel_to_name(caller.defaults, spawn.spec.workdir);
  }
  auto files = prompt_files(caller, said.files);
  if (!files) return tl::unexpected(files.error());
  if (said.attached.empty()) {
    spawn.files = std::move(*files);
  } else {
    spawn.files = said.attached;
  }
  if (auto ok = check_prompt(spawn.prompt, !spawn.files.empty()); !ok) return ok;
  if (auto ok = check_mcp_config(spawn.spec); !ok) return ok;
  return check_workdir(spawn.spec.workdir, "workdir");
}

domain::Spawn fresh_spawn(const Caller& caller, const LaunchArguments& said) {
  domain::Spawn spawn;
  spawn.name = said.name;
  spawn.prompt = said.prompt;
  spawn.spec = caller.defaults.spec;
  spawn.spec.is_multi_turn = !said.is_single_turn;
  spawn.start_before = said.start_before.value_or(start_before(caller));
  return spawn;
}

// Says whose session it is: that of whoever writes in a chat, or a subagent of the session whose
// agent asks.
Task<Outcome<bool>> describe(const Caller& caller, domain::Descriptor& descriptor) {
  using domain::DescriptorKind;
  if (const auto place = domain::parse_route(caller.channel)) {
    descriptor.kind = DescriptorKind::user;
    descriptor.connector = place->channel;
    descriptor.user = place->target;
    descriptor.channel =
        place->account.empty() ? place->target : place->account + "|" + place->target;
    const bool fits = descriptor.connector.find('/') == std::string::npos &&
                      descriptor.user.find('/') == std::string::npos;
    if (!fits) descriptor = {};
    co_return true;
  }
  auto described = co_await describe_as_child(caller, descriptor);
  co_return described;
}

// Returns the user's newest ended session that can be resumed; unset: there is none.
Task<Outcome<base::SessionId>> newest_of(const Caller& caller, const domain::Descriptor& user) {
  QueryBody query;
  query.agent = caller.agent;
  query.statuses = {domain::SessionStatus::completed, domain::SessionStatus::failed,
                    domain::SessionStatus::killed};
  for (bool has_more = true; has_more;) {
    const auto page = co_await caller.server.ask<ListAnswer>(kVerbList, query);
    if (!page) co_return tl::unexpected(page.error());
    for (const projections::SessionRow& row : page->sessions) {
      if (row.descriptor == user && !row.agent_session.empty()) co_return row.session;
    }
    query.before = page->before;
    has_more = page->has_more;
  }
  co_return base::SessionId{};
}

// Returns what the caller of a resume would not expect.
std::vector<std::string> resume_notes(const ShowAnswer& old, const LaunchArguments& said,
                                      const Launched& launched) {
  std::vector<std::string> notes;
  const projections::SessionRow& row = old.session;
  if (auto place = resumed_place_text(row, launched.spawned); !place.empty()) {
    notes.push_back(std::move(place));
  }
  if (!old.archived.empty() && said.system_prompt.empty()) {
    notes.push_back(old.archived + "; if it had a system prompt, say that again");
  }
  const domain::PermissionMode mode = launched.wanted.spec.permission_mode;
  const bool was_bypass = row.permission_mode == domain::PermissionMode::bypass_permissions;
  if (was_bypass && mode != row.permission_mode && !said.permission_mode) {
    notes.push_back("bypassPermissions is not taken over; the session goes on with " +
                    std::string(base::enum_name(mode)));
  }
  return notes;
}

}  // namespace

Outcome<bool> check_channel(const std::string& channel) {
  if (domain::parse_route(channel)) return true;
  return refuse(OperationError::usage, "'" + shown(channel) +
                                           "' is no channel; accepted is channel|target or "
                                           "channel|account|target, as in telegram|1234");
}

// Once the session is there, nothing that is sent under its id starts another. The server compares
// what was asked then and now.
Task<Outcome<std::optional<Launched>>> launched_before(const Caller& caller,
                                                       const LaunchArguments& said) {
  if (!caller.identity) co_return std::nullopt;
  QueryBody query;
  query.agent = caller.agent;
  query.reference = base::SessionId{caller.identity->id.bytes}.text();
  auto known = co_await caller.server.ask<ShowAnswer>(kVerbShow, query);
  if (!known && known.error().error == OperationError::not_found) co_return std::nullopt;
  if (!known) co_return tl::unexpected(known.error());
  const projections::SessionRow& row = known->session;
  Launched launched;
  launched.wanted.prompt = said.prompt;
  launched.wanted.spec.engine = row.engine;
  launched.wanted.spec.workdir = row.workdir;
  launched.wanted.spec.model = row.model;
  launched.wanted.spec.is_multi_turn = row.is_multi_turn;
  auto spawned = co_await send_spawn(caller, launched.wanted);
  if (!spawned) co_return tl::unexpected(spawned.error());
  launched.spawned = std::move(*spawned);
  launched.spawned.reply.alias = row.alias;
  launched.spawned.reply.name = row.name;
  if (row.resumed_from.is_set()) {
    launched.resumed = row.resumed_from.text() + (row.is_fork ? " (forked)" : "");
  }
  co_return launched;
}

Task<Outcome<Launched>> begin_new(const Caller& caller, const LaunchArguments& said,
                                  const std::string& agent_session,
                                  const domain::Descriptor& known) {
  Launched launched;
  launched.wanted = fresh_spawn(caller, said);
  launched.wanted.descriptor = known;
  if (known.kind == domain::DescriptorKind::none) {
    const auto ok = co_await describe(caller, launched.wanted.descriptor);
    if (!ok) co_return tl::unexpected(ok.error());
  }
  launched.wanted.agent_session = agent_session;
  launched.wanted.is_fork = said.is_fork;
  if (!agent_session.empty()) {
    launched.resumed = agent_session;
    launched.notes.push_back("no such session is on the record; the agent is asked for its own");
  }
  if (const auto ok = apply_said(caller, said, launched.wanted); !ok) {
    co_return tl::unexpected(ok.error());
  }
  const auto held = co_await apply_grant(caller, said, nullptr, launched);
  if (!held) co_return tl::unexpected(held.error());
  auto spawned = co_await send_spawn(caller, launched.wanted);
  if (!spawned) co_return tl::unexpected(spawned.error());
  launched.spawned = std::move(*spawned);
  if (!said.channel.empty() || !caller.channel.empty()) {
    const auto unheard = co_await unheard_text(caller, launched.wanted.origin_channel);
    if (unheard && !unheard->empty()) launched.notes.push_back(*unheard);
  }
  co_return launched;
}

Task<Outcome<Launched>> begin_resumed(const Caller& caller, const LaunchArguments& said,
                                      std::optional<bool> is_multi_turn) {
  const auto old = co_await find_session(caller, said.resumed, true);
  if (!old) {
    // It can be an agent's own id of a session that it had elsewhere.
    const auto foreign = base::SessionId::parse(said.resumed);
    const bool is_missing = old.error().error == OperationError::not_found;
    if (!is_missing || !foreign) co_return tl::unexpected(old.error());
    const std::string agent_session = foreign->text();
    const domain::Descriptor of_caller;
    auto begun = co_await begin_new(caller, said, agent_session, of_caller);
    co_return begun;
  }
  if (said.system_prompt.empty() && !old->system_prompt_error.empty()) {
    co_return refuse(OperationError::failed,
                     "the session's system prompt cannot be read: " + old->system_prompt_error);
  }
  const projections::SessionRow& row = old->session;
  ResumeRequest request;
  request.prompt = said.prompt;
  request.name = said.name;
  request.is_fork = said.is_fork;
  Launched launched;
  launched.wanted = to_resume(caller.defaults, request, *old);
  launched.wanted.start_before = said.start_before.value_or(start_before(caller));
  if (is_multi_turn) launched.wanted.spec.is_multi_turn = *is_multi_turn;
  if (const auto ok = apply_said(caller, said, launched.wanted); !ok) {
    co_return tl::unexpected(ok.error());
  }
  const auto held = co_await apply_grant(caller, said, &row, launched);
  if (!held) co_return tl::unexpected(held.error());
  auto spawned = co_await send_resume(caller, launched.wanted, *old);
  if (!spawned) co_return tl::unexpected(spawned.error());
  launched.spawned = std::move(*spawned);
  launched.resumed = row.name + " [" + row.alias + "]" + (said.is_fork ? " (forked)" : "");
  for (std::string& note : resume_notes(*old, said, launched)) {
    launched.notes.push_back(std::move(note));
  }
  co_return launched;
}

std::optional<domain::Descriptor> user_named(std::string_view reference) {
  const std::size_t first = reference.find('/');
  const std::size_t second =
      first == std::string_view::npos ? first : reference.find('/', first + 1);
  if (!reference.starts_with('@') || second == std::string_view::npos) return std::nullopt;
  domain::Descriptor user;
  user.kind = domain::DescriptorKind::user;
  user.connector = reference.substr(1, first - 1);
  user.user = reference.substr(first + 1, second - first - 1);
  user.channel = reference.substr(second + 1);
  return user;
}

Task<Outcome<Launched>> launch_for(const Caller& caller, const SaidToUser& said) {
  const auto user = user_named(said.reference);
  const auto newest = co_await newest_of(caller, *user);
  if (!newest) co_return tl::unexpected(newest.error());
  LaunchArguments arguments;
  arguments.prompt = said.message;
  arguments.attached = said.files;
  arguments.start_before = said.start_before;
  if (newest->is_set()) {
    arguments.resumed = newest->text();
    auto resumed = co_await begin_resumed(caller, arguments, true);
    co_return resumed;
  }
  arguments.channel = user->connector + "|" + user->channel;
  const std::string no_agent_session;
  auto begun = co_await begin_new(caller, arguments, no_agent_session, *user);
  co_return begun;
}

}  // namespace workers
