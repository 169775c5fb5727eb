// One table, keys(), holds every setting: how it is parsed and shown. Values come from the
// strongest source; defaults that depend on the environment are made in default_of().
#include "tools/steno/config/config.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <list>
#include <optional>

#include "bus/endpoint.hpp"
#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/outbox/route.hpp"
#include "eventlog/domain/session/spec_check.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/config/command_words.hpp"
#include "tools/steno/text/nearest.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/engines/engines.hpp"

extern char** environ;

namespace steno {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::int64_t kMaxSessionsLimit = 10'000;  // each has an agent process and a keeper
constexpr std::int64_t kRepeatedCallsLimit = 1'000;
constexpr std::int64_t kNotifyPerMinuteLimit = 600;
constexpr std::int64_t kUseLimit = 1'000'000'000'000'000;
constexpr const char* kUseAccepted = "a whole number from 0 to 10^15 (0: no limit)";
constexpr std::string_view kFileName = "steno.toml";

// A value as given, before it is parsed.
struct Given {
  std::string text;
  std::vector<std::string> list;  // of a list in the file
  FileValueKind kind = FileValueKind::text;
  SettingSource source = SettingSource::builtin;
  std::string where;
  std::string relative_to;  // base folder of relative paths; empty: they are refused
  std::string user_home;    // the meaning of "~/"; empty: it is refused
};

enum class KeyKind { text, path, integer, money, boolean, words };

struct Key {
  ConfigKey key;
  KeyKind kind;
  // Returns false if the value is not accepted.
  std::function<bool(Config&, const Given&)> set;
  std::function<std::string(const Config&)> show;
};

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

std::optional<std::string> resolve_path(const Given& given, const std::string& text) {
  if (text.empty() || text.find('\0') != std::string::npos) return std::nullopt;
  std::string path = text;
  if (path == "~" || path.starts_with("~/")) {
    if (given.user_home.empty()) return std::nullopt;
    path = given.user_home + path.substr(1);
  }
  if (path.front() != '/') {
    if (given.relative_to.empty()) return std::nullopt;
    path = given.relative_to + "/" + path;
  }
  return normal_path(path);
}

template <std::string Config::*member>
bool set_path(Config& config, const Given& given) {
  auto path = resolve_path(given, given.text);
  if (path) config.*member = std::move(*path);
  return path.has_value();
}
template <std::string Config::*member>
std::string show_text(const Config& config) {
  return config.*member;
}

template <base::Duration Config::*member>
bool set_duration(Config& config, const Given& given) {
  const auto duration = parse_duration(given.text);
  if (!duration || duration->count() == 0) return false;
  config.*member = *duration;
  return true;
}
template <base::Duration Config::*member>
std::string show_duration(const Config& config) {
  return exact_duration_text(config.*member);
}

// A duration whose 0 is given and shown by a word.
constexpr std::string_view kNever = "never";
constexpr std::string_view kForever = "forever";
template <base::Duration Config::*member, const std::string_view& zero>
bool set_limit(Config& config, const Given& given) {
  if (given.text != zero) return set_duration<member>(config, given);
  config.*member = base::Duration{0};
  return true;
}
template <base::Duration Config::*member, const std::string_view& zero>
std::string show_limit(const Config& config) {
  return (config.*member).count() == 0 ? std::string(zero) : exact_duration_text(config.*member);
}

// Returns 0 for "forever".
std::optional<base::Duration> parse_keeping(const std::string& text) {
  if (text == "forever") return base::Duration{0};
  const auto duration = parse_duration(text);
  return duration && duration->count() > 0 ? duration : std::nullopt;
}
std::string keeping_text(base::Duration duration) {
  return duration.count() == 0 ? "forever" : exact_duration_text(duration);
}

// With less than a second, a worker that is only busy would count as gone.
bool set_worker_silence_max(Config& config, const Given& given) {
  return set_duration<&Config::worker_silence_max>(config, given) &&
         config.worker_silence_max >= std::chrono::seconds(1);
}

template <std::optional<base::Duration> Config::*member>
bool set_keeping_of(Config& config, const Given& given) {
  const auto duration = parse_keeping(given.text);
  if (duration) config.*member = *duration;
  return duration.has_value();
}
template <std::optional<base::Duration> Config::*member>
std::string show_keeping_of(const Config& config) {
  return config.*member ? keeping_text(*(config.*member)) : "";
}

bool set_program(std::vector<std::string>& program, const Given& given) {
  auto words =
      given.kind == FileValueKind::list ? std::optional(given.list) : split_words(given.text);
  if (!words || words->empty() || words->front().empty()) return false;
  // A bare name is searched in the PATH. A path is made absolute, since it is used from other
  // folders.
  if (words->front().find('/') != std::string::npos) {
    auto path = resolve_path(given, words->front());
    if (!path) return false;
    words->front() = std::move(*path);
  }
  program = std::move(*words);
  return true;
}

template <std::string Config::*member>
bool set_one_of(Config& config, const Given& given,
                std::initializer_list<std::string_view> accepted) {
  if (std::find(accepted.begin(), accepted.end(), given.text) == accepted.end()) return false;
  config.*member = given.text;
  return true;
}

template <auto member>
bool set_enum(Config& config, const Given& given) {
  using Enum = std::remove_reference_t<decltype(config.*member)>;
  const auto value = base::parse_enum<Enum>(given.text);
  if (value) config.*member = *value;
  return value.has_value();
}
template <auto member>
std::string show_enum(const Config& config) {
  return std::string(base::enum_name(config.*member));
}

bool set_restart_policy(Config& config, const Given& given) {
  return given.text != "none" && set_enum<&Config::restart_policy>(config, given);
}

bool set_setting_sources(Config& config, const Given& given) {
  config.setting_sources = given.text == "all" ? std::string() : given.text;
  return !given.text.empty() && domain::is_setting_sources(config.setting_sources);
}

bool set_agent(Config& config, const Given& given) {
  config.agent = given.text;
  return domain::is_agent_name(given.text);
}

template <std::string Config::*member>
bool set_model(Config& config, const Given& given) {
  config.*member = given.text;
  return is_one_line(given.text);
}

bool set_number(std::int64_t& value, const std::string& text, std::int64_t least,
                std::int64_t most) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= least &&
         value <= most;
}

