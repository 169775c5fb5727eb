// `output` and `stats`: what agents said, and what it cost.
#include <algorithm>
#include <deque>
#include <utility>

#include "eventlog/domain/session/cost_text.hpp"
#include "projections/views/metrics.hpp"
#include "tools/steno/operations/first_prompt.hpp"
#include "tools/steno/operations/handlers.hpp"
#include "tools/steno/operations/item_text.hpp"
#include "tools/steno/operations/output_pages.hpp"
#include "tools/steno/operations/session_json.hpp"
#include "tools/steno/operations/session_text.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

// Cuts a text off at a whole character.
std::string cut_text(const std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  while (end > 0 && continues(end)) --end;
  return text.substr(0, end) + "…";
}

// Bounds of one answer, so that it fits a message and a model's context.
constexpr std::size_t kLineBytesMax = 64 << 10;
constexpr std::size_t kTextBytesMax = 1 << 20;
constexpr std::size_t kResultBytesMax = 256 << 10;
constexpr std::size_t kRuleColumns = 60;
// Left for the heading and for what is said of a cut.
constexpr std::size_t kHeadingCharacters = 500;

// Returns so many characters.
std::string beginning_of(const std::string& text, std::size_t characters) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins && characters-- == 0) break;
  }
  return text.substr(0, end);
}

// The last lines of a text that comes in pieces.
class LastLines {
 public:
  explicit LastLines(std::int64_t wanted) : wanted_(wanted) {}

  // A piece without a line feed at its end goes on with the next one.
  void add(const std::string& piece) {
    for (const std::string_view line : workers::lines_of(piece)) {
      if (!std::exchange(is_open_, false)) lines_.emplace_back();
      bytes_ += append(lines_.back(), line);
    }
    is_open_ = is_open_ || (!piece.empty() && piece.back() != '\n');
    while (static_cast<std::int64_t>(lines_.size()) > wanted_ || bytes_ > kTextBytesMax) {
      bytes_ -= lines_.front().size();
      lines_.pop_front();
      is_cut_ = true;
    }
  }
  const std::deque<std::string>& lines() const { return lines_; }
  bool is_cut() const { return is_cut_; }  // there were earlier ones, or longer ones
  void drop_last(std::int64_t count) {
    for (; count > 0 && !lines_.empty(); --count) lines_.pop_back();
  }

 private:
  // Returns by how many bytes the line has grown.
  std::size_t append(std::string& line, std::string_view more) {
    const std::size_t before = line.size();
    line.append(more);
    if (line.size() > kLineBytesMax) {
      line = cut_text(line, kLineBytesMax);
      is_cut_ = true;
    }
    return line.size() - std::min(before, line.size());
  }

  const std::int64_t wanted_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
  bool is_open_ = false;
  bool is_cut_ = false;
};

struct ReadOutput {
  workers::OutputAnswer answer;  // of the last page
  LastLines lines;
  std::string result;  // what the agent said last to the last prompt
};

// Reads at least as many blocks as lines are wanted: each block has one or more lines.
Outcome<ReadOutput> read_output(Connection& connection, const std::string& reference,
                                std::int64_t wanted) {
  ReadOutput read{{}, LastLines(wanted), {}};
  ItemText texts(false, false);
  auto page = first_output_page(connection, reference, wanted);
  while (page) {
    for (const workers::OutputItem& item : page->items) {
      read.lines.add(texts.of(item));
      const bool is_whole = item.type != domain::PartialOutputRecorded::kType;
      if (item.kind == workers::ItemKind::prompt) read.result.clear();
      if (item.kind == workers::ItemKind::said && is_whole && item.parent.empty() &&
          item.erased_at.us == 0) {
        read.result = cut_text(item.text, kResultBytesMax);
      }
    }
    const bool has_more = page->has_more;
    const base::Position through = page->through;
    read.answer = std::move(*page);
    if (!has_more) return read;
    page = next_output_page(connection, reference, through);
  }
  return tl::unexpected(page.error());
}

// Returns the last lines that fit, with a line feed before each; of one that is too long alone, the
// beginning. `shown` becomes how many they are.
std::string fitting_text(const std::deque<std::string>& lines, std::size_t characters_max,
                         std::size_t& shown) {
  std::string text;
  std::size_t left = characters_max;
  for (shown = 0; shown < lines.size(); ++shown) {
    const std::string& line = lines[lines.size() - 1 - shown];
    const std::size_t characters = characters_of(line) + 1;
    const bool fits = characters <= left;
    if (!fits && shown > 0) break;
    text.insert(0, "\n" + (fits ? line : beginning_of(line, left) + "…"));
    left = fits ? left - characters : 0;
  }
  return text;
}

}  // namespace

