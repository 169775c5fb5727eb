// A line of totals or a title, the list or a page, and a line at the bottom for what is typed, for
// what was said, and for the keys.
#include "tools/steno/top/top_screen.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::columns_of;
using workers::cut_to_columns;

std::string left(const std::string& text, std::size_t columns) {
  const std::string cut = cut_to_columns(text, columns);
  return cut + std::string(columns - columns_of(cut), ' ');
}

std::string right(const std::string& text, std::size_t columns) {
  const std::string cut = cut_to_columns(text, columns);
  return std::string(columns - columns_of(cut), ' ') + cut;
}

// Columns of the list for a width; 0: left out.
struct ListColumns {
  std::size_t alias = 0;
  std::size_t name = 0;
  std::size_t age = 0;
  std::size_t silence = 0;
  std::size_t cost = 0;
};

ListColumns columns_for(std::size_t columns) {
  if (columns >= 110) return {8, 28, 7, 7, 9};
  if (columns >= 72) return {0, 20, 7, 7, 8};
  if (columns >= 36) return {0, 12, 6, 0, 0};
  return {0, columns - std::min<std::size_t>(columns, 2), 0, 0, 0};
}

// Returns the cost with as many of its decimals as fit. None is rounded up, so that a lower bound
// stays one.
std::string fitting_cost(const std::string& cost, std::size_t columns) {
  const std::size_t point = cost.find('.');
  const std::size_t width = columns_of(cost);
  if (point == std::string::npos || width <= columns) return cost;
  const std::size_t decimals = cost.size() - point - 1;
  const std::size_t cut = width - columns;
  return cost.substr(0, cut < decimals ? cost.size() - cut : point);
}

// Returns the cells on the right of the names.
std::string figures_text(const ListColumns& columns, const std::string& age,
                         const std::string& silence, const std::string& cost) {
  std::string text;
  if (columns.age > 0) text += "  " + right(age, columns.age);
  if (columns.silence > 0) text += "  " + right(silence, columns.silence);
  if (columns.cost > 0) text += "  " + right(fitting_cost(cost, columns.cost), columns.cost);
  return text;
}

ScreenLine row_line(const TopRow& row, bool is_chosen, std::size_t width) {
  const ListColumns columns = columns_for(width);
  std::string head = is_chosen ? "> " : "  ";
  if (columns.alias > 0) head += left(row.alias, columns.alias) + "  ";
  head += left(row.name, columns.name);
  head += figures_text(columns, row.age, row.silence, row.cost);
  const std::string text = columns.age > 0 ? "  " + row.text : std::string();
  if (!is_chosen) return cut_line({{head, Style::plain}, {text, row.style}}, width);
  return padded(cut_line({{head + text, Style::chosen}}, width), width);
}

std::string_view heading_of(TopGroup group) {
  switch (group) {
    case TopGroup::needs:
      return "NEEDS YOU";
    case TopGroup::works:
      return "WORKS";
    case TopGroup::waits:
      return "WAITS";
  }
  return {};
}

// The heading of a group has the titles of its columns.
ScreenLine heading_line(TopGroup group, std::size_t width) {
  const ListColumns columns = columns_for(width);
  const bool works = group == TopGroup::works;
  const std::size_t names = 2 + (columns.alias > 0 ? columns.alias + 2 : 0) + columns.name;
  const std::string text =
      left(std::string(heading_of(group)), names) +
      figures_text(columns, works ? "AGE" : "SINCE", works ? "SILENT" : "", "COST");
  return cut_line({{text, Style::strong}}, width);
}

std::string totals_text(const TopState& state, bool is_wide) {
  const TopTotals totals = top_totals(state.facts);
  const auto count = [](std::size_t number, const char* what) {
    return std::to_string(number) + " " + what;
  };
  std::string text = count(totals.needing, totals.needing == 1 ? "needs you" : "need you") + ", " +
                     count(totals.working, totals.working == 1 ? "works" : "work") + ", ";
  if (is_wide) text += count(totals.waiting, totals.waiting == 1 ? "waits" : "wait") + ", ";
  text += count(totals.live, "live");
  if (!state.facts.cost_today.empty()) {
    text += ", " + state.facts.cost_today + (is_wide ? " today" : "");
  }
  return text;
}

