// What the desks of backups and archives share: a client asks for a copy, which is put on the
// record as begun before it is answered, and only then ordered, so that no erasure misses it.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bus/frame_server.hpp"
#include "workers/eraser.hpp"

namespace workers {

// Of a copy that is begun or forgotten, not of one that is done: the desk's list tells that.
struct CopyReplyBody {
  Position position;  // of what was recorded; durable

  bool operator==(const CopyReplyBody&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("position", self.position);
  }
};

template <class Order>
class CopyDesk {
 protected:
  // All references outlive it.
  CopyDesk(CommandWorker& commands, Eraser& eraser, bus::FrameServer& clients)
      : commands_(commands), eraser_(eraser), clients_(clients) {}

  void begin_cycle(base::Time now, base::Time wall, Position durable) {
    now_ = now;
    wall_ = wall;
    durable_ = durable;
  }

  void refuse(const bus::Peer& peer, const bus::Request& request, std::string_view code,
              const std::string& text) {
    clients_.reply(peer.id, bus::error_reply(request.key(), code, text));
  }

  // Returns where it ends on the record. No `actor`: the server itself.
  Position record(std::vector<session::Event> events, const std::string& actor) {
    const auto kind = actor.empty() ? session::ActorKind::server : session::ActorKind::client;
    commands_.record_server_events(std::move(events), now_, wall_, {kind, actor});
    return commands_.recorded();
  }

  // The answer leaves once the position is durable, and then the order is given.
  void hold(const bus::Peer& peer, const bus::Request& request, Position position,
            std::optional<Order> order = std::nullopt) {
    held_.push_back({peer.id, request.key(), position, std::move(order)});
  }
  // `complete(order)` adds to an order what is known only now. True: an answer left.
  template <class Complete>
  bool answer_held(Complete&& complete) {
    bool has_answered = false;
    for (; !held_.empty() && held_.front().position <= durable_; held_.pop_front()) {
      has_answered = true;
      Held& held = held_.front();
      clients_.reply(held.peer,
                     bus::ok_reply(held.request, bus::to_body(CopyReplyBody{held.position})));
      if (!held.order) continue;
      complete(*held.order);
      eraser_.order(std::move(*held.order));
    }
    return has_answered;
  }

  CommandWorker& commands_;
  Eraser& eraser_;
  bus::FrameServer& clients_;
  base::Time now_;
  base::Time wall_;
  Position durable_;

 private:
  struct Held {
    bus::PeerId peer;
    bus::RequestKey request;
    Position position;
    std::optional<Order> order;
  };

  std::deque<Held> held_;
};

}  // namespace workers
