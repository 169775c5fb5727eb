// What each client asked, when, and what it was told: invoke, then ok, failed or unknown. Held
// against the log at the end, in the way of Jepsen's histories: nothing that was accepted is lost
// or happened twice, nothing that was refused happened at all, and time runs one way for everybody.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "projections/views/session_list.hpp"
#include "tests/simulation/log_observer.hpp"
#include "tests/simulation/sim_clock.hpp"

namespace simulation {

enum class Result {
  unknown,  // no answer, or none yet: it may have happened
  ok,
  failed,  // refused: it did not happen
};

struct Operation {
  std::size_t client = 0;
  bool is_query = false;
  base::CommandId command;  // of a command
  std::string stream;       // of the session that it is about
  std::optional<base::StreamVersion> expected_version;
  std::int64_t invoked = 0;  // in the order of all invocations and answers
  std::int64_t answered = 0;
  Result result = Result::unknown;
  std::string code;         // of a refusal
  base::Position position;  // of the answer
  bool is_repeated = false;
  std::optional<projections::SessionRow> row;  // of a query for one session
};

class History {
 public:
  // Returns the operation's place; its time is now.
  std::size_t invoke(Operation operation);
  // To be filled in by whoever was answered.
  Operation& answer(std::size_t place);
  const std::vector<Operation>& operations() const { return operations_; }

 private:
  std::vector<Operation> operations_;
  std::int64_t moment_ = 0;
};

// A sentence about the first operation that the log contradicts, or nothing: accepted commands are
// in the log, at the position that was said, once; refused ones are not; a repeated answer is the
// first one's; an expected version was the version; what was asked after an answer came is answered
// at that answer's position or later, whoever asked.
std::string check_history(const History& history, const LogObserver& log);

// A sentence about the first query whose row is not the state of its session at its position.
std::string check_reads(const History& history, const std::vector<domain::RecordedEvent>& events);

}  // namespace simulation
