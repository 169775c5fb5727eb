// `steno rules test --since`: holds rules against the tool calls on the record. The output of each
// session is read from its end backwards, so that a long one costs what lies in that time.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "eventlog/base/msgpack.hpp"
#include "eventlog/base/time_text.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/known_rules.hpp"
#include "tools/steno/client/session_events.hpp"
#include "tools/steno/client/since.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/progress_line.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/rules/pattern_matcher.hpp"
#include "workers/text/tool_summary.hpp"

namespace steno {
namespace {

using domain::RuleVerdict;
using Json = nlohmann::ordered_json;

// So many different calls are told apart; further ones are counted together.
constexpr std::size_t kKindsMax = 10'000;
// So many of them a table shows.
constexpr std::size_t kKindsShownMax = 20;
// So many calls of one session are remembered as asked about.
constexpr std::size_t kAskedMax = 10'000;

// What is looked at of a session.
struct Looked {
  base::SessionId session;
  std::string agent;
  std::string workdir;
};

// Calls that are alike, and have the same answer.
struct Kind {
  RuleVerdict verdict = RuleVerdict::ask;
  std::int64_t rule = 0;  // 0: none is about it, and its agent asked by itself
  std::string call;       // the pattern of this call alone, else the call in a few words

  auto operator<=>(const Kind&) const = default;
};

struct Tally {
  std::int64_t sessions = 0;  // that made calls in this time
  std::int64_t calls = 0;     // all of them
  std::int64_t left = 0;      // that no rule is about, and their agents did not ask about
  std::int64_t erased = 0;    // whose text was erased
  std::int64_t lost = 0;      // whose text is not in the log for another reason
  std::int64_t cut = 0;       // sessions of which not all is in the log
  std::string archived;       // where that is, of one of them
  std::map<std::pair<RuleVerdict, std::int64_t>, std::int64_t> by_rule;
  std::map<Kind, std::int64_t> kinds;  // of those that are asked about or denied
  std::int64_t further = 0;            // likewise, of further kinds

  std::int64_t of(RuleVerdict verdict) const {
    std::int64_t count = 0;
    for (const auto& [rule, calls_of] : by_rule) count += rule.first == verdict ? calls_of : 0;
    return count;
  }
};

// Returns what would allow this call alone; where there is none, the call in a few words.
std::string call_text(const domain::AskedCall& call, const std::string& input) {
  std::string pattern = workers::pattern_for(call);
  const bool is_of_use = !pattern.empty() && pattern.size() <= domain::kPatternBytesMax;
  return is_of_use ? pattern : workers::tool_summary(call.tool, input);
}

class Holding {
 public:
  Holding(const KnownRules& known, base::Time since) : known_(known), since_(since) {}

  Outcome<bool> look_at(Connection& connection, const Looked& session) {
    workers::QueryBody query;
    query.agent = session.agent;
    query.reference = session.session.text();
    query.limit = base::kIntegerLimit - 1;
    const std::int64_t before = tally_.calls;
    asked_.clear();
    for (bool is_over = false; !is_over;) {
      const auto page = connection.ask<workers::OutputAnswer>(workers::kVerbOutput, query);
      if (!page) return tl::unexpected(page.error());
      is_over = take(session, *page) || !page->has_more;
      if (is_over && !page->archived.empty() && !is_past_) {
        ++tally_.cut;
        tally_.archived = page->archived;
      }
      query.before = page->from;
    }
    tally_.sessions += tally_.calls > before ? 1 : 0;
    return true;
  }

  const Tally& tally() const { return tally_; }

 private:
  // Returns true at what is older than the time that is looked at.
  bool take(const Looked& session, const workers::OutputAnswer& page) {
    is_past_ = false;
    for (auto item = page.items.rbegin(); item != page.items.rend(); ++item) {
      if (item->is_queued) continue;
      is_past_ = item->time < since_;
      if (is_past_) return true;
      // What an agent asks about a call comes behind the call.
      if (item->type == domain::AskRaised::kType && asked_.size() < kAskedMax) {
        asked_.insert(item->call);
      }
      if (item->kind == workers::ItemKind::tool_call) count(session, *item);
    }
    return false;
  }

  void count(const Looked& session, const workers::OutputItem& item) {
    ++tally_.calls;
    if (item.erased_at.us != 0) {
      ++tally_.erased;
      return;
    }
    if (item.text.empty()) {
      ++tally_.lost;
      return;
    }
    const std::string text = "{\"input\":" + item.text + "}";
    const domain::AskedCall call{item.tool, text, session.workdir};
    const domain::RuleAnswer answer =
        domain::answer_by_rules(known_.state, session.agent, session.session, call, matcher_);
    if (answer.rule == 0 && !asked_.contains(item.call)) {
      ++tally_.left;
      return;
    }
    ++tally_.by_rule[{answer.verdict, answer.rule}];
    if (answer.verdict == RuleVerdict::allow) return;
    const Kind kind{answer.verdict, answer.rule, call_text(call, item.text)};
    if (tally_.kinds.size() < kKindsMax || tally_.kinds.contains(kind)) {
      ++tally_.kinds[kind];
    } else {
      ++tally_.further;
    }
  }

