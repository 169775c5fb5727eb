// `launch`, `resume` and `respond`: give agents work.
#include <filesystem>

#include "eventlog/domain/outbox/route.hpp"
#include "tools/steno/operations/ending.hpp"
#include "tools/steno/operations/handlers.hpp"
#include "tools/steno/operations/opening.hpp"
#include "tools/steno/operations/session_json.hpp"
#include "tools/steno/text/units.hpp"

namespace steno {
namespace {

constexpr std::size_t kPromptColumnsMax = 80;
constexpr std::int64_t kResumableMax = 50;

// What is known of a launched session before it is on the record.
struct Launched {
  Spawned spawned;
  domain::Spawn wanted;
  std::string resumed;  // how the answer names the session that it goes on with; empty: none
};

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
  return answer;
}

// Sets what the arguments say for a session, new or resumed.
Outcome<bool> apply_said(const Caller& caller, const LaunchArguments& said, domain::Spawn& spawn) {
  if (!said.workdir.empty()) {
    // A folder of the server's machine: the caller's own place says nothing about it.
    if (!std::filesystem::path(said.workdir).is_absolute()) {
      return fail(kExitUsage, "workdir takes an absolute path, not " + said.workdir);
    }
    spawn.spec.workdir = said.workdir;
  }
  if (!said.model.empty()) spawn.spec.model = said.model;
  if (said.max_budget) spawn.spec.budget = *said.max_budget;
  if (!said.system_prompt.empty()) spawn.system_prompt = said.system_prompt;
  if (!said.allowed_tools.empty()) spawn.spec.allowed_tools = said.allowed_tools;
  if (said.permission_mode) spawn.spec.permission_mode = *said.permission_mode;
  const std::string& channel = said.channel.empty() ? caller.channel : said.channel;
  if (!channel.empty()) {
    if (!domain::parse_route(channel)) {
      return fail(kExitUsage, "'" + channel + "' is no channel; accepted is channel|target or " +
                                  "channel|account|target, as in telegram|1234");
    }
    spawn.origin_channel = channel;
  }
  if (const auto ok = check_prompt(spawn.prompt); !ok) return ok;
  return check_workdir(spawn.spec.workdir);
}

domain::Spawn fresh_spawn(const Caller& caller, const LaunchArguments& said) {
  const Config& config = caller.connection.config();
  domain::Spawn spawn;
  spawn.name = said.name;
  spawn.prompt = said.prompt;
  spawn.origin_channel = channel_of(config);
  spawn.spec = spec_of(config);
  spawn.spec.is_multi_turn = !said.is_single_turn;
  return spawn;
}

Outcome<Launched> begin_new(const Caller& caller, const LaunchArguments& said,
                            const std::string& agent_session) {
  Launched launched;
  launched.wanted = fresh_spawn(caller, said);
  launched.wanted.agent_session = agent_session;
  launched.wanted.is_fork = said.is_fork;
  if (!agent_session.empty()) launched.resumed = agent_session + " of the agent";
  if (const auto ok = apply_said(caller, said, launched.wanted); !ok) {
    return tl::unexpected(ok.error());
  }
  auto spawned = send_spawn(caller.connection, launched.wanted);
  if (!spawned) return tl::unexpected(spawned.error());
  launched.spawned = std::move(*spawned);
  return launched;
}

Outcome<Launched> begin_resumed(const Caller& caller, const LaunchArguments& said) {
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
  request.is_multi_turn = !said.is_single_turn;
  Launched launched;
  launched.wanted = to_resume(caller.connection.config(), request, *shown);
  if (said.is_single_turn) launched.wanted.spec.is_multi_turn = false;
  if (const auto ok = apply_said(caller, said, launched.wanted); !ok) {
    return tl::unexpected(ok.error());
  }
  auto spawned = send_resume(caller.connection, launched.wanted, *shown);
  if (!spawned) return tl::unexpected(spawned.error());
  launched.spawned = std::move(*spawned);
  launched.resumed =
      shown->session.name + " [" + shown->session.alias + "]" + (said.is_fork ? " (forked)" : "");
  if (const auto place = resumed_place_text(shown->session, launched.spawned); !place.empty()) {
    launched.resumed += "; " + place;
  }
  return launched;
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
  answer.value["sessions"] = Json::array();
  for (const projections::SessionRow& row : page->sessions) {
    if (row.agent_session.empty()) continue;
    const auto shown = caller.connection.find(row.session.text(), true);
    const std::string prompt = shown ? shown->prompt : "";
    answer.value["sessions"].push_back(session_json(row, prompt, now));
    answer.text += answer.text.empty() ? "" : "\n\n";
    answer.text += row.name + " [" + row.alias + "], ended " + duration_text(now - row.closed_at) +
                   " ago\n   🔗 " + row.agent_session + "\n   📁 " + row.workdir;
    if (!prompt.empty()) answer.text += "\n   📝 " + prompt_beginning(prompt, 60);
  }
  answer.value["count"] = answer.value["sessions"].size();
  if (answer.text.empty()) answer.text = "No session can be resumed.";
  return answer;
}

}  // namespace

Outcome<Answer> launch(const Caller& caller, const LaunchArguments& arguments) {
  if (arguments.is_fork && arguments.resumed.empty()) {
    return fail(kExitUsage, "fork_session needs resume_session_id, the session to fork");
  }
  const auto launched = arguments.resumed.empty() ? begin_new(caller, arguments, {})
                                                  : begin_resumed(caller, arguments);
  if (!launched) return tl::unexpected(launched.error());
  return answer_of(*launched);
}

Outcome<Answer> go_on(const Caller& caller, const GoOnArguments& arguments) {
  if (arguments.lists) return list_resumable(caller);
  if (arguments.session.empty()) return fail(kExitUsage, "session is missing");
  LaunchArguments said;
  said.resumed = arguments.session;
  said.is_fork = arguments.is_fork;
  said.prompt = arguments.prompt.empty() ? std::string(kResumePrompt) : arguments.prompt;
  const auto launched = begin_resumed(caller, said);
  if (!launched) return tl::unexpected(launched.error());
  return answer_of(*launched);
}

Outcome<Answer> respond(const Caller& caller, const RespondArguments& arguments) {
  if (const auto ok = check_prompt(arguments.message); !ok) return tl::unexpected(ok.error());
  Connection& connection = caller.connection;
  const auto shown = connection.find(arguments.session);
  if (!shown) return tl::unexpected(shown.error());
  const projections::SessionRow& row = shown->session;
  const auto reply =
      connection.command(connection.fresh_command_id(), row.session, row.agent,
                         domain::SendPrompt{arguments.message, arguments.is_interrupting});
  if (!reply) return tl::unexpected(reply.error());
  Answer answer;
  answer.value = session_brief_json(row);
  answer.value["status"] = base::enum_name(reply->status);
  answer.value["interrupted"] = arguments.is_interrupting;
  const bool is_paused = row.pause != domain::EndReason::none;
  answer.value["paused"] = is_paused;
  answer.text = "↩️ sent to " + row.name + " [" + row.alias +
                "]: " + prompt_beginning(arguments.message, kPromptColumnsMax);
  if (is_paused) {
    answer.text += "\nIt waits behind a failed turn: steno continue " + row.alias;
  }
  return answer;
}

}  // namespace steno
