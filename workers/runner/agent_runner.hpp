// The worker's loop, which carries out directives. It starts an agent process for each lease, gives
// it turns, and turns its output into reports with token and sequence. Reports are kept until the
// server says that they are durable; none is dropped. Each lease has a share of the space for
// waiting reports. An agent that has filled its share is not read, while the others are.
#pragma once

#include <deque>
#include <map>

#include "eventlog/base/expiring_map.hpp"
#include "eventlog/base/one_thread.hpp"
#include "workers/runner/agent_launcher.hpp"
#include "workers/runner/agent_watch.hpp"
#include "workers/runner/prompt_steps.hpp"

namespace workers {

struct AgentRunnerOptions {
  std::size_t unacked_bytes_max = std::size_t{64}
                                  << 20;  // in equal shares; a new lease can exceed it
  // Bounds of one lease's reports in flight (sent and not acknowledged). They wait in the server,
  // in whose inbox a session's share is 12,500 commands.
  std::size_t in_flight_bytes_max = std::size_t{4} << 20;
  std::int64_t in_flight_max = 8192;
  std::size_t batch_bytes_max = std::size_t{1} << 20;  // of one reports message
  // A lease's reports in flight are sent again when none of them was acknowledged for so long.
  base::Duration resend_after = std::chrono::seconds(2);
  std::chrono::milliseconds kill_grace{3000};  // SIGTERM to SIGKILL; Claude Code takes 1.6 s
  base::Duration close_grace = std::chrono::seconds(30);  // end of stdin to SIGTERM
  // An agent without work for this long is ended; the next prompt resumes it. 0: never.
  base::Duration idle_max = std::chrono::minutes(15);
  // An agent that is to end is left its tasks in the background for this long. 0: for ever.
  base::Duration task_wait = std::chrono::minutes(30);
  // An agent that works, says nothing for this long, and has no tool that runs is reported. 0:
  // never.
  base::Duration silence_max = std::chrono::seconds(15);
};

class AgentRunner {
 public:
  // Ended leases that are remembered; beyond it the oldest are forgotten.
  static constexpr std::size_t kEndedMax = 10'000;

  // `launcher` must outlive the runner.
  AgentRunner(AgentLauncher& launcher, AgentRunnerOptions options);
  ~AgentRunner();

  void on_directive(DirectiveBody directive, base::Duration now);
  void on_ack(const ReportAckBody& ack);
  // Forgets directives that were not begun because an older lease's agent still runs. Call it when
  // the connection is lost: whether their leases still hold is then uncertain. The server directs
  // anew.
  void forget_unbegun();

  // Pumps all agents. Returns true when anything was done. `now`: boot time.
  bool do_work(base::Duration now);

  // Returns the next message of reports that were not sent yet; the leases take turns. None: there
  // is nothing to send.
  std::optional<ReportsBody> take_reports();
  // Takes back reports that could not be sent; they are taken again.
  void put_back(const ReportsBody& reports);

  std::vector<HeldLease> held() const;
  // Ends every agent, and starts none until come_back(). An agent at work has until `by` to end its
  // turn. Their exits are reported as usual.
  void end_all(base::Duration by);
  void come_back() { is_leaving_ = false; }
  bool is_leaving() const { return is_leaving_; }
  // True when nothing runs and no report waits to be acknowledged.
  bool is_idle() const;

  std::vector<processes::PollWish> poll_wishes() const;
  // The earliest time at which do_work() has something to do by itself; none: only when polled.
  std::optional<base::Duration> deadline() const;
  std::size_t unacked_bytes() const { return unacked_bytes_; }

