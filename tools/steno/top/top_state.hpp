// The state of `top` and what its keys do to it, without a terminal and without a server.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/steno/top/key.hpp"
#include "tools/steno/top/line_field.hpp"
#include "tools/steno/top/top_rows.hpp"

namespace steno {

enum class TopMode {
  list,
  filter,    // a field below the list
  prompt,    // likewise, of the session `subject`
  kill,      // asks whether to kill it
  requests,  // what it asks, whole
  deny,      // likewise, with a field for the reason
  answer,    // likewise, with a field for the answer to a question
  output,    // what its agent has said last
  help,
};
constexpr bool shows_list(TopMode mode) {
  return mode == TopMode::list || mode == TopMode::filter || mode == TopMode::prompt ||
         mode == TopMode::kill;
}
// True if a line is typed at the bottom.
constexpr bool is_field(TopMode mode) {
  return mode == TopMode::filter || mode == TopMode::prompt || mode == TopMode::deny ||
         mode == TopMode::answer;
}

// A text of many lines, a screen of it at a time.
struct TextPage {
  std::string title;
  std::string text;               // safe
  std::vector<std::string> rows;  // of the text, as wide as the screen
  std::size_t columns = 0;        // that they were made for
  std::size_t first = 0;          // row that is shown first
  base::SessionId session;        // output: of this one
  base::Position at;              // likewise, of its last event that the page has
};

// An act that a key asks for, beyond the screen.
enum class TopAct {
  none,
  quit,
  redraw,
  show_output,
  show_requests,
  show_requests_to_deny,
  send,
  approve,
  deny,
  answer,
  interrupt,
  go_on,
  dismiss,
  kill,
};

struct TopAction {
  TopAct act = TopAct::none;
  base::SessionId session{};
  std::int64_t ask = 0;  // approve, deny, answer
  std::string text{};    // send: the prompt; deny: the reason, or empty; answer: the answer
};

struct TopState {
  TopFacts facts;
  base::Time now;  // wall time
  ScreenSize size;
  std::string filter;
  std::vector<TopRow> rows;
  base::SessionId chosen;  // one of the rows; unset: there is none
  base::SessionId helped;  // whose need a person has just met; unset: none
  std::size_t first = 0;   // line of the list that is shown first
  TopMode mode = TopMode::list;
  base::SessionId subject;  // of the mode
  std::string subject_name;
  LineField field;
  TextPage page;
  std::vector<workers::AskShown> requests;
  std::size_t request = 0;  // the one that is shown
  std::string said;         // what became of the last act
  bool is_bad = false;      // it failed
  std::string notice;       // why the screen is old; empty: it is not
  bool is_pasting = false;
  TopAction unsent;  // a prompt that no server has taken yet
};

// Does what the key does to the screen (top_keys.cpp).
TopAction press(TopState& state, const PressedKey& key);

// Notes where a pasted text begins and ends. False: the key is neither.
bool note_paste(TopState& state, const PressedKey& key);
// A server has taken what was sent: a prompt that was not sent yet is forgotten if it is that one,
// and a session whose need was met is left for the next one that has a need.
void note_sent(TopState& state, const TopAction& sent);

// Takes in other facts, another time or another size.
void update(TopState& state);
// Says what became of an act.
void tell(TopState& state, const std::string& said, bool is_bad = false);
// Shows what the session asks. `denies`: the next line is the reason why not.
void show_requests(TopState& state, base::SessionId session,
                   std::vector<workers::AskShown> requests, bool denies);
// Shows output, at its end if it is other output than before or its end was shown.
void show_output(TopState& state, TextPage page);

// A line of the list: a row, or the heading above a group of them.
struct ListLine {
  std::optional<TopGroup> heading;  // none: a row
  std::size_t row = 0;              // its index
};
std::vector<ListLine> list_lines(const TopState& state);

// Returns what is said at the bottom instead of the keys, as wide as the screen: a question, why
// the screen is old, or the outcome of the last act. Empty: nothing is.
std::vector<std::string> message_rows(const TopState& state);

// Lines that the list, or a page, has of the screen.
std::size_t body_rows(const TopState& state);
// Lines above it.
std::size_t head_rows(const TopState& state);
// The last row that the page can begin with; it then shows its end.
std::size_t page_end(const TopState& state);

// The index of the chosen row; their number: there is none.
std::size_t chosen_index(const TopState& state);
void choose(TopState& state, std::size_t index);
// Shows the request of that index.
void open_request(TopState& state, std::size_t request);

}  // namespace steno
