// `run`, `spawn`, `resume`, `send`, `interrupt`, `kill` and `close`: begin and change sessions.
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "eventlog/domain/outbox/route.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/left_prompts.hpp"
#include "tools/steno/client/own_grant.hpp"
#include "tools/steno/client/own_worktree.hpp"
#include "tools/steno/client/project_settings.hpp"
#include "tools/steno/client/prompt_editor.hpp"
#include "tools/steno/client/prompt_input.hpp"
#include "tools/steno/client/session_acts.hpp"
#include "tools/steno/client/session_follow.hpp"
#include "tools/steno/config/prices_file.hpp"
#include "tools/steno/connection/caller.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/ending.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/launching.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::CommandReplyBody;
using workers::cut_to_columns;
using workers::kResumePrompt;
using workers::Launched;
using workers::pause_text;
using workers::safe_line;
using workers::Spawned;

std::string read_line(LineInput& input) {
  while (!input.is_at_end()) {
    input.fill();
    if (auto line = input.take_line()) return std::move(*line);
  }
  return {};
}

domain::Spawn to_spawn(const Config& config, const SpawnArguments& arguments) {
  domain::Spawn spawn;
  spawn.name = arguments.name;
  spawn.prompt = arguments.prompt;
  spawn.labels = arguments.labels;
  spawn.system_prompt = arguments.system_prompt;
  const workers::SpecDefaults defaults = spec_defaults(config);
  spawn.origin_channel = workers::channel_to_name(defaults, config.session.workdir);
  spawn.spec = defaults.spec;
  spawn.spec.is_multi_turn = arguments.is_multi_turn;
  spawn.spec.continues_after_failure = arguments.continues_after_failure;
  spawn.spec.max_turns = arguments.max_turns;
  spawn.spec.allowed_tools = arguments.allowed_tools;
  return spawn;
}

// Sets what the session is for: as the command line says, else a subagent of the session whose
// agent calls.
Outcome<bool> describe(Connection& connection, const SpawnArguments& arguments,
                       domain::Descriptor& descriptor) {
  if (!arguments.parent.empty()) {
    const auto parent = connection.find(arguments.parent);
    if (!parent) return tl::unexpected(parent.error());
    descriptor.kind = domain::DescriptorKind::subagent;
    descriptor.parent = parent->session.session;
  }
  if (arguments.user.empty()) {
    if (!arguments.parent.empty()) return true;
    return connection.run(workers::describe_as_child(connection.caller(), descriptor));
  }
  const std::size_t first = arguments.user.find('/');
  const std::size_t second =
      first == std::string::npos ? first : arguments.user.find('/', first + 1);
  if (second == std::string::npos) {
    return fail(kExitUsage, "'" + arguments.user +
                                "' is no user; accepted is connector/user/channel, as in "
                                "telegram/alice/1234");
  }
  descriptor.kind = domain::DescriptorKind::user;
  descriptor.connector = arguments.user.substr(0, first);
  descriptor.user = arguments.user.substr(first + 1, second - first - 1);
  descriptor.channel = arguments.user.substr(second + 1);
  return true;
}

// A session that a person opens at a terminal may wait for prompts for ever, unless they say
// otherwise: its agent is ended meanwhile (idle_agent_stop), and it is parked. Programs, agents and
// chats forget theirs. `resumed` is the row of the session that it goes on with; null: there is
// none.
void let_wait(const Config& config, const projections::SessionRow* resumed, domain::Spawn& spawn) {
  // Another limit than that of the settings was said for the session.
  const bool was_said = resumed != nullptr && resumed->idle_timeout.count() > 0 &&
                        resumed->idle_timeout != config.session.idle_timeout;
  const bool is_person = is_stdin_terminal() && is_stdout_terminal() && !runs_in_session() &&
                         spawn.descriptor.kind == domain::DescriptorKind::none;
  const bool is_limited = was_said || is_flag(config, "idle_timeout");
  if (is_person && spawn.spec.is_multi_turn && !is_limited) {
    spawn.spec.idle_timeout = base::Duration{-1};
  }
}

// An agent's shell gives no more than the agent's session has.
Outcome<bool> apply_grant(Connection& connection, const projections::SessionRow* resumed,
                          domain::Spawn& spawn) {
  const auto notes = hold_process(connection, resumed, spawn.spec);
  if (!notes) return tl::unexpected(notes.error());
  for (const std::string& note : *notes) remark("steno: " + note);
  return true;
}

