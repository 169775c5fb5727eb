// Hooks' answers are read, and the changes in them reach a step.
#include "tests/fuzz/fuzz.hpp"
#include "workers/engines/claude/claude_input.hpp"
#include "workers/hooks/hook_answer.hpp"
#include "workers/hooks/hook_step.hpp"

using domain::HookPoint;
using fuzz::require;

namespace {

constexpr HookPoint kPoints[] = {HookPoint::pre_tool_use, HookPoint::post_tool_use,
                                 HookPoint::user_prompt_submit, HookPoint::stop};

const workers::HookTable& table() {
  static const workers::HookTable kTable = [] {
    workers::Hook redact;
    redact.name = "redact";
    redact.points.assign(std::begin(kPoints), std::end(kPoints));
    redact.builtin = workers::BuiltinHook::redact;
    redact.pattern = "a+";
    redact.input = "[^b]";
    return workers::HookTable({redact});
  }();
  return kTable;
}

}  // namespace

// A hook's output, and the text of a step.
void fuzz::run(ByteView in) {
  Source source(in);
  const std::string printed(source.piece());
  const std::string text(source.rest());
  static_cast<void>(workers::parse_quiet_hours(printed));

  for (const HookPoint point : kPoints) {
    for (const int code : {0, 1, 2}) {
      const auto answer = workers::read_answer(point, code, printed, text);
      require(code != 2 || answer.is_blocking, "the code 2 blocks");
      require(answer.failure.empty() || answer.failure.find(printed) == std::string::npos ||
                  printed.size() < 40,
              "a failure does not quote what it is about");
    }
    workers::HookStep step;
    step.point = point;
    step.text = text;
    const auto outcome = workers::run_hooks(table(), step, {});
    require(outcome.verdict != domain::AskVerdict::none, "a step has a verdict");
    engines::Ask ask{"id", engines::AskKind::step, "Bash", "call", {}, base::Bytes(text)};
    ask.point = point;
    for (const bool is_granted : {false, true}) {
      const auto line = engines::step_line(ask, is_granted, is_granted ? outcome.text : printed);
      require(line.find('\n') == line.size() - 1, "an answer is one line");
    }
  }
}
