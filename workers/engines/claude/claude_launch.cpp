// Arguments follow the session's spec; the environment is a filtered copy of the worker's with
// additions.
#include "workers/engines/claude/claude_launch.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <span>

#include "workers/engines/session_folders.hpp"

namespace engines {
namespace {

using Environment = std::map<std::string, std::string>;

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

// The part of the worker's environment that the agent needs beside PATH and HOME: its keys,
// endpoints and settings, and the way to the model's API.
constexpr std::array<std::string_view, 2> kPassedPrefixes = {"ANTHROPIC_", "CLAUDE_CODE_"};
constexpr std::array<std::string_view, 14> kPassedNames = {
    "CLAUDE_CONFIG_DIR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
    "NO_PROXY",          "http_proxy", "https_proxy", "NODE_EXTRA_CA_CERTS",
    "all_proxy",         "no_proxy",   "USER",        "LOGNAME",
    "SSH_AUTH_SOCK",     "TZ"};

// The marks that Claude Code sets for its children: who they belong to, and a way to talk to it. A
// server that was started in an agent's shell has them, and outlives that agent.
constexpr std::array<std::string_view, 10> kOuterMarks = {"CLAUDE_CODE_CHILD_SESSION",
                                                          "CLAUDE_CODE_SESSION_ID",
                                                          "CLAUDE_CODE_MESSAGING_SOCKET",
                                                          "CLAUDE_CODE_MESSAGING_TOKEN",
                                                          "CLAUDE_CODE_EXECPATH",
                                                          "CLAUDE_CODE_CHILD_NOTES_DIR",
                                                          "CLAUDE_CODE_SESSION_ATTENDED",
                                                          "CLAUDE_CODE_SSE_PORT",
                                                          "CLAUDE_CODE_SESSION_ACCESS_TOKEN",
                                                          "CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS"};

// A cloud that serves the models, and what its client reads. It is passed on only if the switch
// says that this cloud is used.
struct CloudVariables {
  std::string_view used_if;
  std::string_view prefix;
};
constexpr CloudVariables kClouds[] = {
    {"CLAUDE_CODE_USE_BEDROCK", "AWS_"},     {"CLAUDE_CODE_USE_VERTEX", "GOOGLE_"},
    {"CLAUDE_CODE_USE_VERTEX", "CLOUD_ML_"}, {"CLAUDE_CODE_USE_VERTEX", "VERTEX_REGION_"},
    {"CLAUDE_CODE_USE_FOUNDRY", "AZURE_"},
};
// Lets the agent bypass permissions although its user is root.
constexpr std::array<std::string_view, 1> kSandboxSwitch = {"IS_SANDBOX"};

// With these four, traces of version 2.1.329 show connections to the model's API only.
constexpr std::array<std::string_view, 4> kNetworkSwitches = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY"};

// The agent says when it begins to work and when it rests. Nobody knows of a wake-up that it waits
// for, so it has none: a session would end before.
constexpr std::array<std::string_view, 2> kTurnSwitches = {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS",
                                                           "CLAUDE_CODE_DISABLE_CRON"};
constexpr std::string_view kTurnTool = "ScheduleWakeup";  // it has no such switch
// Subagents run within the turn, and commands in the background are refused.
constexpr std::array<std::string_view, 1> kInlineSwitch = {"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"};
constexpr std::string_view kSubagentTools = "Agent,Task";  // by its newer and its older name

bool is_passed_on(std::string_view name) {
  const bool is_mark = std::find(kOuterMarks.begin(), kOuterMarks.end(), name) != kOuterMarks.end();
  if (is_mark) return false;
  const auto is_prefix = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return std::any_of(kPassedPrefixes.begin(), kPassedPrefixes.end(), is_prefix) ||
         std::find(kPassedNames.begin(), kPassedNames.end(), name) != kPassedNames.end();
}

bool is_of_used_cloud(std::string_view name, const Environment& inherited) {
  return std::any_of(std::begin(kClouds), std::end(kClouds), [&](const CloudVariables& cloud) {
    if (!name.starts_with(cloud.prefix)) return false;
    const auto used = inherited.find(std::string(cloud.used_if));
    return used != inherited.end() && !used->second.empty() && used->second != "0";
  });
}

std::pair<std::string, std::string> name_and_value(const std::string& entry) {
  const auto at = entry.find('=');
  return {entry.substr(0, at), at == std::string::npos ? "" : entry.substr(at + 1)};
}

void switch_on(std::span<const std::string_view> names, Environment& all) {
  for (const std::string_view name : names)
    all.insert_or_assign(std::string(name), std::string("1"));
}

// Later entries win: the inherited ones, then those of the session, then the operator's.
std::vector<std::string> agent_environment_of(const EngineSettings& settings,
                                              const SessionLaunch& session) {
  Environment inherited;
  for (const std::string& entry : settings.inherited_environment) {
    auto [name, value] = name_and_value(entry);
    inherited[name] = std::move(value);
  }
  const auto is_named = [&](const std::string& name) {
    const auto& names = settings.passed_names;
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Environment all;
  all["PATH"] = kDefaultPath;
  for (const auto& [name, value] : inherited) {
    const bool is_needed = name == "PATH" || name == "HOME" || is_passed_on(name);
    if (is_needed || is_of_used_cloud(name, inherited) || is_named(name)) all[name] = value;
  }
  if (!settings.home.empty()) all["HOME"] = settings.home;
  all["LANG"] = "C.UTF-8";
  all["CLAUDE_CODE_ENTRYPOINT"] = "sdk-cpp";
  if (!session.temp_folder.empty()) {
    all["TMPDIR"] = session.temp_folder;
    all["CLAUDE_CODE_TMPDIR"] = session.temp_folder;
  }
  if (session.spec.thinking_tokens > 0) {
    all["MAX_THINKING_TOKENS"] = std::to_string(session.spec.thinking_tokens);
  }
  if (!session.runtime_folder.empty()) {
    all["XDG_RUNTIME_DIR"] = session.runtime_folder;
    const auto& points = session.hook_points;
    const bool has_start =
        std::find(points.begin(), points.end(), domain::HookPoint::session_start) != points.end();
    if (has_start) all["CLAUDE_ENV_FILE"] = hook_variables(session.runtime_folder);
  }
  switch_on(kNetworkSwitches, all);
  if (settings.is_sandboxed) switch_on(kSandboxSwitch, all);
  switch_on(kTurnSwitches, all);
  if (session.spec.background != domain::BackgroundTasks::allow) switch_on(kInlineSwitch, all);
  for (const std::string& entry : settings.environment) {
    auto [name, value] = name_and_value(entry);
    all[name] = std::move(value);
  }
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(name + "=" + value);
  return out;
}

// Returns nano-USD as a decimal of US dollars, such as "0.25", without floating point.
std::string usd_text(base::NanoUsd amount) {
  constexpr std::int64_t kNanos = 1'000'000'000;
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%09lld",
                static_cast<long long>(amount.value % kNanos));
  std::string fraction(digits.data());
  fraction.erase(fraction.find_last_not_of('0') + 1);
  std::string out = std::to_string(amount.value / kNanos);
  if (!fraction.empty()) out.append(".").append(fraction);
  return out;
}

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += ',';
    out += item;
  }
  return out;
}

