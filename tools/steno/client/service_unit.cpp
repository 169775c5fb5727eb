#include "tools/steno/client/service_unit.hpp"

namespace steno {
namespace {

// A path that a unit takes to the end of the line.
std::string unquoted(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (c == '%') text += c;
    text += c;
  }
  return text;
}

// Quotes a word as systemd.syntax(7) and, for `is_command`, systemd.service(5) have it.
std::string quoted(std::string_view word, bool is_command) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '%' || (c == '$' && is_command)) text += c;
    text += c;
  }
  return text + "\"";
}

void put(std::string& text, std::string_view name, const std::string& value) {
  text.replace(text.find(name), name.size(), value);
}

}  // namespace

std::string unit_text(const std::vector<std::string>& command, const std::string& path) {
  std::string line;
  for (const std::string& word : command) {
    line += (line.empty() ? "" : " ") + quoted(word, true);
  }
  std::string text(unit_template());
  put(text, "@STENO_PROGRAM_FILE@", unquoted(command.front()));
  put(text, "@STENO_SERVE@", line);
  put(text, "@STENO_PATH@", quoted("PATH=" + path, false));
  return text;
}

}  // namespace steno
