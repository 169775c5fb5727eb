// A request is compared with those of its kind and tool whose answers nobody heard. Nothing is
// remembered that the sessions' states do not say.
#include "workers/reactors/earlier_answers.hpp"

#include <algorithm>

#include "workers/text/ask_text.hpp"

namespace workers {
namespace {

const domain::OpenAsk* find_ask(const domain::LeaseState& state, std::int64_t number) {
  const domain::OpenAsks& asks = state.asks;
  const auto found = std::find_if(asks.begin(), asks.end(),
                                  [&](const domain::OpenAsk& ask) { return ask.ask == number; });
  return found == asks.end() ? nullptr : &*found;
}

}  // namespace

EarlierAnswers::EarlierAnswers(CommandLoop& commands, base::Random& random,
                               const SessionsUnderWay& sessions,
                               std::unique_ptr<ContentLoader> contents)
    : sessions_(sessions),
      contents_(std::move(contents)),
      outgoing_(commands, random, "earlier_answers",
                [this](Sent&& sent, const auto& outcome) { on_answer(std::move(sent), outcome); }) {
}

void EarlierAnswers::restore(const projections::StreamUnderWay& stream) {
  if (!stream.stream.is<domain::SessionStream>()) return;
  const StreamKey key{stream.stream.id, stream.stream.agent};
  if (const domain::LeaseState* known = sessions_.find(key)) look_at(key, *known);
}

void EarlierAnswers::on_durable(const domain::RecordedEvent&) {
  if (const auto* changed = sessions_.changed()) look_at(changed->first, changed->second);
}

void EarlierAnswers::look_at(const StreamKey& key, const domain::LeaseState& state) {
  for (auto one = pending_.lower_bound({key, 0});
       one != pending_.end() && one->first.session == key;) {
    const domain::OpenAsk* ask = find_ask(state, one->first.ask);
    const bool is_over = ask == nullptr || ask->verdict != domain::AskVerdict::none;
    one = is_over ? pending_.erase(one) : std::next(one);
  }
  if (state.unheard->empty()) return;
  for (const domain::OpenAsk& ask : *state.asks) {
    std::vector<domain::UnheardAnswer> earlier;
    std::copy_if(state.unheard->begin(), state.unheard->end(), std::back_inserter(earlier),
                 [&](const domain::UnheardAnswer& one) { return is_like(ask, one); });
    if (earlier.empty()) continue;
    const auto [one, is_new] = pending_.try_emplace(Key{key, ask.ask});
    if (!is_new) continue;
    Pending& pending = one->second;
    pending.at = ask.at;
    pending.earlier = std::move(earlier);
    read(one->first, pending, ask.at);
    for (const domain::UnheardAnswer& each : pending.earlier) {
      read(one->first, pending, each.at);
      if (each.has_text) read(one->first, pending, each.answer);
    }
  }
}

void EarlierAnswers::read(const Key& key, Pending& pending, Position position) {
  pending.awaited.insert(position);
  wanted_.emplace(position, key);
  contents_->request(position);
}

bool EarlierAnswers::take_texts() {
  bool has_taken = false;
  while (auto outcome = contents_->poll()) {
    has_taken = true;
    const auto [first, last] = wanted_.equal_range(outcome->position);
    if (!outcome->event) {
      if (first == last) continue;
      unread_.insert(outcome->position);
      read_at_ = now_ + kUndecidedAgain;
      continue;
    }
    for (auto wanted = first; wanted != last; ++wanted) {
      const auto one = pending_.find(wanted->second);
      if (one == pending_.end()) continue;
      one->second.awaited.erase(outcome->position);
      if (!outcome->event->content) continue;
      one->second.texts[outcome->position] = outcome->event->content->text;
    }
    wanted_.erase(first, last);
  }
  if (!unread_.empty() && read_at_ <= now_) {
    for (const Position position : std::exchange(unread_, {})) contents_->request(position);
  }
  return has_taken;
}

// Each of the earlier ones is tried once.
bool EarlierAnswers::answer_read() {
  bool has_worked = false;
  for (auto& one : pending_) {
    const Key& key = one.first;
    Pending& pending = one.second;
    if (pending.is_sent || !pending.awaited.empty() || pending.earlier.empty()) continue;
    has_worked = true;
    const auto& texts = pending.texts;
    const auto same = std::find_if(
        pending.earlier.begin(), pending.earlier.end(), [&](const domain::UnheardAnswer& answer) {
          return texts.contains(pending.at) && texts.contains(answer.at) &&
                 (!answer.has_text || texts.contains(answer.answer)) &&
                 asks_for_same(texts.at(pending.at), texts.at(answer.at));
        });
    if (same == pending.earlier.end()) {
      pending.earlier.clear();
      continue;
    }
    pending.is_sent = true;
    const std::string text = same->has_text ? texts.at(same->answer) : std::string();
    send({key, {key.ask, same->ask, text}});
    pending.earlier.erase(pending.earlier.begin(), same + 1);
  }
  return has_worked;
}

void EarlierAnswers::send(Sent sent) {
  const StreamKey stream = sent.key.session;
  domain::SessionCommand command = sent.command;
  outgoing_.send(std::move(sent), std::move(command), now_, stream);
}

// A refusal says that the request is over, or that another one has taken the answer.
void EarlierAnswers::on_answer(Sent&& sent, const CommandOutcome& outcome) {
  if (outcome) return;
  const Key key = sent.key;
  if (outgoing_.keep(std::move(sent), outcome.error(), now_)) return;
  if (const auto one = pending_.find(key); one != pending_.end()) one->second.is_sent = false;
}

bool EarlierAnswers::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  if (!cycle.has_taken_over) return false;
  bool has_worked = take_texts();
  has_worked |= answer_read();
  for (Sent& sent : outgoing_.take_due(now_)) send(std::move(sent));
  next_timer_ = base::Duration::max();
  if (outgoing_.has_kept()) next_timer_ = cycle.boot + (outgoing_.due() - now_);
  if (!unread_.empty()) next_timer_ = std::min(next_timer_, cycle.boot + (read_at_ - now_));
  return has_worked;
}

}  // namespace workers
