// A table of words in calls, and what each can mean. The highest level counts.
#include "workers/text/ask_risk.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace workers {
namespace {

struct Sign {
  std::string_view tool;  // empty: any
  std::string_view word;  // in the input; empty: each call of that tool
  RiskLevel level;
  std::string_view reason;
};

constexpr Sign kSigns[] = {
    {"Read", "", RiskLevel::low, "reads"},
    {"Glob", "", RiskLevel::low, "reads"},
    {"Grep", "", RiskLevel::low, "reads"},
    {"LS", "", RiskLevel::low, "reads"},
    {"Write", "", RiskLevel::medium, "writes a file"},
    {"Edit", "", RiskLevel::medium, "changes a file"},
    {"NotebookEdit", "", RiskLevel::medium, "changes a file"},
    {"WebFetch", "", RiskLevel::medium, "talks to the network"},
    {"WebSearch", "", RiskLevel::medium, "talks to the network"},
    {"Bash", "rm -rf /", RiskLevel::critical, "removes whole folders of the machine"},
    {"Bash", "sudo ", RiskLevel::high, "runs as root"},
    {"Bash", "rm -", RiskLevel::high, "removes files"},
    {"Bash", "rmdir ", RiskLevel::medium, "removes folders"},
    {"Bash", "git push", RiskLevel::high, "publishes commits"},
    {"Bash", "git reset --hard", RiskLevel::high, "throws changes away"},
    {"Bash", "git clean", RiskLevel::high, "removes files"},
    {"Bash", "git checkout --", RiskLevel::high, "throws changes away"},
    {"Bash", "--force", RiskLevel::high, "forces something"},
    {"Bash", "dd ", RiskLevel::critical, "writes to devices"},
    {"Bash", "mkfs", RiskLevel::critical, "makes a file system"},
    {"Bash", "> /dev/", RiskLevel::high, "writes to devices"},
    {"Bash", "chmod ", RiskLevel::medium, "changes permissions"},
    {"Bash", "chown ", RiskLevel::medium, "changes owners"},
    {"Bash", "kill", RiskLevel::medium, "ends processes"},
    {"Bash", "curl ", RiskLevel::medium, "talks to the network"},
    {"Bash", "wget ", RiskLevel::medium, "talks to the network"},
    {"Bash", "ssh ", RiskLevel::high, "works on another machine"},
    {"Bash", "scp ", RiskLevel::high, "copies to another machine"},
    {"Bash", "| sh", RiskLevel::high, "runs what it loads"},
    {"Bash", "| bash", RiskLevel::high, "runs what it loads"},
    {"Bash", "eval ", RiskLevel::high, "runs a text as a command"},
    {"Bash", "docker ", RiskLevel::medium, "works with containers"},
    {"Bash", "install ", RiskLevel::medium, "installs software"},
    {"", ".ssh/", RiskLevel::high, "touches keys"},
    {"", ".env", RiskLevel::high, "touches secrets"},
    {"", "/etc/", RiskLevel::high, "touches the system's settings"},
    {"", ".git/config", RiskLevel::high, "touches git's settings"},
    {"", ".claude/", RiskLevel::high, "touches the agent's own settings"},
};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// True if the text has the word, and not as the end of another one.
bool has_word(std::string_view text, std::string_view word) {
  if (word.empty()) return true;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    const bool is_inner = at > 0 && is_word_character(word[0]) && is_word_character(text[at - 1]);
    if (!is_inner) return true;
  }
  return false;
}

// Returns the parts of the input that say what is done, and not why.
std::string deed_of(const AskText& text) {
  const auto json = nlohmann::json::parse(text.input, nullptr, false);
  if (!json.is_object()) return {};
  std::string deed;
  for (const auto& [key, value] : json.items()) {
    if (key == "description" || !value.is_string()) continue;
    deed += value.get_ref<const std::string&>() + "\n";
  }
  return deed;
}

}  // namespace

AskRisk risk_of(std::string_view tool, const AskText& text) {
  AskRisk risk;
  const std::string said = deed_of(text);
  bool is_known = false;
  for (const Sign& sign : kSigns) {
    if (!sign.tool.empty() && sign.tool != tool) continue;
    if (!has_word(said, sign.word)) continue;
    risk.level = is_known ? std::max(risk.level, sign.level) : sign.level;
    is_known = true;
    const auto known = std::find(risk.reasons.begin(), risk.reasons.end(), sign.reason);
    if (known == risk.reasons.end()) risk.reasons.emplace_back(sign.reason);
  }
  return risk;
}

std::string_view risk_name(RiskLevel level) {
  constexpr std::string_view kNames[] = {"low", "medium", "high", "critical"};
  return kNames[static_cast<std::size_t>(level)];
}

}  // namespace workers
