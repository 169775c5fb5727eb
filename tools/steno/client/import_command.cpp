// `import`: makes sessions of transcripts that others wrote. What was imported before is asked of
// the server, so an import that was ended goes on where it was.
#include <filesystem>
#include <map>
#include <set>

#include "eventlog/domain/text_limits.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/import_report.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/connection/connection.hpp"
#include "workers/stores/claude_folder.hpp"
#include "workers/stores/document_folder.hpp"
#include "workers/stores/transcript_file.hpp"

namespace steno {
namespace {

using domain::ImportTranscript;
using projections::SessionRow;
using workers::TranscriptSource;
using workers::TranscriptSources;

// The refusal of lines behind those that another session has gone on with.
constexpr std::string_view kTakenUp = "session_ended";

Outcome<TranscriptSources> find_sources(const Config& config, const ImportArguments& arguments) {
  if (arguments.is_claude == arguments.is_document) {
    return fail(kExitUsage, "say whose transcripts: --claude or --documents");
  }
  if (arguments.is_document && arguments.folder.empty()) {
    return fail(kExitUsage, "name the folder that has agents/ below it");
  }
  const std::string folder = arguments.folder.empty() ? workers::claude_projects_folder()
                                                      : absolute_path(arguments.folder);
  auto found = arguments.is_claude ? workers::find_claude_transcripts(folder, config.agent)
                                   : workers::find_document_transcripts(folder);
  if (!found) return fail(found.error());
  return std::move(*found);
}

// The sessions on record that an import can meet.
struct Known {
  std::map<base::SessionId, domain::TranscriptImported> imports;
  std::set<base::SessionId> resumed;           // sessions with which another one went on
  std::map<std::string, std::string> holders;  // the agent's own session → who else holds it
};

Outcome<Known> look_up(Connection& connection, const std::vector<TranscriptSource>& transcripts) {
  std::set<base::SessionId> wanted;
  for (const TranscriptSource& one : transcripts) wanted.insert(one.session);
  Known known;
  workers::QueryBody query;
  for (bool has_more = true; has_more;) {
    const auto page = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
    if (!page) return tl::unexpected(page.error());
    for (const SessionRow& row : page->sessions) {
      const bool is_import = row.imported->lines > 0;
      if (is_import && wanted.contains(row.session)) known.imports[row.session] = row.imported;
      if (!is_import && !row.agent_session.empty()) known.holders[row.agent_session] = row.alias;
      // `steno files` names transcripts so.
      if (!is_import) known.holders[row.session.text()] = row.alias;
      if (row.resumed_from.is_set() && !row.is_fork) known.resumed.insert(row.resumed_from);
    }
    has_more = page->has_more;
    query.before = page->before;
  }
  return known;
}

class Importing {
 public:
  Importing(Connection& connection, const ImportArguments& arguments, Known known,
            ImportReport& report)
      : connection_(connection), arguments_(arguments), known_(std::move(known)), report_(report) {}

  // Imports one transcript. Error: of the server, which ends the whole import.
  Outcome<bool> import(const TranscriptSource& source) {
    ImportedFile told{source.path};
    told.session = source.session;
    const bool is_known = known_.imports.contains(source.session);
    auto holder = known_.holders.find(source.agent_session);
    // An index does not name it once a reset has begun another one.
    if (holder == known_.holders.end()) {
      holder = known_.holders.find(std::filesystem::path(source.path).stem().string());
    }
    if (!is_known && holder != known_.holders.end()) {
      told.fate = FileFate::of_steno;
      told.note = holder->second;
      report_.add(told);
      return true;
    }
    domain::TranscriptImported before;
    if (is_known) before = known_.imports.at(source.session);
    workers::TranscriptFileOptions options;
    options.is_of_subagent = source.is_of_subagent;
    options.now = connection_.clock().wall();
    options.entries = source.entries;
    if (arguments_.is_claude) options.form = domain::TranscriptForm::claude;
    workers::TranscriptFile file(source.path, before, options);
    const auto ok = file.open();
    report_.progress(before.bytes);
    if (!ok) {
      const bool is_other =
          ok.error().code == base::ErrorCode::conflict && before.file != source.path;
      told.fate = is_other ? FileFate::duplicate : FileFate::failed;
      told.note = is_other ? "another transcript of the session that was imported from " +
                                 before.file + "; it is not the same, and was left alone"
                           : ok.error().text;
      report_.add(told);
      return true;
    }
    told.fate = is_known ? FileFate::grown : FileFate::imported;
    return send_all(source, file, before, std::move(told));
  }

