// A whole conversation with an agent, as the inputs of its engine: lines of its stdout in any
// order, with turns begun, prompts added, interrupts and answers between them. A line of the
// fuzzer's input that begins with a control character is such a step; every other one is a line of
// the agent.
#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz.hpp"
#include "workers/engines/claude/claude_engine.hpp"
#include "workers/protocol/commands.hpp"

namespace {

using base::ByteView;
using fuzz::require;

using engines::Input;

// Requires that every report can be sent.
void check(const std::vector<domain::Report>& reports) {
  for (const domain::Report& report : reports) {
    const auto read = workers::decode_report(workers::encode_report(1, report));
    require(read && *read == report, "a report can be sent");
  }
}

// Requires that all bytes to the agent are lines of JSON.
void check_writes(ByteView bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    require(end != ByteView::npos, "what is written are whole lines");
    require(nlohmann::json::accept(bytes.substr(0, end)), "each is JSON");
    bytes.remove_prefix(end + 1);
  }
}

base::TurnId turn_of(char number) {
  base::TurnId turn;
  turn.bytes[15] = number;
  return turn;
}

// Returns the step that the line is. Asks that are open are answered by what the line says.
Input::Step step_of(ByteView line, std::vector<engines::Ask>& open) {
  const char first = line.size() > 1 ? line[1] : '\0';
  const ByteView rest = line.substr(std::min<std::size_t>(line.size(), 1));
  switch (line.empty() ? 'x' : line.front()) {
    case '\x01':
      return engines::BeginTurn{turn_of(first), base::Bytes(rest)};
    case '\x02':
      return engines::Interrupt{turn_of(first)};
    case '\x03':
      return engines::TimeIsDue{};
    case '\x04':
      return engines::AddPrompt{base::Bytes(rest)};
    case '\x05':
      return engines::TakeBackPrompt{};
    case '\x06': {
      if (open.empty()) return engines::TimeIsDue{};
      engines::Answer answer{open.back(), first == 'y', base::Bytes(rest)};
      open.pop_back();
      return answer;
    }
    default:
      return engines::FrameCame{base::Bytes(line)};
  }
}

// Requires what holds for each output.
void check(const engines::Output& out, std::int64_t& last_total) {
  check(out.reports);
  check_writes(out.writes);
  for (const domain::Report& report : out.reports) {
    const auto* result = std::get_if<domain::ReportTurnResult>(&report);
    if (result == nullptr) continue;
    require(result->agent_total.value >= 0, "a total is never negative");
    last_total = result->agent_total.value;
  }
}

}  // namespace

void fuzz::run(ByteView in) {
  Source source(in);
  engines::SessionLaunch launch;
  const std::uint8_t how = source.byte();
  launch.spec.is_multi_turn = how % 2 == 0;
  if (how % 4 == 3) launch.system_prompt = "be brief";
  const auto engine = engines::make_claude_engine({}, launch);
  base::Time now{1'700'000'000'000'000};
  std::vector<Input> inputs{{engines::Begin{}, now}};
  std::vector<engines::Output> outputs{engine->handle(inputs.front())};
  check_writes(outputs.front().writes);
  std::vector<engines::Ask> open;
  std::int64_t last_total = 0;
  const auto give = [&](Input::Step step) {
    inputs.push_back({std::move(step), now});
    outputs.push_back(engine->handle(inputs.back()));
    check(outputs.back(), last_total);
    for (const engines::Ask& ask : outputs.back().asks) open.push_back(ask);
  };
  ByteView rest = source.rest();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const ByteView line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with('\x03')) now = now + std::chrono::milliseconds(100) * line.size();
    give(step_of(line, open));
  }
  require(last_total < base::kIntegerLimit, "a total fits the log");
  give(engines::OutputEnded{});
  give(engines::OutputEnded{});
  require(outputs.back().reports.empty(), "what was said is reported once");

  const auto other = engines::make_claude_engine({}, launch);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    require(other->handle(inputs[i]) == outputs[i], "the same inputs give the same outputs");
  }
}
