// One row for each operation, in the order in which helps and lists show them.
#include "workers/operations/operations.hpp"

#include "workers/operations/handlers.hpp"
#include "workers/operations/operation.hpp"

namespace workers {
namespace {

constexpr const char* kSession = "Session: id, alias, name, or the start of one";
constexpr const char* kFiles =
    "Images, PDFs and texts for the agent, which it is given before the prompt: each an absolute "
    "path on this machine, which agents cannot name, or {name, media_type, data}, data in base64";
constexpr const char* kChannel = "A place such as telegram|1234; default: the caller's";

Operation launch_row() {
  using A = LaunchArguments;
  return Describe<A>(
             {"session.launch", "Start a session in the background, which works on a task", true})
      .can("name", &A::name, "Its name; default: made from the prompt", ChatPlace::option)
      .need("prompt", &A::prompt, "The task", ChatPlace::rest)
      .can("workdir", &A::workdir, "The folder that it works in; default: the setting workdir")
      .can("model", &A::model, "Default: the setting model, else the agent's own")
      .can("max_budget_usd", &A::max_budget,
           "What it can spend in dollars, with its resumes, forks and launches; 0: no limit; "
           "default: the "
           "setting budget_usd")
      .or_as("budget_usd")
      .can("system_prompt", &A::system_prompt, "Added to the agent's own")
      .can("allowed_tools", &A::allowed_tools, "Tools that it can use without asking")
      .can("resume_session_id", &A::resumed,
           "Go on with this ended session, or with one that the agent had outside of Steno")
      .can("fork_session", &A::is_fork,
           "With resume_session_id: leave that one unchanged, so that it can be resumed again")
      .can("multi_turn_disabled", &A::is_single_turn, "End it with the answer to the prompt")
      .can("permission_mode", &A::permission_mode,
           "What it can do without asking; default: the setting permission_mode")
      .settings(&A::settings, &A::said)
      .can("origin_channel", &A::channel, kChannel)
      .can(std::string(kFilesParameter), &A::files, kFiles)
      .runs(launch);
}

Operation sessions_row() {
  using A = SessionsArguments;
  return Describe<A>({"session.list", "List sessions, the newest first", false, {}, true})
      .can("status", &A::status, "Only these", ChatPlace::word)
      .can("limit", &A::limit, "The most sessions in the answer")
      .within(1, 1000)
      .can("before", &A::before,
           "Only those opened before this position, which an answer with more to come names")
      .runs(list_sessions);
}

Operation kill_row() {
  using A = KillOneArguments;
  return Describe<A>({"session.kill", "End a session at once", true})
      .need("session", &A::session, kSession, ChatPlace::word)
      .or_as("id")
      .runs(kill_one);
}

Operation output_row() {
  using A = ShownArguments;
  return Describe<A>({"session.output",
                      "Show what a session's agent said and did last",
                      false,
                      {.chat = false},
                      true})
      .need("session", &A::session, kSession)
      .or_as("id")
      .can("lines", &A::lines, "The last lines")
      .within(1, kOutputLinesMax)
      .can("full", &A::is_full, "All lines, at most the last 10,000 or 1 MiB")
      .can("skip", &A::skipped, "Leave out so many of the last lines, to go back")
      .within(0, kOutputLinesMax)
      .runs(show_output);
}

Operation foreground_row() {
  using A = WatchedArguments;
  return Describe<A>({"session.foreground",
                      "Send a session's output to a channel, what it has missed first",
                      true,
                      {.method = false}})
      .need("session", &A::session, kSession, ChatPlace::word)
      .can("lines", &A::lines, "So many of its last lines come with the answer, too")
      .within(0, kOutputLinesMax)
      .can("channel", &A::channel, kChannel)
      .runs(to_foreground);
}

Operation background_row() {
  using A = WatchedArguments;
  return Describe<A>({"session.background",
                      "Stop sending a session's output to a channel",
                      true,
                      {.method = false}})
      .can("session", &A::session, "Session; default: all whose output the channel is sent",
           ChatPlace::word)
      .can("channel", &A::channel, kChannel)
      .runs(to_background);
}

Operation resume_row() {
  using A = GoOnArguments;
  return Describe<A>({"session.resume",
                      "Go on with an ended session as a new one",
                      true,
                      {.tool = false, .method = false}})
      .can("list", &A::lists, "List what can be resumed", ChatPlace::option)
      .can("fork", &A::is_fork, "Leave the old one unchanged", ChatPlace::option)
      .can("session", &A::session, kSession, ChatPlace::word)
      .can("prompt", &A::prompt, "Default: " + std::string(kResumePrompt), ChatPlace::rest)
      .runs(go_on);
}

Operation respond_row() {
  using A = RespondArguments;
  return Describe<A>({"session.respond", "Give a session a further prompt", true})
      .can("interrupt", &A::is_interrupting, "End the turn that runs now", ChatPlace::option)
      .need("session", &A::session, kSession, ChatPlace::word)
      .need("message", &A::message, "The prompt", ChatPlace::rest)
      .can(std::string(kFilesParameter), &A::files, kFiles)
      .runs(respond);
}

Operation interrupt_row() {
  using A = InterruptArguments;
  return Describe<A>({"session.interrupt",
                      "End the turn that a session runs now",
                      true,
                      {.tool = false, .chat = false}})
      .need("session", &A::session, kSession)
      .or_as("id")
      .runs(interrupt_one);
}

Operation set_row() {
  using A = SetArguments;
  return Describe<A>(
             {"session.set", "Give a session that lives other settings", true, {.chat = false}})
      .need("session", &A::session, kSession)
      .or_as("id")
      .changes(&A::settings, &A::said)
      .runs(set);
}

Operation rename_row() {
  using A = RenameArguments;
  return Describe<A>({"session.rename", "Give a session another name; its alias stays", true})
      .need("session", &A::session, kSession, ChatPlace::word)
      .or_as("id")
      .need("name", &A::name, "The name, which no other live session has", ChatPlace::rest)
      .runs(rename);
}

Operation commands_row() {
  using A = CommandsArguments;
  return Describe<A>({"session.commands",
                      "List what a session's agent understands behind a slash",
                      false,
                      {},
                      true})
      .need("session", &A::session, kSession, ChatPlace::word)
      .or_as("id")
      .runs(list_commands);
}

constexpr const char* kAsking =
    "Session that asks: id, alias, name, or the start of one; of several "
    "requests SESSION#NUMBER, as the list says";

Operation approvals_row() {
  using A = ApprovalsArguments;
  return Describe<A>({"session.approvals",
                      "List what agents ask for and wait to be answered, the oldest first",
                      false,
                      {},
                      true})
      .can("session", &A::session, "Only what this one asks", ChatPlace::word)
      .runs(list_approvals);
}

Operation approve_row() {
  using A = ApproveArguments;
  return Describe<A>({"session.approve", "Approve what an agent asks for", true})
      .need("session", &A::session, kAsking, ChatPlace::word)
      .or_as("id")
      .can("for", &A::further,
           "this_call, or a rule allows such calls from now on: of this session, or always",
           ChatPlace::option)
      .can("input", &A::input, "A JSON object that the call gets for its input instead",
           ChatPlace::rest)
      .runs(approve);
}

Operation deny_row() {
  using A = DenyArguments;
  return Describe<A>({"session.deny", "Deny what an agent asks for", true})
      .need("session", &A::session, kAsking, ChatPlace::word)
      .or_as("id")
      .can("reason", &A::reason, "Why, which the agent is told", ChatPlace::rest)
      .runs(deny);
}

Operation answer_row() {
  using A = AnswerArguments;
  return Describe<A>({"session.answer", "Answer a question of an agent", true})
      .need("session", &A::session, kAsking, ChatPlace::word)
      .or_as("id")
      .need("answer", &A::answer,
            "Numbers of choices, separated by commas, or other words; of several questions one "
            "answer a line, or separated by semicolons",
            ChatPlace::rest)
      .runs(answer);
}

Operation events_row() {
  using A = EventsArguments;
  return Describe<A>({"session.events",
                      "List what happened in a session, event by event",
                      false,
                      {.tool = false, .chat = false}})
      .need("session", &A::session, kSession)
      .or_as("id")
      .can("after", &A::after,
           "Only events after this position, such as through of the last answer; 0: all")
      .can("limit", &A::limit, "The most events in the answer")
      .within(1, kEventsMax)
      .can("wait_ms", &A::wait_ms, "Wait so long for an event if there is none")
      .within(0, kEventsWaitMsMax)
      .runs(list_events);
}

constexpr const char* kKey =
    "Session key, such as agent:main:main; main alone: the agent's main conversation";

Operation send_row() {
  using A = SendArguments;
  return Describe<A>({"conversation.send",
                      "Send a message to a conversation, which begins with its first one",
                      true,
                      {.chat = false}})
      .can("key", &A::key, std::string(kKey) + "; default: by the place that it comes from")
      .or_as("sessionKey")
      .need("message", &A::message, "The text")
      .can(std::string(kFilesParameter), &A::files, kFiles)
      .can("channel", &A::channel, "Where it comes from, such as telegram")
      .can("account", &A::account, "Whose account of the channel got it")
      .can("peer", &A::peer, "The person, the group or the channel that it comes from")
      .can("peer_kind", &A::peer_kind, "What the peer is")
      .can("guild", &A::guild, "The server of the channel that it comes from")
      .can("team", &A::team, "Likewise, the team")
      .can("thread", &A::thread, "The thread: it is a conversation of its own")
      .can("to", &A::to, "Where the answer goes to; default: the peer")
      .can("sender", &A::sender, "Who has written it")
      .can("message_id", &A::id, "The channel's own id of it: one that comes twice counts once")
      .can("plain", &A::is_plain,
           "Its sender cannot use the conversation's commands, such as /new: they are words")
      .can("start_within_seconds", &A::start_within,
           "If no agent has begun it by then, it ends as expired; 0: whenever")
      .within(0, kStartWithinMax)
      .can("timeout_seconds", &A::wait, "Wait so long for the agent's answer")
      .within(0, kAnswerWaitMax)
      .runs(send_message);
}

Operation task_row() {
  using A = TaskArguments;
  return Describe<A>({"conversation.spawn",
                      "Give a subagent a task; a message tells the conversation how it ended",
                      true,
                      {.chat = false}})
      .need("task", &A::task, "What it is to do")
      .can("parent", &A::parent,
           "Session key of the conversation that hears of it; default: that of the own session")
      .can("label", &A::label, "A name that no other conversation of the agent has")
      .can("agent_id", &A::agent, "Whose subagent it is; default: the parent's")
      .can("model", &A::model, "The model that works on it")
      .can("run_timeout_seconds", &A::timeout,
           "So long it can take; default: 600; 0: as long as it likes")
      .within(0, kTaskTimeMax)
      .can("cleanup", &A::cleanup,
           "Whether its conversation is deleted once the parent has heard how it ended")
      .runs(start_task);
}

Operation conversations_row() {
  using A = ConversationsArguments;
  return Describe<A>(
             {"conversation.list", "List conversations, those that changed last first", false})
      .can("limit", &A::limit, "The most conversations in the answer")
      .within(1, 1000)
      .can("active_minutes", &A::active_minutes, "Only those that changed since so long; 0: all")
      .within(0, kActiveMinutesMax)
      .can("agent_id", &A::agent, "Whose; default: the caller's")
      .can("all_agents", &A::is_of_all, "Those of all agents")
      .can("kinds", &A::kinds, "Only these: main, group, cron, hook, node, other")
      .can("label", &A::label, "Only those with this label")
      .can("spawned_by", &A::spawned_by, "Only subagents of this session key")
      .can("search", &A::search, "Only those with this in a name, a label, the subject or the key",
           ChatPlace::rest)
      .can("include_derived_titles", &A::with_titles, "Each has its title")
      .can("include_last_message", &A::with_last, "Each has the beginning of what was said last")
      .can("before", &A::before, "Only those behind this one, as an answer with more to come says")
      .runs(list_conversations);
}

Operation conversation_row() {
  using A = ConversationArguments;
  return Describe<A>({"conversation.show", "Show a conversation and its settings", false})
      .can("key", &A::key, kKey, ChatPlace::word)
      .can("session_id", &A::session, "Or the session of its last run")
      .can("label", &A::label, "Or its label")
      .runs(show_conversation);
}

Operation history_row() {
  using A = HistoryArguments;
  return Describe<A>({"conversation.history",
                      "Show what was said in a conversation last",
                      false,
                      {.chat = false},
                      true})
      .need("key", &A::key, kKey)
      .or_as("sessionKey")
      .can("limit", &A::limit, "The most messages in the answer")
      .within(1, kHistoryMax)
      .can("before", &A::before, "Only those before this position, as an answer's from")
      .can("after", &A::after, "The first ones behind this position, as an answer's through")
      .can("include_tools", &A::with_tools, "With calls of tools and their results")
      .runs(show_history);
}

Operation preview_row() {
  using A = PreviewArguments;
  return Describe<A>({"conversation.preview",
                      "Show the last words of several conversations",
                      false,
                      {.tool = false, .chat = false}})
      .need("keys", &A::keys, "Session keys; the first 64 count")
      .can("limit", &A::limit, "The most messages of each")
      .within(1, 50)
      .can("max_chars", &A::characters, "The most characters of each message")
      .within(20, 2'000)
      .runs(preview_conversations);
}

Operation patch_row() {
  using A = PatchArguments;
  return Describe<A>({"conversation.patch",
                      "Change the settings of a conversation",
                      true,
                      {.tool = false, .chat = false}})
      .need("key", &A::key, kKey)
      .entry(&A::set, &A::cleared)
      .runs(patch_conversation);
}

Operation reset_row() {
  using A = ResetArguments;
  return Describe<A>({"conversation.reset",
                      "Begin a new session with the next message",
                      true,
                      {.tool = false, .chat = false}})
      .need("key", &A::key, kKey)
      .can("undo", &A::is_undo, "Go back to the session before the last reset instead")
      .runs(reset_conversation);
}

Operation stop_row() {
  return Describe<KeyArguments>({"conversation.stop",
                                 "Interrupt what runs, and end what waits",
                                 true,
                                 {.tool = false, .chat = false}})
      .need("key", &KeyArguments::key, kKey)
      .or_as("sessionKey")
      .runs(stop_conversation);
}

Operation compact_row() {
  return Describe<KeyArguments>({"conversation.compact",
                                 "Have the agent make its context smaller, in a turn of its own",
                                 true,
                                 {.tool = false, .chat = false}})
      .need("key", &KeyArguments::key, kKey)
      .runs(compact_conversation);
}

Operation delete_row() {
  return Describe<KeyArguments>({"conversation.delete",
                                 "Delete a conversation; its sessions stay on the record",
                                 true,
                                 {.tool = false, .chat = false}})
      .need("key", &KeyArguments::key, kKey)
      .runs(delete_conversation);
}

Operation stats_row() {
  return Describe<NoneArguments>(
             {"session.stats", "Count sessions and add up what they cost", false})
      .runs(report_stats);
}

}  // namespace

const OperationTable& operations() {
  static const OperationTable kAll{{
      launch_row(),        sessions_row(),     kill_row(),      output_row(),    foreground_row(),
      background_row(),    resume_row(),       respond_row(),   interrupt_row(), set_row(),
      rename_row(),        commands_row(),     approvals_row(), approve_row(),   deny_row(),
      answer_row(),        events_row(),       stats_row(),     send_row(),      task_row(),
      conversations_row(), conversation_row(), history_row(),   preview_row(),   patch_row(),
      reset_row(),         stop_row(),         compact_row(),   delete_row(),
  }};
  return kAll;
}

}  // namespace workers
