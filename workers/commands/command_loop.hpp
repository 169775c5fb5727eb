// The command loop: turns commands into facts. It decides on cached states, which may not be
// durable yet, hands the events to the sequencer, and lets no answer leave before everything that
// the answer was computed from is durable.
//
// It knows streams, not sessions: a command says which stream it is for, which others it reads, and
// what comes of it.
//
// What waits is divided into classes and, within each, into streams. Classes take turns, and so do
// the streams of a class, so no flood delays a kill. The commands of one stream and class are
// decided in the order in which they came; one whose streams are cold waits in that order while
// they are loaded.
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

#include "eventlog/domain/command.hpp"
#include "eventlog/log/sequencer.hpp"
#include "eventlog/log/stream_loader.hpp"
#include "workers/commands/recent_rejections.hpp"
#include "workers/engines/engines.hpp"

namespace workers {

using base::Position;

struct CommandAnswer;

// An asker gives commands to the loop, and is told what became of them.
class Asker {
 public:
  virtual ~Asker() = default;
  // The answer to the command that was submitted with that number. Everything that it was computed
  // from is durable.
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
  std::int64_t ask = 0;     // bus::Request::ask
  std::string agent;        // of the stream that it is for, where there is one in the stream's name
  base::SessionId session;  // the id in that name, likewise
  domain::ActorKind actor_kind = domain::ActorKind::client;
  std::string actor;
  base::FencingToken token;          // of the lease whose worker reports it; 0: nobody does
  std::int64_t report_sequence = 0;  // of that report
  std::optional<base::StreamVersion> expected_version;  // of the stream
  base::Time deadline;                                  // log time; 0: none
  base::CommandId correlation;
  base::EventId causation;
  std::string traceparent;
  domain::Command command;
  std::size_t bytes = 0;  // of its body as it came; 0: the server's own
  std::string asker;      // the connection that it came by; empty: the server's own
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
  base::Duration appended{0};  // boot time at which that cycle had decided all that it did
};

struct CommandLoopOptions {
  domain::Limits limits;
  std::vector<std::string> engines = engines::engine_names();  // that a session may name
  bool has_key = false;                                        // anchors can be signed
  std::size_t inbox_max = 100'000;    // waiting commands of one class; more are answered as `busy`
  std::size_t streams_max = 200'000;  // sessions and registries in memory; more are evicted
  // Nor are those kept that nobody has asked for in so long: most never are again, and one that is
  // costs the reading of its snapshot.
  base::Duration idle_max = std::chrono::minutes(1);
  // Of the waiting commands of one class: four bodies of the largest size.
  std::size_t inbox_bytes_max = std::size_t{256} << 20;
};

class CommandLoop {
 public:
  // One stream, and one asker, may fill one part in so many of a class's inbox, and have one
  // command in it always.
  static constexpr std::size_t kShares = 8;
  // An asker with nothing in the inbox may always add a command whose body has at most so many
  // bytes.
  static constexpr std::size_t kSmallBytes = std::size_t{64} << 10;
  // A refusal takes no room in a block, so room alone would not bound what one cycle looks at. As
  // many as one cycle receives.
  static constexpr int kDecisionsPerCycle = 256;

  // All references outlive the worker.
  CommandLoop(eventlog::Sequencer& sequencer, eventlog::StreamLoader& loader, base::Random& random,
              CommandLoopOptions options);

  // Puts the command into the inbox of its stream. Its answer comes from take_answers(), always;
  // it is `busy` where the inbox is full, or the stream's or the asker's share of it.
  void submit(Ticket ticket, CommandMessage message);
  // What a client's command with a body of so many bytes would be answered, before its body is
  // decoded: `busy`, where its class or its asker has no room for it. None: it can be submitted.
  std::optional<domain::Rejection> check_room(const std::string& asker, std::size_t bytes) const;

  // Takes loaded streams and decides what can be decided, until the sequencer has no room or
  // kDecisionsPerCycle commands have been looked at.
  // `now` is log time. True when anything was done.
  bool do_work(base::Time now, base::Time wall, base::Duration boot);
  // Says when the last do_work had ended, for the times in the answers that it made.
  void date_answers(base::Duration boot);

  // Position of the last event that was decided.
  Position recorded() const { return sequencer_.tail(); }

  // Answers that may leave now.
  std::vector<CommandAnswer> take_answers();

