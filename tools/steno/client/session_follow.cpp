// Folds the session's events into an exit code while it prints them. The first Ctrl-C interrupts
// the turn and never kills, the second one kills the session, and Ctrl-\ leaves it as it is.
#include "tools/steno/client/session_follow.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/session/cost_text.hpp"
#include "tools/steno/client/attention_text.hpp"
#include "tools/steno/client/session_printer.hpp"
#include "tools/steno/config/prices_file.hpp"
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/connection/login.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/session_text.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/protocol/queries.hpp"
#include "workers/protocol/status.hpp"
#include "workers/text/ask_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::cost_text;
using workers::dollars_text;

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

class SessionFollow {
 public:
  SessionFollow(Connection& connection, const FollowRequest& request)
      : connection_(connection),
        request_(request),
        format_(connection.config().output),
        printer_(is_stdout_terminal(), calls_) {
    if (request.turn.is_set()) turns_.insert(request.turn);
  }

  Outcome<int> run();

 private:
  bool wants_input() const {
    if (is_attached()) return !is_close_sent_ && !is_kill_sent_;
    return request_.input != nullptr && turns_.empty() && !is_close_sent_ && !is_kill_sent_;
  }
  bool is_attached() const { return request_.editor != nullptr; }
  LineInput& typed_answers() { return is_attached() ? *request_.editor : *terminal_; }
  Outcome<bool> take_input();
  bool is_late_answer(std::string line);
  Outcome<bool> send_prompt(std::string prompt);
  Outcome<bool> take_interrupt_attached();
  void end_answering();
  void invite_input();
  void end_invitation();
  Outcome<bool> take_interrupt();
  bool leave();
  tl::unexpected<Failure> give_up() const;
  Outcome<bool> take_event(const bus::FeedEvent& event);
  bool is_left_out(const domain::Event& event) const;
  bool wants_content(const workers::SeenEvent& seen) const;
  Outcome<std::string> whole_text(const workers::SeenEvent& seen);
  void note(const domain::SessionOpened&) {}
  void note(const domain::TurnQueued& e) { turns_.insert(e.turn); }
  void note(const domain::OwnTurnStarted& e) { own_turn_ = e.turn; }
  void note(const domain::TasksChanged& e) { tasks_ = e.tasks; }
  void note(const domain::LeaseReleased&) { tasks_ = 0; }
  void note(const domain::LeaseExpired&) { tasks_ = 0; }
  void note(const domain::AgentInitialized& e);
  void note(const domain::SpendingRecorded& e) {
    domain::add_bounded(cost_.value, domain::cost_of(e.spent).value);
  }
  void note(const domain::TurnFinished& e) {
    has_lost_request_ = false;
    end_turn(e.turn, kExitOk, e.cost);
  }
  void note(const domain::TurnFailed& e) {
    has_failures_ |= !request_.is_onlooker;
    end_turn(e.turn, kExitFailed, e.cost);
  }
  void note(const domain::TurnInterrupted& e) {
    const bool is_asked_for =
        e.reason == domain::EndReason::user || e.reason == domain::EndReason::expired;
    has_failures_ |= !request_.is_onlooker && !is_asked_for;
    end_turn(e.turn, interrupted_code(e.reason), e.cost);
  }
  void note(const domain::SessionClosed& e);
  void note(const domain::ToolCallStarted& e) { tools_[e.call] = e.tool; }
  void note(const domain::ToolCallFinished& e) {
    const auto tool = tools_.extract(e.call);
    // What a person has denied lacks no permission, and names no tool.
    if (!e.is_denied || e.tool.empty()) return;
    if (request_.ends_with_turn && e.turn != request_.turn) return;
    has_denials_ = true;
    denied_.push_back(tool.empty() ? e.call : tool.mapped());
    if (!tool.empty()) add_once(tools_denied_, tool.mapped());
  }
  void note(const domain::ToolCallDenied& e) {
    if (request_.ends_with_turn && e.turn != request_.turn) return;
    has_denials_ = true;
    denied_.push_back(e.tool.empty() ? e.call : e.tool);
    if (!e.tool.empty()) add_once(tools_denied_, e.tool);
  }
  void note(const domain::AskAnswered& e) { end_ask(e.ask); }
  void note(const domain::AskClosed& e) { end_ask(e.ask); }
  void end_ask(std::int64_t ask) {
    // One that is answered here is not invited any more.
    has_lost_request_ = invited_ == ask;
    asks_.erase(ask);
    if (invited_ == ask) invited_.reset();
    end_answering();
  }
  template <class Event>
  void note(const Event&) {}
  void end_turn(base::TurnId turn, int code, const domain::TurnCost& cost);
  void tell_denials();
  void tell_login(const workers::SeenEvent& seen);
  // What the agent waits for.
  struct Asked {
    domain::AskKind kind = domain::AskKind::approval;
    workers::AskText text;
    bool is_whole = true;  // all of it was shown here
  };
  void take_ask(const workers::SeenEvent& seen);
  // A program that looks on reads what is asked among the events.
  bool tells_asks() const { return !request_.is_onlooker || format_ == OutputFormat::table; }
  void note_ask(std::int64_t ask, Asked asked);
  void tell_how_to_answer(std::int64_t ask);
  Outcome<bool> take_earlier_asks();
  bool is_answered_here();
  void set_typed_ahead_apart();
  void invite_answer();
  std::optional<domain::AnswerAsk> answer_in(std::int64_t ask, const Asked& asked,
                                             const std::string& line) const;
  Outcome<bool> take_answer();
  int with_denials(int code) const {
    return code == kExitOk && has_denials_ && !request_.is_onlooker ? kExitRefused : code;
  }
  // Returns the exit code of a turn or session that ended for that reason, and not by itself.
  int interrupted_code(domain::EndReason reason) const {
    if (domain::is_spent(reason) || domain::is_cap(reason)) return kExitBudget;
    if (reason == domain::EndReason::run_timeout || reason == domain::EndReason::expired) {
      return kExitTimeout;
    }
    return has_interrupted_ ? kExitInterrupted : kExitFailed;
  }
  Outcome<workers::CommandReplyBody> send(const domain::Command& command);
  Outcome<int> finish(int code);
  int over_budget_code(const workers::ShowAnswer& shown, int code) const;
  std::string with_result(const std::string& json) const;

