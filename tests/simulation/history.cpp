// Compares each operation with the command's group in the log, and orders answers by the moments in
// which they were asked for and given.
#include "tests/simulation/history.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace simulation {
namespace {

std::string text_of(const Operation& operation) {
  return "client " + std::to_string(operation.client) + "'s " +
         (operation.is_query ? "query" : "command " + operation.command.text()) + " on " +
         operation.stream;
}

std::string at(base::Position position) {
  return "position " + std::to_string(position.value);
}

std::string check_accepted(const Operation& operation, const LogObserver& log) {
  const auto group = log.commands().find(operation.command);
  if (group == log.commands().end()) {
    return text_of(operation) + " was accepted and is not in the log";
  }
  // The answer names the last event in the session's own stream; the group can go on behind it.
  if (operation.position < group->second.first || operation.position > group->second.last) {
    return text_of(operation) + " was accepted at " + at(operation.position) +
           " and stands in the log at " + at(group->second.first);
  }
  if (operation.expected_version && !operation.is_repeated &&
      group->second.first_version != operation.expected_version->next()) {
    return text_of(operation) + " was accepted for version " +
           std::to_string(operation.expected_version->value) + " and made version " +
           std::to_string(group->second.first_version.value);
  }
  return {};
}

// No answer is older than an answer that somebody had before the question was asked.
std::string check_time(const std::vector<Operation>& operations) {
  std::vector<const Operation*> by_answer;
  std::vector<const Operation*> by_invocation;
  for (const Operation& operation : operations) {
    if (operation.result != Result::ok) continue;
    by_answer.push_back(&operation);
    by_invocation.push_back(&operation);
  }
  std::sort(by_answer.begin(), by_answer.end(),
            [](const auto* a, const auto* b) { return a->answered < b->answered; });
  std::sort(by_invocation.begin(), by_invocation.end(),
            [](const auto* a, const auto* b) { return a->invoked < b->invoked; });
  auto answered = by_answer.begin();
  base::Position seen;
  for (const Operation* operation : by_invocation) {
    for (; answered != by_answer.end() && (*answered)->answered < operation->invoked; ++answered) {
      seen = std::max(seen, (*answered)->position);
    }
    const bool is_older =
        operation->is_query ? operation->position < seen : operation->position <= seen;
    if (is_older && !operation->is_repeated) {
      return text_of(*operation) + " was answered at " + at(operation->position) + " although " +
             at(seen) + " had been seen before it was asked";
    }
  }
  return {};
}

// A name made from the prompt is known only by its mark. Without its text, the session is shown by
// its alias.
bool is_name_of(const std::string& name, const domain::SessionState& state) {
  if (!state.name.empty()) return name == state.name;
  const bool has_text = domain::made_name_at(state).value != 0;
  return (has_text && domain::name_mark(name) == state.made_name.mark) || name == state.alias;
}

std::string compare(const projections::SessionRow& row, const domain::SessionState& state) {
  const auto differs = [](const std::string& field, const std::string& is, const std::string& was) {
    return "its " + field + " is '" + is + "', in the log '" + was + "'";
  };
  if (row.status != state.status) {
    return differs("status", std::string(base::enum_name(row.status)),
                   std::string(base::enum_name(state.status)));
  }
  if (!is_name_of(row.name, state)) return differs("name", row.name, domain::label(state));
  if (row.turns_waiting != static_cast<std::int64_t>(state.queue.size())) {
    return differs("waiting turns", std::to_string(row.turns_waiting),
                   std::to_string(state.queue.size()));
  }
  const base::TurnId turn = state.turn ? state.turn->turn : base::TurnId{};
  if (row.turn != turn) return differs("turn", row.turn.text(), turn.text());
  if (row.cost != state.cost) {
    return differs("cost", std::to_string(row.cost.value), std::to_string(state.cost.value));
  }
  return {};
}

}  // namespace

std::size_t History::invoke(Operation operation) {
  operation.invoked = ++moment_;
  operations_.push_back(std::move(operation));
  return operations_.size() - 1;
}

Operation& History::answer(std::size_t place) {
  operations_[place].answered = ++moment_;
  return operations_[place];
}

std::string check_history(const History& history, const LogObserver& log) {
  std::map<base::CommandId, base::Position> accepted;
  // A refused command can be accepted when it is sent again.
  std::set<base::CommandId> may_be_in_log;
  for (const Operation& operation : history.operations()) {
    if (operation.result != Result::failed) may_be_in_log.insert(operation.command);
  }
  for (const Operation& operation : history.operations()) {
    if (operation.is_query) continue;
    if (operation.result == Result::failed && !may_be_in_log.contains(operation.command) &&
        log.commands().contains(operation.command)) {
      return text_of(operation) + " was refused (" + operation.code + ") and is in the log";
    }
    if (operation.result != Result::ok) continue;
    if (auto wrong = check_accepted(operation, log); !wrong.empty()) return wrong;
    const auto [first, is_new] = accepted.emplace(operation.command, operation.position);
    if (!is_new && !operation.is_repeated) {
      return text_of(operation) + " was accepted as new twice";
    }
    if (!is_new && first->second != operation.position) {
      return text_of(operation) + " was accepted at " + at(first->second) + ", then at " +
             at(operation.position);
    }
  }
  return check_time(history.operations());
}

std::string check_reads(const History& history, const std::vector<domain::RecordedEvent>& events) {
  std::vector<const Operation*> reads;
  for (const Operation& operation : history.operations()) {
    if (operation.result == Result::ok && operation.row) reads.push_back(&operation);
  }
  if (reads.empty()) return {};
  std::sort(reads.begin(), reads.end(),
            [](const auto* a, const auto* b) { return a->position < b->position; });
  std::map<std::string, domain::SessionState> states;
  auto event = events.begin();
  for (const Operation* read : reads) {
    for (; event != events.end() && event->envelope.position <= read->position; ++event) {
      const auto ref = domain::parse_stream(event->envelope.stream);
      if (!ref->is<domain::SessionStream>()) continue;
      domain::evolve(states[event->envelope.stream], event->envelope, event->event);
    }
    if (auto wrong = compare(*read->row, states[read->stream]); !wrong.empty()) {
      return text_of(*read) + " was answered at " + at(read->position) + ": " + wrong;
    }
  }
  return {};
}

}  // namespace simulation
