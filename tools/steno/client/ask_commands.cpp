// `approvals`, `approve`, `deny` and `answer`: over the operations of the same names.
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/client/shown_ask.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/operations/answer_text.hpp"
#include "workers/operations/asking.hpp"
#include "workers/operations/handlers.hpp"
#include "workers/rules/pattern_matcher.hpp"
#include "workers/text/ask_risk.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::AskShown;
using workers::safe_line;

std::string table_text(const workers::AskPage& page, bool shows_agent) {
  std::vector<Column> columns{{"REF"},
                              {"NAME", Align::left, 24},
                              {"WAITS", Align::right},
                              {"RISK"},
                              {"ASKS", Align::left, 100}};
  if (shows_agent) columns.insert(columns.begin(), Column{"AGENT"});
  Table table(std::move(columns));
  for (const AskShown& ask : page.asks) {
    const workers::AskText text = workers::read_ask(ask.text);
    const bool is_call = ask.kind == domain::AskKind::approval;
    std::vector<std::string> cells{
        workers::ask_reference(ask), ask.name, duration_text(page.as_of - ask.since),
        is_call ? std::string(workers::risk_name(workers::risk_of(ask.tool, text).level))
                : std::string("-"),
        workers::ask_line(ask.kind, ask.tool, text)};
    if (shows_agent) cells.insert(cells.begin(), ask.agent);
    table.add(std::move(cells));
  }
  return table.text(stdout_columns());
}

template <class Arguments>
Outcome<int> answer_one(const Config& config, const Arguments& arguments,
                        workers::Task<workers::Outcome<workers::AnsweredAsk>> (*handler)(
                            const workers::Caller&, const Arguments&)) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto answered = (*connection)->run(handler((*connection)->caller(), arguments));
  if (!answered) return tl::unexpected(answered.error());
  if (config.output == OutputFormat::table) {
    print(workers::text_of(*answered, workers::Reader::person) + "\n");
  } else {
    print(workers::ascii_json(*answered) + "\n");
  }
  return kExitOk;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (&word != &words.front()) text += between;
    text += word;
  }
  return text;
}

}  // namespace

Outcome<int> approvals(const Config& config, const ApprovalsArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  workers::Caller caller = (*connection)->caller();
  if (arguments.all_agents) caller.agent.clear();
  const auto page = (*connection)->run(workers::find_named_asks(caller, arguments.reference));
  if (!page) return tl::unexpected(page.error());
  if (config.output != OutputFormat::table) {
    print(workers::ascii_json(*page) + "\n");
  } else if (page->asks.empty()) {
    remark(arguments.reference.empty()
               ? "no agent waits for an answer"
               : "session " + safe_line(arguments.reference) + " asks for nothing now");
  } else if (arguments.reference.empty()) {
    print(table_text(*page, arguments.all_agents));
    remark(
        "steno approve REF, steno deny REF WHY, steno answer REF ANSWER; steno approvals REF "
        "shows all of one");
  } else {
    for (const AskShown& ask : page->asks) print(whole_text(ask, page->as_of));
  }
  return kExitOk;
}

Outcome<int> approve(const Config& config, const AskAnswerArguments& arguments) {
  if (arguments.input && arguments.input->empty()) {
    return fail(kExitUsage, "--input is empty; nothing was answered");
  }
  const auto further = arguments.is_for_always    ? workers::ApprovalFor::always
                       : arguments.is_for_session ? workers::ApprovalFor::session
                                                  : workers::ApprovalFor::this_call;
  return answer_one(config,
                    workers::ApproveArguments{arguments.reference, further,
                                              arguments.input.value_or(std::string())},
                    workers::approve);
}

Outcome<int> deny(const Config& config, const AskAnswerArguments& arguments) {
  return answer_one(config,
                    workers::DenyArguments{arguments.reference, joined(arguments.words, " ")},
                    workers::deny);
}

Outcome<int> answer(const Config& config, const AskAnswerArguments& arguments) {
  return answer_one(config,
                    workers::AnswerArguments{arguments.reference, joined(arguments.words, "\n")},
                    workers::answer);
}

}  // namespace steno
