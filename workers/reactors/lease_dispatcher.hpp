// The server's side of the worker endpoint. It grants leases of sessions that have work to workers,
// and directs each worker. It takes workers' reports to the command loop, and expires the leases of
// workers that are gone.
//
// It acts on durable events only, so a directive quotes only facts on the record. The spec and
// prompts of an agent are read from the log once there is a lease.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "bus/frames.hpp"
#include "eventlog/base/one_thread.hpp"
#include "workers/hooks/hook.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/reactors/content_loader.hpp"
#include "workers/reactors/reactor.hpp"

namespace workers {

// Port: what the operating system knows about owners. The kernel releases a lock when its holder is
// gone, however it ended.
class LeaseLocks {
 public:
  virtual ~LeaseLocks() = default;
  virtual bool is_worker_alive() = 0;                         // any worker of this server
  virtual bool has_worker_ended(std::int64_t pid) = 0;        // true: certainly
  virtual bool is_only_worker(std::int64_t pid) = 0;          // true: certainly no other lives
  virtual bool is_session_held(base::SessionId session) = 0;  // by a living keeper or its tree
};

struct LeaseDispatcherOptions {
  base::Duration expiry_interval = std::chrono::milliseconds(100);  // between looks at the locks
  base::Duration worker_silence_max = std::chrono::seconds(10);  // after it a worker counts as gone
  // The time that a new server gives live holders to register: then they have noticed that nobody
  // answers.
  base::Duration holder_wait = std::chrono::seconds(10);
};

class LeaseDispatcher final : public Reactor {
 public:
  // All references must outlive it.
  LeaseDispatcher(CommandLoop& commands, bus::ServerSocket& socket, LeaseLocks& locks,
                  std::unique_ptr<ContentLoader> contents, base::Random& random,
                  const SessionsUnderWay& sessions, LeaseDispatcherOptions options,
                  const HookTable& hooks = no_hooks());

  // Nothing is done before this term's ServerStarted is durable: until then the next server could
  // have the same term.
  void begin(Position started_at, std::int64_t writer_term) override;
  void restore(const projections::StreamUnderWay& stream) override;
  void on_durable(const domain::RecordedEvent& event) override;
  void on_worker(const bus::PeerId& peer, const bus::Notice& notice, base::Time now) override;
  // Grants leases, expires them, and sends directives.
  bool do_work(const Cycle& cycle) override;
  base::Duration next_timer() const override { return boot_ + options_.expiry_interval; }
  void describe(StatusAnswer& status) const override;
  std::vector<int> wake_fds() const override { return {contents_->wake_fd()}; }
  // Grants no more leases, since the workers are told to leave.
  void drain() override { is_draining_ = true; }
  // Somebody waits for a place: an idle session is to give its up, if there is one. For a new
  // session that found none, one of a conversation does so anyway.
  void want_place() { is_place_wanted_ = true; }

 private:
  struct WorkerPeer {
    bus::PeerId peer;
    std::int64_t pid = 0;
    base::Time last_heard;
    bool is_leaving = false;
  };
  // The content of an event.
  struct DirectedText {
    std::string text;
    std::vector<domain::FileFacts> files;  // of a prompt
  };
  // The content for directives of a lease, and the last one that was sent.
  struct Directed {
    std::int64_t number = 0;  // of the last directive that was sent
    base::Time at;
    std::optional<domain::SessionSpec>
        spec;  // none: not read yet, and neither is the system prompt
    std::string system_prompt;
    std::map<base::Position, DirectedText> prompts;
    std::set<base::Position> awaited;
    // The text in front of a turn's prompt that tells an agent of the conversation that it has
    // lost; none: not read yet. One process is told once.
    std::optional<std::string> conversation;
    bool is_conversation_awaited = false;
    base::TurnId told_with;
    bool is_giving_up = false;  // GiveUpContent is with the command loop
  };
  struct View {
    const domain::LeaseState* state = nullptr;  // durable; in sessions_
    LeaseEnd end = LeaseEnd::none;              // as of that state
    Position last;                              // position of its newest event that was seen here
    bool is_granting = false;                   // GrantLease is with the command loop
    bool is_expiring = false;
    bool is_directive_due = false;
    bool is_granted_here = false;        // the lease is of this server's own life
    bool is_yielding = false;            // the agent, which is idle, is asked to end
    base::TurnId told;                   // the last turn that its worker can have been told of
    base::Position answered;             // the last answer that it can have been given
    std::unique_ptr<Directed> directed;  // only while there is a lease
  };
  struct Asked {
    StreamKey key;
    base::FencingToken token;
    std::int64_t sequence = 0;  // of a report; 0: of the dispatcher's own command
  };

