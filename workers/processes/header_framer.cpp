// The header is held until its empty line, then as much of the body as a frame can have.
#include "workers/processes/header_framer.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace processes {
namespace {

constexpr std::string_view kLengthField = "content-length";
constexpr std::string_view kBlanks = " \t";

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

ByteView trimmed(ByteView text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == ByteView::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::optional<std::uint64_t> parse_length(ByteView text) {
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  return is_number ? std::optional(length) : std::nullopt;
}

// Takes a field of the header. False: it is none, or a second or a wrong length.
bool read_field(ByteView line, std::optional<std::uint64_t>& length) {
  const std::size_t colon = line.find(':');
  if (colon == ByteView::npos || colon == 0) return false;
  const ByteView name = line.substr(0, colon);
  const bool is_length =
      std::equal(name.begin(), name.end(), kLengthField.begin(), kLengthField.end(),
                 [](char a, char b) { return lower(a) == b; });
  if (!is_length) return true;
  if (length) return false;
  length = parse_length(trimmed(line.substr(colon + 1)));
  return length.has_value();
}

}  // namespace

void HeaderFramer::feed(ByteView chunk, std::vector<Frame>& out) {
  while (!chunk.empty() && !is_given_up_) {
    is_in_body_ ? extend_body(chunk, out) : extend_header(chunk, out);
  }
}

// Takes the header's next line, or as much of it as there is.
void HeaderFramer::extend_header(ByteView& chunk, std::vector<Frame>& out) {
  const std::size_t feed = chunk.find('\n');
  const std::size_t room = kHeaderBytesMax - held_.size();
  const std::size_t wanted = feed == ByteView::npos ? chunk.size() : feed + 1;
  const ByteView part = chunk.substr(0, std::min(wanted, room));
  held_ += part;
  chunk.remove_prefix(part.size());
  if (part.size() < wanted) return give_up(out);
  if (feed == ByteView::npos) return;
  ByteView line = ByteView(held_).substr(line_at_);
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  line_at_ = held_.size();
  if (!line.empty()) {
    if (!read_field(line, length_)) give_up(out);
    return;
  }
  if (!length_) return give_up(out);
  held_.clear();
  line_at_ = 0;
  left_ = *std::exchange(length_, std::nullopt);
  is_in_body_ = left_ > 0;
}

void HeaderFramer::extend_body(ByteView& chunk, std::vector<Frame>& out) {
  ByteView part =
      chunk.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, chunk.size())));
  chunk.remove_prefix(part.size());
  left_ -= part.size();
  // A frame that was cut is out already, and has nothing held.
  const bool is_cut = is_body_cut_;
  const ByteView kept = is_cut ? ByteView() : part.substr(0, frame_bytes_max_ - held_.size());
  held_ += kept;
  part.remove_prefix(kept.size());
  if (!part.empty() && !is_cut) {
    out.push_back({std::exchange(held_, {}), FrameEnding::too_long});
    is_body_cut_ = true;
  }
  if (left_ > 0) return;
  if (!is_body_cut_) out.push_back({std::exchange(held_, {}), FrameEnding::whole});
  is_in_body_ = is_body_cut_ = false;
}

void HeaderFramer::give_up(std::vector<Frame>& out) {
  out.push_back({std::exchange(held_, {}), FrameEnding::malformed});
  is_given_up_ = true;
}

void HeaderFramer::finish(std::vector<Frame>& out) {
  const bool is_body_missing = is_in_body_ && !is_body_cut_;
  if (!held_.empty() || is_body_missing)
    out.push_back({std::exchange(held_, {}), FrameEnding::cut_short});
}

}  // namespace processes
