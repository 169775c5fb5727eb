// Each step has one subscriber, whoever goes away, and the loop never waits for one.
#include "workers/reactors/hook_subscribers.hpp"

#include <poll.h>

#include <thread>

#include "bus/memory_bus.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/given_when_then.hpp"

namespace workers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kSubscriberEndpoint = "commands";

Hook guard_hook() {
  Hook hook;
  hook.name = "guard";
  hook.subscriber = "watch";
  hook.points = {domain::HookPoint::pre_tool_use};
  return hook;
}

// A subscriber's end of the wire.
struct WireSubscriber {
  std::unique_ptr<bus::ClientSocket> socket;
  int asked = 0;

  void say(const bus::Frame& frame) { REQUIRE(socket->send(bus::encode_frame(frame))); }
  void wish(const HookStepBody& body = {}) {
    const auto id = support::numbered<base::CommandId>(static_cast<std::uint8_t>(++asked));
    say(bus::Request{id, std::string(kVerbHookStep), bus::to_body(body), 0});
  }
  // Returns the reply to the last wish; none: there is none.
  std::optional<bus::Reply> reply() {
    while (const auto bytes = socket->receive()) {
      const auto frame = bus::decode_frame(*bytes);
      REQUIRE(frame);
      const auto* reply = std::get_if<bus::Reply>(&*frame);
      if (reply != nullptr) return *reply;
    }
    return std::nullopt;
  }
  HookStepAnswer step() {
    const auto got = reply();
    REQUIRE(got);
    REQUIRE(got->status == bus::ReplyStatus::ok);
    return *bus::from_body<HookStepAnswer>(got->body);
  }
};

class SubscribersWorld {
 public:
  WireSubscriber connect(const std::string& name = "watch") {
    WireSubscriber client{bus.connect_client(kSubscriberEndpoint, name)};
    client.say(bus::Hello{1, 1, bus::Role::hook, {}, name, "", ""});
    work();
    return client;
  }
  // One cycle, so much later.
  void work(base::Duration later = {}) {
    now += later;
    bus.advance(now);
    while (const auto frame = clients.receive(now)) {
      const auto* request = std::get_if<bus::Request>(&frame->message);
      REQUIRE(request != nullptr);
      subscribers.take(*frame->peer, request->key(), *bus::from_body<HookStepBody>(request->body),
                       now);
    }
    subscribers.do_work(now, base::Time{1});
    bus.advance(now);
  }
  // Asks on a thread of its own, as lanes do.
  std::thread ask(SubscriberAnswer& answer, bool is_asked_again = false) {
    std::thread asker([&, is_asked_again] {
      answer = mail.ask({"watch", "guard", "s#1", "{}", seconds(60), is_asked_again}, -1);
    });
    pollfd asked{mail.wake_fd(), POLLIN, 0};
    REQUIRE(::poll(&asked, 1, 60'000) == 1);
    return asker;
  }

  base::SeededRandom random{3};
  bus::MemoryBus bus{random};
  std::unique_ptr<bus::ServerSocket> socket = bus.bind_server(kSubscriberEndpoint);
  bus::FrameServer clients{*socket, {}};
  const HookTable table{std::vector<Hook>{guard_hook()}};
  SubscriberMail mail;
  HookSubscribers subscribers{clients, table, &mail, random};
  base::Duration now = seconds(100);
};

TEST_CASE("a subscriber hears of a step, or within a second that there is none", "[workers]") {
  SubscribersWorld life;
  WireSubscriber client = life.connect();
  client.wish();
  life.work();
  CHECK_FALSE(client.reply());
  life.work(HookSubscribers::kWishMax);
  CHECK_FALSE(client.step().asked.is_set());
  client.wish();
  life.work();
  SubscriberAnswer answer;
  std::thread asker = life.ask(answer);
  life.work();
  const HookStepAnswer step = client.step();
  CHECK(step.step == "s#1");
  CHECK(step.hook == "guard");
  CHECK(step.told == "{}");
  client.wish({step.asked, 2, "", "no"});
  life.work();
  asker.join();
  CHECK(answer.problem.empty());
  CHECK(answer.exit_code == 2);
  CHECK(answer.errors == "no");
}

TEST_CASE("a step is told again to a subscriber that was not told, and once answered never",
          "[workers]") {
  SubscribersWorld life;
  WireSubscriber client = life.connect();
  client.wish();
  life.work();
  SubscriberAnswer answer;
  std::thread asker = life.ask(answer);
  life.work();
  const HookStepAnswer step = client.step();
  client.wish();
  life.work();
  CHECK(client.step() == step);
  client.wish({step.asked, 0, "{}", ""});
  life.work();
  asker.join();
  client.wish({step.asked, 2, "", "late"});
  life.work(HookSubscribers::kWishMax);
  CHECK_FALSE(client.step().asked.is_set());
  CHECK(answer.output == "{}");
}

TEST_CASE("a step of a subscriber that goes away is another one's, or fails", "[workers]") {
  SubscribersWorld life;
  life.work();
  life.work(HookSubscribers::kReturnMax);
  std::optional<WireSubscriber> first = life.connect();
  first->wish();
  life.work();
  SubscriberAnswer answer;
  std::thread asker = life.ask(answer);
  life.work();
  const HookStepAnswer step = first->step();
  WireSubscriber second = life.connect();
  second.wish();
  life.work();
  first.reset();
  life.work(HookSubscribers::kProbeEvery);
  const HookStepAnswer again = second.step();
  CHECK(again.step == step.step);
  CHECK(again.asked != step.asked);
  second.socket.reset();
  life.work(HookSubscribers::kProbeEvery);
  asker.join();
  CHECK(answer.problem == "the subscriber watch went away before it answered");
}

TEST_CASE("without a subscriber a step fails, but not while it can still come back", "[workers]") {
  SubscribersWorld life;
  life.work();
  SubscriberAnswer answer;
  std::thread asker = life.ask(answer);
  life.work(HookSubscribers::kReturnMax - milliseconds(1));
  CHECK(life.subscribers.next_timer() == life.now + milliseconds(1));
  life.work(milliseconds(1));
  asker.join();
  CHECK(answer.problem == "no subscriber watch is connected");

  std::thread again = life.ask(answer, true);
  life.work(seconds(30));
  WireSubscriber client = life.connect();
  client.wish();
  life.work();
  client.wish({client.step().asked, 0, "late", ""});
  life.work();
  again.join();
  CHECK(answer.output == "late");
}

TEST_CASE("one that asks for nothing is gone, and so many can be there", "[workers]") {
  SubscribersWorld life;
  std::vector<WireSubscriber> clients;
  for (std::size_t i = 0; i < HookSubscribers::kSubscribersMax; ++i) {
    clients.push_back(life.connect());
    clients.back().wish();
  }
  life.work();
  WireSubscriber late = life.connect();
  late.wish();
  life.work();
  CHECK(late.reply()->code == "busy");
  life.work(HookSubscribers::kWishMax);
  life.work(HookSubscribers::kSilenceMax);
  late.wish();
  life.work();
  CHECK_FALSE(late.reply());
  WireSubscriber stranger = life.connect("stranger");
  stranger.wish();
  life.work();
  CHECK(stranger.reply()->code == "not_found");
}

}  // namespace
}  // namespace workers
