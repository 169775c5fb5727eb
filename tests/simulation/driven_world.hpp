// A simulated world that a test drives by hand, along a script: what clients ask, when the power
// fails, and what agents do. Nothing is drawn but durations of disk operations and threads. All
// that the sinks were given is kept word for word.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "bus/client.hpp"
#include "tests/simulation/processes.hpp"

namespace simulation {

// A notification that reached a sink.
struct Delivery {
  base::Position id;  // the same one each time that it is delivered
  domain::NotificationRequested requested;
  std::string text;  // as a channel or a parent gets it; of all other targets the title
};

// Output that a channel in the foreground was shown.
struct ShownText {
  base::SessionId session;
  std::string channel;
  std::string text;
};

class DrivenWorld {
 public:
  // `began`: what clocks show at first. The notifier of `settings` is replaced. The server and one
  // worker run.
  DrivenWorld(base::Time began, std::uint64_t seed, WorldSettings settings, Script script);

  base::Time now() { return server_clock_.wall(); }
  // Lets the world run until clocks show that.
  void run_to(base::Time at);
  // Lets it run until that is so, which is asked before each step. Returns false if it is not so
  // after `most`.
  bool run_until(const std::function<bool()>& is_so, Duration most);
  // Sends a client's command and waits for the answer. The id of a spawn is that of its session.
  bus::Reply ask(const domain::Command& command, base::SessionId session);
  base::SessionId make_session() {
    return base::SessionId{base::CommandId::make(now(), around_.id_random).bytes};
  }

  // Server, worker and agents die at once, with what was not synced. They are back after that.
  void lose_power(Duration back);
  // The worker dies with its agents, and another one comes after that.
  void kill_worker(Duration back);
  // While it is down, the sink for that channel fails.
  void set_down(const std::string& channel, bool is_down);
  // The sink for that channel has told a text at once, and says so after that.
  void set_slow(const std::string& channel, Duration takes) { slow_[channel] = takes; }

  const LogObserver& log() const { return log_; }
  const std::vector<Delivery>& deliveries() const { return deliveries_; }
  const std::vector<ShownText>& shown() const { return shown_; }
  // The first impossible thing; empty: there was none.
  const std::string& violation() const { return violation_; }
  // Checks all that holds of every whole log. Returns what is wrong first, or an empty text.
  std::string check_all();

 private:
  class Sinks;

  void step();
  bool work();
  void start_processes();
  void observe();
  Duration next_moment();
  void violate(const std::string& text) {
    if (violation_.empty()) violation_ = text;
  }

  std::vector<Delivery> deliveries_;
  std::vector<ShownText> shown_;
  std::set<std::string> down_;            // channels
  std::map<std::string, Duration> slow_;  // channels
  Surroundings around_;
  LogObserver log_;
  ProcessClock server_clock_;
  ProcessClock worker_clock_;
  ProcessClock client_clock_;
  std::unique_ptr<ServerLife> server_;
  std::unique_ptr<WorkerLife> worker_;
  std::unique_ptr<bus::ClientSocket> client_socket_;
  std::unique_ptr<bus::Client> client_;
  Duration server_back_{0};
  Duration worker_back_{0};
  std::size_t observed_ = 0;  // events
  std::string violation_;
};

}  // namespace simulation
