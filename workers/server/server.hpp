// The server's loop: the one thread that owns the sockets, decides, and answers. It joins the
// command loop, the lease dispatcher and the feed. It works entirely through ports, so that the
// simulator runs the same code.
//
// At its start it records ServerStarted (in an empty log EpochStarted first), then takes frames.
// Reactors do the work of the server that no client asks for; reactors.hpp lists them. The
// constructor takes the recorded states of sessions under way and of shared streams. Each session's
// own state is loaded with its first command.
#pragma once

#include <deque>
#include <functional>
#include <unordered_map>

#include "bus/feed_publisher.hpp"
#include "bus/frame_server.hpp"
#include "eventlog/base/one_thread.hpp"
#include "projections/start/startup_rows.hpp"
#include "workers/instruments/duty_cycle.hpp"
#include "workers/instruments/flight_recorder.hpp"
#include "workers/protocol/status.hpp"
#include "workers/queries/query_service.hpp"
#include "workers/reactors/hook_subscribers.hpp"
#include "workers/reactors/reactors.hpp"
#include "workers/server/requests.hpp"

namespace workers {

// All must outlive the server.
struct ServerPorts {
  base::Clock& clock;
  base::Random& random;
  eventlog::Committer& committer;
  eventlog::StreamLoader& loader;
  QueryPort& queries;
  LeaseLocks& locks;
  bus::ServerSocket& command_socket;
  bus::ServerSocket& worker_socket;
  bus::PublisherSocket& feed_socket;
};

struct ServerOptions {
  eventlog::LogTail tail;  // for an empty log with a fresh log id and epoch
  CommandLoopOptions commands;
  ReactorOptions reactors{};
  std::string prices{};  // name of the table by which workers price the use of models
  // Told to who asks for the status; it looks at what can change meanwhile. Unset: nothing is told.
  std::function<ServerFacts()> facts{};
};

class Server : private Asker {
 public:
  // `takeover` is as of `options.tail`. `side_work` is used during this call alone.
  Server(const ServerPorts& ports, const ServerOptions& options, projections::Takeover&& takeover,
         const SideStores& stores, SideWork& side_work);

  // One duty cycle. Returns true when anything was done.
  bool do_work();

  // Grants no more leases; call it when the workers are told to leave. Commands are still accepted,
  // but no new lease begins a turn: prompts wait for the next server.
  void drain();

  // True once it has recorded its start and takes frames.
  bool is_ready() const { return started_at_.value > 0; }
  // True once that record is durable.
  bool has_taken_over() const { return is_ready() && durable() >= started_at_; }
  // Set when the log's fate is in doubt: the process must stop.
  const std::optional<base::Error>& failure() const { return failure_; }
  // Boot time at which do_work() is due even if nothing arrives.
  base::Duration next_timer() const;
  base::ServerId incarnation() const { return incarnation_; }
  Position durable() const { return sequencer_.durable(); }
  const CommandLoop& commands() const { return commands_; }
  const FlightRecorder& flight() const { return flight_; }
  // Descriptors that become readable when the ports of reactors have something for them.
  std::vector<int> wake_fds() const;
  StatusAnswer status() const;
  // By how much the clock is ahead of log time; negative: it is behind.
  base::Duration clock_lead() const { return log_clock_.lead(); }

 private:
  // A command whose answer a client waits for.
  struct Waiting {
    bus::PeerId peer;
    bus::RequestKey request;
    base::Duration received{0};
    std::string older_verb{};  // the verb of an older form of request; empty: a command
    // The command for the reactors' on_decided(), if it is about the log as a whole.
    std::unique_ptr<domain::ServerCommand> command{};
  };
  struct Parked {
    Query query;
    Position at_least;
    base::Duration deadline{0};
  };

  void start();
  bool receive_frames();
  void forget_silent_peers();
  void take_request(const bus::Peer& peer, const bus::Request& request);
  void take(const bus::Peer& peer, const bus::Request& request, StatusWanted wanted);
  void take(const bus::Peer& peer, const bus::Request& request, FlightWanted wanted);
  void take(const bus::Peer& peer, const bus::Request& request, ListWanted wanted);
  void take(const bus::Peer& peer, const bus::Request& request, StepWanted wanted);
  void take(const bus::Peer& peer, const bus::Request& request, Submission submission);
  void take(const bus::Peer& peer, const bus::Request& request, Question question);
  void on_answer(std::uint64_t number, const CommandAnswer& answer) override;
  void drop_query_of(const bus::PeerId& peer);
  // Publishes and answers what has become durable, and gives the committer what was decided since.
  // Sets failure_ when the log's fate is in doubt.
  bool commit();
  bool publish_durable();
  bool send_answers();
  bool send_query_answers();
  void release_parked();

  const ServerPorts ports_;
  const ServerOptions options_;
  const base::ServerId incarnation_;
  base::LogClock log_clock_;
  eventlog::Sequencer sequencer_;
  CommandLoop commands_;
  StreamsUnderWay streams_;
  bus::FeedPublisher feed_;
  bus::FrameServer clients_;
  bus::FrameServer workers_;
  HookSubscribers subscribers_;
  const std::vector<std::unique_ptr<Reactor>> reactors_;  // in the order in which they work
  Position started_at_;  // of its own ServerStarted; 0: it has not started
  std::optional<base::Error> failure_;
  base::Time now_;
  base::Duration boot_{0};
  const base::Duration started_;
  std::unordered_map<std::uint64_t, Waiting> waiting_;
  std::uint64_t next_ticket_ = 0;
  std::deque<Parked> parked_;
  Position views_at_;  // durable head last given to the query service; 0: give it anew
  base::Duration views_due_{0};
  base::Duration silence_due_{0};
  std::size_t queries_out_ = 0;                    // with an asker that waits
  std::map<bus::PeerId, std::size_t> queries_of_;  // these and the parked ones, by asker
  bool is_flight_told_ = false;                    // in this cycle
  bool are_views_told_ = false;                    // the projections are being given new events
  base::Duration durable_at_{0};                   // when the durable head was last seen to move
  std::vector<CommandTimes> answered_;             // in this call of send_answers
  DutyCycle duty_;
  FlightRecorder flight_;
  base::OneThread thread_;
};

}  // namespace workers
