// Gives the answer of a person that no agent process heard, as it ended first, to the next process
// that asks for the same. The texts that are compared are read from the log.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "workers/reactors/content_loader.hpp"
#include "workers/reactors/reactor.hpp"

namespace workers {

class EarlierAnswers final : public Reactor {
 public:
  // The references must outlive it.
  EarlierAnswers(CommandLoop& commands, base::Random& random, const SessionsUnderWay& sessions,
                 std::unique_ptr<ContentLoader> contents);

  void restore(const projections::StreamUnderWay& stream) override;
  void on_durable(const domain::RecordedEvent& event) override;
  bool do_work(const Cycle& cycle) override;
  std::vector<int> wake_fds() const override { return {contents_->wake_fd()}; }
  base::Duration next_timer() const override { return next_timer_; }

 private:
  struct Key {
    StreamKey session;
    std::int64_t ask = 0;
    auto operator<=>(const Key&) const = default;
  };
  // A request that waits, and the earlier ones that may have asked for the same, in their order.
  struct Pending {
    Position at;
    std::vector<domain::UnheardAnswer> earlier;
    std::set<Position> awaited;             // texts that are being read
    std::map<Position, std::string> texts;  // that were read; what the log has no more is left out
    bool is_sent = false;
  };
  struct Sent {
    Key key;
    domain::AnswerAsEarlier command;
  };

  void look_at(const StreamKey& key, const domain::LeaseState& state);
  void read(const Key& key, Pending& pending, Position position);
  bool take_texts();
  bool answer_read();
  void send(Sent sent);
  void on_answer(Sent&& sent, const CommandOutcome& outcome);

  const SessionsUnderWay& sessions_;
  const std::unique_ptr<ContentLoader> contents_;
  std::map<Key, Pending> pending_;
  std::multimap<Position, Key> wanted_;
  std::set<Position> unread_;  // to be read again, as they could not be read
  base::Time read_at_;         // log time from which on they are
  base::Time now_;
  base::Duration next_timer_ = base::Duration::max();
  Outgoing<Sent> outgoing_;
};

}  // namespace workers
