// The command loop turns commands into facts. It decides on cached states, which can be ahead of
// the disk, and hands the events to the sequencer. No answer leaves before everything that it was
// computed from is durable.
//
// It knows streams, and no aggregate's rules: a command names its target stream, the other streams
// that it reads, and the events that it makes.
//
// Waiting commands are divided into classes and, within each, into streams. Classes take turns, and
// so do the streams of a class, so no flood delays a kill. The commands of one stream and class are
// decided in the order in which they came. If a command's streams are not in memory, it waits in
// that order while they are loaded.
//
// Private state and do_work(now); the simulator runs it exactly as the server's thread does.
#pragma once

#include <array>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "eventlog/base/one_thread.hpp"
#include "eventlog/domain/command.hpp"
#include "eventlog/domain/conversation/policy.hpp"
#include "eventlog/log/sequencer.hpp"
#include "eventlog/log/stream_loader.hpp"
#include "workers/commands/durable_states.hpp"
#include "workers/commands/recent_rejections.hpp"
#include "workers/engines/engine_catalog.hpp"

namespace workers {

using base::Position;

struct CommandAnswer;

// Submits commands to the loop and receives their answers.
class Asker {
 public:
  virtual ~Asker() = default;
  // Called with the answer to the command that was submitted with that number. Everything that the
  // answer was computed from is durable.
  virtual void on_answer(std::uint64_t number, const CommandAnswer& answer) = 0;
};

struct Ticket {
  Asker* asker = nullptr;  // null: nobody waits for the answer
  std::uint64_t number = 0;

  auto operator<=>(const Ticket&) const = default;
};

struct CommandMessage {
  base::CommandId id;
  domain::BodyDigest digest{};
  std::int64_t ask = 0;       // bus::Request::ask
  std::string agent;          // in the name of the target stream, if there is one
  base::SessionId stream_id;  // the id in that name, likewise
  domain::ActorKind actor_kind = domain::ActorKind::client;
  // The server may have to send it again after a restart, so its id is remembered as a client's is.
  bool is_sent_again = false;
  std::string actor;
  base::FencingToken token;          // of the lease whose worker reports it; 0: no report
  std::int64_t report_sequence = 0;  // the number of that report
  std::optional<base::StreamVersion> expected_version;  // of the target stream
  base::Time deadline;                                  // log time; 0: none
  base::CommandId correlation;
  base::EventId causation;
  std::string traceparent;
  domain::Command command;
  std::size_t bytes = 0;  // of its body as it came; 0: made by the server
  std::string asker;      // the connection that it came by; empty: the server itself
};

using domain::CommandClass;

struct Accepted {
  Position position;  // of the command's last event; of the stream's last, when it made none
  domain::Reply reply;
  bool is_repeated = false;  // the command had been accepted before
};

using CommandOutcome = base::Result<Accepted, domain::Rejection>;

struct CommandAnswer {
  Ticket ticket;
  CommandOutcome outcome;
  base::Duration taken{0};     // boot time at which the duty cycle that decided it began to decide
  base::Duration appended{0};  // boot time at which that cycle had made all its decisions
};

struct CommandLoopOptions {
  domain::Limits limits;
  engines::EngineCatalog engines = engines::catalog_of_kinds();  // that a session can name
  bool has_key = false;                                          // anchors can be signed
  const domain::CallMatcher* calls = nullptr;  // must outlive the loop; null: no rule answers
  const domain::TimeZones* zones = nullptr;    // must outlive the loop; null: there are none
  domain::ChannelRules channels{};
  domain::ConversationPolicy conversations{};
  std::vector<domain::HookGap> hook_gaps{};
  std::size_t inbox_max = 100'000;  // waiting commands of one class; beyond it: `busy`
  std::size_t streams_max =
      200'000;  // in memory, without those that stay with the server; beyond it they are evicted
  // Streams idle for longer than this are evicted. Most are never used again; reloading one costs a
  // snapshot read.
  base::Duration idle_max = std::chrono::minutes(1);
  // Bytes of the waiting commands of one class: four bodies of the largest size.
  std::size_t inbox_bytes_max = std::size_t{256} << 20;
};

class CommandLoop {
 public:
  // One stream, and one asker, can fill this fraction of a class's inbox, and can always have one
  // command in it.
  static constexpr std::size_t kShares = 8;
  // An asker with nothing in the inbox can always add a command whose body has at most this many
  // bytes.
  static constexpr std::size_t kSmallBytes = std::size_t{64} << 10;
  // Commands that one cycle decides, as many as it receives. A refusal takes no room in a block, so
  // room alone would not bound a cycle.
  static constexpr int kDecisionsPerCycle = 256;

