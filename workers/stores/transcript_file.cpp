// A buffer holds the line that is being read, and a tail of what was read, for its digest.
#include "workers/stores/transcript_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace workers {
namespace {

using base::ErrorCode;
using domain::ImportTranscript;
using domain::LineReading;

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
// A call of the model that began further back is counted anew.
constexpr std::int64_t kCountedBackBytes = std::int64_t{1} << 20;
// A file that nobody has written to for this time has come to its end.
constexpr base::Duration kSettled = std::chrono::seconds(10);

bool is_full(const ImportTranscript& import, std::size_t messages, std::int64_t bytes) {
  return import.lines.size() >= domain::kImportedLinesMax ||
         messages >= domain::kImportedLinesMax / 2 || bytes >= domain::kImportedBytesMax / 2;
}

std::int64_t bytes_of(const domain::ImportedLine& line) {
  std::size_t bytes = line.text.size();
  for (const domain::ImportedMessage& message : line.messages) bytes += message.text.size();
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

base::Hash tail_digest(std::string_view tail) {
  const std::size_t from = tail.size() - std::min(tail.size(), domain::kTailBytesMax);
  return base::blake2b(tail.substr(from));
}

TranscriptFile::TranscriptFile(std::string path, domain::TranscriptImported before,
                               const TranscriptFileOptions& options)
    : path_(std::move(path)), options_(options), read_(std::move(before)) {
  context_.form = read_.form == domain::TranscriptForm::unknown ? options.form : read_.form;
  context_.is_of_subagent = options.is_of_subagent;
  context_.turn = read_.turn;
  context_.began = read_.began;
  context_.ended = read_.ended;
  context_.cost = read_.cost;
  is_in_long_line_ = read_.is_within;
}

base::Result<void> TranscriptFile::open() {
  struct stat facts {};
  if (::stat(path_.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return base::failure(ErrorCode::io, "it is no file that can be read", path_);
  }
  in_.open(path_, std::ios::binary);
  if (!in_) return base::failure(ErrorCode::io, "it cannot be read", path_);
  size_ = facts.st_size;
  const Time changed{facts.st_mtim.tv_sec * 1'000'000 + facts.st_mtim.tv_nsec / 1000};
  is_settled_ = options_.now - changed >= kSettled;
  return check_tail();
}

base::Result<void> TranscriptFile::check_tail() {
  if (read_.bytes == 0) return {};
  const auto changed = [&](const std::string& how) {
    return base::failure(ErrorCode::conflict,
                         how + " since the first " + std::to_string(read_.bytes) +
                             " bytes of it were imported, which stay as they were; to import the "
                             "new file as well, give it another name",
                         path_);
  };
  if (size_ < read_.bytes) return changed("it has become shorter");
  const auto bytes = std::min<std::int64_t>(read_.bytes, domain::kTailBytesMax);
  tail_.resize(static_cast<std::size_t>(bytes));
  in_.seekg(read_.bytes - bytes);
  in_.read(tail_.data(), bytes);
  if (!in_) return base::failure(ErrorCode::io, "it cannot be read", path_);
  if (tail_digest(tail_) != read_.tail) return changed("it was changed");
  is_line_open_ = !is_in_long_line_ && tail_.back() != '\n';
  return size_ > read_.bytes ? count_before() : base::Result<void>();
}

// The lines before say how much of the model's use was counted.
base::Result<void> TranscriptFile::count_before() {
  std::string lines(static_cast<std::size_t>(std::min(read_.bytes, kCountedBackBytes)), '\0');
  in_.seekg(read_.bytes - static_cast<std::int64_t>(lines.size()));
  in_.read(lines.data(), static_cast<std::streamsize>(lines.size()));
  if (!in_) return base::failure(ErrorCode::io, "it cannot be read", path_);
  TranscriptContext before = context_;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    read_transcript_line(rest.substr(0, end), before);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  context_.counted = std::move(before.counted);
  return {};
}

base::Result<bool> TranscriptFile::fill() {
  if (is_at_end_) return false;
  if (at_ > 0) {
    buffer_.erase(0, at_);
    looked_ -= std::min(looked_, at_);
    at_ = 0;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReadBytes);
  in_.read(buffer_.data() + before, static_cast<std::streamsize>(kReadBytes));
  const auto got = static_cast<std::size_t>(in_.gcount());
  buffer_.resize(before + got);
  if (in_.bad()) return base::failure(ErrorCode::io, "it cannot be read", path_);
  is_at_end_ = got < kReadBytes;
  return got > 0;
}

void TranscriptFile::note_read(std::string_view bytes) {
  read_.bytes += static_cast<std::int64_t>(bytes.size());
  tail_ += bytes;
  if (tail_.size() > 2 * domain::kTailBytesMax) {
    tail_.erase(0, tail_.size() - domain::kTailBytesMax);
  }
}

void TranscriptFile::add(ImportTranscript& import, std::string_view line, bool has_end) {
  TranscriptLine read;
  const bool is_new = !is_in_long_line_ && !is_line_open_;
  domain::LineImported& facts = read.line.facts;
  if (is_new) {
    read = read_transcript_line(line, context_);
    read_.lines += 1;
  } else {
    read.line.text = line;
    const bool is_end_alone = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (is_in_long_line_) facts.reading = LineReading::too_long;
    if (is_line_open_ && !is_end_alone) facts.reading = LineReading::cut_short;
  }
  facts.line = read_.lines;
  facts.is_open = !has_end;
  const bool is_cut = !has_end && facts.reading == LineReading::not_json;
  if (is_cut) facts.reading = LineReading::cut_short;
  if (facts.reading != LineReading::understood && is_new) {
    read_.unread += 1;
    unread_.push_back(
        {read_.lines, facts.reading, read.kind, static_cast<std::int64_t>(line.size()), false});
  }
  is_in_long_line_ = false;
  is_line_open_ = !has_end;
  import.lines.push_back(std::move(read.line));
}

// Takes the last line, which has no end. Returns false if it is left.
bool TranscriptFile::take_rest(ImportTranscript& import) {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  if (rest.empty()) return false;
  if (!is_settled_ && (is_in_long_line_ || is_line_open_)) return false;
  if (!is_settled_) {
    TranscriptContext trial = context_;
    const LineReading reading = read_transcript_line(rest, trial).line.facts.reading;
    if (reading != LineReading::understood) {
      const bool is_told = std::exchange(is_rest_told_, true);
      if (is_told) return false;
      unread_.push_back({read_.lines + 1,
                         LineReading::cut_short,
                         {},
                         static_cast<std::int64_t>(rest.size()),
                         true});
      return false;
    }
  }
  add(import, rest, false);
  note_read(rest);
  at_ = looked_ = buffer_.size();
  return true;
}

base::Result<bool> TranscriptFile::take_line(ImportTranscript& import) {
  while (true) {
    const std::size_t end = buffer_.find('\n', std::max(at_, looked_));
    if (end != std::string::npos) {
      const std::string_view line = std::string_view(buffer_).substr(at_, end - at_);
      add(import, line, true);
      note_read(std::string_view(buffer_).substr(at_, end + 1 - at_));
      at_ = looked_ = end + 1;
      return true;
    }
    looked_ = buffer_.size();
    if (buffer_.size() - at_ >= domain::kImportedLineBytesMax) {
      const std::string_view piece =
          std::string_view(buffer_).substr(at_, domain::kImportedLineBytesMax);
      if (!is_in_long_line_ && !is_line_open_) {
        read_.lines += 1;
        read_.unread += 1;
        unread_.push_back({read_.lines,
                           LineReading::too_long,
                           {},
                           static_cast<std::int64_t>(piece.size()),
                           false});
      }
      is_in_long_line_ = true;
      is_line_open_ = false;
      domain::ImportedLine line{{}, std::string(piece)};
      line.facts = {read_.lines, LineReading::too_long, true, false};
      import.lines.push_back(std::move(line));
      note_read(piece);
      at_ += piece.size();
      return true;
    }
    auto has_more = fill();
    if (!has_more) return has_more;
    if (!*has_more) return take_rest(import);
  }
}

base::Result<std::optional<ImportTranscript>> TranscriptFile::next() {
  ImportTranscript import;
  import.from_bytes = read_.bytes;
  std::size_t messages = 0;
  std::int64_t bytes = 0;
  if (read_.bytes == 0) {
    for (const std::string& entry : options_.entries) import.lines.push_back({{}, entry});
  }
  while (!is_full(import, messages, bytes)) {
    const auto has_line = take_line(import);
    if (!has_line) return tl::unexpected(has_line.error());
    if (!*has_line) break;
    messages += import.lines.back().messages.size();
    bytes += bytes_of(import.lines.back());
  }
  if (read_.bytes == import.from_bytes) return std::nullopt;
  read_.form = context_.form;
  read_.file = path_;
  read_.tail = tail_digest(tail_);
  read_.began = context_.began;
  read_.ended = context_.ended;
  read_.cost = context_.cost;
  read_.turn = context_.turn;
  read_.is_within = is_in_long_line_;
  import.read = read_;
  import.workdir = context_.workdir;
  import.model = context_.model;
  import.agent_version = context_.agent_version;
  import.title = context_.title;
  return import;
}

}  // namespace workers
