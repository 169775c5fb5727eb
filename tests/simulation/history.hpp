// Every question of every client, with its moment and its outcome: invoke, then ok, failed or
// unknown. It is compared with the log at the end, like Jepsen's histories. Nothing accepted is
// lost or happened twice, nothing refused happened, and time runs one way for everybody.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "projections/views/session_list.hpp"
#include "tests/simulation/log_observer.hpp"
#include "tests/simulation/sim_clock.hpp"

namespace simulation {

enum class Result {
  unknown,  // no answer yet, or ever: it can have happened
  ok,
  failed,  // refused: it did not happen
};

struct Operation {
  std::size_t client = 0;
  bool is_query = false;
  base::CommandId command;  // of a command
  std::string stream;       // of the session that it concerns
  std::optional<base::StreamVersion> expected_version;
  std::int64_t invoked = 0;  // number in the order of all invocations and answers
  std::int64_t answered = 0;
  Result result = Result::unknown;
  std::string code;         // of a refusal
  base::Position position;  // of the answer
  bool is_repeated = false;
  std::optional<projections::SessionRow> row;  // for a query of one session
};

class History {
 public:
  // Returns the operation's index; it is invoked now.
  std::size_t invoke(Operation operation);
  // Answers the operation now; the caller fills in the outcome.
  Operation& answer(std::size_t place);
  const std::vector<Operation>& operations() const { return operations_; }

 private:
  std::vector<Operation> operations_;
  std::int64_t moment_ = 0;
};

// Returns a sentence about the first operation that the log contradicts, or an empty text. Accepted
// commands are in the log once, at the position of their answer. Refused ones are not there. A
// repeated answer equals the first one. An expected version was the actual version. A question that
// was asked after an answer is answered at that answer's position or later, whoever asked.
std::string check_history(const History& history, const LogObserver& log);

// Returns a sentence about the first query whose row is not its session's state at its position.
std::string check_reads(const History& history, const std::vector<domain::RecordedEvent>& events);

}  // namespace simulation
