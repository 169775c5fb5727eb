// `steno service`: the server as a unit of the user's systemd.
#include "tools/steno/client/service_commands.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <unistd.h>

#include "bus/poller.hpp"
#include "eventlog/base/new_file.hpp"
#include "eventlog/base/time.hpp"
#include "tools/steno/client/service_unit.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "workers/client/server_place.hpp"
#include "workers/json/json.hpp"
#include "workers/processes/run_program.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

constexpr const char* kUnit = "steno.service";
constexpr base::Duration kQuick = std::chrono::seconds(10);
constexpr base::Duration kStop = std::chrono::minutes(3);
// A start lasts until the log is read. One that takes longer goes on without being waited for.
constexpr base::Duration kStart = std::chrono::minutes(2);
constexpr base::Duration kStateEvery = std::chrono::milliseconds(100);

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Returns the path of the unit that `install` writes. Failure: the user has no home.
Outcome<std::string> unit_path() {
  std::string folder = variable("XDG_CONFIG_HOME");
  if (folder.empty()) {
    const std::string home = variable("HOME");
    if (home.empty()) return fail(kExitUsage, "HOME is not set, so there is no place for a unit");
    folder = home + "/.config";
  }
  return folder + "/systemd/user/" + kUnit;
}

processes::ProgramOutcome systemctl(std::vector<std::string> words, base::Duration limit = kQuick) {
  std::vector<std::string> argv{"systemctl", "--user"};
  argv.insert(argv.end(), words.begin(), words.end());
  processes::ProgramRun how;
  how.limit = limit;
  how.output_max = 2000;
  how.has_errors_apart = true;
  return processes::run_program(argv, how);
}

std::string first_line(const std::string& text) {
  return workers::safe_line(text.substr(0, text.find('\n')));
}

Outcome<bool> done(const processes::ProgramOutcome& ran, const std::string& what) {
  if (ran.problem.empty()) return true;
  const std::string said = first_line(ran.errors);
  return fail(kExitFailed, what + ": systemctl: " + (said.empty() ? ran.problem : said));
}

// The unit, as systemd knows it.
struct UnitState {
  std::string state;    // "active", "activating", "failed", …
  std::string enabled;  // "enabled", "disabled"; empty: there is no unit
  std::int64_t pid = 0;

  bool is_up() const { return state == "active" || state == "activating" || state == "reloading"; }
};

Outcome<UnitState> unit_state() {
  const auto ran =
      systemctl({"show", kUnit, "-p", "ActiveState", "-p", "UnitFileState", "-p", "MainPID"});
  if (!ran.problem.empty()) {
    return fail(kExitRefused,
                "no systemd of this user answers here; `steno serve --detach` runs a server "
                "without one, for instance from a line @reboot of `crontab -e`");
  }
  UnitState unit;
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) {
    const std::string value =
        workers::safe_line(line.substr(std::min(line.find('=') + 1, line.size())));
    if (line.starts_with("ActiveState=")) unit.state = value;
    if (line.starts_with("UnitFileState=")) unit.enabled = value;
    if (line.starts_with("MainPID=")) unit.pid = std::strtoll(value.c_str(), nullptr, 10);
  }
  return unit;
}

// Returns false if it still starts after kStart.
Outcome<bool> wait_for_start() {
  base::SystemClock clock;
  for (const base::Duration end = clock.boot() + kStart; clock.boot() < end;) {
    const auto unit = unit_state();
    if (!unit) return tl::unexpected(unit.error());
    if (unit->state == "active") return true;
    if (!unit->is_up()) {
      return fail(kExitFailed, "the service is " + unit->state + "; `steno service logs` says why");
    }
    if (auto ok = bus::poll({}, kStateEvery); !ok) return fail(ok.error());
  }
  return false;
}

Outcome<bool> write_unit(const std::string& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return fail(kExitFailed, "cannot write " + path + ": " + error.message());
  auto file = base::NewFile::open(path, base::OldFile::replaced);
  if (!file) return fail(file.error());
  if (const auto ok = file->write(text); !ok) return fail(ok.error());
  if (const auto put = file->finish(); !put) return fail(put.error());
  return true;
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// Lets the service run while the user is logged out. Not all are allowed to.
void allow_linger() {
  processes::ProgramRun how;
  how.limit = kQuick;
  if (processes::run_program({"loginctl", "enable-linger"}, how).problem.empty()) return;
  remark(
      "it ends when you log out: `loginctl enable-linger` was refused; as root: loginctl "
      "enable-linger " +
      variable("USER"));
}

}  // namespace

