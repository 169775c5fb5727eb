// Reads a transcript's file into imports, from where an earlier one has ended. Its memory does not
// grow with the file. The file is only read.
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/result.hpp"
#include "workers/stores/transcript_lines.hpp"

namespace workers {

// A line that was not understood. It is kept as it is, unless it is left for the next import.
struct UnreadLine {
  std::int64_t line = 0;
  domain::LineReading reading = domain::LineReading::understood;
  std::string kind;  // the line's own word for what it is; empty: none
  std::int64_t bytes = 0;
  bool is_left = false;  // it may still be written: the file was changed a moment ago
};

struct TranscriptFileOptions {
  bool is_of_subagent = false;
  Time now;  // wall time: a last line without an end is left if the file was changed just before
  domain::TranscriptForm form = domain::TranscriptForm::unknown;  // unknown: as its lines say
  std::vector<std::string> entries;  // of indexes: recorded as lines 0, with the first import
};

class TranscriptFile {
 public:
  // `before`: how far the file was read; the default: not at all.
  TranscriptFile(std::string path, domain::TranscriptImported before,
                 const TranscriptFileOptions& options);

  // Opens the file, and checks that it begins as it did. Errors: io; conflict: the part that was
  // read has changed.
  base::Result<void> open();
  // Returns the next import, without the agent's session and the engine; none: the file is read to
  // its end. Error: io.
  base::Result<std::optional<domain::ImportTranscript>> next();
  // Takes the lines that were not understood since the last call.
  std::vector<UnreadLine> take_unread() { return std::exchange(unread_, {}); }
  std::int64_t size_bytes() const { return size_; }
  const domain::TranscriptImported& read() const { return read_; }
  const TranscriptContext& context() const { return context_; }

 private:
  base::Result<void> check_tail();
  base::Result<void> count_before();
  // Takes a line, or a piece of one, from the buffer. False: the file has no more, or the rest is
  // left.
  base::Result<bool> take_line(domain::ImportTranscript& import);
  base::Result<bool> fill();
  void add(domain::ImportTranscript& import, std::string_view line, bool has_end);
  bool take_rest(domain::ImportTranscript& import);
  void note_read(std::string_view bytes);

  std::string path_;
  TranscriptFileOptions options_;
  domain::TranscriptImported read_;
  TranscriptContext context_;
  std::ifstream in_;
  std::int64_t size_ = 0;
  bool is_settled_ = false;  // nobody has changed the file lately
  std::string buffer_;       // bytes behind the last line that was taken
  std::size_t at_ = 0;       // of them, those that were taken since
  std::size_t looked_ = 0;   // so far there is no line feed in the buffer
  bool is_at_end_ = false;
  bool is_in_long_line_ = false;
  bool is_line_open_ = false;  // the last line that was taken had no end
  bool is_rest_told_ = false;  // that the last line is left
  std::string tail_;           // the last bytes that were read
  std::vector<UnreadLine> unread_;
};

// The digest by which a later import sees that the file begins as it did.
base::Hash tail_digest(std::string_view tail);

}  // namespace workers