  Connection& connection_;
  Follower* follower_ = nullptr;  // while it runs
  const FollowRequest& request_;
  const OutputFormat format_;
  workers::ToolCalls calls_;
  bool has_denials_ = false;
  bool has_failures_ = false;  // a turn failed and the session went on
  SessionPrinter printer_;
  std::set<base::TurnId> turns_;  // that are queued or running
  base::TurnId own_turn_;         // of the agent, under way; unset: none
  std::int64_t tasks_ = 0;        // of the agent in the background
  bool is_interrupt_sent_ = false;
  bool is_interrupt_announced_ = false;  // what the next Ctrl-C does; only of one that is attached
  bool is_kill_announced_ = false;       // the user was told what the next Ctrl-C does
  bool is_kill_sent_ = false;
  bool is_close_sent_ = false;
  bool is_invited_ = false;  // the prompt sign is the last thing on the terminal
  bool has_told_keys_ = false;
  bool has_interrupted_ = false;
  bool has_left_ = false;
  std::map<std::int64_t, Asked> asks_;   // by their numbers
  std::optional<std::int64_t> invited_;  // the one whose answer is typed now
  std::optional<std::int64_t> shown_;    // the last one that was invited
  bool has_lost_request_ = false;        // it ended while its answer was typed
  std::optional<LineInput> terminal_;    // where; prompts are read apart
  bool has_answers_ended_ = false;       // nothing more is typed
  std::optional<int> code_;              // set: following is over
  domain::SessionClosed closed_;
  std::string answer_;                        // what the agent said last
  std::vector<std::string> denied_;           // tools whose calls were denied
  std::vector<std::string> tools_denied_;     // those since this was told, each once
  std::map<std::string, std::string> tools_;  // by the call's id, while it runs
  base::NanoUsd cost_;
  base::Position last_;
};

// True for events whose text is what the agent itself says to people.
bool is_answer(const domain::Event& event) {
  const auto* finished = event.as<domain::TurnFinished>();
  if (finished != nullptr) return finished->is_answer;
  const auto* said = event.as<domain::OutputRecorded>();
  return said != nullptr && said->kind == domain::OutputKind::text && said->parent.empty();
}