ScreenLine head_line(const TopState& state) {
  const std::size_t width = state.size.columns;
  if (!shows_list(state.mode)) {
    std::string title = state.page.title;
    const std::size_t rows = state.page.rows.size();
    const std::size_t last = std::min(rows, state.page.first + body_rows(state));
    if (rows > body_rows(state)) {
      title += "  (" + std::to_string(state.page.first + 1) + "–" + std::to_string(last) + " of " +
               std::to_string(rows) + ")";
    }
    return cut_line({{workers::safe_line(title), Style::strong}}, width);
  }
  std::string text = totals_text(state, width >= 60);
  if (!state.filter.empty()) text += "  /" + workers::safe_line(state.filter);
  return cut_line({{text, Style::strong}}, width);
}

std::string keys_text(const TopState& state) {
  switch (state.mode) {
    case TopMode::requests:
      if (state.page.first < page_end(state)) return "Space: more  d denies  n: back";
      return state.requests[state.request].left_out > 0 ? "d denies  n: back"
                                                        : "y approves  d denies  n: back";
    case TopMode::output:
    case TopMode::help:
      return "Space PgUp: more  q: back";
    default:
      break;
  }
  if (state.size.columns < 80) return "o a d p i c x  / filter  ? help  q";
  return "o output  a approve  d deny  p prompt  i interrupt  c continue  x kill  ? help";
}

// Returns the sign before the line that is typed.
std::string sign_of(const TopState& state) {
  if (state.field.is_cut()) {
    return "over " + std::to_string(kFieldBytesMax >> 10) + " KiB, Ctrl-U erases it> ";
  }
  switch (state.mode) {
    case TopMode::filter:
      return "/";
    case TopMode::prompt:
      return "prompt for " + state.subject_name + "> ";
    case TopMode::deny:
      return "Enter denies it; because> ";
    case TopMode::answer:
      return "answer> ";
    default:
      return {};
  }
}

// Returns at least one line. The cursor is in the last one, if anything is typed there.
std::vector<ScreenLine> bottom_lines(const TopState& state, std::optional<std::size_t>& cursor) {
  const std::size_t width = state.size.columns;
  if (is_field(state.mode)) {
    const std::string sign = cut_to_columns(sign_of(state), width / 2);
    const LineField::Shown field = state.field.shown(width - columns_of(sign));
    cursor = std::min(columns_of(sign) + field.cursor, width - 1);
    return {cut_line({{sign, Style::strong}, {field.text, Style::plain}}, width)};
  }
  const bool is_bad = state.is_bad || !state.notice.empty();
  std::vector<ScreenLine> lines;
  for (const std::string& row : message_rows(state)) {
    lines.push_back({{row, is_bad && state.mode != TopMode::kill ? Style::bad : Style::strong}});
  }
  if (lines.empty()) lines.push_back(cut_line({{keys_text(state), Style::dim}}, width));
  return lines;
}

void add_list(const TopState& state, std::vector<ScreenLine>& lines) {
  const std::vector<ListLine> all = list_lines(state);
  const std::size_t end = std::min(all.size(), state.first + body_rows(state));
  const std::size_t chosen = chosen_index(state);
  for (std::size_t i = state.first; i < end; ++i) {
    const ListLine& line = all[i];
    lines.push_back(line.heading
                        ? heading_line(*line.heading, state.size.columns)
                        : row_line(state.rows[line.row], line.row == chosen, state.size.columns));
  }
  if (!all.empty()) return;
  const bool is_known = state.facts.position.value > 0;
  const std::string none = !is_known               ? "…"
                           : !state.filter.empty() ? "no session has these words"
                                                   : "no session lives or needs you";
  if (body_rows(state) > 0) lines.push_back(cut_line({{none, Style::dim}}, state.size.columns));
}

}  // namespace

Screen top_screen(const TopState& state) {
  Screen screen;
  std::vector<ScreenLine> bottom = bottom_lines(state, screen.cursor);
  // A single row belongs to what is typed or asked.
  if (state.size.rows == 1 && (screen.cursor || state.mode == TopMode::kill)) {
    screen.lines = std::move(bottom);
    return screen;
  }
  if (head_rows(state) > 0) screen.lines.push_back(head_line(state));
  const std::size_t body_end = head_rows(state) + body_rows(state);
  if (shows_list(state.mode)) {
    add_list(state, screen.lines);
  } else {
    for (std::size_t i = state.page.first;
         i < state.page.rows.size() && screen.lines.size() < body_end; ++i) {
      screen.lines.push_back({{state.page.rows[i], Style::plain}});
    }
  }
  if (state.size.rows < 2) return screen;
  screen.lines.resize(body_end);
  std::move(bottom.begin(), bottom.end(), std::back_inserter(screen.lines));
  return screen;
}

}  // namespace steno
