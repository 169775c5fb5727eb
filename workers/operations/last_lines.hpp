// The end of a long text, within the bounds of one answer.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace workers {

// Cuts a text off at a whole character, with "…" behind it.
std::string cut_text(const std::string& text, std::size_t bytes_max);

// The last lines of a text that comes in pieces: at most so many lines and 1 MiB, each line of at
// most 64 KiB.
class LastLines {
 public:
  explicit LastLines(std::int64_t wanted) : wanted_(wanted) {}

  // A piece without a line feed at its end goes on with the next one.
  void add(const std::string& piece);
  void drop_last(std::int64_t count);

  bool has_any() const { return !lines_.empty(); }
  bool is_cut() const { return is_cut_; }  // there were earlier ones, or longer ones
  std::deque<std::string> take() { return std::move(lines_); }

 private:
  // Returns by how many bytes the line has grown.
  std::size_t append(std::string& line, std::string_view more);

  const std::int64_t wanted_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
  bool is_open_ = false;
  bool is_cut_ = false;
};

}  // namespace workers
