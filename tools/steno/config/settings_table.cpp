// Every setting is a row of keys(); the functions before it parse and show values of each kind.
#include "tools/steno/config/settings_table.hpp"

#include <algorithm>
#include <charconv>
#include <list>

#include "eventlog/domain/outbox/route.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "tools/steno/config/command_words.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/engines/engines.hpp"

namespace steno {
namespace {

constexpr std::int64_t kMaxSessionsLimit = 10'000;  // each has an agent process and a keeper
constexpr std::int64_t kNotifyPerMinuteLimit = 600;

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
  auto words = program_of(given);
  if (words) program = std::move(*words);
  return words.has_value();
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

bool set_agent(Config& config, const Given& given) {
  config.agent = given.text;
  return domain::is_agent_name(given.text);
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

bool set_agent_environment(Config& config, const Given& given) {
  auto names = words_of(given);
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
  auto words = words_of(given);
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
  auto words = words_of(given);
  const auto is_tool = [](const std::string& word) { return !word.empty() && is_one_line(word); };
  if (!words || !std::all_of(words->begin(), words->end(), is_tool)) return false;
  config.mcp_tools = std::move(*words);
  return true;
}
bool set_chat_senders(Config& config, const Given& given) {
  auto words = words_of(given);
  const auto is_accepted = [](const std::string& word) {
    return is_channel(word) && domain::parse_route(word).has_value();
  };
  if (!words || !std::all_of(words->begin(), words->end(), is_accepted)) return false;
  config.chat_senders = std::move(*words);
  return true;
}
bool set_folder_channels(Config& config, const Given& given) {
  auto words = words_of(given);
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

bool is_known_engine(const Config& config, std::string_view name) {
  return engines::find_kind(name) != nullptr ||
         std::any_of(config.engine_tables.begin(), config.engine_tables.end(),
                     [&](const EngineTable& table) { return table.name == name; });
}

bool is_path(const domain::SpecSetting& setting) {
  return setting.text == domain::SpecText::path || setting.text == domain::SpecText::file;
}

KeyKind kind_of(const domain::SpecSetting& setting) {
  if (is_path(setting)) return KeyKind::path;
  if (std::holds_alternative<base::NanoUsd domain::SessionSpec::*>(setting.member)) {
    return KeyKind::money;
  }
  if (std::holds_alternative<bool domain::SessionSpec::*>(setting.member)) return KeyKind::boolean;
  return setting.most > 0 ? KeyKind::integer : KeyKind::text;
}

bool set_of_session(const domain::SpecSetting& setting, Config& config, const Given& given) {
  if (setting.text == domain::SpecText::engine && !is_known_engine(config, given.text))
    return false;
  const bool is_none = setting.text == domain::SpecText::file && given.text == "none";
  if (!is_path(setting) || is_none) {
    return workers::set_setting(setting, given.text, config.session);
  }
  const auto path = resolve_path(given, given.text);
  return path && workers::set_setting(setting, *path, config.session);
}

// The settings of sessions come from their own table.
std::vector<Key> with_sessions(std::vector<Key> keys) {
  static const std::string kEnginesAccepted =
      engines::kind_names_text() + ", or the NAME of a table [engines.NAME]";
  const auto behind = std::find_if(keys.begin(), keys.end(),
                                   [](const Key& key) { return key.key.name == "keeper_program"; });
  std::vector<Key> of_sessions;
  for (const domain::SpecSetting& setting : domain::spec_settings()) {
    const std::string_view accepted =
        setting.accepted.empty() ? std::string_view(kEnginesAccepted) : setting.accepted;
    of_sessions.push_back(
        {{setting.key, accepted, setting.help},
         kind_of(setting),
         [&setting](Config& c, const Given& given) { return set_of_session(setting, c, given); },
         [&setting](const Config& c) { return workers::setting_text(setting, c.session); }});
  }
  keys.insert(behind, of_sessions.begin(), of_sessions.end());
  return keys;
}

bool set_log_level(Config& config, const Given& given) {
  return set_one_of<&Config::log_level>(config, given,
                                        {"trace", "debug", "info", "warn", "error", "off"});
}

constexpr std::string_view kDurationAccepted = "a duration such as 500ms, 30s, 5m or 2h";
constexpr std::string_view kKeepingAccepted = "forever, or a duration such as 30m or 720h";
constexpr std::string_view kChannelAccepted =
    "a place such as telegram|1234 or telegram|account|1234: a line of at most 256 bytes";
constexpr std::string_view kSinkAccepted =
    "openclaw, or a program with its arguments, in which {text}, {channel} and others stand for "
    "values";
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

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> kKeys = with_programs(with_sessions({
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
      {{"keeper_program", kPathAccepted, "The program that owns an agent's process tree"},
       KeyKind::path,
       set_path<&Config::keeper_program>,
       show_text<&Config::keeper_program>},
      {{"agent_home", kPathAccepted, "HOME of agents; default: that of the server"},
       KeyKind::path,
       set_path<&Config::agent_home>,
       show_text<&Config::agent_home>},
      {{"agent_environment", kVariablesAccepted,
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
      {{"worktree_at_end", "keep or remove-unchanged",
        "What becomes of a worktree at the end of `run --worktree`"},
       KeyKind::text,
       set_enum<&Config::worktree_at_end>,
       show_enum<&Config::worktree_at_end>},
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
      {{"mcp_approvals", "true or false",
        "Let programs approve what agents ask, over MCP and JSON-RPC"},
       KeyKind::boolean,
       set_boolean<&Config::mcp_approvals>,
       show_boolean<&Config::mcp_approvals>},
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
  }));
  return kKeys;
}

}  // namespace steno