template <std::int64_t Config::*member, std::int64_t least, std::int64_t most>
bool set_count(Config& config, const Given& given) {
  return set_number(config.*member, given.text, least, most);
}
template <std::int64_t Config::*member>
std::string show_count(const Config& config) {
  return std::to_string(config.*member);
}

template <base::NanoUsd Config::*member>
bool set_dollars(Config& config, const Given& given) {
  const auto amount = base::parse_usd(given.text);
  if (amount) config.*member = *amount;
  return amount.has_value();
}
template <base::NanoUsd Config::*member>
std::string show_dollars(const Config& config) {
  return exact_usd_text(config.*member);
}

template <bool Config::*member>
bool set_boolean(Config& config, const Given& given) {
  config.*member = given.text == "true";
  return given.text == "true" || given.text == "false";
}
template <bool Config::*member>
std::string show_boolean(const Config& config) {
  return config.*member ? "true" : "false";
}

template <std::int64_t domain::UseLimits::*limit>
bool set_use_limit(Config& config, const Given& given) {
  return set_number(config.use_limits.*limit, given.text, 0, kUseLimit);
}
template <std::int64_t domain::UseLimits::*limit>
std::string show_use_limit(const Config& config) {
  return std::to_string(config.use_limits.*limit);
}

bool is_variable_name(const std::string& text) {
  const auto is_part = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && (text.front() < '0' || text.front() > '9') &&
         std::all_of(text.begin(), text.end(), is_part);
}

bool set_agent_environment(Config& config, const Given& given) {
  auto names =
      given.kind == FileValueKind::list ? std::optional(given.list) : split_words(given.text);
  if (!names || !std::all_of(names->begin(), names->end(), is_variable_name)) return false;
  config.agent_environment = std::move(*names);
  return true;
}

bool is_channel(std::string_view text) {
  return text.size() <= domain::kFactBytesMax && is_one_line(text);
}
// A text without a bar names no place, and is the orchestrator's business.
bool is_place(std::string_view text) {
  return is_channel(text) && (text.find('|') == std::string::npos || domain::parse_route(text));
}
template <std::string Config::*member>
bool set_channel(Config& config, const Given& given) {
  if (!is_place(given.text)) return false;
  config.*member = given.text;
  return true;
}
template <std::vector<std::string> Config::*member>
bool set_folders(Config& config, const Given& given) {
  auto words =
      given.kind == FileValueKind::list ? std::optional(given.list) : split_words(given.text);
  if (!words) return false;
  for (std::string& word : *words) {
    auto path = resolve_path(given, word);
    if (!path) return false;
    word = std::move(*path);
  }
  config.*member = std::move(*words);
  return true;
}
bool set_mcp_tools(Config& config, const Given& given) {
  auto words =
      given.kind == FileValueKind::list ? std::optional(given.list) : split_words(given.text);
  const auto is_tool = [](const std::string& word) { return !word.empty() && is_one_line(word); };
  if (!words || !std::all_of(words->begin(), words->end(), is_tool)) return false;
  config.mcp_tools = std::move(*words);
  return true;
}
bool set_chat_senders(Config& config, const Given& given) {
  auto words =
      given.kind == FileValueKind::list ? std::optional(given.list) : split_words(given.text);
  const auto is_accepted = [](const std::string& word) {
    return is_channel(word) && domain::parse_route(word).has_value();
  };
  if (!words || !std::all_of(words->begin(), words->end(), is_accepted)) return false;
  config.chat_senders = std::move(*words);
  return true;
}
bool set_folder_channels(Config& config, const Given& given) {
  auto words =
      given.kind == FileValueKind::list ? std::optional(given.list) : split_words(given.text);
  const auto is_accepted = [](const std::string& word) {
    const std::size_t at = word.find('=');
    return word.starts_with('/') && at != std::string::npos && is_place(word.substr(at + 1));
  };
  if (!words || !std::all_of(words->begin(), words->end(), is_accepted)) return false;
  config.folder_channels = std::move(*words);
  return true;
}
template <std::vector<std::string> Config::*member>
bool set_sink(Config& config, const Given& given) {
  if (given.text.empty() && given.list.empty()) {
    (config.*member).clear();
    return true;
  }
  return set_program(config.*member, given);
}

bool set_engine(Config& config, const Given& given) {
  if (engines::find_engine(given.text) == nullptr) return false;
  config.engine = given.text;
  return true;
}
bool set_log_level(Config& config, const Given& given) {
  return set_one_of<&Config::log_level>(config, given,
                                        {"trace", "debug", "info", "warn", "error", "off"});
}

