// The commands that ask the server for something, and the arguments of each. Each returns an exit
// code, or a Failure that says why it could not do its work.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/steno/client/prompt_place.hpp"
#include "tools/steno/config/config.hpp"
#include "tools/steno/text/failure.hpp"
#include "workers/operations/opening.hpp"

namespace steno {

struct TaskToGive;

constexpr std::string_view kAnyWorktree = "true";  // as a flag without a value

struct SpawnArguments {
  std::string prompt;  // "-": read from stdin
  std::string name;
  std::string system_prompt;
  std::vector<std::string> allowed_tools;
  std::int64_t max_turns = 0;
  bool is_multi_turn = false;
  bool continues_after_failure = false;
  bool is_detached = false;          // run: return once the session exists
  std::string parent;                // the session whose subagent it is; empty: it is none
  std::string user;                  // "connector/user/channel"; empty: no user's
  std::vector<std::string> files{};  // that go with the prompt; "-": read from stdin
  std::vector<std::string> labels{};
  PromptPlace place{};
  // The name of the worktree that it gets for itself; kAnyWorktree: one is made; empty: none.
  std::string worktree{};
  std::string template_name{};      // of the project's file (project_settings.hpp); empty: none
  std::vector<std::string> said{};  // the flags that were given: "--name"
};

// Starts a session and follows it to its end.
Outcome<int> run(const Config& config, const SpawnArguments& arguments);
// Starts a session.
Outcome<int> spawn(const Config& config, const SpawnArguments& arguments);

struct ResumeArguments : workers::ResumeRequest {
  std::string reference;  // of a session, or the id of one that the agent had outside of Steno
  bool is_followed = false;
  bool takes_queue = false;          // the prompts that waited when the session ended
  std::vector<std::string> files{};  // as SpawnArguments has them
  PromptPlace place{};
};
Outcome<int> resume(const Config& config, const ResumeArguments& arguments);

struct SendArguments {
  std::string reference;
  std::string prompt;  // "-": read from stdin
  bool is_interrupting = false;
  bool waits = false;  // for the turn's end, printing what the agent says
  bool shows_all = false;
  std::vector<std::string> files{};  // as SpawnArguments has them
  PromptPlace place{};
};
Outcome<int> send(const Config& config, const SendArguments& arguments);

struct MessageArguments {
  std::string prompt;  // "-": read from stdin
  std::string to;      // empty: the parent of a subagent, else the newest session of a user
  std::string from;    // empty: the session whose agent calls, if one does
  PromptPlace place{};
};
Outcome<int> message(const Config& config, const MessageArguments& arguments);

struct ReferenceArguments {
  std::string reference;
};
// Names several sessions. A failure for one leaves the others alone.
struct SessionsArguments {
  std::vector<std::string> references;
};
Outcome<int> interrupt(const Config& config, const SessionsArguments& arguments);
// Changes the settings of a session for which there are flags.
Outcome<int> set(const Config& config, const ReferenceArguments& arguments);
Outcome<int> commands(const Config& config, const ReferenceArguments& arguments);
struct RenameArguments {
  std::string reference;
  std::string name;
};
Outcome<int> rename(const Config& config, const RenameArguments& arguments);
Outcome<int> continue_session(const Config& config, const SessionsArguments& arguments);
Outcome<int> show(const Config& config, const ReferenceArguments& arguments);
// Of the channel that the settings name.
Outcome<int> foreground(const Config& config, const ReferenceArguments& arguments);
Outcome<int> background(const Config& config, const ReferenceArguments& arguments);

struct ApprovalsArguments {
  std::string reference;  // of a session, or of one request; empty: all
  bool all_agents = false;
};
Outcome<int> approvals(const Config& config, const ApprovalsArguments& arguments);

struct AskAnswerArguments {
  std::string reference;             // of a session, or of one of its requests: "REF#NUMBER"
  std::vector<std::string> words;    // why it is denied; or one answer for each question
  std::optional<std::string> input;  // JSON
  bool is_for_session = false;       // such calls of the session are allowed from now on
  bool is_for_always = false;        // of all sessions of the agent
};
Outcome<int> approve(const Config& config, const AskAnswerArguments& arguments);
Outcome<int> deny(const Config& config, const AskAnswerArguments& arguments);
Outcome<int> answer(const Config& config, const AskAnswerArguments& arguments);

struct RuleArguments {
  std::string pattern;
  std::int64_t rule = 0;
  std::string session;  // its reference; empty: all of the agent
  bool all_agents = false;
  bool allows = false;
  bool denies = false;
  bool asks = false;
  std::string command;  // test: of the tool Bash
  std::string tool = "Bash";
  std::string input;  // test: JSON
  // A time, or an age. test: empty tests one call. export: empty leaves the history out.
  std::string since;
  std::vector<std::string> allowed;  // test: patterns of rules that are not stored
  std::vector<std::string> denied;
  std::vector<std::string> asked;
  std::string file;     // import
  bool is_dry = false;  // import: say what would be added
};
Outcome<int> rules_list(const Config& config, const RuleArguments& arguments);
Outcome<int> rules_add(const Config& config, const RuleArguments& arguments);
Outcome<int> rules_import(const Config& config, const RuleArguments& arguments);
Outcome<int> rules_export(const Config& config, const RuleArguments& arguments);
Outcome<int> rules_remove(const Config& config, const RuleArguments& arguments);
Outcome<int> rules_test(const Config& config, const RuleArguments& arguments);
// Holds the rules against the calls on the record.
Outcome<int> rules_test_record(const Config& config, const RuleArguments& arguments);

struct ConversationArguments {
  std::string key;   // a session key, or what stands for one
  std::string text;  // "-": read from stdin
  std::string sender;
  std::string id;                     // the channel's own, of the message
  std::string thread;                 // of the channel where it was written
  std::vector<std::string> files;     // paths; "-": read from stdin
  std::vector<std::string> settings;  // NAME=VALUE; without a value it is cleared
  bool waits = false;                 // for the answer
  bool is_plain = false;              // the message is no command of the conversation
  bool all_agents = false;
  std::vector<std::string> kinds;
  std::string label;
  std::string words;
  std::string since;  // only those that changed since then; empty: all
  std::int64_t limit = 0;
  bool is_tried = false;  // prune: nothing is deleted
  PromptPlace place{};
};
Outcome<int> conversation_send(const Config& config, const ConversationArguments& arguments);
// Gives a subagent a task.
Outcome<int> conversation_spawn(const Config& config, const TaskToGive& arguments);
Outcome<int> conversation_list(const Config& config, const ConversationArguments& arguments);
Outcome<int> conversation_show(const Config& config, const ConversationArguments& arguments);
Outcome<int> conversation_set(const Config& config, const ConversationArguments& arguments);
Outcome<int> conversation_reset(const Config& config, const ConversationArguments& arguments);
Outcome<int> conversation_undo(const Config& config, const ConversationArguments& arguments);
Outcome<int> conversation_stop(const Config& config, const ConversationArguments& arguments);
Outcome<int> conversation_compact(const Config& config, const ConversationArguments& arguments);
Outcome<int> conversation_delete(const Config& config, const ConversationArguments& arguments);
// Deletes those that have not changed since then.
Outcome<int> conversation_prune(const Config& config, const ConversationArguments& arguments);
Outcome<int> conversation_policy(const Config& config, const ConversationArguments& arguments);

struct HookArguments {
  std::string name;
  std::string reference;  // of the session; try: empty: none
  std::int64_t at = 0;    // position of the request to try it on
  std::string point;      // empty: the hook's first one
  std::string tool = "Bash";
  std::string input;   // JSON
  std::string prompt;  // empty: a call is tried
  std::string result;  // what the tool has put out
};
Outcome<int> hooks_list(const Config& config, const HookArguments& arguments);
Outcome<int> hooks_log(const Config& config, const HookArguments& arguments);
Outcome<int> hooks_try(const Config& config, const HookArguments& arguments);

struct HookServeArguments {
  std::string name;                  // of the subscriber
  std::vector<std::string> program;  // and its arguments
};
// Runs a program for each step of the hooks with that subscriber, until it is interrupted.
Outcome<int> hooks_serve(const Config& config, const HookServeArguments& arguments);

struct CloseArguments : SessionsArguments {
  bool is_now = false;  // do not wait for tasks in the background
};
Outcome<int> close(const Config& config, const CloseArguments& arguments);

struct KillArguments : SessionsArguments {
  bool is_all = false;  // every live session of the agent
};
Outcome<int> kill(const Config& config, const KillArguments& arguments);

struct EraseArguments {
  std::string reference;
  std::vector<std::int64_t> positions;  // of single events; empty: the whole session
  bool waits = false;                   // until no file holds the text any more
  bool is_confirmed = false;            // do not ask for confirmation
};
// Asks for confirmation first if stdin is a terminal.
Outcome<int> erase(const Config& config, const EraseArguments& arguments);

struct BackupArguments {
  std::string folder;         // create, verify; a relative path starts at the current folder
  std::string name;           // create: default, the folder's own name; forget
  bool shares_files = false;  // create: with the log, where the file system supports it
};
// Returns once the copy is complete and has been proved.
Outcome<int> backup_create(const Config& config, const BackupArguments& arguments);
Outcome<int> backup_list(const Config& config, const BackupArguments& arguments);
Outcome<int> backup_forget(const Config& config, const BackupArguments& arguments);

struct AnchorArguments {
  std::string file;  // where to write a copy for storage elsewhere; empty: nowhere
};
// Returns once an anchor of everything that is durable now is on the record.
Outcome<int> anchor_create(const Config& config, const AnchorArguments& arguments);
Outcome<int> anchor_show(const Config& config, const AnchorArguments& arguments);

struct ArchiveArguments {
  std::string folder;  // create; a relative path starts at the current folder
  std::string name;    // create: default, the folder's own name; forget
  std::string before;  // create: a position, a time, or an age such as 90d
};
// Returns once the archive has been proved and the log no longer holds its events.
Outcome<int> archive_create(const Config& config, const ArchiveArguments& arguments);
Outcome<int> archive_list(const Config& config, const ArchiveArguments& arguments);
Outcome<int> archive_forget(const Config& config, const ArchiveArguments& arguments);

struct NotifyArguments {
  std::int64_t notification = 0;  // retry, drop
  bool is_all = false;            // retry, drop: each one that was given up
};
Outcome<int> notify_list(const Config& config, const NotifyArguments& arguments);
Outcome<int> notify_retry(const Config& config, const NotifyArguments& arguments);
Outcome<int> notify_drop(const Config& config, const NotifyArguments& arguments);

struct ScheduleArguments {
  std::string name;
  std::string at;  // of these three one is given
  std::string every;
  std::string cron;
  std::string zone;  // empty: this machine's
  std::string to;    // the session that each run prompts; empty: each run opens one
  bool is_heartbeat = false;
  bool uses_subagent = false;
  bool skips_missed = false;
  bool runs_missed = false;  // of a change: the opposite, and likewise of the next two
  bool overlaps = false;
  bool is_apart = false;
  std::string prompt;  // "-": read from stdin; of a change, empty: as it is
  std::vector<std::string> allowed_tools;
  std::int64_t max_turns = 0;
  bool is_multi_turn = false;
  PromptPlace place{};
};
Outcome<int> schedule_add(const Config& config, const ScheduleArguments& arguments);
Outcome<int> schedule_list(const Config& config, const ScheduleArguments& arguments);
Outcome<int> schedule_remove(const Config& config, const ScheduleArguments& arguments);
Outcome<int> schedule_run(const Config& config, const ScheduleArguments& arguments);
Outcome<int> schedule_log(const Config& config, const ScheduleArguments& arguments);
Outcome<int> schedule_show(const Config& config, const ScheduleArguments& arguments);
Outcome<int> schedule_pause(const Config& config, const ScheduleArguments& arguments);
Outcome<int> schedule_unpause(const Config& config, const ScheduleArguments& arguments);
Outcome<int> schedule_edit(const Config& config, const ScheduleArguments& arguments);

struct ChatArguments {
  std::string line;                   // "-": read from stdin
  std::optional<std::string> sender;  // the place that it was said at; none: this user
};
// Does what a line of a chat asks for, and prints the answer.
Outcome<int> chat(const Config& config, const ChatArguments& arguments);

struct McpArguments {};
// Serves the tools to an agent, line by line over stdin and stdout, until stdin ends.
Outcome<int> mcp(const Config& config, const McpArguments& arguments);

struct GatewayArguments {
  std::int64_t parent = 0;  // the process that it ends with; 0: none
};
// Serves JSON-RPC on the bus until Ctrl-C.
Outcome<int> gateway(const Config& config, const GatewayArguments& arguments);

struct ListArguments {
  std::vector<std::string> statuses;  // words; empty: all
  std::string since;                  // an age or a time, and so is the next one; empty: ever
  std::string until;
  std::string name;                 // a part of it, or a pattern; empty: any
  std::string workdir;              // or below; empty: any
  std::string schedule;             // whose run it is; empty: any
  std::vector<std::string> labels;  // that it has, all of them
  std::string sort = "started";
  bool all_agents = false;
  std::int64_t count = 0;  // 0: 50, or with is_quiet all
  bool is_all = false;
  bool is_tree = false;     // subagents below their parents
  bool is_quiet = false;    // only aliases
  bool has_utc = false;     // times of UTC also at a terminal
  bool is_watched = false;  // drawn anew as sessions change
};
Outcome<int> list(const Config& config, const ListArguments& arguments);

struct LabelArguments {
  std::string reference;
  std::vector<std::string> add;  // with none to remove, either: the labels are printed
  std::vector<std::string> remove;
};
Outcome<int> label(const Config& config, const LabelArguments& arguments);

struct DiffArguments {
  std::string reference;
  std::vector<std::string> paths;  // in its folder; empty: the whole repository
  bool is_stat = false;
  bool has_names_only = false;
};
// Shows what a session has changed, by git.
Outcome<int> diff(const Config& config, const DiffArguments& arguments);

// Working trees of git that sessions have for themselves.
struct WorktreeArguments {
  std::string name;  // or its path
  bool is_forced = false;
  bool is_tried = false;  // nothing is removed
};
Outcome<int> worktree_list(const Config& config, const WorktreeArguments& arguments);
Outcome<int> worktree_remove(const Config& config, const WorktreeArguments& arguments);
Outcome<int> worktree_prune(const Config& config, const WorktreeArguments& arguments);

struct TopArguments {
  bool all_agents = false;
};
// A screen of sessions that keeps itself current (tools/steno/top).
Outcome<int> top(const Config& config, const TopArguments& arguments);

struct AttentionArguments {
  std::vector<std::string> dismissed;  // sessions of which a person knows; empty: list all others
  bool dismisses_all = false;          // of all that are listed a person knows
  bool all_agents = false;
};
Outcome<int> attention(const Config& config, const AttentionArguments& arguments);

struct SearchArguments {
  std::vector<std::string> words;  // joined by blanks
  std::string since;               // an age or a time; empty: ever
  bool all_agents = false;
  std::string session;             // empty: all
  std::vector<std::string> roles;  // empty: all
  std::string sort = "best";       // or "newest"
  std::int64_t count = 20;
};
Outcome<int> search(const Config& config, const SearchArguments& arguments);

struct ImportArguments {
  bool is_claude = false;    // Claude Code's transcripts
  bool is_document = false;  // those of an agents' folder in the documents' form
  std::string folder;        // empty: where they are
  bool is_dry = false;       // only say what would be imported
};
Outcome<int> import_transcripts(const Config& config, const ImportArguments& arguments);

struct ExportArguments {
  std::string reference;
  std::string form = "claude-jsonl";  // or "messages-jsonl"
  std::string to;                     // a file that does not exist; empty: stdout
  bool is_installed = false;          // where Claude Code looks for it
};
Outcome<int> export_session(const Config& config, const ExportArguments& arguments);

struct FilesArguments {
  std::string folder;
  bool is_followed = false;  // write on, until Ctrl-C
};
Outcome<int> keep_files(const Config& config, const FilesArguments& arguments);

struct TranscriptArguments {
  std::string reference;  // a session, or a session key
  std::int64_t count = 50;
  std::int64_t before = 0;  // position; 0: none
  std::int64_t after = 0;
  bool is_first = false;           // from the beginning
  std::vector<std::string> roles;  // empty: all
};
Outcome<int> transcript(const Config& config, const TranscriptArguments& arguments);

struct OutputArguments {
  std::string reference;
  std::int64_t count = 200;        // number of last blocks that the agent said
  bool is_counted = false;         // somebody said how many
  std::vector<std::string> kinds;  // of items; empty: all
  bool is_all = false;
  std::int64_t turn = 0;  // only this one, counted from 1, or from −1 backwards; 0: not one alone
  bool is_last = false;   // only the last turn
  std::string since;      // only what was said since then, an age or a time; empty: ever
  bool has_turns = false;  // shows where turns begin and end, also where stdout is no terminal
  bool is_followed = false;
};
Outcome<int> output(const Config& config, const OutputArguments& arguments);
Outcome<int> attach(const Config& config, const ReferenceArguments& arguments);

struct WaitArguments {
  std::vector<std::string> references;
  std::string within;  // a duration; empty: for ever
};
// Returns once all of them have ended, or wait for a prompt. kExitFailed: one of them has failed or
// was killed, or its prompts wait behind a failed turn; kExitTimeout: not within that time.
Outcome<int> wait(const Config& config, const WaitArguments& arguments);

struct StatsArguments {
  bool all_agents = false;
  std::string since;  // an age or a time, and so is the next one; both empty: totals of ever
  std::string until;
};
Outcome<int> stats(const Config& config, const StatsArguments& arguments);

struct WatchArguments {
  std::string reference;     // empty: all sessions of the agent
  std::string from = "now";  // a position, "start" or "now"
  std::string since;         // an age or a time, in place of `from`; empty: `from` says it
  bool all_agents = false;
  std::int64_t count = 0;           // stop after so many events; 0: until Ctrl-C
  bool leaves_out = false;          // long texts that the feed leaves out
  bool is_about_attention = false;  // see watch_attention
};
// Prints a line for each session that needs a person, and for each that comes to need one. Counts
// these.
Outcome<int> watch_attention(const Config& config, const WatchArguments& arguments);
Outcome<int> watch(const Config& config, const WatchArguments& arguments);

}  // namespace steno
