// Where the server of a data folder listens, as a file beside the folder's lock says. Whoever knows
// the data folder finds the server, whatever its own environment is. The file counts only while the
// process that wrote it holds the lock, so one that a killed server left is never believed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/base/time.hpp"

namespace workers {

enum class ServerPhase { starting, serving, stopping };

struct ServerPlace {
  std::int64_t pid = 0;
  ServerPhase phase = ServerPhase::starting;
  base::Time since;           // wall time of its start
  base::Duration stop_max{};  // how long its stop can take, from the first signal on
  std::string release;
  std::string run_folder;  // of its sockets
  std::string log_file;    // what it logs to, if that is a file; empty: a terminal or a pipe

  bool operator==(const ServerPlace&) const = default;
};

// Lines of "KEY VALUE": "pid 412\nphase serving\n…".
std::string encode(const ServerPlace& place);

// The files in a data folder: the lock of its server, and the one that says where that listens.
std::string data_lock_of(const std::string& data_folder);
std::string server_place_of(const std::string& data_folder);

// The process that has a data folder's log open for writing.
struct DataHolder {
  std::int64_t pid = 0;              // 0: none does
  std::optional<ServerPlace> place;  // none: an older release, or another command

  bool is_there() const { return pid != 0; }
};

// Asks the lock, then reads the file. A file that belongs to another user, or that others can
// write, is not read. One that is cut short, or names no process or folder, tells no place; keys
// that are not known are skipped. A folder that cannot be looked at has no holder.
DataHolder data_holder(const std::string& data_folder);

// True if the process has the file open: a pid that a lock file names can belong to anybody by now.
bool has_open(std::int64_t pid, const std::string& path);

}  // namespace workers

template <>
struct base::EnumNames<workers::ServerPhase> {
  static constexpr std::string_view kNames[] = {"starting", "serving", "stopping"};
};