constexpr std::string_view kPathAccepted = "a path";
constexpr std::string_view kFilePathAccepted = "an absolute path, or one that begins with ~/";
constexpr std::string_view kDurationAccepted = "a duration such as 500ms, 30s, 5m or 2h";
constexpr std::string_view kKeepingAccepted = "forever, or a duration such as 30m or 720h";
constexpr std::string_view kChannelAccepted =
    "a place such as telegram|1234 or telegram|account|1234: a line of at most 256 bytes";
constexpr std::string_view kSinkAccepted =
    "openclaw, or a program with its arguments, in which {text}, {channel} and others stand for "
    "values";
constexpr std::string_view kProgramAccepted =
    "a program with its arguments (a path in the file must be absolute or begin with ~/)";

// The setting that says how an engine is started.
Key program_key_of(const engines::EngineKind& kind) {
  // Keys are string_views, so their texts must live as long as the program.
  static std::list<std::string> texts;
  const std::string& name = texts.emplace_back(program_key(kind.name));
  const std::string& help = texts.emplace_back("How to start " + std::string(kind.description));
  const std::string engine(kind.name);
  return {
      {name, kProgramAccepted, help},
      KeyKind::words,
      [engine](Config& c, const Given& given) { return set_program(c.programs[engine], given); },
      [engine](const Config& c) {
        const auto found = c.programs.find(engine);
        return found == c.programs.end() ? std::string() : join_words(found->second);
      }};
}

std::vector<Key> with_programs(std::vector<Key> keys) {
  const auto behind = std::find_if(keys.begin(), keys.end(),
                                   [](const Key& key) { return key.key.name == "keeper_program"; });
  std::vector<Key> programs;
  for (const engines::EngineKind* kind : engines::engine_kinds()) {
    programs.push_back(program_key_of(*kind));
  }
  keys.insert(behind, programs.begin(), programs.end());
  return keys;
}

