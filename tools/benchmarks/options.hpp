// The command line of `steno-bench`.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/result.hpp"

namespace benchmarks {

struct Options {
  std::vector<std::string> only;    // names of rows; empty: all
  std::string json_file;            // empty: none
  std::string folder = "/var/tmp";  // on the disk under test
  std::string commit = "unknown";
  bool is_quick = false;
  bool wants_help = false;
  // Arguments of the program's own child processes; see echo.hpp, subscriber.hpp,
  // feed_subscriber.hpp, flood.hpp.
  std::string echo_server;  // an endpoint
  std::string echo_client;  // an endpoint
  std::string subscriber;   // endpoints of a server
  std::string feed_subscriber;
  std::string flood;  // kind, and a server's endpoint
};

// Error invalid: an unknown flag, a flag without its value, or an unknown row.
base::Result<Options> parse_options(const std::vector<std::string>& arguments);

std::string help_text();

}  // namespace benchmarks
