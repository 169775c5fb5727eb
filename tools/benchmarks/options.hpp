// What `steno-bench` was asked for on its command line.
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
  // How the program starts its own second process; see echo.hpp, subscriber.hpp,
  // feed_subscriber.hpp, flood.hpp.
  std::string echo_server;  // an endpoint
  std::string echo_client;  // an endpoint
  std::string subscriber;   // a server's endpoints
  std::string feed_subscriber;
  std::string flood;  // of what, and a server's endpoint
};

// Error invalid: an unknown flag, a flag without its value, an unknown row.
base::Result<Options> parse_options(const std::vector<std::string>& arguments);

std::string help_text();

}  // namespace benchmarks
