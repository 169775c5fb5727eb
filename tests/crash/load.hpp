// Keeps a server busy from several connections with commands that a seed chooses, and records every
// outcome. Used by one thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bus/client.hpp"
#include "bus/context.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/domain/aggregates.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/protocol/queries.hpp"
#include "workers/server/server.hpp"

namespace crash {

using base::Duration;
using base::Result;

enum class Outcome { awaited, accepted, rejected, unknown };

struct SentCommand {
  base::CommandId id;
  base::SessionId session;
  domain::Command command;
  Outcome outcome = Outcome::awaited;
  workers::CommandReplyBody reply;  // accepted
  std::string code;                 // rejected; unknown: what the client said
};

struct LoadCounts {
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;
  std::int64_t unknown = 0;
  std::int64_t retried = 0;
  std::map<std::string, std::int64_t> rejected_as;  // by code
};

class Load {
 public:
  // `random` outlives it. Agents work in the folder `workdir`.
  Load(const std::string& endpoint, const std::string& workdir, base::Random& random);

  // Sends commands until this many more were answered; returns while others are in flight.
  Result<bool> drive(std::int64_t answers, Duration limit);
  // Sends commands for this long, however many are answered.
  void drive_for(Duration time);
  // Sends nothing new, and returns once no answer is awaited.
  Result<bool> settle(Duration limit);
  // Receives everything that has come; waits for it at most `wait`.
  void pump(Duration wait);

  // Sends one command, or an earlier one again under its id, and waits for its outcome: accepted or
  // rejected. Error: no outcome in time.
  Result<SentCommand> ask(base::CommandId id, base::SessionId session,
                          const domain::Command& command, Duration limit);
  base::CommandId fresh_id() { return base::CommandId::make(clock_.wall(), random_); }
  // Sends a query. Error: no answer in time, or an answer that is not ok.
  template <class Answer, class Body>
  Result<Answer> query(std::string_view verb, const Body& body, Duration limit) {
    auto reply = request(fresh_id(), verb, bus::to_body(body), limit);
    if (!reply) return tl::unexpected(reply.error());
    if (reply->status != bus::ReplyStatus::ok) {
      return base::failure(base::ErrorCode::refused, reply->text, reply->code);
    }
    return bus::from_body<Answer>(reply->body);
  }
  // Checks again and again, receiving meanwhile. Error: the check's own, or a timeout that names
  // `what`.
  Result<bool> wait_until(const std::string& what, Duration limit,
                          const std::function<Result<bool>()>& is_reached);

  // Takes over the sessions as they stand in the log. Call it while no answer is awaited. Ended
  // sessions are no longer addressed, only resumed. A closed session that does not end, because its
  // agent hangs, is killed.
  void learn(const std::map<base::SessionId, domain::SessionState>& sessions);

  const std::deque<SentCommand>& sent() const { return sent_; }
  LoadCounts counts() const;
  // The first answer that no correct server gives; empty: none.
  const std::string& fault() const { return fault_; }

 private:
  struct Connection {
    std::unique_ptr<bus::ClientSocket> socket;
    std::unique_ptr<bus::Client> client;
    Duration patience{0};           // beyond it an outcome is unknown
    std::set<std::size_t> awaited;  // indices of sent_
  };
  struct Target {
    base::SessionId session;
    bool is_multi_turn = false;
    base::TurnId last_turn;
    bool is_known = false;  // its Spawn was accepted
  };

  bool has_awaited() const;
  void fill();
  void work();
  void wait(Duration limit);
  void send_next(Connection& connection);
  void take_outcomes(Connection& connection);
  void note(SentCommand& sent, const Result<bus::Reply>& outcome);
  Result<bus::Reply> request(base::CommandId id, std::string_view verb, base::RawValue body,
                             Duration limit);
  base::RawValue body_of(const SentCommand& sent) const;
  SentCommand choose();
  SentCommand spawn(base::SessionId resumed);
  std::string choose_prompt();
  Target& choose_target();
  void drop(base::SessionId session);

  const std::string workdir_;
  base::Random& random_;
  base::SystemClock clock_;
  bus::Context context_;
  std::vector<Connection> connections_;  // the last one is for ask() and query()
  std::deque<SentCommand> sent_;
  std::deque<Target> targets_;             // believed to live
  std::vector<base::SessionId> ended_;     // the last ones that can be resumed
  std::deque<base::SessionId> lingering_;  // live, and none of the targets
  std::int64_t answers_ = 0;
  std::int64_t retried_ = 0;
  std::string fault_;
};

}  // namespace crash
