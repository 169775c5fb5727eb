// `steno rules import`: adds rules that another program's file has. If one that denies, or has
// people asked, cannot be said here, none is added: what it holds back would else be allowed.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/known_rules.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "workers/rules/foreign_rules.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using domain::RuleVerdict;
using Json = nlohmann::ordered_json;

constexpr std::size_t kFileBytesMax = 4 << 20;  // a thousand rules have less

Outcome<std::string> text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(kExitNotFound, "cannot read " + path);
  std::string text(kFileBytesMax + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return fail(kExitFailed, "cannot read " + path);
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kFileBytesMax) {
    return fail(kExitUsage, path + " has more than 4 MiB, which no file of rules has");
  }
  return text;
}

// What became of one pattern, or of an entry without one.
struct Became {
  std::string entry;
  RuleVerdict verdict = RuleVerdict::allow;
  std::string pattern;    // empty: there is none
  std::string outcome;    // "added", "exists", "would be added", "refused", "nothing"
  std::int64_t rule = 0;  // its number, if it has one
  std::string note;
};

// Returns the number of a stored rule that says the same; 0: there is none.
std::int64_t find_same(const domain::RulesState& state, const domain::AddRule& wanted) {
  for (const auto& [number, rule] : state.rules) {
    const bool is_same = rule.agent == wanted.agent && rule.session == wanted.session &&
                         rule.pattern == wanted.pattern && rule.verdict == wanted.verdict;
    if (is_same) return number;
  }
  return 0;
}

Outcome<Became> add_one(Connection& connection, domain::RulesState& state,
                        const domain::AddRule& wanted, bool is_dry) {
  Became became{{}, wanted.verdict, wanted.pattern, "exists", find_same(state, wanted), {}};
  if (became.rule != 0) return became;
  became.outcome = "would be added";
  if (is_dry) return became;
  const auto reply = connection.command_rules(domain::RulesCommand(wanted));
  const bool is_there = !reply && reply.error().code == "already_exists";
  if (!reply && !is_there) return tl::unexpected(reply.error());
  became.outcome = is_there ? "exists" : "added";
  if (is_there) return became;
  became.rule = reply->rule;
  state.rules[reply->rule] = {reply->rule, wanted.agent, wanted.session, wanted.pattern,
                              wanted.verdict};
  return became;
}

void print_all(const std::vector<Became>& all, OutputFormat format) {
  if (format != OutputFormat::table) {
    Json json = Json::array();
    for (const Became& one : all) {
      json.push_back({{"entry", one.entry},
                      {"answer", base::enum_name(one.verdict)},
                      {"pattern", one.pattern},
                      {"outcome", one.outcome},
                      {"rule", one.rule},
                      {"note", one.note}});
    }
    print(Json{{"entries", json}}.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n");
    return;
  }
  Table table({{"ENTRY"}, {"BECAME", Align::left, 80}, {"", Align::left, 100}});
  for (const Became& one : all) {
    const std::string became =
        one.pattern.empty() ? "-" : std::string(base::enum_name(one.verdict)) + " " + one.pattern;
    std::string outcome = one.outcome;
    if (one.rule != 0) outcome += ", rule " + std::to_string(one.rule);
    if (!one.note.empty()) outcome += ": " + one.note;
    table.add({one.entry, became, outcome});
  }
  print(table.text(stdout_columns()));
}

}  // namespace

Outcome<int> rules_import(const Config& config, const RuleArguments& arguments) {
  const auto text = text_of_file(arguments.file);
  if (!text) return tl::unexpected(text.error());
  const auto read = workers::read_foreign_rules(*text, user_home());
  if (!read) return fail(kExitUsage, arguments.file + ": " + read.error().text);
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (!(*connection)->caller().self.empty()) {
    return fail(kExitRefused, "the agent of a session adds no rules; a person does");
  }
  auto known = known_rules(**connection, {});
  if (!known) return tl::unexpected(known.error());
  const auto is_fault = [](const auto& rule) { return rule.is_fault; };
  const bool holds_back = std::any_of(
      read->rules.begin(), read->rules.end(),
      [&](const auto& rule) { return rule.is_fault && rule.verdict != RuleVerdict::allow; });
  std::vector<Became> all;
  for (const workers::ForeignRule& rule : read->rules) {
    if (rule.patterns.empty()) {
      all.push_back(
          {rule.entry, rule.verdict, {}, rule.is_fault ? "refused" : "nothing", 0, rule.note});
    }
    for (const std::string& pattern : rule.patterns) {
      domain::AddRule wanted{arguments.all_agents ? "" : config.agent, {}, pattern, rule.verdict};
      auto became = add_one(**connection, known->state, wanted, arguments.is_dry || holds_back);
      if (!became) {
        print_all(all, config.output);
        return tl::unexpected(became.error());
      }
      became->entry = rule.entry;
      all.push_back(std::move(*became));
    }
  }
  print_all(all, config.output);
  std::string others;
  for (const std::string& other : read->others) others += (others.empty() ? "" : ", ") + other;
  if (!others.empty()) remark("not taken over: " + others);
  if (arguments.is_dry) remark("nothing was added");
  if (holds_back) {
    return fail(kExitUsage,
                "what denies, or has people asked, must not be left out, so nothing was added; add "
                "the refused ones in another form (steno rules add --help), and take them out of "
                "the file");
  }
  const auto refused = std::count_if(read->rules.begin(), read->rules.end(), is_fault);
  if (refused == 0) return kExitOk;
  return fail(kExitFailed, std::to_string(refused) + (refused == 1 ? " entry is" : " entries are") +
                               " no rule here, as said above; the others were taken");
}

}  // namespace steno
