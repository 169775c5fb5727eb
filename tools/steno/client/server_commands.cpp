// The server is the process that holds the lock of the data folder. It is signalled through a
// descriptor, and only if it has the lock open: its pid alone could be anybody's.
#include "tools/steno/client/server_commands.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "bus/poller.hpp"
#include "eventlog/base/unique_fd.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/connection/found_server.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/exit_codes.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/status.hpp"

namespace steno {
namespace {

constexpr base::Duration kTellAfter = std::chrono::seconds(1);
constexpr base::Duration kTellEvery = std::chrono::seconds(10);
constexpr base::Duration kLockLookEvery = std::chrono::milliseconds(50);  // at the lock
// A server that does not end in its own time is stuck, and only its user can know.
constexpr base::Duration kReserve = std::chrono::seconds(30);

std::string none_text(const Config& config, const std::string& next) {
  return "no server runs for the log in " + config.data_folder + "; " + next;
}

class RunningServer {
 public:
  static Outcome<RunningServer> find(const Config& config) {
    RunningServer server;
    server.lock_ = workers::data_lock_of(config.data_folder);
    server.holder_ = workers::data_holder(config.data_folder);
    if (!server.holder_.is_there())
      return fail(kExitUnreachable, none_text(config, "there is nothing to stop"));
    if (!server.holder_.place)
      return fail(kExitRefused, unreachable_text(config, find_server(config)));
    const auto pid = static_cast<pid_t>(server.holder_.pid);
    server.handle_ = base::UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (server.handle_.is_open() && workers::has_open(pid, server.lock_)) return server;
    return fail(kExitRefused,
                server.name() + " has the log in " + config.data_folder +
                    " open, and this user cannot see that it does: it is of another user or of "
                    "another container, or has just ended");
  }

  std::string name() const { return "server process " + std::to_string(holder_.pid); }
  const workers::DataHolder& holder() const { return holder_; }

  Outcome<bool> signal(int number) const {
    if (::syscall(SYS_pidfd_send_signal, handle_.get(), number, nullptr, 0) == 0) return true;
    if (errno == ESRCH) return true;  // it has ended
    return fail(kExitRefused, "cannot stop " + name() + ": " + std::strerror(errno));
  }

  // Waits for its end; says after a moment what it waits for, and now and then that it still does.
  Outcome<bool> wait_for_end(bool is_now) const {
    base::SystemClock clock;
    const base::Duration max = holder_.place->stop_max;
    const base::Duration begin = clock.boot();
    base::Duration tell_at = begin + kTellAfter;
    for (;;) {
      bus::PollItem end = bus::PollItem::of(handle_.get());
      if (auto ok = bus::poll({&end, 1}, kLockLookEvery); !ok) return fail(ok.error());
      if (end.is_readable) return true;
      const base::Duration now = clock.boot();
      if (now - begin > max + kReserve) {
        return fail(kExitTimeout, name() + " has not ended after " +
                                      exact_duration_text(max + kReserve) +
                                      "; see its log. kill -KILL " + std::to_string(holder_.pid) +
                                      " ends it at once: what is acknowledged is kept");
      }
      if (now < tell_at) continue;
      const bool is_first = tell_at == begin + kTellAfter;
      tell_at = now + kTellEvery;
      remark(is_first
                 ? waiting_text(max, is_now)
                 : "steno: " + name() + " is still stopping, since " + duration_text(now - begin));
    }
  }

 private:
  std::string waiting_text(base::Duration max, bool is_now) const {
    if (is_now) return "steno: " + name() + " is ending its agents";
    return "steno: " + name() + " is stopping; turns under way have time to end (stop_grace), " +
           exact_duration_text(max) + " at most. steno stop --now ends them at once";
  }

