// `approvals`, `approve`, `deny` and `answer`: people answer what agents ask.
#include <algorithm>
#include <utility>

#include "eventlog/base/digits.hpp"
#include "eventlog/domain/rules/rules.hpp"
#include "workers/operations/answer_json.hpp"
#include "workers/operations/asking.hpp"
#include "workers/operations/finding.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/operations/text_bounds.hpp"
#include "workers/protocol/rules.hpp"
#include "workers/rules/pattern_matcher.hpp"
#include "workers/text/ask_text.hpp"

namespace workers {
namespace {

// Returns the session and the number of a request; 0: the only one that waits. Without a number
// behind it the sign in "docs#3" belongs to a name.
std::pair<std::string, std::int64_t> meant_by(const std::string& reference) {
  const std::size_t sign = reference.rfind('#');
  if (sign == std::string::npos || sign == 0) return {reference, 0};
  const auto number = base::parse_digits(std::string_view(reference).substr(sign + 1));
  if (!number || *number == 0) return {reference, 0};
  return {reference.substr(0, sign), *number};
}

// Returns the session of a reference such as "docs#3", and says of a part behind the sign that is
// no number what it must be, if the part before it is a session.
Task<Outcome<ShowAnswer>> find_asking(const Caller& caller, const std::string& reference) {
  const auto [session, number] = meant_by(reference);
  auto found = co_await find_session(caller, session);
  const std::size_t sign = reference.rfind('#');
  const bool can_be_wrong = number == 0 && sign != std::string::npos && sign > 0;
  if (found || !can_be_wrong) co_return found;
  const auto before = co_await find_session(caller, reference.substr(0, sign));
  if (!before) co_return found;
  co_return refuse(OperationError::usage, shown(reference) +
                                              " names no request: the number behind # is 1 or "
                                              "more");
}

// So many requests a refusal names.
constexpr std::size_t kNamedMax = 5;

std::string listed(const AskPage& page) {
  std::string text;
  for (std::size_t i = 0; i < std::min(page.asks.size(), kNamedMax); ++i) {
    const AskShown& ask = page.asks[i];
    text += (i == 0 ? "" : "; ") + ask_reference(ask) + " " +
            ask_line(ask.kind, ask.tool, read_ask(ask.text));
  }
  return text + (page.asks.size() > kNamedMax ? "; …" : "");
}

// Returns what the caller means. One that does not wait any more has no kind that is known; the
// server says what became of it, and without a number of the last one.
Task<Outcome<AskShown>> find_ask(const Caller& caller, const std::string& reference) {
  if (!caller.self.empty()) {
    co_return refuse(OperationError::refused,
                     "the agent of a session cannot answer what agents ask; a person does");
  }
  const auto [session, number] = meant_by(reference);
  // By the time that a message or a retry comes, the session can ask for something else.
  const bool can_be_late = caller.reader == Reader::person || caller.identity.has_value();
  if (number == 0 && can_be_late) {
    co_return refuse(OperationError::usage,
                     "name the request, too, as the list says: " + shown(session) + "#NUMBER");
  }
  auto found = co_await find_asking(caller, reference);
  if (!found) co_return tl::unexpected(found.error());
  auto page = co_await find_asks(caller, found->session.session.text());
  if (!page) co_return tl::unexpected(page.error());
  for (AskShown& ask : page->asks) {
    const bool is_meant = number == ask.ask || (number == 0 && page->asks.size() == 1);
    if (is_meant) co_return std::move(ask);
  }
  if (number == 0 && !page->asks.empty()) {
    co_return refuse(
        OperationError::usage,
        "session " + found->session.alias + " asks for several things; name one: " + listed(*page));
  }
  AskShown over;
  over.session = found->session.session;
  over.agent = found->session.agent;
  over.alias = found->session.alias;
  over.ask = number;
  co_return over;
}

Task<Outcome<AnsweredAsk>> send_answer(const Caller& caller, AskShown ask,
                                       domain::AskVerdict verdict, std::string text,
                                       std::string said) {
  const domain::Command command = domain::SessionCommand(
      domain::AnswerAsk{ask.ask, verdict, std::move(text), caller.channel});
  auto reply = co_await send_command(caller, command_id(caller), ask.session, ask.agent, command);
  if (!reply) co_return tl::unexpected(reply.error());
  co_return AnsweredAsk{std::move(ask), verdict, std::move(said)};
}

domain::RulesState state_of(const RulesAnswer& known) {
  domain::RulesState state;
  for (const domain::Rule& rule : known.rules) state.rules[rule.rule] = rule;
  return state;
}

// Returns the refusal of another input for the call, which a rule denies; none: no rule does.
std::optional<Refusal> check_other_input(const RulesAnswer& known, const AskShown& ask,
                                         const Json& input) {
  const domain::RulesState state = state_of(known);
  const std::string call = json_text(Json{{"input", input}});
  const domain::RuleAnswer answer = domain::answer_by_rules(
      state, ask.agent, ask.session, {ask.tool, call, ask.workdir}, PatternMatcher());
  if (answer.verdict != domain::RuleVerdict::deny || answer.rule == 0) return std::nullopt;
  const std::string number = std::to_string(answer.rule);
  return Refusal{OperationError::refused,
                 "the rule " + number + ", " + shown(state.rules.at(answer.rule).pattern) +
                     ", denies the call with that input; nothing was answered. Give another "
                     "input, or remove the rule first (steno rules rm " +
                     number + ")",
                 {}};
}

// Returns the refusal of a rule that would allow such calls, and that another one wins over; none:
// it would hold.
std::optional<Refusal> check_further(const RulesAnswer& known, const AskShown& ask,
                                     const domain::AddRule& wanted) {
  domain::RulesState state = state_of(known);
  const std::int64_t added = state.rules.empty() ? 1 : state.rules.rbegin()->first + 1;
  state.rules[added] = {added, wanted.agent, wanted.session, wanted.pattern, wanted.verdict};
  const domain::RuleAnswer answer = domain::answer_by_rules(
      state, ask.agent, ask.session, {ask.tool, ask.text, ask.workdir}, PatternMatcher());
  if (answer.verdict == domain::RuleVerdict::allow || answer.rule == 0) return std::nullopt;
  const std::string number = std::to_string(answer.rule);
  return Refusal{
      OperationError::refused,
      "the rule " + number + ", " + shown(state.rules.at(answer.rule).pattern) +
          (answer.verdict == domain::RuleVerdict::deny ? ", denies such calls"
                                                       : ", has people asked") +
          " whatever else allows them; approve this one alone, or remove that rule first "
          "(steno rules rm " +
          number + ")",
      {}};
}

// Adds the rule that allows such calls from now on; returns its pattern. One that is there already
// is as good.
Task<Outcome<std::string>> allow_further(const Caller& caller, const AskShown& ask,
                                         ApprovalFor further) {
  const std::string pattern = pattern_for({ask.tool, ask.text, ask.workdir});
  if (pattern.empty()) {
    co_return refuse(
        OperationError::usage,
        "no rule can be made of this call; approve it alone, and add a rule with steno "
        "rules add");
  }
  domain::AddRule rule{ask.agent, {}, pattern, domain::RuleVerdict::allow};
  if (further == ApprovalFor::session) rule.session = ask.session;
  const QueryBody query;
  auto known = co_await caller.server.ask<RulesAnswer>(kVerbRules, query);
  if (!known) co_return tl::unexpected(known.error());
  std::optional<Refusal> refused = check_further(*known, ask, rule);
  if (refused) co_return tl::unexpected(std::move(*refused));
  CommandBody body = encode_command(domain::RulesCommand(std::move(rule)));
  body.actor = caller.actor;
  auto reply = co_await caller.server.command<RulesReplyBody>(caller.server.fresh_id(), body);
  const bool is_there = reply || reply.error().code == "already_exists";
  if (!is_there) co_return tl::unexpected(reply.error());
  co_return pattern;
}

std::string joined_choices(const AskText& text) {
  std::string all;
  for (const std::string& line : choice_lines(text)) all += (all.empty() ? "" : "; ") + line;
  return all;
}

// Returns the fields of the call's input that the one in its place does not have. The tool alone
// knows which of them it needs.
std::vector<std::string> missing_fields(const AskShown& ask, const Json& input) {
  std::vector<std::string> missing;
  const Json before = Json::parse(read_ask(ask.text).input, nullptr, false);
  if (!before.is_object()) return missing;
  for (const auto& [key, value] : before.items()) {
    if (!input.contains(key)) missing.push_back(key);
  }
  return missing;
}

bool is_question(const AskShown& ask) {
  return ask.position.value != 0 && ask.kind == domain::AskKind::question;
}

}  // namespace

std::string ask_reference(const AskShown& ask) {
  return ask.alias + "#" + std::to_string(ask.ask);
}

std::string ascii_json(const AskPage& page) {
  return ascii_text(json_of(page));
}
std::string ascii_json(const AnsweredAsk& answered) {
  return ascii_text(json_of(answered));
}

Task<Outcome<AskPage>> find_asks(const Caller& caller, const std::string& reference) {
  QueryBody query;
  query.agent = caller.agent;
  query.reference = reference;
  auto answer = co_await caller.server.ask<AsksAnswer>(kVerbAsks, query);
  if (!answer) co_return tl::unexpected(answer.error());
  co_return AskPage{caller.server.clock().wall(), std::move(answer->asks)};
}

Task<Outcome<AskPage>> find_named_asks(const Caller& caller, const std::string& reference) {
  if (reference.empty()) {
    auto all = co_await find_asks(caller, {});
    co_return all;
  }
  const auto [session, number] = meant_by(reference);
  auto found = co_await find_asking(caller, reference);
  if (!found) co_return tl::unexpected(found.error());
  auto page = co_await find_asks(caller, found->session.session.text());
  if (!page || number == 0) co_return page;
  const std::string others = listed(*page);
  std::erase_if(page->asks, [wanted = number](const AskShown& ask) { return ask.ask != wanted; });
  if (page->asks.empty()) {
    co_return refuse(OperationError::not_found,
                     "session " + found->session.alias +
                         " does not wait for an answer to request " + std::to_string(number) +
                         (others.empty() ? std::string() : "; it waits for " + others));
  }
  co_return page;
}

Task<Outcome<AskPage>> list_approvals(const Caller& caller, const ApprovalsArguments& arguments) {
  return find_named_asks(caller, arguments.session);
}

Task<Outcome<AnsweredAsk>> approve(const Caller& caller, const ApproveArguments& arguments) {
  // Else what it launches could do all that it approves.
  if (caller.is_program && !caller.grant.approves) {
    co_return refuse(OperationError::refused,
                     "programs approve nothing that agents ask, unless the setting mcp_approvals "
                     "says so; a person does");
  }
  auto ask = co_await find_ask(caller, arguments.session);
  if (!ask) co_return tl::unexpected(ask.error());
  if (is_question(*ask)) {
    co_return refuse(OperationError::usage, "session " + ask->alias +
                                                " asks a question, which needs an answer in words "
                                                "(steno answer, /answer)");
  }
  const bool is_plan = ask->position.value != 0 && ask->kind == domain::AskKind::plan;
  if (is_plan && arguments.further != ApprovalFor::this_call) {
    co_return refuse(OperationError::refused,
                     "no rule allows plans, because the next one is another; approve this one "
                     "alone");
  }
  std::string input = arguments.input;
  std::vector<std::string> missing;
  if (!input.empty()) {
    const Json json = Json::parse(input, nullptr, false);
    if (!json.is_object()) {
      co_return refuse(OperationError::usage,
                       "the input is no JSON object: " + shown(input) + "; nothing was answered");
    }
    if (json.empty()) {
      co_return refuse(OperationError::usage,
                       "the input has no field, and agents take that for no other input; nothing "
                       "was answered");
    }
    input = json_text(json);
    if (ask->position.value != 0) {
      missing = missing_fields(*ask, json);
      const QueryBody query;
      const auto known = co_await caller.server.ask<RulesAnswer>(kVerbRules, query);
      if (!known) co_return tl::unexpected(known.error());
      auto refused = check_other_input(*known, *ask, json);
      if (refused) co_return tl::unexpected(std::move(*refused));
    }
  }
  std::string rule;
  if (arguments.further != ApprovalFor::this_call && ask->position.value != 0) {
    auto allowed = co_await allow_further(caller, *ask, arguments.further);
    if (!allowed) co_return tl::unexpected(allowed.error());
    rule = std::move(*allowed);
  }
  auto answered =
      co_await send_answer(caller, std::move(*ask), domain::AskVerdict::granted, input, input);
  if (answered) answered->rule = std::move(rule);
  if (answered) answered->missing = std::move(missing);
  co_return answered;
}

Task<Outcome<AnsweredAsk>> deny(const Caller& caller, const DenyArguments& arguments) {
  auto ask = co_await find_ask(caller, arguments.session);
  if (!ask) co_return tl::unexpected(ask.error());
  auto answered = co_await send_answer(caller, std::move(*ask), domain::AskVerdict::denied,
                                       arguments.reason, arguments.reason);
  co_return answered;
}

Task<Outcome<AnsweredAsk>> answer(const Caller& caller, const AnswerArguments& arguments) {
  auto ask = co_await find_ask(caller, arguments.session);
  if (!ask) co_return tl::unexpected(ask.error());
  if (ask->position.value != 0 && !is_question(*ask)) {
    co_return refuse(OperationError::usage,
                     "session " + ask->alias + " asks no question: " +
                         ask_line(ask->kind, ask->tool, read_ask(ask->text)) +
                         "; approve or deny it");
  }
  const AskText text = read_ask(ask->text);
  std::string answers = answers_of(text, arguments.answer);
  if (answers.empty()) {
    const std::string choices = joined_choices(text);
    co_return refuse(OperationError::usage, answer_fault(text, arguments.answer) +
                                                (choices.empty() ? "" : ": " + choices));
  }
  std::string said = answers;
  auto answered = co_await send_answer(caller, std::move(*ask), domain::AskVerdict::granted,
                                       std::move(answers), std::move(said));
  co_return answered;
}

}  // namespace workers
