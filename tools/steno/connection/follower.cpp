// Polls client, subscription, input and Ctrl-C together, and checks once a second whether the
// server still holds its lock.
#include "tools/steno/connection/follower.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "tools/steno/text/console.hpp"

namespace steno {

Follower::Follower(Connection& connection, std::unique_ptr<bus::SubscriberSocket> socket,
                   workers::LevelFollowerOptions options)
    : connection_(connection),
      socket_(std::move(socket)),
      level_(*socket_, connection.client(), connection.clock(), connection.random(),
             std::move(options)) {}

Outcome<std::unique_ptr<Follower>> Follower::open(Connection& connection, std::string level,
                                                  base::Position after) {
  auto socket = bus::connect_subscriber(connection.context(), connection.endpoints().feed);
  if (!socket) return fail(socket.error());
  workers::LevelFollowerOptions options;
  options.level = std::move(level);
  options.after = after;
  options.page_timeout = connection.config().timeout;
  options.command_endpoint = connection.endpoints().command;
  return std::unique_ptr<Follower>(
      new Follower(connection, std::move(*socket), std::move(options)));
}

Outcome<Wake> Follower::wait(const WaitFor& wanted) {
  Interrupts* interrupts = connection_.interrupts();
  while (true) {
    const base::Duration now = connection_.clock().boot();
    const int work = level_.do_work(now);
    // Checked first, so that a flood of events does not delay Ctrl-C.
    if (interrupts != nullptr && interrupts->take()) return Wake::interrupted;
    if (auto received = level_.receive()) {
      if (!*received) return fail(received->error());
      event_ = std::move(**received);
      return Wake::event;
    }
    if (wanted.until && now >= *wanted.until) return Wake::timer;
    tell_presence();
    if (work > 0) continue;

    workers::ServerClient& client = connection_.client();
    std::array<bus::PollItem, 5> items{bus::PollItem::of(client.socket()),
                                       bus::PollItem::of(*socket_)};
    items[0].wants_write = client.wants_write();
    items[2].fd = wanted.input_fd;
    if (interrupts != nullptr) items[3].fd = interrupts->fd();
    // Only an end or an error of the output matters; nothing is read from it.
    items[4].fd = wanted.output_fd;
    items[4].wants_read = false;
    base::Duration timer = level_.next_timer();
    if (wanted.until) timer = std::min(timer, *wanted.until);
    flush();  // whoever reads the output has all of it while nothing happens
    const auto ready = bus::poll(items, timer - now);
    if (!ready) return fail(ready.error());
    if (items[2].is_readable) return Wake::input;
    if (items[4].is_readable) return Wake::output_closed;
  }
}

void Follower::tell_presence() {
  const workers::Presence presence = level_.presence();
  if (presence == workers::Presence::there) {
    if (std::exchange(is_silence_told_, false)) remark("steno: the server is back");
    return;
  }
  if (std::exchange(is_silence_told_, true)) return;
  remark(presence == workers::Presence::gone
             ? "steno: the server has ended; waiting for another one, Ctrl-C gives up"
             : "steno: the server does not answer; waiting for it, Ctrl-C gives up");
}

}  // namespace steno
