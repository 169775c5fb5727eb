// The raw limit of a request to another process over ZeroMQ: a ROUTER that answers and a DEALER
// that asks, over ipc. Each is a process of its own with blocking calls and nothing else.
#pragma once

#include <memory>
#include <string>

#include "tools/benchmarks/child_process.hpp"

namespace benchmarks {

// The two processes' own parts; both return an exit code. The server answers with `reply_bytes`
// until it is ended. The client reads "<count> <bytes>\n" on stdin and asks that often. It answers
// each line with that many times in nanoseconds, as 8 bytes in the byte order of this machine.
int run_echo_server(const std::string& endpoint_and_reply_bytes);
int run_echo_client(const std::string& endpoint);

class Echo {
 public:
  // `program` is this one; `folder` holds the socket and the processes' stderr.
  static base::Result<std::unique_ptr<Echo>> start(const std::string& program,
                                                   const std::string& folder,
                                                   std::size_t reply_bytes);
  base::Result<Latencies> ask(std::size_t count, std::size_t request_bytes);

 private:
  Echo(std::unique_ptr<ChildProcess> server, std::unique_ptr<ChildProcess> client)
      : server_(std::move(server)), client_(std::move(client)) {}

  std::unique_ptr<ChildProcess> server_;
  std::unique_ptr<ChildProcess> client_;
};

}  // namespace benchmarks
