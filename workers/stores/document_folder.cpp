// A transcript is <session>.jsonl, or <session>-topic-<topic>.jsonl, in sessions/. The entry of the
// index that names its session goes with it.
#include "workers/stores/document_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "eventlog/base/list_files.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "workers/engines/json_text.hpp"
#include "workers/stores/file_time.hpp"
#include "workers/stores/json5.hpp"
#include "workers/stores/line_texts.hpp"
#include "workers/stores/session_ids.hpp"

namespace workers {
namespace {

constexpr std::size_t kIndexBytesMax = std::size_t{256} << 20;
constexpr std::string_view kTopic = "-topic-";

struct Entry {
  std::string key;
  std::string json;
  std::string path;  // of the index
};
using Entries = std::multimap<std::string, Entry>;  // by the session's id

bool is_folder(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

// Reads the index as far as it goes. One that is not there has no entries.
void read_index(const std::string& path, Entries& entries, TranscriptSources& all) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return;
  std::string text(kIndexBytesMax + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  const bool is_too_large = text.size() > kIndexBytesMax;
  Json5Members read = read_json5_object(text);
  if (!read.fault.empty()) {
    const std::string what = is_too_large ? "it has more than 256 MiB" : read.fault;
    all.faults.push_back({path, read.line,
                          what + "; " + std::to_string(read.members.size()) +
                              " entries were read, and " +
                              std::to_string(text.size() - std::min(text.size(), read.read_bytes)) +
                              " bytes were not"});
  }
  for (auto& [key, json] : read.members) {
    const engines::JsonLine line(json);
    const auto object = line.object();
    std::string session = object ? (*object)["sessionId"].text() : std::string();
    if (session.empty() && object) session = (*object)["id"].text();
    if (session.empty()) {
      all.faults.push_back({path, 0, "the entry '" + key + "' names no session"});
      continue;
    }
    const auto is_same = [&](const auto& one) { return one.second.key == key; };
    const auto [from, to] = entries.equal_range(session);
    if (std::any_of(from, to, is_same)) continue;
    entries.emplace(session, Entry{key, std::move(json), path});
  }
}

// Returns the agent's own session that the entry names; empty: it names none.
std::string agent_session_of(const engines::JsonObject& entry) {
  for (const char* key : {"sdkSessionId", "claudeCliSessionId"}) {
    if (entry[key].is_text()) return entry[key].text();
  }
  const engines::JsonObject ids = entry["cliSessionIds"].object();
  for (const char* key : {"claude-cli", "claude", "anthropic"}) {
    if (ids[key].is_text()) return ids[key].text();
  }
  return {};
}

void take_entry(const Entry& entry, TranscriptSource& source) {
  source.entry = "{\"key\":" + line_string(entry.key) + ",\"entry\":" + entry.json + "}";
  const engines::JsonLine line(entry.json);
  const auto object = line.object();
  if (!object) return;
  for (const char* key : {"displayName", "label", "subject"}) {
    if (source.title.empty()) source.title = (*object)[key].text();
  }
  source.agent_session = agent_session_of(*object);
}

base::Result<void> find_agent(const std::string& folder, const std::string& name,
                              std::vector<std::pair<std::int64_t, TranscriptSource>>& found,
                              TranscriptSources& all) {
  const std::string agent = domain::normal_agent_id(name);
  Entries entries;
  read_index(folder + "/sessions/sessions.json", entries, all);
  read_index(folder + "/sessions.json", entries, all);
  std::set<std::string> seen;
  if (is_folder(folder + "/sessions")) {
    const auto files = base::list_files(folder + "/sessions");
    if (!files) return tl::unexpected(files.error());
    for (const base::ListedFile& file : *files) {
      if (file.kind != base::FileKind::file) continue;
      const bool is_kept_back = file.name.find(".jsonl.") != std::string::npos;
      if (is_kept_back) all.others.push_back(file.path);
      if (file.extension() != ".jsonl") continue;
      TranscriptSource source;
      source.path = file.path;
      source.agent = agent;
      source.session = imported_id(agent, "documents", name, file.stem());
      const std::string session = file.stem().substr(0, file.stem().find(kTopic));
      const bool is_topic = session != file.stem();
      const auto [from, to] = entries.equal_range(session);
      for (auto entry = from; entry != to; ++entry) {
        const bool is_of_topic = entry->second.key.find(":topic:") != std::string::npos;
        if (is_of_topic != is_topic && std::distance(from, to) > 1) continue;
        take_entry(entry->second, source);
        break;
      }
      seen.insert(session);
      found.emplace_back(changed_at(file.path), std::move(source));
    }
  }
  for (const auto& [session, entry] : entries) {
    if (seen.contains(session)) continue;
    all.faults.push_back({entry.path, 0,
                          "the entry '" + entry.key + "' names the transcript " + session +
                              ".jsonl, which is not there"});
  }
  return {};
}

}  // namespace

base::Result<TranscriptSources> find_document_transcripts(const std::string& path) {
  TranscriptSources all;
  std::vector<std::pair<std::int64_t, TranscriptSource>> found;
  const std::string agents = path + "/agents";
  if (is_folder(agents)) {
    const auto folders = base::list_files(agents);
    if (!folders) return tl::unexpected(folders.error());
    for (const base::ListedFile& folder : *folders) {
      if (folder.kind != base::FileKind::folder) continue;
      if (auto ok = find_agent(folder.path, folder.name, found, all); !ok) {
        return tl::unexpected(ok.error());
      }
    }
  } else {
    if (!is_folder(path)) {
      return base::failure(base::ErrorCode::not_found, "it is no folder", path);
    }
    auto ok = find_agent(path, path.substr(path.rfind('/') + 1), found, all);
    if (!ok) return tl::unexpected(ok.error());
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [changed, source] : found) all.transcripts.push_back(std::move(source));
  return all;
}

}  // namespace workers
