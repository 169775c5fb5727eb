// The editor is a line of the shell, as git has it: `code --wait` works.
#include "tools/steno/client/prompt_editor.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "eventlog/base/unique_fd.hpp"
#include "tools/steno/client/prompt_input.hpp"
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

std::string editor_line() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (std::string line = variable_text(name); !line.empty()) return line;
  }
  return find_program("editor", variable_text("PATH")).empty() ? "vi" : "editor";
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// Gives the editor the terminal where a pipe stands in its place.
void take_terminal() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) {
    if (::isatty(fd) == 1) continue;
    const int terminal = ::open("/dev/tty", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
    if (terminal < 0) continue;
    ::dup2(terminal, fd);
    ::close(terminal);
  }
}

// Leaves Ctrl-C and Ctrl-\ to the editor while it runs.
class SignalsLeft {
 public:
  SignalsLeft() {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignored, &interrupt_);
    ::sigaction(SIGQUIT, &ignored, &quit_);
  }
  SignalsLeft(const SignalsLeft&) = delete;
  SignalsLeft& operator=(const SignalsLeft&) = delete;
  ~SignalsLeft() { restore(); }
  void restore() const {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGQUIT, &quit_, nullptr);
  }

 private:
  struct sigaction interrupt_ {};
  struct sigaction quit_ {};
};

// Returns what went wrong; empty: it ended with 0.
std::string run_editor(const std::string& line, const std::string& path) {
  flush();
  const std::string script = line + " \"$@\"";
  const SignalsLeft signals;
  const pid_t child = ::fork();
  if (child < 0) return std::string("cannot be started: ") + std::strerror(errno);
  if (child == 0) {
    signals.restore();
    take_terminal();
    ::execl("/bin/sh", "sh", "-c", script.c_str(), line.c_str(), path.c_str(), nullptr);
    ::_exit(kNotFound);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return std::string("is lost: ") + std::strerror(errno);
  }
  if (WIFSIGNALED(status)) {
    return std::string("was ended by signal ") + std::to_string(WTERMSIG(status));
  }
  const int code = WEXITSTATUS(status);
  if (code == kNotFound) return "is not there; set VISUAL or EDITOR to one";
  return code == 0 ? "" : "ended with " + std::to_string(code);
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
  auto path = file_of(draft);
  if (!path) return path;
  const std::string line = editor_line();
  const std::string problem = run_editor(line, *path);
  const auto text = prompt_in_file(*path);
  if (!text) return tl::unexpected(text.error());
  if (problem.empty() && !is_blank(*text)) return path;
  const bool is_kept = !is_blank(*text) && *text != draft;
  if (!is_kept) ::unlink(path->c_str());
  if (problem.empty()) return fail(kExitFailed, "nothing was sent: the editor left no text");
  return fail(kExitFailed, "nothing was sent: the editor '" + line + "' " + problem +
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