 private:
  Outcome<bool> send_all(const TranscriptSource& source, workers::TranscriptFile& file,
                         const domain::TranscriptImported& before, ImportedFile told) {
    std::int64_t bytes = before.bytes;
    while (true) {
      auto import = file.next();
      const std::vector<workers::UnreadLine> unread = file.take_unread();
      if (!import) {
        told.fate = FileFate::failed;
        told.note = import.error().text;
        break;
      }
      if (*import) {
        complete(source, **import);
        const auto sent = send(source, **import);
        if (!sent && sent.error().code.empty()) return tl::unexpected(sent.error());
        if (!sent) {
          const bool is_taken_up = sent.error().code == kTakenUp;
          told.fate = is_taken_up ? FileFate::of_steno : FileFate::failed;
          told.note = sent.error().text;
          break;
        }
      }
      for (const workers::UnreadLine& line : unread) report_.add(told.path, line);
      if (!*import) break;
      const domain::TranscriptImported& read = known_.imports[source.session] = (*import)->read;
      report_.progress(read.bytes - bytes);
      bytes = read.bytes;
      told.lines = read.lines - before.lines;
      for (const domain::ImportedLine& line : (*import)->lines) {
        told.messages += static_cast<std::int64_t>(line.messages.size());
      }
    }
    const bool is_over = told.fate == FileFate::failed || told.fate == FileFate::of_steno;
    if (bytes == before.bytes && !is_over) {
      told.fate = before.bytes > 0 ? FileFate::unchanged : FileFate::empty;
    }
    report_.add(told);
    return true;
  }

  Outcome<bool> send(const TranscriptSource& source, const ImportTranscript& import) {
    if (arguments_.is_dry && known_.resumed.contains(source.session)) {
      Failure taken_up{kExitConflict, "another session has gone on with it"};
      taken_up.code = kTakenUp;
      return tl::unexpected(taken_up);
    }
    if (arguments_.is_dry) return true;
    const auto reply =
        connection_.command(connection_.fresh_command_id(), source.session, source.agent, import);
    if (!reply) return tl::unexpected(reply.error());
    return true;
  }

  void complete(const TranscriptSource& source, ImportTranscript& import) {
    import.engine = "claude";
    const bool has_folder =
        import.workdir.starts_with('/') && import.workdir.size() <= domain::kPathBytesMax;
    if (!has_folder) import.workdir = connection_.config().session.workdir;
    if (!source.is_of_subagent) import.read.agent_session = source.agent_session;
    import.parent = source.parent;
    if (!source.title.empty()) import.title = source.title;
  }

  Connection& connection_;
  const ImportArguments& arguments_;
  Known known_;  // also what this import has read
  ImportReport& report_;
};

}  // namespace

Outcome<int> import_transcripts(const Config& config, const ImportArguments& arguments) {
  const auto found = find_sources(config, arguments);
  if (!found) return tl::unexpected(found.error());
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  auto known = look_up(**connection, found->transcripts);
  if (!known) return tl::unexpected(known.error());
  ImportReport report(config.output, arguments.is_dry, total_bytes(found->transcripts));
  for (const workers::IndexFault& fault : found->faults) report.add(fault);
  for (const std::string& other : found->others) {
    report.add(ImportedFile{other, FileFate::other});
  }
  Importing importing(**connection, arguments, std::move(*known), report);
  for (const TranscriptSource& source : found->transcripts) {
    if (const auto ok = importing.import(source); !ok) return tl::unexpected(ok.error());
  }
  return report.finish();
}

}  // namespace steno
