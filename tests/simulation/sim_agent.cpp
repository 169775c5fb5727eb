// An agent takes random steps under its turn, checks every prompt that it is given, and can crash,
// hang or lose its keeper at any moment.
#include "tests/simulation/sim_agent.hpp"

#include <algorithm>
#include <set>

#include "eventlog/domain/stream_name.hpp"
#include "tests/simulation/checkers.hpp"

namespace simulation {

using base::Bytes;
using base::ByteView;
using base::TurnId;

namespace {

constexpr std::string_view kTurn = "turn ";
constexpr std::string_view kAgain = "again ";
constexpr std::string_view kInterrupt = "interrupt ";
constexpr std::string_view kInject = "inject ";
constexpr std::string_view kAsk = "ask ";
constexpr std::string_view kQuestion = "question ";
constexpr std::string_view kDefer = "defer ";
constexpr std::string_view kStep = "step ";
constexpr std::string_view kWithdraw = "withdraw ";
constexpr std::string_view kGranted = "granted ";
constexpr std::string_view kDenied = "denied ";
constexpr std::size_t kIdChars = 36;

// The host numbers requests of its own with those of the agent, so the agent names the call.
std::string request_name(std::string_view number) {
  return "request-" + std::string(number);
}

class SimEngine final : public engines::Engine {
 public:
  explicit SimEngine(bool is_multi_turn) : is_multi_turn_(is_multi_turn) {}

  engines::LaunchPlan plan() const override { return {}; }
  engines::Output handle(const engines::Input& input) override {
    engines::Output out;
    if (const auto* begun = std::get_if<engines::BeginTurn>(&input.step)) {
      turn_ = begun->turn;
      out.writes = Bytes(begun->is_deferred ? kAgain : kTurn) + turn_.text() + begun->prompt +
                   said(begun->files);
    } else if (const auto* deferred = std::get_if<engines::Defer>(&input.step)) {
      out.writes = Bytes(kDefer) + deferred->ask.id;
    } else if (const auto* added = std::get_if<engines::AddPrompt>(&input.step)) {
      ++injected_;
      out.writes = Bytes(kInject) + added->prompt + said(added->files);
    } else if (const auto* interrupt = std::get_if<engines::Interrupt>(&input.step)) {
      out.writes = Bytes(kInterrupt) + interrupt->turn.text();
    } else if (const auto* answer = std::get_if<engines::Answer>(&input.step)) {
      out.writes = Bytes(answer->is_granted ? kGranted : kDenied) + answer->ask.id;
    } else if (const auto* came = std::get_if<engines::FrameCame>(&input.step)) {
      take(came->frame, out);
    }
    out.state.wants_exit = !is_multi_turn_ && has_result_;
    out.state.has_tasks = has_tasks_;
    return out;
  }

 private:
  static Bytes said(const std::vector<engines::PromptFile>& files) {
    Bytes all;
    for (const engines::PromptFile& file : files) {
      all += file_said({file.name, file.media_type}, file.data);
    }
    return all;
  }

  void take(const Bytes& line, engines::Output& out) {
    if (line.starts_with(kAsk)) {
      engines::Ask ask{line.substr(kAsk.size()), engines::AskKind::permission, "Bash",
                       request_name(line.substr(kAsk.size())), "{}"};
      out.asks.push_back(std::move(ask));
    } else if (line.starts_with(kQuestion)) {
      const Bytes number = line.substr(kQuestion.size());
      engines::Ask ask{number, engines::AskKind::question, "AskUserQuestion", request_name(number),
                       "{}"};
      ask.turn = turn_;
      ask.is_deferrable = true;
      out.asks.push_back(std::move(ask));
    } else if (line.starts_with(kStep)) {
      engines::Ask step{line.substr(kStep.size()), engines::AskKind::step, "Bash",
                        request_name(line.substr(kStep.size())), "{}"};
      step.point = domain::HookPoint::pre_tool_use;
      out.asks.push_back(std::move(step));
    } else if (line.starts_with(kWithdraw)) {
      out.withdrawn.push_back(line.substr(kWithdraw.size()));
    } else {
      out.reports.push_back(report_in(line));
    }
  }

