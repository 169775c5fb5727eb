// Requests of an agent to people and to hooks while it works, and their ends.
#pragma once

#include "eventlog/domain/types.hpp"

namespace domain {

enum class AskKind : std::uint8_t {
  approval,  // of a tool call
  question,  // to a person
  plan,      // whether to carry it out
  step,      // of its work, to the hooks that are asked at this point
};

// A point of a session's life at which hooks are asked, or told. The names are those of Claude
// Code's hooks.
enum class HookPoint : std::uint8_t {
  none,
  session_start,          // an agent process begins to work for the session
  user_prompt_submit,     // the agent is about to be given a prompt
  pre_tool_use,           // a tool call is about to be made
  permission_request,     // a tool call needs an approval
  post_tool_use,          // a tool call has succeeded
  post_tool_use_failure,  // a tool call has failed
  notification,           // somebody is about to be told of the session
  subagent_start,
  subagent_stop,
  stop,         // the agent has answered
  pre_compact,  // the agent is about to make its conversation shorter
  session_end,  // the session is closed
};

// True if the agent waits at the point until the hooks have been asked.
constexpr bool is_step(HookPoint point) {
  return point != HookPoint::none && point != HookPoint::notification &&
         point != HookPoint::session_end && point != HookPoint::permission_request;
}

// The outcome of one hook's run.
enum class HookOutcome : std::uint8_t {
  passed,   // it had nothing against it
  changed,  // it changed something, or decided for a person
  blocked,  // it stopped the step, or its failure did
  failed,   // it gave no usable answer, and the step went on without it
};

enum class AskVerdict : std::uint8_t { none, granted, denied };

// Who, or what, has given an answer.
enum class AskBasis : std::uint8_t {
  person,
  time_out,   // nobody, for as long as the session waits for one
  rule,       // one that somebody has added
  full,       // Steno: so many waited that no more could
  text_lost,  // Steno: the text of the answer before is not in the log any more
  hook,       // the hooks that were asked
  earlier,    // who answered the same request of an agent process that did not hear it
};

enum class AskEnd : std::uint8_t {
  told,        // the agent was given the answer
  withdrawn,   // the agent did not wait for it any more
  agent_gone,  // its process ended first
  unheard,     // the same, and it was certainly not given the answer, which is kept
};

// One that is not over. Its agent waits for an answer, or has not been given it yet.
struct OpenAsk {
  std::int64_t ask = 0;  // as AskRaised has it, and so have the next five
  std::int64_t request = 0;
  AskKind kind = AskKind::approval;
  std::string tool;
  std::string call;
  TurnId turn;
  Position at;            // of its AskRaised
  StreamVersion version;  // of the same event
  Time since;             // log time of the same event
  AskVerdict verdict = AskVerdict::none;
  AskBasis basis = AskBasis::person;
  Position answer;                    // of its AskAnswered; 0: it has none
  StreamVersion answer_version;       // of the same event
  bool has_text = false;              // the answer has one
  std::string by{};                   // the actor of the answer
  Time answered{};                    // wall time of the answer
  HookPoint point = HookPoint::none;  // as AskRaised has it, and so has the next one
  std::int64_t rule = 0;
  bool has_asked_hooks = false;  // a hook was asked about it
  // Its agent has ended its process meanwhile. The next one asks it again, under the same call.
  bool is_deferred = false;

  bool operator==(const OpenAsk&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ask", &OpenAsk::ask);
    visit("request", &OpenAsk::request);
    visit("kind", &OpenAsk::kind);
    visit("tool", &OpenAsk::tool);
    visit("call", &OpenAsk::call);
    visit("turn", &OpenAsk::turn);
    visit("at", &OpenAsk::at);
    visit("version", &OpenAsk::version);
    visit("since", &OpenAsk::since);
    visit("verdict", &OpenAsk::verdict);
    visit("basis", &OpenAsk::basis);
    visit("answer", &OpenAsk::answer);
    visit("answer_version", &OpenAsk::answer_version);
    visit("has_text", &OpenAsk::has_text);
    visit("by", &OpenAsk::by);
    visit("answered", &OpenAsk::answered);
    visit("point", &OpenAsk::point);
    visit("rule", &OpenAsk::rule);
    visit("asked_hooks", &OpenAsk::has_asked_hooks);
    visit("deferred", &OpenAsk::is_deferred);
  }
};
using OpenAsks = std::vector<OpenAsk>;

// One that is over, for whoever answers it too late.
struct PastAsk {
  std::int64_t ask = 0;
  AskKind kind = AskKind::approval;  // of one that an earlier release has kept: not known
  std::string call{};
  AskVerdict verdict = AskVerdict::none;
  AskBasis basis = AskBasis::person;
  AskEnd end = AskEnd::told;
  std::string by{};
  Time answered{};

