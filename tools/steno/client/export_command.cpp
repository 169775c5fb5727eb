// `export`: writes a session as a transcript, to stdout or into a file that did not exist.
#include <optional>

#include "eventlog/base/new_file.hpp"
#include "eventlog/base/own_folder.hpp"
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
  tell(left.failures, "text", "texts", "why turns failed");
  tell(left.cut_off, "answer", "answers", "cut off before it was whole");
}

Outcome<std::string> path_of(const ExportArguments& arguments, const SessionRow& row,
                             const std::string& id) {
  if (!arguments.to.empty()) return absolute_path(arguments.to);
  if (!arguments.is_installed) return std::string();
  const std::string folder =
      workers::claude_projects_folder() + "/" + workers::claude_project(row.workdir);
  if (!base::parse_id(id)) {
    return fail(kExitFailed, "the agent's own session " + id +
                                 " is no UUID, and so no name of a file of Claude Code's");
  }
  if (const auto ok = base::make_folders(folder); !ok) return fail(ok.error());
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
  std::optional<base::NewFile> to;
  if (!path->empty()) {
    (*connection)->take_interrupts();
    auto opened = base::NewFile::open(*path, base::OldFile::kept);
    if (!opened) return fail(opened.error());
    to.emplace(std::move(*opened));
  }
  const auto write = [&](std::string_view text) -> Outcome<bool> {
    if (!to) print(text);
    if (!to) return true;
    if (const auto ok = to->write(text); !ok) return fail(ok.error());
    return true;
  };
  const auto written = write_sessions(**connection, file, *chain, write);
  if (!written) return tl::unexpected(written.error());
  if (to) {
    if (const auto ok = to->finish(); !ok) return fail(ok.error());
  }
  if (chain->front().resumed_from.is_set()) {
    remark("left out: the sessions before " + chain->front().alias +
           "; a chain of resumes is written from its last 1,000 on");
  }
  tell_left_out(written->left_out);
  if (path->empty()) return kExitOk;
  remark(count_text(written->lines, "line", "lines") + " in " + *path);
  if (arguments.is_installed) {
    remark("go on with it in " + last.workdir + ": claude --resume " + file.session);
  }
  return kExitOk;
}

}  // namespace steno