const std::vector<Key>& keys() {
  static const std::string kEnginesAccepted = engines::engine_names_text();
  static const std::vector<Key> kKeys = with_programs({
      {{"home", kPathAccepted, "One private folder for data, sockets and configuration"},
       KeyKind::path,
       set_path<&Config::home>,
       show_text<&Config::home>},
      {{"data_folder", kPathAccepted, "Folder of the log and of the data derived from it"},
       KeyKind::path,
       set_path<&Config::data_folder>,
       show_text<&Config::data_folder>},
      {{"run_folder", kPathAccepted, "Folder of sockets; its path must be short"},
       KeyKind::path,
       set_path<&Config::run_folder>,
       show_text<&Config::run_folder>},
      {{"agent", "1 to 64 of a-z 0-9 . _ - beginning with a letter or digit",
        "Agent that sessions belong to"},
       KeyKind::text,
       set_agent,
       show_text<&Config::agent>},
      {{"max_sessions", "a whole number from 1 to 10000",
        "Sessions that may run at once; one that is parked (idle_agent_stop) does not count"},
       KeyKind::integer,
       set_count<&Config::max_sessions, 1, kMaxSessionsLimit>,
       show_count<&Config::max_sessions>},
      {{"budget_usd", "an amount of US dollars such as 2.50 (0: no limit)",
        "Most that one session can cost, with its resumes, its forks and what it launches"},
       KeyKind::money,
       set_dollars<&Config::budget>,
       show_dollars<&Config::budget>},
      {{"daily_budget_usd", "an amount of US dollars such as 20 (0: no limit)",
        "Most that all sessions of one agent can cost in a day of UTC"},
       KeyKind::money,
       set_dollars<&Config::daily_budget>,
       show_dollars<&Config::daily_budget>},
      {{"agent_budget_usd", "an amount of US dollars such as 500 (0: no limit)",
        "Most that all sessions of one agent can cost over all time"},
       KeyKind::money,
       set_dollars<&Config::agent_budget>,
       show_dollars<&Config::agent_budget>},
      {{"total_daily_budget_usd", "an amount of US dollars such as 50 (0: no limit)",
        "Most that the sessions of all agents can cost in a day of UTC"},
       KeyKind::money,
       set_dollars<&Config::total_daily_budget>,
       show_dollars<&Config::total_daily_budget>},
      {{"prices_file", kPathAccepted,
        "What models cost, over prices.toml beside the program; default: one beside steno.toml"},
       KeyKind::path,
       set_path<&Config::prices_file>,
       show_text<&Config::prices_file>},
      {{"permission_mode", "default, plan, acceptEdits or bypassPermissions",
        "Permissions that agents have without asking"},
       KeyKind::text,
       set_enum<&Config::permission_mode>,
       show_enum<&Config::permission_mode>},
      {{"background", "allow, inline or forbid",
        "Agents' tasks in the background: they run, run within the turn, or are refused"},
       KeyKind::text,
       set_enum<&Config::background>,
       show_enum<&Config::background>},
      {{"workdir", kPathAccepted, "Working folder of new sessions"},
       KeyKind::path,
       set_path<&Config::workdir>,
       show_text<&Config::workdir>},
      {{"model", "the name of a model", "Model of new sessions; empty: the agent's own default"},
       KeyKind::text,
       set_model<&Config::model>,
       show_text<&Config::model>},
      {{"fallback_model", "the name of a model",
        "The model that agents take while the provider refuses theirs; empty: none"},
       KeyKind::text,
       set_model<&Config::fallback_model>,
       show_text<&Config::fallback_model>},
      {{"engine", kEnginesAccepted, "Kind of agent of new sessions"},
       KeyKind::text,
       set_engine,
       show_text<&Config::engine>},
      {{"keeper_program", kPathAccepted, "The program that owns an agent's process tree"},
       KeyKind::path,
       set_path<&Config::keeper_program>,
       show_text<&Config::keeper_program>},
      {{"agent_home", kPathAccepted, "HOME of agents; default: that of the server"},
       KeyKind::path,
       set_path<&Config::agent_home>,
       show_text<&Config::agent_home>},
      {{"agent_environment", "names of variables such as GH_TOKEN, separated by blanks",
        "Variables of the server's environment that agents get, too"},
       KeyKind::words,
       set_agent_environment,
       [](const Config& c) { return join_words(c.agent_environment); }},
      {{"agent_sandboxed", "true or false",
        "Agents run where they can do no harm, as root in a container"},
       KeyKind::boolean,
       set_boolean<&Config::is_agent_sandboxed>,
       show_boolean<&Config::is_agent_sandboxed>},
      {{"log_level", "trace, debug, info, warn, error or off", "How much the server logs"},
       KeyKind::text,
       set_log_level,
       show_text<&Config::log_level>},
      {{"output", "table, json or jsonl; for stats also prometheus", "Output format"},
       KeyKind::text,
       set_enum<&Config::output>,
       show_enum<&Config::output>},
      {{"archive_folders", "folders, separated by blanks",
        "serve: where archives can be that were moved from where they were made"},
       KeyKind::words,
       set_folders<&Config::archive_folders>,
       [](const Config& c) { return join_words(c.archive_folders); }},
      {{"keep_workers", "true or false", "Let agents go on when the server is stopped"},
       KeyKind::boolean,
       set_boolean<&Config::keep_workers>,
       show_boolean<&Config::keep_workers>},
      {{"timeout", kDurationAccepted, "How long to wait for an answer from the server"},
       KeyKind::text,
       set_duration<&Config::timeout>,
       show_duration<&Config::timeout>},
      {{"worker_silence_max", "a duration of at least 1s, such as 10s",
        "A worker that is silent for this long counts as gone"},
       KeyKind::text,
       set_worker_silence_max,
       show_duration<&Config::worker_silence_max>},
      {{"orphan_grace", kDurationAccepted,
        "A worker without a server ends its agents after this long"},
       KeyKind::text,
       set_duration<&Config::orphan_grace>,
       show_duration<&Config::orphan_grace>},
      {{"kill_grace", kDurationAccepted, "Time between asking an agent to end and killing it"},
       KeyKind::text,
       set_duration<&Config::kill_grace>,
       show_duration<&Config::kill_grace>},
      {{"stop_grace", kDurationAccepted,
        "Time that turns under way have to end when the server is stopped"},
       KeyKind::text,
       set_duration<&Config::stop_grace>,
       show_duration<&Config::stop_grace>},
      {{"idle_agent_stop", "a duration such as 15m, or never",
        "An agent without work for this long is ended, and its session is parked; the next prompt "
        "resumes it"},
       KeyKind::text,
       set_limit<&Config::idle_agent_stop, kNever>,
       show_limit<&Config::idle_agent_stop, kNever>},
      {{"task_wait", "a duration such as 30m, or forever",
        "A session that is to end waits so long for its agent's tasks in the background"},
       KeyKind::text,
       set_limit<&Config::task_wait, kForever>,
       show_limit<&Config::task_wait, kForever>},
      {{"silence_after", "a duration such as 15s, or never",
        "An agent that works and says nothing for this long counts as stuck"},
       KeyKind::text,
       set_limit<&Config::silence_after, kNever>,
       show_limit<&Config::silence_after, kNever>},
      {{"idle_timeout", "a duration such as 30m, or never",
        "A multi-turn session that waits this long for a prompt is killed; one that a person opens "
        "at a "
        "terminal only if --idle-timeout says so"},
       KeyKind::text,
       set_limit<&Config::idle_timeout, kNever>,
       show_limit<&Config::idle_timeout, kNever>},
      {{"run_timeout", "a duration such as 1h, or never",
        "A turn that runs this long is interrupted"},
       KeyKind::text,
       set_limit<&Config::run_timeout, kNever>,
       show_limit<&Config::run_timeout, kNever>},
      {{"repeated_calls_max", "a whole number from 0 to 1000 (0: no limit)",
        "So many identical tool calls in a row are told, and twice as many end the turn"},
       KeyKind::integer,
       set_count<&Config::repeated_calls_max, 0, kRepeatedCallsLimit>,
       show_count<&Config::repeated_calls_max>},
      {{"max_tokens", kUseAccepted, "Most tokens, of all kinds, that one session can use"},
       KeyKind::integer,
       set_use_limit<&domain::UseLimits::max_tokens>,
       show_use_limit<&domain::UseLimits::max_tokens>},
      {{"max_tool_calls", kUseAccepted, "Most tool calls that one session can make"},
       KeyKind::integer,
       set_use_limit<&domain::UseLimits::max_tool_calls>,
       show_use_limit<&domain::UseLimits::max_tool_calls>},
      {{"max_output_bytes", kUseAccepted,
        "Most bytes of what one session's agent says and its tools answer"},
       KeyKind::integer,
       set_use_limit<&domain::UseLimits::max_output_bytes>,
       show_use_limit<&domain::UseLimits::max_output_bytes>},
      {{"remind_after", "a duration such as 10m, or never",
        "A session that lives this long is told of, once"},
       KeyKind::text,
       set_limit<&Config::remind_after, kNever>,
       show_limit<&Config::remind_after, kNever>},
      {{"restart_policy", "notify or retry",
        "A turn that a stop or the death of its worker cuts off: end it, or try it again"},
       KeyKind::text,
       set_restart_policy,
       show_enum<&Config::restart_policy>},
      {{"setting_sources", "all, none, or words such as user,project,local",
        "The places from which an agent takes its own settings, hooks and MCP servers"},
       KeyKind::text,
       set_setting_sources,
       [](const Config& c) { return c.setting_sources.empty() ? "all" : c.setting_sources; }},
      {{"hooks_must_answer", "true or false",
        "A turn is interrupted if a hook of the agent's gives no verdict on a tool call"},
       KeyKind::boolean,
       set_boolean<&Config::hooks_must_answer>,
       show_boolean<&Config::hooks_must_answer>},
      {{"mcp_must_connect", "true or false",
        "A session fails at its start if an MCP server of its agent is not connected"},
       KeyKind::boolean,
       set_boolean<&Config::mcp_must_connect>,
       show_boolean<&Config::mcp_must_connect>},
      {{"chat_file_mentions", "true or false",
        "Prompts from chats can have @PATH, which the agent reads without a permission"},
       KeyKind::boolean,
       set_boolean<&Config::takes_file_mentions>,
       show_boolean<&Config::takes_file_mentions>},
      {{"start_within", "a duration such as 1h, or never",
        "A prompt that cannot be started in this time is dropped"},
       KeyKind::text,
       set_limit<&Config::start_within, kNever>,
       show_limit<&Config::start_within, kNever>},
      {{"channel", kChannelAccepted, "Where notifications of new sessions go"},
       KeyKind::text,
       set_channel<&Config::channel>,
       show_text<&Config::channel>},
      {{"folder_channels", "words such as /srv/shop=telegram|1234",
        "The same by the folder that the session works in, or below"},
       KeyKind::words,
       set_folder_channels,
       [](const Config& c) { return join_words(c.folder_channels); }},
      {{"fallback_channel", kChannelAccepted, "The same for all other sessions"},
       KeyKind::text,
       set_channel<&Config::fallback_channel>,
       show_text<&Config::fallback_channel>},
      {{"notify_command", kSinkAccepted, "Sends a notification to a session's channel"},
       KeyKind::words,
       set_sink<&Config::notify_command>,
       [](const Config& c) { return join_words(c.notify_command); }},
      {{"notify_system_command", kSinkAccepted, "Tells an orchestrator of a notification"},
       KeyKind::words,
       set_sink<&Config::notify_system_command>,
       [](const Config& c) { return join_words(c.notify_system_command); }},
      {{"notify_webhook_file", kPathAccepted,
        "File with the URL that notifications are posted to, and the secret that signs them"},
       KeyKind::path,
       set_path<&Config::notify_webhook_file>,
       show_text<&Config::notify_webhook_file>},
      {{"notify_wake_file", kPathAccepted,
        "File with the URL of the hook that wakes an orchestrator where no channel is told, and "
        "its "
        "token"},
       KeyKind::path,
       set_path<&Config::notify_wake_file>,
       show_text<&Config::notify_wake_file>},
      {{"chat_senders", "places such as telegram|1234, separated by blanks",
        "Who can give commands over `steno chat --sender`"},
       KeyKind::words,
       set_chat_senders,
       [](const Config& c) { return join_words(c.chat_senders); }},
      {{"mcp_permission_max", "default, plan, acceptEdits or bypassPermissions",
        "The most that agents and programs can give to sessions that they launch over MCP or "
        "JSON-RPC"},
       KeyKind::text,
       set_enum<&Config::mcp_permission_max>,
       show_enum<&Config::mcp_permission_max>},
      {{"mcp_workdirs", "folders, separated by blanks",
        "Where such sessions can work, and below; empty: anywhere"},
       KeyKind::words,
       set_folders<&Config::mcp_workdirs>,
       [](const Config& c) { return join_words(c.mcp_workdirs); }},
      {{"mcp_tools", "names of tools such as Read or 'Bash(git log:*)', separated by blanks",
        "Tools that such sessions can be allowed to use without asking; empty: any"},
       KeyKind::words,
       set_mcp_tools,
       [](const Config& c) { return join_words(c.mcp_tools); }},
      {{"gateway", "true or false", "Let `serve` also run the JSON-RPC gateway"},
       KeyKind::boolean,
       set_boolean<&Config::runs_gateway>,
       show_boolean<&Config::runs_gateway>},
      {{"notify_desktop", "true or false", "Show notifications on the server's desktop"},
       KeyKind::boolean,
       set_boolean<&Config::notifies_desktop>,
       show_boolean<&Config::notifies_desktop>},
      {{"notify_per_minute", "a whole number from 0 to 600 (0: no limit)",
        "Most notifications that one place gets in a minute; the rest waits"},
       KeyKind::integer,
       set_count<&Config::notify_per_minute, 0, kNotifyPerMinuteLimit>,
       show_count<&Config::notify_per_minute>},
      {{"keep_content_for", kKeepingAccepted,
        "Prompts and answers of a session are erased this long after its end"},
       KeyKind::text,
       set_limit<&Config::keep_content_for, kForever>,
       show_limit<&Config::keep_content_for, kForever>},
      {{"keep_completed_for", kKeepingAccepted,
        "keep_content_for of completed sessions; default: the same"},
       KeyKind::text,
       set_keeping_of<&Config::keep_completed_for>,
       show_keeping_of<&Config::keep_completed_for>},
      {{"keep_failed_for", kKeepingAccepted,
        "keep_content_for of failed sessions; default: the same"},
       KeyKind::text,
       set_keeping_of<&Config::keep_failed_for>,
       show_keeping_of<&Config::keep_failed_for>},
      {{"keep_killed_for", kKeepingAccepted,
        "keep_content_for of killed sessions; default: the same"},
       KeyKind::text,
       set_keeping_of<&Config::keep_killed_for>,
       show_keeping_of<&Config::keep_killed_for>},
  });
  return kKeys;
}

