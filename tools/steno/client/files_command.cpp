// `files`: keeps a folder in the documents' form beside the log, for tools that still read files.
// The log is the truth: whatever stands in the folder is written anew where it differs.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "eventlog/base/unique_fd.hpp"
#include "eventlog/domain/conversation/entry_fields.hpp"
#include "eventlog/domain/session/events.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/session_export.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/event_json.hpp"
#include "workers/protocol/conversations.hpp"
#include "workers/stores/document_paths.hpp"

namespace steno {
namespace {

using Json = nlohmann::ordered_json;
using projections::ConversationShown;
using projections::SessionRow;

// Its text names the log. A folder with other files and without it is left alone.
constexpr std::string_view kMarkFile = "/.steno-files";
constexpr base::Duration kBetween = std::chrono::seconds(1);

tl::unexpected<Failure> failed(const std::string& path) {
  return fail(kExitFailed, path + ": " + std::strerror(errno));
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Replaces the file at once, if its text differs.
Outcome<bool> put(const std::string& path, const std::string& text) {
  if (text_of(path) == text && ::access(path.c_str(), F_OK) == 0) return false;
  const std::string fresh = path + ".new";
  const base::UniqueFd file(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return failed(fresh);
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed(fresh);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.get()) != 0 || ::rename(fresh.c_str(), path.c_str()) != 0) return failed(fresh);
  return true;
}

Outcome<bool> make_folder(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    ::mkdir(path.substr(0, at).c_str(), 0700);
  }
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed(path);
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

class Folder {
 public:
  Folder(Connection& connection, const std::string& path)
      : connection_(connection), roots_{path, path} {}

  // Refuses a folder that is somebody else's.
  Outcome<bool> check() {
    const std::string& path = roots_.state;
    if (auto ok = make_folder(path); !ok) return ok;
    const std::string mark = path + std::string(kMarkFile);
    const bool is_ours = ::access(mark.c_str(), F_OK) == 0;
    const bool has_agents = ::access((path + "/agents").c_str(), F_OK) == 0;
    if (!is_ours && has_agents) {
      return fail(kExitConflict, path +
                                     " has agents/ of another program, which are left as they "
                                     "are; import them, and name another folder");
    }
    return put(mark, "Written by steno files; what is changed here is written anew.\n");
  }

  // Writes all that has changed. Returns the number of files that were written.
  Outcome<std::int64_t> update() {
    indexes_.clear();
    written_ = 0;
    for (const auto step : {&Folder::add_imported, &Folder::add_conversations}) {
      if (const auto ok = (this->*step)(); !ok) return tl::unexpected(ok.error());
    }
    for (const auto& [agent, index] : indexes_) {
      const std::string path = workers::index_path(roots_, {}, agent);
      const auto ok = write(path, index.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
      if (!ok) return tl::unexpected(ok.error());
    }
    return written_;
  }

 private:
  Outcome<bool> write(const std::string& path, const std::string& text) {
    if (auto ok = make_folder(path.substr(0, path.rfind('/'))); !ok) return ok;
    auto changed = put(path, text);
    if (changed && *changed) ++written_;
    return changed;
  }

  // Sessions that were imported from such a folder: their lines, and their entries as they were.
  Outcome<bool> add_imported() {
    workers::QueryBody query;
    for (bool has_more = true; has_more;) {
      const auto page = connection_.ask<workers::ListAnswer>(workers::kVerbList, query);
      if (!page) return tl::unexpected(page.error());
      for (const SessionRow& row : page->sessions) {
        const domain::TranscriptForm form = row.imported->form;
        const bool is_document =
            form == domain::TranscriptForm::typed || form == domain::TranscriptForm::roles;
        if (!is_document) continue;
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
    if (auto ok = write_transcript({row}, path, row); !ok) return ok;
    return add_entry(row);
  }

  // Adds the entry that the index had for an imported session.
  Outcome<bool> add_entry(const SessionRow& row) {
    workers::QueryBody query;
    query.agent = row.agent;
    query.reference = row.session.text();
    const auto page = connection_.ask<workers::RecordAnswer>(workers::kVerbRecord, query);
    if (!page) return tl::unexpected(page.error());
    for (const bus::FeedEvent& event : page->events) {
      const auto seen = workers::see(event);
      if (!seen) return fail(seen.error());
      const auto* line = seen->recorded.event.as<domain::LineImported>();
      if (line == nullptr) continue;
      if (line->line > 0) return true;
      if (!seen->recorded.content) continue;
      const Json said = Json::parse(seen->recorded.content->text, nullptr, false);
      if (said.is_object()) indexes_[row.agent][said.value("key", "")] = said["entry"];
    }
    return true;
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
    return write_transcript(*chain, workers::transcript_path(roots_, agent, session.text()), row);
  }

  // One that has not changed since it was written is not read again.
  Outcome<bool> write_transcript(const std::vector<SessionRow>& chain, const std::string& path,
                                 const SessionRow& row) {
    const bool is_there = ::access(path.c_str(), F_OK) == 0;
    if (is_there && seen_[path] == row.last_position) return false;
    std::string text;
    const auto written =
        write_sessions(connection_, written_file(workers::WrittenForm::messages, chain), chain,
                       [&](std::string_view part) -> Outcome<bool> {
                         text += part;
                         return true;
                       });
    if (!written) return tl::unexpected(written.error());
    seen_[path] = row.last_position;
    return write(path, text);
  }

  Connection& connection_;
  const workers::DocumentRoots roots_;
  std::map<std::string, Json> indexes_;         // by agent
  std::map<std::string, base::Position> seen_;  // of the last event that a transcript has
  std::int64_t written_ = 0;
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
    const bool is_told = *written > 0 || !arguments.is_followed;
    if (is_told) {
      remark(std::to_string(*written) + (*written == 1 ? " file written" : " files written"));
    }
    if (!arguments.is_followed) return kExitOk;
    const auto ok = (*connection)->wait(kBetween);
    if (!ok && ok.error().exit_code == kExitInterrupted) return kExitOk;
    if (!ok) return tl::unexpected(ok.error());
  }
}

}  // namespace steno