// Without --permission-prompt-tool the agent itself denies calls that need an approval.
std::vector<std::string> argv_of(const EngineSettings& settings, const SessionLaunch& session) {
  const domain::SessionSpec& spec = session.spec;
  std::vector<std::string> argv = settings.program;
  for (const char* flag : {"--output-format", "stream-json", "--verbose", "--input-format",
                           "stream-json", "--include-partial-messages"}) {
    argv.emplace_back(flag);
  }
  const bool has_subagents = spec.background != domain::BackgroundTasks::forbid;
  argv.push_back(std::string("--disallowedTools=")
                     .append(kTurnTool)
                     .append(has_subagents ? "" : ",")
                     .append(has_subagents ? "" : kSubagentTools));
  if (spec.max_turns > 0) argv.push_back("--max-turns=" + std::to_string(spec.max_turns));
  // The agent would guess the price of a model that has none, and stop for the guess.
  const bool is_priced = spec.model.empty() || settings.prices.find(spec.model) != nullptr;
  if (spec.budget.value > 0 && is_priced) {
    argv.push_back("--max-budget-usd=" + usd_text(spec.budget));
  }
  if (!spec.model.empty()) argv.push_back("--model=" + spec.model);
  if (!spec.fallback_model->empty()) argv.push_back("--fallback-model=" + *spec.fallback_model);
  // A session that the lease resumes was already forked, if it had to be.
  const bool is_forking =
      session.is_shared || (session.resume_agent_session.empty() && spec.is_fork);
  const std::string& resumed = session.resume_agent_session.empty() ? *spec.resume_agent_session
                                                                    : session.resume_agent_session;
  if (!resumed.empty()) argv.push_back("--resume=" + resumed);
  if (!spec.allowed_tools->empty()) {
    argv.push_back("--allowedTools=" + joined(*spec.allowed_tools));
  }
  if (const std::string& sources = *spec.setting_sources; !sources.empty()) {
    argv.push_back("--setting-sources=" + (sources == "none" ? "" : sources));
  }
  if (!spec.mcp_config->empty()) argv.push_back("--mcp-config=" + *spec.mcp_config);
  if (spec.approvals == domain::Approvals::ask) argv.emplace_back("--permission-prompt-tool=stdio");
  argv.push_back("--permission-mode=" + std::string(base::enum_name(spec.permission_mode)));
  if (spec.permission_mode == domain::PermissionMode::bypass_permissions) {
    argv.emplace_back("--allow-dangerously-skip-permissions");
  }
  const bool is_as_opened = session.resume_agent_session.empty() && !resumed.empty();
  if (session.is_shared) {
    argv.push_back("--resume-session-at=" + session.last_message);
  } else if (is_as_opened && spec.resumed_at == domain::ResumedAt::message) {
    argv.push_back("--resume-session-at=" + *spec.resume_message);
  }
  if (!resumed.empty() && is_forking) argv.emplace_back("--fork-session");
  return argv;
}

}  // namespace

LaunchPlan claude_launch(const EngineSettings& settings, const SessionLaunch& session) {
  return {argv_of(settings, session), agent_environment_of(settings, session)};
}

}  // namespace engines
