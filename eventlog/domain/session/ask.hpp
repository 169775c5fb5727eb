// Requests of an agent to people while it works, and their ends.
#pragma once

#include "eventlog/domain/types.hpp"

namespace domain {

enum class AskKind : std::uint8_t {
  approval,  // of a tool call
  question,  // to a person
  plan,      // whether to carry it out
};

enum class AskVerdict : std::uint8_t { none, granted, denied };

// Who, or what, has given an answer.
enum class AskBasis : std::uint8_t {
  person,
  time_out,   // nobody, for as long as the session waits for one
  rule,       // one that somebody has added
  full,       // Steno: so many waited that no more could
  text_lost,  // Steno: the text of the answer before is not in the log any more
};

enum class AskEnd : std::uint8_t {
  told,        // the agent was given the answer
  withdrawn,   // the agent did not wait for it any more
  agent_gone,  // its process ended first
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
  Position answer;               // of its AskAnswered; 0: it has none
  StreamVersion answer_version;  // of the same event
  bool has_text = false;         // the answer has one
  std::string by{};              // the actor of the answer
  Time answered{};               // wall time of the answer

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
  }
};
using OpenAsks = std::vector<OpenAsk>;

// One that is over, for whoever answers it too late.
struct PastAsk {
  std::int64_t ask = 0;
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
    visit("call", &PastAsk::call);
    visit("verdict", &PastAsk::verdict);
    visit("basis", &PastAsk::basis);
    visit("end", &PastAsk::end);
    visit("by", &PastAsk::by);
    visit("answered", &PastAsk::answered);
  }
};
using PastAsks = std::vector<PastAsk>;

// So many of one session wait at once; a further one is denied.
constexpr std::size_t kOpenAsksMax = 64;
// So many are remembered of those that are over.
constexpr std::size_t kPastAsksMax = 16;

// Most bytes of the text of an answer.
constexpr std::int64_t kAnswerBytesMax = std::int64_t{512} << 10;

// True if somebody is yet to answer one of them.
bool is_unanswered(const OpenAsks& asks);

}  // namespace domain

template <>
struct base::EnumNames<domain::AskKind> {
  static constexpr std::string_view kNames[] = {"approval", "question", "plan"};
};
template <>
struct base::EnumNames<domain::AskVerdict> {
  static constexpr std::string_view kNames[] = {"none", "granted", "denied"};
};
template <>
struct base::EnumNames<domain::AskBasis> {
  static constexpr std::string_view kNames[] = {"person", "time_out", "rule", "full", "text_lost"};
};
template <>
struct base::EnumNames<domain::AskEnd> {
  static constexpr std::string_view kNames[] = {"told", "withdrawn", "agent_gone"};
};
