// Frames with a header, as in the Language Server Protocol:
//
//   Content-Length: 17 CR LF
//   CR LF
//   {"jsonrpc":"2.0"}
//
// Names of fields are read in any case, and other fields are passed over. A line can also end with
// LF alone. A body of no bytes is left out.
#pragma once

#include <optional>

#include "workers/processes/framer.hpp"

namespace processes {

class HeaderFramer final : public Framer {
 public:
  // The longest header, with its line ends.
  static constexpr std::size_t kHeaderBytesMax = 8192;

  explicit HeaderFramer(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  // A header without one Content-Length is a malformed frame: where the next one begins is then not
  // known, and all that follows is thrown away.
  void feed(ByteView chunk, std::vector<Frame>& out) override;
  void finish(std::vector<Frame>& out) override;

 private:
  void extend_header(ByteView& chunk, std::vector<Frame>& out);
  void extend_body(ByteView& chunk, std::vector<Frame>& out);
  void give_up(std::vector<Frame>& out);

  const std::size_t frame_bytes_max_;
  Bytes held_;                           // of the header, or of the body
  std::size_t line_at_ = 0;              // where the header's line in work begins in `held_`
  std::optional<std::uint64_t> length_;  // that the header has told
  bool is_in_body_ = false;
  bool is_body_cut_ = false;  // it was too long, and its start is out
  std::uint64_t left_ = 0;    // bytes of the body that have not come
  bool is_given_up_ = false;
};

}  // namespace processes