Outcome<Answer> show_output(const Caller& caller, const ShownArguments& arguments) {
  const std::int64_t wanted = arguments.is_full ? kOutputLinesMax : arguments.lines;
  auto read = read_output(caller.connection, arguments.session,
                          std::min(wanted + arguments.skipped, kOutputLinesMax));
  if (!read) return tl::unexpected(read.error());
  const bool has_any = !read->lines.lines().empty();
  read->lines.drop_last(arguments.skipped);
  const projections::SessionRow& row = read->answer.session;
  const base::Time now = caller.connection.clock().wall();
  const base::Duration age = age_of(row, now);
  Answer answer;
  answer.value = session_brief_json(row);
  answer.value["costUsd"] = dollars_json(row.cost);
  answer.value["costBasis"] = base::enum_name(row.cost_basis);
  answer.value["durationMs"] = age.count() / 1000;
  answer.value["duration"] = duration_text(age);
  answer.value["lines"] = read->lines.lines();
  answer.value["lineCount"] = read->lines.lines().size();
  answer.value["isCut"] = read->lines.is_cut();
  answer.value["result"] = read->result;
  answer.text = row.name + " [" + row.alias + "] " + status_text(row) + " (" + duration_text(age) +
                ")\n" + std::string(kRuleColumns, '-');
  std::size_t shown = 0;
  const std::size_t room = caller.is_chat ? kChatCharactersMax : kTextCharactersMax;
  const std::string text = fitting_text(read->lines.lines(), room - kHeadingCharacters, shown);
  if (shown < read->lines.lines().size() || text.ends_with("…")) {
    answer.text += "\n(cut: these are the last " + std::to_string(shown) + " of " +
                   std::to_string(read->lines.lines().size()) + " lines; " +
                   (caller.is_chat ? "" : "skip goes back, and ") + "steno output " + row.alias +
                   " --all prints all)";
  }
  const char* nothing = has_any ? "\n(nothing before that)" : "\n(no output yet)";
  answer.text += read->lines.lines().empty() ? nothing : text;
  answer.is_text_only = true;
  return answer;
}

Outcome<Answer> report_stats(const Caller& caller, const NoneArguments&) {
  workers::QueryBody query;
  query.agent = caller.connection.config().agent;
  const auto report = caller.connection.ask<projections::MetricsReport>(workers::kVerbStats, query);
  if (!report) return tl::unexpected(report.error());
  const projections::MetricsTotals& totals = report->totals;
  Answer answer;
  answer.value["totalCostUsd"] = dollars_json(totals.cost);
  answer.value["totalCostBasis"] = base::enum_name(totals.basis);
  answer.value["costPerDay"] = Json::object();
  for (const auto& [day, cost] : report->cost_per_day) {
    answer.value["costPerDay"][day] = dollars_json(cost);
  }
  answer.value["sessionsByStatus"] = {{"completed", totals.completed},
                                      {"failed", totals.failed},
                                      {"killed", totals.killed},
                                      {"running", report->live}};
  answer.value["totalLaunched"] = totals.launched;
  const std::int64_t timed = totals.sessions_with_duration;
  answer.value["averageDurationMs"] = timed == 0 ? Json() : Json(totals.duration_ms / timed);
  const projections::MostExpensive& dearest = totals.most_expensive;
  answer.value["mostExpensive"] = nullptr;
  answer.text = "📊 launched " + std::to_string(totals.launched) + ", running " +
                std::to_string(report->live) + ", completed " + std::to_string(totals.completed) +
                ", failed " + std::to_string(totals.failed) + ", killed " +
                std::to_string(totals.killed);
  answer.text +=
      "\n⏱️ average duration " +
      (timed == 0 ? std::string("n/a")
                  : duration_text(std::chrono::milliseconds(totals.duration_ms / timed)));
  answer.text += "\n💰 " + domain::cost_text(totals.cost, totals.basis);
  if (dearest.session.is_set()) {
    const auto prompt = first_prompt(caller.connection, dearest.agent, dearest.session);
    if (!prompt) return tl::unexpected(prompt.error());
    answer.value["mostExpensive"] = {{"id", dearest.session.text()},
                                     {"name", dearest.name},
                                     {"costUsd", dollars_json(dearest.cost)},
                                     {"prompt", prompt_beginning(*prompt, kPromptColumnsMax)}};
    answer.text += "\n🏆 " + workers::safe_line(dearest.name) + ", " +
                   domain::cost_text(dearest.cost, dearest.basis);
    if (!prompt->empty()) answer.text += ": " + prompt_beginning(*prompt, kPromptColumnsMax);
  }
  answer.value["display"] = answer.text;
  return answer;
}

}  // namespace steno
