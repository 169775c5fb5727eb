// Calls are compared by digests of tool and input and of results, since these can be long. A poll
// whose result changes is no repetition.
#include "workers/runner/agent_watch.hpp"

#include "eventlog/base/hash.hpp"

namespace workers {
namespace {

// Subagents beyond this are forgotten, and their calls counted anew.
constexpr std::size_t kSubagentsMax = 64;
// A result that never comes must not keep an agent from being silent for ever.
constexpr std::size_t kOpenCallsMax = 1'000;

// An agent works on its prompt and on a turn of its own; what others have said is forgotten.
constexpr std::size_t kSaidTurnsMax = 1'000;

base::Hash result_digest(const domain::ReportToolCallFinished& call) {
  base::Blake2bStream hash;
  hash.add(base::ByteView(call.is_error ? "e" : " ", 1));
  hash.add(call.output);
  return hash.finish();
}

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
  } else if (auto* finished = std::get_if<domain::ReportToolCallFinished>(&report)) {
    end_call(*finished);
  } else if (const auto* retried = std::get_if<domain::ModelCallRetried>(&report)) {
    pause_ = retried->delay;
  } else if (const auto* output = std::get_if<domain::ReportOutput>(&report)) {
    const bool is_word = output->kind == domain::OutputKind::text && output->parent.empty();
    if (is_word && said_.size() < kSaidTurnsMax) said_.insert(output->turn);
  } else if (auto* result = std::get_if<domain::ReportTurnResult>(&report)) {
    open_calls_.clear();
    last_.clear();
    result->is_unsaid = said_.erase(result->turn) == 0;
  }
}

void AgentWatch::begin_call(domain::ReportToolCallStarted& call) {
  const base::Hash digest = digest_of(call);
  if (open_calls_.size() < kOpenCallsMax) {
    open_calls_.insert_or_assign(call.call, OpenCall{call.tool, call.parent, digest});
  }
  if (last_.size() >= kSubagentsMax && !last_.contains(call.parent)) last_.clear();
  Row& last = last_[call.parent];
  const bool is_same = last.count > 0 && last.digest == digest;
  if (is_same) {
    ++last.count;
  } else {
    last = {digest, 1, std::nullopt};
  }
  call.repeats = is_same ? last.count : 0;
}

void AgentWatch::end_call(domain::ReportToolCallFinished& call) {
  const auto open = open_calls_.extract(call.call);
  if (open.empty()) return;
  if (call.is_denied) call.tool = open.mapped().tool;
  const auto last = last_.find(open.mapped().parent);
  if (last == last_.end() || last->second.digest != open.mapped().digest) return;
  const base::Hash result = result_digest(call);
  // With another result the row begins anew with this call.
  if (last->second.result && *last->second.result != result) last->second.count = 1;
  last->second.result = result;
}

std::optional<base::Duration> AgentWatch::silent_at(base::Duration heard_at,
                                                    base::Duration silence_max) const {
  if (silence_max.count() == 0 || is_silence_reported_ || !open_calls_.empty()) return std::nullopt;
  return heard_at + pause_ + silence_max;
}

}  // namespace workers
