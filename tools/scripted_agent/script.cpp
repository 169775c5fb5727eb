// Numbers are clamped, so that every prompt is a valid script.
#include "tools/scripted_agent/script.hpp"

#include <algorithm>
#include <charconv>

namespace scripted_agent {
namespace {

// Above any limit of ours that a test can want to exceed.
constexpr std::int64_t kCountMax = 1'000'000'000;

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::clamp<std::int64_t>(value, 0, kCountMax);
}

std::int64_t nano_usd(std::string_view text) {
  double usd = 0;
  std::from_chars(text.data(), text.data() + text.size(), usd);
  if (!(usd > 0)) return 0;  // "nan" is a number to from_chars
  return static_cast<std::int64_t>(std::min(usd, 1e6) * 1e9 + 0.5);
}

std::string words(std::int64_t count) {
  std::string out;
  for (std::int64_t i = 0; i < count; ++i) {
    out += (i == 0 ? "word" : " word") + std::to_string(i);
  }
  return out;
}

void apply_ending(Script& script, std::string_view keyword, std::string_view argument) {
  if (keyword == "error") script.ending = Ending::error;
  if (keyword == "crash") script.ending = Ending::crash;
  if (keyword == "halfline") script.ending = Ending::half_line;
  if (keyword == "endless") script.ending = Ending::endless_line;
  if (keyword == "exit") {
    script.ending = Ending::exit;
    script.exit_code = static_cast<int>(number(argument));
  }
}

void apply(Script& script, std::string_view keyword, std::string_view argument) {
  if (keyword == "say") script.text = argument;
  if (keyword == "words") {
    script.text = words(number(argument));
    script.is_streamed_by_word = true;
  }
  if (keyword == "big") script.text = std::string(static_cast<std::size_t>(number(argument)), 'x');
  if (keyword == "delay") script.delay_ms = number(argument);
  if (keyword == "tools") script.tools = number(argument);
  if (keyword == "stderr") script.stderr_bytes = number(argument);
  if (keyword == "later") script.later = argument;
  if (keyword == "task") script.task_ms = number(argument);
  if (keyword == "cost") script.cost_nano_usd = nano_usd(argument);
  if (keyword == "refuse") script.refusal = argument;
  if (keyword == "stop") script.is_stopped = true;
  if (keyword == "mcp") script.broken_server = argument;
  if (keyword == "warn") {
    script.warning = argument;
    script.tools = std::max<std::int64_t>(script.tools, 1);
  }
  if (keyword == "bash") script.command = argument;
  if (keyword == "output") script.output = argument;
  if (keyword == "agent") script.task = argument;
  if (keyword == "fail") script.fails = true;
  if (keyword == "bash" || keyword == "agent") {
    script.tools = std::max<std::int64_t>(script.tools, 1);
  }
  if (keyword == "echo") script.echoes = true;
  if (keyword == "settings") script.says_settings = true;
  if (keyword == "blocks") script.shows_blocks = true;
  if (keyword == "compact") script.compacts = true;
  if (keyword == "question") script.question = argument;
  if (keyword == "plan") script.plan = argument;
  if (keyword == "ask" || keyword == "question" || keyword == "plan") {
    script.asks = true;
    script.tools = std::max<std::int64_t>(script.tools, 1);
  }
  if (keyword == "child") {
    script.starts_child = true;
    script.child_is_bare = argument == "bare";
  }
  if (keyword == "limit") script.limit_s = number(argument);
  if (keyword == "hang") script.hangs = true;
  if (keyword == "deaf") script.is_deaf = true;
  if (keyword == "junk") script.writes_junk = true;
  if (keyword == "invalidutf8") script.writes_invalid_utf8 = true;
  apply_ending(script, keyword, argument);
}

}  // namespace

Script parse_script(std::string_view prompt) {
  Script script;
  const std::string_view whole = prompt;
  const auto finished = [&] {
    if (script.echoes) script.text = whole;
    return script;
  };
  for (;;) {
    const std::size_t open = prompt.find('[');
    if (open == std::string_view::npos) return finished();
    prompt.remove_prefix(open + 1);
    const std::size_t close = prompt.find(']');
    if (close == std::string_view::npos) return finished();
    const std::string_view inside = prompt.substr(0, close);
    const std::size_t space = inside.find(' ');
    const bool has_argument = space != std::string_view::npos;
    apply(script, inside.substr(0, space), has_argument ? inside.substr(space + 1) : "");
    prompt.remove_prefix(close + 1);
  }
}

}  // namespace scripted_agent
