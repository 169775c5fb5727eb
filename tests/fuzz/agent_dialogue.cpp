// A whole conversation with an agent: lines of its stdout in any order, with turns begun and
// interrupted between them. An input line that begins with a control character is such a step;
// every other one is a line of the agent.
#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz.hpp"
#include "workers/engines/claude/claude_engine.hpp"
#include "workers/protocol/commands.hpp"

namespace {

using base::ByteView;
using fuzz::require;

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

}  // namespace

void fuzz::run(ByteView in) {
  Source source(in);
  engines::SessionLaunch launch;
  const std::uint8_t how = source.byte();
  launch.spec.is_multi_turn = how % 2 == 0;
  if (how % 4 == 3) launch.system_prompt = "be brief";
  const auto engine = engines::make_claude_engine({}, launch);
  base::Time now{1'700'000'000'000'000};
  check_writes(engine->start());
  std::int64_t last_total = 0;
  ByteView rest = source.rest();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const ByteView line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::vector<domain::Report> reports;
    if (line.starts_with('\x01')) {
      check_writes(engine->begin_turn(turn_of(line.size() > 1 ? line[1] : 0), line.substr(1)));
    } else if (line.starts_with('\x02')) {
      check_writes(engine->interrupt(turn_of(line.size() > 1 ? line[1] : 0)));
    } else if (line.starts_with('\x03')) {
      now = now + std::chrono::milliseconds(100) * line.size();
      if (const auto due = engine->deadline(); due && now >= *due) reports = engine->on_time(now);
    } else {
      reports = engine->on_line(line, now);
    }
    check(reports);
    check_writes(engine->take_writes());
    for (const domain::Report& report : reports) {
      const auto* result = std::get_if<domain::ReportTurnResult>(&report);
      if (result == nullptr) continue;
      require(result->agent_total.value >= 0, "a total is never negative");
      last_total = result->agent_total.value;
    }
  }
  require(last_total < base::kIntegerLimit, "a total fits the log");
  check(engine->on_end());
  require(engine->on_end().empty(), "what was said is reported once");
}
