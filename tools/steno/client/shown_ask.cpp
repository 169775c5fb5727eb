// Puts together what workers/text knows of each part.
#include "tools/steno/client/shown_ask.hpp"

#include "tools/steno/text/units.hpp"
#include "workers/operations/asking.hpp"
#include "workers/rules/pattern_matcher.hpp"
#include "workers/text/ask_risk.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::AskShown;
using workers::safe_line;

std::string risk_text(const workers::AskRisk& risk) {
  std::string text(workers::risk_name(risk.level));
  for (const std::string& reason : risk.reasons) {
    text += (&reason == &risk.reasons.front() ? ": " : ", ") + reason;
  }
  return text;
}

}  // namespace

std::string how_to_answer(const AskShown& ask) {
  const std::string reference = workers::ask_reference(ask);
  if (ask.kind == domain::AskKind::question) {
    const workers::AskText text = workers::read_ask(ask.text);
    const bool has_several = text.questions.size() > 1;
    return "steno answer " + reference + " " + workers::answer_words(text) + "   steno deny " +
           reference + "\n     " +
           (has_several ? "a word for each question: a number, or other words in quotes"
                        : workers::answer_hint(text));
  }
  return "steno approve " + reference + "   steno deny " + reference + " WHY";
}

std::string whole_text(const AskShown& ask, base::Time now) {
  const workers::AskText asked = workers::read_ask(ask.text);
  std::string text = workers::ask_reference(ask) + "  " + safe_line(ask.name) + ", waits " +
                     duration_text(now - ask.since) + "\n" +
                     workers::ask_line(ask.kind, ask.tool, asked) + "\n";
  text += "  in     " + safe_line(ask.workdir) + "\n";
  if (ask.kind == domain::AskKind::approval) {
    text += "  risk   " + risk_text(workers::risk_of(ask.tool, asked)) + "\n";
  }
  const std::string why = workers::why_text(asked, ask.rule, ask.pattern);
  if (!why.empty()) text += "  why    " + why + "\n";
  const std::string silence = workers::unanswered_text(ask.kind, ask.until, ask.unanswered, now);
  if (!silence.empty()) text += "  is     " + silence + "\n";
  if (ask.left_out > 0) {
    text += "  input  has " + std::to_string(ask.left_out) +
            " bytes, too many to be shown here; it is the event at position " +
            std::to_string(ask.position.value) + "\n";
  }
  for (const std::string& line : workers::ask_lines(ask.kind, asked)) text += "    " + line + "\n";
  const std::string rule = workers::pattern_for({ask.tool, ask.text, ask.workdir});
  // A rule that has people asked wins over one that allows.
  if (ask.kind == domain::AskKind::approval && ask.rule == 0 && !rule.empty()) {
    text += "  rule   --always, --session allow " + safe_line(rule) + "\n";
  }
  text += "  → " + how_to_answer(ask) + "\n";
  return text;
}

}  // namespace steno
