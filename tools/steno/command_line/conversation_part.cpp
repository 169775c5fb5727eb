// Declares `conv` with its subcommands, and what goes to and comes from the files of others.
#include "eventlog/domain/conversation/entry_fields.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/task_to_give.hpp"
#include "tools/steno/command_line/prompt_flags.hpp"
#include "tools/steno/command_line/session_flags.hpp"
#include "workers/operations/handlers.hpp"

namespace steno {
namespace {

// Adds a subcommand that is about one conversation.
CLI::App* add_of_conversation(CommandLine& line, CLI::App& parent, const char* name,
                              const char* help, const char* examples,
                              Outcome<int> (*run)(const Config&, const ConversationArguments&)) {
  auto& arguments = line.keep<ConversationArguments>();
  CLI::App* command = line.command(parent, name, help, examples, arguments, reporting(run));
  command->add_option("KEY", arguments.key, "Its session key, or main")->required();
  return command;
}

void add_conversations(CommandLine& line) {
  CLI::App* conversations =
      line.app.add_subcommand("conv", "Places where people and programs keep talking to an agent");
  conversations->require_subcommand(1)->fallthrough();
  auto& listed = line.keep<ConversationArguments>();
  CLI::App* list = line.command(*conversations, "ls", "List them, those that changed last first",
                                "  steno conv ls\n  steno conv ls --kind group --since 1h\n"
                                "  steno conv ls telegram --all-agents -o json",
                                listed, reporting(conversation_list));
  list->add_option("WORDS", listed.words, "Only those with this in a name, a label or the key");
  list->add_flag("-A,--all-agents", listed.all_agents, "Of all agents");
  list->add_option("--kind", listed.kinds,
                   "Only these: main, group, cron, hook, node, other; can be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"main", "group", "cron", "hook", "node", "other"}));
  list->add_option("--label", listed.label, "Only those with this label");
  list->add_option("--since", listed.since, "Only those that changed since then: 2h, 2026-11-20")
      ->type_name("AGE|TIME");
  list->add_option("-n,--limit", listed.limit, "So many at most")->check(within(1, 1'000));
  auto& sent = line.keep<ConversationArguments>();
  CLI::App* send = line.command(
      *conversations, "send", "Send a message; the first one begins the conversation",
      "  steno conv send main 'What is new?'\n"
      "  steno conv send main 'What is new?' --wait\n"
      "  steno conv send main 'Why is it red?' --file shot.png\n"
      "  steno conv send telegram:group:42 'Hello' --channel 'telegram|42' --from ada --id 9\n"
      "  steno conv send main /new\n"
      "Texts that the conversation understands: /new, /reset and /clear begin a new session,\n"
      "/stop ends what runs, /queue collect debounce:2s cap:25 says how messages wait, and\n"
      "/send off sends nothing to its place.",
      sent, prompting(conversation_send, &ConversationArguments::text, true));
  send->add_option("KEY", sent.key, "Its session key, or main")->required();
  add_prompt(send, "TEXT", sent.text, sent.place,
             "The message; - reads it from stdin; needed without a file");
  add_files(send, sent);
  send->add_option("--from", sent.sender, "Who writes, as the channel knows them");
  send->add_option("--id", sent.id,
                   "The channel's id of the message; one that comes twice counts once");
  send->add_option("--thread", sent.thread, "The thread of the channel where it was written");
  send->add_flag("--plain", sent.is_plain, "Commands such as /new are words like any other");
  send->add_flag("--wait", sent.waits, "Print what the agent says in answer");
  line.setting(*send, "start_within", "--start-within");
  line.setting(*send, "channel", "--channel");
  auto& task = line.keep<TaskToGive>();
  CLI::App* spawn = line.command(
      *conversations, "spawn", "Give a subagent a task; a message tells how it ended",
      "  steno conv spawn 'Find out why the build is slow'\n"
      "  steno conv spawn 'Read the logs of today' --parent telegram:group:42 --label logs",
      task, prompting(conversation_spawn, &TaskToGive::task, true));
  add_prompt(spawn, "TASK", task.task, task.place, "What it is to do; - reads it from stdin");
  spawn->add_option("--parent", task.parent,
                    "Session key of the conversation that hears how it ended; default: main");
  spawn->add_option("--label", task.label, "A name that no other conversation of the agent has");
  spawn->add_option("--for-agent", task.agent, "Whose subagent it is; default: the parent's");
  spawn->add_option("--with-model", task.model, "The model that works on it");
  spawn
      ->add_option("--within", task.timeout,
                   "So many seconds it can take, 600 unless it is said; 0: any time")
      ->check(within(0, workers::kTaskTimeMax));
  spawn->add_flag_callback(
      "--delete", [&task] { task.cleanup = domain::RunCleanup::remove; },
      "Delete its conversation once the parent has heard; its session stays on the record");
  add_of_conversation(line, *conversations, "show", "Show one", "  steno conv show main",
                      conversation_show);
  auto& changed = line.keep<ConversationArguments>();
  CLI::App* set = line.command(*conversations, "set", "Change its settings",
                               "  steno conv set main label=home modelOverride=claude-opus-4-5\n"
                               "  steno conv set main queueMode=followup queueCap=\n"
                               "A setting without a value is cleared.",
                               changed, reporting(conversation_set));
  std::string settings = "The settings:";
  for (const domain::EntryField& field : domain::entry_fields()) {
    settings += "\n  " + std::string(field.name) + ": " + std::string(field.help);
  }
  set->footer(set->get_footer() + "\n" + settings);
  set->add_option("KEY", changed.key, "Its session key, or main")->required();
  set->add_option("SETTING", changed.settings, "NAME=VALUE")->required();
  add_of_conversation(line, *conversations, "reset", "Begin a new session with the next message",
                      "  steno conv reset main", conversation_reset);
  add_of_conversation(line, *conversations, "undo", "Go back to the session before the last reset",
                      "  steno conv undo main", conversation_undo);
  add_of_conversation(line, *conversations, "stop",
                      "Interrupt what runs, and give the agent nothing of what waits",
                      "  steno conv stop main", conversation_stop);
  add_of_conversation(line, *conversations, "compact",
                      "Have its agent make its context smaller, in a turn of its own",
                      "  steno conv compact main", conversation_compact);
  auto& asked = line.keep<ConversationArguments>();
  CLI::App* policy = line.command(*conversations, "policy",
                                  "Say what holds for it: sending, waiting, resets, and why",
                                  "  steno conv policy main\n  steno conv policy telegram:group:42",
                                  asked, reporting(conversation_policy));
  policy->add_option("KEY", asked.key, "Its session key, or main")->required();
  add_of_conversation(line, *conversations, "rm", "Delete one; its sessions stay on the record",
                      "  steno conv rm telegram:group:42", conversation_delete);
  auto& pruned = line.keep<ConversationArguments>();
  CLI::App* prune =
      line.command(*conversations, "prune", "Delete those that nobody has used for long",
                   "  steno conv prune --unused 90d --dry-run\n"
                   "  steno conv prune --unused 30d --kind other\n"
                   "Main conversations are kept, and those with work. Sessions stay on the record.",
                   pruned, reporting(conversation_prune));
  prune->add_option("WORDS", pruned.words, "Only those with this in a name, a label or the key");
  prune->add_option("--unused", pruned.since, "Not changed for so long, as 30d, or since a time")
      ->required()
      ->type_name("AGE|TIME");
  prune
      ->add_option("--kind", pruned.kinds,
                   "Only these: group, cron, hook, node, other; can be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"group", "cron", "hook", "node", "other"}));
  prune->add_option("--label", pruned.label, "Only those with this label");
  prune->add_flag("-A,--all-agents", pruned.all_agents, "Of all agents");
  prune->add_flag("--dry-run", pruned.is_tried, "Say which, and delete none");
}

void add_import(CommandLine& line) {
  auto& arguments = line.keep<ImportArguments>();
  CLI::App* command = line.command(
      line.app, "import", "Make ended sessions of transcripts that others wrote",
      "  steno import --claude\n  steno import --claude ~/old-home/.claude/projects\n"
      "  steno import --claude -o jsonl | jq -c 'select(.reading)'\n"
      "  steno import --documents ~/.openclaw\n"
      "They are found by search, read by output, and resumed as others are. What was imported\n"
      "before is not imported again; of a transcript that has grown, what is new is added. The\n"
      "files are only read. Lines that are not understood are named, and kept as they are.",
      arguments, reporting(import_transcripts));
  CLI::Option* claude = command->add_flag("--claude", arguments.is_claude, "Those of Claude Code");
  command
      ->add_flag("--documents", arguments.is_document,
                 "Those of a folder with agents/ID/sessions, and its sessions.json")
      ->excludes(claude);
  command->add_option("FOLDER", arguments.folder,
                      "Claude Code's folder of projects, or one transcript; default: "
                      "~/.claude/projects. With --documents: the folder above agents/");
  command->add_flag("--dry-run", arguments.is_dry, "Only say what would be imported");
}

void add_export(CommandLine& line) {
  auto& arguments = line.keep<ExportArguments>();
  CLI::App* command = line.command(
      line.app, "export", "Write a session as a transcript that other programs read",
      "  steno export nightly > nightly.jsonl\n"
      "  steno export nightly --install && claude --resume\n"
      "  steno export 4fzk --as messages-jsonl --to 4fzk.jsonl\n"
      "It begins with what the sessions said that it goes on with. Lines that were imported come\n"
      "back as they were. What a transcript cannot hold is counted on stderr.",
      arguments, reporting(export_session));
  add_reference(command, arguments);
  command
      ->add_option("--as", arguments.form,
                   "claude-jsonl: as Claude Code keeps it; messages-jsonl: lines of "
                   "{type, message: {role, content}}")
      ->type_name("FORM")
      ->capture_default_str();
  CLI::Option* to = command->add_option("--to", arguments.to, "A file that does not exist yet");
  to->type_name("FILE");
  command
      ->add_flag("--install", arguments.is_installed,
                 "Put it where Claude Code finds it; a transcript that is there is left as it is")
      ->excludes(to);
}

void add_files_command(CommandLine& line) {
  auto& arguments = line.keep<FilesArguments>();
  CLI::App* command = line.command(
      line.app, "files", "Keep a folder of conversations as files, for tools that read files",
      "  steno files ~/conversations\n  steno files ~/conversations --follow\n"
      "It has agents/ID/sessions/sessions.json, and a transcript for each session. The log is the\n"
      "truth: what is changed in the folder is written anew.",
      arguments, reporting(keep_files));
  command->add_option("FOLDER", arguments.folder, "One of its own")->required();
  command->add_flag("--follow,-f", arguments.is_followed, "Write on as things are said");
}

}  // namespace

void add_conversation_commands(CommandLine& line) {
  add_conversations(line);
  add_import(line);
  add_export(line);
  add_files_command(line);
}

}  // namespace steno
