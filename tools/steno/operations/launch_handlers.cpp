// `launch`, `resume` and `respond`: give agents work.
#include <filesystem>
#include <optional>

#include "eventlog/domain/outbox/route.hpp"
#include "tools/steno/operations/first_prompt.hpp"
#include "tools/steno/operations/grant.hpp"
#include "tools/steno/operations/handlers.hpp"
#include "tools/steno/operations/launching.hpp"
#include "tools/steno/operations/session_json.hpp"
#include "tools/steno/operations/session_text.hpp"
#include "tools/steno/operations/text_rows.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

constexpr std::int64_t kResumableMax = 50;

Answer answer_of(const Launched& launched) {
  const domain::SessionSpec& spec = launched.wanted.spec;
  const workers::CommandReplyBody& reply = launched.spawned.reply;
  Answer answer;
  answer.value = {
      {"id", launched.spawned.session.text()},   {"alias", reply.alias},    {"name", reply.name},
      {"status", base::enum_name(reply.status)}, {"workdir", spec.workdir}, {"model", spec.model}};
  answer.text = "🚀 " + reply.name + " [" + reply.alias + "] is launched.";
  answer.text += "\n   id      " + launched.spawned.session.text();
  answer.text += "\n   dir     " + spec.workdir;
  answer.text += "\n   model   " + (spec.model.empty() ? std::string("default") : spec.model);
  answer.text += "\n   prompt  " + prompt_beginning(launched.wanted.prompt, kPromptColumnsMax);
  if (!launched.resumed.empty()) answer.text += "\n   resumes " + launched.resumed;
  answer.text += std::string("\n   mode    ") + (spec.is_multi_turn ? "multi-turn" : "single-turn");
  answer.value["notes"] = launched.notes;
  for (const std::string& note : launched.notes) answer.text += "\n   note    " + note;
  return answer;
}

// Holds what a program launches to its grant, and notes what that changes.
Outcome<bool> apply_grant(const Caller& caller, const LaunchArguments& said,
                          const projections::SessionRow* resumed, Launched& launched) {
  if (!caller.is_program) return true;
  const auto grant = program_grant(caller.connection);
  if (!grant) return tl::unexpected(grant.error());
  const auto is_said = [&](std::string_view key) {
    if (key == "permission_mode") return said.permission_mode.has_value();
    return key == "budget_usd" && said.max_budget.has_value();
  };
  auto notes = hold_to(*grant, is_said, caller.connection, resumed, launched.wanted.spec);
  if (!notes) return tl::unexpected(notes.error());
  launched.notes.insert(launched.notes.end(), notes->begin(), notes->end());
  return true;
}

// Sets what the arguments say for a session, new or resumed.
Outcome<bool> apply_said(const Caller& caller, const LaunchArguments& said, domain::Spawn& spawn) {
  if (!said.workdir.empty()) {
    // A folder of the server's machine: the caller's own place says nothing about it.
    if (!std::filesystem::path(said.workdir).is_absolute()) {
      return fail(kExitUsage, "workdir takes an absolute path, not " + shown(said.workdir));
    }
    spawn.spec.workdir = said.workdir;
  }
  if (!said.model.empty()) spawn.spec.model = said.model;
  settle_fallback(caller.connection.config(), spawn.spec);
  if (said.max_budget) spawn.spec.budget = *said.max_budget;
  if (!said.system_prompt.empty()) spawn.system_prompt = said.system_prompt;
  if (!said.allowed_tools.empty()) spawn.spec.allowed_tools = said.allowed_tools;
  if (said.permission_mode) spawn.spec.permission_mode = *said.permission_mode;
  const std::string& channel = said.channel.empty() ? caller.channel : said.channel;
  if (!channel.empty()) {
    if (auto ok = check_channel(channel); !ok) return ok;
    spawn.origin_channel = channel;
  } else if (!spawn.resume.is_set()) {
    spawn.origin_channel = channel_to_name(caller.connection.config(), spawn.spec.workdir);
  }
  if (auto ok = check_prompt(spawn.prompt); !ok) return ok;
  return check_workdir(spawn.spec.workdir, "workdir");
}

domain::Spawn fresh_spawn(const Caller& caller, const LaunchArguments& said) {
  const Config& config = caller.connection.config();
  domain::Spawn spawn;
  spawn.name = said.name;
  spawn.prompt = said.prompt;
  spawn.spec = spec_of(config);
  spawn.spec.is_multi_turn = !said.is_single_turn;
  spawn.start_before = said.start_before.value_or(start_before(caller.connection));
  return spawn;
}

// Says whose session it is: that of whoever writes in a chat, or a subagent of the session whose
// agent asks.
Outcome<bool> describe(const Caller& caller, domain::Descriptor& descriptor) {
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
    return true;
  }
  return describe_as_child(caller.connection, descriptor);
}

