// `steno hooks serve`: a subscriber whose answers are a program's.
#include <utility>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/connection/caller.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/processes/run_program.hpp"
#include "workers/protocol/hook_steps.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using workers::HookStepAnswer;
using workers::HookStepBody;

constexpr std::size_t kErrorsBytesMax = std::size_t{32} << 10;
constexpr int kNotRun = 127;  // as shells say it

HookStepBody answer_of(const HookServeArguments& arguments, const HookStepAnswer& step,
                       const Config& config, int stop_fd) {
  processes::ProgramRun how{step.timeout, stop_fd, config.keeper_program};
  how.ends_tree = true;
  how.output_max = workers::kHookOutputBytesMax + 1;
  how.has_errors_apart = true;
  how.environment = {"STENO_STEP=" + step.step, "STENO_HOOK=" + step.hook};
  auto ran = processes::run_program(arguments.program, how, step.told);
  HookStepBody body{step.asked, ran.exit_code, std::move(ran.output), std::move(ran.errors)};
  if (body.output.size() > workers::kHookOutputBytesMax) {
    body = {step.asked, kNotRun, {}, "its answer has more than 1 MiB"};
  } else if (ran.exit_code < 0) {
    body = {step.asked, kNotRun, {}, ran.problem};
  }
  if (body.errors.size() > kErrorsBytesMax) body.errors.resize(kErrorsBytesMax);
  return body;
}

bool can_pass(const Failure& failure) {
  return failure.exit_code == kExitUnreachable || failure.exit_code == kExitTimeout ||
         failure.exit_code == kExitBusy;
}

}  // namespace

Outcome<int> hooks_serve(const Config& config, const HookServeArguments& arguments) {
  if (runs_in_session()) {
    return fail(kExitRefused,
                "an agent's programs are no hooks, which guard it; a person starts this command");
  }
  auto connection = Connection::open(config, {arguments.name, bus::Role::hook});
  if (!connection) return tl::unexpected(connection.error());
  (*connection)->take_interrupts();
  HookStepBody body;
  bool is_told = false;
  for (;;) {
    const auto step =
        (*connection)->ask<HookStepAnswer>(workers::kVerbHookStep, std::as_const(body));
    if (!step && can_pass(step.error())) {
      remark("steno: " + step.error().text + "; asking again, Ctrl-C ends it");
      continue;
    }
    if (!step && step.error().exit_code == kExitInterrupted) return kExitInterrupted;
    if (!step) return tl::unexpected(step.error());
    if (!is_told) remark("steps for " + arguments.name + " are answered; Ctrl-C ends it");
    is_told = true;
    body = {};
    if (!step->asked.is_set()) continue;
    body = answer_of(arguments, *step, config, (*connection)->interrupts()->fd());
    if ((*connection)->interrupts()->take()) return kExitInterrupted;
    if (body.exit_code != 0 && body.exit_code != 2) {
      remark(workers::safe_line(step->step + ": exit code " + std::to_string(body.exit_code) +
                                (body.errors.empty() ? "" : ": " + body.errors)));
    }
  }
}

}  // namespace steno