  const KnownRules& known_;
  const base::Time since_;
  const workers::PatternMatcher matcher_;
  Tally tally_;
  std::set<std::string> asked_;  // calls of the session that its agent asked people about
  bool is_past_ = false;
};

std::vector<std::pair<std::int64_t, Kind>> by_count(const Tally& tally) {
  std::vector<std::pair<std::int64_t, Kind>> all;
  for (const auto& [kind, calls] : tally.kinds) all.emplace_back(calls, kind);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return all;
}

std::string json_text(const Tally& tally, const KnownRules& known, base::Time since) {
  const auto rule_of = [&](std::int64_t rule, Json& json) {
    json["rule"] = known.is_stored(rule) ? rule : 0;
    json["pattern"] = rule == 0 ? "" : known.state.rules.at(rule).pattern;
    json["stored"] = known.is_stored(rule);
  };
  Json json = {{"since", base::time_text(since)},
               {"sessions", tally.sessions},
               {"calls", tally.calls},
               {"allow", tally.of(RuleVerdict::allow)},
               {"ask", tally.of(RuleVerdict::ask)},
               {"deny", tally.of(RuleVerdict::deny)},
               {"left", tally.left},
               {"erased", tally.erased},
               {"lost", tally.lost},
               {"sessions_archived", tally.cut},
               {"archived", tally.archived},
               {"rules", Json::array()},
               {"kinds", Json::array()},
               {"of_further_kinds", tally.further}};
  for (const auto& [of, calls] : tally.by_rule) {
    Json one = {{"answer", base::enum_name(of.first)}, {"calls", calls}};
    rule_of(of.second, one);
    json["rules"].push_back(std::move(one));
  }
  for (const auto& [calls, kind] : by_count(tally)) {
    Json one = {{"answer", base::enum_name(kind.verdict)}, {"calls", calls}, {"call", kind.call}};
    rule_of(kind.rule, one);
    json["kinds"].push_back(std::move(one));
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string number_of(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void print_tally(const Tally& tally, const KnownRules& known, base::Time since) {
  print(number_of(tally.calls, "call") + " of " + number_of(tally.sessions, "session") + " since " +
        short_time_text(since) + "\nwould have allowed " +
        std::to_string(tally.of(RuleVerdict::allow)) + ", asked " +
        std::to_string(tally.of(RuleVerdict::ask)) + ", denied " +
        std::to_string(tally.of(RuleVerdict::deny)) + ", and left " + std::to_string(tally.left) +
        " to the agents, as no rule is about them\n");
  if (tally.erased > 0) print("not compared: " + std::to_string(tally.erased) + ", erased\n");
  if (tally.lost > 0) print("not compared: " + std::to_string(tally.lost) + ", without a text\n");
  if (tally.cut > 0) {
    print("not compared: calls of " + number_of(tally.cut, "session") +
          " that are not in the log, " + tally.archived + "\n");
  }
  const auto rule_text = [&](std::int64_t rule) {
    return rule == 0 ? std::string("no rule; the agent asks") : known.text_of(rule);
  };
  if (!tally.by_rule.empty()) {
    Table table({{"CALLS", Align::right}, {"RULE", Align::left, 100}});
    std::vector<std::pair<std::int64_t, std::int64_t>> rules;
    for (const auto& [of, calls] : tally.by_rule) rules.emplace_back(calls, of.second);
    std::stable_sort(rules.begin(), rules.end(), std::greater<>());
    for (const auto& [calls, rule] : rules) table.add({std::to_string(calls), rule_text(rule)});
    print("\n" + table.text(stdout_columns()));
  }
  const auto kinds = by_count(tally);
  if (kinds.empty()) return;
  Table table(
      {{"CALLS", Align::right}, {"ANSWER"}, {"CALL", Align::left, 80}, {"RULE", Align::right}});
  for (std::size_t i = 0; i < std::min(kinds.size(), kKindsShownMax); ++i) {
    const auto& [calls, kind] = kinds[i];
    table.add({std::to_string(calls), std::string(base::enum_name(kind.verdict)), kind.call,
               known.is_stored(kind.rule) ? std::to_string(kind.rule)
               : kind.rule == 0           ? "-"
                                          : "tried"});
  }
  print("\n" + table.text(stdout_columns()));
  std::int64_t rest = tally.further;
  for (std::size_t i = kKindsShownMax; i < kinds.size(); ++i) rest += kinds[i].first;
  if (rest > 0) remark("and " + number_of(rest, "further call") + "; -o json has more kinds");
}

}  // namespace

Outcome<int> rules_test_record(const Config& config, const RuleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto since = since_of(arguments.since, (*connection)->clock().wall());
  if (!since) return tl::unexpected(since.error());
  const auto known = known_rules(**connection, arguments);
  if (!known) return tl::unexpected(known.error());
  std::vector<Looked> sessions;
  if (!arguments.session.empty()) {
    const auto shown = (*connection)->find(arguments.session);
    if (!shown) return tl::unexpected(shown.error());
    const projections::SessionRow& row = shown->session;
    sessions.push_back({row.session, row.agent, row.workdir});
  } else {
    const auto found =
        sessions_since(**connection, arguments.all_agents ? "" : config.agent, *since);
    if (!found) return tl::unexpected(found.error());
    for (const projections::SessionRow& row : *found) {
      sessions.push_back({row.session, row.agent, row.workdir});
    }
  }
  Holding holding(*known, *since);
  ProgressLine progress(stderr, "read");
  std::int64_t looked_at = 0;
  for (const Looked& session : sessions) {
    progress.show_share(looked_at++ * 1000 / static_cast<std::int64_t>(sessions.size()));
    if (const auto ok = holding.look_at(**connection, session); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  progress.clear();
  if (config.output != OutputFormat::table) {
    print(json_text(holding.tally(), *known, *since) + "\n");
  } else {
    print_tally(holding.tally(), *known, *since);
  }
  return kExitOk;
}

}  // namespace steno