// `known`: whose session it is; none: whoever asks.
Outcome<Launched> begin_new(const Caller& caller, const LaunchArguments& said,
                            const std::string& agent_session,
                            const domain::Descriptor& known = {}) {
  Launched launched;
  launched.wanted = fresh_spawn(caller, said);
  launched.wanted.descriptor = known;
  if (known.kind == domain::DescriptorKind::none) {
    const auto ok = describe(caller, launched.wanted.descriptor);
    if (!ok) return tl::unexpected(ok.error());
  }
  launched.wanted.agent_session = agent_session;
  launched.wanted.is_fork = said.is_fork;
  if (!agent_session.empty()) {
    launched.resumed = agent_session;
    launched.notes.push_back("no such session is on the record; the agent is asked for its own");
  }
  if (const auto ok = apply_said(caller, said, launched.wanted); !ok) {
    return tl::unexpected(ok.error());
  }
  if (const auto ok = apply_grant(caller, said, nullptr, launched); !ok) {
    return tl::unexpected(ok.error());
  }
  auto spawned = send_spawn(caller.connection, launched.wanted);
  if (!spawned) return tl::unexpected(spawned.error());
  launched.spawned = std::move(*spawned);
  if (!said.channel.empty() || !caller.channel.empty()) {
    const auto unheard = unheard_text(caller.connection, launched.wanted.origin_channel);
    if (unheard && !unheard->empty()) launched.notes.push_back(*unheard);
  }
  return launched;
}

// `is_multi_turn`: none: as the old one was.
Outcome<Launched> begin_resumed(const Caller& caller, const LaunchArguments& said,
                                std::optional<bool> is_multi_turn) {
  const auto shown = caller.connection.find(said.resumed, true);
  if (!shown) {
    if (!may_be_foreign(said.resumed, shown.error())) return tl::unexpected(shown.error());
    return begin_new(caller, said, base::SessionId::parse(said.resumed)->text());
  }
  if (said.system_prompt.empty() && !shown->system_prompt_error.empty()) {
    return fail(kExitFailed,
                "the session's system prompt cannot be read: " + shown->system_prompt_error);
  }
  ResumeRequest request;
  request.prompt = said.prompt;
  request.name = said.name;
  request.is_fork = said.is_fork;
  Launched launched;
  launched.wanted = to_resume(caller.connection.config(), request, *shown);
  launched.wanted.start_before = said.start_before.value_or(start_before(caller.connection));
  if (is_multi_turn) launched.wanted.spec.is_multi_turn = *is_multi_turn;
  if (const auto ok = apply_said(caller, said, launched.wanted); !ok) {
    return tl::unexpected(ok.error());
  }
  if (const auto ok = apply_grant(caller, said, &shown->session, launched); !ok) {
    return tl::unexpected(ok.error());
  }
  auto spawned = send_resume(caller.connection, launched.wanted, *shown);
  if (!spawned) return tl::unexpected(spawned.error());
  launched.spawned = std::move(*spawned);
  launched.resumed =
      shown->session.name + " [" + shown->session.alias + "]" + (said.is_fork ? " (forked)" : "");
  if (const auto place = resumed_place_text(shown->session, launched.spawned); !place.empty()) {
    launched.notes.push_back(place);
  }
  if (!shown->archived.empty() && said.system_prompt.empty()) {
    launched.notes.push_back(shown->archived + "; if it had a system prompt, say that again");
  }
  const domain::PermissionMode mode = launched.wanted.spec.permission_mode;
  const bool was_bypass =
      shown->session.permission_mode == domain::PermissionMode::bypass_permissions;
  if (was_bypass && mode != shown->session.permission_mode && !said.permission_mode) {
    launched.notes.push_back("bypassPermissions is not taken over; the session goes on with " +
                             std::string(base::enum_name(mode)));
  }
  return launched;
}

// Returns the user's newest ended session that can be resumed; unset: there is none.
Outcome<base::SessionId> newest_of(Connection& connection, const domain::Descriptor& user) {
  workers::QueryBody query;
  query.agent = connection.config().agent;
  query.statuses = {domain::SessionStatus::completed, domain::SessionStatus::failed,
                    domain::SessionStatus::killed};
  for (bool has_more = true; has_more;) {
    const auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
    if (!page) return tl::unexpected(page.error());
    for (const projections::SessionRow& row : page->sessions) {
      if (row.descriptor == user && !row.agent_session.empty()) return row.session;
    }
    query.before = page->before;
    has_more = page->has_more;
  }
  return base::SessionId{};
}

