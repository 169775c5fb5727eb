// Reads blocks into a buffer and cuts lines from it, searching each byte for a line feed once.
#include "tools/steno/client/line_input.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace steno {

void LineInput::fill() {
  std::array<char, 16384> piece{};
  ssize_t count = 0;
  while ((count = ::read(fd_, piece.data(), piece.size())) < 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN) break;
    // Whoever shares the file has made it non-blocking.
    pollfd more{fd_, POLLIN, 0};
    ::poll(&more, 1, -1);
  }
  if (count > 0) {
    buffer_.append(piece.data(), static_cast<std::size_t>(count));
  } else {
    has_ended_ = true;
  }
}

std::optional<std::string> LineInput::take_line() {
  const std::size_t feed = buffer_.find('\n', searched_);
  const bool is_whole = feed != std::string::npos || has_ended_ || buffer_.size() >= kLineBytesMax;
  searched_ = is_whole ? 0 : buffer_.size();
  if (!is_whole || buffer_.empty()) return std::nullopt;
  const std::size_t size = std::min({feed, buffer_.size(), kLineBytesMax});
  std::string line = buffer_.substr(0, size);
  buffer_.erase(0, size == feed ? size + 1 : size);
  return line;
}

std::string LineInput::take_all() {
  searched_ = 0;
  std::string all = buffer_.substr(0, kLineBytesMax);
  buffer_.erase(0, all.size());
  return all;
}

}  // namespace steno
