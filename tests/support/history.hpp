// Random, plausible histories of sessions for tests: several agents, resumes, names used again,
// lost workers and kills, in any interleaving. Each event is plausible in the folded state, so no
// session becomes inconsistent. The same seed gives the same history.
#pragma once

#include <memory>
#include <set>

#include "eventlog/domain/aggregates.hpp"
#include "tests/support/log_builder.hpp"

namespace support {

struct HistoryOptions {
  std::size_t steps = 300;        // each appends 1 to about 6 events
  std::size_t sessions_max = 12;  // live sessions
  std::size_t block_events_max = 8;
};

class History {
 public:
  History(std::uint64_t seed, const HistoryOptions& options);

  LogBuilder& log() { return log_; }
  // The state of each session, folded from its events.
  const std::map<std::string, domain::SessionState>& states() const { return states_; }

 private:
  void step();
  void converse(const std::string& agent);
  void import();
  void open();
  // True if a live session holds the agent's session.
  bool is_held(const std::string& agent, const std::string& agent_session) const;
  void act(const std::string& stream);
  void act_without_lease(const std::string& stream);
  void act_in_turn(const std::string& stream);
  void act_between_turns(const std::string& stream);
  void start_next_turn(const std::string& stream);
  void have_own_turn(const std::string& stream);
  void end_turn(const std::string& stream);
  void close(const std::string& stream, domain::SessionStatus status, domain::EndReason reason);
  void notify(const domain::SessionState& s);
  void run_schedule(const domain::SessionState& s);
  void emit(const std::string& stream, domain::Event event, std::string content = {});
  domain::TurnCost random_cost(const domain::SessionState& state);

  std::uint64_t below(std::uint64_t bound) { return log_.random().below(bound); }
  bool chance(unsigned percent) { return log_.random().chance(percent); }

  HistoryOptions options_;
  LogBuilder log_;
  std::map<std::string, domain::SessionState> states_;
  std::vector<std::string> live_;   // streams
  std::vector<std::string> ended_;  // streams
  bool has_schedule_ = false;
  std::set<std::string> conversations_;
  std::int64_t conversed_ = 0;
};

}  // namespace support
