// A transcript is <session>.jsonl, or <session>-topic-<topic>.jsonl, in sessions/. The entries of
// the index that name it, by its file or by its session, go with it.
#include "workers/stores/document_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>

#include "eventlog/base/list_files.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "workers/engines/json_text.hpp"
#include "workers/stores/document_paths.hpp"
#include "workers/stores/file_facts.hpp"
#include "workers/stores/json5.hpp"
#include "workers/stores/line_texts.hpp"
#include "workers/stores/session_ids.hpp"

namespace workers {
namespace {

constexpr std::size_t kIndexBytesMax = std::size_t{256} << 20;
// More entries that name one transcript are no entries of it.
constexpr std::size_t kEntriesMax = 100;
constexpr std::string_view kTopic = "-topic-";

struct Entry {
  std::string key;
  std::string json;
  std::string path;  // of the index
};
using Entries = std::vector<Entry>;

// Returns the session that the entry names; empty: none.
std::string session_of(const engines::JsonObject& entry) {
  const std::string session = entry["sessionId"].text();
  return session.empty() ? entry["id"].text() : session;
}

// Adds an entry, or those of document C's form: {"sessions": {key: entry, …}}.
void add_entry(const std::string& path, const std::string& key, std::string json, Entries& entries,
               TranscriptSources& all) {
  const engines::JsonLine line(json);
  const auto object = line.object();
  const bool is_named = object && !session_of(*object).empty();
  if (!is_named && object && key == "sessions") {
    for (const auto& [name, value] : object->fields()) {
      add_entry(path, name, std::string(value.source()), entries, all);
    }
    return;
  }
  if (!is_named) {
    all.faults.push_back({path, 0, "the entry '" + key + "' names no session"});
    return;
  }
  const auto same = std::find_if(entries.begin(), entries.end(),
                                 [&](const Entry& one) { return one.key == key; });
  if (same == entries.end()) return entries.push_back({key, std::move(json), path});
  if (same->json == json) return;
  all.faults.push_back(
      {path, 0, "the entry '" + key + "' says something else than in " + same->path});
}

// Reads the index as far as it goes. One that is not there has no entries.
void read_index(const std::string& path, Entries& entries, TranscriptSources& all) {
  struct stat facts {};
  const bool is_there = ::stat(path.c_str(), &facts) == 0;
  if (!is_there && (errno == ENOENT || errno == ENOTDIR)) return;
  std::ifstream in(path, std::ios::binary);
  if (!in || !S_ISREG(facts.st_mode)) {
    all.faults.push_back({path, 0, "it cannot be read"});
    return;
  }
  const bool is_too_large = facts.st_size > static_cast<std::int64_t>(kIndexBytesMax);
  std::string text(is_too_large ? kIndexBytesMax : static_cast<std::size_t>(facts.st_size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  Json5Members read = read_json5_object(text);
  if (!read.fault.empty()) {
    const std::string what = is_too_large ? "it has more than 256 MiB" : read.fault;
    all.faults.push_back({path, read.line,
                          what + "; " + std::to_string(read.members.size()) +
                              " entries were read, and " +
                              std::to_string(text.size() - std::min(text.size(), read.read_bytes)) +
                              " bytes were not"});
  }
  for (auto& [key, json] : read.members) add_entry(path, key, std::move(json), entries, all);
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

void take_entry(const Entry& entry, TranscriptSource& source, TranscriptSources& all) {
  if (source.entries.size() >= kEntriesMax) {
    all.faults.push_back(
        {entry.path, 0, "the entry '" + entry.key + "' is one too many of " + source.path});
    return;
  }
  source.entries.push_back("{\"key\":" + line_string(entry.key) + ",\"entry\":" + entry.json + "}");
  const engines::JsonLine line(entry.json);
  const auto object = line.object();
  if (!object) return;
  for (const char* key : {"displayName", "label", "subject"}) {
    if (source.title.empty()) source.title = (*object)[key].text();
  }
  const std::string session = agent_session_of(*object);
  if (session.empty() || !source.agent_session.empty()) return;
  if (base::parse_id(session)) {
    source.agent_session = session;
  } else {
    all.faults.push_back(
        {entry.path, 0,
         "the entry '" + entry.key + "' names a session of the agent that is no UUID"});
  }
}

// One agent's transcripts, by their names without an end.
using Transcripts = std::map<std::string, TranscriptSource>;

// Returns the transcript that the entry is of; null: it is not there.
TranscriptSource* find_transcript(const Entry& entry, Transcripts& transcripts) {
  const engines::JsonLine line(entry.json);
  const auto object = line.object();
  if (!object) return nullptr;
  const std::string session = session_of(*object);
  std::string file = (*object)["sessionFile"].text();
  file = file.substr(file.rfind('/') + 1);
  constexpr std::string_view kTopicKey = ":topic:";
  const std::size_t topic = entry.key.rfind(kTopicKey);
  const bool has_topic = topic != std::string::npos;
  const std::string of_topic =
      has_topic ? transcript_path({}, {}, session, entry.key.substr(topic + kTopicKey.size())) : "";
  for (const std::string& path : {file, of_topic, session + ".jsonl"}) {
    const std::string name = path.substr(path.rfind('/') + 1);
    const auto found = transcripts.find(name.substr(0, name.rfind(".jsonl")));
    if (!name.empty() && found != transcripts.end()) return &found->second;
  }
  const std::string head = session + std::string(kTopic);
  const auto other = transcripts.lower_bound(head);
  const bool is_of_session = other != transcripts.end() && other->first.starts_with(head);
  return is_of_session && !has_topic ? &other->second : nullptr;
}

// Notes what cannot be listed. A folder that is not there is empty.
std::vector<base::ListedFile> list(const std::string& folder, TranscriptSources& all) {
  auto files = base::list_files(folder);
  if (files) return std::move(*files);
  if (files.error().code != base::ErrorCode::not_found) {
    all.faults.push_back({folder, 0, files.error().text});
  }
  return {};
}

void find_agent(const std::string& folder, const std::string& name, TranscriptSources& all) {
  Entries entries;
  read_index(folder + "/sessions/sessions.json", entries, all);
  read_index(folder + "/sessions.json", entries, all);
  Transcripts found;
  for (const base::ListedFile& file : list(folder + "/sessions", all)) {
    const bool is_transcript = file.extension() == ".jsonl";
    const bool is_kept_back = file.name.find(".jsonl.") != std::string::npos;
    const bool is_facts = file.extension() == ".json" && file.name != "sessions.json";
    if (file.kind == base::FileKind::other && is_transcript) {
      all.faults.push_back({file.path, 0, kNoLinks});
    } else if (file.kind == base::FileKind::file && is_transcript) {
      TranscriptSource& source = found[file.stem()];
      source.path = file.path;
      source.agent = domain::normal_agent_id(name);
      source.session = imported_id(source.agent, "documents", name, file.stem());
    } else if (file.kind == base::FileKind::file && (is_kept_back || is_facts)) {
      all.others.push_back(file.path);
    }
  }
  for (const Entry& entry : entries) {
    if (TranscriptSource* source = find_transcript(entry, found)) {
      take_entry(entry, *source, all);
      continue;
    }
    all.faults.push_back(
        {entry.path, 0, "the entry '" + entry.key + "' names a transcript that is not there"});
  }
  for (auto& [stem, source] : found) all.transcripts.push_back(std::move(source));
}

}  // namespace

base::Result<TranscriptSources> find_document_transcripts(const std::string& path) {
  TranscriptSources all;
  const std::string agents = path + "/agents";
  if (is_folder(agents)) {
    const auto folders = base::list_files(agents);
    if (!folders) return tl::unexpected(folders.error());
    for (const base::ListedFile& folder : *folders) {
      if (folder.kind == base::FileKind::folder) find_agent(folder.path, folder.name, all);
      if (folder.kind == base::FileKind::other && is_folder(folder.path)) {
        all.faults.push_back({folder.path, 0, kNoLinks});
      }
    }
  } else {
    if (!is_folder(path + "/sessions")) {
      return base::failure(base::ErrorCode::not_found,
                           "it has no agents/ below it, and is no folder of one agent, with "
                           "sessions/ below it",
                           path);
    }
    find_agent(path, path.substr(path.rfind('/') + 1), all);
  }
  sort_by_age(all);
  return all;
}

}  // namespace workers
