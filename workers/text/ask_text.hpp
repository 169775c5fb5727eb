// Shows what an agent asks of people. All that comes from the agent is made safe for a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventlog/domain/session/events.hpp"

namespace workers {

struct AskQuestion {
  std::string text;
  std::vector<std::string> choices;    // as the agent wrote them
  std::vector<std::string> explained;  // what it says of each; empty: nothing
  bool takes_several = false;

  bool operator==(const AskQuestion&) const = default;
};

// The content of AskRaised, taken apart. A content that is none of ours has empty parts.
struct AskText {
  std::string input = "{}";        // JSON, of the call
  std::string suggestions = "[]";  // JSON, the agent's own
  std::string reason;              // why it asks, in its words; empty: it does not say
  std::string plan;                // of a plan
  std::vector<AskQuestion> questions{};

  bool operator==(const AskText&) const = default;
};
AskText read_ask(std::string_view content);
// True if both contents of AskRaised, of one kind and tool, ask for the same: their inputs are
// equal, and both are of a subagent or neither is. False if one cannot be read.
bool asks_for_same(std::string_view content, std::string_view other);

// Returns what is asked on one line: "Bash — make test", "asks: Which database?", "proposes a plan:
// Move the cache".
std::string ask_line(domain::AskKind kind, std::string_view tool, const AskText& text);
// Returns why people are asked: by which rule, and what the agent says of it, which are also the
// words of a hook. Empty: nothing is known.
std::string why_text(const AskText& text, std::int64_t rule, std::string_view pattern);
// Returns how a request is answered if nobody does: "approved in 40s if nobody answers". Empty: it
// waits for ever. A question is denied then.
std::string unanswered_text(domain::AskKind kind, base::Time until,
                            domain::UnansweredAsk unanswered, base::Time now);
// Returns the choices of the questions, a line each: "1 SQLite: one file". Of several questions
// each stands before its own. Empty: there are none.
std::vector<std::string> choice_lines(const AskText& text);
// Returns all of it, for whoever is to decide: each field of the input, the questions with their
// choices, or the plan. Of more lines than `lines_max` the first; 0: all.
std::vector<std::string> ask_lines(domain::AskKind kind, const AskText& text,
                                   std::size_t lines_max = 0);

// Returns what became of it: "was approved by root", "was denied by root: use make test", "was
// approved, because nobody answered in time".
std::string answered_text(const domain::AskAnswered& answered, std::string_view text,
                          const std::string& by);
// Returns what people are to know of the answer to a step: that it was blocked, and why, or what a
// hook says to them; empty: nothing.
std::string step_text(const domain::AskAnswered& answered, std::string_view text);
// Returns what people are to know of a hook that was asked; empty: nothing.
// `said`: its content.
std::string hook_text(const domain::HookRan& ran, std::string_view said);
// Returns how it ended without the agent having been told an answer.
std::string over_text(domain::AskEnd end);

// Returns how many wait: "asks for approval: Bash", "3 requests wait for an answer".
std::string asks_text(const domain::OpenAsks& asks);

// Returns how to write an answer: "a number or words", for each of several questions.
std::string answer_hint(const AskText& text);
// Returns the answers as the record has them, a JSON array; empty: `said` is not as many answers as
// there are questions, or numbers of no choice. Numbers stand for the choices of their question.
// Answers are separated by line feeds, else by semicolons.
std::string answers_of(const AskText& text, std::string_view said);
// Returns why `said` is no answer: "'Which colour?' has no choice 9"; empty: it is one.
std::string answer_fault(const AskText& text, std::string_view said);
// Returns an answer for a command line, a word for each of several questions: "1 1,2"; "ANSWER" for
// a single one.
std::string answer_words(const AskText& text);

}  // namespace workers
