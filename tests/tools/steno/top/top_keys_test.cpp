// The keys of `top`: what each does, and what none does unasked.
#include "tests/support/catch.hpp"
#include "tests/tools/steno/top/sample_sessions.hpp"

namespace steno {
namespace {

using support::press;
using support::text_of;

TopState three() {
  return support::top_state(
      {support::at_work(3, "busy"), support::asking(1, "careful"), support::waiting(2, "idle")},
      {24, 80});
}

std::string chosen_name(const TopState& state) {
  return state.rows.at(chosen_index(state)).name;
}

std::string bottom_of(const TopState& state) {
  const std::string text = text_of(top_screen(state));
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

TEST_CASE("arrows and letters choose a session, and it stays chosen when rows move", "[tools]") {
  TopState state = three();
  CHECK(chosen_name(state) == "careful");
  press(state, "j");
  CHECK(chosen_name(state) == "busy");
  press(state, KeyName::down);
  press(state, KeyName::down);
  CHECK(chosen_name(state) == "idle");
  press(state, "k");
  state.facts.sessions.push_back(support::asking(9, "another"));
  update(state);
  CHECK(chosen_name(state) == "busy");
  press(state, KeyName::home);
  CHECK(chosen_name(state) == "careful");
  press(state, "G");
  CHECK(chosen_name(state) == "idle");
}

TEST_CASE("behind an answer the next session that needs somebody is chosen", "[tools]") {
  TopState state = three();
  state.facts.sessions.push_back(support::asking(9, "another"));
  update(state);
  choose(state, 0);
  const std::string first = chosen_name(state);
  note_sent(state, {TopAct::approve, state.chosen, 1, {}});
  for (auto& row : state.facts.sessions) {
    if (row.session == state.chosen) row = support::at_work(1, row.name);
  }
  update(state);
  CHECK(chosen_name(state) != first);
  CHECK(state.rows.at(chosen_index(state)).group == TopGroup::needs);
}

TEST_CASE("when the chosen session goes, the one in its place is chosen", "[tools]") {
  TopState state = three();
  press(state, "j");
  std::erase_if(state.facts.sessions, [](const auto& row) { return row.name == "busy"; });
  update(state);
  CHECK(chosen_name(state) == "idle");
  state.facts.sessions.clear();
  update(state);
  CHECK_FALSE(state.chosen.is_set());
  for (const char* key : {"j", "k", "o", "a", "d", "p", "i", "c", "x", "y", " "}) {
    CHECK(press(state, key).act == TopAct::none);
    CHECK(state.mode == TopMode::list);
  }
}

TEST_CASE("a request is approved once its end was on the screen", "[tools]") {
  TopState state = three();
  state.size.rows = 6;
  update(state);
  const TopAction asked = press(state, "a");
  CHECK(asked.act == TopAct::show_requests);
  CHECK(asked.session == support::session_id(1));
  show_requests(state, asked.session, {support::request(1, "make test")}, false);
  REQUIRE(page_end(state) > 0);
  CHECK(press(state, "y").act == TopAct::none);
  CHECK(bottom_of(state) == "read it to its end first: Space shows more\n");
  press(state, "  ");
  REQUIRE(state.page.first == page_end(state));
  const TopAction approved = press(state, "y");
  CHECK(approved.act == TopAct::approve);
  CHECK(approved.session == support::session_id(1));
  CHECK(approved.ask == 1);
  CHECK(state.mode == TopMode::list);
}

TEST_CASE("a request whose input is not shown is not approved here", "[tools]") {
  TopState state = three();
  press(state, "a");
  workers::AskShown cut = support::request(4, "");
  cut.text.clear();
  cut.left_out = 10'000'000;
  cut.position = base::Position{77};
  show_requests(state, support::session_id(1), {cut, support::request(5, "make")}, false);
  REQUIRE(page_end(state) == 0);
  CHECK(bottom_of(state) == "d denies  n: back\n");
  CHECK(press(state, "y").act == TopAct::none);
  CHECK(state.mode == TopMode::requests);
  CHECK(state.said.find("steno replay export has it, at position 77") != std::string::npos);
  CHECK(state.said.find("steno approve alias101#4 approves it") != std::string::npos);
  press(state, KeyName::tab);
  CHECK(press(state, "y").ask == 5);
  press(state, "a");
  show_requests(state, support::session_id(1), {cut}, true);
  CHECK(press(state, KeyName::enter).act == TopAct::deny);
}

TEST_CASE("what is said below a request hides none of it when it is approved", "[tools]") {
  TopState state = three();
  press(state, "a");
  show_requests(state, support::session_id(1), {support::request(1, "make test")}, false);
  state.size.rows = state.page.rows.size() + 2;  // all of it fits, but for what is said
  update(state);
  REQUIRE(page_end(state) == 0);
  tell(state, std::string(200, 'x'), true);
  update(state);
  REQUIRE(page_end(state) > 0);
  CHECK(press(state, "y").act == TopAct::none);
  CHECK(press(state, KeyName::end).act == TopAct::none);
  CHECK(press(state, "y").act == TopAct::approve);
}

TEST_CASE("a long message takes several lines, and is cut at a third of the screen", "[tools]") {
  TopState state = support::top_state({support::at_work(1, std::string(60, 'n'))}, {9, 40});
  press(state, "x");
  const std::string asked = text_of(top_screen(state));
  CHECK(asked.ends_with(std::string(35, 'n') + "\n" + std::string(25, 'n') +
                        "?  y kills it,\nother keys do not\n"));
  press(state, "n");
  tell(state, std::string(500, 'x'), true);
  update(state);
  CHECK(text_of(top_screen(state)).ends_with(std::string(39, 'x') + "…\n"));
  CHECK(top_screen(state).lines.size() == 9);
}

TEST_CASE("of several requests the one that is shown is answered", "[tools]") {
  TopState state = three();
  press(state, "a");
  show_requests(state, support::session_id(1),
                {support::request(4, "make test"), support::request(7, "make clean")}, false);
  CHECK(text_of(top_screen(state)).find("make clean") == std::string::npos);
  press(state, KeyName::tab);
  CHECK(text_of(top_screen(state)).find("make clean") != std::string::npos);
  CHECK(press(state, "y").ask == 7);
}

TEST_CASE("a request is denied with a reason or without, and Esc does nothing", "[tools]") {
  TopState state = three();
  CHECK(press(state, "d").act == TopAct::show_requests_to_deny);
  show_requests(state, support::session_id(1), {support::request(4, "rm -r build")}, true);
  press(state, "yes");  // typed, and no approval
  CHECK(press(state, KeyName::escape).act == TopAct::none);
  CHECK(state.mode == TopMode::list);
  press(state, "d");
  show_requests(state, support::session_id(1), {support::request(4, "rm -r build")}, true);
  press(state, "use make");
  const TopAction denied = press(state, KeyName::enter);
  CHECK(denied.act == TopAct::deny);
  CHECK(denied.ask == 4);
  CHECK(denied.text == "use make");
}

TEST_CASE("a question takes an answer", "[tools]") {
  TopState state = three();
  press(state, "a");
  workers::AskShown question = support::request(2, "");
  question.kind = domain::AskKind::question;
  show_requests(state, support::session_id(1), {question}, false);
  CHECK(press(state, KeyName::enter).act == TopAct::none);
  press(state, "a");
  show_requests(state, support::session_id(1), {question}, false);
  press(state, "2");
  const TopAction answered = press(state, KeyName::enter);
  CHECK(answered.act == TopAct::answer);
  CHECK(answered.text == "2");
}

TEST_CASE("a session is killed only if y follows", "[tools]") {
  TopState state = three();
  CHECK(press(state, "x").act == TopAct::none);
  CHECK(bottom_of(state) == "kill careful?  y kills it, other keys do not\n");
  CHECK(press(state, "n").act == TopAct::none);
  CHECK(press(state, "x").act == TopAct::none);
  CHECK(press(state, KeyName::enter).act == TopAct::none);
  press(state, "x");
  const TopAction killed = press(state, "y");
  CHECK(killed.act == TopAct::kill);
  CHECK(killed.session == support::session_id(1));
  CHECK(press(state, "y").act == TopAct::none);
}

TEST_CASE("a prompt goes to the session that was chosen when it was begun", "[tools]") {
  TopState state = three();
  press(state, "jp");
  CHECK(bottom_of(state) == "prompt for busy>\n");
  std::erase_if(state.facts.sessions, [](const auto& row) { return row.name == "busy"; });
  update(state);
  press(state, "go on q");
  CHECK(bottom_of(state) == "prompt for busy> go on q\n");
  const TopAction sent = press(state, KeyName::enter);
  CHECK(sent.act == TopAct::send);
  CHECK(sent.session == support::session_id(3));
  CHECK(sent.text == "go on q");
  press(state, "p");
  CHECK(press(state, KeyName::enter).act == TopAct::none);
}

TEST_CASE("a prompt that was not sent is there to be sent again", "[tools]") {
  TopState state = three();
  press(state, "pgo on");
  CHECK(press(state, KeyName::enter).act == TopAct::send);
  tell(state, "nothing was sent: the server has ended", true);
  press(state, "jp");
  CHECK(bottom_of(state) == "prompt for busy>\n");
  press(state, KeyName::escape);
  press(state, "kp");
  CHECK(bottom_of(state) == "prompt for careful> go on\n");
  CHECK(press(state, KeyName::enter).text == "go on");
}

TEST_CASE("a prompt that a server takes leaves a later one to be sent again", "[tools]") {
  TopState state = three();
  press(state, "pfirst");
  const TopAction first = press(state, KeyName::enter);
  press(state, "p");
  press(state, KeyName::erase_line);
  press(state, "second");
  const TopAction second = press(state, KeyName::enter);
  CHECK(second.text == "second");
  note_sent(state, first);
  press(state, "p");
  CHECK(bottom_of(state) == "prompt for careful> second\n");
  press(state, KeyName::escape);
  TopAction elsewhere = second;
  elsewhere.session = support::session_id(3);
  note_sent(state, elsewhere);
  TopAction denied = second;
  denied.act = TopAct::deny;
  note_sent(state, denied);
  CHECK(state.unsent.text == "second");
  note_sent(state, second);
  press(state, "p");
  CHECK(bottom_of(state) == "prompt for careful>\n");
}

TEST_CASE("a prompt of which characters were dropped is not sent", "[tools]") {
  TopState state = three();
  press(state, "p" + std::string(kFieldBytesMax, 'x') + "y");
  CHECK(bottom_of(state).starts_with("over 64 KiB, Ctrl-U erases it> "));
  CHECK(press(state, KeyName::enter).act == TopAct::none);
  CHECK(state.mode == TopMode::prompt);
  press(state, KeyName::erase_line);
  press(state, "go on");
  CHECK(bottom_of(state) == "prompt for careful> go on\n");
  CHECK(press(state, KeyName::enter).text == "go on");
}

TEST_CASE("a paste ends also where its keys are dropped", "[tools]") {
  TopState state = three();
  press(state, KeyName::paste_begin);
  CHECK_FALSE(note_paste(state, {KeyName::character, "y"}));
  CHECK(press(state, "q").act == TopAct::none);
  CHECK(note_paste(state, {KeyName::paste_end}));
  CHECK(press(state, "q").act == TopAct::quit);
  CHECK(note_paste(state, {KeyName::paste_begin}));
  CHECK(press(state, "q").act == TopAct::none);
}

TEST_CASE("a pasted text is a prompt or nothing, never keys", "[tools]") {
  TopState state = three();
  press(state, KeyName::paste_begin);
  press(state, "xy");
  press(state, KeyName::enter);
  press(state, KeyName::paste_end);
  CHECK(state.mode == TopMode::list);
  press(state, "p");
  press(state, KeyName::paste_begin);
  press(state, "one");
  CHECK(press(state, KeyName::enter).act == TopAct::none);
  press(state, "two");
  press(state, KeyName::paste_end);
  CHECK(press(state, KeyName::enter).text == "one two");
}

TEST_CASE("a filter leaves sessions out while it is typed", "[tools]") {
  TopState state = three();
  press(state, "/BUS");
  REQUIRE(state.rows.size() == 1);
  press(state, KeyName::enter);
  CHECK(text_of(top_screen(state)).find("/BUS") != std::string::npos);
  press(state, "/");
  press(state, "y at all");
  CHECK(state.rows.empty());
  CHECK(text_of(top_screen(state)).find("no session has these words") != std::string::npos);
  press(state, KeyName::enter);
  press(state, KeyName::escape);
  CHECK(state.rows.size() == 3);
}

TEST_CASE("a session that has ended is told so", "[tools]") {
  TopState state = support::top_state({support::failed(1, "broken")}, {24, 80});
  for (const char* key : {"p", "x", "i", "c"}) {
    CHECK(press(state, key).act == TopAct::none);
    CHECK(bottom_of(state) == "alias101 has ended; steno resume alias101 goes on with it\n");
  }
  CHECK(press(state, "a").act == TopAct::none);
  CHECK(bottom_of(state) == "alias101 asks for nothing now\n");
  CHECK(press(state, "o").act == TopAct::show_output);
}

TEST_CASE("output stays where it was scrolled to, and else shows its end", "[tools]") {
  TopState state = three();
  TextPage page;
  page.title = "busy";
  page.session = support::session_id(3);
  for (int i = 1; i <= 100; ++i) page.text += "line " + std::to_string(i) + "\n";
  show_output(state, page);
  CHECK(text_of(top_screen(state)).find("line 100\n") != std::string::npos);
  page.text += "line 101\n";
  show_output(state, page);
  CHECK(text_of(top_screen(state)).find("line 101\n") != std::string::npos);
  press(state, KeyName::page_up);
  const std::string before = text_of(top_screen(state));
  CHECK(before.starts_with("busy  (59–80 of 101)\n"));
  page.text += "line 102\n";
  show_output(state, page);
  CHECK(state.page.first == 58);
  press(state, "q");
  CHECK(state.mode == TopMode::list);
}

TEST_CASE("help lists the keys, and q leaves", "[tools]") {
  TopState state = three();
  press(state, "?");
  CHECK(text_of(top_screen(state)).find("Ctrl-L") != std::string::npos);
  CHECK(press(state, "q").act == TopAct::none);
  CHECK(press(state, "q").act == TopAct::quit);
}

}  // namespace
}  // namespace steno