  // All references must outlive the loop.
  CommandLoop(eventlog::Sequencer& sequencer, eventlog::StreamLoader& loader,
              CommandLoopOptions options);

  // Puts the command into the inbox of its stream. Its answer always comes from take_answers(). It
  // is `busy` if the inbox is full, or the stream's or the asker's share of it.
  void submit(Ticket ticket, CommandMessage message);
  // Returns `busy` if a client's command with a body of so many bytes has no room in its class, or
  // in its asker's share. Call it before the body is decoded. None: it can be submitted.
  std::optional<domain::Rejection> check_room(const std::string& asker, std::size_t bytes) const;

  // Takes loaded streams and decides commands until the sequencer has no room or kDecisionsPerCycle
  // commands were looked at. `now` is log time. Returns true when anything was done.
  bool do_work(base::Time now, base::Time wall, base::Duration boot);
  // Sets the time at which the last do_work() had ended in the answers that it made.
  void date_answers(base::Duration boot);

  // The position of the last event that was decided; it can be ahead of the disk.
  Position recorded() const { return sequencer_.tail(); }

  // Returns the answers that can leave now.
  std::vector<CommandAnswer> take_answers();

  // Takes a stream as the record has it, so that it need not be loaded. Call it before the first
  // command.
  void adopt(const std::string& stream, eventlog::LoadedStream loaded);
  // The agents that have sessions, or had: an id that one of these has is refused for all others.
  // Call it before the first command; agents that come later are known by themselves.
  void know_agents(std::set<std::string> agents) { agents_ = std::move(agents); }

  // Call it with every durable event, in order.
  void on_durable(const domain::RecordedEvent& event) { durable_.fold(event); }
  // How many runs of each lane of conversations there can be at once.
  const domain::LaneLimits& lane_limits() const { return options_.conversations.lanes; }
  // How many new sessions were refused so far because they found no place.
  std::int64_t places_missed() const { return places_missed_; }
  // What clients can be told of the streams that stay with the server.
  const DurableStates& durable() const { return durable_; }

  // Returns the stream's state as decided so far, which can be ahead of the disk; null: not in
  // memory.
  template <class Aggregate>
  const typename Aggregate::State* find(std::string_view stream) const {
    const domain::StreamState* state = find_state(stream);
    return state == nullptr ? nullptr : std::get_if<typename Aggregate::State>(state);
  }
  // The same of a stream that stays with the server, which must have been adopted.
  template <class Aggregate>
  const typename Aggregate::State& of() const {
    static_assert(Aggregate::kResidency == domain::Residency::with_server);
    return std::get<typename Aggregate::State>(kept_state(Aggregate::kPattern));
  }

  const domain::Limits& limits() const { return options_.limits; }

  std::size_t waiting() const;
  // Without the streams that stay with the server.
  std::size_t loaded_streams() const { return streams_.size() - kept_; }

 private:
  struct Waiting {
    Ticket ticket;
    CommandMessage message;
    domain::StreamRef target;  // of the message's command
  };
  struct Queue {
    std::list<Waiting> commands;  // in order
    std::size_t bytes = 0;
  };
  // The waiting commands of one asker.
  struct Share {
    std::size_t count = 0;
    std::size_t bytes = 0;
  };
  struct Turn {
    CommandClass of = CommandClass::control;
    std::string stream;

