// The server's loop: the one thread that owns the sockets, decides, and tells. It joins the command
// loop, the lease dispatcher and the feed, and works entirely through ports, so that the simulator
// runs the same code.
//
// Its start: record ServerStarted (before it, in an empty log, EpochStarted), then take frames.
// Reactors do the work of the server that nobody asks for; reactors.hpp lists them.
// What the record says of sessions that are under way and of the streams that all share comes with
// its making; each session's own state is loaded with its first command.
#pragma once

#include <deque>
#include <unordered_map>

#include "bus/feed_publisher.hpp"
#include "bus/frame_server.hpp"
#include "projections/start/startup_rows.hpp"
#include "workers/instruments/duty_cycle.hpp"
#include "workers/instruments/flight_recorder.hpp"
#include "workers/protocol/status.hpp"
#include "workers/queries/query_service.hpp"
#include "workers/reactors/lease_dispatcher.hpp"
#include "workers/reactors/reactors.hpp"

namespace workers {

// All outlive the server.
struct ServerPorts {
  base::Clock& clock;
  base::Random& random;
  eventlog::Committer& committer;
  eventlog::StreamLoader& loader;
  ContentLoader& contents;
  QueryPort& queries;
  UpkeepPort& upkeep;
  LeaseLocks& locks;
  bus::ServerSocket& command_socket;
  bus::ServerSocket& worker_socket;
  bus::PublisherSocket& feed_socket;
};

struct ServerOptions {
  eventlog::LogTail tail;  // of an empty log: with a fresh log id and epoch
  CommandLoopOptions commands;
  LeaseDispatcherOptions leases;
  std::string key{};  // fingerprint of what anchors are signed with; empty: there is none
};

class Server : private Asker {
 public:
  // `takeover` is as of `options.tail`.
  Server(const ServerPorts& ports, const ServerOptions& options, projections::Takeover&& takeover);

  // One duty cycle. True when anything was done.
  bool do_work();

  // Its workers are told to leave. Commands are taken on, and no turn is begun by a further lease:
  // prompts wait for the next server.
  void drain() { dispatcher_.drain(); }

  // It has begun to, and takes frames.
  bool is_ready() const { return started_at_.value > 0; }
  // And the record says that it has taken over, durably.
  bool has_taken_over() const { return is_ready() && durable() >= started_at_; }
  // Set when the log's fate is in doubt: the process must stop.
  const std::optional<base::Error>& failure() const { return failure_; }
  // When do_work() is due although nothing arrives; boot time.
  base::Duration next_timer() const;
  base::ServerId incarnation() const { return incarnation_; }
  Position durable() const { return sequencer_.durable(); }
  const CommandLoop& commands() const { return commands_; }
  const FlightRecorder& flight() const { return flight_; }
  std::size_t registered_workers() const { return dispatcher_.workers(); }

 private:
  struct Asked {
    bus::PeerId peer;
    bus::RequestKey request;
    base::Duration received{0};
    std::string older_verb{};  // in whose form it was asked; empty: as a command
    // That reactors are told of when it is accepted: one about the log as a whole.
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
  void tell_flight(const bus::Peer& peer, const bus::Request& request);
  void take_command(const bus::Peer& peer, const bus::Request& request);
  void take_older(const bus::Peer& peer, const bus::Request& request);
  void submit(const bus::Peer& peer, const bus::Request& request, CommandMessage message,
              std::string older_verb = {});
  bool answer_by_reactor(const bus::Peer& peer, const bus::Request& request);
  void refuse_verb(const bus::Peer& peer, const bus::Request& request);
  void on_answer(std::uint64_t number, const CommandAnswer& answer) override;
  void take_query(const bus::Peer& peer, const bus::Request& request);
  void drop_query_of(const bus::PeerId& peer);
  // Publishes and answers what has become durable, and gives the committer what was decided since.
  // Sets failure_ where the log's fate is in doubt.
  bool commit();
  bool publish_durable();
  bool send_answers();
  bool send_query_answers();
  void release_parked();
  StatusAnswer status() const;

  const ServerPorts ports_;
  const ServerOptions options_;
  const base::ServerId incarnation_;
  base::LogClock log_clock_;
  eventlog::Sequencer sequencer_;
  CommandLoop commands_;
  LeaseDispatcher dispatcher_;
  Upkeep upkeep_;
  bus::FeedPublisher feed_;
  bus::FrameServer clients_;
  bus::FrameServer workers_;
  std::vector<std::unique_ptr<Reactor>> own_reactors_;
  std::vector<Reactor*> reactors_;  // all, in the order in which they work
  Position started_at_;  // of the record that this server has taken over; 0: it has not started
  std::optional<base::Error> failure_;
  base::Time now_;
  base::Duration boot_{0};
  const base::Duration started_;
  std::unordered_map<std::uint64_t, Asked> asked_;
  std::uint64_t next_ticket_ = 0;
  std::deque<Parked> parked_;
  Position views_at_;  // durable head that the query service was last told; 0: to be told anew
  base::Duration views_due_{0};
  base::Duration silence_due_{0};
  std::size_t queries_out_ = 0;                    // that somebody waits for
  std::map<bus::PeerId, std::size_t> queries_of_;  // these and the parked ones, by who asked
  bool is_flight_told_ = false;                    // in this cycle
  bool are_views_told_ = false;                    // the projections are being told of new events
  base::Duration durable_at_{0};        // when the durable head was last seen to have moved
  std::vector<CommandTimes> answered_;  // in this call of send_answers
  DutyCycle duty_;
  FlightRecorder flight_;
};

}  // namespace workers