  std::string lock_;
  workers::DataHolder holder_;
  base::UniqueFd handle_;
};

Outcome<bool> stop(const RunningServer& server, bool is_now) {
  if (auto sent = server.signal(SIGTERM); !sent) return sent;
  // The second signal says that there is no time; it must be another one, since two of a kind that
  // wait are one.
  if (is_now) {
    if (auto sent = server.signal(SIGINT); !sent) return sent;
  }
  return server.wait_for_end(is_now);
}

// Returns the words of a file of /proc, each of which ends with a zero byte.
std::vector<std::string> words_of(std::int64_t pid, const char* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name, std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

struct HowStarted {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string folder;
};

// Returns the flags of settings among a server's arguments.
std::map<std::string, std::string> setting_flags(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> flags;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::size_t end = std::min(word.find('='), word.size());
    const auto known = std::find_if(
        config_keys().begin(), config_keys().end(),
        [&](const ConfigKey& key) { return flag_name(key.name) == word.substr(0, end); });
    if (known == config_keys().end()) continue;
    if (end < word.size()) {
      flags[std::string(known->name)] = word.substr(end + 1);
    } else if (known->name == "keep_workers") {
      flags[std::string(known->name)] = "true";
    } else if (i + 1 < arguments.size() && !arguments[i + 1].starts_with("--")) {
      flags[std::string(known->name)] = arguments[++i];
    }
  }
  return flags;
}

// True if a flag or variable names a path that begins in the working folder.
bool has_relative_path(const ConfigInput& input) {
  for (const ConfigKey& key : config_keys()) {
    const std::string_view name = key.name;
    const bool is_path = name == "config" || name == "home" || name == "workdir" ||
                         name.ends_with("_folder") || name.ends_with("_file") ||
                         name.ends_with("_program") || name.ends_with("_home");
    if (!is_path) continue;
    const auto flag = input.flags.find(std::string(name));
    const auto variable = input.environment.find(environment_name(name));
    std::string value = variable == input.environment.end() ? "" : variable->second;
    if (flag != input.flags.end()) value = flag->second;
    const bool is_name = name.ends_with("_program") && value.find('/') == std::string::npos;
    if (!value.empty() && !is_name && value.front() != '/' && value.front() != '~') return true;
  }
  return false;
}

// Returns the command that restarts the systemd unit that keeps the server; empty: none does. A
// process of a unit has its INVOCATION_ID, and the unit's main process its own pid in
// SYSTEMD_EXEC_PID.
std::string unit_restart_of(std::int64_t pid, const std::vector<std::string>& environment) {
  const auto has = [&](std::string_view start) {
    return std::any_of(environment.begin(), environment.end(),
                       [&](const std::string& entry) { return entry.starts_with(start); });
  };
  const std::string main = "SYSTEMD_EXEC_PID=" + std::to_string(pid);
  if (!has("INVOCATION_ID=")) return {};
  if (std::find(environment.begin(), environment.end(), main) == environment.end()) return {};
  std::ifstream file("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::string name = line.substr(line.rfind('/') + 1);
    if (!name.ends_with(".service")) continue;
    const bool is_user = line.find("/user@") != std::string::npos;
    return std::string("systemctl ") + (is_user ? "--user " : "") + "restart " + name;
  }
  return "systemctl [--user] restart UNIT";
}

// A server that is started here is none of its unit, which would end with this login and log
// elsewhere.
Outcome<bool> check_unit(const RunningServer& server, const std::vector<std::string>& environment) {
  const std::string command = unit_restart_of(server.holder().pid, environment);
  if (command.empty()) return true;
  return fail(kExitRefused, server.name() + " is kept by a unit of systemd, and `steno restart` " +
                                "would start one outside of it; " + command + " restarts it there");
}

// Finds out before the server is stopped whether another one can be started as it was. A folder
// that is gone is needed only if a path is relative to it.
Outcome<bool> check_start(const Config& config, HowStarted& how) {
  const std::string program = config.program_folder + "/steno-server";
  if (::access(program.c_str(), X_OK) != 0) {
    return fail(kExitFailed, "cannot run " + program + ": " + std::strerror(errno) +
                                 "; the server was left as it is");
  }
  ConfigInput input;
  input.flags = setting_flags(how.arguments);
  for (const std::string& entry : how.environment) {
    const std::size_t at = std::min(entry.find('='), entry.size());
    input.environment[entry.substr(0, at)] = entry.substr(std::min(at + 1, entry.size()));
  }
  if (::access(how.folder.c_str(), X_OK) != 0) {
    if (has_relative_path(input)) {
      return fail(kExitFailed, "the server was started in " + how.folder +
                                   ", which cannot be entered, with a path that begins there; it "
                                   "was left as it is. Stop it with steno stop, and start it by "
                                   "hand");
    }
    how.folder = config.data_folder;
  }
  input.program_folder = config.program_folder;
  input.working_folder = how.folder;
  const auto settings = load_config(input);
  if (settings && !settings->tables_fault) return true;
  const base::Error& fault = settings ? *settings->tables_fault : settings.error();
  return fail(exit_code_of(fault.code),
              "a server would not start with these settings, and the one that runs was left as it "
              "is: " +
                  base::describe(fault));
}

// Becomes a server that detaches itself. Returns only if it cannot.
Outcome<int> become_server(const Config& config, HowStarted how) {
  const std::string program = config.program_folder + "/steno-server";
  std::erase_if(how.arguments,
                [](const std::string& word) { return word.starts_with("--detach"); });
  how.arguments.emplace_back("--detach");
  flush();
  if (!how.folder.empty() && ::chdir(how.folder.c_str()) != 0) {
    return fail(kExitFailed, "the server was started in " + how.folder +
                                 ", which cannot be entered: " + std::strerror(errno));
  }
  ::execve(program.c_str(), pointers(how.arguments).data(), pointers(how.environment).data());
  return fail(kExitFailed, "cannot run " + program + ": " + std::strerror(errno));
}

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

struct StatusRow {
  std::int64_t pid = 0;
  std::string phase;
  base::Time since;
  std::string data_folder;
  std::string run_folder;
  std::string log_file;
  std::string release;
  std::optional<workers::StatusAnswer> status;

  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("pid", &StatusRow::pid);
    visit("phase", &StatusRow::phase);
    visit("since", &StatusRow::since);
    visit("data_folder", &StatusRow::data_folder);
    visit("run_folder", &StatusRow::run_folder);
    visit("log_file", &StatusRow::log_file);
    visit("release", &StatusRow::release);
    visit("status", &StatusRow::status);
  }
};

void print_status(const StatusRow& row) {
  Fields fields;
  fields.add("process", std::to_string(row.pid) + (row.phase.empty() ? "" : ", " + row.phase));
  if (row.since.us != 0) fields.add("since", short_time_text(row.since));
  fields.add("release", row.release);
  fields.add("data folder", row.data_folder);
  fields.add("run folder", row.run_folder);
  fields.add("log file", row.log_file);
  if (row.status) {
    fields.add("log position", std::to_string(row.status->durable.value));
    fields.add("sessions", places_text(row.status->live_sessions, row.status->parked_sessions,
                                       row.status->max_sessions));
    fields.add("workers", std::to_string(row.status->workers));
  }
  print(fields.text());
}

}  // namespace

