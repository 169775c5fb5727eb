// What became of each file of an import, and of each line that was not understood.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/steno/config/config.hpp"
#include "tools/steno/text/progress_line.hpp"
#include "workers/stores/transcript_file.hpp"
#include "workers/stores/transcript_source.hpp"

namespace steno {

enum class FileFate {
  imported,   // a session was made of it
  grown,      // its further lines were added
  unchanged,  // all of it was there
  empty,      // there is no line in it, or only one that is being written
  of_steno,   // a session of Steno has said it
  other,      // it is no transcript
  duplicate,  // another file of its session was imported, and has other lines
  failed,     // it could not be read, or was refused
};

struct ImportedFile {
  std::string path;
  FileFate fate = FileFate::failed;
  base::SessionId session{};  // that holds it; unset: none
  std::int64_t lines = 0;     // that were added
  std::int64_t messages = 0;  // in these
  std::string note{};         // why, or by whom
};

class ImportReport {
 public:
  ImportReport(OutputFormat format, bool is_dry, std::int64_t bytes);

  void add(const ImportedFile& file);
  void add(const std::string& path, const workers::UnreadLine& line);
  void add(const workers::IndexFault& fault);
  // So many bytes more were read.
  void progress(std::int64_t bytes);
  // Prints the sums. Returns the exit code: kExitFailed if a file failed.
  int finish();

 private:
  const OutputFormat format_;
  const bool is_dry_;
  const std::int64_t bytes_;
  std::int64_t read_ = 0;
  std::map<FileFate, std::int64_t> files_;
  std::int64_t lines_ = 0;
  std::int64_t messages_ = 0;
  std::int64_t faults_ = 0;                     // of indexes
  std::map<std::string, std::int64_t> unread_;  // lines by what was wrong with them
  std::vector<std::string> named_;              // JSON of each file and line
  std::int64_t told_ = 0;                       // lines that were named
  ProgressLine line_;
};

// Returns the size of all of the files.
std::int64_t total_bytes(const std::vector<workers::TranscriptSource>& transcripts);

}  // namespace steno

template <>
struct base::EnumNames<steno::FileFate> {
  static constexpr std::string_view kNames[] = {"imported", "grown", "unchanged", "empty",
                                                "of_steno", "other", "duplicate", "failed"};
};