    auto operator<=>(const Turn&) const = default;
  };
  // The work under way for a stream; most streams in memory have none.
  struct Pending {
    std::array<Queue, domain::kCommandClasses> queues;
    // Whose first command waits for this stream, or needs it and waits for another one.
    std::set<Turn> dependants;
    std::optional<base::Error> fault;  // it could not be loaded
    bool is_fault_told = false;        // a command was refused because of it
    base::StreamVersion saving;  // the version of the snapshot that is being written; 0: none is
  };
  struct Stream {
    const std::string* name = nullptr;  // as the sequencer keeps it
    domain::StreamState state;
    base::StreamVersion version;
    Position last;
    std::unique_ptr<Pending> pending;
    std::list<Stream*>::iterator use;  // its place in by_use_
    base::Duration used{0};            // boot time of its last use
    bool is_loaded = false;

    bool has_commands() const;
    bool has_fault() const { return pending && pending->fault; }
  };
  // The waiting commands of one class, for all streams.
  struct Inbox {
    std::deque<Stream*> ready;  // whose first command can be tried, by their turn
    std::size_t count = 0;
    std::size_t bytes = 0;
    std::unordered_map<std::string, Share> askers;  // those with a waiting command
  };
  // The streams that one decision reads, the target first.
  using Involved = std::vector<Stream*>;

  std::optional<domain::Rejection> check_message(const CommandMessage& message) const;
  Stream& stream(const std::string& name);
  void mark_used(Stream& stream);
  Stream& new_stream(const std::string& name);
  static Pending& pending(Stream& stream);
  static void drop_pending(Stream& stream);
  void forget(Stream& stream);
  bool is_idle(const Stream& stream) const;
  bool take_loaded();
  void take_state(Stream& stream, eventlog::LoadedStream loaded);
  std::optional<domain::Rejection> check_inbox(const Inbox& inbox, const std::string& asker,
                                               std::size_t bytes) const;
  std::optional<domain::Rejection> check_share(std::string_view whose, std::size_t count,
                                               std::size_t held, std::size_t bytes) const;
  Inbox& inbox(CommandClass of) { return inboxes_[static_cast<std::size_t>(of)]; }
  static Queue& queue(Stream& stream, CommandClass of);
  std::optional<CommandClass> next_class();
  void run_next(CommandClass of);
  Waiting take_first(Stream& stream, CommandClass of);
  std::optional<Involved> involve(Stream& target, const Waiting& waiting, CommandClass of);
  bool is_at_hand(Stream& wanted, const Turn& turn);
  void add_twins(const domain::StreamRef& target, Involved& streams);
  bool are_at_hand(const Involved& streams, std::size_t from, const Turn& turn);
  static void let_go(const Involved& streams, const Turn& turn);
  static domain::States states_of(const Involved& streams);
  CommandOutcome decide(const Involved& streams, const Waiting& waiting, Position& release);
  std::optional<CommandOutcome> answer_again(const Stream& target, const CommandMessage& message,
                                             Position& release);
  void turn_away(const Ticket& ticket, domain::Rejection rejection);
  void hold(Position release, CommandAnswer answer);
  CommandOutcome append(const Involved& streams, const CommandMessage& message,
                        domain::Decision decision, Position& release);
  const domain::StreamState* find_state(std::string_view stream) const;
  const domain::StreamState& kept_state(std::string_view stream) const;
  Position append_and_evolve(const Involved& streams, std::vector<eventlog::StreamAppend> appends,
                             const eventlog::AppendContext& context);
  void take_saved();
  void forget_faulted();
  void evict();

  eventlog::Sequencer& sequencer_;
  eventlog::StreamLoader& loader_;
  const CommandLoopOptions options_;
  std::set<std::string> agents_;                          // that have sessions, or had
  std::unordered_map<std::string_view, Stream> streams_;  // by their names
  std::list<Stream*> by_use_;                             // the one used longest ago comes first
  std::array<Inbox, domain::kCommandClasses> inboxes_;
  std::size_t next_class_ = 0;
  std::multimap<Position, CommandAnswer> held_;  // by the position that must be durable first
  std::vector<CommandAnswer*> undated_;          // those of them whose times are not set yet
  std::vector<std::string> faulted_;
  RecentRejections refusals_;
  DurableStates durable_;
  std::size_t kept_ = 0;  // streams that stay with the server
  std::size_t saving_ = 0;
  std::int64_t places_missed_ = 0;
  base::Time now_;
  base::Time wall_;
  base::Duration boot_{0};
  base::OneThread thread_;
};

}  // namespace workers