// Queues the prompts for the new session, in order.
Outcome<bool> queue_all(Connection& connection, const Spawned& spawned,
                        const std::vector<LeftPrompt>& prompts, std::size_t first) {
  for (std::size_t i = first; i < prompts.size(); ++i) {
    domain::SendPrompt send{prompts[i].text, false};
    send.files = prompts[i].files;
    const auto sent = connection.command(connection.fresh_command_id(), spawned.session,
                                         connection.config().agent, send);
    if (sent) continue;
    return fail(sent.error().exit_code,
                "session " + spawned.reply.alias + " goes on, but " +
                    std::to_string(prompts.size() - i) + " of " + std::to_string(prompts.size()) +
                    " prompts that waited were not given to it, from \"" +
                    cut_to_columns(safe_line(prompts[i].text), 40) + "\" on: " + sent.error().text);
  }
  return true;
}

// `worktree`: its own; null: it has none.
void print_spawned(const Config& config, const Spawned& spawned,
                   const NewWorktree* worktree = nullptr) {
  if (config.output == OutputFormat::table) {
    Table table({{"ALIAS"}, {"NAME"}, {"ID"}});
    table.add({spawned.reply.alias, spawned.reply.name, spawned.session.text()});
    print(table.text(stdout_columns()));
    return;
  }
  workers::JsonObject json;
  json.add("session", spawned.session)
      .add("alias", spawned.reply.alias)
      .add("name", spawned.reply.name)
      .add("status", spawned.reply.status)
      .add("position", spawned.reply.position)
      .add("command", spawned.command);
  if (worktree != nullptr) {
    json.add("workdir", worktree->workdir).add("branch", worktree->worktree.branch);
  }
  print(json.text() + "\n");
}

std::string reply_json(const projections::SessionRow& row, const CommandReplyBody& reply) {
  workers::JsonObject json;
  json.add("session", row.session)
      .add("alias", row.alias)
      .add("name", row.name)
      .add("status", reply.status)
      .add("position", reply.position);
  if (reply.injected_into.is_set()) json.add("injected_into", reply.injected_into);
  return json.text();
}

void print_reply(const Config& config, const projections::SessionRow& row,
                 const CommandReplyBody& reply, const std::string& line) {
  if (config.output == OutputFormat::table) {
    print(line + "\n");
    return;
  }
  print(reply_json(row, reply) + "\n");
}

// One session that cannot be killed does not keep the others alive.
// Without an agent named, of all agents, also those that are parked. Channels hear nothing of it,
// and the orchestrator one line.
Outcome<int> kill_all(Connection& connection, const Config& config) {
  const std::string agent = is_flag(config, "agent") ? config.agent : std::string();
  const auto live = connection.run(workers::list_live(connection.caller(), agent));
  if (!live) return tl::unexpected(live.error());
  domain::TellKilled told;
  std::string document;
  std::optional<Failure> failed;
  for (const projections::SessionRow& row : *live) {
    const auto killed = connection.run(workers::kill_session(connection.caller(), row, true));
    if (killed) told.aliases.push_back(row.alias);
    if (!killed) {
      failed = killed.error();
      remark("session " + row.alias + " was not killed: " + failed->text);
    } else if (config.output == OutputFormat::json) {
      document += (document.empty() ? "" : ",") + reply_json(row, killed->reply);
    } else {
      print_reply(config, row, killed->reply, killed->line + " " + row.alias + " " + row.name);
    }
  }
  if (config.output == OutputFormat::json) print("[" + document + "]\n");
  if (config.output == OutputFormat::table && live->empty()) remark("no live sessions");
  if (!told.aliases.empty()) {
    const auto line = connection.command_outbox(told);
    if (!line) remark("the orchestrator was not told: " + line.error().text);
  }
  if (failed) return tl::unexpected(*failed);
  return kExitOk;
}

// Returns the request that follows the session from its first prompt on.
FollowRequest request_for(Connection& connection, const Spawned& spawned) {
  FollowRequest request;
  request.session = spawned.session;
  request.alias = spawned.reply.alias;
  request.agent = connection.config().agent;
  request.after = spawned.reply.position;
  request.turn = base::TurnId{spawned.command.bytes};
  return request;
}

// A session that is typed into from its first prompt on, in a screen of its own.
struct Talk {
  OwnScreen screen;
  LineEditor editor;
};

Outcome<int> follow(Connection& connection, const Spawned& spawned, LineInput* input,
                    Talk* talk = nullptr) {
  FollowRequest request = request_for(connection, spawned);
  request.input = input;
  if (talk != nullptr) {
    request.editor = &talk->editor;
    request.screen = &talk->screen;
  }
  if (connection.config().output == OutputFormat::table) {
    remark("session " + spawned.reply.alias + " " + spawned.reply.name);
  }
  return follow_session(connection, request);
}

// A person at a terminal goes on with the conversation. Elsewhere the end of stdin would close it.
Outcome<int> follow_resumed(Connection& connection, const Spawned& spawned,
                            const domain::Spawn& spawn) {
  LineInput input(STDIN_FILENO);
  const bool is_typed = spawn.spec.is_multi_turn && is_stdin_terminal();
  return follow(connection, spawned, is_typed ? &input : nullptr);
}

