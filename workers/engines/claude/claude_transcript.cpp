// The text behind the message is read line by line, and each answer is followed up to its prompt.
#include "workers/engines/claude/claude_transcript.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "eventlog/base/list_files.hpp"
#include "workers/engines/claude/claude_launch.hpp"
#include "workers/engines/json_text.hpp"

namespace engines {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kReadBytesMax = std::uintmax_t{64} << 20;
// The agent's name for the model of what it has put in by itself.
constexpr std::string_view kNoModel = "<synthetic>";

enum class LineKind { other, prompt, answer };

struct Entry {
  LineKind kind = LineKind::other;
  std::string id;
  std::string parent;
  std::string message;  // of an answer: one can have several lines
};

// A result of a tool is no prompt, and neither is a notice that the agent gives itself.
bool is_prompt(const JsonObject& line) {
  if (line["isMeta"].is_true() || line["isCompactSummary"].is_true()) return false;
  const JsonValue content = line["message"].object()["content"];
  if (content.is_text()) return !content.text().starts_with("<task-notification>");
  for (const JsonValue& block : content.items()) {
    if (block.object()["type"].text() == "tool_result") return false;
  }
  return true;
}

// An answer says something or calls a tool. Thoughts alone are not on the record either.
bool is_answer(const JsonObject& message) {
  if (message["model"].text() == kNoModel) return false;
  for (const JsonValue& block : message["content"].items()) {
    const std::string type = block.object()["type"].text();
    if (type == "text" || type == "tool_use") return true;
  }
  return false;
}

Entry read_entry(base::ByteView text) {
  Entry entry;
  const JsonLine line(text);
  const auto fields = line.object();
  if (!fields || (*fields)["isSidechain"].is_true()) return entry;
  entry.id = (*fields)["uuid"].text();
  entry.parent = (*fields)["parentUuid"].text();
  const std::string type = (*fields)["type"].text();
  const JsonObject message = (*fields)["message"].object();
  if (type == "user" && is_prompt(*fields)) entry.kind = LineKind::prompt;
  if (type == "assistant" && is_answer(message)) {
    entry.kind = LineKind::answer;
    entry.message = message["id"].text();
  }
  return entry;
}

// True if a prompt among the entries led to this one.
bool has_prompt(const std::map<std::string, Entry>& entries, const Entry& answer) {
  std::size_t steps = 0;
  for (auto at = entries.find(answer.parent); at != entries.end() && steps < entries.size();
       at = entries.find(at->second.parent), ++steps) {
    if (at->second.kind == LineKind::prompt) return true;
  }
  return false;
}

std::string value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment) {
    const bool is_it = entry.starts_with(name) && entry.substr(name.size()).starts_with('=');
    if (is_it) return entry.substr(name.size() + 1);
  }
  return {};
}

// Returns the session's transcript that was written last. The agent has one folder for each working
// folder, and finds a session in any of them.
std::string find_transcript(const std::vector<std::string>& environment,
                            const std::string& agent_session) {
  if (agent_session.find('/') != std::string::npos) return {};
  std::string place = value_of(environment, "CLAUDE_CONFIG_DIR");
  if (place.empty()) place = value_of(environment, "HOME") + "/.claude";
  const auto folders = base::list_files(place + "/projects");
  if (!folders) return {};
  std::string newest;
  fs::file_time_type written{};
  for (const base::ListedFile& folder : *folders) {
    std::error_code none;
    const std::string path = folder.path + "/" + agent_session + ".jsonl";
    const auto at = fs::last_write_time(path, none);
    if (none || (!newest.empty() && at <= written)) continue;
    newest = path;
    written = at;
  }
  return newest;
}

std::string read_end(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || path.empty()) return {};
  const std::uintmax_t begin = size > kReadBytesMax ? size - kReadBytesMax : 0;
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  std::string text(static_cast<std::size_t>(size - begin), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

std::int64_t count_answers_behind(base::ByteView transcript, std::string_view message) {
  const std::string mark = "\"uuid\":\"" + std::string(message) + "\"";
  std::size_t at = message.empty() ? std::string::npos : transcript.find(mark);
  if (at == std::string::npos) return 0;
  at = transcript.find('\n', at);
  std::map<std::string, Entry> entries;
  while (at != std::string::npos && at + 1 < transcript.size()) {
    const std::size_t end = transcript.find('\n', at + 1);
    Entry entry = read_entry(transcript.substr(at + 1, end - at - 1));
    if (!entry.id.empty()) entries.emplace(entry.id, std::move(entry));
    at = end;
  }
  std::set<std::string> answers;
  for (const auto& [id, entry] : entries) {
    if (entry.kind == LineKind::answer && has_prompt(entries, entry)) answers.insert(entry.message);
  }
  return static_cast<std::int64_t>(answers.size());
}

std::int64_t count_answers_of_others(const EngineSettings& settings, const SessionLaunch& session) {
  const std::string& resumed = session.resume_agent_session.empty()
                                   ? *session.spec.resume_agent_session
                                   : session.resume_agent_session;
  if (resumed.empty() || session.last_message.empty()) return 0;
  const std::string path = find_transcript(claude_launch(settings, session).environment, resumed);
  return count_answers_behind(read_end(path), session.last_message);
}

}  // namespace engines
