// Bounds both lists, since an agent can start calls without ending them.
#include "workers/text/tool_calls.hpp"

#include <utility>

#include "workers/text/terminal_text.hpp"
#include "workers/text/tool_summary.hpp"

namespace workers {
namespace {

constexpr std::size_t kCallsMax = 1'000;
constexpr std::size_t kDeniedMax = 100;
constexpr std::size_t kReasonColumnsMax = 160;
// So much of an output is looked at; more than these columns need.
constexpr std::size_t kReasonBytesMax = 4 << 10;

// What a model is told behind a denial, and nobody else needs.
constexpr std::string_view kForModel = "Go on without it, and say what was left out";
constexpr std::string_view kNoReason = "Denied: this was not carried out.";

// Returns the beginning of an output on one line: often only a later line says what was wrong.
std::string reason_of(std::string_view output, bool is_denied) {
  if (is_denied) output = output.substr(0, output.find(kForModel));
  std::string reason;
  for (const std::string_view line : lines_of(output.substr(0, kReasonBytesMax))) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    reason += (reason.empty() ? "" : " ") + safe_line(line.substr(first));
  }
  const std::size_t last = reason.find_last_not_of(' ');
  reason.resize(last == std::string::npos ? 0 : last + 1);
  if (is_denied && reason == kNoReason) return {};
  return cut_to_columns(reason, kReasonColumnsMax);
}

}  // namespace

std::string ToolCalls::begin(const std::string& call, std::string_view tool,
                             std::string_view input) {
  if (calls_.size() >= kCallsMax) calls_.clear();
  calls_.insert_or_assign(call, tool_summary(tool, input));
  return tool_line(tool, input);
}

std::string ToolCalls::fail(const std::string& call, bool is_denied, std::string_view output) {
  const auto found = calls_.find(call);
  const std::string summary = found == calls_.end() ? "a tool call" : std::move(found->second);
  if (found != calls_.end()) calls_.erase(found);
  if (failed_.size() < kCallsMax) failed_.insert_or_assign(call, summary);
  if (is_denied && denied_.size() < kDeniedMax) denied_.push_back(summary);
  const std::string reason = reason_of(output, is_denied);
  return "✗ " + summary + (is_denied ? ": denied" : ": failed") +
         (reason.empty() ? "" : ": " + reason);
}

std::string ToolCalls::refuse(const std::string& call, std::string_view output) {
  const std::size_t before = denied_.size();
  std::string line = fail(call, true, output);
  denied_.resize(before);
  return line;
}

std::string ToolCalls::deny(const std::string& call, std::string_view tool) {
  const auto found = failed_.find(call);
  std::string summary = found == failed_.end() ? safe_line(tool) : found->second;
  if (denied_.size() < kDeniedMax) denied_.push_back(summary);
  return summary;
}

std::vector<std::string> ToolCalls::take_open() {
  std::vector<std::string> open;
  for (auto& [call, summary] : std::exchange(calls_, {})) open.push_back(std::move(summary));
  return open;
}

std::vector<std::string> ToolCalls::take_denied() {
  failed_.clear();
  return std::exchange(denied_, {});
}

}  // namespace workers
