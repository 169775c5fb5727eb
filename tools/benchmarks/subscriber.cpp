// Takes the time of each event in the process that receives it, on the clock that both processes
// share.
#include "tools/benchmarks/subscriber.hpp"

#include <cstdio>
#include <cstring>

#include "bus/client.hpp"
#include "bus/poller.hpp"
#include "bus/subscription.hpp"
#include "bus/zmq_sockets.hpp"
#include "eventlog/base/release.hpp"
#include "tools/benchmarks/failure.hpp"

namespace benchmarks {
namespace {

constexpr base::Duration kPageMax = std::chrono::seconds(10);
constexpr Nanoseconds kSubscriberAnswerMax = std::chrono::seconds(30);

// A feed, a connection for reading lost events, and the loop that both need.
class Following {
 public:
  Following(bus::ClientSocket& commands, bus::SubscriberSocket& feed)
      : commands_(commands),
        feed_(feed),
        client_(commands, clock_, random_, client_options()),
        reader_(client_, kPageMax),
        subscription_(feed, reader_, random_, subscription_options()) {}

  enum class Step { event, work, waited };

  base::Result<Step> step() {
    const base::Duration at = clock_.boot();
    const int work = client_.do_work(at) + subscription_.do_work(at);
    if (auto event = subscription_.receive()) {
      if (!*event) return tl::unexpected(event->error());
      return Step::event;
    }
    if (work > 0) return Step::work;
    bus::PollItem items[] = {bus::PollItem::of(commands_), bus::PollItem::of(feed_)};
    items[0].wants_write = client_.wants_write();
    const base::Duration next = std::min(client_.next_timer(), subscription_.next_timer());
    const auto ready = bus::poll(items, next - at);
    if (!ready) return tl::unexpected(ready.error());
    return Step::waited;
  }

  // Receives until nothing is left and the subscription is live.
  base::Result<void> drain() {
    for (;;) {
      const auto stepped = step();
      if (!stepped) return tl::unexpected(stepped.error());
      if (*stepped == Step::waited && subscription_.is_live()) return {};
    }
  }

 private:
  static bus::ClientOptions client_options() {
    bus::ClientOptions options;
    options.hello.role = bus::Role::client;
    options.hello.name = "bench";
    options.hello.release = base::release();
    return options;
  }
  static bus::SubscriptionOptions subscription_options() {
    bus::SubscriptionOptions options;
    options.level = bus::kAllLevel;
    return options;
  }

  base::SystemClock clock_;
  base::SystemRandom random_;
  bus::ClientSocket& commands_;
  bus::SubscriberSocket& feed_;
  bus::Client client_;
  bus::ClientLogReader reader_;
  bus::Subscription subscription_;
};

}  // namespace

int run_subscriber(const std::string& endpoints) {
  const std::size_t comma = endpoints.find(',');
  bus::Context context;
  auto commands = bus::connect_client(context, endpoints.substr(0, comma));
  auto feed = bus::connect_subscriber(context, endpoints.substr(comma + 1));
  if (!commands) return fail(commands.error());
  if (!feed) return fail(feed.error());
  Following following(**commands, **feed);
  std::size_t count = 0;
  while (std::scanf("%zu", &count) == 1) {
    if (auto ok = following.drain(); !ok) return fail(ok.error());
    std::printf("live\n");
    std::fflush(stdout);
    std::vector<std::int64_t> moments;
    while (moments.size() < count) {
      const auto stepped = following.step();
      if (!stepped) return fail(stepped.error());
      if (*stepped == Following::Step::event) moments.push_back(now().count());
    }
    std::fwrite(moments.data(), sizeof moments[0], moments.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}

base::Result<std::unique_ptr<Subscriber>> Subscriber::start(Workbench& bench,
                                                            const StenoServer& server) {
  auto process = ChildProcess::start({bench.program("steno-bench"), "--subscriber",
                                      server.command_endpoint() + "," + server.feed_endpoint()},
                                     bench.fresh_folder("subscriber") + "/errors");
  if (!process) return tl::unexpected(process.error());
  return std::unique_ptr<Subscriber>(new Subscriber(std::move(*process)));
}

base::Result<void> Subscriber::expect(std::size_t count) {
  if (auto ok = process_->write(std::to_string(count) + "\n"); !ok) return ok;
  const auto live = process_->read_line(kSubscriberAnswerMax);
  if (!live) return tl::unexpected(live.error());
  return {};
}

base::Result<std::vector<Nanoseconds>> Subscriber::received(std::size_t count) {
  const auto bytes = process_->read_bytes(count * sizeof(std::int64_t), kSubscriberAnswerMax);
  if (!bytes) return tl::unexpected(bytes.error());
  std::vector<Nanoseconds> moments(count);
  std::memcpy(moments.data(), bytes->data(), bytes->size());
  return moments;
}

}  // namespace benchmarks
