// Lines of stdin, taken one at a time without blocking, so that a caller can wait for other things
// too.
#pragma once

#include <optional>
#include <string>

#include "eventlog/domain/types.hpp"

namespace steno {

class LineInput {
 public:
  // A longer line is returned in pieces of this size. Each piece exceeds the limit of a prompt, so
  // it is refused.
  static constexpr std::size_t kLineBytesMax = std::size_t{domain::kContentBytesMax} + 1;

  explicit LineInput(int fd) : fd_(fd) {}
  virtual ~LineInput() = default;

  int fd() const { return fd_; }
  // Reads once what is available; blocks if nothing is. An error counts as the end.
  virtual void fill();
  // Returns the next line without its line feed, which the last line can lack. No value: call
  // fill() first, or the input has ended.
  std::optional<std::string> take_line();
  // Returns everything that was read, lines or not, but at most kLineBytesMax bytes.
  std::string take_all();
  // True if nothing more will come.
  bool has_ended() const { return has_ended_; }
  // True if nothing is left to take, either.
  bool is_at_end() const { return has_ended_ && buffer_.empty(); }

 protected:
  void add(std::string_view text) { buffer_ += text; }
  void end() { has_ended_ = true; }

 private:
  const int fd_;
  std::string buffer_;
  std::size_t searched_ = 0;  // this many bytes of the buffer hold no line feed
  bool has_ended_ = false;
};

}  // namespace steno