Outcome<int> service_install(const Config& config, const NoArguments&) {
  const auto path = unit_path();
  if (!path) return tl::unexpected(path.error());
  const auto before = unit_state();
  if (!before) return tl::unexpected(before.error());
  const workers::DataHolder holder = workers::data_holder(config.data_folder);
  if (holder.is_there() && holder.pid != before->pid) {
    return fail(kExitConflict, "server process " + std::to_string(holder.pid) +
                                   " runs here already, and is no service; `steno stop` ends it, "
                                   "and sessions go on with the service");
  }
  if (before->is_up() && !holder.is_there()) {
    return fail(kExitConflict, "the service runs for another log than that in " +
                                   config.data_folder +
                                   "; a user has one, and `steno service uninstall` ends it");
  }
  std::vector<std::string> command{config.program_folder + "/steno"};
  // systemd has none of this shell's variables.
  for (std::string& flag : given_flags(config, SettingSource::environment)) {
    command.push_back(std::move(flag));
  }
  command.emplace_back("serve");
  const std::string search = variable("PATH");
  for (const std::string& word : command) {
    if (word.find('\n') == std::string::npos && search.find('\n') == std::string::npos) continue;
    return fail(kExitUsage, "a unit cannot hold a line end, which a setting or PATH has");
  }
  if (const auto ok = write_unit(*path, unit_text(command, search)); !ok) {
    return tl::unexpected(ok.error());
  }
  if (const auto ok = done(systemctl({"daemon-reload"}), "the unit is not read"); !ok) {
    return tl::unexpected(ok.error());
  }
  if (const auto ok = done(systemctl({"enable", kUnit}), "it does not start by itself"); !ok) {
    return tl::unexpected(ok.error());
  }
  remark("written: " + *path);
  allow_linger();
  if (before->is_up()) {
    remark("it runs, as it was started; systemctl --user restart steno takes what has changed");
    return kExitOk;
  }
  if (const auto ok = done(systemctl({"start", "--no-block", kUnit}), "it was not started"); !ok) {
    return tl::unexpected(ok.error());
  }
  const auto started = wait_for_start();
  if (!started) return tl::unexpected(started.error());
  remark(*started ? "steno runs as a service, and starts again with this machine; steno service "
                    "status"
                  : "it still reads its log; steno service status says when it runs");
  return kExitOk;
}

Outcome<int> service_uninstall(const Config& config, const NoArguments&) {
  const auto path = unit_path();
  if (!path) return tl::unexpected(path.error());
  if (!is_there(*path)) {
    return fail(kExitNotFound, "there is no " + *path + ", so no service was installed");
  }
  if (const auto unit = unit_state(); !unit) return tl::unexpected(unit.error());
  if (const auto ok = done(systemctl({"disable", "--now", kUnit}, kStop), "it still runs"); !ok) {
    return tl::unexpected(ok.error());
  }
  std::error_code error;
  std::filesystem::remove(*path, error);
  if (error) return fail(kExitFailed, "cannot remove " + *path + ": " + error.message());
  systemctl({"daemon-reload"});
  remark("the service is gone; sessions stay in " + config.data_folder);
  return kExitOk;
}

Outcome<int> service_status(const Config& config, const NoArguments&) {
  const auto path = unit_path();
  if (!path) return tl::unexpected(path.error());
  const auto unit = unit_state();
  if (!unit) return tl::unexpected(unit.error());
  const bool is_own = is_there(*path);
  const std::int64_t pid = workers::data_holder(config.data_folder).pid;
  if (config.output == OutputFormat::table) {
    Fields fields;
    fields.add("unit", is_own ? *path : "not installed by steno service install");
    fields.add("starts by itself", unit->enabled.empty() ? "no" : unit->enabled);
    fields.add("state", unit->state);
    fields.add("server", pid == 0 ? "none for the log in " + config.data_folder
                                  : "process " + std::to_string(pid) + "; steno status");
    print(fields.text());
  } else {
    print(workers::JsonObject()
              .add("unit", is_own ? *path : std::string())
              .add("enabled", unit->enabled)
              .add("state", unit->state)
              .add("pid", pid)
              .text() +
          "\n");
  }
  return unit->state == "active" ? kExitOk : kExitUnreachable;
}

Outcome<int> service_logs(const Config&, const ServiceLogsArguments& arguments) {
  const std::string count = std::to_string(arguments.count);
  std::vector<const char*> argv{"journalctl", "--user",  "--unit",     kUnit,
                                "--no-pager", "--lines", count.c_str()};
  if (arguments.is_followed) argv.push_back("--follow");
  argv.push_back(nullptr);
  ::execvp(argv.front(), const_cast<char* const*>(argv.data()));
  return fail(kExitFailed, std::string("cannot run journalctl: ") + std::strerror(errno));
}

}  // namespace steno