  domain::Report report_in(const Bytes& line) {
    const auto encoded = base::decode<workers::SequencedReport>(line);
    if (!encoded) return domain::ReportAgentLine{domain::LineFault::not_json, 0, line};
    auto report = workers::decode_report(*encoded);
    if (auto* result = std::get_if<domain::ReportTurnResult>(&*report)) {
      // The agent was given a prompt behind its result, and answers that by another one.
      if (result->agent_base.value >= 0) agent_base_ = result->agent_base;
      if (!result->is_error && result->injected < injected_) {
        return domain::ReportSpending{result->turn, std::move(result->spent)};
      }
      has_result_ = true;
      result->agent_base = std::exchange(agent_base_, base::NanoUsd{-1});
    }
    if (const auto* changed = std::get_if<domain::ReportTasksChanged>(&*report)) {
      has_tasks_ = changed->tasks > 0;
    }
    return std::move(*report);
  }

  const bool is_multi_turn_;
  TurnId turn_;  // the last one begun
  bool has_result_ = false;
  bool has_tasks_ = false;
  std::int64_t injected_ = 0;
  base::NanoUsd agent_base_{-1};  // until a result has told it
};

std::string lease_text(const LeaseKey& key) {
  return "token " + std::to_string(key.token.value) + " of session " + key.session.text();
}

// Returns the agent session that the process is to go on with; empty: it begins a new one.
const std::string& resumed_by(const workers::DirectiveBody& directive) {
  if (!directive.resume_agent_session.empty()) return directive.resume_agent_session;
  return directive.spec.resume_agent_session;
}

// A fork or a new beginning gets an agent session of its own, as with real agents. So does each
// further beginning.
std::string agent_session_of(const workers::DirectiveBody& directive, int& beginnings) {
  if (!directive.resume_agent_session.empty()) return directive.resume_agent_session;
  const domain::SessionSpec& spec = directive.spec;
  if (!spec.resume_agent_session->empty() && !spec.is_fork) return spec.resume_agent_session;
  const int before = beginnings++;
  return "agent-" + directive.session.text() + (before == 0 ? "" : "-" + std::to_string(before));
}

}  // namespace

class SimProcess final : public processes::AgentProcess {
  friend class SimAgents;

 public:
  SimProcess(SimAgents& agents, std::uint64_t seed, const workers::DirectiveBody& directive)
      : agents_(agents),
        random_(seed),
        own_random_(seed + 1),
        cost_random_(seed + 2),
        task_random_(seed + 3),
        loss_random_(seed + 4),
        ask_random_(seed + 5),
        step_random_(seed + 6),
        has_steps_(std::find(directive.hook_points.begin(), directive.hook_points.end(),
                             domain::HookPoint::pre_tool_use) != directive.hook_points.end()),
        is_multi_turn_(directive.spec.is_multi_turn),
        key_{directive.session, directive.token},
        resumed_(resumed_by(directive)),
        agent_session_(agent_session_of(directive, agents.beginnings_[directive.session])),
        total_(agents.totals_[directive.spec.is_fork && directive.resume_agent_session.empty()
                                  ? *directive.spec.resume_agent_session
                                  : agent_session_]),
        base_(total_) {
    for (const SimProcess* other : agents_.living_) {
      if (other->agent_session_ != agent_session_) continue;
      ++agents_.counts_["two agents of one session"];
      if (other->is_keeper_dead_ || agents_.is_overlooked(other->key_)) continue;
      agents_.violate("an agent of " + agent_session_ + " is started under " + lease_text(key_) +
                      " while one under " + lease_text(other->key_) + " lives");
    }
    agents_.living_.push_back(this);
    ++agents_.locks_[key_.session];
    read_transcript(directive);
  }

  ~SimProcess() override { end_tree(); }

