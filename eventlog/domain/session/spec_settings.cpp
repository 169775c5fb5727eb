// The table of settings, in the order in which they are shown.
#include "eventlog/domain/session/spec_settings.hpp"

#include <algorithm>

namespace domain {
namespace {

constexpr std::int64_t kRepeatedCallsMost = 1'000;
constexpr std::int64_t kThinkingMost = 1'000'000;
constexpr std::int64_t kUseMost = 1'000'000'000'000'000;
constexpr std::string_view kUseAccepted = "a whole number from 0 to 10^15 (0: no limit)";
constexpr std::string_view kBoolean = "true or false";

constexpr SpecSetting kSettings[] = {
    {"budget_usd", &SessionSpec::budget, "an amount of US dollars such as 2.50 (0: no limit)",
     "Most that one session can cost, with its resumes, its forks and what it launches", "5"},
    {"permission_mode", &SessionSpec::permission_mode,
     "default, plan, acceptEdits or bypassPermissions",
     "Permissions that agents have without asking", "default", SpecText::plain, 0,
     SettingChange::told},
    {"approvals", &SessionSpec::approvals, "ask or deny",
     "What agents ask for waits for an answer of yours, or is denied at once", "ask",
     SpecText::plain, 0, SettingChange::next_process},
    {"approval_timeout", &SessionSpec::approval_timeout, "a duration such as 1h, or never",
     "So long an agent waits for an answer", "never", SpecText::plain, 0, SettingChange::at_once},
    {"unanswered", &SessionSpec::unanswered, "deny or approve",
     "The answer where nobody gives one within approval_timeout", "deny", SpecText::plain, 0,
     SettingChange::at_once},
    {"background", &SessionSpec::background, "allow, inline or forbid",
     "Agents' tasks in the background: they run, run within the turn, or are refused", "allow",
     SpecText::plain, 0, SettingChange::next_process},
    {"workdir",
     &SessionSpec::workdir,
     "a path",
     "Working folder of new sessions",
     {},
     SpecText::path},
    {"model",
     &SessionSpec::model,
     "the name of a model",
     "Model of new sessions; empty: the agent's own default",
     {},
     SpecText::plain,
     0,
     SettingChange::told},
    {"fallback_model",
     &SessionSpec::fallback_model,
     "the name of a model",
     "The model that agents take while the provider refuses theirs; empty: none",
     {},
     SpecText::plain,
     0,
     SettingChange::next_process},
    {"thinking_tokens", &SessionSpec::thinking_tokens,
     "a whole number from 0 to 1000000 (0: the agent's own default)",
     "Most tokens that an agent thinks before it answers", "0", SpecText::plain, kThinkingMost,
     SettingChange::told},
    {"engine",
     &SessionSpec::engine,
     {},
     "Kind of agent of new sessions",
     "claude",
     SpecText::engine},
    {"idle_timeout", &SessionSpec::idle_timeout, "a duration such as 30m, or never",
     "A multi-turn session that waits this long for a prompt is killed; one that a person opens at "
     "a "
     "terminal only if --idle-timeout says so",
     "30m", SpecText::plain, 0, SettingChange::at_once},
    {"run_timeout", &SessionSpec::run_timeout, "a duration such as 1h, or never",
     "A turn that runs this long is interrupted", "1h", SpecText::plain, 0, SettingChange::at_once},
    {"repeated_calls_max", &SessionSpec::repeated_calls_max,
     "a whole number from 0 to 1000 (0: no limit)",
     "So many identical tool calls in a row are told, and twice as many end the turn", "12",
     SpecText::plain, kRepeatedCallsMost, SettingChange::at_once},
    {"max_tokens", &UseLimits::max_tokens, kUseAccepted,
     "Most tokens, of all kinds, that one session can use", "0", SpecText::plain, kUseMost},
    {"max_tool_calls", &UseLimits::max_tool_calls, kUseAccepted,
     "Most tool calls that one session can make", "0", SpecText::plain, kUseMost},
    {"max_output_bytes", &UseLimits::max_output_bytes, kUseAccepted,
     "Most bytes of what one session's agent says and its tools answer", "0", SpecText::plain,
     kUseMost},
    {"remind_after", &SessionSpec::remind_after, "a duration such as 10m, or never",
     "A session that lives this long is told of, once", "10m"},
    {"restart_policy", &SessionSpec::restart_policy, "notify or retry",
     "A turn that a stop or the death of its worker cuts off: end it, or try it again", "notify",
     SpecText::plain, 0, SettingChange::at_once},
    {"setting_sources", &SessionSpec::setting_sources,
     "all, none, or words such as user,project,local",
     "The places from which an agent takes its own settings, hooks and MCP servers", "all",
     SpecText::sources, 0, SettingChange::next_process},
    {"mcp_config", &SessionSpec::mcp_config, "a path, or none",
     "File with MCP servers that agents have beside those of their own settings; empty: none",
     "none", SpecText::file, 0, SettingChange::next_process},
    {"hooks_must_answer", &SessionSpec::hooks_must_answer, kBoolean,
     "A turn is interrupted if a hook of the agent's gives no verdict on a tool call", "false",
     SpecText::plain, 0, SettingChange::at_once},
    {"mcp_must_connect", &SessionSpec::mcp_must_connect, kBoolean,
     "A session fails at its start if an MCP server of its agent is not connected", "false"},
};

}  // namespace

bool SpecSetting::is_limit() const {
  return std::holds_alternative<base::Duration SessionSpec::*>(member) ||
         std::holds_alternative<std::int64_t SessionSpec::*>(member) ||
         std::holds_alternative<std::int64_t UseLimits::*>(member);
}

std::span<const SpecSetting> spec_settings() {
  return kSettings;
}

const SpecSetting* find_spec_setting(std::string_view key) {
  const auto found = std::find_if(std::begin(kSettings), std::end(kSettings),
                                  [&](const SpecSetting& setting) { return setting.key == key; });
  return found == std::end(kSettings) ? nullptr : found;
}

bool has_same_setting(const SpecSetting& setting, const SessionSpec& one,
                      const SessionSpec& other) {
  return std::visit(
      [&]<class Member>(Member member) {
        if constexpr (std::same_as<Member, std::int64_t UseLimits::*>) {
          return (*one.use_limits).*member == (*other.use_limits).*member;
        } else {
          return one.*member == other.*member;
        }
      },
      setting.member);
}

void copy_setting(const SpecSetting& setting, const SessionSpec& from, SessionSpec& to) {
  std::visit(
      [&]<class Member>(Member member) {
        if constexpr (std::same_as<Member, std::int64_t UseLimits::*>) {
          to.use_limits.edit().*member = (*from.use_limits).*member;
        } else {
          to.*member = from.*member;
        }
      },
      setting.member);
}

}  // namespace domain