constexpr std::string_view kLongestSocket = "gateway";
constexpr std::string_view kByHome = "home by ";  // where a setting that follows from it comes from

std::string socket_path(const std::string& run_folder, std::string_view name) {
  return run_folder + "/" + std::string(name) + ".sock";
}

std::string lookup(const std::map<std::string, std::string>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::string() : found->second;
}

// Returns a folder of the XDG base directory specification, which says to ignore relative values.
std::string xdg_folder(const ConfigInput& input, const std::string& variable,
                       const std::string& below_home) {
  std::string value = lookup(input.environment, variable);
  if (value.starts_with('/')) return value;
  const std::string user_home = lookup(input.environment, "HOME");
  return user_home.starts_with('/') && !below_home.empty() ? user_home + below_home : std::string();
}

Given given_default(std::string text) {
  Given given;
  given.text = std::move(text);
  given.where = "default";
  return given;
}

// Returns the key that a name may have been meant for; empty: it is near none.
std::string nearest_key(const std::string& name) {
  std::vector<std::string> names;
  for (const Key& key : keys()) names.emplace_back(key.key.name);
  return nearest_word(name, names);
}

// Finds the strongest of flags, environment and file for a key.
class Sources {
 public:
  explicit Sources(const ConfigInput& input) : input_(input) {}

