// <project>/<session>.jsonl is a session, <project>/<session>/subagents/agent-<id>.jsonl and, of
// older versions, <project>/agent-<id>.jsonl are subagents.
#include "workers/stores/claude_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "eventlog/base/list_files.hpp"
#include "workers/engines/json_text.hpp"
#include "workers/stores/file_facts.hpp"
#include "workers/stores/session_ids.hpp"

namespace workers {
namespace {

constexpr std::string_view kSubagent = "agent-";
constexpr std::string_view kSubagents = "/subagents/";
// A first line that is longer names no session.
constexpr std::size_t kFirstLineMax = std::size_t{1} << 20;

// Returns the session that the first line names; empty: it names none.
std::string named_session(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line(kFirstLineMax, '\0');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(in.gcount()));
  line.resize(std::min(line.find('\n'), line.size()));
  const engines::JsonLine json(line);
  const auto object = json.object();
  return object ? (*object)["sessionId"].text() : std::string();
}

// Returns the session in whose folder the subagent's transcript lies; empty: in none's.
std::string holding_session(const std::string& path) {
  const std::size_t end = path.rfind(kSubagents);
  if (end == std::string::npos) return {};
  const std::size_t slash = path.rfind('/', end - 1);
  const std::string name = path.substr(slash + 1, end - slash - 1);
  return base::parse_id(name) ? name : std::string();
}

bool add(const std::string& path, const std::string& stem, const std::string& agent,
         TranscriptSources& all) {
  const bool is_of_subagent = stem.starts_with(kSubagent);
  std::string session = is_of_subagent ? holding_session(path) : stem;
  if (session.empty()) session = named_session(path);
  if (!base::parse_id(session)) return false;
  const std::string part = is_of_subagent ? stem.substr(kSubagent.size()) : std::string();
  TranscriptSource one;
  one.path = path;
  one.agent = agent;
  one.session = imported_id(agent, "claude", session, part);
  one.is_of_subagent = is_of_subagent;
  if (is_of_subagent) one.parent = imported_id(agent, "claude", session, {});
  one.agent_session = session;
  all.transcripts.push_back(std::move(one));
  return true;
}

}  // namespace

base::Result<TranscriptSources> find_claude_transcripts(const std::string& path,
                                                        const std::string& agent) {
  TranscriptSources all;
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (!add(path, name.substr(0, name.rfind('.')), agent, all)) all.others.push_back(path);
    return all;
  }
  std::vector<std::string> folders{path};
  while (!folders.empty()) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    const auto files = base::list_files(folder);
    const bool is_gone = !files && files.error().code == base::ErrorCode::not_found;
    if (!files && folder == path) return tl::unexpected(files.error());
    if (!files && !is_gone) all.faults.push_back({folder, 0, files.error().text});
    if (!files) continue;
    for (const base::ListedFile& file : *files) {
      const bool is_transcript = file.extension() == ".jsonl";
      if (file.kind == base::FileKind::folder) {
        folders.push_back(file.path);
      } else if (file.kind == base::FileKind::other) {
        const bool is_missed = is_transcript || is_folder(file.path);
        if (is_missed) all.faults.push_back({file.path, 0, kNoLinks});
      } else if (is_transcript && !add(file.path, file.stem(), agent, all)) {
        all.others.push_back(file.path);
      }
    }
  }
  sort_by_age(all);
  return all;
}

std::string claude_projects_folder() {
  const char* config = std::getenv("CLAUDE_CONFIG_DIR");
  if (config != nullptr && *config != '\0') return std::string(config) + "/projects";
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "" : home) + "/.claude/projects";
}

// All characters but letters and digits of ASCII become "-".
std::string claude_project(std::string_view workdir) {
  std::string name(workdir);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return !is_letter && (c < '0' || c > '9');
      },
      '-');
  return name;
}

}  // namespace workers
