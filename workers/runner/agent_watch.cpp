// Calls are compared by a digest of tool and input, since inputs can be long.
#include "workers/runner/agent_watch.hpp"

#include "eventlog/base/hash.hpp"

namespace workers {
namespace {

// Subagents beyond this are forgotten, and their calls counted anew.
constexpr std::size_t kSubagentsMax = 64;
// A result that never comes must not keep an agent from being silent for ever.
constexpr std::size_t kOpenCallsMax = 1'000;

base::Hash digest_of(const domain::ReportToolCallStarted& call) {
  base::Blake2bStream hash;
  hash.add(call.tool);
  hash.add(base::ByteView("\0", 1));
  hash.add(call.input);
  return hash.finish();
}

}  // namespace

void AgentWatch::take(domain::Report& report, bool is_heard) {
  const auto* silence = std::get_if<domain::AgentSilenceReported>(&report);
  if (silence != nullptr || is_heard) {
    is_silence_reported_ = silence != nullptr && !silence->is_over;
  }
  if (silence != nullptr) return;
  if (is_heard && !std::holds_alternative<domain::RateLimitReported>(report)) pause_ = {};
  if (auto* call = std::get_if<domain::ReportToolCallStarted>(&report)) {
    begin_call(*call);
  } else if (const auto* finished = std::get_if<domain::ReportToolCallFinished>(&report)) {
    open_calls_.erase(finished->call);
  } else if (const auto* retried = std::get_if<domain::ModelCallRetried>(&report)) {
    pause_ = retried->delay;
  } else if (std::holds_alternative<domain::ReportTurnResult>(report)) {
    open_calls_.clear();
    last_.clear();
  }
}

void AgentWatch::begin_call(domain::ReportToolCallStarted& call) {
  if (open_calls_.size() < kOpenCallsMax) open_calls_.insert(call.call);
  if (last_.size() >= kSubagentsMax && !last_.contains(call.parent)) last_.clear();
  Call& last = last_[call.parent];
  const base::Hash digest = digest_of(call);
  const bool is_same = last.count > 0 && last.digest == digest;
  last = {digest, is_same ? last.count + 1 : 1};
  call.repeats = is_same ? last.count : 0;
}

std::optional<base::Duration> AgentWatch::silent_at(base::Duration heard_at,
                                                    base::Duration silence_max) const {
  if (silence_max.count() == 0 || is_silence_reported_ || !open_calls_.empty()) return std::nullopt;
  return heard_at + pause_ + silence_max;
}

}  // namespace workers
