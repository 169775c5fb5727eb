// A table of letters for the list; each other mode is a function.
#include <algorithm>
#include <utility>

#include "tools/steno/top/top_state.hpp"
#include "workers/operations/asking.hpp"

namespace steno {
namespace {

constexpr std::string_view kHelp =
    "steno top shows the sessions that live or need a person, and keeps itself current.\n"
    "\n"
    "NEEDS YOU  it asks, is stuck, has failed, or has spent its budget; the time since then\n"
    "WORKS      its age, how long its agent has been silent, its cost, its last line\n"
    "WAITS      for a prompt, behind a failed turn, for a place; the time since then\n"
    "\n"
    "↑ ↓ j k    choose a session; also PgUp, PgDn, g, G\n"
    "Enter o    its last output; steno attach NAME shows it as it comes\n"
    "a          show what it asks; then y approves it, and a question takes an answer\n"
    "d          show what it asks; then Enter denies it, with a reason or without\n"
    "p          send it a prompt\n"
    "i          interrupt its turn\n"
    "c          let its paused prompts go on\n"
    "x          kill it, if you then press y\n"
    "z          you know of its need: it is shown here again once it has another one\n"
    "/          show only sessions with these words; Esc shows all\n"
    "Ctrl-L     draw the screen again\n"
    "q Ctrl-C   leave; the sessions go on\n";

TopAction on_subject(const TopState& state, TopAct act, std::string text = {}) {
  return {act, state.subject, 0, std::move(text)};
}

TopAction on_request(const TopState& state, TopAct act, std::string text = {}) {
  return {act, state.subject, state.requests[state.request].ask, std::move(text)};
}

void leave(TopState& state) {
  state.mode = TopMode::list;
  state.field = {};
}

// A page keeps one row of the one before.
std::size_t step_of(const TopState& state) {
  return std::max<std::size_t>(body_rows(state), 2) - 1;
}

// Moves within `end` rows or lines. Letters move only where nothing is typed. False: another key.
bool move(const TopState& state, const PressedKey& key, std::size_t end, std::size_t& at) {
  const bool types = is_field(state.mode);
  const std::size_t step = step_of(state);
  if (key.name == KeyName::up || (!types && key.is('k'))) {
    at -= std::min<std::size_t>(at, 1);
  } else if (key.name == KeyName::down || (!types && key.is('j'))) {
    ++at;
  } else if (key.name == KeyName::page_up) {
    at -= std::min(at, step);
  } else if (key.name == KeyName::page_down || (!types && key.is(' '))) {
    at += step;
  } else if (!types && (key.name == KeyName::home || key.is('g'))) {
    at = 0;
  } else if (!types && (key.name == KeyName::end || key.is('G'))) {
    at = end;
  } else {
    return false;
  }
  at = std::min(at, end);
  return true;
}

// Begins what is about the chosen session.
void begin(TopState& state, TopMode mode, const TopRow& row) {
  state.mode = mode;
  state.subject = row.session;
  state.subject_name = row.name;
  state.field = {};
}

TopAction press_row(TopState& state, const PressedKey& key, const TopRow& row) {
  const std::string ended =
      row.alias + " has ended; steno resume " + row.alias + " goes on with it";
  const auto act = [&](TopAct wanted) {
    begin(state, TopMode::list, row);
    return on_subject(state, wanted);
  };
  if (key.name == KeyName::enter || key.is('o')) return act(TopAct::show_output);
  if (key.is('a') || key.is('d')) {
    if (row.has_asks)
      return act(key.is('a') ? TopAct::show_requests : TopAct::show_requests_to_deny);
    tell(state, row.alias + " asks for nothing now");
    return {};
  }
  const bool needs_life = key.is('p') || key.is('x') || key.is('i') || key.is('c');
  if (needs_life && !row.is_live) {
    tell(state, ended);
    return {};
  }
  if (key.is('p')) {
    begin(state, TopMode::prompt, row);
    if (state.unsent.session == row.session) state.field = LineField(state.unsent.text);
  }
  if (key.is('x')) begin(state, TopMode::kill, row);
  if (key.is('i')) return act(TopAct::interrupt);
  if (key.is('c')) return act(TopAct::go_on);
  if (key.is('z') && row.group == TopGroup::needs) return act(TopAct::dismiss);
  if (key.is('z')) tell(state, row.alias + " is not among those that need you");
  return {};
}

TopAction press_list(TopState& state, const PressedKey& key) {
  std::size_t at = chosen_index(state);
  const std::size_t end = state.rows.empty() ? 0 : state.rows.size() - 1;
  if (move(state, key, end, at)) {
    choose(state, at);
    return {};
  }
  if (key.is('q')) return {TopAct::quit};
  if (key.is('/')) {
    state.mode = TopMode::filter;
    state.field = LineField(state.filter);
    return {};
  }
  if (key.name == KeyName::escape && !state.filter.empty()) {
    state.filter.clear();
    update(state);
    return {};
  }
  if (key.is('?')) {
    state.mode = TopMode::help;
    state.page = {};
    state.page.title = "steno top";
    state.page.text = kHelp;
    update(state);
    return {};
  }
  if (at < state.rows.size()) return press_row(state, key, state.rows[at]);
  return {};
}

// `was_at_end`: the end of the request was on the screen. Nobody approves unread what is not shown.
TopAction press_request(TopState& state, const PressedKey& key, bool was_at_end) {
  if (key.is('d')) {
    state.mode = TopMode::deny;
    return {};
  }
  if (key.is('n') || key.is('q') || key.name == KeyName::escape) {
    leave(state);
    return {};
  }
  if (!key.is('y')) return {};
  const workers::AskShown& ask = state.requests[state.request];
  if (ask.left_out > 0) {
    tell(state, "its input is too long to be shown here: steno replay export has it, at position " +
                    std::to_string(ask.position.value) + "; steno approve " +
                    workers::ask_reference(ask) + " approves it unread");
    return {};
  }
  if (!was_at_end) {
    tell(state, "read it to its end first: Space shows more");
    return {};
  }
  TopAction action = on_request(state, TopAct::approve);
  leave(state);
  return action;
}

TopAction press_field(TopState& state, const PressedKey& key) {
  if (key.name == KeyName::escape) {
    leave(state);
    return {};
  }
  if (key.name != KeyName::enter) {
    const bool is_edited = state.field.press(key);
    if (is_edited && state.mode == TopMode::filter) {
      state.filter = state.field.text();
      update(state);
    }
    return {};
  }
  if (state.field.is_cut()) return {};
  const std::string text = state.field.text();
  const TopMode mode = state.mode;
  TopAction action;
  if (mode == TopMode::deny) action = on_request(state, TopAct::deny, text);
  if (mode == TopMode::answer && !text.empty()) action = on_request(state, TopAct::answer, text);
  if (mode == TopMode::prompt && !text.empty()) action = on_subject(state, TopAct::send, text);
  if (action.act == TopAct::send) state.unsent = action;
  leave(state);
  return action;
}

TopAction press_kill(TopState& state, const PressedKey& key) {
  leave(state);
  return key.is('y') ? on_subject(state, TopAct::kill) : TopAction{};
}

TopAction press_page(TopState& state, const PressedKey& key) {
  if (key.is('q') || key.is('?') || key.name == KeyName::escape || key.name == KeyName::left) {
    leave(state);
  }
  return {};
}

}  // namespace

TopAction press(TopState& state, const PressedKey& key) {
  state.helped = {};
  const bool was_at_end = state.page.first >= page_end(state);  // with what was said below it
  state.said.clear();
  // A text that is pasted is no row of keys: it can hold any letter.
  if (note_paste(state, key)) return {};
  if (state.is_pasting && !is_field(state.mode)) return {};
  if (state.is_pasting && (key.name == KeyName::enter || key.name == KeyName::tab)) {
    return press_field(state, {KeyName::character, " "});
  }
  if (key.name == KeyName::redraw) return {TopAct::redraw};
  if (!shows_list(state.mode) && move(state, key, page_end(state), state.page.first)) return {};
  const bool has_requests = state.mode == TopMode::requests || state.mode == TopMode::deny ||
                            state.mode == TopMode::answer;
  if (has_requests && key.name == KeyName::tab) {
    open_request(state, (state.request + 1) % state.requests.size());
    return {};
  }
  switch (state.mode) {
    case TopMode::list:
      return press_list(state, key);
    case TopMode::filter:
    case TopMode::prompt:
    case TopMode::deny:
    case TopMode::answer:
      return press_field(state, key);
    case TopMode::kill:
      return press_kill(state, key);
    case TopMode::requests:
      return press_request(state, key, was_at_end);
    case TopMode::output:
    case TopMode::help:
      return press_page(state, key);
  }
  return {};
}

}  // namespace steno