 private:
  struct Key {
    base::SessionId session;
    base::FencingToken token;
    auto operator<=>(const Key&) const = default;
  };
  // How far a run has come; it never goes back.
  enum class Stage {
    waiting,   // no agent was started yet
    running,   // its agent is given turns
    closing,   // the agent's stdin is closed
    ending,    // the agent was told to end
    has_ended  // nothing more will be reported
  };
  struct Run {
    DirectiveBody directive;  // the latest
    LaunchedAgent agent;
    engines::AgentState state;  // of the agent, behind what its engine was told last
    Stage stage = Stage::waiting;
    bool is_lost = false;      // the lease is another's: report nothing, end the agent
    bool is_stopped = false;   // the worker ends it by itself; it is given no turn any more
    bool is_deaf = false;      // it was to be given a turn and does not read any more
    bool is_reading = true;    // its output is read
    bool is_whole = true;      // each frame of its output could be read
    bool is_note_due = false;  // the next prompt tells the agent that others used its session
    bool has_introduced = false;
    // The provider refused the last turn begun. The server may want it again, which an agent that
    // knows it would pass over: the next agent is given it.
    bool is_refused = false;
    bool is_limited = false;      // the provider refuses calls, as far as is known
    base::Duration close_by{0};   // once stdin is closed: the agent is ended after this
    base::Duration active_at{0};  // when it was last given something or said something
    // Since when only its tasks keep the agent from its end; none: something else does.
    std::optional<base::Duration> tasks_awaited;
    AgentWatch watch;
    base::TurnId begun;
    std::size_t injected = 0;  // so many prompts were added to it
    base::TurnId answered;     // the last one begun that has a result
    base::TurnId own;          // a turn of the agent's own, under way; unset: none
    base::TurnId interrupted;
    base::TurnId own_interrupted;
    // The agent waits for answers to these, by their numbers in the lease.
    std::map<std::int64_t, engines::Ask> asks;
    std::int64_t requests = 0;   // of these so far
    base::Duration asked_at{0};  // when the last one was
    std::int64_t deferring = 0;  // the one that the agent was told to defer; 0: none
    domain::Approvals approvals = domain::Approvals::ask;  // as the spec had it at its start
    std::int64_t changes = 0;    // of the settings, as far as the agent was told of them
    domain::SessionSpec told;    // has the settings as the agent has them, as far as that is known
    domain::SessionSpec untold;  // likewise, before it was told the last time
    PromptSteps steps;           // before prompts
    std::int64_t sequence = 0;   // of the last report
    std::deque<SequencedReport> unacked;  // ascending
    std::int64_t sent = 0;                // sequence of the last report that was sent
    std::size_t unacked_bytes = 0;
    std::size_t in_flight_bytes = 0;  // of the unacked ones that were sent
    base::Duration acked_at{0};       // when one was acknowledged, or none was in flight
    // Until then none is sent, because the server could not decide one; 0: it could.
    base::Duration resend_at{0};

    bool has_ended() const { return stage == Stage::has_ended; }
  };

  void set_reading(Run& run);
  void forget_ended(base::Duration now);
  void advance(const Key& key, Run& run, base::Duration now);
  void launch(Run& run, base::Duration now);
  void report_others(Run& run);
  static std::string noted_prompt(Run& run, const std::string& prompt);
  std::optional<SteppedPrompt> stepped_prompt(Run& run, std::size_t number);
  void begin_turn(Run& run, base::Duration now);
  void end_unbegun(Run& run, std::string_view subtype, const std::string& why);
  void drop_steps(Run& run);
  void ask(Run& run, engines::Ask ask);
  void obey(Run& run, base::Duration now);
  void add_prompts(Run& run, base::Duration now);
  void give_answers(Run& run, base::Duration now);
  void tell_settings(Run& run, base::Duration now);
  static const engines::Ask* deferrable(const Run& run);
  std::optional<base::Duration> defer_due(const Run& run) const;
  void defer(Run& run, base::Duration now);
  static bool waits_for_people(const Run& run);
  static bool is_at_work(const Run& run);
  bool waits_for_tasks(Run& run, base::Duration now);
  std::optional<base::Duration> tasks_due(const Run& run) const;
  bool is_to_stop(const Run& run, base::Duration now) const;
  std::optional<base::Duration> silence_due(const Run& run) const;
  void report_silence(Run& run, bool is_over, base::Duration silence = {});
  void close_stdin(Run& run, base::Duration now);
  void end(Run& run);
  void pump(Run& run, base::Duration now);
  void take_event(Run& run, processes::ProcessEvent& event, base::Duration now);
  void take_frame(Run& run, processes::Frame& frame, base::Duration now);
  void give_up_turns(Run& run, processes::FrameEnding ending, base::Duration now);
  static void note(Run& run, const domain::Report& report);
  void report(Run& run, domain::Report report, bool is_heard = true);
  static void forget_first(Run& run);
  static void unsend(Run& run, std::int64_t through);
  void resend_when_due(Run& run);
  bool has_unsent(const Run& run) const;
  ReportsBody take_reports(const Key& key, Run& run);
  void withdraw(Run& run, const std::string& ask);
  bool tell(Run& run, engines::Input::Step step, base::Duration now, bool is_heard = true);
  bool write(Run& run, const base::Bytes& bytes);

  AgentLauncher& launcher_;
  const AgentRunnerOptions options_;
  std::map<Key, Run> runs_;
  // The newest lease of each session that has ended here, so that a directive long in flight does
  // not begin it again.
  base::ExpiringMap<base::SessionId, base::FencingToken> ended_{kEndedMax};
  Key last_sent_;  // the lease whose reports were taken last
  std::size_t unacked_bytes_ = 0;
  base::Duration now_{0};  // of the last do_work()
  bool is_leaving_ = false;
  base::Duration leave_by_{0};  // then turns under way are cut off
  base::OneThread thread_;
};

}  // namespace workers
