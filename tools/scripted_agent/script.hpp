// The script of a turn, from [keywords] anywhere in the prompt's text:
//
//   [say TEXT]     answer with TEXT (the default answer is "Done.")
//   [words N]      answer with N words, streamed one by one
//   [delay MS]     wait so long before each word, tool result and answer
//   [tools N]      N tool calls first
//   [bash COMMAND] these calls are of that command
//   [output TEXT]  what each of them yields
//   [fail]         these calls fail
//   [agent TASK]   start a subagent for that task, which does nothing
//   [echo]         answer with the prompt as it was given
//   [settings]     answer with the mode, the model and the thinking that it has been told
//   [blocks]       answer with the prompt's blocks, see Prompt; so does a prompt without a text
//   [compact]      make the conversation shorter first
//   [ask]          ask for permission before each tool call (one call when [tools] is missing)
//   [question Q|A|B]  ask Q with the choices A and B; further questions behind a slash
//   [plan TEXT]    ask for approval of that plan
//   [big N]        answer with N bytes
//   [cost X]       the turn costs X US dollars
//   [later TEXT]   after the turn's result, say TEXT in a turn of the agent's own, as after the end
//                  of a task in the background
//   [task MS]      start such a task, which takes so long; without [later] the agent then says that
//                  it has ended
//   [child]        start a child in a session of its own, which sleeps for ten minutes;
//                  "[child bare]": also without any environment
//   [refuse TEXT]  the prompt is refused before the model is asked, as by a hook, for that reason
//   [limit S]      the provider refuses calls until S seconds after the first such turn of the
//                  process, or of the session, where that is remembered
//   [stop]         a hook stops the turn behind its tool calls, without an answer
//   [warn TEXT]    warn of each tool call that a hook gave no verdict (one call when [tools] is
//                  missing)
//   [mcp NAME]     an MCP server of that name has failed to start
//   [hang]         never answer until interrupted
//   [deaf]         ignore SIGTERM from now on
//   [error]        end the turn with is_error
//   [exit N]       exit with code N instead of a result
//   [crash]        die of SIGKILL instead of a result
//   [halfline]     write half a line, then exit 0
//   [endless]      write one line that never ends
//   [invalidutf8]  answer with bytes that are not UTF-8
//   [junk]         write a line that is not JSON before the answer
//   [stderr N]     write N bytes to stderr
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scripted_agent {

enum class Ending { result, error, exit, crash, half_line, endless_line };

struct Script {
  std::string text = "Done.";
  bool is_streamed_by_word = false;
  std::int64_t delay_ms = 0;
  std::int64_t tools = 0;
  std::int64_t stderr_bytes = 0;
  std::optional<std::int64_t> cost_nano_usd;
  std::optional<std::string> later;
  std::optional<std::int64_t> task_ms;
  std::optional<std::string> refusal;
  std::optional<std::string> warning;
  std::optional<std::string> broken_server;
  bool is_stopped = false;
  std::optional<std::int64_t> limit_s;
  bool asks = false;
  std::optional<std::string> command;
  std::optional<std::string> output;
  std::optional<std::string> task;
  bool fails = false;
  bool echoes = false;
  bool says_settings = false;
  bool shows_blocks = false;
  bool compacts = false;
  std::optional<std::string> question;
  std::optional<std::string> plan;
  bool starts_child = false;
  bool child_is_bare = false;
  bool hangs = false;
  bool is_deaf = false;
  bool writes_junk = false;
  bool writes_invalid_utf8 = false;
  Ending ending = Ending::result;
  int exit_code = 0;
};

// Unknown keywords are ignored; of several of one kind the last counts.
Script parse_script(std::string_view prompt);

}  // namespace scripted_agent
