// A rule that denies is made for no fewer calls than the entry is about, and one that allows for no
// more.
#include "workers/rules/foreign_rules.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include <nlohmann/json.hpp>

#include "eventlog/base/json_depth.hpp"
#include "eventlog/domain/rules/state.hpp"
#include "workers/rules/pattern_matcher.hpp"

namespace workers {
namespace {

using domain::RuleVerdict;
using FileJson = nlohmann::ordered_json;

// Returns the agent's word for a tool.
std::string tool_name(const std::string& name) {
  static const std::map<std::string, std::string> kNames = {
      {"exec", "Bash"},          {"bash", "Bash"},
      {"read", "Read"},          {"write", "Write"},
      {"edit", "Edit"},          {"glob", "Glob"},
      {"grep", "Grep"},          {"web_fetch", "WebFetch"},
      {"webfetch", "WebFetch"},  {"web_search", "WebSearch"},
      {"websearch", "WebSearch"}};
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = kNames.find(lower);
  return found == kNames.end() ? name : found->second;
}

bool is_of_paths(const std::string& tool) {
  static constexpr std::string_view kTools[] = {"Edit", "Write", "MultiEdit", "NotebookEdit",
                                                "Read", "Glob",  "Grep",      "LS"};
  return std::find(std::begin(kTools), std::end(kTools), tool) != std::end(kTools);
}

// Returns the paths of ours that a path in the language of gitignore is about. A name without a
// slash before its end is at any depth, and a folder's name is about all that is in it.
std::vector<std::string> paths_of(std::string path, RuleVerdict verdict, const std::string& home) {
  if (path.starts_with("~/")) path = "/" + home + path.substr(1);
  const bool is_folder = path.size() > 1 && path.ends_with('/');
  if (is_folder) path.pop_back();
  if (path.find('/') == std::string::npos && path != "**") path = "**/" + path;
  if (is_folder) return {path + "/**"};
  std::vector<std::string> paths{path};
  const bool can_be_folder = verdict != RuleVerdict::allow && !path.ends_with('*');
  if (can_be_folder) paths.push_back(path + "/**");
  return paths;
}

// Makes the patterns for calls of the tool, of which `rest` says more; empty or "*": all calls.
void make_patterns(ForeignRule& rule, const std::string& tool, const std::string& rest,
                   const std::string& home) {
  std::vector<std::string> rests{rest};
  const bool is_of_home = is_of_paths(tool) && rest.starts_with('~');
  if (is_of_home && (home.empty() || !rest.starts_with("~/"))) {
    rule.note = "it is not known which folder " + rest.substr(0, rest.find('/')) + " is";
    rule.is_fault = true;
    return;
  }
  if (rest.empty() || rest == "*") {
    rule.patterns = {tool};
  } else {
    if (is_of_paths(tool)) rests = paths_of(rest, rule.verdict, home);
    for (const std::string& one : rests) rule.patterns.push_back(tool + "(" + one + ")");
  }
  rule.is_fault = true;
  const PatternMatcher matcher;
  for (const std::string& pattern : rule.patterns) {
    const bool is_regex =
        rest.size() > 2 && rest.starts_with('/') && rest.ends_with('/') && !rest.starts_with("//");
    rule.note = is_regex && !is_of_paths(tool)
                    ? "between slashes it is a regular expression here"
                    : matcher.fault_of(pattern, rule.verdict == RuleVerdict::allow);
    if (rule.note.empty() && pattern.size() > domain::kPatternBytesMax) {
      rule.note = "it has more than " + std::to_string(domain::kPatternBytesMax) + " bytes";
    }
    if (!rule.note.empty()) {
      rule.patterns.clear();
      return;
    }
  }
  rule.is_fault = false;
}

ForeignRule from_approval(const std::string& entry, const FileJson& value,
                          const std::string& home) {
  ForeignRule rule{entry};
  if (!value.is_boolean()) {
    rule.note = "its value is neither true nor false";
    rule.is_fault = true;
  } else if (!value.get<bool>()) {
    rule.note = "false: people are asked, as they are without a rule";
  } else {
    const std::size_t colon = entry.find(':');
    const bool has_rest = colon != std::string::npos;
    make_patterns(rule, tool_name(entry.substr(0, colon)), has_rest ? entry.substr(colon + 1) : "",
                  home);
  }
  return rule;
}

ForeignRule from_permission(const FileJson& value, RuleVerdict verdict, const std::string& home) {
  ForeignRule rule{value.is_string() ? value.get<std::string>() : value.dump(), verdict};
  const std::size_t open = rule.entry.find('(');
  if (!value.is_string()) {
    rule.note = "it is no text";
    rule.is_fault = true;
  } else if (open == std::string::npos) {
    make_patterns(rule, rule.entry, {}, home);
  } else if (!rule.entry.ends_with(')') || open + 2 >= rule.entry.size()) {
    rule.note = "it has nothing between parentheses";
    rule.is_fault = true;
  } else {
    make_patterns(rule, rule.entry.substr(0, open),
                  rule.entry.substr(open + 1, rule.entry.size() - open - 2), home);
  }
  return rule;
}

void read_permissions(const FileJson& permissions, const std::string& home, ForeignRules& read) {
  static constexpr std::pair<const char*, RuleVerdict> kLists[] = {
      {"deny", RuleVerdict::deny}, {"ask", RuleVerdict::ask}, {"allow", RuleVerdict::allow}};
  for (const auto& [name, verdict] : kLists) {
    const auto list = permissions.find(name);
    if (list == permissions.end()) continue;
    if (!list->is_array()) {
      ForeignRule rule{std::string("permissions.") + name, verdict};
      rule.note = "it is no list";
      rule.is_fault = true;
      read.rules.push_back(std::move(rule));
      continue;
    }
    for (const FileJson& value : *list) read.rules.push_back(from_permission(value, verdict, home));
  }
  for (const auto& [key, value] : permissions.items()) {
    if (key != "allow" && key != "ask" && key != "deny") {
      read.others.push_back("permissions." + key);
    }
  }
}

}  // namespace

base::Result<ForeignRules> read_foreign_rules(std::string_view text, const std::string& home) {
  const bool is_deep = base::json_depth(text) > base::kJsonDepthMax;
  const FileJson json = is_deep ? FileJson() : FileJson::parse(text, nullptr, false);
  if (!json.is_object()) {
    return base::failure(base::ErrorCode::invalid,
                         "this is no JSON object; accepted are an approvals.json with "
                         "alwaysApprove, and a settings.json with permissions");
  }
  const auto permissions = json.find("permissions");
  const auto approvals = json.find("alwaysApprove");
  const bool has_permissions = permissions != json.end() && permissions->is_object();
  const bool has_approvals = approvals != json.end() && approvals->is_object();
  if (!has_permissions && !has_approvals) {
    return base::failure(base::ErrorCode::invalid,
                         "it has no object alwaysApprove, as an approvals.json has, and no object "
                         "permissions, as a settings.json of Claude Code has");
  }
  std::size_t entries = has_approvals ? approvals->size() : 0;
  if (has_permissions) {
    for (const FileJson& list : *permissions) entries += list.is_array() ? list.size() : 0;
  }
  if (entries > domain::kRulesMax) {
    return base::failure(base::ErrorCode::invalid,
                         "it has " + std::to_string(entries) + " entries; there can be " +
                             std::to_string(domain::kRulesMax) + " rules");
  }
  ForeignRules read;
  if (has_permissions) read_permissions(*permissions, home, read);
  if (has_approvals) {
    for (const auto& [entry, value] : approvals->items()) {
      read.rules.push_back(from_approval(entry, value, home));
    }
  }
  for (const auto& [key, value] : json.items()) {
    if (key != "permissions" && key != "alwaysApprove") read.others.push_back(key);
  }
  return read;
}

std::string approval_tool(const std::string& tool) {
  return tool == "Bash" ? "exec" : tool;
}

// Whatever is not read back as the same pattern is not written.
std::optional<std::string> approval_entry(const std::string& pattern) {
  const std::size_t open = pattern.find('(');
  std::string entry = approval_tool(pattern.substr(0, open));
  if (open != std::string::npos) {
    if (!pattern.ends_with(')')) return std::nullopt;
    entry += ":" + pattern.substr(open + 1, pattern.size() - open - 2);
  }
  const ForeignRule rule = from_approval(entry, true, {});
  const bool is_same = rule.patterns.size() == 1 && rule.patterns.front() == pattern;
  return is_same ? std::optional(entry) : std::nullopt;
}

}  // namespace workers
