// The screen of `top` fits every terminal, and nothing that it shows is obeyed.
#include "tools/steno/top/top_screen.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/tools/steno/top/sample_sessions.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using support::text_of;

// Returns the lines that are not empty.
std::string filled_lines(const Screen& screen) {
  const std::string all = text_of(screen);
  std::string filled;
  for (const std::string_view line : workers::lines_of(all)) {
    if (!line.empty()) filled.append(line).append("\n");
  }
  return filled;
}

// The text begins on the line below.
std::string_view lines(std::string_view text) {
  return text.substr(1);
}

std::vector<projections::SessionRow> some_sessions() {
  std::vector<projections::SessionRow> sessions{
      support::at_work(1, "fix-the-login-of-the-admin-page"),
      support::waiting(2, "nightly"),
      support::at_work(3, "翻訳を直して、テストを走らせる"),
      support::asking(4, "careful 🔧"),
      support::failed(5, "broken"),
      support::asking(6, "\x1b[2Jwiped\x07")};
  sessions[0].updated_at = support::ago(std::chrono::minutes(3));
  sessions[1].idle_since = support::ago(std::chrono::minutes(1));
  sessions[1].idle_timeout = std::chrono::minutes(30);
  sessions[2].created_at = support::ago(std::chrono::hours(30));
  return sessions;
}

TopState some_state(ScreenSize size) {
  TopState state = support::top_state(some_sessions(), size);
  state.facts.asks[support::session_id(4)] = {1, "Bash — make test"};
  state.facts.lines[support::session_id(3)] = {{}, "🔧 Bash — make テスト"};
  state.facts.cost_today = "$1.2345";
  update(state);
  return state;
}

// True if no line is wider than the screen, there are no more than it has, and none is obeyed.
bool fits(const Screen& screen, ScreenSize size) {
  if (screen.lines.size() > size.rows) return false;
  if (screen.cursor && *screen.cursor >= size.columns) return false;
  for (const ScreenLine& line : screen.lines) {
    if (columns_of(line) > size.columns) return false;
    for (const Span& span : line) {
      if (workers::safe_line(span.text) != span.text) return false;
    }
  }
  return true;
}