Outcome<int> stop_server(const Config& config, const StopArguments& arguments) {
  const auto server = RunningServer::find(config);
  if (!server) return tl::unexpected(server.error());
  const auto ended = stop(*server, arguments.is_now);
  if (!ended) return tl::unexpected(ended.error());
  print(server->name() + " has ended\n");
  return kExitOk;
}

Outcome<int> show_status(const Config& config, const NoArguments&) {
  const FoundServer found = find_server(config);
  if (!found.holder.is_there()) {
    const std::string command = command_text(config, "serve --detach");
    return fail(kExitUnreachable, none_text(config, "start one with `" + command + "`"));
  }
  StatusRow row;
  row.pid = found.holder.pid;
  row.data_folder = config.data_folder;
  row.run_folder = found.run_folder;
  if (const auto& place = found.holder.place) {
    row.phase = base::enum_name(place->phase);
    row.since = place->since;
    row.log_file = place->log_file;
    row.release = place->release;
  }
  const auto connection = Connection::open(config);
  Outcome<workers::StatusAnswer> status = fail(kExitFailed, "");
  if (connection) {
    status = (*connection)->ask<workers::StatusAnswer>(workers::kVerbStatus, workers::QueryBody{});
  } else {
    status = tl::unexpected(connection.error());
  }
  if (status) {
    row.status = *status;
    row.release = status->release;
  }
  if (config.output == OutputFormat::table) {
    print_status(row);
  } else {
    print(workers::to_json(row) + "\n");
  }
  if (!status) return tl::unexpected(status.error());
  return kExitOk;
}

Outcome<int> restart_server(const Config& config, const StopArguments& arguments) {
  HowStarted how{{"steno"}, own_environment(), ""};
  for (std::string& flag : given_flags(config, SettingSource::flag)) {
    how.arguments.push_back(std::move(flag));
  }
  how.arguments.emplace_back("serve");
  const auto server = RunningServer::find(config);
  if (!server && server.error().exit_code != kExitUnreachable) {
    return tl::unexpected(server.error());
  }
  if (!server) return become_server(config, std::move(how));
  // Read before it ends.
  const std::int64_t pid = server->holder().pid;
  how.arguments = words_of(pid, "cmdline");
  how.environment = words_of(pid, "environ");
  std::error_code error;
  how.folder = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/cwd", error);
  if (how.arguments.empty() || how.environment.empty() || error) {
    return fail(kExitRefused, "it cannot be seen how " + server->name() +
                                  " was started; stop it with steno stop and start it by hand");
  }
  if (const auto ok = check_unit(*server, how.environment); !ok) return tl::unexpected(ok.error());
  if (const auto ok = check_start(config, how); !ok) return tl::unexpected(ok.error());
  const auto ended = stop(*server, arguments.is_now);
  if (!ended) return tl::unexpected(ended.error());
  remark("steno: " + server->name() + " has ended; starting it again, with the same arguments");
  return become_server(config, std::move(how));
}

}  // namespace steno