  Result<void> read_file(const std::string& path, bool must_exist) {
    auto settings = input_.read_file(path);
    if (!settings) {
      if (settings.error().code == ErrorCode::not_found && !must_exist) return {};
      return tl::unexpected(settings.error());
    }
    has_file_ = true;
    for (FileSetting& setting : *settings) {
      if (auto ok = accept(setting, path); !ok) return ok;
    }
    return {};
  }

  bool has_file() const { return has_file_; }

  std::optional<Given> find(const std::string& key) const {
    Given given;
    given.user_home = lookup(input_.environment, "HOME");
    const auto flag = input_.flags.find(key);
    const auto variable = input_.environment.find(environment_name(key));
    if (flag != input_.flags.end()) {
      given.text = flag->second;
      given.source = SettingSource::flag;
      given.where = flag_name(key);
      given.relative_to = input_.working_folder;
    } else if (variable != input_.environment.end() && !variable->second.empty()) {
      given.text = variable->second;
      given.source = SettingSource::environment;
      given.where = environment_name(key);
      given.relative_to = input_.working_folder;
    } else if (const auto setting = file_.find(key); setting != file_.end()) {
      given.text = setting->second.text;
      given.list = setting->second.list;
      given.kind = setting->second.kind;
      given.source = SettingSource::file;
      given.where = path_ + " line " + std::to_string(setting->second.line);
    } else {
      return std::nullopt;
    }
    return given;
  }

 private:
  static bool fits(KeyKind key, FileValueKind value) {
    switch (key) {
      case KeyKind::integer:
        return value == FileValueKind::integer;
      case KeyKind::money:
        return value == FileValueKind::integer || value == FileValueKind::decimal;
      case KeyKind::boolean:
        return value == FileValueKind::boolean;
      case KeyKind::words:
        return value == FileValueKind::text || value == FileValueKind::list;
      case KeyKind::text:
      case KeyKind::path:
        break;
    }
    return value == FileValueKind::text;
  }

  Result<void> accept(FileSetting& setting, const std::string& path) {
    const std::string where = path + " line " + std::to_string(setting.line);
    const auto known = std::find_if(keys().begin(), keys().end(),
                                    [&](const Key& key) { return key.key.name == setting.key; });
    if (known == keys().end()) {
      const std::string meant = nearest_key(setting.key);
      std::string names;
      for (const Key& key : keys()) {
        names += (names.empty() ? "" : ", ") + std::string(key.key.name);
      }
      return base::failure(
          ErrorCode::invalid,
          "unknown key '" + setting.key + "'; " +
              (meant.empty() ? "known are " + names : "did you mean " + meant + "?"),
          where);
    }
    // Durations are texts: a bare number in the file would lack a unit.
    if (!fits(known->kind, setting.kind)) {
      const auto accepted = known->kind == KeyKind::path ? kFilePathAccepted : known->key.accepted;
      return base::failure(
          ErrorCode::invalid,
          setting.key + " is of the wrong kind; accepted is " + std::string(accepted) +
              (known->kind == KeyKind::text || known->kind == KeyKind::path ? " in quotes" : ""),
          where);
    }
    path_ = path;
    const std::string key = setting.key;
    file_.insert_or_assign(key, std::move(setting));
    return {};
  }

