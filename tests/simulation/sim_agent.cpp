#include "tests/simulation/sim_agent.hpp"

namespace simulation {
namespace {

using base::Bytes;
using base::ByteView;
using base::Duration;
using base::TurnId;

constexpr std::string_view kTurn = "turn ";
constexpr std::string_view kInterrupt = "interrupt";

class SimEngine final : public engines::Engine {
 public:
  explicit SimEngine(bool is_multi_turn) : is_multi_turn_(is_multi_turn) {}

  engines::Launch launch() const override { return {}; }
  Bytes start() override { return {}; }
  Bytes begin_turn(TurnId turn, ByteView) override { return Bytes(kTurn) + turn.text() + "\n"; }
  Bytes interrupt() override { return Bytes(kInterrupt) + "\n"; }
  std::vector<session::Report> on_line(ByteView line, base::Time) override {
    const auto encoded = base::decode<workers::SequencedReport>(line);
    if (!encoded) return {session::ReportAgentLine{session::LineFault::not_json, 0, Bytes(line)}};
    auto report = workers::decode_report(*encoded);
    if (std::holds_alternative<session::ReportTurnResult>(*report)) has_result_ = true;
    return {std::move(*report)};
  }
  std::vector<session::Report> on_time(base::Time) override { return {}; }
  std::optional<base::Time> deadline() const override { return std::nullopt; }
  std::vector<session::Report> on_end() override { return {}; }
  Bytes take_writes() override { return {}; }
  bool wants_exit() const override { return !is_multi_turn_ && has_result_; }

 private:
  const bool is_multi_turn_;
  bool has_result_ = false;
};

class SimProcess final : public engines::AgentProcess {
 public:
  SimProcess(std::uint64_t seed, LiveTrees& trees, const workers::DirectiveBody& directive)
      : random_(seed),
        trees_(trees),
        session_(directive.session),
        agent_session_(directive.resume_agent_session.empty() ? "agent-" + directive.session.text()
                                                              : directive.resume_agent_session) {
    ++trees_[session_];
  }

  ~SimProcess() override { end_tree(); }

  base::Result<bool> write(ByteView bytes) override {
    if (bytes.starts_with(kTurn)) {
      turn_ = TurnId::parse(bytes.substr(kTurn.size(), 36));
      steps_ = 1 + random_.below(4);
      emit(session::ReportInitialized{agent_session_, "sim", "1"});
    } else if (bytes.starts_with(kInterrupt) && turn_) {
      finish(true);
    }
    return true;
  }
  void close_stdin() override { is_closed_ = true; }
  void terminate(std::chrono::milliseconds) override { exit_with(0, 15); }
  void kill() override { exit_with(0, 9); }
  void set_reading(bool is_reading) override { is_reading_ = is_reading; }
  std::vector<engines::PollWish> poll_wishes() const override { return {}; }

  void pump(Duration now) override {
    if (has_ended_) return;
    if (!has_started_) {
      has_started_ = true;
      events_.emplace_back(engines::ProcessStarted{42, 7});
    }
    if (now < next_ || !is_reading_) return;
    next_ = now + Duration{random_.below(20'000)};
    if (!turn_) {
      if (is_closed_) exit_with(0, 0);
      return;
    }
    if (random_.chance(1)) return exit_with(1, 0);  // it crashes now and then
    if (steps_-- > 0) return step();
    finish(random_.chance(5));
  }

  std::vector<engines::ProcessEvent> take_events() override { return std::exchange(events_, {}); }
  std::int64_t discarded_bytes() const override { return 0; }

 private:
  void emit(const session::Report& report) {
    events_.emplace_back(
        engines::Line{base::encode(workers::encode_report(0, report)), engines::LineFault::none});
  }

  void step() {
    const std::string call = "call-" + std::to_string(random_.below(1000));
    switch (random_.below(3)) {
      case 0:
        return emit(session::ReportOutput{*turn_, session::OutputKind::text, "words"});
      case 1:
        return emit(session::ReportPartialOutput{*turn_, "wor"});
      default:
        emit(session::ReportToolCallStarted{*turn_, call, "Bash", "{}"});
        emit(session::ReportToolCallFinished{*turn_, call, false, "done"});
    }
  }

  void finish(bool is_error) {
    total_.value += 1'000'000;
    session::ReportTurnResult result;
    result.turn = *turn_;
    result.is_error = is_error;
    result.subtype = is_error ? "error_during_execution" : "success";
    result.usage = {100, 20, 0, 0};
    result.agent_total = total_;
    result.text = "done";
    emit(result);
    turn_.reset();
  }

  void exit_with(std::int64_t code, std::int64_t signal) {
    if (has_ended_) return;
    has_ended_ = true;
    end_tree();
    events_.emplace_back(engines::ProcessExited{code, signal, 0, ""});
  }

  void end_tree() {
    if (std::exchange(is_counted_, false) && --trees_[session_] == 0) trees_.erase(session_);
  }

  base::SeededRandom random_;
  LiveTrees& trees_;
  const base::SessionId session_;
  const std::string agent_session_;
  std::vector<engines::ProcessEvent> events_;
  std::optional<TurnId> turn_;
  std::uint64_t steps_ = 0;
  base::NanoUsd total_;
  Duration next_{0};
  bool has_started_ = false;
  bool has_ended_ = false;
  bool is_closed_ = false;
  bool is_reading_ = true;
  bool is_counted_ = true;
};

}  // namespace

base::Result<workers::LaunchedAgent> SimLauncher::launch(const workers::DirectiveBody& directive) {
  if (random_.chance(2)) return base::failure(base::ErrorCode::not_found, "no such program");
  workers::LaunchedAgent agent;
  agent.engine = std::make_unique<SimEngine>(directive.spec.is_multi_turn);
  agent.process = std::make_unique<SimProcess>(random_.next(), trees_, directive);
  return agent;
}

}  // namespace simulation