  void register_worker(const bus::PeerId& peer, const RegisterBody& body, base::Time now);
  void take_heartbeat(const base::WorkerId& worker, const HeartbeatBody& body);
  void take_reports(const ReportsBody& body);
  void submit(domain::SessionCommand command, const StreamKey& key);
  void submit_report(const View& view, domain::LeaseReport report, Asked asked, std::size_t bytes);
  void on_answer(const Asked& asked, const CommandOutcome& outcome);
  void take_contents();
  bool take_content(const StreamKey& key, View& view, ContentOutcome outcome);
  void take_conversations();
  static bool is_told_what_was_lost(const View& view);
  static DirectedTurn directed_turn(const domain::LeaseState& state, const Directed& directed);
  bool can_begin(const StreamKey& key, const domain::LeaseState& state) const;
  bool grant(const StreamKey& key, View& view);
  bool is_holder_awaited();
  void expire(const StreamKey& key, View& view);
  std::vector<domain::HookPoint> hook_points(const StreamKey& key,
                                             const domain::SessionSpec& spec) const;
  bool send_directive(const StreamKey& key, View& view);
  bool has_contents(const StreamKey& key, View& view, LeaseEnd end);
  // Returns the acknowledgement of the lease's reports that the next do_work() sends.
  ReportAckBody& ack_of(base::SessionId session, base::FencingToken token);
  void send_acks();
  void take_up_unsent_acks();
  bool send(const bus::PeerId& peer, const bus::Notice& notice);
  const bus::PeerId* peer_of(const base::WorkerId& worker) const;
  void forget_lost_workers();
  void free_places();

  CommandLoop& commands_;
  bus::ServerSocket& socket_;
  LeaseLocks& locks_;
  const std::unique_ptr<ContentLoader> contents_;
  const SessionsUnderWay& sessions_;
  const LeaseDispatcherOptions options_;
  const HookTable& hooks_;
  std::map<base::WorkerId, WorkerPeer> workers_;
  std::map<StreamKey, View> views_;  // of sessions with a lease or a prompt that waits
  std::set<StreamKey> unread_;       // views to look at again after a while
  std::set<StreamKey> dirty_;        // views to look at in do_work
  Outgoing<Asked> outgoing_;
  std::map<std::pair<base::SessionId, base::FencingToken>, ReportAckBody> acks_;  // to be sent
  // Sent with the next look at the locks, because a queue was full.
  std::map<std::pair<base::SessionId, base::FencingToken>, ReportAckBody> unsent_acks_;
  std::map<base::Position, StreamKey> content_wanted_;  // position → the session that wants it
  std::map<std::pair<base::SessionId, base::TurnId>, StreamKey> spoken_wanted_;
  std::int64_t directives_ = 0;
  bool is_draining_ = false;
  std::set<StreamKey> of_conversations_;  // sessions that work for these
  bool is_place_wanted_ = false;
  std::int64_t places_missed_ = 0;  // as the command loop said last
  base::Time next_expiry_;
  base::Time now_;
  base::Duration boot_{0};
  StepWatch steps_;
  std::optional<base::Time> begun_at_;  // the time of the first do_work
  base::OneThread thread_;
};

}  // namespace workers
