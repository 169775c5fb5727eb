// What recordings of the real Claude Code cost on the record, held against what the model's server
// had charged; and the figures that cannot be right.
#include <algorithm>
#include <map>
#include <stdexcept>

#include "tests/support/catch.hpp"
#include "tests/workers/engines/claude/driven_claude.hpp"
#include "tests/workers/engines/claude/recording.hpp"
#include "workers/engines/claude/claude_engine.hpp"
#include "workers/engines/claude/claude_spending.hpp"

namespace {

using base::NanoUsd;
using base::Time;
using domain::CostBasis;
using domain::ReportSpending;
using domain::ReportTurnResult;
using domain::Spending;
using domain::Usage;
using engines::driven_claude;
using engines::recording;
using engines::replayed;
using engines::Report;

struct Bill {
  Spending spent;
  CostBasis basis = CostBasis::reported;  // the least certain one
  bool is_open = false;  // no result came behind the last figures, so that there may be more
};

// Adds up what the engine reports.
Bill billed(const std::vector<Report>& reports) {
  Bill bill;
  for (const Report& report : reports) {
    if (const auto* partial = std::get_if<ReportSpending>(&report)) {
      domain::add(bill.spent, partial->spent);
      bill.is_open = true;
    }
    if (const auto* result = std::get_if<ReportTurnResult>(&report)) {
      domain::add(bill.spent, result->spent);
      bill.basis = std::max(bill.basis, result->basis);
      bill.is_open = false;
    }
  }
  if (bill.is_open) bill.basis = std::max(bill.basis, CostBasis::at_least);
  return bill;
}

// Adds up what the model's server says that it charged.
std::optional<Spending> charged(const std::string& name) {
  std::optional<Spending> sum;
  for (const engines::RecordedLine& line : recording(name)) {
    const engines::JsonLine json(line.text);
    const auto message = json.object();
    if (line.direction != "meta" || !message || (*message)["api_calls"].is_null()) continue;
    if (!sum) sum.emplace();
    for (const engines::JsonValue& item : (*message)["api_calls"].items()) {
      const engines::JsonObject call = item.object();
      const engines::JsonObject usage = call["usage"].object();
      const Usage used{usage["input_tokens"].count(), usage["output_tokens"].count(),
                       usage["cache_read_input_tokens"].count(),
                       usage["cache_creation_input_tokens"].count()};
      if (used == Usage{}) continue;
      const std::string model = call["model"].text();
      domain::add(*sum, {{model, used,
                          support::sample_prices().cost_of_call(model, used).value_or(NanoUsd{})}});
    }
  }
  return sum;
}

bool is_same(Spending a, Spending b) {
  const auto by_model = [](const auto& x, const auto& y) { return x.model < y.model; };
  std::sort(a.begin(), a.end(), by_model);
  std::sort(b.begin(), b.end(), by_model);
  return a == b;
}

// Recordings whose cost is not what was charged, and how the record says so. Their input is exact.
const std::map<std::string, CostBasis> kInexact = {
    // A stream that was cut off: the agent guesses its output.
    {"agent_bg_interrupt", CostBasis::estimated},
    {"agent_bg_main_interrupt", CostBasis::estimated},
    {"bg_bash_interrupt_idle", CostBasis::estimated},
    {"interrupt_queued", CostBasis::estimated},
    {"interrupt_usage", CostBasis::estimated},
    {"prompts_priority", CostBasis::estimated},
    {"../claude-2.1.112/folded_and_interrupt", CostBasis::estimated},
    // The agent ended: the output of its last call, or of a subagent's, is not known.
    {"budget_agent_bg_1", CostBasis::at_least},
    {"sigkill_cost_1", CostBasis::at_least},
    {"sigkill_midturn_subagent", CostBasis::at_least},
    {"sigterm_cost_1", CostBasis::at_least},
    // A change of the model makes a small call that no frame tells. Steno asks for none.
    {"set_model_cost", CostBasis::reported},
};

std::vector<std::string> charged_recordings() {
  std::vector<std::string> names;
  for (const std::string version : {"2.1.329", "2.1.112"}) {
    const auto folder = engines::recordings().parent_path() / ("claude-" + version);
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".jsonl") continue;
      const std::string name = "../claude-" + version + "/" + file.path().stem().string();
      if (charged(name)) names.push_back(name);
    }
  }
  return names;
}

