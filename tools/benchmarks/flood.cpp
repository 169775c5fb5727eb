// Sends through the product's client socket without waiting for answers, and reads them only to
// keep the queue moving.
#include "tools/benchmarks/flood.hpp"

#include <cstdint>
#include <cstdio>
#include <thread>

#include "bus/context.hpp"
#include "bus/frames.hpp"
#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "workers/protocol/status.hpp"

namespace benchmarks {
namespace {

constexpr Nanoseconds kFloodBeginMax = std::chrono::seconds(30);
constexpr base::Duration kFloodPause = std::chrono::milliseconds(1);  // while the queue is full
constexpr std::size_t kListItems = 9'400'000;                         // one byte each
constexpr int kFloodBurst = 256;  // sent between two reads of the answers
// Large frames in a burst: as many as can wait at the server and a few more. More would wait in
// this process. The next burst starts when the server has answered a query behind these, or after
// kLargeBurstMax.
constexpr int kLargeBurst = 20;
constexpr base::Duration kLargeBurstMax = std::chrono::milliseconds(500);

class Flood {
 public:
  Flood(bus::ClientSocket& socket, FloodKind kind) : socket_(socket), kind_(kind) {
    if (kind_ == FloodKind::lists) large_ = list_body();
    if (kind_ == FloodKind::large) large_ = prompt_body();
  }

  base::Result<void> begin() {
    bus::Hello hello;
    hello.role = bus::Role::client;
    hello.name = "flood";
    hello.protocol_lowest = bus::kProtocolLowest;
    hello.protocol_highest = bus::kProtocolHighest;
    if (auto ok = send(bus::encode_frame(hello)); !ok) return ok;
    return send(request(session_, spawn_command()));
  }

  base::Result<void> burst() {
    if (!large_.encoded.empty()) return large_burst();
    for (int i = 0; i < kFloodBurst; ++i) {
      if (!socket_.send(request(fresh(), domain::SendPrompt{"flood", false}))) return pause();
    }
    read();
    return {};
  }

  base::Result<void> large_burst() {
    for (int i = 0; i < kLargeBurst; ++i) {
      if (auto ok = send(bus::encode_frame(
              bus::Request{fresh(), std::string(workers::kVerbCommand), large_, 1}));
          !ok) {
        return ok;
      }
    }
    const base::CommandId last = fresh();
    const base::Duration end = clock_.boot() + kLargeBurstMax;
    if (auto ok =
            send(bus::encode_frame(bus::Request{last, std::string(workers::kVerbStatus), {}, 1}));
        !ok) {
      return ok;
    }
    while (clock_.boot() < end) {
      while (const auto answer = socket_.receive()) {
        const auto frame = bus::decode_frame(*answer);
        const auto* reply = frame ? std::get_if<bus::Reply>(&*frame) : nullptr;
        if (reply != nullptr && reply->id == last) return {};
      }
      bus::PollItem items[] = {bus::PollItem::of(socket_)};
      if (const auto polled = bus::poll(items, kFloodPause); !polled) {
        return tl::unexpected(polled.error());
      }
    }
    return {};
  }

 private:
  base::CommandId fresh() { return base::CommandId::make(clock_.wall(), random_); }

  base::Bytes request(const base::CommandId& id, const domain::Command& command) const {
    workers::CommandBody body = workers::encode_command(command);
    body.session = base::SessionId{session_.bytes};
    body.agent = kLogAgent;
    return bus::encode_frame(
        bus::Request{id, std::string(workers::kVerbCommand), bus::to_body(body), 1});
  }

  base::RawValue prompt_body() const {
    workers::CommandBody body =
        workers::encode_command(domain::SendPrompt{std::string(kListItems, 'x'), false});
    body.session = base::SessionId{session_.bytes};
    body.agent = kLogAgent;
    return bus::to_body(body);
  }

  base::RawValue list_body() const {
    base::Bytes spawn;
    base::MsgpackWriter out(spawn);
    out.map(1);
    out.text("spec");
    out.map(1);
    out.text("allowed_tools");
    out.array(kListItems);
    spawn.append(kListItems, static_cast<char>(0xa0));
    workers::CommandBody body;
    body.type = domain::Spawn::kType;
    body.body.encoded = std::move(spawn);
    body.session = base::SessionId{session_.bytes};
    body.agent = kLogAgent;
    return bus::to_body(body);
  }

  // Retries until the frame is queued.
  base::Result<void> send(const base::Bytes& frame) {
    while (!socket_.send(frame)) {
      if (auto ok = pause(); !ok) return ok;
    }
    return {};
  }
  base::Result<void> pause() {
    read();
    bus::PollItem items[] = {bus::PollItem::of(socket_)};
    const auto polled = bus::poll(items, kFloodPause);
    if (!polled) return tl::unexpected(polled.error());
    return {};
  }
  void read() {
    if (kind_ == FloodKind::deaf) return;
    while (socket_.receive()) continue;
  }

  bus::ClientSocket& socket_;
  const FloodKind kind_;
  base::SystemClock clock_;
  base::SystemRandom random_;
  const base::CommandId session_ = fresh();
  base::RawValue large_;  // the body of the large frames; empty: this kind sends small ones
};

void tell_begun() {
  std::printf("floods\n");
  std::fflush(stdout);
}

[[noreturn]] void compute() {
  volatile std::uint64_t sum = 0;
  for (;;) sum = sum + 1;
}

}  // namespace

base::Result<std::unique_ptr<ChildProcess>> start_flood(Workbench& bench, const StenoServer& server,
                                                        FloodKind kind) {
  const std::string spec = std::to_string(static_cast<int>(kind)) + "," + server.command_endpoint();
  auto child = ChildProcess::start({bench.program("steno-bench"), "--flood", spec},
                                   bench.fresh_folder("flood") + "/flood.log");
  if (!child) return child;
  if (auto begun = (*child)->read_line(kFloodBeginMax); !begun) {
    return tl::unexpected(begun.error());
  }
  return child;
}

int run_flood(const std::string& spec) {
  const std::size_t comma = spec.find(',');
  const auto kind = static_cast<FloodKind>(std::stoi(spec));
  if (kind == FloodKind::compute) {
    const std::jthread other(compute);
    tell_begun();
    compute();
  }
  bus::Context context;
  auto socket = bus::connect_client(context, spec.substr(comma + 1));
  if (!socket) return 1;
  Flood flood(**socket, kind);
  if (auto ok = flood.begin(); !ok) return 1;
  for (bool is_told = false;; is_told = true) {
    if (auto ok = flood.burst(); !ok) return 1;
    if (!is_told) tell_begun();
  }
}

}  // namespace benchmarks
