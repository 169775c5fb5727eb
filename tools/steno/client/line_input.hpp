// Lines of stdin, one at a time and without waiting, so that other things can be waited for too.
#pragma once

#include <optional>
#include <string>

#include "eventlog/domain/types.hpp"

namespace steno {

class LineInput {
 public:
  // A longer line is handed out in pieces of this size, of which each is over what a prompt may be
  // and is refused as one.
  static constexpr std::size_t kLineBytesMax = std::size_t{domain::kContentBytesMax} + 1;

  explicit LineInput(int fd) : fd_(fd) {}

  int fd() const { return fd_; }
  // Reads once what is there; waits where nothing is. An error counts as the end.
  void fill();
  // The next line without its line feed; the last one may lack it. No value: fill() first, or the
  // end.
  std::optional<std::string> take_line();
  // What there is, lines or not, but never more than kLineBytesMax of it.
  std::string take_all();
  // Nothing is left to be taken, and nothing will come.
  bool is_at_end() const { return has_ended_ && buffer_.empty(); }

 private:
  const int fd_;
  std::string buffer_;
  std::size_t searched_ = 0;  // so much of the buffer has no line feed
  bool has_ended_ = false;
};

}  // namespace steno
