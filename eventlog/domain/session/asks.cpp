// Decides what the agent asks of people and hooks: it is recorded before anybody is told, answered
// once, and ends once.
#include <algorithm>

#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

const OpenAsk* find_open(const SessionState& s, std::int64_t ask) {
  const OpenAsks& open = s.asks;
  const auto found =
      std::find_if(open.begin(), open.end(), [&](const OpenAsk& one) { return one.ask == ask; });
  return found == open.end() ? nullptr : &*found;
}

const PastAsk* find_past(const SessionState& s, std::int64_t ask) {
  const PastAsks& past = s.past_asks;
  const auto found =
      std::find_if(past.begin(), past.end(), [&](const PastAsk& one) { return one.ask == ask; });
  return found == past.end() ? nullptr : &*found;
}

std::string_view verdict_word(AskKind kind, AskVerdict verdict) {
  if (verdict == AskVerdict::denied) return "denied";
  return kind == AskKind::question ? "answered" : "approved";
}

// Returns the time to the second: people compare it with their own clock.
std::string second_text(Time time) {
  constexpr std::size_t kToTheSecond = sizeof("2026-11-20T12:00:00") - 1;
  return base::time_text(time).substr(0, kToTheSecond) + "Z";
}

// "was approved by ops at 2026-…", "was denied, because nobody answered in time". `One` is an
// OpenAsk or a PastAsk.
template <class One>
std::string answer_text(const One& one) {
  std::string text = "was ";
  text += verdict_word(one.kind, one.verdict);
  if (one.basis == AskBasis::time_out) text += ", because nobody answered in time,";
  if (one.basis == AskBasis::rule) text += " by a rule";
  if (one.basis == AskBasis::full) text += ", because too many requests waited,";
  if (one.basis == AskBasis::text_lost) text += ", because the text of its answer was lost,";
  if (one.basis == AskBasis::hook) text += " by a hook";
  if (one.basis == AskBasis::person || one.basis == AskBasis::earlier)
    text += one.by.empty() ? "" : " by " + one.by;
  return text + " at " + second_text(one.answered);
}

// Returns what can be done about an agent that is gone; empty: nothing has to be.
std::string next_step(const SessionState& s) {
  if (!is_live(s.status)) return "; steno resume " + s.alias + " PROMPT goes on with it";
  const bool is_idle = !s.turn && !s.own_turn.is_set() && s.queue.empty();
  return s.spec.is_multi_turn && is_idle ? "; steno send " + s.alias + " 'go on' has it go on" : "";
}

std::string over_text(const SessionState& s, const PastAsk& past) {
  const bool is_answered = past.verdict != AskVerdict::none;
  std::string text = is_answered ? answer_text(past) : std::string();
  if (past.end == AskEnd::told) return text + ", and the agent has been told";
  const bool is_gone = past.end != AskEnd::withdrawn;
  const std::string why =
      is_gone ? "the agent's process ended" : "the agent did not wait for it any more";
  const std::string next = is_gone ? next_step(s) : std::string();
  if (past.end == AskEnd::unheard) {
    return text + ", but " + why + " before it was told; the next one is, if it asks for the same" +
           next;
  }
  return (is_answered ? text + ", but " + why + " before it was told"
                      : "is over without an answer: " + why) +
         next;
}

// Returns what waits for people: "asks for #2 now", "asks for #2 and #3 now".
std::string asked_now(const SessionState& s) {
  std::string numbers;
  for (const OpenAsk& open : *s.asks) {
    if (open.verdict != AskVerdict::none || !is_for_people(open.kind)) continue;
    numbers += (numbers.empty() ? "#" : " and #") + std::to_string(open.ask);
  }
  return "asks for " + (numbers.empty() ? "nothing" : numbers) + " now";
}

std::string step_text(const SessionState& s, bool is_over) {
  return std::string(is_over ? "was" : "is") +
         " a step of its work, which rules and hooks look at, and is not for people; it " +
         asked_now(s);
}

Decided refused(const SessionState& s, std::int64_t ask, const std::string& text) {
  return reject(RejectionCode::ask_over,
                "request " + std::to_string(ask) + " of session " + label(s) + " " + text);
}

// Refuses an answer to nothing in particular: says what became of the last request.
Decided refused_without_number(const SessionState& s) {
  const PastAsks& past = s.past_asks;
  const auto last = std::find_if(past.rbegin(), past.rend(),
                                 [](const PastAsk& one) { return is_for_people(one.kind); });
  std::string text = "session " + label(s) + " " + asked_now(s);
  if (is_unanswered(s.asks) || last == past.rend()) {
    text += "; steno approvals lists what waits";
  } else {
    text += ". Request " + std::to_string(last->ask) + ", its last one, " + over_text(s, *last);
  }
  return reject(RejectionCode::ask_over, text);
}

