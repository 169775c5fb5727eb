// The server's side of the worker endpoint. It gives leases of sessions that have something to run
// to workers, tells each worker what is to be true of its leases, takes its reports to the command
// loop, and expires the leases of workers that are gone.
//
// It acts on durable events only: what a worker is told is on the record. Of each session that
// lives or is leased it keeps what leases need, folded; what an agent is started with it reads from
// the log when there is a lease.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "bus/frames.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/reactors/content_loader.hpp"
#include "workers/reactors/reactor.hpp"

namespace workers {

// Port: what the operating system knows about owners. The kernel releases a lock when its holder
// is gone, however it ended.
class LeaseLocks {
 public:
  virtual ~LeaseLocks() = default;
  virtual bool is_worker_alive() = 0;                         // any worker of this server
  virtual bool has_worker_ended(std::int64_t pid) = 0;        // true: surely
  virtual bool is_only_worker(std::int64_t pid) = 0;          // true: surely no other lives
  virtual bool is_session_held(base::SessionId session) = 0;  // a keeper lives, or its tree
};

struct LeaseDispatcherOptions {
  base::Duration expiry_interval = std::chrono::milliseconds(100);  // between looks at the locks
  base::Duration worker_silence_max = std::chrono::seconds(10);     // then it counts as gone
  // So long a new server waits for holders that live: then they have noticed that nobody answers.
  base::Duration holder_wait = std::chrono::seconds(10);
};

class LeaseDispatcher final : public Reactor {
 public:
  // All references outlive it.
  LeaseDispatcher(CommandLoop& commands, bus::ServerSocket& socket, LeaseLocks& locks,
                  ContentLoader& contents, base::Random& random, LeaseDispatcherOptions options);

  // Nothing is done before this term's ServerStarted is durable: until then the next server may
  // have the same term.
  void begin(Position started_at, std::int64_t writer_term) override;
  // Before the first event: a session that is under way, as it is on the record.
  void restore(const domain::SessionState& state);
  void on_durable(const domain::RecordedEvent& event) override;
  void on_answer(std::uint64_t number, const CommandAnswer& answer) override;

  void on_frame(const bus::PeerId& peer, const bus::Frame& frame, base::Time now);
  // Grants, expires, sends directives.
  bool do_work(const Cycle& cycle) override;
  base::Duration next_timer() const override { return boot_ + options_.expiry_interval; }
  void describe(StatusAnswer& status) const override;
  // Its workers are told to leave: no lease is granted any more.
  void drain() { is_draining_ = true; }

  std::size_t workers() const { return workers_.size(); }
  std::size_t sessions() const { return views_.size(); }

 private:
  struct WorkerPeer {
    bus::PeerId peer;
    std::int64_t pid = 0;
    base::Time last_heard;
  };
  struct SessionKey {
    std::string agent;
    base::SessionId session;

    auto operator<=>(const SessionKey&) const = default;
  };
  // What directives of a lease are made of, and when the last one was sent.
  struct Directed {
    std::int64_t number = 0;  // of the last one that was sent
    base::Time at;
    std::optional<domain::SessionSpec> spec;  // absent: not read yet, nor the system prompt
    std::string system_prompt;
    std::map<base::Position, std::string> prompts;
    std::set<base::Position> awaited;
    bool is_giving_up = false;  // GiveUpContent is with the command loop
  };
  struct View {
    domain::LeaseState state;  // durable
    bool is_granting = false;  // GrantLease is with the command loop
    bool is_expiring = false;
    bool is_directive_due = false;
    std::unique_ptr<Directed> directed;  // only while there is a lease
  };
  struct Asked {
    SessionKey key;
    base::FencingToken token;
    std::int64_t sequence = 0;  // of a report; 0: of a command of its own
    std::size_t bytes = 0;      // of a report as it came
  };

  void register_worker(const bus::PeerId& peer, const RegisterBody& body, base::Time now);
  void take_heartbeat(const base::WorkerId& worker, const HeartbeatBody& body);
  void take_reports(const ReportsBody& body);
  void submit(const View& view, domain::SessionCommand command, Asked asked);
  void take_contents();
  bool take_content(const SessionKey& key, View& view, ContentOutcome outcome);
  bool grant(const SessionKey& key, View& view);
  bool is_holder_awaited();
  void expire(const SessionKey& key, View& view);
  bool send_directive(const SessionKey& key, View& view);
  bool has_contents(const SessionKey& key, View& view);
  // What is told of the lease's reports with the next do_work.
  ReportAckBody& ack_of(base::SessionId session, base::FencingToken token);
  void send_acks();
  void take_up_unsent_acks();
  bool send(const bus::PeerId& peer, const bus::Notice& notice);
  const bus::PeerId* peer_of(const base::WorkerId& worker) const;
  void forget_lost_workers();

  CommandLoop& commands_;
  bus::ServerSocket& socket_;
  LeaseLocks& locks_;
  ContentLoader& contents_;
  base::Random& random_;
  const LeaseDispatcherOptions options_;
  std::map<base::WorkerId, WorkerPeer> workers_;
  std::map<SessionKey, View> views_;
  std::set<SessionKey> unread_;  // views to be looked at again in a while
  std::set<SessionKey> dirty_;   // views to be looked at in do_work
  std::unordered_map<std::uint64_t, Asked> asked_;
  std::map<std::pair<base::SessionId, base::FencingToken>, ReportAckBody> acks_;  // to be sent
  std::vector<ReportAckBody> unsent_acks_;  // a queue was full: with the next look at the locks
  std::map<base::Position, SessionKey> content_wanted_;  // position → its view
  std::uint64_t next_ticket_ = 0;
  std::int64_t directives_ = 0;
  bool is_draining_ = false;
  base::Time next_expiry_;
  base::Time now_;
  base::Duration boot_{0};
  std::optional<base::Time> begun_at_;  // of the first do_work
};

}  // namespace workers
