// `files`: keeps a folder in the documents' form beside the log, for tools that still read files.
// The log is the truth: whatever stands in the folder is written anew where it differs.
#include <unistd.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "eventlog/base/list_files.hpp"
#include "eventlog/base/new_file.hpp"
#include "eventlog/base/own_folder.hpp"
#include "eventlog/domain/conversation/entry_fields.hpp"
#include "eventlog/domain/session/events.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_export.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/event_json.hpp"
#include "workers/protocol/conversations.hpp"
#include "workers/protocol/status.hpp"
#include "workers/stores/document_paths.hpp"
#include "workers/stores/session_ids.hpp"

namespace steno {
namespace {

using Json = nlohmann::ordered_json;
using projections::ConversationShown;
using projections::SessionRow;

// Its text names the log. A folder with other files and without it is left alone.
constexpr std::string_view kMarkFile = "/.steno-files";
constexpr std::string_view kMarkText =
    "Written by steno files; what is changed here is written anew.";
constexpr std::string_view kMarkLog = "\nlog ";
constexpr base::Duration kBetween = std::chrono::seconds(1);

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Replaces the file at once, if its text differs.
Outcome<bool> put(const std::string& path, const std::string& text) {
  auto file = base::NewFile::open(path, base::OldFile::replaced);
  if (!file) return fail(file.error());
  if (const auto ok = file->write(text); !ok) return fail(ok.error());
  const auto is_changed = file->finish();
  if (!is_changed) return fail(is_changed.error());
  return *is_changed;
}

Outcome<bool> make_folder(const std::string& path) {
  if (const auto ok = base::make_folders(path); !ok) return fail(ok.error());
  return true;
}

// An entry's field in the kind that the documents give it.
Json field_json(const domain::EntryField* field, const std::string& text) {
  if (field == nullptr) return text;
  switch (field->kind) {
    case domain::FieldKind::flag:
      return text == "true" || text == "on" || text == "1";
    case domain::FieldKind::number: {
      const Json number = Json::parse(text, nullptr, false);
      return number.is_number() ? number : Json(text);
    }
    case domain::FieldKind::labels:
      return domain::labels_of(text);
    case domain::FieldKind::text:
    case domain::FieldKind::word:
      return text;
  }
  return text;
}

void add_route(Json& entry, const domain::DeliveryContext& route) {
  if (route.channel.empty()) return;
  const Json thread =
      route.is_thread_number ? Json::parse(route.thread, nullptr, false) : Json(route.thread);
  entry["lastChannel"] = route.channel;
  Json context{{"channel", route.channel}};
  if (!route.to.empty()) entry["lastTo"] = context["to"] = route.to;
  if (!route.account.empty()) entry["lastAccountId"] = context["accountId"] = route.account;
  if (!route.thread.empty()) entry["lastThreadId"] = context["threadId"] = thread;
  entry["deliveryContext"] = std::move(context);
}

// True if the session was imported from a folder as the one that is written. Its id says so.
bool is_of_documents(const SessionRow& row) {
  const std::string& file = row.imported->file;
  const std::size_t slash = file.rfind('/');
  constexpr std::string_view kFolder = "/sessions/";
  const bool is_below = slash != std::string::npos && file.substr(0, slash + 1).ends_with(kFolder);
  if (!is_below) return false;
  const std::string folder = file.substr(0, slash + 1 - kFolder.size());
  const std::string name = file.substr(slash + 1);
  return row.session == workers::imported_id(row.agent, "documents",
                                             folder.substr(folder.rfind('/') + 1),
                                             name.substr(0, name.rfind('.')));
}

struct Written {
  std::int64_t files = 0;
  std::int64_t removed = 0;  // that nothing names any more
};

class Folder {
 public:
  Folder(Connection& connection, const std::string& path)
      : connection_(connection), roots_{path, path} {}

  // Refuses a folder that is somebody else's.
  Outcome<bool> check() {
    const std::string& path = roots_.state;
    const auto status =
        connection_.ask<workers::StatusAnswer>(workers::kVerbStatus, workers::QueryBody{});
    if (!status) return tl::unexpected(status.error());
    if (auto ok = make_folder(path); !ok) return ok;
    const std::string mark = path + std::string(kMarkFile);
    const bool is_ours = ::access(mark.c_str(), F_OK) == 0;
    const bool has_agents = ::access((path + "/agents").c_str(), F_OK) == 0;
    if (!is_ours && has_agents) {
      return fail(kExitConflict, path +
                                     " has agents/ of another program, which are left as they "
                                     "are; import them, and name another folder");
    }
    const std::string log = status->log.text();
    const std::string said = text_of(mark);
    const std::size_t other = said.find(kMarkLog);
    if (other != std::string::npos && said.find(log, other) == std::string::npos) {
      return fail(kExitConflict,
                  path +
                      " is written from another log, so it is left as it is; name another "
                      "folder, or remove it");
    }
    return put(mark, std::string(kMarkText) + std::string(kMarkLog) + log + "\n");
  }

