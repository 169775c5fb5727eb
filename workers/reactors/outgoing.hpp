// The commands that a reactor sends to the command loop, with what each is about.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "workers/commands/command_loop.hpp"
#include "workers/reactors/streams_under_way.hpp"

namespace workers {

// The pause before an undecided command is sent again.
constexpr base::Duration kUndecidedAgain = std::chrono::seconds(1);

// `About` is what a reactor needs to take the answer, and to send the command again. Used by one
// thread; it must live until each command was answered. Times are log time.
template <class About>
class Outgoing final : public Asker {
 public:
  using OnAnswer = std::function<void(About&&, const CommandOutcome&)>;

  // `actor` sends them, says the record. Both references must outlive this object.
  Outgoing(CommandLoop& commands, base::Random& random, std::string actor, OnAnswer on_answer)
      : commands_(commands),
        random_(random),
        actor_(std::move(actor)),
        on_answer_(std::move(on_answer)) {}

  // Sends the command under a new id. `stream` stays empty for the stream of a single one.
  void send(About about, domain::Command command, base::Time now, const StreamKey& stream = {}) {
    CommandMessage message = to(stream, std::move(command));
    message.id = base::CommandId::make(now, random_);
    send(std::move(about), std::move(message));
  }
  // Sends the command under an id that follows from its cause: it takes effect once, however often
  // this server and the next ones send it.
  void send_once(About about, const base::CommandId& id, domain::Command command,
                 const StreamKey& stream) {
    CommandMessage message = to(stream, std::move(command));
    message.id = id;
    message.is_sent_again = true;
    // A refusal is not the answer to the next try.
    message.ask = static_cast<std::int64_t>(next_ticket_ + 1);
    send(std::move(about), std::move(message));
  }
  // Sends a message that names its sender.
  void send(About about, CommandMessage&& message) {
    sent_.emplace(++next_ticket_, std::move(about));
    commands_.submit({this, next_ticket_}, std::move(message));
  }

  // Keeps what the command was about until it is due again, if the refusal left it undecided, for
  // want of room or because a stream could not be read; otherwise returns false. Such a command is
  // not to be dropped if nobody else would send it.
  bool keep(About&& about, const domain::Rejection& refusal, base::Time now) {
    if (!domain::is_undecided(refusal.code)) return false;
    kept_.push_back(std::move(about));
    due_ = now + kUndecidedAgain;
    return true;
  }
  // Returns those to be sent now, in order; it keeps them no longer.
  std::deque<About> take_due(base::Time now) {
    if (due_ > now) return {};
    return std::exchange(kept_, {});
  }
  bool has_kept() const { return !kept_.empty(); }
  base::Time due() const { return due_; }

  std::size_t unanswered() const { return sent_.size(); }

  void on_answer(std::uint64_t number, const CommandAnswer& answer) override {
    auto sent = sent_.extract(number);
    if (!sent.empty()) on_answer_(std::move(sent.mapped()), answer.outcome);
  }

 private:
  CommandMessage to(const StreamKey& stream, domain::Command command) const {
    CommandMessage message;
    message.agent = stream.agent;
    message.stream_id = stream.id;
    message.actor_kind = domain::ActorKind::server;
    message.actor = actor_;
    message.command = std::move(command);
    return message;
  }

  CommandLoop& commands_;
  base::Random& random_;
  const std::string actor_;
  const OnAnswer on_answer_;
  std::map<std::uint64_t, About> sent_;  // by the numbers of their tickets
  std::deque<About> kept_;
  base::Time due_;
  std::uint64_t next_ticket_ = 0;
};

}  // namespace workers
