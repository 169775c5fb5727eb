// The editor is a line of the shell, as git has it: `code --wait` works.
#include "tools/steno/client/prompt_editor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "eventlog/base/unique_fd.hpp"
#include "tools/steno/client/prompt_input.hpp"
#include "tools/steno/client/terminal_program.hpp"
#include "tools/steno/config/find_program.hpp"
#include "tools/steno/text/console.hpp"

namespace steno {
namespace {

constexpr const char* kSuffix = ".md";  // what editors show prompts as
constexpr int kNotFound = 127;          // exit code of a shell

std::string variable_text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Failure usage: nobody named one, and there is no terminal, which the usual ones need.
Outcome<std::string> editor_line() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (std::string line = variable_text(name); !line.empty()) return line;
  }
  if (!base::UniqueFd(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)).is_open()) {
    return fail(kExitUsage,
                "there is no terminal for an editor; give the prompt by --prompt-file FILE, or set "
                "VISUAL or EDITOR to a program that needs no terminal");
  }
  return find_program("editor", variable_text("PATH")).empty() ? "vi" : "editor";
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// Returns what went wrong; empty: it ended with 0.
std::string run_editor(const std::string& line, const std::string& path) {
  TerminalRun how;
  how.takes_terminal = true;
  const TerminalEnd end = run_on_terminal({"/bin/sh", "-c", line + " \"$@\"", line, path}, how);
  if (!end.problem.empty()) return end.problem;
  if (end.signal != 0) return "was ended by signal " + std::to_string(end.signal);
  if (end.exit_code == kNotFound) return "is not there; set VISUAL or EDITOR to one";
  return end.exit_code == 0 ? "" : "ended with " + std::to_string(end.exit_code);
}

// Makes a file of this user alone that holds the draft.
Outcome<std::string> file_of(const std::string& draft) {
  std::string path = variable_text("TMPDIR");
  path = (path.empty() ? "/tmp" : path) + "/steno-prompt-XXXXXX" + kSuffix;
  const base::UniqueFd made(
      ::mkostemps(path.data(), static_cast<int>(std::strlen(kSuffix)), O_CLOEXEC));
  const std::string text = draft.empty() ? "" : draft + "\n";
  const bool is_made = made.is_open() && ::write(made.get(), text.data(), text.size()) ==
                                             static_cast<ssize_t>(text.size());
  if (is_made) return path;
  return fail(kExitFailed, "no file for the editor: " + path + ": " + std::strerror(errno));
}

}  // namespace

Outcome<std::string> edit_prompt(const std::string& draft) {
  auto line = editor_line();
  if (!line) return line;
  auto path = file_of(draft);
  if (!path) return path;
  const std::string problem = run_editor(*line, *path);
  const auto text = prompt_in_file(*path);
  if (!text) return tl::unexpected(text.error());
  if (problem.empty() && !is_blank(*text)) return path;
  const bool is_kept = !is_blank(*text) && *text != draft;
  if (!is_kept) ::unlink(path->c_str());
  if (problem.empty()) return fail(kExitFailed, "nothing was sent: the editor left no text");
  return fail(kExitFailed, "nothing was sent: the editor '" + *line + "' " + problem +
                               (is_kept ? "; the text is in " + *path : ""));
}

void drop_draft(const PromptPlace& place) {
  if (place.is_draft) ::unlink(place.file.c_str());
}

void leave_edited(const std::string& path, bool is_sent) {
  if (is_sent) {
    ::unlink(path.c_str());
  } else if (::access(path.c_str(), F_OK) == 0) {
    remark("steno: what you wrote is kept in " + path + ", which --prompt-file reads");
  }
}

}  // namespace steno
