// A held ask keeps the id of its step, so that the agent can withdraw it.
#include "workers/engines/claude/claude_holds.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "eventlog/base/json_depth.hpp"
#include "workers/engines/claude/claude_frames.hpp"
#include "workers/engines/claude/claude_input.hpp"
#include "workers/engines/step_changes.hpp"

namespace engines {
namespace {

// Returns the input that the call has behind the changes of hooks.
Bytes input_behind(const Ask& step, base::ByteView text) {
  if (base::json_depth(text) > base::kJsonDepthMax) return step.details;
  const auto changes = nlohmann::json::parse(text, nullptr, false);
  const bool is_changed = changes.is_object() && changes.contains(step_field::kInput);
  return is_changed ? changes[step_field::kInput].dump() : step.details;
}

}  // namespace

ClaudeHolds::ClaudeHolds(bool are_wanted, const std::vector<domain::HookPoint>& points)
    : are_wanted_(are_wanted),
      are_hooks_asked_(std::find(points.begin(), points.end(), domain::HookPoint::pre_tool_use) !=
                       points.end()) {}

bool ClaudeHolds::is_held_kind(const Ask& step) const {
  return are_wanted_ && step.kind == AskKind::step &&
         step.point == domain::HookPoint::pre_tool_use && !step.call.empty() &&
         kind_of_ask(step.subject) != AskKind::permission;
}

void ClaudeHolds::hold(Ask& ask) {
  if (are_hooks_asked_ || !is_held_kind(ask)) return;
  lines_[ask.id] = step_line(ask, true, {});
  ask.kind = kind_of_ask(ask.subject);
  ask.point = domain::HookPoint::none;
  ask.context.clear();
  ask.is_deferrable = true;
}

std::optional<Ask> ClaudeHolds::behind_step(const Ask& step, base::ByteView text,
                                            bool is_agents_own) {
  if (!is_agents_own || !is_held_kind(step)) return std::nullopt;
  lines_[step.id] = step_line(step, true, text);
  Ask ask{step.id, kind_of_ask(step.subject), step.subject, step.call, input_behind(step, text)};
  ask.is_deferrable = true;
  return ask;
}

std::optional<Bytes> ClaudeHolds::answered(const Answer& answer) {
  auto line = lines_.extract(answer.ask.id);
  if (line.empty()) return std::nullopt;
  answers_.insert_or_assign(answer.ask.call, answer);
  return std::move(line.mapped());
}

std::optional<Answer> ClaudeHolds::answer_to(const Ask& ask) {
  if (ask.kind == AskKind::step || ask.call.empty()) return std::nullopt;
  auto known = answers_.extract(ask.call);
  if (known.empty()) return std::nullopt;
  Answer answer = std::move(known.mapped());
  answer.ask = ask;
  return answer;
}

Bytes ClaudeHolds::deferred(const Ask& ask) {
  lines_.erase(ask.id);
  return defer_line(ask.id);
}

void ClaudeHolds::clear() {
  lines_.clear();
  answers_.clear();
}

}  // namespace engines
