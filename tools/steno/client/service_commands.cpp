// `steno service`: the server as a unit of the user's systemd.
#include "tools/steno/client/service_commands.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "eventlog/base/new_file.hpp"
#include "tools/steno/client/service_unit.hpp"
#include "tools/steno/config/absolute_path.hpp"
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
// A start lasts until the log is read. One that takes longer goes on without being waited for.
constexpr base::Duration kStart = std::chrono::minutes(2);
constexpr base::Duration kStop = std::chrono::minutes(3);

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
  return processes::run_program(argv, how);
}

std::string first_line(const std::string& text) {
  return workers::safe_line(text.substr(0, text.find('\n')));
}

Outcome<bool> done(const processes::ProgramOutcome& ran, const std::string& what) {
  if (ran.problem.empty()) return true;
  const std::string said = first_line(ran.output);
  return fail(kExitFailed, what + ": systemctl: " + (said.empty() ? ran.problem : said));
}

Outcome<bool> check_systemd() {
  if (systemctl({"show-environment"}).problem.empty()) return true;
  return fail(kExitRefused,
              "no systemd of this user answers here; `steno serve --detach` runs a server without "
              "one, for instance from a line @reboot of `crontab -e`");
}

bool is_active() {
  return systemctl({"is-active", "--quiet", kUnit}).problem.empty();
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
  if (const auto ok = check_systemd(); !ok) return tl::unexpected(ok.error());
  const bool was_active = is_active();
  const workers::DataHolder holder = workers::data_holder(config.data_folder);
  if (holder.is_there() && !was_active) {
    return fail(kExitConflict, "server process " + std::to_string(holder.pid) +
                                   " runs here already, and is no service; `steno stop` ends it, "
                                   "and sessions go on with the service");
  }
  std::vector<std::string> command{config.program_folder + "/steno"};
  for (std::string& flag : said_flags(config)) command.push_back(std::move(flag));
  command.emplace_back("serve");
  for (const std::string& word : command) {
    if (word.find('\n') != std::string::npos) {
      return fail(kExitUsage, "a unit cannot hold a line end: " + workers::safe_line(word));
    }
  }
  if (const auto ok = write_unit(*path, unit_text(command, variable("PATH"))); !ok) {
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
  if (was_active) {
    remark("it runs, as it was started; systemctl --user restart steno takes what has changed");
    return kExitOk;
  }
  const auto started = done(systemctl({"start", kUnit}, kStart), "it was not started");
  if (!started) {
    return fail(kExitFailed, started.error().text + "; `steno service logs` says why");
  }
  remark("steno runs as a service, and starts again with this machine; steno service status");
  return kExitOk;
}

Outcome<int> service_uninstall(const Config& config, const NoArguments&) {
  const auto path = unit_path();
  if (!path) return tl::unexpected(path.error());
  if (!std::filesystem::exists(*path)) {
    return fail(kExitNotFound, "there is no " + *path + ", so no service was installed");
  }
  if (const auto ok = check_systemd(); !ok) return tl::unexpected(ok.error());
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
  if (const auto ok = check_systemd(); !ok) return tl::unexpected(ok.error());
  const bool is_own = std::filesystem::exists(*path);
  const std::string enabled = first_line(systemctl({"is-enabled", kUnit}).output);
  const std::string state = first_line(systemctl({"is-active", kUnit}).output);
  const std::int64_t pid = workers::data_holder(config.data_folder).pid;
  if (config.output == OutputFormat::table) {
    Fields fields;
    fields.add("unit", is_own ? *path : "not installed by steno service install");
    fields.add("starts by itself", enabled);
    fields.add("state", state);
    fields.add("server", pid == 0 ? "none for the log in " + config.data_folder
                                  : "process " + std::to_string(pid) + "; steno status");
    print(fields.text());
  } else {
    print(workers::JsonObject()
              .add("unit", is_own ? *path : std::string())
              .add("enabled", enabled)
              .add("state", state)
              .add("pid", pid)
              .text() +
          "\n");
  }
  return state == "active" ? kExitOk : kExitUnreachable;
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