  base::Result<void> write(ByteView bytes) override {
    if (has_ended_) return {};
    if (bytes.starts_with(kAgain)) {
      begin_again(*TurnId::parse(bytes.substr(kAgain.size(), kIdChars)));
    } else if (bytes.starts_with(kDefer)) {
      defer(Bytes(bytes.substr(kDefer.size())));
    } else if (bytes.starts_with(kTurn)) {
      begin(*TurnId::parse(bytes.substr(kTurn.size(), kIdChars)),
            bytes.substr(kTurn.size() + kIdChars));
    } else if (bytes.starts_with(kInject)) {
      take_in(bytes.substr(kInject.size()));
    } else if (bytes.starts_with(kInterrupt)) {
      const TurnId turn = *TurnId::parse(bytes.substr(kInterrupt.size(), kIdChars));
      if (own_turn_ == turn) return finish_own(true), base::Result<void>();
      if (turn_) finish(true);
    } else if (bytes.starts_with(kGranted) || bytes.starts_with(kDenied)) {
      const bool is_granted = bytes.starts_with(kGranted);
      hear_answer(Bytes(bytes.substr((is_granted ? kGranted : kDenied).size())), is_granted);
    }
    return {};
  }
  void close_stdin() override { is_closed_ = true; }
  // The agent takes its time to end, and says nothing more.
  void terminate(std::chrono::milliseconds grace) override {
    const auto most = static_cast<std::uint64_t>(Duration{grace}.count()) + 1;
    if (!ends_at_) ends_at_ = agents_.time_.now + Duration{random_.below(most)};
  }
  void kill() override { exit_with(0, 9); }
  void set_reading(bool is_reading) override { is_reading_ = is_reading; }
  std::vector<processes::PollWish> poll_wishes() const override { return {}; }