// Returns what the rules say. A question is none of theirs: only its answer is of use. A plan can
// be denied by them, but not allowed. Of the steps they are asked where a call is about to be made.
RuleAnswer answer_by_rules(const Deciding& d, AskKind kind, HookPoint point, std::string_view tool,
                           std::string_view text) {
  const auto* rules = d.states.find<RulesStream>(kRulesStream);
  const bool is_call =
      kind == AskKind::step ? point == HookPoint::pre_tool_use : kind != AskKind::question;
  if (rules == nullptr || d.context.calls == nullptr || !is_call) return {};
  const SessionState& s = d.session();
  const RuleAnswer answer =
      answer_by_rules(*rules, d.agent(), s.session, {tool, text, s.spec.workdir}, *d.context.calls);
  // A plan is for somebody to read, and the next one is another.
  const bool is_unread = kind == AskKind::plan && answer.verdict == RuleVerdict::allow;
  return is_unread ? RuleAnswer{} : answer;
}

// Answers as the rules say. Returns false if they leave it to others. At a step what a rule allows
// is left to hooks.
bool answer_by_rules(Deciding& d, std::int64_t ask, const ReportAskRaised& r,
                     const RuleAnswer& answer) {
  if (answer.verdict == RuleVerdict::deny) {
    const auto* rules = d.states.find<RulesStream>(kRulesStream);
    d.emit(AskAnswered{ask, AskVerdict::denied, AskBasis::rule, answer.rule, r.point},
           "Denied by the rule " + rules->rules.at(answer.rule).pattern +
               ". Go on without it, and say what was left out and why it was needed.");
    return true;
  }
  if (answer.verdict == RuleVerdict::ask || r.kind == AskKind::step) return false;
  d.emit(AskAnswered{ask, AskVerdict::granted, AskBasis::rule, answer.rule});
  return true;
}

std::size_t count_like(const OpenAsks& asks, AskKind kind) {
  return static_cast<std::size_t>(std::count_if(asks.begin(), asks.end(), [&](const OpenAsk& one) {
    return is_for_people(one.kind) == is_for_people(kind);
  }));
}

bool is_of_kind(const AnswerAsk& c, AskKind kind) {
  // A question that is granted without words would have no answer.
  return kind != AskKind::question || c.verdict == AskVerdict::denied || !c.text.empty();
}

}  // namespace

std::string rule_reason(std::int64_t rule, std::string_view pattern) {
  std::string text = "the rule " + std::to_string(rule) + " has people asked";
  if (!pattern.empty()) text.append(": ").append(pattern);
  return text;
}

void raise_ask(Deciding& d, const ReportAskRaised& r) {
  const SessionState& s = d.session();
  if (!is_live(s.status)) return d.emit(ReportIgnored{std::string(r.kType)});
  const std::int64_t ask = s.asks_raised + 1;
  const RuleAnswer answer = answer_by_rules(d, r.kind, r.point, r.tool, r.text);
  AskRaised raised{ask, r.request, r.kind, r.turn, cut_fact(r.tool), cut_fact(r.call), r.point};
  if (answer.verdict == RuleVerdict::ask && answer.rule != 0) {
    raised.rule = answer.rule;
    raised.pattern = d.states.find<RulesStream>(kRulesStream)->rules.at(answer.rule).pattern;
  }
  d.emit(std::move(raised), r.text);
  if (answer_by_rules(d, ask, r, answer) || count_like(s.asks, r.kind) < kOpenAsksMax) return;
  d.emit(AskAnswered{ask, AskVerdict::denied, AskBasis::full, 0, r.point},
         "Denied: " + std::to_string(kOpenAsksMax) +
             " requests of this session wait for an answer already. Wait for some of them.");
}

void close_ask(Deciding& d, const ReportAskClosed& r) {
  const OpenAsks& open = d.session().asks;
  const auto found = std::find_if(open.begin(), open.end(),
                                  [&](const OpenAsk& one) { return one.request == r.request; });
  if (found == open.end()) return d.emit(ReportIgnored{std::string(r.kType)});
  d.emit(AskClosed{found->ask, r.is_withdrawn ? AskEnd::withdrawn : AskEnd::told, found->point});
}

void answer_unanswered(Deciding& d) {
  const SessionState& s = d.session();
  const bool is_approved = s.spec.unanswered == UnansweredAsk::approve;
  for (const OpenAsk& open : *s.asks) {
    if (open.verdict != AskVerdict::none || !is_for_people(open.kind)) continue;
    if (d.context.now < open.since + s.spec.approval_timeout) continue;
    // Nobody can answer a question for a person.
    if (is_approved && open.kind != AskKind::question) {
      d.emit(AskAnswered{open.ask, AskVerdict::granted, AskBasis::time_out});
    } else {
      d.emit(AskAnswered{open.ask, AskVerdict::denied, AskBasis::time_out},
             "Nobody answered in time. It was not carried out. Go on without it, and say what was "
             "left out and why it was needed.");
    }
  }
  d.go_on_with_answer();
}

bool give_up_answer(Deciding& d, Position event) {
  const OpenAsks& open = d.session().asks;
  const auto found = std::find_if(open.begin(), open.end(), [&](const OpenAsk& one) {
    return one.has_text && one.answer == event;
  });
  if (found == open.end()) return false;
  d.emit(AskAnswered{found->ask, AskVerdict::denied, AskBasis::text_lost, 0, found->point});
  return true;
}

