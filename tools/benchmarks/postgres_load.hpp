// PostgreSQL as the target of a load: a private cluster on a Unix socket, with fsync and
// synchronous_commit on, as by default. Every request is one prepared INSERT in its own
// transaction, with or without a NOTIFY, on a connection with nothing else outstanding.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/benchmarks/child_process.hpp"
#include "tools/benchmarks/load.hpp"
#include "tools/benchmarks/socket_stream.hpp"
#include "tools/benchmarks/workbench.hpp"

namespace benchmarks {

class PostgresServer {
 public:
  // Runs as the user `postgres` if this program is root's, because PostgreSQL refuses to run as
  // root. Error not_found: it is not installed.
  static base::Result<std::unique_ptr<PostgresServer>> start(Workbench& bench);

  const std::string& version() const { return version_; }
  std::string socket_path() const { return folder_ + "/.s.PGSQL.5432"; }

 private:
  std::unique_ptr<ChildProcess> process_;
  std::string folder_;
  std::string version_;
};

class PostgresLoad final : public LoadTarget {
 public:
  // Opens one connection for each outstanding request.
  static base::Result<std::unique_ptr<PostgresLoad>> connect(const PostgresServer& server,
                                                             std::size_t outstanding,
                                                             std::size_t value_bytes,
                                                             bool notifies);

  base::Result<void> start(std::size_t slot) override;
  base::Result<void> advance(std::vector<std::size_t>& done) override;
  base::Result<void> wait(int timer_fd) override;

 private:
  explicit PostgresLoad(std::size_t value_bytes) : value_(value_bytes, 'v') {}

  const base::Bytes value_;
  std::vector<SocketStream> connections_;
  std::vector<bool> is_outstanding_;
};

}  // namespace benchmarks
