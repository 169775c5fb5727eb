// Rows change their places while a person looks at them, so what is chosen is a session.
#include "tools/steno/top/top_state.hpp"

#include <algorithm>
#include <utility>

#include "tools/steno/client/shown_ask.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

// Makes the page's rows as wide as the screen.
void fit(TopState& state) {
  TextPage& page = state.page;
  if (page.columns != state.size.columns) {
    page.columns = state.size.columns;
    page.rows = wrapped(page.text, page.columns);
  }
  page.first = std::min(page.first, page_end(state));
}

// Moves the list so that the chosen row is shown, with the heading above it if there is room.
void scroll_to_chosen(TopState& state) {
  const std::vector<ListLine> lines = list_lines(state);
  const std::size_t body = std::max<std::size_t>(body_rows(state), 1);
  const std::size_t chosen = chosen_index(state);
  std::size_t at = 0;
  while (at < lines.size() && (lines[at].heading || lines[at].row != chosen)) ++at;
  const bool has_heading = at > 0 && at < lines.size() && lines[at - 1].heading;
  state.first = std::min(state.first, has_heading && body > 1 ? at - 1 : at);
  if (at >= state.first + body) state.first = at + 1 - body;
  state.first = std::min(state.first, lines.size() - std::min(lines.size(), body));
}

}  // namespace

std::vector<ListLine> list_lines(const TopState& state) {
  std::vector<ListLine> lines;
  for (std::size_t i = 0; i < state.rows.size(); ++i) {
    const TopGroup group = state.rows[i].group;
    if (i == 0 || state.rows[i - 1].group != group) {
      lines.push_back({group, 0});
    }
    lines.push_back({{}, i});
  }
  return lines;
}

std::size_t head_rows(const TopState& state) {
  return state.size.rows >= 3 ? 1 : 0;
}

std::vector<std::string> message_rows(const TopState& state) {
  std::string text;
  if (state.mode == TopMode::kill) {
    text = "kill " + state.subject_name + "?  y kills it, other keys do not";
  } else if (!is_field(state.mode)) {
    text = state.notice.empty() ? state.said : state.notice;
  }
  std::vector<std::string> rows = wrapped(text, state.size.columns);
  const std::size_t most = std::max<std::size_t>(state.size.rows / 3, 1);
  if (rows.size() > most) {
    rows.resize(most);
    rows.back() = workers::cut_to_columns(rows.back() + " …", state.size.columns);
  }
  return rows;
}

std::size_t body_rows(const TopState& state) {
  if (state.size.rows < 2) return state.size.rows;
  const std::size_t bottom = std::max<std::size_t>(message_rows(state).size(), 1);
  return state.size.rows - head_rows(state) - bottom;
}

std::size_t page_end(const TopState& state) {
  const std::size_t rows = state.page.rows.size();
  return rows - std::min(rows, body_rows(state));
}

std::size_t chosen_index(const TopState& state) {
  const auto found = std::find_if(state.rows.begin(), state.rows.end(),
                                  [&](const TopRow& row) { return row.session == state.chosen; });
  return static_cast<std::size_t>(found - state.rows.begin());
}

void choose(TopState& state, std::size_t index) {
  state.chosen = state.rows.empty() ? base::SessionId{}
                                    : state.rows[std::min(index, state.rows.size() - 1)].session;
  scroll_to_chosen(state);
}

void update(TopState& state) {
  const std::size_t before = chosen_index(state);
  state.rows = top_rows(state.facts, state.filter, state.now);
  std::size_t at = chosen_index(state);
  const bool is_there = at < state.rows.size();
  if (!is_there) at = before;
  const bool is_helped = is_there && state.chosen == state.helped;
  if (is_helped && state.rows[at].group != TopGroup::needs) {
    state.helped = {};
    if (state.rows.front().group == TopGroup::needs) at = 0;
  }
  choose(state, at);
  fit(state);
}

bool note_paste(TopState& state, const PressedKey& key) {
  if (key.name != KeyName::paste_begin && key.name != KeyName::paste_end) return false;
  state.is_pasting = key.name == KeyName::paste_begin;
  return true;
}

void note_sent(TopState& state, const TopAction& sent) {
  const bool is_same = state.unsent.session == sent.session && state.unsent.text == sent.text;
  if (sent.act == TopAct::send && is_same) state.unsent = {};
  const bool is_help = sent.act == TopAct::approve || sent.act == TopAct::deny ||
                       sent.act == TopAct::answer || sent.act == TopAct::dismiss;
  if (is_help) state.helped = sent.session;
}

void tell(TopState& state, const std::string& said, bool is_bad) {
  state.said = said;
  state.is_bad = is_bad;
}

void open_request(TopState& state, std::size_t request) {
  state.request = request;
  const workers::AskShown& ask = state.requests[request];
  const std::size_t count = state.requests.size();
  const std::string which = std::to_string(request + 1) + " of " + std::to_string(count);
  state.page = {};
  state.page.title =
      state.subject_name + " asks" + (count > 1 ? ", " + which + " (Tab: the next)" : "");
  state.page.text = whole_text(ask, state.now);
  const bool is_question = ask.kind == domain::AskKind::question;
  if (state.mode != TopMode::deny) state.mode = is_question ? TopMode::answer : TopMode::requests;
  state.field = {};
  fit(state);
}

void show_requests(TopState& state, base::SessionId session,
                   std::vector<workers::AskShown> requests, bool denies) {
  if (requests.empty()) return tell(state, "that session asks for nothing any more");
  const workers::AskShown& first = requests.front();
  state.subject = session;
  state.subject_name = workers::safe_line(first.name.empty() ? first.alias : first.name);
  state.requests = std::move(requests);
  state.mode = denies ? TopMode::deny : TopMode::requests;
  open_request(state, 0);
}

void show_output(TopState& state, TextPage page) {
  const bool is_same = state.mode == TopMode::output && state.subject == page.session;
  const bool follows = !is_same || state.page.first >= page_end(state);
  const std::size_t first = state.page.first;
  state.subject = page.session;
  state.mode = TopMode::output;
  state.page = std::move(page);
  state.page.first = first;
  fit(state);
  if (follows) state.page.first = page_end(state);
}

}  // namespace steno