TEST_CASE("each recording costs on the record what the model's server charged",
          "[workers][R045][C18]") {
  const std::vector<std::string> names = charged_recordings();
  std::size_t inexact = 0;
  for (const std::string& path : names) {
    const std::string current = "../claude-2.1.329/";
    const std::string name = path.starts_with(current) ? path.substr(current.size()) : path;
    const Spending truth = *charged(path);
    const auto engine = driven_claude(engines::priced(), {});
    const Bill bill = billed(replayed(*engine, path));
    INFO(name << ", " << base::enum_name(bill.basis) << "\n   billed " << engines::shown(bill.spent)
              << "\n  charged " << engines::shown(truth));
    const auto known = kInexact.find(name);
    CHECK(is_same(bill.spent, truth) == (known == kInexact.end()));
    if (known == kInexact.end()) continue;
    ++inexact;
    CHECK(bill.basis == known->second);
    if (bill.basis == CostBasis::at_least) {
      CHECK(domain::cost_of(bill.spent) < domain::cost_of(truth));
    }
  }
  CHECK(names.size() == 94);
  CHECK(inexact == kInexact.size());
}

// ---- what the recordings do not show ----

constexpr Time kNow{1'000'000'000};

std::string result_frame(const std::string& since, const std::string& total,
                         const std::string& more = {}) {
  return R"({"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok",)"
         R"("total_cost_usd":)" +
         total + R"(,"model_usage_since_last_result":)" + since + more + "}";
}

std::string use(const std::string& model, const std::string& tokens, const std::string& dollars) {
  return "{\"" + model + "\":{\"inputTokens\":" + tokens + ",\"outputTokens\":0," +
         R"("cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":)" + dollars + "}}";
}

std::string call_begins(const std::string& id, std::int64_t input) {
  return R"({"type":"stream_event","parent_tool_use_id":null,"event":{"type":"message_start",)"
         R"("message":{"id":")" +
         id + R"(","model":"claude-opus-5-5","usage":{"input_tokens":)" + std::to_string(input) +
         R"(,"output_tokens":1}}}})";
}

const ReportTurnResult& result_in(const std::vector<Report>& reports) {
  for (const Report& report : reports) {
    if (const auto* result = std::get_if<ReportTurnResult>(&report)) return *result;
  }
  FAIL("no result");
  throw std::logic_error("not reached");
}

std::vector<Spending> spending_in(const std::vector<Report>& reports) {
  std::vector<Spending> all;
  for (const Report& report : reports) {
    if (const auto* told = std::get_if<ReportSpending>(&report)) all.push_back(told->spent);
  }
  return all;
}

TEST_CASE("a figure that cannot be right is kept as said, and not added up", "[workers]") {
  const std::string dollars = GENERATE("-1", "1e300", "1000001");
  const std::string frame = result_frame(use("claude-opus-5-5", "100", dollars), "1");
  const auto engine = driven_claude(engines::priced(), {});
  const auto reports = engine->on_line(frame, kNow);
  CHECK(result_in(reports).spent.empty());
  CHECK(result_in(reports).basis == CostBasis::unknown);
  const auto* line = std::get_if<domain::ReportAgentLine>(&reports.front());
  REQUIRE(line);
  CHECK(line->line == frame);
  CHECK(result_in(reports).agent_base.value == -1);
  const auto other = driven_claude(engines::priced(), {});
  const auto odd = other->on_line(result_frame(use("claude-opus-5-5", "-5", "0.1"), "1"), kNow);
  CHECK(result_in(odd).basis == CostBasis::unknown);
}

// Returns a result of which the agent says whether it knows the model's price.
std::string with_basis(const std::string& model, const std::string& basis) {
  std::string since = use(model, "100", "0.25");
  since.insert(since.size() - 2, R"(,"costBasis":")" + basis + "\"");
  return result_frame(since, "0.25");
}

TEST_CASE("the cost of a model without a price is not known, whatever the agent guesses",
          "[workers][R045]") {
  const std::string silent = result_frame(use("other-1", "100", "0.25"), "0.25");
  for (const std::string& frame : {silent, with_basis("other-1", "unknown")}) {
    const auto engine = driven_claude(engines::priced(), {});
    const auto reports = engine->on_line(frame, kNow);
    const ReportTurnResult& result = result_in(reports);
    CHECK(result.spent == Spending{{"other-1", {100, 0, 0, 0}, {}, true}});
    CHECK(result.basis == CostBasis::unknown);
  }
}