  // Before the first command: a stream as it is on the record, which need not be loaded then.
  void adopt(const std::string& stream, eventlog::LoadedStream loaded);

  // The stream's state as far as it is decided, not yet durable; null: it is not in memory.
  template <class Aggregate>
  const typename Aggregate::State* find(std::string_view stream) const {
    const domain::StreamState* state = find_state(stream);
    return state == nullptr ? nullptr : std::get_if<typename Aggregate::State>(state);
  }
  // Their streams were adopted before the first command.
  const domain::AdmissionState& admission() const;
  const domain::ServerState& server() const;

  std::size_t waiting() const;
  std::size_t loaded_streams() const { return streams_.size(); }

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
  // The commands of one asker that wait.
  struct Share {
    std::size_t count = 0;
    std::size_t bytes = 0;
  };
  struct Turn {
    CommandClass of = CommandClass::control;
    std::string stream;

    auto operator<=>(const Turn&) const = default;
  };
  // What is under way with a stream; of most that are in memory, nothing is.
  struct Pending {
    std::array<Queue, domain::kCommandClasses> queues;
    std::set<Turn> dependants;                 // whose first command waits for this stream
    std::optional<base::Error> fault;          // it could not be loaded
    bool is_fault_told = false;                // somebody was refused for it
    std::optional<base::StreamVersion> saved;  // of which a snapshot is being written
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
    std::deque<std::string> ready;  // streams whose first command can be tried, by their turn
    std::size_t count = 0;
    std::size_t bytes = 0;
    std::unordered_map<std::string, Share> askers;  // with something in it
  };
  // The streams that one decision reads, the target first.
  using Involved = std::vector<Stream*>;

  std::optional<domain::Rejection> check_message(const CommandMessage& message) const;
  Stream& stream(const std::string& name);
  Stream& new_stream(const std::string& name);
  static Pending& pending(Stream& stream);
  static void drop_pending(Stream& stream);
  void forget(Stream& stream);
  bool is_idle(const Stream& stream) const;
  bool take_loaded();
  void take_state(Stream& stream, eventlog::LoadedStream loaded);
  std::optional<domain::Rejection> check_inbox(const Inbox& inbox, const std::string& asker,
                                               std::size_t bytes) const;
  std::optional<domain::Rejection> check_share(const char* whose, std::size_t count,
                                               std::size_t held, std::size_t bytes) const;
  Inbox& inbox(CommandClass of) { return inboxes_[static_cast<std::size_t>(of)]; }
  static Queue& queue(Stream& stream, CommandClass of);
  std::optional<CommandClass> next_class();
  void run_next(CommandClass of);
  Waiting take_first(Stream& stream, CommandClass of);
  std::optional<Involved> involve(Stream& target, const Waiting& waiting, CommandClass of);
  bool is_at_hand(Stream& wanted, const Turn& turn);
  CommandOutcome decide(const Involved& streams, const Waiting& waiting, Position& release);
  std::optional<CommandOutcome> answer_again(const Stream& target, const CommandMessage& message,
                                             Position& release);
  void turn_away(const Ticket& ticket, domain::Rejection rejection);
  void hold(Position release, CommandAnswer answer);
  CommandOutcome append(const Involved& streams, const CommandMessage& message,
                        domain::Decision decision, Position& release);
  const domain::StreamState* find_state(std::string_view stream) const;
  Position append_and_evolve(std::vector<eventlog::StreamAppend> appends,
                             const eventlog::AppendContext& context);
  void take_saved();
  void forget_faulted();
  void evict();

  eventlog::Sequencer& sequencer_;
  eventlog::StreamLoader& loader_;
  base::Random& random_;
  const CommandLoopOptions options_;
  std::unordered_map<std::string_view, Stream> streams_;  // by their names
  std::list<Stream*> by_use_;                             // the one that was used longest ago first
  std::array<Inbox, domain::kCommandClasses> inboxes_;
  std::size_t next_class_ = 0;
  std::multimap<Position, CommandAnswer> held_;  // by the position that must be durable first
  std::vector<CommandAnswer*> undated_;          // of these, whose times are still to be said
  std::vector<std::string> faulted_;
  RecentRejections refusals_;
  std::size_t saving_ = 0;
  base::Time now_;
  base::Time wall_;
  base::Duration boot_{0};
};

}  // namespace workers
