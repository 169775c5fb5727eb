// A prompt is named by its id in the frames of newer versions. Where no frame names one, the oldest
// prompt without an answer counts.
#include "workers/engines/claude/claude_runs.hpp"

#include <algorithm>
#include <utility>

namespace engines {

using base::TurnId;

namespace {

base::Duration since_boot(base::Time now) {
  return base::Duration{now.us};
}

}  // namespace

bool ClaudeRuns::is_waiting(TurnId prompt) const {
  return std::find(waiting_.begin(), waiting_.end(), prompt) != waiting_.end();
}

std::optional<TurnId> ClaudeRuns::last_waiting_of(const std::vector<TurnId>& prompts) const {
  const auto last = std::find_if(waiting_.rbegin(), waiting_.rend(), [&](TurnId prompt) {
    return std::find(prompts.begin(), prompts.end(), prompt) != prompts.end();
  });
  return last == waiting_.rend() ? std::nullopt : std::optional(*last);
}

void ClaudeRuns::answer(TurnId prompt) {
  std::erase(waiting_, prompt);
  begun_.erase(prompt);
}

void ClaudeRuns::on_prompt(TurnId turn) {
  if (!is_waiting(turn)) waiting_.push_back(turn);
  const bool is_between_runs = !has_init_;
  if (is_between_runs) turn_ = turn;
}

void ClaudeRuns::on_init(const InitFrame& frame) {
  has_init_ = true;
  own_.reset();
  const auto named = last_waiting_of(frame.prompts);
  names_prompts_ |= named.has_value();
  if (named) {
    begun_.insert(frame.prompts.begin(), frame.prompts.end());
    turn_ = *named;
  } else if (!begun_.empty()) {
    turn_ = *begun_.rbegin();
  } else if (waiting_.empty() || names_prompts_ || is_wake_up_) {
    own_ = own_turn(frame.run);
    turn_ = frame.run;
  } else {
    turn_ = waiting_.front();
  }
}

domain::ReportOwnTurnStarted ClaudeRuns::own_turn(TurnId turn) const {
  domain::ReportOwnTurnStarted own;
  own.turn = turn;
  if (is_wake_up_) {
    own.cause = domain::OwnTurnCause::wake_up;
  } else if (ended_task_) {
    own.cause = domain::OwnTurnCause::task;
    own.task = ended_task_->task;
    own.of = ended_task_turn_;
  }
  return own;
}

bool ClaudeRuns::joins_own(const PromptLifecycle& frame) const {
  return own_ && frame.state == PromptState::started && is_waiting(frame.prompt);
}

void ClaudeRuns::on_lifecycle(const PromptLifecycle& frame) {
  if (!is_waiting(frame.prompt)) {
    is_wake_up_ |= frame.is_wake_up && frame.state == PromptState::started;
    return;
  }
  names_prompts_ = true;
  if (frame.state == PromptState::cancelled && !is_begun(frame.prompt)) answer(frame.prompt);
  if (frame.state != PromptState::started) return;
  begun_.insert(frame.prompt);
  turn_ = frame.prompt;
  own_.reset();
}

void ClaudeRuns::on_task_ended(const TaskEnded& frame, base::Time now) {
  if (!frame.is_background) return;
  ended_task_turn_ = turn_of_call(frame.call, now).value_or(TurnId{});
  ended_task_ = frame;
}

ClaudeRuns::Ended ClaudeRuns::on_result(const ResultFrame& frame) {
  std::vector<TurnId> answered = frame.prompts;
  answered.insert(answered.end(), begun_.begin(), begun_.end());
  const auto last = last_waiting_of(answered);
  Ended ended{turn_, std::exchange(own_, std::nullopt), 0};
  // A run of the agent's own stays that, unless its result names a prompt that waits.
  const bool is_open = !last && !ended.own;
  if (last) {
    ended = {*last, std::nullopt, 0};
  } else if (is_open && !answered.empty()) {
    ended.turn = answered.back();
  } else if (is_open && frame.is_own) {
    ended = {frame.run, own_turn(frame.run), 0};
  } else if (is_open && !waiting_.empty()) {
    ended.turn = waiting_.front();
    answered = {ended.turn};
  }
  const std::size_t waited = waiting_.size();
  for (const TurnId prompt : answered) answer(prompt);
  ended.prompts = waited - waiting_.size();
  // The agent also makes empty runs before the one in which it takes up the task.
  if (ended.own && frame.result.model_calls > 0) ended_task_.reset();
  begun_.clear();
  has_init_ = false;
  is_wake_up_ = false;
  return ended;
}

void ClaudeRuns::on_call(const std::string& call, TurnId turn, base::Time now) {
  if (!call.empty() && call.size() <= kCallBytesMax) calls_.put(call, turn, since_boot(now));
}

std::optional<TurnId> ClaudeRuns::turn_of_call(const std::string& call, base::Time now) {
  if (call.empty()) return std::nullopt;
  const TurnId* turn = calls_.find(call, since_boot(now));
  return turn == nullptr ? std::nullopt : std::optional(*turn);
}

}  // namespace engines