TEST_CASE("a model whose price only the agent knows costs what it says", "[workers][R045]") {
  const auto engine = driven_claude(engines::priced(), {});
  const auto reports = engine->on_line(with_basis("other-1", "list"), kNow);
  CHECK(result_in(reports).spent == Spending{{"other-1", {100, 0, 0, 0}, {250'000'000}}});
  CHECK(result_in(reports).basis == CostBasis::reported);
  CHECK(result_in(reports).claimed.value == 250'000'000);
}

TEST_CASE("a model that runs for nothing costs nothing, exactly", "[workers]") {
  engines::EngineSettings settings = engines::priced();
  settings.prices.models["other-*"] = {};
  const auto engine = driven_claude(settings, {});
  const auto reports = engine->on_line(with_basis("other-1", "unknown"), kNow);
  CHECK(result_in(reports).spent == Spending{{"other-1", {100, 0, 0, 0}, {}}});
  CHECK(result_in(reports).basis == CostBasis::reported);
}

TEST_CASE("the agent says at its start whether its model has a price", "[workers]") {
  const auto begins = [](const std::string& model) {
    const auto engine = driven_claude(engines::priced(), {});
    const auto reports = engine->on_line(
        R"({"type":"system","subtype":"init","session_id":"s","model":")" + model + R"("})", kNow);
    return std::get<domain::ReportInitialized>(reports.front()).is_unpriced;
  };
  CHECK_FALSE(begins("claude-opus-5-5"));
  CHECK(begins("other-1"));
}

TEST_CASE("a model with a price costs that, and what the agent says is kept", "[workers][C18]") {
  const auto engine = driven_claude(engines::priced(), {});
  const auto reports =
      engine->on_line(result_frame(use("claude-opus-5-5", "1000", "0.25"), "0.25"), kNow);
  CHECK(domain::cost_of(result_in(reports).spent).value == 4'000'000);
  CHECK(result_in(reports).claimed.value == 250'000'000);
  // Searches of the web cost beside the tokens, so only the agent knows the sum.
  const auto other = driven_claude(engines::priced(), {});
  std::string since = use("claude-opus-5-5", "1000", "0.25");
  since.insert(since.size() - 2, R"(,"webSearchRequests":2)");
  const auto searched = other->on_line(result_frame(since, "0.25"), kNow);
  CHECK(domain::cost_of(result_in(searched).spent).value == 250'000'000);
}

TEST_CASE("a result that comes twice is paid once", "[workers]") {
  const auto engine = driven_claude(engines::priced(), {});
  const auto cost_of_next = [&](const std::string& id) {
    const std::string uuid = R"(,"uuid":"01890a5d-ac96-774b-bcce-b302099a80)" + id + "\"";
    const auto frame = result_frame(use("claude-opus-5-5", "1000", "0.004"), "0.004", uuid);
    return domain::cost_of(result_in(engine->on_line(frame, kNow)).spent).value;
  };
  CHECK(cost_of_next("57") == 4'000'000);
  CHECK(cost_of_next("57") == 0);
  CHECK(cost_of_next("58") == 4'000'000);
}

TEST_CASE("a call that broke off makes its turn's cost an estimate", "[workers]") {
  const std::string ended =
      R"({"type":"stream_event","parent_tool_use_id":null,"event":{"type":"message_delta",)"
      R"("usage":{"output_tokens":20}}})";
  const std::string result = result_frame(use("claude-opus-5-5", "200", "0.0008"), "0.0008");
  const auto basis = [&](const std::vector<std::string>& lines) {
    const auto engine = driven_claude(engines::priced(), {});
    engine->begin_turn(engines::numbered_turn(1), "go");
    for (const std::string& line : lines) engine->on_line(line, kNow);
    return result_in(engine->on_line(result, kNow)).basis;
  };
  CHECK(basis({call_begins("a", 100), ended}) == CostBasis::reported);
  CHECK(basis({call_begins("a", 100), ended, call_begins("b", 100), ended}) == CostBasis::reported);
  CHECK(basis({call_begins("a", 100), call_begins("b", 100), ended}) == CostBasis::estimated);
  CHECK(basis({call_begins("a", 100)}) == CostBasis::estimated);
  // The next turn is not to blame.
  const auto engine = driven_claude(engines::priced(), {});
  engine->begin_turn(engines::numbered_turn(1), "go");
  engine->on_line(call_begins("a", 100), kNow);
  engine->on_line(result, kNow);
  engine->begin_turn(engines::numbered_turn(2), "go");
  engine->on_line(call_begins("b", 100), kNow);
  engine->on_line(ended, kNow);
  CHECK(result_in(engine->on_line(result, kNow)).basis == CostBasis::reported);
}