  const ConfigInput& input_;
  bool has_file_ = false;
  std::string path_;
  std::map<std::string, FileSetting> file_;
};

Result<void> apply(Config& config, const Key& key, const Given& given) {
  if (key.set(config, given)) return {};
  const bool is_file_path = key.kind == KeyKind::path && given.source == SettingSource::file;
  const std::string shown = given.kind == FileValueKind::list ? join_words(given.list) : given.text;
  return base::failure(ErrorCode::invalid,
                       std::string(key.key.name) + " = '" + shown +
                           "' is not accepted; accepted: " +
                           std::string(is_file_path ? kFilePathAccepted : key.key.accepted),
                       given.where);
}

struct ConfigFile {
  std::string path;
  bool is_named = false;
};

// Returns the file with the strongest name, or the home's file if a home is named more strongly.
Result<ConfigFile> choose_file(const ConfigInput& input, const Sources& sources) {
  const auto named = sources.find("config");
  const auto home = sources.find("home");
  if (named && (!home || named->source >= home->source)) {
    auto path = resolve_path(*named, named->text);
    if (path) return ConfigFile{std::move(*path), true};
    return base::failure(ErrorCode::invalid, "'" + named->text + "' is not a path", named->where);
  }
  if (home) {
    auto path = resolve_path(*home, home->text);
    if (path) return ConfigFile{normal_path(*path + "/" + std::string(kFileName)), false};
    return base::failure(ErrorCode::invalid, "home = '" + home->text + "' is not a path",
                         home->where);
  }
  const std::string folder = xdg_folder(input, "XDG_CONFIG_HOME", "/.config");
  return ConfigFile{folder.empty() ? "" : folder + "/steno/" + std::string(kFileName), false};
}

// Returns the data folder's own, which lasts as long as the log. $XDG_RUNTIME_DIR is removed at the
// last logout, under a server that lives on; it is taken only if the other path is too long.
std::string default_run_folder(const Config& config, const ConfigInput& input) {
  std::string own = config.data_folder + "/run";
  if (socket_path(own, kLongestSocket).size() <= bus::kSocketPathBytesMax) return own;
  const std::string folder = xdg_folder(input, "XDG_RUNTIME_DIR", "");
  return folder.empty() ? own : folder + "/steno";
}

// Returns a key's default, which can depend on keys before it.
Given default_of(const std::string& key, const Config& config, const ConfigInput& input) {
  if (key == "workdir") return given_default(input.working_folder);
  if (key == "prices_file") {
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::path(config.config_file).parent_path();
    const bool is_there =
        !config.config_file.empty() && std::filesystem::exists(folder / "prices.toml", ignored);
    return given_default(is_there ? (folder / "prices.toml").string() : "");
  }
  if (key == "keeper_program") return given_default(input.program_folder + "/steno-keeper");
  for (const engines::EngineKind* kind : engines::engine_kinds()) {
    if (!kind->is_beside_steno || key != program_key(kind->name)) continue;
    return given_default(join_words({input.program_folder + "/" + std::string(kind->program)}));
  }
  // An agent's server is the default of what it runs; everything that is said is stronger.
  if (key == "data_folder" || key == "run_folder") {
    const auto of_server = input.environment.find(server_variable(key));
    if (of_server != input.environment.end()) return given_default(of_server->second);
  }
  if (key == "data_folder") {
    const std::string folder = xdg_folder(input, "XDG_DATA_HOME", "/.local/share");
    return given_default(folder.empty() ? "" : folder + "/steno");
  }
  if (key == "run_folder") return given_default(default_run_folder(config, input));
  return given_default("");
}

// Returns a folder below the home, with the strength of the home's own source.
std::optional<Given> from_home(const std::string& key, const Config& config,
                               const Sources& sources) {
  if (config.home.empty() || (key != "data_folder" && key != "run_folder")) return std::nullopt;
  auto given = sources.find("home");
  given->text = config.home + (key == "data_folder" ? "/data" : "/run");
  given->where = std::string(kByHome) + given->where;
  return given;
}

// Refuses a variable that nearly matches a setting's name, which would otherwise be ignored
// silently. Other variables, such as those of tests and agents, are not ours.
Result<void> check_variables(const ConfigInput& input) {
  constexpr std::string_view kPrefix = "STENO_";
  constexpr std::size_t kLettersMin = 5;  // a short name is close to many
  const auto is_variable = [&](const Key& key, const std::string& name) {
    return environment_name(key.key.name) == name;
  };
  for (const auto& [name, value] : input.environment) {
    if (!name.starts_with(kPrefix) || name.size() < kPrefix.size() + kLettersMin) continue;
    const auto is_it = [&, &variable = name](const Key& key) { return is_variable(key, variable); };
    if (name == "STENO_CONFIG" || std::any_of(keys().begin(), keys().end(), is_it)) continue;
    for (const Key& key : keys()) {
      const std::string meant = environment_name(key.key.name);
      const bool is_cut_off = meant.starts_with(name + "_");
      if (!is_cut_off && letters_apart(name, meant) > kLettersApartMax) continue;
      return base::failure(ErrorCode::invalid, "no such setting; did you mean " + meant + "?",
                           name);
    }
  }
  return {};
}

