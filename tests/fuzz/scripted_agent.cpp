// The scripted agent: lines from its host, and the script in a prompt.
#include "tests/fuzz/fuzz.hpp"
#include "tools/scripted_agent/host_lines.hpp"
#include "tools/scripted_agent/script.hpp"

namespace {

using base::ByteView;
using fuzz::require;

void check_line(std::string_view line) {
  require(line.ends_with('\n') && line.find('\n') == line.size() - 1, "it answers in lines");
  require(nlohmann::json::accept(line), "each is JSON");
}

// False for a prompt with large numbers: a script gets as much text as it asks for.
bool is_small(ByteView prompt) {
  std::size_t digits = 0;
  for (const char c : prompt) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 3) return false;
  }
  return true;
}

}  // namespace

// The first byte: 0 means a prompt; any other is the size of the portions in which lines come.
void fuzz::run(ByteView in) {
  Source source(in);
  const std::size_t size = source.byte();
  const ByteView rest = source.rest();
  if (size == 0) {
    if (!is_small(rest)) return;
    const auto script = scripted_agent::parse_script(rest);
    require(script.delay_ms >= 0 && script.tools >= 0 && script.stderr_bytes >= 0,
            "numbers of a script are not negative");
    return;
  }
  scripted_agent::FrameWriter frames("session", check_line);
  scripted_agent::Settings settings;
  scripted_agent::HostLines host(frames, settings);
  for (std::size_t at = 0; at < rest.size(); at += size) {
    if (!host.take(rest.substr(at, size)).empty()) return;
    while (host.take_prompt()) host.set_turn_running(true);
    host.take_answer("");
  }
}
