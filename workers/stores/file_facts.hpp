// Facts about transcripts, from the file system.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "workers/stores/transcript_source.hpp"

namespace workers {

// In nanoseconds since 1970; 0: the file is not there.
inline std::int64_t changed_at(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return 0;
  return facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec;
}

inline bool is_folder(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

// Puts parents before subagents, and else what was changed first before the others.
inline void sort_by_age(TranscriptSources& all) {
  std::map<std::string, std::int64_t> changed;
  for (const TranscriptSource& one : all.transcripts) changed[one.path] = changed_at(one.path);
  std::stable_sort(all.transcripts.begin(), all.transcripts.end(),
                   [&](const TranscriptSource& a, const TranscriptSource& b) {
                     if (a.is_of_subagent != b.is_of_subagent) return b.is_of_subagent;
                     return changed.at(a.path) < changed.at(b.path);
                   });
}

}  // namespace workers
