// rate_64_over_rocksdb, …_sqlite, …_postgresql, …_jetstream: accepted commands a second with 64
// outstanding, over those of another store with as many, and values as large as Steno's requests.
// By turns; then each in an open loop at half its rate. These rows have no goals.
#include <fmt/format.h>

#include "tools/benchmarks/embedded_load.hpp"
#include "tools/benchmarks/nats_load.hpp"
#include "tools/benchmarks/postgres_load.hpp"
#include "tools/benchmarks/rate_subject.hpp"
#include "tools/benchmarks/rows.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kPeersOutstanding = 64;
constexpr std::size_t kPeersWarmUpCount = 500;
constexpr Nanoseconds kPeersWarmUpMax = std::chrono::seconds(2);

// A store that Steno is compared with, and its load.
struct Peer {
  std::string text;
  std::unique_ptr<LoadTarget> load;
  std::size_t outstanding = kPeersOutstanding;
  Rounds rounds{};
};

struct Peers {
  std::vector<Peer> all;  // the figure is over the first one
  std::string remark;
};

// `open` starts the peers for values of that size; they live as long as `open`'s captures.
template <class Open>
base::Result<Figure> measure(Workbench& bench, const std::string& peer_name, Open open) {
  const int turns = bench.is_quick() ? 4 : 20;
  const Nanoseconds duration = std::chrono::milliseconds(bench.is_quick() ? 350 : 1000);
  const std::string row = "rate_64_over_" + peer_name;
  bench.progress(row);
  auto server = StenoServer::start(bench, row);
  if (!server) return tl::unexpected(server.error());
  auto steno = RateSubject::start(bench, std::move(*server), {kLoadConnections});
  if (!steno) return tl::unexpected(steno.error());
  auto peers = open(steno->load->request_bytes());
  if (!peers && peers.error().code == base::ErrorCode::not_found) {
    bench.note_absent(peer_name);
    return Figure{};
  }
  if (!peers) return tl::unexpected(peers.error());
  for (Peer& peer : peers->all) {
    const auto warm =
        run_closed_loop(*peer.load, {peer.outstanding, kPeersWarmUpMax, kPeersWarmUpCount});
    if (!warm) return tl::unexpected(warm.error());
  }
  for (int turn = 0; turn < turns; ++turn) {
    bench.progress(fmt::format("{} {}/{}", row, turn + 1, turns));
    if (auto ok = steno->run(kPeersOutstanding, duration); !ok) return tl::unexpected(ok.error());
    for (Peer& peer : peers->all) {
      const auto result = run_closed_loop(*peer.load, {peer.outstanding, duration, kTurnCountMax});
      if (!result) return tl::unexpected(result.error());
      peer.rounds.add(*result);
    }
  }
  Figure figure;
  figure.value = median_ratio(steno->rounds, peers->all.front().rounds);
  figure.raw.push_back(describe("steno, 64 outstanding", steno->rounds));
  const auto open_of_steno = open_loop_text("steno", *steno, 2 * duration);
  if (!open_of_steno) return tl::unexpected(open_of_steno.error());
  figure.raw.push_back(*open_of_steno);
  for (Peer& peer : peers->all) {
    figure.raw.push_back(describe(peer.text, peer.rounds));
    const double half = peer.rounds.rate() / 2;
    const auto slow = run_open_loop(
        *peer.load, {half, 2 * duration, std::chrono::microseconds(250), peer.outstanding});
    if (!slow) return tl::unexpected(slow.error());
    figure.raw.push_back(describe_open("the same", half, *slow));
  }
  figure.raw.push_back(fmt::format("{} turns of {:.2f} s; values of {} B{}", turns,
                                   seconds(duration), steno->load->request_bytes(), peers->remark));
  return figure;
}

}  // namespace

base::Result<Figure> measure_over_rocksdb(Workbench& bench) {
  return measure(bench, "rocksdb", [&](std::size_t value_bytes) -> base::Result<Peers> {
    auto load = open_rocksdb_load(bench.fresh_folder("rocksdb"), value_bytes);
    if (!load) return tl::unexpected(load.error());
    Peers peers;
    peers.all.push_back({"rocksdb alone, all of 64 in one synced write", std::move(*load)});
    peers.remark = "; rocksdb within the benchmark, without a server, a client or a decision";
    return peers;
  });
}

base::Result<Figure> measure_over_sqlite(Workbench& bench) {
  return measure(bench, "sqlite", [&](std::size_t value_bytes) -> base::Result<Peers> {
    Peers peers;
    for (const std::size_t outstanding : {kPeersOutstanding, std::size_t{1}}) {
      auto load =
          open_sqlite_load(bench.fresh_folder(fmt::format("sqlite-{}", outstanding)), value_bytes);
      if (!load) return tl::unexpected(load.error());
      peers.all.push_back(
          {fmt::format("sqlite {}, WAL, FULL, {}", sqlite_version(),
                       outstanding == 1 ? "one a transaction" : "all of 64 in one transaction"),
           std::move(*load), outstanding});
    }
    peers.remark = "; sqlite within the benchmark, without a server or a client";
    return peers;
  });
}

base::Result<Figure> measure_over_postgresql(Workbench& bench) {
  std::unique_ptr<PostgresServer> server;
  return measure(bench, "postgresql", [&](std::size_t value_bytes) -> base::Result<Peers> {
    auto started = PostgresServer::start(bench);
    if (!started) return tl::unexpected(started.error());
    server = std::move(*started);
    Peers peers;
    for (const bool notifies : {false, true}) {
      auto load = PostgresLoad::connect(*server, {kPeersOutstanding, value_bytes, notifies});
      if (!load) return tl::unexpected(load.error());
      peers.all.push_back(
          {fmt::format("postgresql {}, INSERT{}", server->version(), notifies ? " and NOTIFY" : ""),
           std::move(*load)});
    }
    peers.remark = "; postgresql over 64 connections, fsync and synchronous_commit on";
    return peers;
  });
}

base::Result<Figure> measure_over_jetstream(Workbench& bench) {
  std::unique_ptr<NatsServer> server;
  return measure(bench, "jetstream", [&](std::size_t value_bytes) -> base::Result<Peers> {
    auto started = NatsServer::start(bench);
    if (!started) return tl::unexpected(started.error());
    server = std::move(*started);
    auto load = NatsLoad::connect(*server, kLoadConnections, value_bytes);
    if (!load) return tl::unexpected(load.error());
    Peers peers;
    peers.all.push_back(
        {fmt::format("nats jetstream {}, which acknowledges BEFORE its fsync", server->version()),
         std::move(*load)});
    peers.remark = "; 4 connections each";
    return peers;
  });
}

}  // namespace benchmarks