Outcome<Answer> list_resumable(const Caller& caller) {
  workers::QueryBody query;
  query.agent = caller.connection.config().agent;
  query.statuses = {domain::SessionStatus::completed, domain::SessionStatus::failed,
                    domain::SessionStatus::killed};
  query.limit = kResumableMax;
  const auto page = caller.connection.ask<workers::ListAnswer>(workers::kVerbList, query);
  if (!page) return tl::unexpected(page.error());
  const base::Time now = caller.connection.clock().wall();
  Answer answer;
  TextRows rows(caller);
  answer.value["sessions"] = Json::array();
  for (const projections::SessionRow& row : page->sessions) {
    const auto prompt = first_prompt(caller.connection, row.agent, row.session);
    if (!prompt) return tl::unexpected(prompt.error());
    answer.value["sessions"].push_back(session_json(row, *prompt, now));
    std::string lines = row.name + " [" + row.alias + "], ended " +
                        duration_text(now - row.closed_at) + " ago\n   📁 " +
                        workers::safe_line(row.workdir);
    if (!row.agent_session.empty()) lines += "\n   🔗 " + row.agent_session;
    if (!prompt->empty()) lines += "\n   📝 " + prompt_beginning(*prompt, 60);
    rows.add(lines);
  }
  answer.text = rows.text();
  if (page->has_more || rows.count() < page->sessions.size()) {
    answer.text += "\n\nThe newest " + std::to_string(rows.count()) + " of " +
                   std::to_string(page->total) + ".";
  }
  answer.value["count"] = answer.value["sessions"].size();
  if (answer.text.empty()) answer.text = "No session can be resumed.";
  return answer;
}

}  // namespace

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

Outcome<Launched> launch_for(Connection& connection, const SaidToUser& said,
                             const Failure& missing) {
  const auto user = user_named(said.reference);
  if (!user || missing.exit_code != kExitNotFound) return tl::unexpected(missing);
  const auto newest = newest_of(connection, *user);
  if (!newest) return tl::unexpected(newest.error());
  const Caller caller{connection, said.channel, said.is_program, false};
  LaunchArguments arguments;
  arguments.prompt = said.message;
  arguments.start_before = said.start_before;
  if (newest->is_set()) {
    arguments.resumed = newest->text();
    return begin_resumed(caller, arguments, true);
  }
  arguments.channel = user->connector + "|" + user->channel;
  return begin_new(caller, arguments, {}, *user);
}

Outcome<Answer> launch(const Caller& caller, const LaunchArguments& arguments) {
  if (arguments.is_fork && arguments.resumed.empty()) {
    return fail(kExitUsage, "fork_session needs resume_session_id, the session to fork");
  }
  const auto launched = arguments.resumed.empty()
                            ? begin_new(caller, arguments, {})
                            : begin_resumed(caller, arguments, !arguments.is_single_turn);
  if (!launched) return tl::unexpected(launched.error());
  return answer_of(*launched);
}

Outcome<Answer> go_on(const Caller& caller, const GoOnArguments& arguments) {
  if (arguments.lists) {
    if (!arguments.is_fork && arguments.session.empty()) return list_resumable(caller);
    return fail(kExitUsage, "list stands alone");
  }
  if (arguments.session.empty()) return fail(kExitUsage, "session is missing");
  LaunchArguments said;
  said.resumed = arguments.session;
  said.is_fork = arguments.is_fork;
  said.prompt = arguments.prompt.empty() ? std::string(kResumePrompt) : arguments.prompt;
  const auto launched = begin_resumed(caller, said, std::nullopt);
  if (!launched) return tl::unexpected(launched.error());
  return answer_of(*launched);
}

Outcome<Answer> respond(const Caller& caller, const RespondArguments& arguments) {
  if (const auto ok = check_prompt(arguments.message); !ok) return tl::unexpected(ok.error());
  Connection& connection = caller.connection;
  const auto shown = connection.find(arguments.session);
  if (!shown) {
    const SaidToUser said{arguments.session, arguments.message, start_before(connection),
                          caller.channel, caller.is_program};
    const auto begun = launch_for(connection, said, shown.error());
    if (!begun) return tl::unexpected(begun.error());
    return answer_of(*begun);
  }
  const projections::SessionRow& row = shown->session;
  // A prompt to a paused session waits for as long as it takes, and its sender is told so.
  const bool waits = row.pause != domain::EndReason::none;
  const base::Time limit = waits ? base::Time{} : start_before(connection);
  const auto reply = connection.command(
      connection.fresh_command_id(), row.session, row.agent,
      domain::SendPrompt{
          arguments.message, arguments.is_interrupting, {}, limit, true, caller.channel});
  if (!reply) return tl::unexpected(reply.error());
  Answer answer;
  answer.value = session_brief_json(row);
  answer.value["status"] = base::enum_name(reply->status);
  answer.value["interrupted"] = arguments.is_interrupting;
  const bool is_paused = reply->pause != domain::EndReason::none;
  answer.value["paused"] = is_paused;
  answer.value["injected"] = reply->injected_into.is_set();
  answer.text = "↩️ sent to " + row.name + " [" + row.alias +
                "]: " + prompt_beginning(arguments.message, kPromptColumnsMax);
  if (is_paused) {
    answer.text += "\nIt is paused " + pause_text(reply->pause, row.alias, reply->paused_until);
  }
  return answer;
}

}  // namespace steno
