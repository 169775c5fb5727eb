// Tasks over a bus in memory: the test's clock moves as soon as all of them wait.
#pragma once

#include <memory>

#include "bus/memory_bus.hpp"
#include "tests/bus/feed_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/manual_clock.hpp"
#include "workers/client/async_client.hpp"

namespace support {

// Its server sends the body of each request "echo" back.
struct AsyncWorld {
  AsyncWorld()
      : server(std::make_unique<feed_world::Server>(log, bus.bind_server("command"),
                                                    bus.bind_publisher("feed"),
                                                    base::ServerId::make({1}, random))),
        socket(bus.connect_client("command", "gateway")),
        client(*socket, clock, random, {"gateway", {}, "memory"}),
        tasks(client, clock, std::chrono::seconds(30)) {}

  void step(base::Duration passed = base::Duration{5'000}) {
    clock.now += passed;
    bus.advance(clock.now);
    if (server != nullptr) server->do_work(clock.now, 1'000);
    tasks.do_work(clock.now);
  }
  // Runs a task to its end, for a day at most.
  template <class T>
  T finish(workers::Task<T> task) {
    task.start();
    while (!task.is_done()) {
      REQUIRE(clock.now < std::chrono::hours(24));
      step();
    }
    return task.take();
  }

  base::SeededRandom random{1};
  ManualClock clock;
  bus::MemoryBus bus{random};
  feed_world::Log log;
  std::unique_ptr<feed_world::Server> server;
  std::unique_ptr<bus::ClientSocket> socket;
  workers::ServerClient client;
  workers::AsyncClient tasks;
};

}  // namespace support
