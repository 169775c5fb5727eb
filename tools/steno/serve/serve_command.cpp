// Translates the configuration into ServeOptions, sets up logging, and runs the chosen role.
#include "tools/steno/serve/serve_command.hpp"

#include <fmt/core.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tools/steno/config/prices_file.hpp"
#include "tools/steno/serve/detach.hpp"
#include "tools/steno/serve/open_files.hpp"
#include "tools/steno/serve/serve.hpp"
#include "tools/steno/serve/server_facts.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/exit_codes.hpp"
#include "workers/notifications/command_template.hpp"
#include "workers/time_zones/system_time_zones.hpp"

namespace steno {
namespace {

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) variables.emplace_back(*at);
  return variables;
}

// Returns the worker's command line. It names the umask and the file limit of this process before
// the server changes them, so that agents keep both.
std::vector<std::string> worker_command(const Config& config, const ServeArguments& arguments) {
  std::error_code error;
  std::vector<std::string> argv{std::filesystem::read_symlink("/proc/self/exe", error).string()};
  for (std::string& flag : flags_of(config)) argv.push_back(std::move(flag));
  argv.insert(argv.end(), {"serve", "--role", "worker", "--agent-umask",
                           fmt::format("{:04o}", arguments.agent_umask), "--agent-files",
                           fmt::format("{}", soft_open_files())});
  return argv;
}

std::vector<std::string> gateway_command(const Config& config) {
  std::vector<std::string> argv{config.program_folder + "/steno"};
  for (std::string& flag : flags_of(config)) argv.push_back(std::move(flag));
  argv.insert(argv.end(), {"gateway", "--parent", fmt::format("{}", ::getpid())});
  return argv;
}

// Returns the words of a sink's command: "openclaw" alone stands for the builtin one.
base::Result<std::vector<std::string>> sink_command(const Config& config, std::string_view key,
                                                    const std::vector<std::string>& words,
                                                    std::vector<std::string> builtin) {
  if (words.empty()) return words;
  if (words.size() == 1 && words.front() == builtin.front()) return builtin;
  if (auto ok = workers::check_template(words); !ok) {
    const auto setting = std::find_if(config.settings.begin(), config.settings.end(),
                                      [&](const Setting& s) { return s.key == key; });
    return base::failure(base::ErrorCode::invalid, std::string(key) + ": " + ok.error().text,
                         setting->where);
  }
  return words;
}

// Error: the program that makes requests, of which the setting `key` needs one, is not there.
base::Result<void> check_webhook_program(const Config& config, const std::string& key) {
  const std::string program = webhook_program(config);
  if (::access(program.c_str(), X_OK) == 0) return {};
  return base::failure(base::ErrorCode::not_found,
                       "this program makes the requests to webhooks, and cannot be run; put it "
                       "there, or leave " +
                           key + " out",
                       program);
}

