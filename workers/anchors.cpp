#include "workers/anchors.hpp"

#include "eventlog/anchor.hpp"

namespace workers {

void AnchorDesk::take(const bus::Peer& peer, const bus::Request& request) {
  clients_.reply(peer.id, answer(peer, request));
}

bus::Reply AnchorDesk::answer(const bus::Peer& peer, const bus::Request& request) {
  if (!peer.hello.scope.empty()) {
    return bus::error_reply(
        request.key(), bus::ReplyError::refused,
        "this connection acts for agent '" + peer.hello.scope + "' only; an anchor is of all");
  }
  if (request.verb == kVerbAnchors) return bus::ok_reply(request.key(), bus::to_body(list()));
  if (key_.empty()) {
    return bus::error_reply(request.key(), bus::ReplyError::refused,
                            "this server has no key to sign with");
  }
  if (durable_.value == 0) {
    return bus::error_reply(request.key(), bus::ReplyError::busy,
                            "nothing is on the record yet; try again");
  }
  fault_.clear();
  wanted_ = durable_;
  return bus::ok_reply(request.key(), bus::to_body(AnchorReplyBody{wanted_}));
}

bool AnchorDesk::do_work(base::Time now, base::Time wall, Position durable) {
  durable_ = durable;
  bool has_worked = false;
  if (const auto made = eraser_.take_anchor()) {
    has_worked = true;
    is_ordered_ = false;
    if (made->anchor) {
      std::vector<session::Event> events;
      events.emplace_back(*made->anchor);
      commands_.record_server_events(std::move(events), now, wall);
    } else {
      fault_ = base::describe(made->anchor.error());
      wanted_ = ordered_ = {};
    }
  }
  if (is_ordered_ || wanted_ <= ordered_) return has_worked;
  is_ordered_ = true;
  ordered_ = wanted_;
  eraser_.order(AnchorOrder{wanted_, wall});
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
