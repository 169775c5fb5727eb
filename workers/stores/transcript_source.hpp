// A transcript that can be imported, whichever program has written it.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/ids.hpp"

namespace workers {

struct TranscriptSource {
  std::string path;
  std::string agent;          // whose session it becomes
  base::SessionId session;    // that holds it: two imports of it find the same one
  std::string agent_session;  // the agent's own session that it is of; empty: not known
  bool is_of_subagent = false;
  base::SessionId parent{};            // of a subagent; unset: not known
  std::string title{};                 // the words of its name; empty: as the transcript says
  std::vector<std::string> entries{};  // of an index that name it, JSON: {"key": …, "entry": …}
};

// A folder, a file or a place of an index that cannot be read; or an entry that names what is not
// there.
struct IndexFault {
  std::string path;
  std::size_t line = 0;  // 0: not known
  std::string text;
};

struct TranscriptSources {
  std::vector<TranscriptSource> transcripts;  // parents before their subagents, else by their age
  std::vector<std::string> others;            // files of lines that are none
  std::vector<IndexFault> faults;
};

constexpr const char* kNoLinks = "it is a symbolic link, or no file; it was left alone";

}  // namespace workers