  bool operator==(const PastAsk&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ask", &PastAsk::ask);
    visit("kind", &PastAsk::kind);
    visit("call", &PastAsk::call);
    visit("verdict", &PastAsk::verdict);
    visit("basis", &PastAsk::basis);
    visit("end", &PastAsk::end);
    visit("by", &PastAsk::by);
    visit("answered", &PastAsk::answered);
  }
};
using PastAsks = std::vector<PastAsk>;

// The answer of a person that no agent process was given. It is given to the next one that asks
// for the same.
struct UnheardAnswer {
  std::int64_t ask = 0;  // as OpenAsk has it, and so have the others
  AskKind kind = AskKind::approval;
  std::string tool;
  Position at;
  AskVerdict verdict = AskVerdict::none;
  Position answer;
  bool has_text = false;
  std::string by{};
  Time answered{};

  bool operator==(const UnheardAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("ask", &UnheardAnswer::ask);
    visit("kind", &UnheardAnswer::kind);
    visit("tool", &UnheardAnswer::tool);
    visit("at", &UnheardAnswer::at);
    visit("verdict", &UnheardAnswer::verdict);
    visit("answer", &UnheardAnswer::answer);
    visit("has_text", &UnheardAnswer::has_text);
    visit("by", &UnheardAnswer::by);
    visit("answered", &UnheardAnswer::answered);
  }
};
using UnheardAnswers = std::vector<UnheardAnswer>;

// The subtype of the failure of a turn whose prompt hooks did not let through.
constexpr std::string_view kBlockedByHook = "blocked_by_hook";

// So many of one session wait for people, and for hooks, at once; a further one is denied.
constexpr std::size_t kOpenAsksMax = 64;
// So many are remembered of those that are over.
constexpr std::size_t kPastAsksMax = 16;
// So many answers that nobody heard are kept, the latest ones.
constexpr std::size_t kUnheardAnswersMax = 16;

// Most bytes of the text of an answer.
constexpr std::int64_t kAnswerBytesMax = std::int64_t{512} << 10;

// Returns why people are asked: "the rule 3 has people asked: Bash(git push *)".
std::string rule_reason(std::int64_t rule, std::string_view pattern);

// True if a person is to answer such a request.
constexpr bool is_for_people(AskKind kind) {
  return kind != AskKind::step;
}
// True if the request has the answer of a person.
constexpr bool is_of_person(const OpenAsk& open) {
  return is_for_people(open.kind) && open.verdict != AskVerdict::none &&
         (open.basis == AskBasis::person || open.basis == AskBasis::earlier);
}
// True if the request can be answered as the earlier one was, should both ask for the same.
constexpr bool is_like(const OpenAsk& open, const UnheardAnswer& earlier) {
  return open.verdict == AskVerdict::none && open.kind == earlier.kind && open.tool == earlier.tool;
}
// True if a person is yet to answer one of them.
bool is_unanswered(const OpenAsks& asks);
// True if somebody, a person or a hook, is yet to answer one of them.
bool is_waiting(const OpenAsks& asks);

}  // namespace domain

template <>
struct base::EnumNames<domain::AskKind> {
  static constexpr std::string_view kNames[] = {"approval", "question", "plan", "step"};
};
template <>
struct base::EnumNames<domain::AskVerdict> {
  static constexpr std::string_view kNames[] = {"none", "granted", "denied"};
};
template <>
struct base::EnumNames<domain::AskBasis> {
  static constexpr std::string_view kNames[] = {"person",    "time_out", "rule",   "full",
                                                "text_lost", "hook",     "earlier"};
};
template <>
struct base::EnumNames<domain::HookPoint> {
  static constexpr std::string_view kNames[] = {
      "none",        "SessionStart",       "UserPromptSubmit", "PreToolUse",    "PermissionRequest",
      "PostToolUse", "PostToolUseFailure", "Notification",     "SubagentStart", "SubagentStop",
      "Stop",        "PreCompact",         "SessionEnd"};
};
template <>
struct base::EnumNames<domain::HookOutcome> {
  static constexpr std::string_view kNames[] = {"passed", "changed", "blocked", "failed"};
};
template <>
struct base::EnumNames<domain::AskEnd> {
  static constexpr std::string_view kNames[] = {"told", "withdrawn", "agent_gone", "unheard"};
};
