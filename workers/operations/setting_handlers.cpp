// `set` and `commands`: other settings for a session that lives, and what its agent understands.
#include <chrono>
#include <utility>

#include "eventlog/domain/session/spec_settings.hpp"
#include "workers/json/event_json.hpp"
#include "workers/operations/answer_json.hpp"
#include "workers/operations/changing.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/grant.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/operations/launching.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace workers {
namespace {

// An agent answers in milliseconds, unless it is stuck.
constexpr base::Duration kHeardWithin = std::chrono::seconds(5);
constexpr base::Duration kHeardLookEvery = std::chrono::milliseconds(20);

// Changes what was heard of the change so far. Returns true once there is no more to wait for.
bool take(const domain::RecordedEvent& event, std::int64_t& number, ChangedSession& changed) {
  if (const auto* made = event.event.as<domain::SettingsChanged>(); made && number == 0) {
    number = made->number;
    changed.keys = made->keys;
    changed.spec = *made->spec;
    if (!made->is_to_tell) changed.heard = Heard::at_next_start;
    return !made->is_to_tell;
  }
  if (const auto* told = event.event.as<domain::SettingsTold>(); told && told->number >= number) {
    changed.heard = told->refusal.empty() ? Heard::taken : Heard::refused;
    changed.refusal = told->refusal;
    return true;
  }
  const bool is_gone =
      event.event.is<domain::LeaseReleased>() || event.event.is<domain::LeaseExpired>();
  if (is_gone) changed.heard = Heard::at_next_start;
  return is_gone;
}

// Reads on from the change until the agent has answered.
Task<Outcome<bool>> await_agent(const Caller& caller, base::Position made,
                                ChangedSession& changed) {
  base::Clock& clock = caller.server.clock();
  const base::Duration until = clock.boot() + kHeardWithin;
  bus::ReadRequest read;
  read.level = session_level(changed.row.agent, changed.row.session);
  read.after = made.plus(-1);
  std::int64_t number = 0;
  while (clock.boot() < until) {
    const auto page = co_await caller.server.ask<bus::LogPage>(bus::kReadVerb, read);
    if (!page) co_return tl::unexpected(page.error());
    for (const bus::FeedEvent& event : page->events) {
      const auto seen = see(event);
      if (seen && take(seen->recorded, number, changed)) co_return true;
    }
    read.after = page->complete_through;
    auto pause = caller.server.after(kHeardLookEvery);
    co_await pause;
  }
  co_return false;
}

// A program can give a session no more than it could launch one with.
Task<Outcome<bool>> check_grant(const Caller& caller, const SetArguments& said,
                                const projections::SessionRow& row) {
  if (!caller.self.empty()) {
    co_return refuse(
        OperationError::refused,
        "the agent of a session cannot change the settings of sessions; a person does");
  }
  if (!caller.is_program) co_return true;
  const auto grant = co_await program_grant(caller);
  if (!grant) co_return tl::unexpected(grant.error());
  auto spec = co_await spec_of(caller, row);
  if (!spec) co_return tl::unexpected(spec.error());
  for (const std::string& key : said.said) domain::change_setting(key, said.settings, *spec);
  spec->allowed_tools.reset();
  const SaidForGrant is_said = [&said](std::string_view key) {
    return std::find(said.said.begin(), said.said.end(), key) != said.said.end();
  };
  const auto held = co_await hold_to(*grant, is_said, caller, nullptr, *spec);
  if (!held) co_return tl::unexpected(held.error());
  co_return true;
}

}  // namespace

std::string ascii_json(const ChangedSession& changed) {
  return ascii_text(json_of(changed));
}
std::string ascii_json(const RenamedSession& renamed) {
  return ascii_text(json_of(renamed));
}
std::string ascii_json(const OfferedCommands& offered) {
  return ascii_text(json_of(offered));
}

Task<Outcome<ChangedSession>> set(const Caller& caller, const SetArguments& arguments) {
  if (arguments.said.empty()) {
    co_return refuse(OperationError::usage,
                     "name a setting to be changed, such as permission_mode");
  }
  if (const auto ok = check_mcp_config(arguments.settings); !ok)
    co_return tl::unexpected(ok.error());
  auto shown = co_await find_session(caller, arguments.session);
  if (!shown) co_return tl::unexpected(shown.error());
  ChangedSession changed;
  changed.row = std::move(shown->session);
  const auto allowed = co_await check_grant(caller, arguments, changed.row);
  if (!allowed) co_return tl::unexpected(allowed.error());
  const domain::Command command = domain::ChangeSettings{arguments.said, arguments.settings};
  const auto reply = co_await send_command(caller, command_id(caller), changed.row.session,
                                           changed.row.agent, command);
  if (!reply) co_return tl::unexpected(reply.error());
  const auto heard = co_await await_agent(caller, reply->position, changed);
  if (!heard) co_return tl::unexpected(heard.error());
  co_return changed;
}

Task<Outcome<RenamedSession>> rename(const Caller& caller, const RenameArguments& arguments) {
  auto shown = co_await find_session(caller, arguments.session);
  if (!shown) co_return tl::unexpected(shown.error());
  const projections::SessionRow& row = shown->session;
  const domain::Command command = domain::RenameSession{arguments.name};
  auto reply = co_await send_command(caller, command_id(caller), row.session, row.agent, command);
  if (!reply) co_return tl::unexpected(reply.error());
  RenamedSession renamed;
  renamed.row = std::move(shown->session);
  renamed.reply = std::move(*reply);
  co_return renamed;
}

Task<Outcome<OfferedCommands>> list_commands(const Caller& caller,
                                             const CommandsArguments& arguments) {
  auto shown = co_await find_session(caller, arguments.session);
  if (!shown) co_return tl::unexpected(shown.error());
  OfferedCommands offered;
  offered.row = std::move(shown->session);
  if (offered.row.commands.value == 0) co_return offered;
  bus::ReadRequest read;
  read.level = session_level(offered.row.agent, offered.row.session);
  read.after = offered.row.commands.plus(-1);
  read.events_max = 1;
  const auto page = co_await caller.server.ask<bus::LogPage>(bus::kReadVerb, read);
  if (!page) co_return tl::unexpected(page.error());
  for (const bus::FeedEvent& event : page->events) {
    const auto seen = see(event);
    const auto* said = seen ? seen->recorded.event.as<domain::SlashCommandsReported>() : nullptr;
    if (said != nullptr) offered.commands = said->commands;
  }
  co_return offered;
}

}  // namespace workers
