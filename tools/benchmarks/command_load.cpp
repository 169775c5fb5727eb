// Each connection is a bus::Client; all of them are polled at once.
#include "tools/benchmarks/command_load.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "eventlog/base/release.hpp"

namespace benchmarks {
namespace {

constexpr std::string_view kActor = "bench";
constexpr base::Duration kRequestMax = std::chrono::seconds(15);
constexpr base::Duration kWaitMax = std::chrono::seconds(1);

// Returns the size of a frame without its body.
std::size_t request_frame_bytes() {
  static const std::size_t kBytes =
      bus::encode_frame(bus::Request{{}, std::string(workers::kVerbCommand), {}}).size();
  return kBytes;
}
std::size_t reply_frame_bytes() {
  static const std::size_t kBytes = bus::encode_frame(bus::Reply{}).size();
  return kBytes;
}

}  // namespace

base::Result<void> CommandLoad::connect(const StenoServer& server, std::size_t connections) {
  for (std::size_t i = 0; i < connections; ++i) {
    auto socket = bus::connect_client(bench_.context(), server.command_endpoint());
    if (!socket) return tl::unexpected(socket.error());
    Connection& connection = connections_.emplace_back();
    connection.socket = std::move(*socket);
    bus::ClientOptions client;
    client.hello.role = bus::Role::client;
    client.hello.name = kActor;
    client.hello.release = base::release();
    client.endpoint = server.command_endpoint();
    connection.client =
        std::make_unique<bus::Client>(*connection.socket, bench_.clock(), bench_.random(), client);
  }
  return {};
}

base::Result<void> CommandLoad::send(std::size_t slot, const base::CommandId& id,
                                     workers::CommandBody body) {
  body.actor = kActor;
  base::RawValue encoded = bus::to_body(body);
  request_bytes_ += encoded.encoded.size() + request_frame_bytes();
  ++requests_;
  Connection& connection = connections_[slot % connections_.size()];
  const auto started =
      connection.client->start(id, workers::kVerbCommand, std::move(encoded), kRequestMax);
  if (!started) return tl::unexpected(started.error());
  if (ids_.size() <= slot) ids_.resize(slot + 1);
  ids_[slot] = id;
  connection.slots.push_back(slot);
  return {};
}

base::Result<void> CommandLoad::advance(std::vector<std::size_t>& done) {
  for (Connection& connection : connections_) {
    const int heard = connection.client->do_work(bench_.clock().boot());
    if (heard == 0 && !has_waited_long_) continue;
    std::optional<base::Error> failed;
    std::erase_if(connection.slots, [&](std::size_t slot) {
      const auto outcome = connection.client->take(ids_[slot]);
      if (!outcome) return false;
      const auto finished =
          *outcome ? finish(slot, **outcome) : base::Result<void>(tl::unexpected(outcome->error()));
      if (!finished) failed = finished.error();
      done.push_back(slot);
      return true;
    });
    if (failed) return tl::unexpected(*failed);
  }
  has_waited_long_ = false;
  return {};
}

base::Result<void> CommandLoad::wait(int timer_fd) {
  base::Duration next = kWaitMax;
  std::vector<bus::PollItem> items;
  for (const Connection& connection : connections_) {
    items.push_back(bus::PollItem::of(*connection.socket));
    items.back().wants_write = connection.client->wants_write();
    next = std::min(next, connection.client->next_timer() - bench_.clock().boot());
  }
  if (timer_fd >= 0) items.push_back(bus::PollItem::of(timer_fd));
  const auto ready = bus::poll(items, next);
  if (!ready) return tl::unexpected(ready.error());
  has_waited_long_ = *ready == 0;
  return {};
}

base::Result<void> CommandLoad::refused(const bus::Reply& reply) {
  return base::failure(base::ErrorCode::refused, "a command was refused: " + reply.text,
                       reply.code);
}

void CommandLoad::note(const bus::Reply& reply, base::Position position) {
  reply_bytes_ += reply.body.encoded.size() + reply_frame_bytes();
  if (accepted_++ == 0) first_position_ = position.value;
  first_position_ = std::min(first_position_, position.value);
  last_position_ = std::max(last_position_, position.value);
}

void CommandLoad::count_anew() {
  requests_ = request_bytes_ = reply_bytes_ = 0;
  first_position_ = last_position_ = accepted_ = 0;
}

base::Result<void> CommandLoad::check_appended() const {
  const std::int64_t appended = last_position_ - first_position_ + 1;
  if (accepted_ == appended) return {};
  return base::failure(
      base::ErrorCode::damaged,
      fmt::format("{} commands were accepted, but the log grew by {} events", accepted_, appended));
}

std::int64_t CommandLoad::resend_count() const {
  std::int64_t count = 0;
  for (const Connection& connection : connections_) count += connection.client->resend_count();
  return count;
}

}  // namespace benchmarks