// Goes on with a session that the agent had outside of Steno.
Outcome<int> resume_foreign(Connection& connection, const Config& config,
                            const ResumeArguments& arguments, domain::PromptFiles files) {
  if (arguments.takes_queue) {
    return fail(kExitNotFound, "there is no session " + arguments.reference +
                                   " on the record, and so no prompts of it");
  }
  SpawnArguments as_new;
  as_new.name = arguments.name;
  as_new.prompt = arguments.prompt.empty() ? std::string(kResumePrompt) : arguments.prompt;
  as_new.system_prompt = arguments.system_prompt;
  as_new.allowed_tools = arguments.allowed_tools;
  as_new.max_turns = arguments.max_turns;
  as_new.is_multi_turn = arguments.is_multi_turn;
  if (const auto ok = workers::check_prompt(as_new.prompt); !ok) return fail(ok.error());
  if (const auto ok = workers::check_workdir(config.session.workdir); !ok) return fail(ok.error());
  if (const auto ok = workers::check_mcp_config(config.session); !ok) return fail(ok.error());
  domain::Spawn spawn = to_spawn(config, as_new);
  spawn.files = std::move(files);
  spawn.agent_session = base::SessionId::parse(arguments.reference)->text();
  spawn.is_fork = arguments.is_fork;
  const auto described =
      connection.run(workers::describe_as_child(connection.caller(), spawn.descriptor));
  if (!described) return tl::unexpected(described.error());
  let_wait(config, nullptr, spawn);
  spawn.start_before = start_before_flag(connection.config(), connection.caller());
  if (const auto ok = apply_grant(connection, nullptr, spawn); !ok) {
    return tl::unexpected(ok.error());
  }
  const auto spawned = connection.run(workers::send_spawn(connection.caller(), spawn));
  if (!spawned) return tl::unexpected(spawned.error());
  drop_draft(arguments.place);
  if (config.output == OutputFormat::table) {
    remark("no session " + arguments.reference +
           " is on the record; the agent is asked for its own session of that id");
  }
  if (arguments.is_followed) return follow_resumed(connection, *spawned, spawn);
  print_spawned(config, *spawned);
  return kExitOk;
}

}  // namespace

namespace {

WorktreeWish wish_of(const Config& config, const SpawnArguments& told) {
  const bool is_any = told.worktree == kAnyWorktree;
  return {config.session.workdir, is_any ? std::string() : told.worktree, told.name};
}

// Returns none if the session is to work in its folder itself.
Outcome<std::optional<NewWorktree>> worktree_for(Connection& connection,
                                                 const SpawnArguments& told) {
  std::optional<NewWorktree> none;
  if (told.worktree.empty()) return none;
  const Config& config = connection.config();
  auto made = make_worktree(config, wish_of(config, told), connection.random());
  if (!made) return tl::unexpected(made.error());
  return std::optional(std::move(*made));
}

// Sends what is wanted, with what follows from who asks.
Outcome<Spawned> open_session(Connection& connection, const SpawnArguments& told,
                              domain::Spawn& wanted) {
  const Config& config = connection.config();
  // A user is told where they talk, unless somebody says otherwise for this session.
  if (!told.user.empty() && !is_flag(config, "channel")) wanted.origin_channel.clear();
  if (const auto ok = describe(connection, told, wanted.descriptor); !ok) {
    return tl::unexpected(ok.error());
  }
  let_wait(config, nullptr, wanted);
  wanted.start_before = start_before_flag(connection.config(), connection.caller());
  if (const auto ok = apply_grant(connection, nullptr, wanted); !ok) {
    return tl::unexpected(ok.error());
  }
  return connection.run(workers::send_spawn(connection.caller(), wanted));
}

// Begins the session, and follows it unless it is to be left alone.
Outcome<int> begin(Connection& connection, const SpawnArguments& told, domain::PromptFiles files,
                   LineInput* input, Talk* talk) {
  const Config& config = connection.config();
  const auto worktree = worktree_for(connection, told);
  if (!worktree) return tl::unexpected(worktree.error());
  const NewWorktree* own = *worktree ? &**worktree : nullptr;
  domain::Spawn wanted = to_spawn(config, told);
  if (own != nullptr) wanted.spec.workdir = own->workdir;
  wanted.files = std::move(files);
  const auto spawned = open_session(connection, told, wanted);
  if (!spawned) {
    if (own != nullptr) drop_worktree(*own, spawned.error());
    return tl::unexpected(spawned.error());
  }
  drop_draft(told.place);
  if (own != nullptr) tell_worktree(*own);
  if (is_flag(config, "channel") && !wanted.origin_channel.empty()) {
    const auto unheard =
        connection.run(workers::unheard_text(connection.caller(), wanted.origin_channel));
    if (unheard && !unheard->empty()) remark("steno: " + *unheard);
  }
  if (told.is_detached) {
    print_spawned(config, *spawned, own);
    return kExitOk;
  }
  auto outcome = follow(connection, *spawned, input, talk);
  if (own != nullptr) {
    settle_worktree(connection, *own, spawned->session, spawned->reply.alias);
  }
  return outcome;
}

// Reads the first prompt. Empty: nobody wants one.
Outcome<std::string> first_typed(Connection& connection, LineEditor& editor) {
  remark("steno: type what the agent is to do; Ctrl-D leaves");
  while (!editor.is_at_end()) {
    editor.show("> ", 0);
    bus::PollItem key = bus::PollItem::of(editor.fd());
    const auto worked = connection.work({&key, 1}, std::chrono::hours(1));
    if (!worked || connection.interrupts()->take()) {
      editor.hide();
      if (!worked) return tl::unexpected(worked.error());
      return std::string();
    }
    if (!key.is_readable) continue;
    editor.fill();
    const auto line = editor.take_line();
    if (line && line->find_first_not_of(" \t") != std::string::npos) return *line;
  }
  editor.hide();
  return std::string();
}

// Begins a session with a prompt that is typed here, and goes on as attach does.
Outcome<int> talk(Connection& connection, SpawnArguments told) {
  Talk talk;
  auto prompt = first_typed(connection, talk.editor);
  if (!prompt) return tl::unexpected(prompt.error());
  if (prompt->empty()) {
    talk.screen.leave();
    remark("steno: nothing was started");
    return kExitOk;
  }
  told.prompt = std::move(*prompt);
  told.is_multi_turn = true;
  if (const auto ok = workers::check_prompt(told.prompt); !ok) return fail(ok.error());
  return begin(connection, told, {}, &talk.editor, &talk);
}

bool is_talk(const Config& config, const SpawnArguments& arguments) {
  return arguments.prompt.empty() && arguments.files.empty() && !arguments.is_detached &&
         config.output == OutputFormat::table && is_stdin_terminal() && is_stdout_terminal();
}

}  // namespace

