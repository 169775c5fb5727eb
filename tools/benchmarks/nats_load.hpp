// NATS JetStream as the target of a load: a stream in files; each request is an acknowledged
// publication. It acknowledges before its fsync, which comes every two minutes, so it promises less
// than all others here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/benchmarks/child_process.hpp"
#include "tools/benchmarks/load.hpp"
#include "tools/benchmarks/socket_stream.hpp"
#include "tools/benchmarks/workbench.hpp"

namespace benchmarks {

class NatsServer {
 public:
  // Listens on loopback, on a port of its own choice. Error not_found: it is not installed.
  static base::Result<std::unique_ptr<NatsServer>> start(Workbench& bench);

  int port() const { return port_; }
  const std::string& version() const { return version_; }

 private:
  std::unique_ptr<ChildProcess> process_;
  int port_ = 0;
  std::string version_;
};

class NatsLoad final : public LoadTarget {
 public:
  // Requests use the connections by turns.
  static base::Result<std::unique_ptr<NatsLoad>> connect(const NatsServer& server,
                                                         std::size_t connections,
                                                         std::size_t value_bytes);

  base::Result<void> start(std::size_t slot) override;
  base::Result<void> advance(std::vector<std::size_t>& done) override;
  base::Result<void> wait(int timer_fd) override;

 private:
  explicit NatsLoad(std::size_t value_bytes) : value_(value_bytes, 'v') {}

  const base::Bytes value_;
  std::vector<SocketStream> connections_;
};

}  // namespace benchmarks
