// PostgreSQL as the target of a load: a private cluster on a Unix socket, with fsync and
// synchronous_commit on, as by default. Every request is one prepared statement in its own
// transaction, on a connection with nothing else outstanding.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eventlog/base/random.hpp"
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

  // Runs a statement on a connection of its own.
  base::Result<void> run(std::string_view statement) const;

  const std::string& version() const { return version_; }
  std::string socket_path() const { return folder_ + "/.s.PGSQL.5432"; }

 private:
  std::unique_ptr<ChildProcess> process_;
  std::string folder_;
  std::string version_;
};

struct PostgresLoadOptions {
  std::size_t outstanding = 1;
  std::size_t value_bytes = 0;
  bool notifies = false;  // of an INSERT
  // Empty: each request is an INSERT. Else it is an UPDATE of the value of one of these rows of the
  // table `entries` (key text, entry bytea, updated bigint), drawn at random.
  std::vector<std::string> keys{};
};

class PostgresLoad final : public LoadTarget {
 public:
  // Opens one connection for each outstanding request.
  static base::Result<std::unique_ptr<PostgresLoad>> connect(const PostgresServer& server,
                                                             PostgresLoadOptions options);

  base::Result<void> start(std::size_t slot) override;
  base::Result<void> advance(std::vector<std::size_t>& done) override;
  base::Result<void> wait(int timer_fd) override;

 private:
  explicit PostgresLoad(PostgresLoadOptions options)
      : value_(options.value_bytes, 'v'), keys_(std::move(options.keys)) {}

  const base::Bytes value_;
  const std::vector<std::string> keys_;
  base::SeededRandom drawn_{1};
  std::vector<SocketStream> connections_;
  std::vector<bool> is_outstanding_;
};

}  // namespace benchmarks
