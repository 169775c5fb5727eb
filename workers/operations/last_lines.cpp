// Drops lines from the front as further ones come.
#include "workers/operations/last_lines.hpp"

#include <algorithm>

#include "workers/text/terminal_text.hpp"

namespace workers {
namespace {

// So that an answer fits a message and a model's context.
constexpr std::size_t kLineBytesMax = 64 << 10;
constexpr std::size_t kTextBytesMax = 1 << 20;

}  // namespace

std::string cut_text(const std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  while (end > 0 && continues(end)) --end;
  return text.substr(0, end) + "…";
}

void LastLines::add(const std::string& piece) {
  for (const std::string_view line : lines_of(piece)) {
    if (!std::exchange(is_open_, false)) lines_.emplace_back();
    bytes_ += append(lines_.back(), line);
  }
  is_open_ = is_open_ || (!piece.empty() && piece.back() != '\n');
  while (static_cast<std::int64_t>(lines_.size()) > wanted_ || bytes_ > kTextBytesMax) {
    bytes_ -= lines_.front().size();
    lines_.pop_front();
    is_cut_ = true;
  }
}

void LastLines::drop_last(std::int64_t count) {
  for (; count > 0 && !lines_.empty(); --count) lines_.pop_back();
}

std::size_t LastLines::append(std::string& line, std::string_view more) {
  const std::size_t before = line.size();
  line.append(more);
  if (line.size() > kLineBytesMax) {
    line = cut_text(line, kLineBytesMax);
    is_cut_ = true;
  }
  return line.size() - std::min(before, line.size());
}

}  // namespace workers
