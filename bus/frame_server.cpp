#include "bus/frame_server.hpp"

#include <utility>

namespace bus {

std::optional<FromPeer> FrameServer::receive(base::Duration now) {
  for (int i = 0; i < kOwnFramesMax; ++i) {
    auto incoming = socket_.receive();
    if (!incoming) return std::nullopt;
    auto frame = decode_frame(incoming->frame);
    if (!frame) {
      reply(incoming->peer, error_reply({}, ReplyError::bad_frame, base::describe(frame.error())));
      continue;
    }
    if (const auto* hello = std::get_if<Hello>(&*frame)) {
      greet(incoming->peer, *hello, now);
      continue;
    }
    auto* request = std::get_if<Request>(&*frame);
    const Peer* peer = peers_.heard(incoming->peer, now);
    if (peer == nullptr) {
      reply(incoming->peer, error_reply(request != nullptr ? request->key() : RequestKey{},
                                        ReplyError::hello_first, "a connection opens with hello"));
      continue;
    }
    if (request != nullptr) return FromPeer{*peer, std::move(*request)};
    if (auto* notice = std::get_if<Notice>(&*frame)) return FromPeer{*peer, std::move(*notice)};
    reply(incoming->peer, error_reply({}, ReplyError::bad_frame,
                                      "servers accept hello, request and notice, not " +
                                          std::string(frame_kind(*frame))));
  }
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