TEST_CASE("an empty run before the first answer does not hide the total", "[workers]") {
  const auto engine = driven_claude(engines::priced(), {});
  const auto reports = replayed(*engine, "budget_agent_bg_2_resumed");
  std::vector<std::int64_t> bases;
  for (const Report& report : reports) {
    const auto* result = std::get_if<ReportTurnResult>(&report);
    if (result != nullptr && result->agent_base.value >= 0)
      bases.push_back(result->agent_base.value);
  }
  // Of these 203,144,000 were told by the process before it.
  CHECK(bases == std::vector<std::int64_t>{243'124'000});
}

TEST_CASE("the first result tells the total with which the process began", "[workers]") {
  const auto engine = driven_claude(engines::priced(), {});
  const std::string first = result_frame(use("claude-opus-5-5", "1000", "0.004"), "0.104");
  CHECK(result_in(engine->on_line(first, kNow)).agent_base.value == 100'000'000);
  const std::string next = result_frame(use("claude-opus-5-5", "1000", "0.004"), "0.108");
  CHECK(result_in(engine->on_line(next, kNow)).agent_base.value == -1);
}

std::string call_ends(std::int64_t output) {
  return R"({"type":"stream_event","parent_tool_use_id":null,"event":{"type":"message_delta",)"
         R"("usage":{"output_tokens":)" +
         std::to_string(output) + "}}}";
}

TEST_CASE("a call of the model is told when it has ended", "[workers][R045]") {
  const auto engine = driven_claude(engines::priced(), {});
  CHECK_FALSE(engine->deadline());
  CHECK(spending_in(engine->on_line(call_begins("m1", 1000), kNow)).empty());
  CHECK(spending_in(engine->on_line(call_ends(51), kNow)) ==
        std::vector<Spending>{{{"claude-opus-5-5", {1000, 51, 0, 0}, {5'020'000}}}});
  CHECK_FALSE(engine->deadline());
  // The result takes off what was told.
  const std::string since =
      R"({"claude-opus-5-5":{"inputTokens":1500,"outputTokens":60,"cacheReadInputTokens":0,)"
      R"("cacheCreationInputTokens":0,"costUSD":0.0072}})";
  CHECK(result_in(engine->on_line(result_frame(since, "0.0072"), kNow)).spent ==
        Spending{{"claude-opus-5-5", {500, 9, 0, 0}, {2'180'000}}});
}

TEST_CASE("calls that end close together are told together", "[workers]") {
  const auto engine = driven_claude(engines::priced(), {});
  engine->on_line(call_begins("m1", 1000), kNow);
  CHECK(spending_in(engine->on_line(call_ends(1), kNow)).size() == 1);
  for (const std::string id : {"m2", "m3"}) {
    engine->on_line(call_begins(id, 1000), kNow);
    CHECK(spending_in(engine->on_line(call_ends(1), kNow)).empty());
  }
  REQUIRE(engine->deadline());
  CHECK(*engine->deadline() == kNow + engines::kSpendingPace);
  CHECK(spending_in(engine->on_time(kNow + engines::kSpendingPace)) ==
        std::vector<Spending>{{{"claude-opus-5-5", {2000, 2, 0, 0}, {8'040'000}}}});
}

TEST_CASE("what is known of a call that goes on is told after a while", "[workers]") {
  const auto engine = driven_claude(engines::priced(), {});
  engine->on_line(call_begins("m1", 1000), kNow);
  REQUIRE(engine->deadline());
  CHECK(*engine->deadline() == kNow + engines::kSpendingInterval);
  const auto told = spending_in(engine->on_time(kNow + engines::kSpendingInterval));
  CHECK(told == std::vector<Spending>{{{"claude-opus-5-5", {1000, 1, 0, 0}, {4'020'000}}}});
  CHECK_FALSE(engine->deadline());
}

TEST_CASE("an agent that ends has told what it spent until then", "[workers]") {
  const auto engine = driven_claude(engines::priced(), {});
  engine->on_line(call_begins("m1", 1000), kNow);
  CHECK(spending_in(engine->on_end()).size() == 1);
  CHECK(spending_in(engine->on_end()).empty());
}

}  // namespace
