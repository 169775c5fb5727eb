#include "workers/anchors.hpp"

#include "eventlog/anchor.hpp"

namespace workers {

void AnchorDesk::begin() {
  const domain::ServerState& server = *commands_.server();
  Position through;
  if (server.anchor) {
    const auto opened = eventlog::open_anchor(server.anchor->anchor);
    if (opened) through = opened->at.position;
  }
  if (!key_.empty() && server.anchor_requested > through) wanted_ = server.anchor_requested;
}

void AnchorDesk::take(const bus::Peer& peer, const bus::Request& request) {
  if (!peer.hello.scope.empty()) {
    return refuse(
        peer, request, bus::ReplyError::refused,
        "this connection acts for agent '" + peer.hello.scope + "' only; an anchor is of all");
  }
  if (request.verb == kVerbAnchors) {
    clients_.reply(peer.id, bus::ok_reply(request.key(), bus::to_body(list())));
    return;
  }
  if (answer_again(peer, request)) return;
  create(peer, request);
}

void AnchorDesk::create(const bus::Peer& peer, const bus::Request& request) {
  if (key_.empty()) {
    return refuse(peer, request, bus::ReplyError::refused, "this server has no key to sign with");
  }
  fault_.clear();
  wanted_ = record(domain::AnchorRequested{}, peer, request);
  hold(peer, request, wanted_);
}

bool AnchorDesk::take_made() {
  const auto made = eraser_.take_anchor();
  if (!made) return false;
  is_ordered_ = false;
  if (made->anchor) {
    record({*made->anchor});
  } else {
    fault_ = base::describe(made->anchor.error());
    if (wanted_ <= ordered_) wanted_ = {};
    ordered_ = {};
  }
  return true;
}

bool AnchorDesk::do_work(base::Time now, base::Time wall, Position durable) {
  begin_cycle(now, wall, durable);
  bool has_worked = take_made();
  has_worked |= answer_held([](AnchorOrder&) {});
  if (is_ordered_ || wanted_ <= ordered_ || wanted_ > durable) return has_worked;
  is_ordered_ = true;
  ordered_ = durable;  // the end of a block, as an anchor's place must be
  eraser_.order(AnchorOrder{durable, wall});
  return true;
}

AnchorsAnswer AnchorDesk::list() const {
  AnchorsAnswer answer{key_, {}, {}, fault_};
  const auto& last = commands_.server()->anchor;
  if (!last || last->recorded > durable_) return answer;
  answer.anchor = last;
  const auto opened = eventlog::open_anchor(last->anchor);
  if (opened) answer.through = opened->at.position;
  return answer;
}

}  // namespace workers
