// What the desks of operators' requests share: a client asks for a copy or an anchor. The request
// is put on the record before it is answered, and only then ordered: so it has one outcome however
// often it is sent, over restarts too, and no erasure misses a copy.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bus/frame_server.hpp"
#include "eventlog/base/mutant.hpp"
#include "workers/eraser.hpp"
#include "workers/protocol.hpp"

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

// `ReplyBody` is made of the position alone.
template <class Order, class ReplyBody = CopyReplyBody>
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

  void refuse(const bus::Peer& peer, const bus::Request& request, bus::ReplyError code,
              const std::string& text) {
    clients_.reply(peer.id, bus::error_reply(request.key(), code, text));
  }

  // A request that was taken before has the outcome that it had, whoever sends it again. True: it
  // was, and is answered.
  bool answer_again(const bus::Peer& peer, const bus::Request& request) {
    const auto& known = commands_.server()->requests;
    const auto found = std::find_if(known.rbegin(), known.rend(),
                                    [&](const auto& r) { return r.command == request.id; });
    if (found == known.rend() || base::mutant(base::Mutant::skip_deduplication)) return false;
    if (found->digest == digest_of(request.verb, request.body)) {
      hold(peer, request, found->position);
    } else {
      refuse(peer, request, bus::ReplyError::id_reused,
             "request id " + request.id.text() + " was used with another body");
    }
    return true;
  }

  // Returns where it ends on the record. The first: what the server found out by itself.
  Position record(std::vector<domain::Event> events) {
    commands_.record_server_events(std::move(events), now_, wall_);
    return commands_.recorded();
  }
  Position record(domain::Event event, const bus::Peer& peer, const bus::Request& request) {
    std::vector<domain::Event> events;
    events.push_back(std::move(event));
    const std::string actor = peer.hello.name.empty() ? "client" : peer.hello.name;
    const domain::BodyDigest digest = digest_of(request.verb, request.body);
    commands_.record_server_events(std::move(events), now_, wall_,
                                   {domain::ActorKind::client, actor, request.id, digest});
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
                     bus::ok_reply(held.request, bus::to_body(ReplyBody{held.position})));
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
