// The server is ready when it prints its first line, which is "ready".
#include "tools/benchmarks/steno_server.hpp"

#include <filesystem>

#include "eventlog/base/list_files.hpp"

namespace benchmarks {
namespace {

constexpr Nanoseconds kServerReadyMax = std::chrono::seconds(30);

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