  void pump(Duration) override {
    if (has_ended_) return;
    if (!has_started_) {
      has_started_ = true;
      events_.emplace_back(processes::ProcessStarted{42, 7});
    }
    if (is_keeper_dead_) return exit_with(-1, 9);
    const Duration now = agents_.time_.now;
    if (ends_at_) {
      if (now >= *ends_at_) exit_with(0, 15);
      return;
    }
    if (now < next_ || now < stopped_until_ || !is_reading_) return;
    if (asked_ && now < withdraws_at_) return;
    if (asked_) return withdraw();
    if (plan_) return go_on_with_plan();
    next_ = now + Duration{random_.below(20'000)};
    if (own_turn_) return finish_own(false);
    if (has_own_work_) return begin_own();
    if (!turn_) {
      if (is_closed_) exit_with(0, 0);
      return;
    }
    if (random_.below(200) == 0) return exit_with(1, 0);  // it crashes now and then
    if (steps_-- > 0) return step();
    finish(random_.chance(5));
  }

  std::vector<processes::ProcessEvent> take_events() override { return std::exchange(events_, {}); }

  // The agent lives on until its worker sees that, and its session's lock is free meanwhile.
  void lose_keeper() {
    is_keeper_dead_ = true;
    release_lock();
  }
  void stop(Duration until) { stopped_until_ = until; }
  std::optional<Duration> due() const {
    if (!has_ended_ && has_started_ && ends_at_) return ends_at_;
    const bool is_busy = turn_ || own_turn_ || has_own_work_;
    if (has_ended_ || !has_started_ || (!is_busy && !is_closed_)) return std::nullopt;
    return std::max(asked_ ? withdraws_at_ : next_, stopped_until_);
  }

 private:
  AgentRecord& record() { return agents_.records_[key_]; }

  void begin(TurnId turn, ByteView prompt) {
    turn_ = turn;
    steps_ = 1 + random_.below(4);
    begun_ = {turn, 0};
    std::string own = prompt_of(turn);
    const auto* of = agents_.log_->session(domain::session_stream("main", key_.session));
    if (of != nullptr && of->turn && of->turn->turn == turn) {
      const domain::RecordedEvent& asked = recorded(of->turn->prompt);
      const bool is_rest = asked.event.is<domain::PromptInjected>();
      const std::int64_t part = is_rest ? of->turn->prompt.value : 0;
      begun_.second = part * domain::kTurnAttemptsMax + of->turn->attempts;
      own = on_record(*of->turn);
    }
    record().heard[turn].push_back(own);
    agents_.deferred_.erase(agent_session_);
    const auto [other, is_new] = agents_.begun_.emplace(begun_, key_);
    if (!is_new) {
      agents_.violate("turn " + turn.text() + " was given to agents under " +
                      lease_text(other->second) + " and under " + lease_text(key_));
    }
    check_begun(turn);
    if (agents_.script_) return begin_plan(agents_.script_(prompt));
    // An agent that begins anew is told before it what was said.
    const auto* s = agents_.log_->session(domain::session_stream("main", key_.session));
    const bool may_be_told = s != nullptr && s->lost_at.value > 0;
    const auto is_it = [&](std::string_view one) {
      return may_be_told ? prompt.ends_with(one) : prompt == one;
    };
    const bool is_for_subagent = prompt.find(std::string(kSchedulePrompt) +
                                             "\n\nThis is a task for a subagent.") != Bytes::npos;
    // The record can be past the turn. Its files end with its id, as its prompt has it.
    const bool has_files =
        prompt.starts_with(prompt_of(turn) + "\n<") && prompt.ends_with(turn.text());
    if (!is_it(own) && !has_files && !is_it(kSchedulePrompt) && !is_it(kParentPrompt) &&
        !is_for_subagent) {
      agents_.violate("turn " + turn.text() + " was given the prompt '" + Bytes(prompt) + "'");
    }
    if (!has_introduced_ && !resumed_.empty() && loss_random_.below(20) == 0) return lose_session();
    has_introduced_ = true;
    emit(domain::ReportInitialized{agent_session_, "sim", "1"});
  }

  void check_begun(TurnId turn) {
    if (!agents_.log_->has_started(turn, key_.token)) {
      agents_.violate("turn " + turn.text() + " was given to an agent under " + lease_text(key_) +
                      ", and that it started there is not on the record");
    }
    if (is_lease_over() && !is_keeper_dead_ && !agents_.is_overlooked(key_)) {
      agents_.violate("turn " + turn.text() + " was given to an agent under " + lease_text(key_) +
                      ", which is over");
    }
  }

  // It has the prompt from the process before, and asks again what that one has deferred.
  void begin_again(TurnId turn) {
    turn_ = turn;
    steps_ = 1;
    begun_ = {turn, -1};
    check_begun(turn);
    const auto left = agents_.deferred_.find(agent_session_);
    if (left == agents_.deferred_.end()) {
      return agents_.violate("turn " + turn.text() + " was begun without a prompt under " +
                             lease_text(key_) + ", and its agent has deferred nothing");
    }
    if (loss_random_.below(20) == 0) return lose_session();
    has_introduced_ = true;
    asks_ = left->second;
    ++agents_.counts_["questions asked again"];
    ask_question(left->second);
  }

  // Ends the turn for now. Some versions go on waiting.
  void defer(const Bytes& id) {
    const std::int64_t number = std::stoll(id);
    if (asked_ != number || !turn_ || ask_random_.chance(10)) return;
    ++agents_.counts_["questions deferred"];
    agents_.deferred_[agent_session_] = number;
    agents_.begun_.erase(begun_);
    domain::ReportTurnResult result;
    result.turn = *std::exchange(turn_, std::nullopt);
    result.subtype = "success";
    result.deferred = request_name(id);
    result.injected = taken_in_;
    note_spending(result);
    emit(result);
    asked_.reset();
  }

  void ask_question(std::int64_t number) {
    asked_ = number;
    is_question_ = true;
    withdraws_at_ = agents_.time_.now + Duration{ask_random_.below(1'000'000)};
    emit_line(Bytes(kQuestion) + std::to_string(number));
  }

  // Returns the prompt with its files, as the engine writes them.
  template <class Prompt>
  std::string on_record(const Prompt& prompt) const {
    const domain::RecordedEvent& asked = recorded(prompt.prompt);
    const auto* queued = asked.event.as<domain::TurnQueued>();
    const auto* injected = asked.event.as<domain::PromptInjected>();
    const std::vector<domain::FileFacts>& facts =
        queued != nullptr ? queued->files : injected->files;
    // A prompt of files alone has none.
    std::string text = asked.content ? asked.content->text : std::string();
    const domain::AttachedFiles& files = prompt.files;
    for (std::size_t i = 0; i < files.size(); ++i) {
      text += file_said(facts.at(i), recorded(files[i].file).content->text);
    }
    return text;
  }

  const domain::RecordedEvent& recorded(base::Position position) const {
    return agents_.log_->events()[static_cast<std::size_t>(position.value) - 1];
  }

  // A prompt is added to the turn. Behind the turn's result the agent begins with it anew.
  void take_in(ByteView prompt) {
    record().heard[begun_.first].emplace_back(prompt);
    ++taken_in_;
    if (!turn_) {
      turn_ = begun_.first;
      steps_ = 1;
    }
    const auto* s = agents_.log_->session(domain::session_stream("main", key_.session));
    if (s == nullptr || !s->turn || s->turn->turn != *turn_) return;
    const domain::InjectedPrompts& injected = s->turn->injected;
    const bool is_known = std::any_of(injected.begin(), injected.end(),
                                      [&](const auto& one) { return on_record(one) == prompt; });
    if (!is_known && !s->turn->is_continued) {
      agents_.violate("turn " + turn_->text() + " was added '" + Bytes(prompt) +
                      "', which is not on the record");
    }
  }

  void begin_plan(TurnPlan plan) {
    plan_ = std::move(plan);
    is_half_done_ = false;
    next_ = agents_.time_.now + plan_->takes / 2;
    emit(domain::ReportInitialized{agent_session_, "sim", "1"});
    if (plan_->is_quiet) return;
    const std::string call = "call-" + std::to_string(++calls_);
    emit(domain::ReportToolCallStarted{*turn_, call, "Bash", R"({"command":"work"})"});
  }

  void go_on_with_plan() {
    if (std::exchange(is_half_done_, true)) return finish(plan_->fails);
    next_ = agents_.time_.now + plan_->takes - plan_->takes / 2;
    spend(*turn_, plan_->costs.value / 2);
    tell_spending();
  }

  // Says the last words, unless the turn was interrupted. Returns what the turn is answered with.
  std::string finish_plan(bool is_error) {
    const TurnPlan plan = *std::exchange(plan_, std::nullopt);
    next_ = agents_.time_.now;
    const bool is_at_end = std::exchange(is_half_done_, false) && is_error == plan.fails;
    if (!plan.is_quiet) {
      const std::string call = "call-" + std::to_string(calls_);
      emit(domain::ReportToolCallFinished{*turn_, call, false, "done"});
    }
    if (is_at_end) spend(*turn_, plan.costs.value - plan.costs.value / 2);
    if (is_at_end && !plan.says.empty()) say(*turn_, plan.says);
    return is_error ? std::string() : answer_to(*turn_);
  }

  // The agent does not find its transcript, and does nothing with the prompt.
  void lose_session() {
    agents_.begun_.erase(begun_);
    turn_.reset();
    ++agents_.counts_["agents without their transcript"];
    emit(domain::ReportAgentSessionLost{"No conversation found with session ID: " + resumed_});
    exit_with(1, 0);
  }

  bool is_lease_over() const {
    const auto* s = agents_.log_->session(domain::session_stream("main", key_.session));
    return s == nullptr || !s->lease || s->lease->token != key_.token;
  }

  void emit(const domain::Report& report) {
    emit_line(base::encode(workers::encode_report(0, report)));
  }
  void emit_line(Bytes line) {
    events_.emplace_back(processes::Frame{std::move(line), processes::FrameEnding::whole});
  }

  // A call of the model. Its cost is told at once, later, or by the turn's result.
  void spend(TurnId turn) {
    spend(turn, static_cast<std::int64_t>(cost_random_.below(1'000'000)));
    if (cost_random_.chance(30)) tell_spending();
  }

  void spend(TurnId turn, std::int64_t cost) {
    record().spent[turn].value += cost;
    total_.value += cost;
    untold_.value += cost;
    untold_of_ = turn;
  }

  domain::Spending take_untold() { return {{"sim", {100, 20, 0, 0}, std::exchange(untold_, {})}}; }

  void tell_spending() {
    if (untold_.value > 0) emit(domain::ReportSpending{untold_of_, take_untold()});
  }

  void note_spending(domain::ReportTurnResult& result) {
    result.basis = domain::CostBasis::reported;
    result.spent = take_untold();
    result.agent_total = total_;
    if (std::exchange(has_told_base_, true)) return;
    result.agent_base = base_;
  }

  // Waits for an answer, but not for ever.
  void ask() {
    if (ask_random_.chance(40)) return ask_question(++asks_);
    asked_ = ++asks_;
    is_question_ = false;
    withdraws_at_ = agents_.time_.now + Duration{ask_random_.below(1'000'000)};
    const bool is_step = has_steps_ && step_random_.chance(50);
    ++agents_.counts_[is_step ? "steps" : "asks"];
    emit_line(Bytes(is_step ? kStep : kAsk) + std::to_string(*asked_));
  }

  void withdraw() {
    ++agents_.counts_["asks withdrawn"];
    emit_line(Bytes(kWithdraw) + std::to_string(*std::exchange(asked_, std::nullopt)));
  }

  // An answer can be on its way when the agent does not wait any more.
  void hear_answer(const Bytes& id, bool is_granted) {
    const std::int64_t number = std::stoll(id);
    if (!answered_.insert(number).second) {
      agents_.violate("an agent under " + lease_text(key_) + " was answered request " + id +
                      " twice");
    }
    if (asked_ != number) return;
    asked_.reset();
    next_ = agents_.time_.now;
    check_answer(number, is_granted);
    if (!turn_) return;
    ++agents_.counts_[is_granted ? "asks granted" : "asks denied"];
    agents_.deferred_.erase(agent_session_);
    if (is_granted && !is_question_) record().ran.push_back(request_name(id));
    const std::string call = "call-" + std::to_string(++calls_);
    emit(domain::ReportToolCallStarted{*turn_, call, "Bash", "{}"});
    emit(domain::ReportToolCallFinished{*turn_, call, !is_granted, "done", !is_granted});
  }

  void check_answer(std::int64_t request, bool is_granted) {
    if (is_lease_over()) return;
    const auto* s = agents_.log_->session(domain::session_stream("main", key_.session));
    const domain::OpenAsks& open = s->asks;
    const auto verdict = is_granted ? domain::AskVerdict::granted : domain::AskVerdict::denied;
    const bool is_known = std::any_of(open.begin(), open.end(), [&](const domain::OpenAsk& one) {
      return one.call == request_name(std::to_string(request)) && one.verdict == verdict;
    });
    if (is_known) return;
    agents_.violate("an agent under " + lease_text(key_) + " was told an answer to request " +
                    std::to_string(request) + " that is not on the record");
  }

  void step() {
    spend(*turn_);
    if (agents_.asks_ && ask_random_.chance(20)) return ask();
    switch (random_.below(3)) {
      case 0:
        return say(*turn_);
      case 1:
        return emit(domain::ReportPartialOutput{*turn_, "wor"});
      default: {
        const std::string call = "call-" + std::to_string(++calls_);
        emit(domain::ReportToolCallStarted{*turn_, call, "Bash", "{}"});
        emit(domain::ReportToolCallFinished{*turn_, call, false, "done"});
      }
    }
  }

  void finish(bool is_error) {
    if (asked_) withdraw();
    std::string answer;
    if (plan_) {
      answer = finish_plan(is_error);
    } else {
      begin_own_work();
      answer = answer_to(*turn_);
    }
    domain::ReportTurnResult result;
    result.turn = *turn_;
    result.is_error = is_error;
    result.subtype = is_error ? "error_during_execution" : "success";
    note_spending(result);
    result.text = std::move(answer);
    result.injected = taken_in_;
    emit(result);
    turn_.reset();
  }

  // The turn's last call of the model, and what goes on in the background.
  void begin_own_work() {
    spend(*turn_);
    has_own_work_ = is_multi_turn_ && own_random_.chance(20);
    if (task_random_.chance(20)) {
      has_own_work_ = true;
      record().tasks = task_random_.chance(50) ? 2 : 1;
      tell_tasks();
    }
  }

  // A task of the turn has ended, and the agent goes on without a prompt, before any that it has.
  void begin_own() {
    has_own_work_ = false;
    own_turn_ = TurnId::make(base::Time{agents_.time_.now.count()}, own_random_);
    emit(domain::ReportOwnTurnStarted{*own_turn_, domain::OwnTurnCause::task, "task", {}});
    say(*own_turn_);
  }

  void finish_own(bool is_interrupted) {
    spend(*own_turn_);
    domain::ReportTurnResult result;
    result.turn = *std::exchange(own_turn_, std::nullopt);
    result.is_error = is_interrupted;
    result.subtype = is_interrupted ? "error_during_execution" : "success";
    note_spending(result);
    if (!is_interrupted) result.text = answer_to(result.turn);
    emit(result);
    int& tasks = record().tasks;
    if (tasks == 0) return;
    has_own_work_ = --tasks > 0;
    tell_tasks();
  }

  // One of two tasks is a subagent.
  int subagents() { return record().tasks / 2; }

  void tell_tasks() {
    const int tasks = record().tasks;
    emit(domain::ReportTasksChanged{tasks, tasks > 0 ? "a task" : "", false, subagents()});
  }

  void say(TurnId turn) { say(turn, "word " + std::to_string(record().outputs.size())); }

  void say(TurnId turn, std::string said) {
    record().outputs.push_back(said);
    auto& transcript = agents_.transcripts_[agent_session_];
    transcript.push_back(agent_session_ + "/" + std::to_string(++agents_.messages_));
    emit(domain::ReportOutput{
        turn, domain::OutputKind::text, std::move(said), {}, transcript.back()});
  }

  // A copy begins with the messages of what it copies, up to the one at which it goes on.
  void read_transcript(const workers::DirectiveBody& directive) {
    if (agent_session_ == resumed_ || resumed_.empty()) return;
    auto transcript = agents_.transcripts_[resumed_];
    const bool is_as_opened = directive.resume_agent_session.empty();
    if (is_as_opened && directive.spec.resumed_at == domain::ResumedAt::message) {
      const std::string& message = *directive.spec.resume_message;
      const auto found = std::find(transcript.begin(), transcript.end(), message);
      ++agents_.counts_["agents that go on at a message"];
      if (found == transcript.end()) {
        return agents_.violate("an agent is to go on at message " + message + ", which " +
                               resumed_ + " does not have");
      }
      transcript.erase(found + 1, transcript.end());
    }
    agents_.transcripts_[agent_session_] = std::move(transcript);
  }

  void exit_with(std::int64_t code, std::int64_t signal) {
    if (has_ended_) return;
    has_ended_ = true;
    tell_spending();
    record().has_cut_off_subagents = subagents() > 0;
    if (signal == 0) agents_.totals_[agent_session_] = total_;
    end_tree();
    events_.emplace_back(processes::ProcessExited{code, signal, 0, ""});
  }

  void release_lock() {
    if (!std::exchange(is_lock_held_, false)) return;
    if (--agents_.locks_[key_.session] == 0) agents_.locks_.erase(key_.session);
  }

  void end_tree() {
    release_lock();
    std::erase(agents_.living_, this);
  }

  SimAgents& agents_;
  base::SeededRandom random_;
  // Apart, so that own turns, costs and tasks do not change what turns do.
  base::SeededRandom own_random_;
  base::SeededRandom cost_random_;
  base::SeededRandom task_random_;
  base::SeededRandom loss_random_;
  base::SeededRandom ask_random_;
  base::SeededRandom step_random_;
  const bool has_steps_;  // its calls wait for hooks
  const bool is_multi_turn_;
  const LeaseKey key_;
  const std::string resumed_;
  const std::string agent_session_;
  std::vector<processes::ProcessEvent> events_;
  std::optional<TurnId> turn_;
  std::pair<TurnId, std::int64_t> begun_;  // the last turn that it was given, and which attempt
  std::optional<TurnPlan> plan_;           // of that turn, if there is a script
  bool is_half_done_ = false;              // of the plan
  std::optional<TurnId> own_turn_;
  bool has_own_work_ = false;
  std::uint64_t steps_ = 0;
  int calls_ = 0;
  std::int64_t asks_ = 0;
  bool is_question_ = false;           // that it asked last
  std::optional<std::int64_t> asked_;  // it waits for an answer to that one
  Duration withdraws_at_{0};
  std::set<std::int64_t> answered_;
  std::int64_t taken_in_ = 0;  // prompts that were added to its turn
  base::NanoUsd total_;        // of the agent's own session
  const base::NanoUsd base_;
  base::NanoUsd untold_;
  TurnId untold_of_;
  bool has_told_base_ = false;
  bool has_introduced_ = false;
  Duration next_{0};
  Duration stopped_until_{0};
  std::optional<Duration> ends_at_;  // set once it was told to end
  bool has_started_ = false;
  bool has_ended_ = false;
  bool is_closed_ = false;
  bool is_reading_ = true;
  bool is_keeper_dead_ = false;
  bool is_lock_held_ = true;
};

SimProcess* SimAgents::pick(std::int64_t choice) {
  if (living_.empty()) return nullptr;
  return living_[static_cast<std::size_t>(choice) % living_.size()];
}

void SimAgents::kill_keeper(std::int64_t choice) {
  if (SimProcess* process = pick(choice)) {
    ++counts_[name_of(FaultKind::kill_keeper)];
    process->lose_keeper();
  }
}

void SimAgents::kill_agent(std::int64_t choice) {
  if (SimProcess* process = pick(choice)) {
    ++counts_[name_of(FaultKind::kill_agent)];
    process->kill();
  }
}

void SimAgents::stop_agent(std::int64_t choice, Duration until) {
  if (SimProcess* process = pick(choice)) {
    ++counts_[name_of(FaultKind::stop_agent)];
    process->stop(until);
  }
}

void SimAgents::overlook(base::SessionId session) {
  const auto* state = log_->session(domain::session_stream("main", session));
  if (state != nullptr) overlooked_[session] = state->last_token;
}

bool SimAgents::is_overlooked(const LeaseKey& key) const {
  const auto found = overlooked_.find(key.session);
  return found != overlooked_.end() && key.token <= found->second;
}

bool SimAgents::lets_in(base::SessionId session) const {
  return std::all_of(living_.begin(), living_.end(), [&](const SimProcess* process) {
    return process->key_.session != session || process->is_keeper_dead_ ||
           is_overlooked(process->key_);
  });
}

std::optional<Duration> SimAgents::due() const {
  std::optional<Duration> earliest;
  for (const SimProcess* process : living_) {
    const auto due = process->due();
    if (due && (!earliest || *due < *earliest)) earliest = due;
  }
  return earliest;
}

base::Result<workers::LaunchedAgent> SimLauncher::launch(const workers::DirectiveBody& directive) {
  if (!agents_.lets_in(directive.session)) {
    return base::failure(base::ErrorCode::in_use, "another keeper has the session's lock");
  }
  if (!agents_.has_script() && random_.chance(2))
    return base::failure(base::ErrorCode::not_found, "no such program");
  workers::LaunchedAgent agent;
  agent.engine = std::make_unique<SimEngine>(directive.spec.is_multi_turn);
  agent.process = std::make_unique<SimProcess>(agents_, random_.next(), directive);
  return agent;
}

std::string prompt_of(TurnId turn) {
  return "do what " + turn.text() + " asks";
}

}  // namespace simulation
