// Polls client, subscription, input and Ctrl-C together, and checks once a second whether the
// server still holds its lock.
#include "tools/steno/client/follower.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "tools/steno/text/console.hpp"

namespace steno {
namespace {

constexpr base::Duration kSilenceToldAfter = std::chrono::seconds(3);
constexpr base::Duration kLookEvery = std::chrono::seconds(1);

}  // namespace

Follower::Follower(Connection& connection, std::unique_ptr<bus::SubscriberSocket> socket,
                   bus::SubscriptionOptions options)
    : connection_(connection),
      socket_(std::move(socket)),
      reader_(connection.client(), connection.config().timeout),
      subscription_(*socket_, reader_, connection.random(), std::move(options)),
      progress_at_(connection.clock().boot()) {}

Outcome<std::unique_ptr<Follower>> Follower::open(Connection& connection, std::string level,
                                                  base::Position after) {
  auto socket = bus::connect_subscriber(connection.context(), connection.endpoints().feed);
  if (!socket) return fail(socket.error());
  bus::SubscriptionOptions options;
  options.level = std::move(level);
  options.after = after;
  // The command's reply came from this log; a restored log has other events at these positions.
  if (const auto& welcome = connection.client().welcome()) {
    options.identity = bus::LogIdentity{welcome->log, welcome->epoch};
  }
  return std::unique_ptr<Follower>(
      new Follower(connection, std::move(*socket), std::move(options)));
}

Outcome<Wake> Follower::wait(const WaitFor& wanted) {
  Interrupts* interrupts = connection_.interrupts();
  while (true) {
    const base::Duration now = connection_.clock().boot();
    bus::Client& client = connection_.client();
    int work = client.do_work(now);
    work += subscription_.do_work(now);
    // Checked first, so that a flood of events does not delay Ctrl-C.
    if (interrupts != nullptr && interrupts->take()) return Wake::interrupted;
    if (auto received = subscription_.receive()) {
      progress_at_ = now;
      if (!*received) return fail(received->error());
      event_ = std::move(**received);
      return Wake::event;
    }
    if (wanted.until && now >= *wanted.until) return Wake::timer;
    watch_silence(now, work > 0);
    if (work > 0) continue;

    std::array<bus::PollItem, 5> items{bus::PollItem::of(client.socket()),
                                       bus::PollItem::of(*socket_)};
    items[0].wants_write = client.wants_write();
    items[2].fd = wanted.input_fd;
    if (interrupts != nullptr) items[3].fd = interrupts->fd();
    // Only an end or an error of the output matters; nothing is read from it.
    items[4].fd = wanted.output_fd;
    items[4].wants_read = false;
    base::Duration timer = std::min(client.next_timer(), subscription_.next_timer());
    timer = std::min(timer, looked_at_ + kLookEvery);
    if (wanted.until) timer = std::min(timer, *wanted.until);
    const auto ready = bus::poll(items, timer - now);
    if (!ready) return fail(ready.error());
    if (items[2].is_readable) return Wake::input;
    if (items[4].is_readable) return Wake::output_closed;
  }
}

void Follower::watch_silence(base::Duration now, bool has_worked) {
  if (now - looked_at_ >= kLookEvery) {
    looked_at_ = now;
    is_gone_ = connection_.is_server_gone();
  }
  if (is_gone_) {
    if (!std::exchange(is_silence_told_, true)) {
      remark("steno: the server has ended; waiting for another one, Ctrl-C gives up");
    }
  } else if (has_worked || subscription_.is_live()) {
    progress_at_ = now;
    if (is_silence_told_ && subscription_.is_live()) {
      remark("steno: the server is back");
      is_silence_told_ = false;
    }
  } else if (!is_silence_told_ && now - progress_at_ >= kSilenceToldAfter) {
    remark("steno: the server does not answer; waiting for it, Ctrl-C gives up");
    is_silence_told_ = true;
  }
}

}  // namespace steno
