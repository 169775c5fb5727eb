// `steno top`: draws once a second, and asks as often at most. Answers and acts are tasks, so that
// keys are obeyed while the server is slow or away.
#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/top/curses_terminal.hpp"
#include "tools/steno/top/drawable_terminal.hpp"
#include "tools/steno/top/top_asking.hpp"
#include "tools/steno/top/top_screen.hpp"

namespace steno {
namespace {

using base::Duration;

constexpr Duration kDrawEvery = std::chrono::seconds(1);
// The time between two questions is at least so many times what the last one took of a core. `top`
// then takes 2 % of it, however many sessions there are.
constexpr int kIdleShare = 50;
// An answer takes milliseconds. Without it the screen is old.
constexpr Duration kSilentAfter = std::chrono::seconds(3);

Duration time_used() {
  return Duration{static_cast<std::int64_t>(std::clock()) * 1'000'000 / CLOCKS_PER_SEC};
}

class Top {
 public:
  Top(Connection& connection, CursesTerminal& terminal, std::string agent)
      : connection_(connection), terminal_(terminal), agent_(std::move(agent)) {
    state_.facts.agent = connection.config().agent;
  }

  Outcome<int> run();

 private:
  void begin_asking(Duration now);
  // Each returns true if it changes what is shown.
  bool take_answer(Duration now);
  bool take_done(Duration now);
  void look_after_server(Duration now);
  void obey(const PressedKey& key, Duration now);
  void begin(const TopAction& action, Duration now);
  void draw();