Outcome<int> run(const Config& own_config, const SpawnArguments& arguments) {
  const auto opening = with_project(own_config, arguments);
  if (!opening) return tl::unexpected(opening.error());
  const Config& config = opening->config;
  LineInput input(STDIN_FILENO);
  SpawnArguments told = opening->arguments;
  auto files = files_of(told.files, told.prompt);
  if (!files) return tl::unexpected(files.error());
  if (!told.place.file.empty()) {
    auto text = prompt_of(told.prompt, told.place, !files->empty());
    if (!text) return tl::unexpected(text.error());
    told.prompt = std::move(*text);
  } else if (told.prompt == "-") {
    told.prompt = told.is_multi_turn ? read_line(input) : read_all(input);
  }
  const bool talks = is_talk(config, told);
  if (told.prompt.empty() && files->empty() && !talks) {
    return fail(
        kExitUsage,
        "the prompt is empty: PROMPT says what the agent is to do, - reads it from stdin; at a "
        "terminal, steno run alone opens a session to talk with");
  }
  if (const auto ok = workers::check_prompt(told.prompt, !files->empty() || talks); !ok) {
    return fail(ok.error());
  }
  if (const auto ok = workers::check_workdir(config.session.workdir); !ok) return fail(ok.error());
  if (const auto ok = workers::check_mcp_config(config.session); !ok) return fail(ok.error());
  // Nobody types a prompt in vain.
  if (talks && !told.worktree.empty()) {
    const auto ok = check_worktree(wish_of(config, told));
    if (!ok) return tl::unexpected(ok.error());
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (const std::string unpriced = unpriced_text(config); !unpriced.empty()) remark(unpriced);
  // Taken before the session exists, so that Ctrl-C never leaves a session that nobody interrupted.
  if (!told.is_detached) (*connection)->take_interrupts();
  if (talks) return talk(**connection, std::move(told));
  return begin(**connection, told, std::move(*files), told.is_multi_turn ? &input : nullptr,
               nullptr);
}

Outcome<int> spawn(const Config& config, const SpawnArguments& arguments) {
  SpawnArguments detached = arguments;
  detached.is_detached = true;
  // A stdin that is to be both the prompt and a file is refused by run.
  const bool has_stdin_file =
      std::find(detached.files.begin(), detached.files.end(), "-") != detached.files.end();
  if (detached.prompt == "-" && !has_stdin_file) {
    LineInput input(STDIN_FILENO);
    detached.prompt = read_all(input);
  }
  return run(config, detached);
}

namespace {

// Sets what the flags of this process say for a session that goes on with an ended one.
void apply_flags(const Config& config, domain::Spawn& spawn) {
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    if (!is_flag(config, setting.key)) continue;
    domain::copy_setting(setting, config.session, spawn.spec);
    spawn.said.emplace_back(setting.key);
  }
  // Without a channel of its own it goes where those of the old session went.
  if (is_flag(config, "channel")) spawn.origin_channel = config.channel;
}

// Says which accepted prompts a plain resume leaves behind. Best effort: the resume goes on
// without.
void tell_left(Connection& connection, const projections::SessionRow& row) {
  if (domain::is_live(row.status) || row.turns_interrupted == 0) return;
  const auto left = left_prompts(connection, row);
  if (!left || left->empty()) return;
  const bool is_one = left->size() == 1;
  remark(std::to_string(left->size()) + (is_one ? " prompt" : " prompts") + " of " + row.alias +
         (is_one ? " was" : " were") + " accepted, and no agent answered " +
         (is_one ? "it" : "them") + "; resume --with-queue takes " + (is_one ? "it" : "them") +
         " along");
}

// No agent began for a session whose program was missing, and so there is none to go on with. Its
// prompts go to a session that begins where that one was to begin.
void begin_instead(domain::Spawn& spawn, const projections::SessionRow& row) {
  const bool has_begun = !row.agent_session.empty() || !row.agent_model.empty();
  if (has_begun || row.turns_finished + row.turns_failed > 0) return;
  spawn.resume = row.resumed_from;
  spawn.takes_over = false;
  spawn.is_fork &= spawn.resume.is_set();
  remark("no agent had begun with " + row.alias + ": its prompts go to a session that begins anew" +
         (row.resumed_from.is_set() ? "" : ", with the tools and limits that are given here"));
}

// A session of one turn takes all prompts as one. Failure: they have more files than one can have.
Outcome<bool> join_prompts(domain::Spawn& spawn, std::vector<LeftPrompt>& waiting) {
  for (LeftPrompt& each : std::exchange(waiting, {})) {
    spawn.prompt.append(spawn.prompt.empty() || each.text.empty() ? "" : "\n\n").append(each.text);
    std::move(each.files.begin(), each.files.end(), std::back_inserter(spawn.files));
  }
  if (spawn.files.size() <= domain::kPromptFilesMax) return true;
  return fail(kExitUsage, "all prompts together have " + std::to_string(spawn.files.size()) +
                              " files, and one prompt has at most " +
                              std::to_string(domain::kPromptFilesMax) +
                              "; --multi-turn gives each in a turn of its own");
}

}  // namespace