// True for events of which a session that waited shows something.
bool shows_words(const domain::Event& event) {
  return event.is<domain::TurnStarted>() || event.is<domain::OwnTurnStarted>() ||
         event.is<domain::OutputRecorded>() || event.is<domain::TasksChanged>() ||
         event.is<domain::SessionClosed>();
}

Outcome<int> SessionFollow::run() {
  connection_.take_interrupts();
  auto follower = Follower::open(
      connection_, workers::session_level(request_.agent, request_.session), request_.after);
  if (!follower) return tl::unexpected(follower.error());
  follower_ = follower->get();
  if (const auto ok = take_earlier_asks(); !ok) return tl::unexpected(ok.error());
  while (!code_) {
    Outcome<bool> done = true;
    if (is_answered_here()) {
      done = take_answer();
    } else if (wants_input()) {
      done = take_input();
    }
    if (!done) return tl::unexpected(done.error());
    LineInput* answers = !code_ && is_answered_here() ? &typed_answers() : nullptr;
    if (code_) break;
    WaitFor wanted;
    if (answers != nullptr) {
      wanted.input_fd = answers->fd();
      invite_answer();
    } else if (wants_input() && !request_.input->is_at_end()) {
      wanted.input_fd = request_.input->fd();
      invite_input();
    }
    if (is_attached()) {
      request_.editor->show(answers != nullptr ? "answer> " : "> ", printer_.columns());
    }
    const auto wake = (*follower)->wait(wanted);
    if (is_attached() && (!wake || *wake != Wake::input)) request_.editor->hide();
    if (!wake) return tl::unexpected(wake.error());
    switch (*wake) {
      case Wake::event:
        done = take_event((*follower)->event());
        break;
      case Wake::interrupted:
        done = take_interrupt();
        break;
      case Wake::input:
        is_invited_ = false;  // its line feed is on the terminal
        (answers != nullptr ? answers : request_.input)->fill();
        if (is_attached() && !request_.editor->is_shown()) printer_.line_has_ended();
        break;
      case Wake::timer:
      case Wake::output_closed:
        break;
    }
    if (!done) return tl::unexpected(done.error());
  }
  return finish(*code_);
}

// A person at a terminal sees that the session waits, and how to go on.
void SessionFollow::invite_input() {
  if (is_attached()) {
    if (std::exchange(has_told_keys_, true)) return;
    printer_.end_line();
    return remark(
        "steno: type a prompt, also while it works; Ctrl-C twice interrupts, Ctrl-D leaves");
  }
  if (is_invited_ || own_turn_.is_set() || !is_stdin_terminal()) return;
  printer_.end_line();
  if (!std::exchange(has_told_keys_, true)) {
    remark("steno: type a prompt; Ctrl-D closes the session, Ctrl-\\ leaves it");
  }
  prompt_sign();
  is_invited_ = true;
}