bool has_builtin(const std::string& key) {
  for (const engines::EngineKind* kind : engines::engine_kinds()) {
    if (kind->is_beside_steno && key == program_key(kind->name)) return false;
  }
  return key != "data_folder" && key != "run_folder" && key != "workdir" &&
         key != "keeper_program" && key != "prices_file";
}

}  // namespace

std::map<std::string, std::vector<std::string>> builtin_programs() {
  std::map<std::string, std::vector<std::string>> programs;
  for (const engines::EngineKind* kind : engines::engine_kinds()) {
    auto& program = programs[std::string(kind->name)];
    if (!kind->is_beside_steno) program = {std::string(kind->program)};
  }
  return programs;
}

std::string program_key(std::string_view engine) {
  return std::string(engine) + "_program";
}

ConfigInput process_input(std::map<std::string, std::string> flags) {
  ConfigInput input;
  input.flags = std::move(flags);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    input.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  std::error_code ignored;
  input.program_folder =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().string();
  input.working_folder = std::filesystem::current_path(ignored).string();
  return input;
}

std::string webhook_program(const Config& config) {
  return config.program_folder + "/steno-webhook";
}

std::string default_text(std::string_view key) {
  for (const Key& known : keys()) {
    if (known.key.name == key) return known.show(Config{});
  }
  return {};
}

Result<Config> load_config(const ConfigInput& input) {
  if (auto ok = check_variables(input); !ok) return tl::unexpected(ok.error());
  Sources sources(input);
  const auto file = choose_file(input, sources);
  if (!file) return tl::unexpected(file.error());
  if (!file->path.empty()) {
    if (auto ok = sources.read_file(file->path, file->is_named); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  Config config;
  config.program_folder = input.program_folder;
  config.config_file = file->path;
  config.has_config_file = sources.has_file();
  for (const Key& key : keys()) {
    const std::string name(key.key.name);
    auto given = sources.find(name);
    const auto derived = from_home(name, config, sources);
    if (derived && (!given || given->source < derived->source)) given = derived;
    if (!given) {
      given = default_of(name, config, input);
      const bool is_known = has_builtin(name) || key.set(config, *given);
      if (!is_known && name == "data_folder") {
        return base::failure(ErrorCode::invalid,
                             "there is no folder for the log; set HOME, XDG_DATA_HOME or --home",
                             name);
      }
    } else if (auto ok = apply(config, key, *given); !ok) {
      return tl::unexpected(ok.error());
    }
    config.settings.push_back({name, key.show(config), given->source, given->where});
  }
  return config;
}

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> kConfigKeys = [] {
    std::vector<ConfigKey> all;
    for (const Key& key : keys()) all.push_back(key.key);
    return all;
  }();
  return kConfigKeys;
}

std::string flag_name(std::string_view key) {
  std::string flag = "--" + std::string(key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string server_variable(std::string_view key) {
  return environment_name("server_" + std::string(key));
}

std::string environment_name(std::string_view key) {
  std::string name = "STENO_" + std::string(key);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return name;
}

std::vector<std::string> flags_of(const Config& config) {
  std::vector<std::string> flags;
  for (const Setting& setting : config.settings) {
    if (setting.value.empty()) continue;
    flags.push_back(flag_name(setting.key) + "=" + setting.value);
  }
  return flags;
}

bool is_flag(const Config& config, std::string_view key) {
  return std::any_of(config.settings.begin(), config.settings.end(), [&](const Setting& setting) {
    return setting.key == key && setting.source == SettingSource::flag;
  });
}

bool is_set(const Config& config, std::string_view key) {
  return std::any_of(config.settings.begin(), config.settings.end(), [&](const Setting& setting) {
    return setting.key == key && setting.source != SettingSource::builtin;
  });
}

Result<Endpoints> endpoints_of(const Config& config) {
  Endpoints endpoints;
  for (const auto& [name, endpoint] :
       {std::pair{"command", &endpoints.command}, std::pair{"worker", &endpoints.worker},
        std::pair{"feed", &endpoints.feed}, std::pair{"gateway", &endpoints.gateway}}) {
    const std::string path = socket_path(config.run_folder, name);
    if (path.size() > bus::kSocketPathBytesMax) {
      return base::failure(ErrorCode::too_large,
                           "a socket's path has at most " +
                               std::to_string(bus::kSocketPathBytesMax) + " bytes, and this has " +
                               std::to_string(path.size()) + "; set run_folder to a shorter path",
                           path);
    }
    *endpoint = "ipc://" + path;
  }
  return endpoints;
}

bool is_run_folder_said(const Config& config) {
  return std::any_of(config.settings.begin(), config.settings.end(), [](const Setting& setting) {
    return setting.key == "run_folder" && setting.source != SettingSource::builtin &&
           !setting.where.starts_with(kByHome);
  });
}

std::string worker_lock_of(const Config& config) {
  return config.data_folder + "/worker.lock";
}

std::string session_locks_of(const Config& config) {
  return config.data_folder + "/locks";
}

domain::ChannelRules channel_rules(const Config& config) {
  domain::ChannelRules rules;
  rules.fallback = config.fallback_channel;
  for (const std::string& word : config.folder_channels) {
    const std::size_t at = word.find('=');
    rules.folders.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
  return rules;
}

std::string channel_of(const Config& config, const std::string& workdir) {
  return config.channel.empty() ? channel_rules(config).channel_of(workdir) : config.channel;
}

}  // namespace steno
