// The server is ready when it prints its first line, which is "ready".
#include "tools/benchmarks/steno_server.hpp"

#include <csignal>
#include <filesystem>

#include "eventlog/base/list_files.hpp"
#include "workers/processes/process_table.hpp"

namespace benchmarks {
namespace {

constexpr Nanoseconds kServerReadyMax = std::chrono::seconds(30);
// To end a thousand agents and their worker.
constexpr Nanoseconds kWorkerEndMax = std::chrono::minutes(1);

}  // namespace

base::Result<std::unique_ptr<StenoServer>> StenoServer::start(Workbench& bench,
                                                              const std::string& name,
                                                              const std::string& preload) {
  return start_in(bench, bench.fresh_folder(name), kServerReadyMax, preload);
}

base::Result<std::unique_ptr<StenoServer>> StenoServer::start_in(Workbench& bench,
                                                                 const std::string& home,
                                                                 Nanoseconds timeout,
                                                                 const std::string& preload) {
  std::vector<std::string> argv;
  if (!preload.empty()) argv = {"env", "LD_PRELOAD=" + preload};
  for (const std::string& argument :
       {bench.program("steno"), std::string("--home"), home, std::string("--max-sessions"),
        std::string("10000"), std::string("--log-level"), std::string("warn"), std::string("serve"),
        std::string("--role"), std::string("server")}) {
    argv.push_back(argument);
  }
  return start_process(argv, home, timeout);
}

base::Result<std::unique_ptr<StenoServer>> StenoServer::start_with_worker(
    Workbench& bench, const std::string& home, const std::vector<std::string>& flags) {
  // If this process is killed, SIGTERM ends the server and its worker; SIGKILL would leave the
  // worker behind. A worker that lost its server must not keep its agents for long.
  std::vector<std::string> argv = {
      "sh",
      "-c",
      "ulimit -n \"$(ulimit -Hn)\"; exec setpriv --pdeathsig TERM \"$@\"",
      "sh",
      bench.program("steno"),
      "--home",
      home,
      "--log-level",
      "warn",
      "--stop-grace",
      "1s",
      "--orphan-grace",
      "30s"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  argv.emplace_back("serve");
  auto server = start_process(argv, home, kServerReadyMax);
  if (server) (*server)->has_worker_ = true;
  return server;
}

StenoServer::~StenoServer() {
  if (!has_worker_ || process_->is_gone()) return;
  const auto worker = processes::read_process(worker_pid());
  process_->terminate(kWorkerEndMax);
  // A worker outlives a server that had to be killed.
  if (worker) processes::signal_process(*worker, SIGINT);
}

// A server without sinks of notifications has no other child.
int StenoServer::worker_pid() const {
  if (!has_worker_) return 0;
  for (const processes::ProcessRow& row : processes::all_processes()) {
    if (row.parent == process_->pid() && !row.has_ended()) return row.pid;
  }
  return 0;
}

base::Result<std::unique_ptr<StenoServer>> StenoServer::start_process(
    const std::vector<std::string>& argv, const std::string& home, Nanoseconds timeout) {
  auto process = ChildProcess::start(argv, home + ".log");
  if (!process) return tl::unexpected(process.error());
  const auto line = (*process)->read_line(timeout);
  if (!line) return tl::unexpected(line.error());
  std::unique_ptr<StenoServer> server(new StenoServer(std::move(*process), home));
  server->command_endpoint_ = "ipc://" + home + "/run/command.sock";
  server->feed_endpoint_ = "ipc://" + home + "/run/feed.sock";
  return server;
}

std::size_t StenoServer::write_ahead_bytes() const {
  std::size_t bytes = 0;
  for (const base::ListedFile& file :
       base::list_files(data_folder(home_) + "/log").value_or(std::vector<base::ListedFile>())) {
    std::error_code gone;
    const auto size = std::filesystem::file_size(file.path, gone);
    if (file.extension() == ".log" && !gone) bytes += size;
  }
  return bytes;
}

}  // namespace benchmarks