Outcome<int> resume(const Config& config, const ResumeArguments& said) {
  auto files = files_of(said.files, said.prompt);
  if (!files) return tl::unexpected(files.error());
  ResumeArguments arguments = said;
  if (said.prompt == "-" || !said.place.file.empty()) {
    auto prompt = prompt_of(said.prompt, said.place, !files->empty());
    if (!prompt) return tl::unexpected(prompt.error());
    arguments.prompt = std::move(*prompt);
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto shown = (*connection)->find(arguments.reference, true);
  if (arguments.is_followed) (*connection)->take_interrupts();
  if (!shown) {
    // It can be an agent's own id of a session that it had elsewhere.
    const bool is_missing = shown.error().exit_code == kExitNotFound;
    if (!is_missing || !base::SessionId::parse(arguments.reference))
      return tl::unexpected(shown.error());
    return resume_foreign(**connection, config, arguments, std::move(*files));
  }
  std::vector<LeftPrompt> waiting;
  if (arguments.takes_queue) {
    auto left = left_prompts(**connection, shown->session);
    if (!left) return tl::unexpected(left.error());
    waiting = std::move(*left);
  } else {
    tell_left(**connection, shown->session);
  }
  const std::size_t taken = waiting.size();
  const bool begins_with_queue = arguments.prompt.empty() && files->empty() && !waiting.empty();
  if (arguments.system_prompt.empty() && !shown->system_prompt_error.empty()) {
    return fail(kExitFailed, "the session's system prompt cannot be read: " +
                                 shown->system_prompt_error + "; give one with --system-prompt");
  }
  if (!shown->archived.empty() && arguments.system_prompt.empty()) {
    remark(shown->archived +
           "; if the session had a system prompt, give it again with --system-prompt");
  }
  domain::Spawn spawn = workers::to_resume((*connection)->caller().defaults, arguments, *shown);
  apply_flags(config, spawn);
  spawn.files = std::move(*files);
  if (taken > 0) begin_instead(spawn, shown->session);
  if (!spawn.spec.is_multi_turn) {
    if (const auto ok = join_prompts(spawn, waiting); !ok) return tl::unexpected(ok.error());
  } else if (begins_with_queue) {
    spawn.prompt = waiting.front().text;
    spawn.files = waiting.front().files;
  }
  if (spawn.prompt.empty() && spawn.files.empty()) spawn.prompt = kResumePrompt;
  if (const auto ok = workers::check_prompt(spawn.prompt, !spawn.files.empty()); !ok) {
    return fail(ok.error());
  }
  if (spawn.spec.permission_mode != shown->session.permission_mode &&
      !is_flag(config, "permission_mode")) {
    remark("bypassPermissions is not taken over; the session goes on with " +
           std::string(base::enum_name(spawn.spec.permission_mode)) +
           ", unless --permission-mode bypassPermissions is given");
  }

  if (const auto ok = workers::check_workdir(spawn.spec.workdir); !ok) return fail(ok.error());
  if (const auto ok = workers::check_mcp_config(spawn.spec); !ok) return fail(ok.error());
  // A session that begins instead takes nothing over from the one that is named.
  const bool is_taken_over = spawn.resume == shown->session.session;
  const projections::SessionRow* before = is_taken_over ? &shown->session : nullptr;
  if (const auto ok = apply_grant(**connection, before, spawn); !ok) {
    return tl::unexpected(ok.error());
  }
  let_wait(config, &shown->session, spawn);
  spawn.start_before = start_before_flag(config, (*connection)->caller());
  const auto spawned =
      (*connection)->run(workers::send_resume((*connection)->caller(), spawn, *shown));
  if (!spawned) return tl::unexpected(spawned.error());
  drop_draft(arguments.place);
  if (const auto place = workers::resumed_place_text(shown->session, *spawned); !place.empty()) {
    remark(place);
  }
  const bool is_first_given = begins_with_queue && !waiting.empty();
  const auto queued = queue_all(**connection, *spawned, waiting, is_first_given ? 1 : 0);
  if (!queued) return tl::unexpected(queued.error());
  if (arguments.takes_queue && config.output == OutputFormat::table) {
    remark(std::to_string(taken) + (taken == 1 ? " prompt" : " prompts") + " of " +
           shown->session.alias + " had waited" +
           (taken == 0 ? "" : ", and " + spawned->reply.alias + " goes on with them"));
  }
  if (arguments.is_followed) return follow_resumed(**connection, *spawned, spawn);
  print_spawned(config, *spawned);
  return kExitOk;
}

namespace {

// Gives the prompt to a user whom no live session serves; fails with `missing` for another
// reference.
Outcome<Launched> launch_user(Connection& connection, const std::string& reference,
                              const Failure& missing, domain::SendPrompt sent) {
  const workers::SaidToUser said{reference, std::move(sent.prompt),
                                 start_before_flag(connection.config(), connection.caller()),
                                 std::move(sent.files)};
  const bool is_missing = missing.exit_code == kExitNotFound;
  if (!is_missing || !workers::user_named(reference)) return tl::unexpected(missing);
  auto launched = connection.run(workers::launch_for(connection.caller(), said));
  if (!launched) return launched;
  for (const std::string& note : launched->notes) remark("steno: " + note);
  return launched;
}

// Prints what was launched for the user.
void print_launched(const Config& config, const Launched& launched, const std::string& user) {
  projections::SessionRow row;
  row.session = launched.spawned.session;
  row.alias = launched.spawned.reply.alias;
  row.name = launched.spawned.reply.name;
  const std::string began = launched.resumed.empty()
                                ? "opened " + row.alias + " for " + user
                                : row.alias + " goes on with " + launched.resumed + " for " + user;
  print_reply(config, row, launched.spawned.reply, safe_line(began));
}

Outcome<int> send_to_user(Connection& connection, const SendArguments& arguments,
                          const Failure& missing, domain::SendPrompt said) {
  const auto launched = launch_user(connection, arguments.reference, missing, std::move(said));
  if (!launched) return tl::unexpected(launched.error());
  drop_draft(arguments.place);
  if (!arguments.waits) {
    print_launched(connection.config(), *launched, arguments.reference);
    return kExitOk;
  }
  connection.take_interrupts();
  FollowRequest request = request_for(connection, launched->spawned);
  request.ends_with_turn = true;
  request.shows_all = arguments.shows_all;
  return follow_session(connection, request);
}

}  // namespace

Outcome<int> send(const Config& config, const SendArguments& arguments) {
  auto files = files_of(arguments.files, arguments.prompt);
  if (!files) return tl::unexpected(files.error());
  auto prompt = prompt_of(arguments.prompt, arguments.place, !files->empty());
  if (!prompt) return tl::unexpected(prompt.error());
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  domain::SendPrompt send = said_prompt(config, (*connection)->caller(), std::move(*prompt));
  send.is_interrupting = arguments.is_interrupting;
  send.files = std::move(*files);
  const auto shown = (*connection)->find(arguments.reference);
  if (!shown) return send_to_user(**connection, arguments, shown.error(), std::move(send));
  if (arguments.waits) (*connection)->take_interrupts();
  const projections::SessionRow& row = shown->session;
  const base::CommandId id = (*connection)->fresh_command_id();
  const auto sent = (*connection)->run(send_prompt((*connection)->caller(), id, row, send));
  if (!sent) return tl::unexpected(sent.error());
  drop_draft(arguments.place);
  const CommandReplyBody* reply = &sent->reply;
  const std::string pause = paused_text(*reply);
  if (arguments.waits && !pause.empty()) {
    remark("steno: the prompt waits for " + row.alias + pause);
  }
  if (!arguments.waits) {
    print_reply(config, row, *reply, sent->line);
    return kExitOk;
  }
  FollowRequest request;
  request.session = row.session;
  request.alias = row.alias;
  request.agent = row.agent;
  request.after = reply->position;
  request.turn = reply->injected_into.is_set() ? reply->injected_into : base::TurnId{id.bytes};
  // An answer that is repeated after the end of a session's only turn does not name that any more.
  const bool is_known = row.is_multi_turn || reply->injected_into.is_set();
  request.ends_with_turn = is_known;
  request.shows_all = arguments.shows_all || !is_known;
  return follow_session(**connection, request);
}

Outcome<int> message(const Config& config, const MessageArguments& arguments) {
  const auto prompt = prompt_of(arguments.prompt, arguments.place);
  if (!prompt) return tl::unexpected(prompt.error());
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const std::string from = arguments.from.empty() ? (*connection)->caller().self : arguments.from;
  std::string to = arguments.to;
  domain::SendPrompt send{*prompt, false};
  if (!from.empty()) {
    const auto sender = (*connection)->find(from);
    if (!sender) return tl::unexpected(sender.error());
    send.from = sender->session.session;
    const base::SessionId parent = sender->session.descriptor.parent;
    if (to.empty() && parent.is_set()) to = parent.text();
  }
  if (to.empty()) to = "@foreground";
  const auto shown = (*connection)->find(to);
  if (!shown) {
    const auto launched = launch_user(**connection, to, shown.error(), std::move(send));
    if (!launched) return tl::unexpected(launched.error());
    print_launched(config, *launched, to);
    return kExitOk;
  }
  const projections::SessionRow& row = shown->session;
  const auto reply =
      (*connection)->command((*connection)->fresh_command_id(), row.session, row.agent, send);
  if (!reply) return tl::unexpected(reply.error());
  print_reply(config, row, *reply, sent_text(row.alias + " " + row.name, *reply));
  return kExitOk;
}

namespace {

using DoOne = std::function<Outcome<Done>(Connection&, const std::string& reference)>;

// Does it to each session. The first failure is the outcome, after all were tried.
Outcome<int> do_to_each(const Config& config, const std::vector<std::string>& references,
                        const DoOne& one) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const bool is_one = references.size() == 1;
  std::string document;
  std::optional<Failure> failed;
  for (const std::string& reference : references) {
    const auto done = one(**connection, reference);
    if (!done && is_one) return tl::unexpected(done.error());
    if (!done) {
      complain(done.error().exit_code, reference + ": " + done.error().text);
      if (!failed) failed = done.error();
    } else if (config.output == OutputFormat::json && !is_one) {
      document += (document.empty() ? "" : ",") + reply_json(done->row, done->reply);
    } else {
      print_reply(config, done->row, done->reply, done->line);
    }
  }
  if (config.output == OutputFormat::json && !is_one) print("[" + document + "]\n");
  // Each was told of where it happened.
  if (failed) return failed->exit_code;
  return kExitOk;
}

// Finds the session that a reference means, and does it to that.
DoOne to_each(Doing (*act)(const workers::Caller&, projections::SessionRow)) {
  return [act](Connection& connection, const std::string& reference) -> Outcome<Done> {
    auto shown = connection.find(reference);
    if (!shown) return tl::unexpected(shown.error());
    return connection.run(act(connection.caller(), std::move(shown->session)));
  };
}

// Sends a command to the session that the reference means; `tell` says what that does to it as it
// was before.
template <class Tell>
Outcome<Done> command_one(Connection& connection, const std::string& reference,
                          const domain::Command& command, const Tell& tell) {
  const auto shown = connection.find(reference);
  if (!shown) return tl::unexpected(shown.error());
  const projections::SessionRow& row = shown->session;
  const auto reply =
      connection.command(connection.fresh_command_id(), row.session, row.agent, command);
  if (!reply) return tl::unexpected(reply.error());
  return Done{row, *reply, tell(row)};
}

}  // namespace