  Connection& connection_;
  CursesTerminal& terminal_;
  const std::string agent_;  // empty: all
  TopState state_;
  std::optional<Asking<TopAnswer>> asking_;
  Duration asked_at_{0};
  Duration used_before_{0};
  Duration ask_at_{0};
  std::optional<Asking<TopDone>> doing_;
  std::optional<workers::Caller> doer_;  // outlives doing_
  TopAction action_;
  bool is_gone_ = false;  // the server, as of the last look
  bool is_done_ = false;
};

// Returns the sessions at work of which a line is on the screen.
std::vector<base::SessionId> shown_at_work(const TopState& state) {
  std::vector<base::SessionId> shown;
  if (!shows_list(state.mode)) return shown;
  const std::vector<ListLine> lines = list_lines(state);
  const std::size_t end = std::min(lines.size(), state.first + body_rows(state));
  for (std::size_t i = state.first; i < end; ++i) {
    const bool is_row = !lines[i].heading;
    const TopRow& row = state.rows[lines[i].row];
    if (is_row && row.group == TopGroup::works) shown.push_back(row.session);
  }
  return shown;
}

void Top::begin_asking(Duration now) {
  TopWanted wanted;
  wanted.agent = agent_;
  wanted.known = state_.facts;
  wanted.shown = shown_at_work(state_);
  if (state_.mode == TopMode::output) {
    wanted.output = state_.subject;
    wanted.output_at = state_.page.at;
  }
  asked_at_ = now;
  used_before_ = time_used();
  asking_.emplace(ask_all(connection_.caller(), wanted));
  asking_->start();
}

bool Top::take_answer(Duration now) {
  if (!asking_ || !asking_->is_done()) return false;
  auto answer = asking_->take();
  asking_.reset();
  is_gone_ = false;
  ask_at_ = std::max(asked_at_ + kDrawEvery, now + (time_used() - used_before_) * kIdleShare);
  if (!answer) {
    state_.notice = answer.error().text;
    return true;
  }
  if (!std::exchange(state_.notice, {}).empty()) tell(state_, "the server is back");
  // Rows that have just come into sight have no lines yet.
  const bool is_first = state_.facts.position.value == 0;
  state_.facts = std::move(answer->facts);
  if (is_first) ask_at_ = now;
  const bool is_shown =
      state_.mode == TopMode::output && answer->output && answer->output->session == state_.subject;
  if (is_shown) show_output(state_, std::move(*answer->output));
  return true;
}

void Top::look_after_server(Duration now) {
  if (!asking_ || now - asked_at_ < kDrawEvery) return;
  const bool was_gone = std::exchange(is_gone_, connection_.is_server_gone());
  if (is_gone_) {
    state_.notice = "the server has ended; waiting for another one";
  } else if (was_gone) {
    // A question is asked again the later, the longer it has waited. A new one is asked at once.
    begin_asking(now);
  } else if (now - asked_at_ >= kSilentAfter) {
    state_.notice = "the server does not answer; waiting for it";
  }
}

bool Top::take_done(Duration now) {
  if (!doing_ || !doing_->is_done()) return false;
  auto done = doing_->take();
  doing_.reset();
  ask_at_ = now;
  if (!done) {
    tell(state_, done.error().text, true);
    return true;
  }
  tell(state_, done->said);
  note_sent(state_, action_);
  // A person who has gone on to something else meanwhile is not called away from it.
  if (state_.mode != TopMode::list) return true;
  if (done->output) show_output(state_, std::move(*done->output));
  if (action_.act == TopAct::show_requests || action_.act == TopAct::show_requests_to_deny) {
    show_requests(state_, action_.session, std::move(done->requests),
                  action_.act == TopAct::show_requests_to_deny);
    // Keys that were pressed before are no answer to what is shown now. A paste still ends.
    while (const auto key = terminal_.take_key()) note_paste(state_, *key);
  }
  return true;
}

void Top::begin(const TopAction& action, Duration now) {
  const auto& sessions = state_.facts.sessions;
  const auto row = std::find_if(sessions.begin(), sessions.end(),
                                [&](const auto& one) { return one.session == action.session; });
  if (row == sessions.end()) return tell(state_, "that session needs nobody any more", true);
  if (doing_) return tell(state_, "nothing was sent: the act before is not done yet", true);
  if (!state_.notice.empty()) return tell(state_, "nothing was sent: " + state_.notice, true);
  action_ = action;
  doer_.emplace(connection_.caller());
  doer_->agent = row->agent;
  doing_.emplace(carry_out(*doer_, connection_.config(), action, *row));
  doing_->start();
  take_done(now);
}

void Top::obey(const PressedKey& key, Duration now) {
  const TopAction action = press(state_, key);
  switch (action.act) {
    case TopAct::none:
      return;
    case TopAct::quit:
      is_done_ = true;
      return;
    case TopAct::redraw:
      terminal_.redraw();
      return;
    default:
      begin(action, now);
  }
}

void Top::draw() {
  state_.now = connection_.clock().wall();
  state_.size = terminal_.size();
  update(state_);
  terminal_.draw(top_screen(state_));
}

Outcome<int> Top::run() {
  Duration draw_at{0};
  while (!is_done_) {
    const Duration now = connection_.clock().boot();
    if (!asking_ && now >= ask_at_) begin_asking(now);
    const bool is_answered = take_answer(now);
    const bool is_over = take_done(now);
    look_after_server(now);
    if (is_answered || is_over || now >= draw_at) {
      draw();
      draw_at = now + kDrawEvery;
    }
    std::array<bus::PollItem, 2> items{bus::PollItem::of(terminal_.input_fd()),
                                       bus::PollItem::of(terminal_.signal_fd())};
    const Duration next = asking_ ? draw_at : std::min(draw_at, ask_at_);
    const auto worked = connection_.work(items, std::max(next - now, Duration{0}));
    if (!worked) return tl::unexpected(worked.error());
    if (connection_.interrupts()->take()) return kExitInterrupted;
    // The system drops what was typed before Ctrl-Z, the end of a paste, too.
    if (items[1].is_readable && terminal_.take_signals()) state_.is_pasting = false;
    std::optional<PressedKey> last;
    while (items[0].is_readable && !is_done_) {
      const auto key = terminal_.take_key();
      if (!key) break;
      last = key;
      obey(*key, connection_.clock().boot());
    }
    // The end of a paste can be lost. A person's Esc comes alone, a pasted one has more behind it.
    if (last && last->name == KeyName::escape) state_.is_pasting = false;
    if (items[0].is_readable && !last && terminal_.is_gone()) return kExitInterrupted;
    if (last || items[1].is_readable) draw_at = now;
  }
  return kExitOk;
}

}  // namespace

Outcome<int> top(const Config& config, const TopArguments& arguments) {
  const std::string instead =
      "; steno ls --status live and steno attention print the same once, and do without";
  if (config.output != OutputFormat::table || !is_stdin_terminal() || !is_stdout_terminal()) {
    return fail(kExitUsage, "steno top needs a terminal, and draws for people" + instead);
  }
  if (const auto ok = check_drawable(); !ok) {
    return fail(ok.error().exit_code, ok.error().text + instead);
  }
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  auto terminal = CursesTerminal::open(has_color());
  if (!terminal) return fail(terminal.error().exit_code, terminal.error().text + instead);
  Top top(**connection, **terminal, arguments.all_agents ? "" : config.agent);
  return top.run();
}

}  // namespace steno
