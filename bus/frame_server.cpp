// Frames are moved from the socket into WaitingFrames, where they are bounded in bytes, and decoded
// one at a time within the budget of a duty cycle.
#include "bus/frame_server.hpp"

#include <algorithm>
#include <utility>

namespace bus {

std::optional<FromPeer> FrameServer::receive(base::Duration now) {
  thread_.check();
  while (auto incoming = next()) {
    auto frame = decode_frame(incoming->bytes(), items_max_);
    if (!frame) {
      reply(incoming->peer, error_reply({}, ReplyError::bad_frame, base::describe(frame.error())));
      continue;
    }
    if (auto taken = take(incoming->peer, *frame, now)) return taken;
  }
  return std::nullopt;
}

// Frames that wait go before the socket. Every few looks, and where the budget ends, the socket is
// emptied, so that frames wait where they are counted.
std::optional<Incoming> FrameServer::next() {
  if (frames_left_ == 0 || bytes_left_ == 0) {
    pull();
    end_cycle();
    return std::nullopt;
  }
  std::optional<Incoming> incoming;
  if (waiting_.is_empty()) {
    incoming = socket_.receive();
  } else {
    if (frames_left_ % kLooksPerPull == 0) pull();
    incoming = waiting_.take();
  }
  if (!incoming) {
    end_cycle();
    return std::nullopt;
  }
  --frames_left_;
  bytes_left_ -= std::min(bytes_left_, incoming->bytes().size());
  return incoming;
}

void FrameServer::end_cycle() {
  frames_left_ = waiting_.bytes() > kFloodBytes ? kFramesPerCycleInFlood : kFramesPerCycle;
  bytes_left_ = kBytesPerCycle;
}

void FrameServer::pull() {
  for (int i = 0; i < kPulledMax; ++i) {
    auto incoming = socket_.receive();
    if (!incoming) return;
    const PeerId peer = incoming->peer;
    if (waiting_.add(std::move(*incoming)) == WaitingFrames::Added::dropped) {
      reply(peer, error_reply({}, ReplyError::busy,
                              "too many frames of this connection wait; frames are dropped until "
                              "there is room: ask again"));
    }
  }
}

std::optional<FromPeer> FrameServer::take(const PeerId& id, Frame& frame, base::Duration now) {
  if (const auto* hello = std::get_if<Hello>(&frame)) {
    greet(id, *hello, now);
    return std::nullopt;
  }
  auto* request = std::get_if<Request>(&frame);
  const Peer* peer = peers_.heard(id, now);
  if (peer == nullptr) {
    reply(id, error_reply(request != nullptr ? request->key() : RequestKey{},
                          ReplyError::hello_first, "a connection opens with hello"));
    return std::nullopt;
  }
  if (request != nullptr) return FromPeer{peer, std::move(*request)};
  if (auto* notice = std::get_if<Notice>(&frame)) return FromPeer{peer, std::move(*notice)};
  reply(id, error_reply(
                {}, ReplyError::bad_frame,
                "servers accept hello, request and notice, not " + std::string(frame_kind(frame))));
  return std::nullopt;
}

bool FrameServer::reply(const PeerId& peer, const Reply& reply) {
  Bytes bytes = encode_frame(reply);
  if (bytes.size() > kFrameBytesMax) {
    bytes = encode_frame(error_reply(
        {reply.id, reply.ask}, ReplyError::too_large,
        "the reply would have " + std::to_string(bytes.size()) + " bytes; ask for less at once"));
  }
  return socket_.send(peer, std::move(bytes));
}

bool FrameServer::notify(const PeerId& peer, const Notice& notice) {
  return send(peer, notice);
}

bool FrameServer::send(const PeerId& peer, const Frame& frame) {
  return socket_.send(peer, encode_frame(frame));
}

void FrameServer::greet(const PeerId& id, const Hello& hello, base::Duration now) {
  const auto peer = peers_.greet(id, hello, now);
  if (!peer) {
    reply(id, error_reply({}, ReplyError::protocol, peer.error().text));
    return;
  }
  Welcome welcome = welcome_;
  welcome.protocol = peer->protocol;
  send(id, welcome);
}

}  // namespace bus
