// `import`: makes sessions of transcripts that others wrote. What was imported before is asked of
// the server, so an import that was ended goes on where it was.
#include <algorithm>
#include <map>

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

// So many sessions are looked up at once.
constexpr std::size_t kLookedUpMax = 500;

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

using Rows = std::map<base::SessionId, SessionRow>;

Outcome<Rows> look_up(Connection& connection, const std::vector<TranscriptSource>& transcripts) {
  std::map<std::string, std::vector<base::SessionId>> by_agent;
  for (const TranscriptSource& one : transcripts) by_agent[one.agent].push_back(one.session);
  Rows rows;
  for (const auto& [agent, sessions] : by_agent) {
    for (std::size_t from = 0; from < sessions.size(); from += kLookedUpMax) {
      workers::QueryBody query;
      query.agent = agent;
      query.limit = kLookedUpMax;
      const std::size_t to = std::min(from + kLookedUpMax, sessions.size());
      query.sessions.assign(sessions.begin() + static_cast<std::ptrdiff_t>(from),
                            sessions.begin() + static_cast<std::ptrdiff_t>(to));
      auto answer = connection.ask<workers::ListAnswer>(workers::kVerbList, query);
      if (!answer) return tl::unexpected(answer.error());
      for (SessionRow& row : answer->sessions) rows.emplace(row.session, std::move(row));
    }
  }
  return rows;
}

class Importing {
 public:
  Importing(Connection& connection, const ImportArguments& arguments, ImportReport& report)
      : connection_(connection), arguments_(arguments), report_(report) {}

  // Imports one transcript. Error: of the server, which ends the whole import.
  Outcome<bool> import(const TranscriptSource& source, const SessionRow* known) {
    ImportedFile told{source.path};
    told.session = source.session;
    if (known == nullptr) {
      const auto other = other_holder(source);
      if (!other) return tl::unexpected(other.error());
      if (!other->empty()) {
        told.fate = FileFate::of_steno;
        told.note = *other;
        report_.add(std::move(told));
        return true;
      }
    }
    domain::TranscriptImported before;
    if (known != nullptr) before = known->imported;
    workers::TranscriptFileOptions options;
    options.is_of_subagent = source.is_of_subagent;
    options.now = connection_.clock().wall();
    options.entry = source.entry;
    if (arguments_.is_claude) options.form = domain::TranscriptForm::claude;
    workers::TranscriptFile file(source.path, before, options);
    if (const auto ok = file.open(); !ok) {
      told.fate = FileFate::failed;
      told.note = ok.error().text;
      report_.add(std::move(told));
      return true;
    }
    told.fate = known == nullptr ? FileFate::imported : FileFate::grown;
    return send_all(source, file, before, std::move(told));
  }

 private:
  // Returns the session that has the agent's session for another reason than an import of it;
  // empty: none has.
  Outcome<std::string> other_holder(const TranscriptSource& source) {
    if (source.agent_session.empty()) return std::string();
    workers::QueryBody query;
    query.agent = source.agent;
    query.reference = source.agent_session;
    const auto found = connection_.ask<workers::ShowAnswer>(workers::kVerbShow, query);
    if (!found && found.error().exit_code == kExitNotFound) return std::string();
    if (!found) return tl::unexpected(found.error());
    const SessionRow& row = found->session;
    const bool is_import = row.imported->lines > 0;
    return is_import ? std::string() : row.alias;
  }

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
          const bool is_taken_up = sent.error().code == "session_ended";
          told.fate = is_taken_up ? FileFate::of_steno : FileFate::failed;
          told.note = sent.error().text;
          break;
        }
      }
      for (const workers::UnreadLine& line : unread) report_.add(told.path, line);
      if (!*import) break;
      const domain::TranscriptImported& read = (*import)->read;
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
    report_.add(std::move(told));
    return true;
  }

  Outcome<bool> send(const TranscriptSource& source, const ImportTranscript& import) {
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
    import.read.agent_session = source.agent_session;
    import.parent = source.parent;
    if (!source.title.empty()) import.title = source.title;
  }

  Connection& connection_;
  const ImportArguments& arguments_;
  ImportReport& report_;
};

}  // namespace

Outcome<int> import_transcripts(const Config& config, const ImportArguments& arguments) {
  const auto found = find_sources(config, arguments);
  if (!found) return tl::unexpected(found.error());
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto known = look_up(**connection, found->transcripts);
  if (!known) return tl::unexpected(known.error());
  ImportReport report(config.output, arguments.is_dry, total_bytes(found->transcripts));
  for (const workers::IndexFault& fault : found->faults) report.add(fault);
  for (const std::string& other : found->others) {
    report.add(ImportedFile{other, FileFate::other});
  }
  Importing importing(**connection, arguments, report);
  for (const TranscriptSource& source : found->transcripts) {
    const auto row = known->find(source.session);
    const auto ok = importing.import(source, row == known->end() ? nullptr : &row->second);
    if (!ok) return tl::unexpected(ok.error());
  }
  return report.finish();
}

}  // namespace steno
