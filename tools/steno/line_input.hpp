// Lines of stdin, one at a time and without waiting, so that other things can be waited for too.
#pragma once

#include <optional>
#include <string>

namespace steno {

class LineInput {
 public:
  // Longer lines are cut into pieces of this size: a prompt is at most 1 MiB.
  static constexpr std::size_t kLineBytesMax = std::size_t{1} << 20;

  explicit LineInput(int fd) : fd_(fd) {}

  int fd() const { return fd_; }
  // Reads once what is there; waits where nothing is. An error counts as the end.
  void fill();
  // The next line without its line feed; the last one may lack it. No value: fill() first, or the
  // end.
  std::optional<std::string> take_line();
  // Nothing is left to be taken, and nothing will come.
  bool is_at_end() const { return has_ended_ && buffer_.empty(); }

 private:
  const int fd_;
  std::string buffer_;
  bool has_ended_ = false;
};

}  // namespace steno
