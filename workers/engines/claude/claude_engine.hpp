// Drives Claude Code, and any agent that speaks its stream-json protocol on stdin and stdout.
#pragma once

#include <map>
#include <set>

#include "workers/engines/claude/claude_holds.hpp"
#include "workers/engines/claude/claude_injections.hpp"
#include "workers/engines/claude/claude_runs.hpp"
#include "workers/engines/claude/claude_spending.hpp"
#include "workers/engines/claude/claude_tasks.hpp"
#include "workers/engines/engine_kind.hpp"
#include "workers/engines/partial_output.hpp"

namespace engines {

class ClaudeEngine final : public Engine {
 public:
  ClaudeEngine(EngineSettings settings, SessionLaunch session)
      : settings_(std::move(settings)), session_(std::move(session)) {}

  LaunchPlan plan() const override;
  Output handle(const Input& input) override;

 private:
  using Reports = std::vector<Report>;
  using OwnTurn = std::optional<domain::ReportOwnTurnStarted>;
  // A line in work: its text, when it came, and what follows from it.
  struct Step {
    ByteView line;
    Time now;
    Output& out;
  };

  void on(const Begin&, Time, Output& out);
  void on(const BeginTurn& begun, Time now, Output& out);
  void on(const AddPrompt& added, Time now, Output& out);
  void on(const TakeBackPrompt&, Time, Output&);
  void on(const Interrupt& interrupt, Time, Output& out);
  void on(const Answer& answer, Time, Output& out);
  void on(const Defer& deferred, Time, Output& out);
  void on(const Configure& changed, Time, Output& out);
  void on(const FrameCame& came, Time now, Output& out);
  void on(const OutputEnded&, Time, Output& out);
  void on(const TimeIsDue&, Time now, Output& out);

  // Returns the id by which this process knows the prompt, or the prompt of such an id. A turn's
  // first prompt has the turn's id.
  TurnId other_id(TurnId id) const;
  TurnId turn_of(TurnId prompt) const { return injections_.contains(prompt) ? turn_ : prompt; }
  template <class Other>
  void name_turns(Other&) {}
  void name_turns(InitFrame& frame);
  void name_turns(ResultFrame& frame);
  void name_turns(PromptLifecycle& frame);

  void take(const InitFrame& frame, const Step& step);
  void take(const MessageFrame& frame, const Step& step);
  void take(const ResultFrame& frame, const Step& step);
  void take(const StreamStarted& frame, const Step& step);
  void take(const CallUsage& frame, const Step& step);
  void take(const TextDelta& frame, const Step& step);
  void take(AgentRequest frame, const Step& step);
  void take(const HostAnswered& frame, const Step& step);
  void take(const RequestWithdrawn& frame, const Step& step);
  void take(const CallDenied& frame, const Step& step);
  void take(const NoteFrame& frame, const Step& step);
  void take(const PromptLifecycle& frame, const Step& step);
  void take(const TasksChanged& frame, const Step& step);
  void take(const StateChanged& frame, const Step& step);
  void take(Notice frame, const Step& step);
  void take(const TaskEnded& frame, const Step& step);
  void take(const ConversationReset& frame, const Step& step);
  void take(const KnownFrame& frame, const Step& step);
  void take(const StrangeFrame& frame, const Step& step);
  void note_denial(const std::string& call);
  void withdraw_asks_of(const std::string& call, Output& out);
  void withdraw_asks_of_agent(const std::string& agent, Output& out);
  base::TurnId turn_at_work(Reports& out);
  void begin_own(const domain::ReportOwnTurnStarted& own, Reports& out);
  void end_own(const OwnTurn& own, std::string_view subtype, bool is_error, Reports& out);
  void report_partial(std::string text, Reports& out);
  void report_spending(domain::Spending spent, Reports& out);
  void report_due(Time now, Reports& out);
  void report_tasks(Time now, Reports& out);
  void report_offered(const InitFrame& frame, Reports& out);
  void report_told(Reports& out);
  void give_up_deferred(Output& out);
  void count_call(const MessageFrame& frame);
  bool is_left_over(const AgentRequest& frame, Time now);
  void report_denials(const ResultFrame& frame, TurnId turn, Reports& out);
  bool is_news(const Notice& notice);
  bool is_to_hold(const domain::ReportTurnResult& result) const;
  void hold(domain::ReportTurnResult result, Reports& out);
  void release_held(Reports& out);
  std::optional<Time> held_until() const;
  std::optional<Time> deadline() const;
  bool wants_exit() const;
  std::string next_request_id();

  const EngineSettings settings_;
  const SessionLaunch session_;
  domain::ReportInitialized last_init_;
  bool has_lost_session_ = false;  // that it was to resume
  base::NanoUsd agent_total_;      // as of the last result
  base::NanoUsd agent_base_{-1};   // see domain::ReportTurnResult; until a result has told it
  base::NanoUsd cleared_total_;    // spent in conversations that were cleared since
  ClaudeRuns runs_;
  TurnId turn_;      // the last one begun; unset before the first
  TurnId own_turn_;  // the agent's own that was reported last
  bool has_result_ = false;
  struct OpenAsk {
    std::string call;
    std::string agent;  // the task of the subagent that asks; empty: the agent itself
  };
  std::map<std::string, OpenAsk> asks_;  // that the agent waits for, by their ids
  ClaudeHolds holds_{session_.spec.approvals == domain::Approvals::ask, session_.hook_points};
  std::optional<Time> asks_again_by_;  // of a turn that was deferred, until it does
  std::set<std::string> again_;        // calls that were deferred, and that it has made again
  std::string calls_of_;               // the agent's last message with calls
  std::size_t calls_ = 0;              // so many it has
  std::string deferred_ask_;  // that the agent was told to defer, until its result; empty: none
  std::set<std::string> denied_calls_;  // denied calls of this turn whose results have not come yet
  std::set<std::string> told_denials_;  // denied calls of this run that were reported
  std::vector<std::string> broken_;     // MCP servers, as reported last
  std::vector<std::string> commands_;   // likewise, the agent's own
  // Settings that the agent is being told: the requests without an answer, with the setting's key.
  struct Telling {
    std::int64_t number = 0;  // of the last change
    std::map<std::string, std::string> open;
    std::string refusal;
  };
  Telling telling_;
  std::set<std::string> allowed_;  // limits of the account that were reported last as "allowed"
  bool has_answered_ = false;      // the model's last message was its last word
  std::string answer_;             // the last text of that message
  bool is_refusing_ = false;       // a note of this run can say why its prompt was refused
  std::int64_t requests_ = 0;
  PartialOutput partial_;
  ClaudeSpending spending_{settings_.prices};
  ClaudeTasks tasks_;
  ClaudeInjections injections_;  // into the turn begun last
  Time injected_at_;
  bool had_tasks_ = false;  // some ran in the background at a time since the last result
};

std::unique_ptr<Engine> make_claude_engine(EngineSettings settings, SessionLaunch session);

extern const EngineKind kClaudeEngine;

}  // namespace engines
