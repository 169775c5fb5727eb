// Turns each line into an output that ends the turn.
#include "workers/engines/echo/echo_engine.hpp"

#include <utility>

namespace engines {
namespace {

class EchoEngine final : public Engine {
 public:
  explicit EchoEngine(EngineSettings settings) : settings_(std::move(settings)) {}

  LaunchPlan plan() const override { return {settings_.program, {}}; }
  Output handle(const Input& input) override {
    Output out;
    if (const auto* begun = std::get_if<BeginTurn>(&input.step)) {
      turn_ = begun->turn;
      out.writes = begun->prompt + "\n";
    } else if (const auto* came = std::get_if<FrameCame>(&input.step)) {
      domain::ReportTurnResult result;
      result.turn = turn_;
      out.reports = {domain::ReportOutput{turn_, domain::OutputKind::text, came->frame}, result};
    }
    return out;
  }

 private:
  const EngineSettings settings_;
  TurnId turn_;
};

std::unique_ptr<Engine> make(EngineSettings settings, SessionLaunch) {
  return std::make_unique<EchoEngine>(std::move(settings));
}

}  // namespace

const EngineKind kEchoEngine{.name = "echo",
                             .description = "cat",
                             .speaker = "The agent",
                             .title = "Session",
                             .program = "cat",
                             .make = make};

}  // namespace engines