base::Result<workers::SinkOptions> sink_options(const Config& config) {
  workers::SinkOptions sinks;
  sinks.guard_program = config.keeper_program;
  auto command = sink_command(config, "notify_command", config.notify_command,
                              workers::builtin_channel_command());
  if (!command) return tl::unexpected(command.error());
  sinks.channel_command = std::move(*command);
  command = sink_command(config, "notify_system_command", config.notify_system_command,
                         workers::builtin_system_command());
  if (!command) return tl::unexpected(command.error());
  sinks.system_command = std::move(*command);
  if (config.notifies_desktop) sinks.desktop_command = workers::builtin_desktop_command();
  if (!config.notify_webhook_file.empty()) {
    auto webhook = workers::read_webhook_file(config.notify_webhook_file);
    if (!webhook) return tl::unexpected(webhook.error());
    sinks.webhook = std::move(*webhook);
    sinks.webhook->program = webhook_program(config);
    if (auto ok = check_webhook_program(config, "notify_webhook_file"); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  if (!config.notify_wake_file.empty()) {
    auto wake = workers::read_wake_file(config.notify_wake_file);
    if (!wake) return tl::unexpected(wake.error());
    sinks.wake = std::move(*wake);
    sinks.wake->program = webhook_program(config);
    if (auto ok = check_webhook_program(config, "notify_wake_file"); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  return sinks;
}

base::Result<void> check_zone(const Config& config) {
  const std::string& zone = config.conversations.policy.zone;
  if (workers::SystemTimeZones().has(zone)) return {};
  return base::failure(base::ErrorCode::invalid,
                       "there is no time zone '" + zone +
                           "'; one is Europe/Berlin, and UTC is "
                           "always there",
                       "conversations.zone");
}

base::Result<std::unique_ptr<const workers::HookTable>> hook_table(const Config& config) {
  std::vector<workers::Hook> hooks;
  for (const HookTableRow& row : config.hooks) {
    workers::Hook hook = row.hook;
    if (!hook.engine.empty() && config.engines.find(hook.engine) == nullptr) {
      return base::failure(
          base::ErrorCode::invalid,
          "there is no engine '" + hook.engine + "'; known are " + config.engines.names_text(),
          "[[hooks]] " + hook.name);
    }
    if (!row.url_file.empty()) {
      auto webhook = workers::read_webhook_file(row.url_file);
      if (!webhook) return tl::unexpected(webhook.error());
      hook.url = webhook->url;
      hook.secret = webhook->secret;
    }
    if (!hook.url.empty()) {
      if (auto ok = check_webhook_program(config, "[[hooks]] " + hook.name); !ok) {
        return tl::unexpected(ok.error());
      }
    }
    hooks.push_back(std::move(hook));
  }
  workers::HookTable::Lacking lacking;
  for (const engines::CatalogEntry& engine : config.engines.entries()) {
    for (const std::string_view name : base::EnumNames<domain::HookPoint>::kNames) {
      const auto point = *base::parse_enum<domain::HookPoint>(name);
      if (!engine.offers(point)) lacking[engine.name].push_back(point);
    }
  }
  return std::make_unique<const workers::HookTable>(std::move(hooks), std::move(lacking));
}

// Agents would not start in a home that is not there.
base::Result<void> check_homes(const Config& config) {
  std::error_code ignored;
  const auto is_missing = [&](const std::string& home) {
    return !home.empty() && !std::filesystem::is_directory(home, ignored);
  };
  if (is_missing(config.agent_home)) {
    return base::failure(base::ErrorCode::invalid,
                         "agent_home must be a folder that exists; make it, or leave it unset",
                         config.agent_home);
  }
  for (const engines::CatalogEntry& engine : config.engines.entries()) {
    if (!is_missing(engine.settings.home)) continue;
    return base::failure(base::ErrorCode::invalid,
                         "[engines." + engine.name +
                             "] home must be a folder that exists; make it, or leave it unset",
                         engine.settings.home);
  }
  return {};
}

// Returns the engines of the configuration with what the worker adds to each.
engines::EngineCatalog equipped(const engines::EngineCatalog& engines,
                                const engines::PriceTable& prices) {
  std::vector<engines::CatalogEntry> entries(engines.entries().begin(), engines.entries().end());
  for (engines::CatalogEntry& entry : entries) {
    entry.settings.inherited_environment = own_environment();
    entry.settings.prices = prices;
  }
  return engines::EngineCatalog(std::move(entries));
}

base::Result<ServeOptions> serve_options(const Config& config, const ServeArguments& arguments) {
  const auto endpoints = endpoints_of(config);
  if (!endpoints) return tl::unexpected(endpoints.error());
  if (auto ok = check_homes(config); !ok) return tl::unexpected(ok.error());
  if (config.tables_fault) return tl::unexpected(*config.tables_fault);
  ServeOptions options;
  options.data_folder = config.data_folder;
  options.worker_lock = worker_lock_of(config);
  options.run_folder = config.run_folder;
  options.command_endpoint = endpoints->command;
  options.worker_endpoint = endpoints->worker;
  options.feed_endpoint = endpoints->feed;
  domain::Limits& limits = options.commands.limits;
  limits.max_sessions = config.max_sessions;
  limits.idle_timeout = config.session.idle_timeout;
  limits.run_timeout = config.session.run_timeout;
  limits.repeated_calls_max = config.session.repeated_calls_max;
  limits.remind_after = config.session.remind_after;
  limits.daily_budget = config.daily_budget;
  limits.agent_budget = config.agent_budget;
  limits.total_daily_budget = config.total_daily_budget;
  limits.told_per_minute = config.notify_per_minute;
  auto hooks = hook_table(config);
  if (!hooks) return tl::unexpected(hooks.error());
  options.hook_table = std::move(*hooks);
  options.hooks.table = options.hook_table.get();
  options.commands.hook_gaps = options.hook_table->gaps();
  const auto& entries = options.hook_table->entries();
  if (std::any_of(entries.begin(), entries.end(),
                  [](const auto& entry) { return !entry.hook.subscriber.empty(); })) {
    options.subscriber_mail = std::make_unique<workers::SubscriberMail>();
  }
  options.agents.session_folder = config.run_folder + "/sessions";
  options.hooks.programs = {webhook_program(config), config.keeper_program,
                            options.agents.session_folder, -1, options.subscriber_mail.get()};
  auto sinks = sink_options(config);
  if (!sinks) return tl::unexpected(sinks.error());
  options.sinks = std::move(*sinks);
  options.sinks.hooks = options.hooks.table;
  options.sinks.hook_programs = options.hooks.programs;
  limits.sinks = workers::targets_of(options.sinks);
  limits.has_request_hooks = options.hooks.table->has(domain::HookPoint::permission_request);
  options.commands.channels = channel_rules(config);
  options.commands.conversations = config.conversations.policy;
  if (auto ok = check_zone(config); !ok) return tl::unexpected(ok.error());
  options.leases.worker_silence_max = config.worker_silence_max;
  options.link.orphan_grace = config.orphan_grace;
  options.runner.kill_grace =
      std::chrono::duration_cast<std::chrono::milliseconds>(config.kill_grace);
  options.runner.idle_max = config.idle_agent_stop;
  options.runner.task_wait = config.task_wait;
  options.runner.silence_max = config.silence_after;
  options.stop_grace = config.stop_grace;
  options.agents.keeper_program = config.keeper_program;
  options.agents.lock_folder = session_locks_of(config);
  auto prices = load_prices(config);
  if (!prices) return tl::unexpected(prices.error());
  options.prices = std::move(*prices);
  options.commands.engines = options.sinks.engines = config.engines;
  options.agents.engines = equipped(config.engines, options.prices);
  options.agents.server_environment = {server_variable("data_folder") + "=" + config.data_folder,
                                       server_variable("run_folder") + "=" + config.run_folder};
  options.keep_for = {config.keep_completed_for.value_or(config.keep_content_for),
                      config.keep_failed_for.value_or(config.keep_content_for),
                      config.keep_killed_for.value_or(config.keep_content_for)};
  options.keep_workers = config.keep_workers;
  options.archive_folders = config.archive_folders;
  options.is_detached = arguments.is_detached;
  options.facts = kept_facts(config);
  options.accept_clock = arguments.accept_clock;
  options.needs_log = arguments.needs_log;
  options.agent_files = arguments.agent_files;
  options.agent_umask = arguments.agent_umask;
  if (arguments.role.empty()) {
    options.worker_argv = worker_command(config, arguments);
    if (config.runs_gateway) options.gateway_argv = gateway_command(config);
  }
  options.gateway_lock = config.run_folder + "/gateway.sock.lock";
  return options;
}

void set_up_log(const Config& config) {
  auto logger = spdlog::stderr_logger_mt("steno");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  // A person at a terminal gets only warnings: unrequested lines are for a file.
  const bool is_for_person = ::isatty(STDERR_FILENO) == 1 && !is_set(config, "log_level");
  logger->set_level(is_for_person ? spdlog::level::warn
                                  : spdlog::level::from_str(config.log_level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

// Sessions whose agents were ended while they wait open no files, so more of them can live.
void tell_few_files(const Config& config) {
  const std::int64_t soft = soft_open_files();
  const std::int64_t agents = agents_within(soft);
  if (soft == 0 || agents >= config.max_sessions) return;
  spdlog::warn(
      "few_agent_files limit={} agents_max={} max_sessions={} raise=\"ulimit -n, or "
      "LimitNOFILE= of the unit\"",
      soft, agents, config.max_sessions);
}

// A server belongs to no session, and neither does its gateway, which opens sessions for others.
void leave_outer_session() {
  for (const char* mark : {"STENO_SESSION", "CLAUDECODE"}) ::unsetenv(mark);
}

// A server outlives the agent in whose shell it is started.
void tell_outer_agent() {
  if (std::getenv("CLAUDECODE") == nullptr) return;
  remark(
      "steno serve: this is the shell of an agent (CLAUDECODE is set); agents of this server do "
      "not "
      "get that one's marks, such as its session id and its token");
}

}  // namespace

int serve(const Config& config, const ServeArguments& arguments) {
  if (arguments.is_to_detach) return detach(config);
  set_up_log(config);
  if (arguments.role != "worker") tell_outer_agent();
  leave_outer_session();
  if (arguments.role.empty()) tell_few_files(config);
  const auto options = serve_options(config, arguments);
  if (!options) {
    const int code = exit_code_of(options.error().code);
    complain(code, base::describe(options.error()));
    return code;
  }
  if (options->prices.models.empty()) {
    spdlog::warn("prices_missing file={}/{}", config.program_folder, kPricesFile);
  }
  return arguments.role == "worker" ? run_worker(*options) : run_server(*options);
}

}  // namespace steno
