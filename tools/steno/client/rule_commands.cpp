// `steno rules`: lists, adds and removes rules, and says what they answer to a call.
#include <nlohmann/json.hpp>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/known_rules.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/rules.hpp"
#include "workers/rules/pattern_matcher.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using domain::Rule;

// True if one rule holds wherever the other does.
bool holds_for_all_of(const Rule& wide, const Rule& narrow) {
  const bool has_agent = wide.agent.empty() || wide.agent == narrow.agent;
  const bool has_session = !wide.session.is_set() || wide.session == narrow.session;
  return has_agent && has_session && workers::covers(wide.pattern, narrow.pattern);
}

int strength(domain::RuleVerdict verdict) {
  return verdict == domain::RuleVerdict::deny ? 2 : verdict == domain::RuleVerdict::ask ? 1 : 0;
}

// Says when a rule that was added does not hold yet, or never will.
void tell_limits(const Rule& added, const KnownRules& known) {
  for (const auto& [number, rule] : known.state.rules) {
    if (number == added.rule || !holds_for_all_of(rule, added)) continue;
    if (strength(rule.verdict) < strength(added.verdict)) continue;
    const bool is_same = rule.verdict == added.verdict;
    remark("it is of no use: " + known.text_of(number) +
           (is_same ? " says so of all such calls already" : " wins over it at all such calls") +
           "; steno rules rm " + std::to_string(is_same ? added.rule : number) + " removes " +
           (is_same ? "the new one" : "that one"));
    return;
  }
  if (added.verdict == domain::RuleVerdict::allow) return;
  remark(
      "agents that run already keep to it in what they ask of their own accord, and at every call "
      "from their next process on");
}

std::string table_text(const std::vector<Rule>& rules, const RuleSessions& sessions,
                       base::Time now) {
  Table table({{"RULE", Align::right},
               {"ANSWER"},
               {"PATTERN", Align::left, 80},
               {"FOR"},
               {"BY", Align::left, 24},
               {"AGE", Align::right}});
  for (const Rule& rule : rules) {
    table.add({std::to_string(rule.rule), std::string(base::enum_name(rule.verdict)), rule.pattern,
               scope_text(rule, sessions), rule.by, duration_text(now - rule.added)});
  }
  return table.text(stdout_columns());
}

}  // namespace

Outcome<int> rules_list(const Config& config, const RuleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  auto answer = ask_rules(**connection);
  if (!answer) return tl::unexpected(answer.error());
  std::erase_if(answer->rules, [&](const Rule& rule) {
    return !arguments.all_agents && !rule.agent.empty() && rule.agent != config.agent;
  });
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*answer) + "\n");
  } else if (answer->rules.empty()) {
    remark("there are no rules; steno rules add makes one");
  } else {
    const RuleSessions sessions = sessions_of(**connection, answer->rules);
    print(table_text(answer->rules, sessions, (*connection)->clock().wall()));
  }
  return kExitOk;
}

Outcome<int> rules_add(const Config& config, const RuleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  domain::AddRule rule;
  if (!arguments.all_agents) rule.agent = config.agent;
  rule.pattern = arguments.pattern;
  rule.verdict = arguments.allows   ? domain::RuleVerdict::allow
                 : arguments.denies ? domain::RuleVerdict::deny
                                    : domain::RuleVerdict::ask;
  if (!(*connection)->caller().self.empty()) {
    return fail(kExitRefused, "the agent of a session adds no rules; a person does");
  }
  if (!arguments.session.empty()) {
    const auto shown = (*connection)->find(arguments.session);
    if (!shown) return tl::unexpected(shown.error());
    rule.session = shown->session.session;
    rule.agent = shown->session.agent;
  }
  const auto reply = (*connection)->command_rules(domain::RulesCommand(rule));
  if (!reply) return tl::unexpected(reply.error());
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*reply) + "\n");
  } else {
    const Rule added{reply->rule, rule.agent, rule.session, rule.pattern, rule.verdict};
    const auto known = known_rules(**connection, RuleArguments{});
    print("rule " + std::to_string(added.rule) + ": " +
          std::string(base::enum_name(added.verdict)) + " " + workers::safe_line(added.pattern) +
          ", for " + scope_text(added, known ? known->sessions : RuleSessions{}) + "\n");
    if (known) tell_limits(added, *known);
  }
  return kExitOk;
}

Outcome<int> rules_remove(const Config& config, const RuleArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  if (!(*connection)->caller().self.empty()) {
    return fail(kExitRefused, "the agent of a session removes no rules; a person does");
  }
  const auto reply =
      (*connection)->command_rules(domain::RulesCommand(domain::RemoveRule{arguments.rule}));
  if (!reply) return tl::unexpected(reply.error());
  print("removed rule " + std::to_string(arguments.rule) + "\n");
  return kExitOk;
}

Outcome<int> rules_test(const Config& config, const RuleArguments& arguments) {
  if (!arguments.since.empty()) return rules_test_record(config, arguments);
  if (arguments.command.empty() && arguments.input.empty()) {
    return fail(kExitUsage,
                "name a command, a tool with --tool and its --input, or with --since the time of "
                "the calls on the record");
  }
  nlohmann::json input = {{"command", arguments.command}};
  if (!arguments.input.empty()) {
    input = nlohmann::json::parse(arguments.input, nullptr, false);
    if (!input.is_object()) return fail(kExitUsage, "--input is no JSON object");
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  std::string agent = config.agent;
  std::string workdir = config.session.workdir;
  base::SessionId session;
  if (!arguments.session.empty()) {
    const auto shown = (*connection)->find(arguments.session);
    if (!shown) return tl::unexpected(shown.error());
    agent = shown->session.agent;
    workdir = shown->session.workdir;
    session = shown->session.session;
  }
  const auto known = known_rules(**connection, arguments);
  if (!known) return tl::unexpected(known.error());
  const std::string text = nlohmann::json{{"input", input}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  const workers::PatternMatcher matcher;
  const domain::AskedCall call{arguments.tool, text, workdir};
  const domain::RuleAnswer found =
      domain::answer_by_rules(known->state, agent, session, call, matcher);
  if (config.output != OutputFormat::table) {
    print(nlohmann::json{{"answer", base::enum_name(found.verdict)},
                         {"rule", known->is_stored(found.rule) ? found.rule : 0}}
              .dump() +
          "\n");
    return kExitOk;
  }
  print(found.rule == 0 ? "ask (no rule is about it)\n" : known->text_of(found.rule) + "\n");
  for (const domain::CallPart& part : matcher.parts_of(call)) {
    print("  " + workers::safe_line(part.tool) + ": " + workers::safe_line(part.text) +
          (part.is_plain ? "\n" : "  (can do more than it says, so only Bash alone allows it)\n"));
  }
  return kExitOk;
}

}  // namespace steno
