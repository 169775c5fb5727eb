// Turns each line into an output that ends the turn.
#include "workers/engines/echo/echo_engine.hpp"

#include <utility>

namespace engines {
namespace {

class EchoEngine final : public Engine {
 public:
  explicit EchoEngine(EngineSettings settings) : settings_(std::move(settings)) {}

  Launch launch() const override { return {settings_.program, {}}; }
  Bytes start() override { return {}; }
  Bytes begin_turn(TurnId turn, ByteView prompt) override {
    turn_ = turn;
    return Bytes(prompt) + "\n";
  }
  Bytes interrupt(TurnId) override { return {}; }
  std::vector<Report> on_line(ByteView line, Time) override {
    domain::ReportTurnResult result;
    result.turn = turn_;
    return {domain::ReportOutput{turn_, domain::OutputKind::text, std::string(line)}, result};
  }
  std::vector<Report> on_time(Time) override { return {}; }
  std::optional<Time> deadline() const override { return std::nullopt; }
  std::vector<Report> on_end() override { return {}; }
  Bytes take_writes() override { return {}; }
  bool wants_exit() const override { return false; }

 private:
  const EngineSettings settings_;
  TurnId turn_;
};

std::unique_ptr<Engine> make(EngineSettings settings, SessionLaunch) {
  return std::make_unique<EchoEngine>(std::move(settings));
}

}  // namespace

const EngineKind kEchoEngine{"echo", "cat", "cat", false, make};

}  // namespace engines