TEST_CASE("top shows who needs a person, who works and who waits in 80 columns", "[tools]") {
  const Screen screen = top_screen(some_state({24, 80}));
  CHECK(screen.lines.size() == 24);
  CHECK(filled_lines(screen) == lines(R"(
3 need you, 2 work, 1 waits, 5 live, $1.2345 today
NEEDS YOU                 SINCE               COST
> careful 🔧              2m10s            $0.0123  Bash — make test
  \x1b[2Jwiped\x07        2m10s            $0.0123  asks for approval: Bash
  broken                  5h00m            $0.0123  failed (turn_error)
WORKS                       AGE   SILENT      COST
  翻訳を直して、テス…    30h00m       2s   $0.0123  🔧 Bash — make テスト
  fix-the-login-of-th…     1m1s     3m0s   $0.0123  silent 3m0s, running
WAITS                     SINCE               COST
  nightly                  1m0s            $0.0123  waiting, ends in 29m0s
o output  a approve  d deny  p prompt  i interrupt  c continue  x kill  ? help
)"));
}

TEST_CASE("a wide screen of top has aliases and room for words", "[tools]") {
  const Screen screen = top_screen(some_state({40, 120}));
  CHECK(screen.lines.size() == 40);
  CHECK(filled_lines(screen) == lines(R"(
3 need you, 2 work, 1 waits, 5 live, $1.2345 today
NEEDS YOU                                   SINCE                COST
> alias104  careful 🔧                      2m10s             $0.0123  Bash — make test
  alias106  \x1b[2Jwiped\x07                2m10s             $0.0123  asks for approval: Bash
  alias105  broken                          5h00m             $0.0123  failed (turn_error)
WORKS                                         AGE   SILENT       COST
  alias103  翻訳を直して、テストを走ら…    30h00m       2s    $0.0123  🔧 Bash — make テスト
  alias101  fix-the-login-of-the-admin-…     1m1s     3m0s    $0.0123  silent 3m0s, running
WAITS                                       SINCE                COST
  alias102  nightly                          1m0s             $0.0123  waiting, ends in 29m0s
o output  a approve  d deny  p prompt  i interrupt  c continue  x kill  ? help
)"));
}

TEST_CASE("top says since when a session waits, and not when its row last changed", "[tools]") {
  projections::SessionRow row = support::waiting(1, "nightly");
  row.attention_since = support::ago(std::chrono::hours(3));
  row.idle_since = support::ago(std::chrono::minutes(1));
  CHECK_THAT(text_of(top_screen(support::top_state({row}, {24, 80}))), Catch::Contains(" 3h00m "));
  row.attention_since = {};  // a person knows
  CHECK_THAT(text_of(top_screen(support::top_state({row}, {24, 80}))), Catch::Contains(" 1m0s "));
}

TEST_CASE("top shows a cost with the decimals that fit, and no lower bound is raised", "[tools]") {
  const auto shown = [](std::int64_t nano, domain::CostBasis basis, std::size_t columns) {
    projections::SessionRow row = support::at_work(1, "nightly");
    row.cost = base::NanoUsd{nano};
    row.cost_basis = basis;
    const std::string text = text_of(top_screen(support::top_state({row}, {24, columns})));
    const std::size_t begin = text.find("2s ") + 3;
    const std::string cell = text.substr(begin, text.find("  running") - begin);
    return cell.substr(cell.find_first_not_of(' '));
  };
  constexpr auto kExact = domain::CostBasis::totals;
  constexpr auto kLeast = domain::CostBasis::unknown;
  CHECK(shown(12'900'000, kLeast, 80) == "≥ $0.012");
  CHECK(shown(12'900'000, kLeast, 120) == "≥ $0.0129");
  CHECK(shown(99'990'900'000, kExact, 80) == "$99.9909");
  CHECK(shown(123'456'700'000, kExact, 80) == "$123.456");
  CHECK(shown(1'234'567'999'900'000, kExact, 80) == "$1234567");
}

TEST_CASE("top shows 200 sessions in 40 columns, the chosen one in sight", "[tools]") {
  std::vector<projections::SessionRow> sessions;
  for (int i = 0; i < 200; ++i) {
    const auto number = static_cast<std::uint8_t>(i);
    const std::string name = "session-" + std::to_string(i);
    sessions.push_back(i % 50 == 0  ? support::asking(number, name)
                       : i % 3 == 0 ? support::waiting(number, name)
                                    : support::at_work(number, name));
  }
  const ScreenSize size{10, 40};
  TopState state = support::top_state(std::move(sessions), size);
  CHECK(text_of(top_screen(state)) == lines(R"(
4 need you, 131 work, 200 live
NEEDS YOU        SINCE
> session-0      2m10s  asks for approv…
  session-50     2m10s  asks for approv…
  session-100    2m10s  asks for approv…
  session-150    2m10s  asks for approv…
WORKS              AGE
  session-199    4m19s  running
  session-197    4m17s  running
o a d p i c x  / filter  ? help  q
)"));
  for (int i = 0; i < 199; ++i) {
    support::press(state, "j");
    const Screen screen = top_screen(state);
    REQUIRE(fits(screen, size));
    REQUIRE(text_of(screen).find("\n> ") != std::string::npos);
  }
  CHECK(text_of(top_screen(state)) == lines(R"(
4 need you, 131 work, 200 live
  session-24        2s  waiting
  session-21        2s  waiting
  session-18        2s  waiting
  session-15        2s  waiting
  session-12        2s  waiting
  session-9         2s  waiting
  session-6         2s  waiting
> session-3         2s  waiting
o a d p i c x  / filter  ? help  q
)"));
}

TEST_CASE("every mode of top fits every size, down to one column", "[tools]") {
  for (std::size_t rows : {1U, 2U, 3U, 5U, 24U}) {
    for (std::size_t columns : {1U, 2U, 3U, 8U, 20U, 36U, 40U, 72U, 80U, 110U, 200U}) {
      const ScreenSize size{rows, columns};
      INFO(rows << " rows, " << columns << " columns");
      for (const char* keys : {"", "j", "?", "/世 w", "p\x1bhostile 世界", "x"}) {
        TopState state = some_state(size);
        support::press(state, keys);
        CHECK(fits(top_screen(state), size));
      }
      TopState state = some_state(size);
      const auto request = support::request(1, "echo \\u001b[2J 世界 " + std::string(300, 'x'));
      show_requests(state, support::session_id(4), {request}, false);
      CHECK(fits(top_screen(state), size));
      show_requests(state, support::session_id(4), {request}, true);
      CHECK(fits(top_screen(state), size));
      state.notice = "the server has ended; waiting for another one";
      support::press(state, KeyName::escape);
      CHECK(fits(top_screen(state), size));
    }
  }
}

TEST_CASE("a request is shown whole before it is answered", "[tools]") {
  TopState state = some_state({14, 60});
  support::press(state, "a");
  show_requests(state, support::session_id(4), {support::request(1, "make test")}, false);
  CHECK(text_of(top_screen(state)) == lines(R"(
careful asks
alias101#1  careful, waits 2m10s
Bash — make test
  in     /srv/project
  risk   medium
    command: make test
  rule   --always, --session allow Bash(make test)
  → steno approve alias101#1   steno deny alias101#1 WHY





y approves  d denies  n: back
)"));
}

TEST_CASE("top says that nothing is known yet, and that there is nothing", "[tools]") {
  TopState state = support::top_state({}, {4, 80});
  CHECK(text_of(top_screen(state)).find("no session lives or needs you") != std::string::npos);
  state.facts.position = {};
  CHECK(text_of(top_screen(state)).find("…") != std::string::npos);
  state.notice = "the server has ended; waiting for another one";
  CHECK(text_of(top_screen(state)).ends_with("the server has ended; waiting for another one\n"));
}

TEST_CASE("long lines are wrapped behind words, and wide characters are not split", "[tools]") {
  CHECK(wrapped("one two three\n\nfour", 8) ==
        std::vector<std::string>{"one two", "three", "", "four"});
  CHECK(wrapped("世界世界", 5) == std::vector<std::string>{"世界", "世界"});
  CHECK(wrapped("abcdef", 3) == std::vector<std::string>{"abc", "def"});
  CHECK(wrapped("世a", 1) == std::vector<std::string>{"a"});
  CHECK(wrapped("a世", 1) == std::vector<std::string>{"a", ""});
}

TEST_CASE("a line of megabytes is wrapped in one walk over it", "[tools]") {
  constexpr std::size_t kRows = 50'000;  // measured anew for each row it takes many minutes
  std::string text;
  for (std::size_t i = 0; i < kRows; ++i) text += std::string(79, 'x') + "ü";
  const std::vector<std::string> rows = wrapped(text, 80);
  CHECK(rows.size() == kRows);
  CHECK(std::count(rows.begin(), rows.end(), std::string(79, 'x') + "ü") == kRows);
}

TEST_CASE("the last line is that of the last words or the last tool call", "[tools]") {
  workers::OutputItem said;
  said.kind = workers::ItemKind::said;
  said.text = "First I look.\nThen I act.\n\n";
  CHECK(last_line({said}) == "Then I act.");
  workers::OutputItem call;
  call.kind = workers::ItemKind::tool_call;
  call.tool = "Bash";
  call.text = "{\"command\":\"make\\u001b[2J\"}";
  CHECK(last_line({said, call}) == "🔧 Bash — make\\x1b[2J");
  workers::OutputItem part = said;
  part.type = domain::PartialOutputRecorded::kType;
  part.text = "Half a";
  workers::OutputItem rest = part;
  rest.text = " sentence";
  CHECK(last_line({call, part, rest}) == "Half a sentence");
  CHECK(last_line({}).empty());
}

}  // namespace
}  // namespace steno
