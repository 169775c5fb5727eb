// The queue of frames that wait at a server: peers take turns by the size of their frames, and the
// memory for one peer and for all is bounded.
#include "bus/waiting_frames.hpp"

#include "tests/support/catch.hpp"

namespace {

using Added = bus::WaitingFrames::Added;

// A frame that claims its size without having the bytes.
class Claimed final : public bus::HeldFrame {
 public:
  explicit Claimed(std::size_t size) : size_(size) {}
  bus::ByteView view() const override { return {&byte_, size_}; }

 private:
  const char byte_ = 0;
  const std::size_t size_;
};

bus::Incoming small(const bus::PeerId& peer, const std::string& text) {
  return {peer, text, nullptr};
}
bus::Incoming large(const bus::PeerId& peer, std::size_t size) {
  return {peer, {}, std::make_unique<Claimed>(size)};
}

// Takes every frame; returns each as "peer:frame".
std::vector<std::string> take_all(bus::WaitingFrames& waiting) {
  std::vector<std::string> all;
  while (const auto incoming = waiting.take()) {
    all.push_back(incoming->peer + ":" + incoming->frame);
  }
  return all;
}

TEST_CASE("peers whose frames wait take turns, each in its own order", "[bus]") {
  bus::WaitingFrames waiting;
  for (const char* text : {"1", "2", "3"}) waiting.add(small("flood", text));
  waiting.add(small("b", "1"));
  waiting.add(small("c", "1"));
  waiting.add(small("b", "2"));
  CHECK(take_all(waiting) ==
        std::vector<std::string>{"flood:1", "b:1", "c:1", "flood:2", "b:2", "flood:3"});
  CHECK(waiting.is_empty());
  CHECK(waiting.bytes() == 0);
}

TEST_CASE("a peer passes as many turns as its frame is large, while others wait", "[bus]") {
  bus::WaitingFrames waiting;
  waiting.add(large("large", 4 * bus::kTurnBytes));
  waiting.add(large("large", 4 * bus::kTurnBytes));
  for (const char* text : {"1", "2", "3", "4", "5"}) waiting.add(small("small", text));
  CHECK(take_all(waiting) == std::vector<std::string>{"small:1", "small:2", "small:3",
                                                      "large:", "small:4", "small:5", "large:"});
}

TEST_CASE("what waits of one peer is bounded in bytes, and it is told so once", "[bus]") {
  bus::WaitingFrames waiting;
  CHECK(waiting.add(large("flood", bus::kFrameBytesMax)) == Added::kept);
  CHECK(waiting.add(large("flood", bus::kFrameBytesMax)) == Added::dropped);
  CHECK(waiting.add(large("flood", bus::kFrameBytesMax)) == Added::dropped_again);
  CHECK(waiting.add(small("flood", "there is room for this one")) == Added::kept);
  CHECK(waiting.add(large("flood", bus::kFrameBytesMax)) == Added::dropped);
  CHECK(waiting.add(small("good", "x")) == Added::kept);
  CHECK(waiting.bytes() <= bus::kPeerWaitingBytesMax + bus::kSmallFrameBytesMax);
  CHECK(waiting.take()->peer == "good");
  CHECK(waiting.take()->peer == "flood");
}

TEST_CASE("tiny frames are bounded by what keeping them takes", "[bus]") {
  bus::WaitingFrames waiting;
  std::size_t kept = 0;
  while (waiting.add(small("flood", "")) == Added::kept) ++kept;
  CHECK(kept <= bus::kPeerWaitingBytesMax / bus::WaitingFrames::kFrameOverhead);
  CHECK(take_all(waiting).size() == kept);
}

TEST_CASE("what waits of all peers is bounded, and each has a small frame all the same", "[bus]") {
  bus::WaitingFrames waiting;
  for (int i = 0; i < 100; ++i) waiting.add(large("flood" + std::to_string(i), 64 << 20));
  CHECK(waiting.bytes() <= bus::kWaitingBytesMax);
  CHECK(waiting.add(large("good", 64 << 20)) == Added::dropped);
  CHECK(waiting.add(small("good", "x")) == Added::kept);
  CHECK(waiting.take()->peer == "good");
  std::size_t taken = 0;
  while (waiting.take()) ++taken;
  CHECK(taken == bus::kWaitingBytesMax / (64 << 20) - 1);
  CHECK(waiting.add(large("good", 64 << 20)) == Added::kept);
}

}  // namespace
