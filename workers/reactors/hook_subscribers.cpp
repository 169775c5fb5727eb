// A send that fails says that the peer is gone: ROUTER knows its connections. A peer that stands
// still has its connection, and its step's time-out.
#include "workers/reactors/hook_subscribers.hpp"

#include <algorithm>
#include <utility>

namespace workers {

bool HookSubscribers::is_known(const std::string& name) const {
  return std::any_of(hooks_.entries().begin(), hooks_.entries().end(),
                     [&](const HookTable::Entry& entry) {
                       return !entry.hook.subscriber.empty() && entry.hook.subscriber == name;
                     });
}

void HookSubscribers::take(const bus::Peer& peer, const bus::RequestKey& request, HookStepBody body,
                           base::Duration now) {
  const std::string& name = peer.hello.name;
  const auto refuse = [&](bus::ReplyError code, const std::string& text) {
    clients_.reply(peer.id, bus::error_reply(request, code, text));
  };
  if (mail_ == nullptr || !is_known(name)) {
    return refuse(bus::ReplyError::not_found,
                  "no hook of the settings has the subscriber '" + name +
                      "'; a table [[hooks]] with subscriber = \"" + name +
                      "\" makes one, and steno restart takes it up");
  }
  const auto known = peers_.find(peer.id);
  if (known == peers_.end() && peers_.size() >= kSubscribersMax) {
    return refuse(bus::ReplyError::busy, std::to_string(kSubscribersMax) +
                                             " subscribers are connected, the most there "
                                             "can be");
  }
  Subscriber& subscriber = known == peers_.end() ? peers_[peer.id] : known->second;
  subscriber.name = name;
  subscriber.heard_at = now;
  if (subscriber.given && subscriber.given->asked != body.asked) {
    // It was not told, or has forgotten.
    tell(peer.id, request, *subscriber.given, now);
    return;
  }
  if (subscriber.given) {
    mail_->answer(subscriber.given->question.letter.number,
                  {{}, body.exit_code, std::move(body.output), std::move(body.errors)});
    subscriber.given.reset();
  }
  if (!subscriber.wish) subscriber.wished_at = now;
  subscriber.wish = request;
}

bool HookSubscribers::tell(const bus::PeerId& peer, const bus::RequestKey& wish, const Given& given,
                           base::Duration now) {
  const SubscriberQuestion& question = given.question.letter.question;
  return clients_.reply(
      peer, bus::ok_reply(wish, bus::to_body(HookStepAnswer{
                                    given.asked, question.step, question.hook,
                                    std::max(given.question.until - now, base::Duration{0}),
                                    question.told})));
}

bool HookSubscribers::take_letters(base::Duration now) {
  bool has_taken = false;
  while (auto letter = mail_->take()) {
    has_taken = true;
    const base::Duration until = now + letter->question.timeout;
    waiting_.push_back({std::move(*letter), until});
  }
  return has_taken;
}

// Returns the next peer.
HookSubscribers::Peers::iterator HookSubscribers::lose(Peers::iterator peer) {
  if (peer->second.given) {
    Question& question = peer->second.given->question;
    question.is_lost = true;
    question.letter.question.is_asked_again = false;  // its subscriber has been back
    waiting_.push_front(std::move(question));
  }
  return peers_.erase(peer);
}

bool HookSubscribers::look_at_peers(base::Duration now) {
  bool has_worked = false;
  for (auto peer = peers_.begin(); peer != peers_.end();) {
    Subscriber& subscriber = peer->second;
    bool is_there = true;
    if (subscriber.given) {
      if (now >= subscriber.given->probe_at) {
        subscriber.given->probe_at = now + kProbeEvery;
        is_there = clients_.notify(peer->first, {std::string(kNoticeHookWaits), {}});
      }
    } else if (!subscriber.wish) {
      is_there = now < subscriber.heard_at + kSilenceMax;
    } else if (now >= subscriber.wished_at + kWishMax) {
      has_worked = true;
      is_there =
          clients_.reply(peer->first, bus::ok_reply(*std::exchange(subscriber.wish, std::nullopt),
                                                    bus::to_body(HookStepAnswer{})));
    }
    has_worked |= !is_there;
    peer = is_there ? std::next(peer) : lose(peer);
  }
  return has_worked;
}

// Returns the one of that name that has wished for longest.
HookSubscribers::Peers::iterator HookSubscribers::next_for(const std::string& name) {
  auto next = peers_.end();
  for (auto peer = peers_.begin(); peer != peers_.end(); ++peer) {
    if (peer->second.name != name || !peer->second.wish) continue;
    if (next == peers_.end() || peer->second.wished_at < next->second.wished_at) next = peer;
  }
  return next;
}

bool HookSubscribers::give(base::Duration now, base::Time wall) {
  bool has_worked = false;
  for (auto question = waiting_.begin(); question != waiting_.end();) {
    const std::string name = question->letter.question.subscriber;
    bool is_given = now >= question->until;  // nobody waits for its answer any more
    for (auto peer = next_for(name); !is_given && peer != peers_.end(); peer = next_for(name)) {
      Given given{base::CommandId::make(wall, random_), std::move(*question), now + kProbeEvery};
      is_given = tell(peer->first, *std::exchange(peer->second.wish, std::nullopt), given, now);
      if (is_given) {
        peer->second.given = std::move(given);
      } else {
        *question = std::move(given.question);
        peers_.erase(peer);
      }
    }
    const bool can_come = now < *returned_by_ || question->letter.question.is_asked_again ||
                          std::any_of(peers_.begin(), peers_.end(),
                                      [&](const auto& peer) { return peer.second.name == name; });
    if (!is_given && !can_come) {
      mail_->answer(question->letter.number,
                    {question->is_lost ? "the subscriber " + name + " went away before it answered"
                                       : "no subscriber " + name + " is connected",
                     0,
                     {},
                     {}});
      is_given = true;
    }
    has_worked |= is_given;
    question = is_given ? waiting_.erase(question) : std::next(question);
  }
  return has_worked;
}

bool HookSubscribers::do_work(base::Duration now, base::Time wall) {
  if (mail_ == nullptr) return false;
  now_ = now;
  if (!returned_by_) returned_by_ = now + kReturnMax;
  bool has_worked = take_letters(now);
  has_worked |= look_at_peers(now);
  has_worked |= give(now, wall);
  return has_worked;
}

base::Duration HookSubscribers::next_timer() const {
  base::Duration next = base::Duration::max();
  for (const auto& [peer, subscriber] : peers_) {
    const base::Duration due = subscriber.given  ? subscriber.given->probe_at
                               : subscriber.wish ? subscriber.wished_at + kWishMax
                                                 : subscriber.heard_at + kSilenceMax;
    next = std::min(next, due);
  }
  for (const Question& question : waiting_) {
    next = std::min(next, question.until);
    if (returned_by_ && *returned_by_ > now_) next = std::min(next, *returned_by_);
  }
  return next;
}

}  // namespace workers