// What is printed next begins on a line of its own.
void SessionFollow::end_invitation() {
  if (std::exchange(is_invited_, false)) remark("");
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// True if the line is the answer to a request that ended while it was typed.
bool SessionFollow::is_late_answer(std::string line) {
  if (!std::exchange(has_lost_request_, false)) return false;
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
  static constexpr std::string_view kAnswers[] = {"y", "n", "yes", "no", "/deny"};
  const std::string word = lower_case(std::move(line));
  return std::find(std::begin(kAnswers), std::end(kAnswers), word) != std::end(kAnswers);
}

// The session waits for a prompt: sends the next one, or closes the session if the input has ended.
Outcome<bool> SessionFollow::take_input() {
  while (auto line = request_.input->take_line()) {
    is_interrupt_announced_ = false;
    if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
    if (is_late_answer(*line)) {
      remark("steno: that request has its answer, and this was sent to nobody");
      continue;
    }
    return send_prompt(std::move(*line));
  }
  if (!request_.input->is_at_end()) return true;
  if (is_attached()) return leave();
  is_close_sent_ = true;
  const auto closed = send(domain::CloseSession{});
  if (!closed) return tl::unexpected(closed.error());
  return true;
}

Outcome<bool> SessionFollow::send_prompt(std::string prompt) {
  const base::CommandId id = connection_.fresh_command_id();
  turns_.insert(base::TurnId{id.bytes});
  is_interrupt_sent_ = false;
  is_kill_announced_ = false;
  const auto sent = connection_.command(id, request_.session, request_.agent,
                                        domain::SendPrompt{std::move(prompt), false});
  if (!sent) turns_.erase(base::TurnId{id.bytes});
  if (!sent && sent.error().exit_code == kExitInterrupted) return take_interrupt();
  if (sent) return true;
  if (!is_attached()) return tl::unexpected(sent.error());
  // The session can still be looked at.
  remark("steno: " + sent.error().text);
  return true;
}

// Ends the following, and leaves the session as it is.
bool SessionFollow::leave() {
  if (is_attached()) request_.editor->hide();
  if (request_.screen != nullptr) request_.screen->leave();
  remark("steno: the session goes on: steno output " + request_.alias +
         " --follow shows it, steno send gives it prompts, steno kill ends it");
  code_ = connection_.interrupts()->is_terminated() ? kExitInterrupted : kExitOk;
  has_left_ = true;
  return true;
}

// Somebody who looks on can press Ctrl-C by habit.
Outcome<bool> SessionFollow::take_interrupt_attached() {
  printer_.end_line();
  if (connection_.interrupts()->is_leaving()) return leave();
  if (follower_->is_unanswered()) return give_up();
  if (turns_.empty() && !own_turn_.is_set()) {
    remark("steno: nothing runs; Ctrl-D leaves");
    return true;
  }
  if (!std::exchange(is_interrupt_announced_, true)) {
    remark("steno: Ctrl-C again interrupts the turn");
    return true;
  }
  is_interrupt_announced_ = false;
  remark("steno: interrupting the turn");
  const auto sent = send(domain::InterruptTurn{turns_.empty() ? own_turn_ : *turns_.begin()});
  if (sent || sent.error().exit_code == kExitConflict) return true;
  return tl::unexpected(sent.error());
}

Outcome<bool> SessionFollow::take_interrupt() {
  if (is_attached()) return take_interrupt_attached();
  printer_.end_line();
  end_invitation();
  if (connection_.interrupts()->is_leaving()) return leave();
  if (request_.is_onlooker) return fail(kExitInterrupted, "");
  if (follower_->is_unanswered()) return give_up();
  if (is_kill_sent_) {
    return fail(kExitInterrupted, "interrupted; the session was asked to end and may still be");
  }
  const bool is_own = own_turn_.is_set() && !request_.ends_with_turn;
  if (!is_interrupt_sent_ && (is_own || !turns_.empty())) {
    is_interrupt_sent_ = true;
    is_kill_announced_ = true;
    has_interrupted_ = true;
    const bool is_only = request_.input == nullptr && !request_.ends_with_turn;
    remark(is_only ? "steno: interrupting the session's only turn, with which it ends"
                   : "steno: interrupting the turn; Ctrl-C again kills the session");
    const base::TurnId turn = request_.ends_with_turn ? request_.turn
                              : is_own                ? own_turn_
                                                      : *turns_.begin();
    const auto sent = send(domain::InterruptTurn{turn});
    // The turn may have ended just now; its event will follow.
    if (sent || sent.error().exit_code == kExitConflict) return true;
    // Ctrl-C was pressed again before the server answered.
    if (sent.error().exit_code != kExitInterrupted) return tl::unexpected(sent.error());
  }
  if (!is_interrupt_sent_ && tasks_ > 0 && !wants_input()) {
    is_interrupt_sent_ = true;
    is_kill_announced_ = true;
    remark("steno: " + tasks_text(tasks_) + " in the background " + (tasks_ == 1 ? "is" : "are") +
           " waited for; Ctrl-C again kills the session");
    return true;
  }
  if (!std::exchange(is_kill_announced_, true)) {
    remark(std::string("steno: no turn runs; Ctrl-C again kills the session, ") +
           (request_.input == nullptr ? "" : "Ctrl-D closes it, ") + "Ctrl-\\ leaves it");
    return true;
  }
  is_kill_sent_ = true;
  has_interrupted_ = true;
  remark("steno: killing the session");
  const auto sent = send(domain::KillSession{});
  if (!sent) return tl::unexpected(sent.error());
  return true;
}

// Sends nothing: a command sent now would wait for the next server.
tl::unexpected<Failure> SessionFollow::give_up() const {
  return fail(kExitInterrupted,
              "nothing was interrupted, because no server answers; the session may still run, and "
              "the next server goes on with it: steno kill " +
                  request_.session.text() + " ends it then");
}

Outcome<bool> SessionFollow::take_event(const bus::FeedEvent& event) {
  auto seen = workers::see(event);
  if (!seen) return fail(seen.error());
  last_ = event.position;
  if (is_left_out(seen->recorded.event)) return true;
  if (wants_content(*seen)) {
    auto text = whole_text(*seen);
    // Ctrl-C was pressed before the server answered.
    while (!text && text.error().exit_code == kExitInterrupted) {
      auto done = take_interrupt();
      if (!done || code_) return done;
      text = whole_text(*seen);
    }
    if (!text) return tl::unexpected(text.error());
    seen->recorded.content = domain::Content{std::move(*text)};
    seen->content_bytes = 0;
  }
  if (format_ == OutputFormat::table) {
    if (shows_words(seen->recorded.event)) end_invitation();
    printer_.show(*seen);
    tell_login(*seen);
  }
  if (format_ == OutputFormat::jsonl) {
    print(workers::event_json(*seen) + "\n");
    flush();
  }
  take_ask(*seen);
  if (seen->recorded.content && is_answer(seen->recorded.event)) {
    answer_ = std::move(seen->recorded.content->text);
  }
  domain::visit([&](const auto& e) { note(e); }, seen->recorded.event);
  return true;
}

// Says how to answer, and remembers what is asked for whoever answers here.
void SessionFollow::take_ask(const workers::SeenEvent& seen) {
  const auto* raised = seen.recorded.event.as<domain::AskRaised>();
  if (raised == nullptr || !domain::is_for_people(raised->kind) || !tells_asks()) return;
  const std::string text = seen.recorded.content ? seen.recorded.content->text : std::string();
  workers::AskText ask = workers::read_ask(text);
  const bool is_whole = is_shown_whole(raised->kind, ask);
  note_ask(raised->ask, {raised->kind, std::move(ask), is_whole});
}

void SessionFollow::note_ask(std::int64_t ask, Asked asked) {
  asks_[ask] = std::move(asked);
  if (!is_answered_here()) tell_how_to_answer(ask);
}

void SessionFollow::tell_how_to_answer(std::int64_t ask) {
  const std::string reference = request_.alias + "#" + std::to_string(ask);
  const Asked& asked = asks_.at(ask);
  const bool is_question = asked.kind == domain::AskKind::question;
  remark("   → " +
         (is_question ? "steno answer " + reference + " " + workers::answer_words(asked.text)
                      : "steno approve " + reference) +
         ", or steno deny " + reference + " WHY; steno approvals " + reference +
         " shows all of it");
}

// What a session that was there already asked before is not among the events that follow.
Outcome<bool> SessionFollow::take_earlier_asks() {
  const bool can_be = request_.ends_with_turn || is_attached() || request_.is_onlooker;
  if (!can_be || !tells_asks()) return true;
  workers::QueryBody query;
  query.agent = request_.agent;
  query.reference = request_.session.text();
  const auto answer = connection_.ask<workers::AsksAnswer>(workers::kVerbAsks, query);
  if (!answer && answer.error().exit_code == kExitInterrupted) return take_interrupt();
  if (!answer) return tl::unexpected(answer.error());
  for (const workers::AskShown& ask : answer->asks) {
    if (ask.position > request_.after) continue;
    domain::AskRaised raised;
    raised.ask = ask.ask;
    raised.kind = ask.kind;
    raised.tool = ask.tool;
    raised.rule = ask.rule;
    raised.pattern = ask.pattern;
    printer_.show_ask(raised, ask.text, ask.left_out);
    workers::AskText text = workers::read_ask(ask.text);
    const bool is_whole = ask.left_out == 0 && is_shown_whole(ask.kind, text);
    note_ask(ask.ask, {ask.kind, std::move(text), is_whole});
  }
  return true;
}

// A process in the background of its shell must not read from the terminal.
bool is_in_background() {
  const pid_t group = ::tcgetpgrp(STDIN_FILENO);
  return group != -1 && group != ::getpgrp();
}

// True if a person at this terminal is to answer what the agent asks.
bool SessionFollow::is_answered_here() {
  const bool is_here = format_ == OutputFormat::table && !request_.is_onlooker &&
                       is_stdin_terminal() && ::isatty(STDERR_FILENO) == 1 && !is_in_background() &&
                       connection_.caller().self.empty();
  if (asks_.empty() || !is_here || is_kill_sent_ || has_answers_ended_) return false;
  if (is_attached()) return true;
  if (!terminal_) terminal_.emplace(STDIN_FILENO);
  return true;
}

// What was typed before a request was shown is no answer to it: it is a prompt, or nothing.
void SessionFollow::set_typed_ahead_apart() {
  if (is_attached()) return request_.editor->put_away();
  terminal_.emplace(STDIN_FILENO);
  if (request_.input == nullptr) {
    ::tcflush(STDIN_FILENO, TCIFLUSH);
    return;
  }
  pollfd typed{STDIN_FILENO, POLLIN, 0};
  while (!request_.input->has_ended() && ::poll(&typed, 1, 0) == 1) request_.input->fill();
}

void SessionFollow::invite_answer() {
  const auto& [ask, asked] = *asks_.begin();
  if (invited_ == ask) return;
  // What follows a line that was no answer was typed to the same request.
  if (shown_ != ask) set_typed_ahead_apart();
  shown_ = invited_ = ask;
  printer_.end_line();
  const std::string which = asks_.size() > 1 ? "request " + std::to_string(ask) + ": " : "";
  remark("steno: " + which +
         (asked.kind == domain::AskKind::question
              ? "type " + workers::answer_hint(asked.text) + "; /deny declines it"
              : "y approves it, n denies it; more words deny it, and are why") +
         "; steno approvals " + request_.alias + "#" + std::to_string(ask) + " shows all of it");
  if (!is_attached()) prompt_sign();
}

void SessionFollow::end_answering() {
  if (is_attached() && asks_.empty()) request_.editor->take_back();
}

// Returns the answer that the line gives; none: it gives none, and the user was told.
std::optional<domain::AnswerAsk> SessionFollow::answer_in(std::int64_t ask, const Asked& asked,
                                                          const std::string& line) const {
  constexpr std::string_view kDeny = "/deny";
  domain::AnswerAsk answer{ask, domain::AskVerdict::denied, {}};
  if (line.starts_with(kDeny)) {
    const std::size_t why = line.find_first_not_of(' ', kDeny.size());
    if (why != std::string::npos) answer.text = line.substr(why);
    return answer;
  }
  if (asked.kind == domain::AskKind::question) {
    answer.verdict = domain::AskVerdict::granted;
    answer.text = workers::answers_of(asked.text, line);
    if (!answer.text.empty()) return answer;
    remark("steno: " + workers::answer_fault(asked.text, line) + "; type " +
           workers::answer_hint(asked.text));
    return std::nullopt;
  }
  const std::string word = lower_case(line);
  const bool is_yes = word == "y" || word == "yes";
  if (is_yes && !asked.is_whole) {
    const std::string reference = request_.alias + "#" + std::to_string(ask);
    remark("steno: not all of it was shown here, and nothing was answered: steno approvals " +
           reference + " shows all of it, and steno approve " + reference + " approves it");
    return std::nullopt;
  }
  if (is_yes) {
    answer.verdict = domain::AskVerdict::granted;
  } else if (word == "n" || word == "no") {
    return answer;
  } else if (line.find(' ') == std::string::npos) {
    remark("steno: type y or n, or in several words why not");
    return std::nullopt;
  } else {
    answer.text = line;
  }
  return answer;
}

// An answer that came too late is no failure: the events say who gave another one.
Outcome<bool> SessionFollow::take_answer() {
  const auto& [ask, asked] = *asks_.begin();
  if (invited_ != ask) return true;
  LineInput& typed = typed_answers();
  auto line = typed.take_line();
  if (!line && typed.is_at_end()) {
    if (is_attached()) return leave();
    has_answers_ended_ = true;
    remark("steno: nothing more is typed here");
    tell_how_to_answer(ask);
    return true;
  }
  if (!line) return true;
  invited_.reset();
  const std::size_t first = line->find_first_not_of(" \t\r");
  if (first == std::string::npos) return true;
  const std::size_t last = line->find_last_not_of(" \t\r");
  const auto answer = answer_in(ask, asked, line->substr(first, last + 1 - first));
  if (!answer) return true;
  asks_.erase(asks_.begin());
  end_answering();
  const auto sent = send(*answer);
  if (sent) return true;
  if (sent.error().exit_code == kExitInterrupted) return take_interrupt();
  if (sent.error().exit_code != kExitConflict) return tl::unexpected(sent.error());
  remark("steno: " + sent.error().text);
  return true;
}

// The agent's words name a command of its own terminal.
void SessionFollow::tell_login(const workers::SeenEvent& seen) {
  const auto* failed = seen.recorded.event.as<domain::TurnFailed>();
  if (failed == nullptr || request_.is_onlooker) return;
  const std::string text = seen.recorded.content ? seen.recorded.content->text : "";
  if (!is_login_failure(text, failed->api_status)) return;
  const auto status =
      connection_.ask<workers::StatusAnswer>(workers::kVerbStatus, workers::QueryBody{});
  remark("→ the agent is not logged in: " +
         login_advice(status ? status->facts : workers::ServerFacts{}));
}

// Output shows what an agent asks on one line only.
Outcome<std::string> SessionFollow::whole_text(const workers::SeenEvent& seen) {
  const base::Position position = seen.recorded.envelope.position;
  if (!seen.recorded.event.is<domain::AskRaised>()) {
    return fetch_content(connection_, request_.agent, request_.session, position);
  }
  workers::QueryBody query;
  query.agent = request_.agent;
  query.reference = request_.session.text();
  const auto answer = connection_.ask<workers::AsksAnswer>(workers::kVerbAsks, query);
  if (!answer) return tl::unexpected(answer.error());
  for (const workers::AskShown& ask : answer->asks) {
    if (ask.position == position) return ask.text;
  }
  return std::string();  // it has its answer by now
}

// Who waits for the end of a turn is shown that turn, whatever others ask meanwhile.
bool SessionFollow::is_left_out(const domain::Event& event) const {
  if (!request_.ends_with_turn || request_.shows_all) return false;
  const base::TurnId turn = domain::visit(
      [](const auto& e) {
        if constexpr (requires { base::TurnId(e.turn); }) return e.turn;
        return base::TurnId{};
      },
      event);
  return turn.is_set() && turn != request_.turn;
}

// Text that the feed left out takes one request each, so it is fetched only where it is shown.
bool SessionFollow::wants_content(const workers::SeenEvent& seen) const {
  // The answer to what was asked is shown cut.
  if (seen.recorded.event.is<domain::AskAnswered>()) return false;
  if (seen.recorded.event.is<domain::FileAttached>()) return false;
  if (format_ != OutputFormat::json) return seen.content_bytes > 0;
  return seen.content_bytes > 0 && is_answer(seen.recorded.event);
}

void SessionFollow::end_turn(base::TurnId turn, int code, const domain::TurnCost& cost) {
  const bool is_own = turn.is_set() && turn == own_turn_;
  if (is_own) own_turn_ = {};
  if (is_own || turns_.erase(turn) > 0) is_interrupt_sent_ = false;
  domain::add_bounded(cost_.value, domain::unbooked(cost).cost.value);
  tell_denials();
  if (request_.ends_with_turn && turn == request_.turn) code_ = with_denials(code);
}

// Called at a turn's end, where the user reads it.
void SessionFollow::tell_denials() {
  const std::vector<std::string> denied = calls_.take_denied();
  const std::vector<std::string> tools = std::exchange(tools_denied_, {});
  const std::string flags = allow_flags(tools);
  if (denied.empty()) return;
  printer_.end_line();
  if (!tools.empty() && std::all_of(tools.begin(), tools.end(), needs_answer)) {
    remark("steno: nobody answered in this turn:");
    for (const std::string& summary : denied) remark("  ✗ " + summary);
    return;
  }
  // A live session keeps its permissions.
  const std::string grant = request_.ends_with_turn
                                ? "to grant it, go on with another session: steno close " +
                                      request_.alias + "; steno resume " + request_.alias +
                                      (flags.empty() ? " --allow-tool TOOL" : flags) + " PROMPT"
                            : flags.empty() ? "--allow-tool grants it"
                                            : flags.substr(1) + " grants it";
  remark("steno: denied in this turn for lack of permission; " + grant + ":");
  for (const std::string& summary : denied) remark("  ✗ " + summary);
}

// Of a model that the command line names, it was told before.
void SessionFollow::note(const domain::AgentInitialized& e) {
  const Config& config = connection_.config();
  const bool is_told = !config.session.model.empty() || config.session.budget.value <= 0;
  if (!e.is_unpriced || is_told || format_ != OutputFormat::table) return;
  printer_.end_line();
  remark(unpriced_text(workers::safe_line(e.model)));
}

void SessionFollow::note(const domain::SessionClosed& e) {
  closed_ = e;
  if (e.status == domain::SessionStatus::completed) {
    code_ = code_.value_or(has_failures_ ? kExitFailed : with_denials(kExitOk));
  } else {
    code_ = interrupted_code(e.reason);
  }
}

Outcome<workers::CommandReplyBody> SessionFollow::send(const domain::Command& command) {
  return connection_.command(connection_.fresh_command_id(), request_.session, request_.agent,
                             command);
}

// An answer that was too dear is an answer, but no success.
int SessionFollow::over_budget_code(const workers::ShowAnswer& shown, int code) const {
  const base::NanoUsd budget = shown.session.budget;
  const base::NanoUsd spent = std::max(shown.session.cost, shown.lineage_spent);
  if (code != kExitOk || request_.is_onlooker || budget.value <= 0 || spent < budget) return code;
  if (format_ == OutputFormat::table) {
    remark("⚠ over budget: " + domain::cost_text(spent, shown.session.cost_basis) + " of " +
           dollars_text(budget) + "; the answer is kept");
  }
  return kExitBudget;
}

// Adds to the session's JSON what was seen of it here.
std::string SessionFollow::with_result(const std::string& json) const {
  workers::JsonObject object;
  object.add_fields(json);
  object.add("answer", answer_).add("denied", denied_).add("seen_cost", cost_);
  return object.text();
}

Outcome<int> SessionFollow::finish(int code) {
  printer_.end_line();
  if (has_left_) return code;
  if (request_.screen != nullptr) request_.screen->leave();
  workers::QueryBody query;
  query.agent = request_.agent;
  query.reference = request_.session.text();
  query.at_least = last_;
  query.wants_texts = format_ == OutputFormat::json;
  const auto shown = connection_.ask<workers::ShowAnswer>(workers::kVerbShow, query);
  if (!shown) return code;  // The request succeeded; the summary is best effort.
  const projections::SessionRow& row = shown->session;
  if (format_ == OutputFormat::json) print(with_result(workers::to_json(*shown)) + "\n");
  if (format_ == OutputFormat::table && domain::is_terminal(row.status)) {
    std::string line = "session " + row.alias + " " + std::string(base::enum_name(row.status));
    if (row.end_reason != domain::EndReason::none) {
      line += " (" + reason_text(row.end_reason) + ")";
    }
    if (row.denied > 0) line += ", " + std::to_string(row.denied) + " denied";
    remark(line + " after " + duration_text(row.closed_at - row.created_at) + ", " +
           cost_text(row));
  }
  return over_budget_code(*shown, code);
}

}  // namespace

Outcome<int> follow_session(Connection& connection, const FollowRequest& request) {
  return SessionFollow(connection, request).run();
}

Outcome<std::string> fetch_content(Connection& connection, const std::string& agent,
                                   base::SessionId session, base::Position position) {
  workers::QueryBody query;
  query.agent = agent;
  query.reference = session.text();
  query.after = position.plus(-1);
  query.before = position.next();
  query.at_least = position;
  auto answer = connection.ask<workers::OutputAnswer>(workers::kVerbOutput, query);
  if (!answer) return tl::unexpected(answer.error());
  for (workers::OutputItem& item : answer->items) {
    if (item.position == position) return std::move(item.text);
  }
  // The output does not show this event's content, such as a result that repeats its blocks.
  return std::string();
}

}  // namespace steno