  // Writes all that has changed since the last call, and removes what nothing names any more.
  Outcome<Written> update() {
    const auto status =
        connection_.ask<workers::StatusAnswer>(workers::kVerbStatus, workers::QueryBody{});
    if (!status) return tl::unexpected(status.error());
    if (status->durable == seen_position_) return Written{};
    indexes_.clear();
    named_.clear();
    written_ = {};
    for (const auto step : {&Folder::add_imported, &Folder::add_conversations,
                            &Folder::write_indexes, &Folder::remove_unnamed}) {
      if (const auto ok = (this->*step)(); !ok) return tl::unexpected(ok.error());
    }
    seen_position_ = status->durable;
    return written_;
  }

 private:
  Outcome<bool> write_indexes() {
    for (const auto& [agent, index] : indexes_) {
      const std::string path = workers::index_path(roots_, {}, agent);
      if (auto ok = make_folder(path.substr(0, path.rfind('/'))); !ok) return ok;
      named_.insert(path);
      auto is_changed = put(path, index.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
      if (!is_changed) return is_changed;
      written_.files += *is_changed ? 1 : 0;
    }
    return true;
  }

  // Removes transcripts and indexes of what is no more on the record.
  Outcome<bool> remove_unnamed() {
    const auto agents = base::list_files(roots_.state + "/agents");
    if (!agents) return true;
    for (const base::ListedFile& agent : *agents) {
      if (agent.kind != base::FileKind::folder) continue;
      const auto files = base::list_files(agent.path + "/sessions");
      if (!files) continue;
      for (const base::ListedFile& file : *files) {
        const bool is_of_us = file.extension() == ".jsonl" || file.name == "sessions.json" ||
                              file.name.ends_with(".jsonl.new");
        if (!is_of_us || named_.contains(file.path)) continue;
        if (::unlink(file.path.c_str()) == 0) ++written_.removed;
      }
    }
    return true;
  }

  // Sessions that were imported from such a folder: their lines, and their entries as they were.
  Outcome<bool> add_imported() {
    workers::QueryBody query;
    for (bool has_more = true; has_more;) {
      const auto page = connection_.ask<workers::ListAnswer>(workers::kVerbList, query);
      if (!page) return tl::unexpected(page.error());
      for (const SessionRow& row : page->sessions) {
        if (!is_of_documents(row)) continue;
        if (auto ok = add_imported(row); !ok) return ok;
      }
      has_more = page->has_more;
      query.before = page->before;
    }
    return true;
  }

  Outcome<bool> add_imported(const SessionRow& row) {
    const std::string& from = row.imported->file;
    const std::string name = from.substr(from.rfind('/') + 1);
    const std::string path = workers::documents_folder(roots_, row.agent) + "/" + name;
    if (auto ok = write_transcript({row}, path); !ok) return ok;
    auto& [read, entries] = entries_[row.session];
    if (read != row.last_position) {
      auto found = read_entries(row);
      if (!found) return tl::unexpected(found.error());
      entries = std::move(*found);
      read = row.last_position;
    }
    for (const Json& one : entries) indexes_[row.agent][one.value("key", "")] = one["entry"];
    return true;
  }

  // Returns the entries that indexes had for an imported session.
  Outcome<std::vector<Json>> read_entries(const SessionRow& row) {
    workers::QueryBody query;
    query.agent = row.agent;
    query.reference = row.session.text();
    const auto page = connection_.ask<workers::RecordAnswer>(workers::kVerbRecord, query);
    if (!page) return tl::unexpected(page.error());
    std::vector<Json> entries;
    for (const bus::FeedEvent& event : page->events) {
      const auto seen = workers::see(event);
      if (!seen) return fail(seen.error());
      const auto* line = seen->recorded.event.as<domain::LineImported>();
      if (line == nullptr || !seen->recorded.content) continue;
      if (line->line > 0) break;
      const Json said = Json::parse(seen->recorded.content->text, nullptr, false);
      if (said.is_object() && said.contains("entry")) entries.push_back(said);
    }
    return entries;
  }

  Outcome<bool> add_conversations() {
    workers::QueryBody query;
    for (bool has_more = true; has_more;) {
      const auto page =
          connection_.ask<workers::ConversationsAnswer>(workers::kVerbConversations, query);
      if (!page) return tl::unexpected(page.error());
      for (const ConversationShown& one : page->conversations) {
        if (auto ok = add(one); !ok) return ok;
      }
      has_more = page->has_more && !page->conversations.empty();
      if (!has_more) break;
      query.filter.edit().before = page->conversations.back().updated_at;
      query.filter.edit().before_key = page->conversations.back().key;
    }
    return true;
  }

  Outcome<bool> add(const ConversationShown& one) {
    Json entry = Json::object();
    entry["sessionId"] = one.session.is_set() ? one.session.text() : one.conversation.text();
    entry["updatedAt"] = one.updated_at.us / 1000;
    entry["createdAt"] = one.opened_at.us / 1000;
    entry["lastActive"] = one.updated_at.us / 1000;
    entry["messageCount"] = one.messages;
    entry["status"] = one.run.is_set() || one.waiting > 0 ? "active" : "ended";
    if (!one.parent.empty()) entry["spawnedBy"] = one.parent;
    for (const auto& [name, text] : one.entry) {
      entry[name] = field_json(domain::find_entry_field(name), text);
    }
    add_route(entry, one.last_route);
    for (const domain::PastSession& past : one.past) {
      if (auto ok = add_session(one.agent, past.session, nullptr); !ok) return ok;
    }
    if (one.session.is_set()) {
      if (auto ok = add_session(one.agent, one.session, &entry); !ok) return ok;
    }
    indexes_[one.agent][one.key] = std::move(entry);
    return true;
  }

  Outcome<bool> add_session(const std::string& agent, base::SessionId session, Json* entry) {
    const auto chain = chain_of(connection_, agent, session.text());
    if (!chain) return tl::unexpected(chain.error());
    const SessionRow& row = chain->back();
    if (entry != nullptr) {
      if (!row.agent_session.empty()) (*entry)["sdkSessionId"] = row.agent_session;
      const domain::Usage& usage = row.usage;
      (*entry)["inputTokens"] = usage.input_tokens;
      (*entry)["outputTokens"] = usage.output_tokens;
      (*entry)["tokenCount"] = (*entry)["totalTokens"] = usage.input_tokens + usage.output_tokens +
                                                         usage.cache_read_tokens +
                                                         usage.cache_creation_tokens;
      if (!row.agent_model.empty()) (*entry)["model"] = row.agent_model;
    }
    return write_transcript(*chain, workers::transcript_path(roots_, agent, session.text()));
  }

  // One that has not changed since it was written is not read again, and one whose beginning was
  // archived is left as it is.
  Outcome<bool> write_transcript(const std::vector<SessionRow>& chain, const std::string& path) {
    named_.insert(path);
    std::vector<base::Position> read;
    read.reserve(chain.size());
    for (const SessionRow& row : chain) read.push_back(row.last_position);
    auto& seen = seen_[path];
    const bool is_there = ::access(path.c_str(), F_OK) == 0;
    if (seen.positions == read && (is_there || seen.is_archived)) return false;
    if (auto ok = make_folder(path.substr(0, path.rfind('/'))); !ok) return ok;
    auto file = base::NewFile::open(path, base::OldFile::replaced);
    if (!file) return fail(file.error());
    const auto write = [&](std::string_view part) -> Outcome<bool> {
      if (const auto ok = file->write(part); !ok) return fail(ok.error());
      return true;
    };
    const auto written = write_sessions(
        connection_, written_file(workers::WrittenForm::messages, chain), chain, write);
    const bool is_archived = !written && written.error().exit_code == kExitNotFound;
    if (!written && !is_archived) return tl::unexpected(written.error());
    seen = {std::move(read), is_archived};
    if (is_archived) {
      remark(path + ": left as it is; " + written.error().text);
      return false;
    }
    const auto is_changed = file->finish();
    if (!is_changed) return fail(is_changed.error());
    written_.files += *is_changed ? 1 : 0;
    return true;
  }

  struct Seen {
    std::vector<base::Position> positions;  // of the last event of each session of the chain
    bool is_archived = false;
  };
  struct Entries {
    base::Position read;  // of the session's last event
    std::vector<Json> entries;
  };

  Connection& connection_;
  const workers::DocumentRoots roots_;
  base::Position seen_position_;         // at which the folder was last written
  std::map<std::string, Json> indexes_;  // by agent
  std::set<std::string> named_;          // files of what is on the record
  std::map<std::string, Seen> seen_;     // by transcript
  std::map<base::SessionId, Entries> entries_;
  Written written_;
};

}  // namespace

Outcome<int> keep_files(const Config& config, const FilesArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  Folder folder(**connection, absolute_path(arguments.folder));
  if (const auto ok = folder.check(); !ok) return tl::unexpected(ok.error());
  if (arguments.is_followed) (*connection)->take_interrupts();
  while (true) {
    const auto written = folder.update();
    if (!written) return tl::unexpected(written.error());
    const bool is_told = written->files + written->removed > 0 || !arguments.is_followed;
    if (is_told) {
      remark(std::to_string(written->files) +
             (written->files == 1 ? " file written" : " files written") +
             (written->removed > 0 ? ", " + std::to_string(written->removed) + " removed" : ""));
    }
    if (!arguments.is_followed) return kExitOk;
    const auto ok = (*connection)->wait(kBetween);
    if (!ok && ok.error().exit_code == kExitInterrupted) return kExitOk;
    if (!ok) return tl::unexpected(ok.error());
  }
}

}  // namespace steno
