// Texts that become facts are bounded, and what nobody could run is refused.
#include "eventlog/domain/spec_check.hpp"

#include <algorithm>

#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

bool is_absolute_path(std::string_view path) {
  return path.starts_with('/') && path.find('\0') == std::string_view::npos;
}

std::string joined(std::span<const std::string> names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) all += i + 1 < names.size() ? ", " : " and ";
    all += names[i];
  }
  return all;
}

std::size_t size_of(const std::vector<std::string>& tools) {
  std::size_t bytes = tools.size();
  for (const std::string& tool : tools) bytes += tool.size();
  return bytes;
}

std::optional<Rejection> check_tools(const std::vector<std::string>& tools) {
  for (const std::string& tool : tools) {
    if (is_tool_rule(tool)) continue;
    return Rejection{RejectionCode::invalid,
                     "'" + cut_fact(tool) +
                         "' is not one tool; accepted is a name, as in Read, or a name with "
                         "brackets at its end, as in Bash(git log:*); give each tool by itself"};
  }
  return std::nullopt;
}

std::optional<Rejection> check_lengths(const SessionSpec& spec) {
  if (auto bad = check_length("engine", spec.engine.size(), kFactBytesMax)) return bad;
  if (auto bad = check_length("model", spec.model.size(), kFactBytesMax)) return bad;
  if (auto bad = check_length("fallback_model", spec.fallback_model->size(), kFactBytesMax)) {
    return bad;
  }
  if (auto bad = check_length("workdir", spec.workdir.size(), kPathBytesMax)) return bad;
  if (auto bad = check_length("mcp_config", spec.mcp_config->size(), kPathBytesMax)) return bad;
  return check_length("allowed_tools", size_of(*spec.allowed_tools), kToolsBytesMax);
}

}  // namespace

bool is_setting_sources(std::string_view text) {
  if (text.empty() || text == "none") return true;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, comma);
    if (one != "user" && one != "project" && one != "local") return false;
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

// Claude Code splits its list of tools at commas and blanks, and keeps those between an opening
// bracket and the first closing one. Both readings of nested brackets must find one rule.
bool is_tool_rule(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != ',' && c != ')' && c != '\x7f';
  });
  if (!is_name) return false;
  if (open == std::string_view::npos) return true;
  std::size_t depth = 0;
  bool is_kept = false;  // as one that does not count brackets sees it
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_escaped = text[i - 1] == '\\';
    if (c == '(') {
      is_kept = true;
      if (!is_escaped) ++depth;
    } else if (c == ')') {
      is_kept = false;
      if (!is_escaped && --depth == 0) return i + 1 == text.size();
    } else if (static_cast<unsigned char>(c) < ' ' || ((c == ',' || c == ' ') && !is_kept)) {
      return false;
    }
  }
  return false;
}

std::optional<Rejection> check_hooks(const SessionSpec& spec, std::string_view agent,
                                     std::span<const HookGap> gaps) {
  for (const HookGap& gap : gaps) {
    if (gap.engine != spec.engine || (!gap.agent.empty() && gap.agent != agent)) continue;
    return Rejection{RejectionCode::refused,
                     "the hook " + gap.hook + " is asked at " + gap.points +
                         ", where agents of the engine " + gap.engine +
                         " cannot be asked; choose another engine, or set optional = true for the "
                         "hook"};
  }
  return std::nullopt;
}

std::optional<Rejection> check_spec(const SessionSpec& spec, std::span<const std::string> engines) {
  if (auto bad = check_lengths(spec)) return bad;
  if (std::find(engines.begin(), engines.end(), spec.engine) == engines.end()) {
    return Rejection{RejectionCode::invalid,
                     "unknown engine '" + spec.engine + "'; known are " + joined(engines)};
  }
  if (auto bad = check_tools(*spec.allowed_tools)) return bad;
  if (!is_absolute_path(spec.workdir)) {
    return Rejection{RejectionCode::invalid,
                     "the working folder must be an absolute path, not '" + spec.workdir + "'"};
  }
  if (!spec.mcp_config->empty() && !is_absolute_path(*spec.mcp_config)) {
    return Rejection{RejectionCode::invalid,
                     "mcp_config must be an absolute path, not '" + *spec.mcp_config + "'"};
  }
  if (!spec.model.empty() && spec.fallback_model == spec.model) {
    return Rejection{RejectionCode::invalid,
                     "the fallback model is the model itself; name another one, or none"};
  }
  if (!is_setting_sources(*spec.setting_sources)) {
    return Rejection{RejectionCode::invalid,
                     "setting_sources is '" + cut_fact(*spec.setting_sources) +
                         "'; accepted are user, project and local, with commas between them, and "
                         "none"};
  }
  if (spec.budget.value < 0 || spec.max_turns < 0) {
    return Rejection{RejectionCode::invalid, "budget and max_turns cannot be negative"};
  }
  return std::nullopt;
}

}  // namespace domain
