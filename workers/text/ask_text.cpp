// The content is JSON that an agent has made, so each part is looked at before it is used.
#include "workers/text/ask_text.hpp"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "eventlog/base/digits.hpp"
#include "eventlog/base/json_depth.hpp"
#include "eventlog/base/time_text.hpp"
#include "workers/text/terminal_text.hpp"
#include "workers/text/tool_summary.hpp"

namespace workers {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineColumns = 80;
constexpr std::size_t kReasonColumns = 200;

std::string text_in(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  const bool is_there = json.is_object() && found != json.end() && found->is_string();
  return is_there ? found->get<std::string>() : std::string();
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

AskQuestion read_question(const Json& json) {
  AskQuestion question;
  question.text = text_in(json, "question");
  if (!json.is_object()) return question;
  const auto several = json.find("multiSelect");
  question.takes_several = several != json.end() && several->is_boolean() && several->get<bool>();
  const auto options = json.find("options");
  if (options == json.end() || !options->is_array()) return question;
  for (const Json& option : *options) {
    question.choices.push_back(text_in(option, "label"));
    question.explained.push_back(text_in(option, "description"));
  }
  return question;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

// The words that an answer stands for, or why it is none.
struct Chosen {
  std::string words;
  std::string fault{};  // empty: there is none
};

std::string quoted(const AskQuestion& question) {
  if (question.text.empty()) return "the question";
  return "'" + cut_to_columns(safe_line(question.text), kLineColumns) + "'";
}

// Numbers of choices stand for these, other words for themselves.
Chosen chosen(const AskQuestion& question, std::string_view said) {
  const bool is_number = !said.empty() && said.find_first_not_of("0123456789, \t") == said.npos &&
                         said.find_first_of("0123456789") != said.npos;
  if (said.empty()) return {{}, quoted(question) + " has no answer"};
  if (question.choices.empty() || !is_number) return {std::string(said)};
  std::string separated(said);
  std::replace(separated.begin(), separated.end(), ' ', ',');
  Chosen chosen;
  std::size_t count = 0;
  for (const std::string_view part : split(separated, ',')) {
    if (part.empty()) continue;
    const auto number = base::parse_digits(part);
    const auto most = static_cast<std::int64_t>(question.choices.size());
    if (!number || *number < 1 || *number > most) {
      return {{}, quoted(question) + " has no choice " + cut_to_columns(part, kLineColumns)};
    }
    chosen.words += count++ == 0 ? "" : ", ";
    chosen.words += question.choices[static_cast<std::size_t>(*number - 1)];
  }
  if (count > 1 && !question.takes_several) return {{}, quoted(question) + " takes one choice"};
  if (chosen.words.empty()) return {{}, quoted(question) + " has no words for that choice"};
  return chosen;
}

// Returns the parts of `said`, one for each question if they are as many.
std::vector<std::string> answer_parts(const AskText& text, std::string_view said) {
  const std::string_view whole = trimmed(said);
  if (text.questions.size() < 2) {
    std::string one(whole);
    std::replace(one.begin(), one.end(), '\n', ' ');
    return {std::move(one)};
  }
  std::vector<std::string> parts;
  const bool has_lines = whole.find('\n') != std::string_view::npos;
  for (const std::string_view part : split(whole, has_lines ? '\n' : ';')) parts.emplace_back(part);
  return parts;
}

AskQuestion question_at(const AskText& text, std::size_t index) {
  return index < text.questions.size() ? text.questions[index] : AskQuestion{};
}

void add_lines(const std::string& text, std::vector<std::string>& lines) {
  for (const std::string_view line : lines_of(text)) lines.push_back(safe_line(line));
}

std::string hook_name(const domain::AskAnswered& answered) {
  return answered.hook.empty() ? "hooks" : "the hook " + safe_line(answered.hook);
}

}  // namespace

AskText read_ask(std::string_view content) {
  AskText text;
  if (base::json_depth(content) > base::kJsonDepthMax) return text;
  const Json json = Json::parse(content, nullptr, false);
  if (!json.is_object()) return text;
  if (const auto input = json.find("input"); input != json.end()) {
    text.input = dumped(*input);
    text.plan = text_in(*input, "plan");
    const auto questions = input->is_object() ? input->find("questions") : input->end();
    if (input->is_object() && questions != input->end() && questions->is_array()) {
      for (const Json& question : *questions) text.questions.push_back(read_question(question));
    }
  }
  const auto context = json.find("context");
  if (context == json.end() || !context->is_object()) return text;
  text.reason = text_in(*context, "decision_reason");
  const auto suggestions = context->find("permission_suggestions");
  if (suggestions != context->end()) text.suggestions = dumped(*suggestions);
  return text;
}

// The order of an object's keys says nothing.
bool asks_for_same(std::string_view content, std::string_view other) {
  const auto read = [](std::string_view text) {
    const bool is_deep = base::json_depth(text) > base::kJsonDepthMax;
    return is_deep ? nlohmann::json() : nlohmann::json::parse(text, nullptr, false);
  };
  const auto is_of_subagent = [](const nlohmann::json& json) {
    return json.contains("context") && json["context"].contains("agent_id");
  };
  const nlohmann::json one = read(content);
  const nlohmann::json two = read(other);
  return one.is_object() && two.is_object() && one.contains("input") && two.contains("input") &&
         one["input"] == two["input"] && is_of_subagent(one) == is_of_subagent(two);
}

std::string ask_line(domain::AskKind kind, std::string_view tool, const AskText& text) {
  if (kind == domain::AskKind::question && !text.questions.empty()) {
    const std::size_t more = text.questions.size() - 1;
    return "asks: " + safe_head(text.questions[0].text, kLineColumns) +
           (more == 0 ? "" : " (and " + std::to_string(more) + " more)");
  }
  if (kind == domain::AskKind::plan) {
    const std::vector<std::string_view> lines = lines_of(text.plan);
    const auto said = std::find_if(lines.begin(), lines.end(),
                                   [](std::string_view line) { return !trimmed(line).empty(); });
    if (said == lines.end()) return "proposes to carry out its plan";
    return "proposes a plan: " + safe_head(*said, kLineColumns);
  }
  return tool_summary(tool, text.input);
}

std::string why_text(const AskText& text, std::int64_t rule, std::string_view pattern) {
  std::string said = safe_head(text.reason, kReasonColumns);
  if (rule == 0) return said;
  const std::string by_rule = safe_line(domain::rule_reason(rule, pattern));
  // The agent repeats what it was told before it asked.
  const bool is_same = said.empty() || text.reason.starts_with(domain::rule_reason(rule, {}));
  return is_same ? by_rule : by_rule + "; " + said;
}

std::vector<std::string> choice_lines(const AskText& text) {
  std::vector<std::string> lines;
  for (const AskQuestion& question : text.questions) {
    if (text.questions.size() > 1) lines.push_back(safe_line(question.text));
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      std::string line = std::to_string(i + 1) + " " + safe_line(question.choices[i]);
      if (!question.explained[i].empty()) line += ": " + safe_line(question.explained[i]);
      lines.push_back(std::move(line));
    }
    if (question.takes_several) lines.emplace_back("(several can be chosen, such as 1,2)");
  }
  return lines;
}

std::vector<std::string> ask_lines(domain::AskKind kind, const AskText& text,
                                   std::size_t lines_max) {
  std::vector<std::string> lines;
  if (kind == domain::AskKind::question && !text.questions.empty()) {
    if (text.questions.size() == 1) add_lines(text.questions[0].text, lines);
    for (std::string& line : choice_lines(text)) lines.push_back(std::move(line));
  } else if (kind == domain::AskKind::plan && !trimmed(text.plan).empty()) {
    add_lines(text.plan, lines);
  } else {
    const Json input = Json::parse(text.input, nullptr, false);
    const bool has_no_plan = kind == domain::AskKind::plan;
    if (has_no_plan) lines.emplace_back("the agent gave no plan here");
    if (!input.is_object()) return lines;
    for (const auto& [key, value] : input.items()) {
      if (has_no_plan && key == "plan") continue;
      const std::string said = value.is_string() ? value.get<std::string>() : dumped(value);
      if (said.find('\n') == std::string::npos) {
        lines.push_back(safe_line(key) + ": " + safe_line(said));
        continue;
      }
      lines.push_back(safe_line(key) + ":");
      add_lines(said, lines);
    }
  }
  if (lines_max > 0 && lines.size() > lines_max) {
    const std::size_t more = lines.size() - lines_max;
    lines.resize(lines_max);
    lines.push_back("… and " + std::to_string(more) + (more == 1 ? " more line" : " more lines"));
  }
  return lines;
}

std::string unanswered_text(domain::AskKind kind, base::Time until,
                            domain::UnansweredAsk unanswered, base::Time now) {
  if (until.us == 0) return {};
  const bool is_approved =
      unanswered == domain::UnansweredAsk::approve && kind != domain::AskKind::question;
  return std::string(is_approved ? "approved" : "denied") + " in " +
         base::duration_text(std::max(until - now, base::Duration{})) + " if nobody answers";
}

std::string answered_text(const domain::AskAnswered& answered, std::string_view text,
                          const std::string& by) {
  const bool is_granted = answered.verdict == domain::AskVerdict::granted;
  const bool is_question = is_granted && text.starts_with('[');
  std::string said = is_question ? "was answered" : is_granted ? "was approved" : "was denied";
  if (is_granted && text.starts_with('{')) said += " with another input";
  switch (answered.basis) {
    case domain::AskBasis::person:
      said += by.empty() ? "" : " by " + safe_line(by);
      said += answered.place.empty() ? "" : " in " + safe_line(answered.place);
      break;
    case domain::AskBasis::rule:
      said += " by rule " + std::to_string(answered.rule);
      break;
    case domain::AskBasis::time_out:
      said += ", because nobody answered in time";
      break;
    case domain::AskBasis::hook:
      said += " by " + hook_name(answered);
      break;
    case domain::AskBasis::full:
      return said + ", because too many requests waited";
    case domain::AskBasis::text_lost:
      return said + ", because the text of its answer was lost";
    case domain::AskBasis::earlier:
      return said + ", as request " + std::to_string(answered.earlier) +
             " for the same was before the agent's process ended";
  }
  const bool is_own_words = answered.basis == domain::AskBasis::person && !text.empty();
  return is_own_words ? said + ": " + cut_to_columns(safe_line(text), kLineColumns) : said;
}

std::string step_text(const domain::AskAnswered& answered, std::string_view text) {
  if (answered.verdict == domain::AskVerdict::denied) {
    const bool is_end = answered.point == domain::HookPoint::stop ||
                        answered.point == domain::HookPoint::subagent_stop;
    std::string by(base::enum_name(answered.point));
    by += " was blocked";
    if (is_end) by = "the agent has to go on";
    if (answered.basis == domain::AskBasis::hook) by += " by " + hook_name(answered);
    if (answered.basis == domain::AskBasis::rule) by += " by rule " + std::to_string(answered.rule);
    return by + (text.empty() ? "" : ": " + cut_to_columns(safe_line(text), kReasonColumns));
  }
  const bool is_deep = base::json_depth(text) > base::kJsonDepthMax;
  const Json changes = is_deep ? Json() : Json::parse(text, nullptr, false);
  const std::string message = text_in(changes, "message");
  const std::string stop = text_in(changes, "stop");
  if (!stop.empty())
    return "a hook ends the turn: " + cut_to_columns(safe_line(stop), kReasonColumns);
  std::string says =
      message.empty() ? message
                      : "a hook says: " + cut_to_columns(safe_line(message), kReasonColumns);
  const bool has_input = changes.is_object() && changes.contains("input");
  if (!has_input || answered.point != domain::HookPoint::pre_tool_use) return says;
  const std::string input = changes["input"].dump(-1, ' ', false, Json::error_handler_t::replace);
  return hook_name(answered) +
         " gives the call another input: " + cut_to_columns(safe_line(input), kReasonColumns) +
         (says.empty() ? "" : "; " + says);
}

std::string hook_text(const domain::HookRan& ran, std::string_view said) {
  if (ran.note.empty()) return {};
  return "the hook " + safe_line(ran.hook) +
         (ran.outcome == domain::HookOutcome::failed    ? " failed: "
          : ran.outcome == domain::HookOutcome::blocked ? " failed, and blocks: "
                                                        : ": ") +
         safe_line(ran.note) +
         (said.empty() ? "" : ": " + cut_to_columns(safe_line(said), kReasonColumns));
}

std::string over_text(domain::AskEnd end) {
  if (end == domain::AskEnd::withdrawn) return "is not waited for any more";
  std::string text = "ended with the agent's process";
  if (end == domain::AskEnd::unheard) {
    text += ", which did not hear the answer: it holds if the agent asks for the same again";
  }
  return text;
}

std::string answer_hint(const AskText& text) {
  const bool has_choices =
      std::any_of(text.questions.begin(), text.questions.end(),
                  [](const AskQuestion& question) { return !question.choices.empty(); });
  std::string one = has_choices ? "a number, or other words" : "your words";
  if (text.questions.size() < 2) return one;
  return one + " for each question, separated by semicolons";
}

std::string asks_text(const domain::OpenAsks& asks) {
  std::vector<const domain::OpenAsk*> open;
  for (const domain::OpenAsk& ask : asks) {
    const bool is_open = ask.verdict == domain::AskVerdict::none;
    if (is_open && domain::is_for_people(ask.kind)) open.push_back(&ask);
  }
  if (open.size() != 1) return std::to_string(open.size()) + " requests wait for an answer";
  switch (open.front()->kind) {
    case domain::AskKind::question:
      return "asks a question";
    case domain::AskKind::plan:
      return "asks for approval of its plan";
    case domain::AskKind::approval:
    case domain::AskKind::step:
      break;
  }
  return "asks for approval: " + safe_line(open.front()->tool);
}

std::string answers_of(const AskText& text, std::string_view said) {
  const std::vector<std::string> parts = answer_parts(text, said);
  if (parts.size() != std::max<std::size_t>(text.questions.size(), 1)) return {};
  Json answers = Json::array();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Chosen one = chosen(question_at(text, i), parts[i]);
    if (!one.fault.empty()) return {};
    answers.push_back(one.words);
  }
  return dumped(answers);
}

std::string answer_fault(const AskText& text, std::string_view said) {
  const std::vector<std::string> parts = answer_parts(text, said);
  const std::size_t wanted = std::max<std::size_t>(text.questions.size(), 1);
  if (parts.size() != wanted) {
    return "there are " + std::to_string(wanted) +
           " questions, and each needs an answer of its own, words or numbers of its choices";
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string fault = chosen(question_at(text, i), parts[i]).fault;
    if (!fault.empty()) return fault;
  }
  return {};
}

std::string answer_words(const AskText& text) {
  if (text.questions.size() < 2) return "ANSWER";
  std::string words;
  for (const AskQuestion& question : text.questions) {
    words += words.empty() ? "" : " ";
    const bool has_several = question.takes_several && question.choices.size() > 1;
    words += question.choices.empty() ? "'your words'" : has_several ? "1,2" : "1";
  }
  return words;
}

}  // namespace workers
