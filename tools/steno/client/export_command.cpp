// `export`: writes a session as a transcript, to stdout or into a file that did not exist.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "eventlog/base/unique_fd.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_export.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/stores/claude_folder.hpp"

namespace steno {
namespace {

using projections::SessionRow;
using workers::WrittenForm;

Outcome<WrittenForm> parse_form(const std::string& name) {
  if (name == "claude-jsonl") return WrittenForm::claude;
  if (name == "messages-jsonl") return WrittenForm::messages;
  return fail(kExitUsage, "unknown form '" + name + "'; known are claude-jsonl, messages-jsonl");
}

// Where the lines go: to stdout, or to a file of its own that did not exist.
class Destination {
 public:
  Outcome<bool> open(const std::string& path) {
    path_ = path;
    file_ = base::UniqueFd(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file_.is_open()) return true;
    const int why = errno;
    return fail(
        why == EEXIST ? kExitConflict : kExitFailed,
        path + ": " +
            (why == EEXIST ? "it exists, and is left as it is" : std::string(std::strerror(why))));
  }
  Outcome<bool> write(std::string_view text) {
    if (!file_.is_open()) {
      print(text);
      return true;
    }
    while (!text.empty()) {
      const ssize_t written = ::write(file_.get(), text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return failed();
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  Outcome<bool> close() {
    if (file_.is_open() && ::fsync(file_.get()) != 0) return failed();
    return true;
  }

 private:
  // What was written so far is no transcript.
  Outcome<bool> failed() {
    const std::string why = std::strerror(errno);
    file_.reset();
    ::unlink(path_.c_str());
    return fail(kExitFailed, path_ + ": " + why);
  }

  std::string path_;
  base::UniqueFd file_;
};

std::string count_text(std::int64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

void tell_left_out(const workers::LeftOut& left) {
  const auto tell = [](std::int64_t count, const std::string& one, const std::string& many,
                       const std::string& why) {
    if (count > 0) remark("left out: " + count_text(count, one, many) + "; " + why);
  };
  tell(left.erased, "text", "texts", "erased");
  tell(left.thoughts, "thought", "thoughts",
       "the record does not have the signature that the model's provider asks for");
  tell(left.subagents, "piece", "pieces", "said or done by subagents");
  tell(left.files, "file", "files", "files of prompts are not written");
}

Outcome<std::string> path_of(const ExportArguments& arguments, const SessionRow& row,
                             const std::string& id) {
  if (!arguments.to.empty()) return absolute_path(arguments.to);
  if (!arguments.is_installed) return std::string();
  const std::string folder =
      workers::claude_projects_folder() + "/" + workers::claude_project(row.workdir);
  for (std::size_t at = folder.find('/', 1); at != std::string::npos;
       at = folder.find('/', at + 1)) {
    ::mkdir(folder.substr(0, at).c_str(), 0700);
  }
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(kExitFailed, folder + ": " + std::strerror(errno));
  }
  return folder + "/" + id + ".jsonl";
}

}  // namespace

Outcome<int> export_session(const Config& config, const ExportArguments& arguments) {
  const auto form = parse_form(arguments.form);
  if (!form) return tl::unexpected(form.error());
  if (arguments.is_installed && *form != WrittenForm::claude) {
    return fail(kExitUsage, "only claude-jsonl can be put where Claude Code looks");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto chain = chain_of(**connection, config.agent, arguments.reference);
  if (!chain) return tl::unexpected(chain.error());
  const SessionRow& last = chain->back();
  const workers::WrittenFile file = written_file(*form, *chain);
  const auto path = path_of(arguments, last, file.session);
  if (!path) return tl::unexpected(path.error());
  Destination to;
  if (!path->empty()) {
    if (const auto ok = to.open(*path); !ok) return tl::unexpected(ok.error());
  }
  const auto written = write_sessions(**connection, file, *chain,
                                      [&](std::string_view text) { return to.write(text); });
  if (!written) return tl::unexpected(written.error());
  if (const auto ok = to.close(); !ok) return tl::unexpected(ok.error());
  tell_left_out(written->left_out);
  if (path->empty()) return kExitOk;
  remark(count_text(written->lines, "line", "lines") + " in " + *path);
  if (arguments.is_installed) {
    remark("go on with it in " + last.workdir + ": claude --resume " + file.session);
  }
  return kExitOk;
}

}  // namespace steno
