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

// Returns the first line of an output, which says the most about a failure.
std::string reason_of(std::string_view output) {
  const std::size_t first = output.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  output.remove_prefix(first);
  return cut_to_columns(safe_line(output.substr(0, output.find('\n'))), kReasonColumnsMax);
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
  const std::string reason = reason_of(output);
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