Outcome<int> interrupt(const Config& config, const SessionsArguments& arguments) {
  return do_to_each(config, arguments.references, to_each(interrupt_turn));
}

Outcome<int> kill(const Config& config, const KillArguments& arguments) {
  if (arguments.references.empty() && !arguments.is_all) {
    return fail(kExitUsage, "name the session, or say --all for every live one: steno kill REF");
  }
  if (arguments.is_all) {
    auto connection = Connection::open(config);
    if (!connection) return tl::unexpected(connection.error());
    return kill_all(**connection, config);
  }
  const DoOne one = to_each(kill_now);
  if (arguments.references.size() == 1) return do_to_each(config, arguments.references, one);
  const auto named = [&](Connection& connection, const std::string& reference) {
    Outcome<Done> killed = one(connection, reference);
    if (killed) killed->line += " " + killed->row.alias + " " + killed->row.name;
    return killed;
  };
  return do_to_each(config, arguments.references, named);
}

Outcome<int> close(const Config& config, const CloseArguments& arguments) {
  const auto tell = [&](const projections::SessionRow& row) {
    if (domain::is_terminal(row.status)) {
      const std::string status(base::enum_name(row.status));
      return arguments.references.size() == 1 ? "already " + status
                                              : row.alias + " is already " + status;
    }
    std::string closing = "closing " + row.alias;
    if (row.pause != domain::EndReason::none) {
      return closing + " once its " + std::to_string(row.turns_waiting) +
             " waiting prompts are done; they are paused " +
             pause_text(row.pause, row.alias, row.paused_until);
    }
    if (row.tasks == 0 || arguments.is_now) return closing;
    return closing + " once " + tasks_text(row.tasks) + " in the background " +
           (row.tasks == 1 ? "has" : "have") + " ended; --now does not wait";
  };
  return do_to_each(
      config, arguments.references, [&](Connection& connection, const std::string& reference) {
        return command_one(connection, reference, domain::CloseSession{arguments.is_now}, tell);
      });
}