namespace {

// The most that is kept of a failed hook's words.
constexpr std::size_t kHookWordsMax = 1024;

// Returns the rule that does not let pass what hooks have made of the call; none: they have made
// nothing of it, or it may pass.
RuleAnswer rule_against(const Deciding& d, const OpenAsk& open, const ConcludeHooks& c) {
  if (c.verdict != AskVerdict::granted || c.text.empty()) return {};
  const std::string text = open.kind == AskKind::step ? c.text : "{\"input\":" + c.text + "}";
  const RuleAnswer answer = answer_by_rules(d, open.kind, open.point, open.tool, text);
  const bool is_other = answer.rule != open.rule && answer.verdict != RuleVerdict::allow;
  return is_other ? answer : RuleAnswer{};
}

}  // namespace

// A conclusion that comes too late is of no use, and what ran for it is not recorded.
Decided decide_one(Deciding d, const ConcludeHooks& c) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  const OpenAsk* open = find_open(s, c.ask);
  if (open == nullptr || open->verdict != AskVerdict::none || open->has_asked_hooks) {
    return refused(s, c.ask, "does not wait for hooks");
  }
  for (const HookRun& run : c.runs) {
    d.emit(HookRan{c.ask, cut_fact(run.hook), run.outcome, run.took, cut_fact(run.note)},
           run.said.substr(0, kHookWordsMax));
  }
  if (const RuleAnswer other = rule_against(d, *open, c); other.rule != 0) {
    const auto* rules = d.states.find<RulesStream>(kRulesStream);
    d.emit(AskAnswered{c.ask, AskVerdict::denied, AskBasis::rule, other.rule, open->point},
           "Hooks changed the call into one that the rule " + rules->rules.at(other.rule).pattern +
               (other.verdict == RuleVerdict::deny ? " denies." : " has people asked about."));
    return std::move(d.decision);
  }
  AskVerdict verdict = c.verdict;
  if (verdict == AskVerdict::none && open->kind == AskKind::step) verdict = AskVerdict::granted;
  if (verdict != AskVerdict::none) {
    d.emit(AskAnswered{c.ask, verdict, AskBasis::hook, 0, open->point, cut_fact(c.hook)}, c.text);
  }
  return std::move(d.decision);
}

// Whoever has answered the request meanwhile comes first.
Decided decide_one(Deciding d, const AnswerAsEarlier& c) {
  const SessionState& s = d.session();
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  const OpenAsk* open = find_open(s, c.ask);
  const UnheardAnswers& unheard = s.unheard;
  const auto earlier = std::find_if(unheard.begin(), unheard.end(),
                                    [&](const UnheardAnswer& one) { return one.ask == c.earlier; });
  const bool is_there = open != nullptr && earlier != unheard.end() && is_like(*open, *earlier) &&
                        earlier->has_text == !c.text.empty();
  if (!is_there) return refused(s, c.ask, "cannot be answered as an earlier one was");
  AskAnswered answered{c.ask, earlier->verdict, AskBasis::earlier};
  answered.earlier = c.earlier;
  d.emit(std::move(answered), c.text);
  d.go_on_with_answer();
  return std::move(d.decision);
}

Decided decide_one(Deciding d, const AnswerAsk& c) {
  const SessionState& s = d.session();
  if (auto bad = check_exists(s, d.context)) return tl::unexpected(*bad);
  if (c.ask == 0) return refused_without_number(s);
  if (c.ask < 0 || c.ask > s.asks_raised) {
    return reject(RejectionCode::not_found, "session " + label(s) +
                                                " has not asked for anything under number " +
                                                std::to_string(c.ask));
  }
  const OpenAsk* open = find_open(s, c.ask);
  const PastAsk* past = find_past(s, c.ask);
  const bool is_step = (open != nullptr && !is_for_people(open->kind)) ||
                       (past != nullptr && !is_for_people(past->kind));
  if (is_step) return refused(s, c.ask, step_text(s, open == nullptr));
  if (open == nullptr) {
    return refused(s, c.ask, past == nullptr ? "was over long ago" : over_text(s, *past));
  }
  if (open->verdict != AskVerdict::none) {
    return refused(s, c.ask, answer_text(*open) + ", and the agent is about to be told");
  }
  if (auto bad = check_live(s, d.context)) return tl::unexpected(*bad);
  if (auto bad = check_size("the answer", c.text, kAnswerBytesMax)) return tl::unexpected(*bad);
  if (c.verdict == AskVerdict::none || !is_of_kind(c, open->kind)) {
    return reject(RejectionCode::invalid, open->kind == AskKind::question
                                              ? "a question needs an answer in words"
                                              : "an answer grants or denies");
  }
  AskAnswered answered{c.ask, c.verdict, AskBasis::person};
  answered.place = cut_fact(c.place);
  d.emit(std::move(answered), c.text);
  d.go_on_with_answer();
  return std::move(d.decision);
}

}  // namespace domain
