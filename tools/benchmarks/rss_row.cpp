// rss_base_mb: resident memory of the server's process on an empty log, after its first answer.
#include <fmt/format.h>

#include "bus/client.hpp"
#include "bus/zmq_sockets.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/steno_server.hpp"
#include "workers/protocol/status.hpp"

namespace benchmarks {
namespace {

constexpr double kKibPerMb = 1000.0 * 1000.0 / 1024.0;
constexpr base::Duration kStatusAnswerMax = std::chrono::seconds(10);

base::Result<void> ask_status(Workbench& bench, const StenoServer& server) {
  auto socket = bus::connect_client(bench.context(), server.command_endpoint());
  if (!socket) return tl::unexpected(socket.error());
  bus::ClientOptions options;
  options.hello.name = "steno";
  bus::Client client(**socket, bench.clock(), bench.random(), options);
  const auto reply = client.request(workers::kVerbStatus, {}, kStatusAnswerMax);
  if (!reply) return tl::unexpected(reply.error());
  return {};
}

}  // namespace

base::Result<Figure> measure_rss_base(Workbench& bench) {
  bench.progress("rss_base_mb");
  const auto server = StenoServer::start(bench, "rss");
  if (!server) return tl::unexpected(server.error());
  if (auto ok = ask_status(bench, **server); !ok) return tl::unexpected(ok.error());
  const auto mb = [&](const char* name) {
    return static_cast<double>(memory_kib((*server)->pid(), name)) / kKibPerMb;
  };
  const double resident = mb("VmRSS");
  return Figure{resident,
                {fmt::format("VmRSS {:.1f} MB: {:.1f} MB of its own, {:.1f} MB of files mapped; "
                             "highest so far {:.1f} MB; {} threads",
                             resident, mb("RssAnon"), mb("RssFile"), mb("VmHWM"),
                             memory_kib((*server)->pid(), "Threads"))}};
}

}  // namespace benchmarks