Outcome<int> continue_session(const Config& config, const SessionsArguments& arguments) {
  return do_to_each(config, arguments.references, to_each(go_on));
}

Outcome<int> label(const Config& config, const LabelArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto found = (*connection)->find(arguments.reference);
  if (!found) return tl::unexpected(found.error());
  if (!arguments.add.empty() || !arguments.remove.empty()) {
    const auto reply = (*connection)
                           ->command((*connection)->fresh_command_id(), found->session.session,
                                     found->session.agent,
                                     domain::LabelSession{arguments.add, arguments.remove});
    if (!reply) return tl::unexpected(reply.error());
  }
  const auto now = (*connection)->find(found->session.session.text());
  if (!now) return tl::unexpected(now.error());
  const projections::SessionRow& row = now->session;
  const std::string labels = workers::labels_text(row);
  const std::string told = row.alias + (labels.empty() ? " has no labels" : ": " + labels);
  print((config.output == OutputFormat::table ? told : workers::to_json(row)) + "\n");
  return kExitOk;
}

namespace {

Outcome<int> set_foreground(const Config& config, const ReferenceArguments& arguments,
                            bool is_foreground) {
  if (!domain::parse_route(config.channel)) {
    const std::string given = config.channel.empty() ? "none is named" : config.channel;
    return fail(kExitUsage, "--channel: " + given +
                                "; name a place such as 'telegram|1234', or "
                                "'telegram|account|1234', or set STENO_CHANNEL");
  }
  if (is_foreground) {
    // Closed before the next one is opened: a process has one at a time.
    auto connection = Connection::open(config);
    if (!connection) return tl::unexpected(connection.error());
    const auto unheard =
        (*connection)->run(workers::unheard_text((*connection)->caller(), config.channel));
    if (!unheard) return tl::unexpected(unheard.error());
    if (!unheard->empty()) return fail(kExitConflict, *unheard);
  }
  const auto tell = [&](const projections::SessionRow& row) {
    return row.alias + " is in the " + (is_foreground ? "foreground" : "background") + " of " +
           config.channel;
  };
  return do_to_each(
      config, {arguments.reference}, [&](Connection& connection, const std::string& reference) {
        return command_one(connection, reference,
                           domain::SetForeground{config.channel, is_foreground}, tell);
      });
}

}  // namespace

Outcome<int> foreground(const Config& config, const ReferenceArguments& arguments) {
  return set_foreground(config, arguments, true);
}

Outcome<int> background(const Config& config, const ReferenceArguments& arguments) {
  return set_foreground(config, arguments, false);
}

}  // namespace steno
