// The state of a session, and the part of it that leases need.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/domain/accepted_commands.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/session/changed_settings.hpp"
#include "eventlog/domain/session/events.hpp"

namespace domain {

// An agent that was asked to interrupt its turn has five seconds to obey before it is ended.
constexpr base::Duration kInterruptGrace{5'000'000};

// So many agents at most are given one prompt.
constexpr std::int64_t kTurnAttemptsMax = 3;

// So many agents in a row at most are started for one prompt. Between them grows the pause: an
// agent's program is away for some seconds while it is installed anew.
constexpr std::int64_t kStartsMax = 3;
constexpr base::Duration kStartPauses[kStartsMax - 1] = {base::Duration{2'000'000},
                                                         base::Duration{10'000'000}};

// A limit of use that ends later than this needs a person.
constexpr base::Duration kUsageLimitMax = std::chrono::hours(24);
// Prompts go on so much later than the provider says: its clock is another one.
constexpr base::Duration kUsageLimitMargin = std::chrono::seconds(5);

// A file that goes with a prompt.
struct AttachedFile {
  Position file;          // position of its FileAttached, where its content lies
  StreamVersion version;  // version of the same event
  std::int64_t bytes = 0;

  bool operator==(const AttachedFile&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("file", &AttachedFile::file);
    visit("version", &AttachedFile::version);
    visit("bytes", &AttachedFile::bytes);
  }
};
using AttachedFiles = std::vector<AttachedFile>;

std::int64_t bytes_of(const AttachedFiles& files);

// A prompt that was added to a turn.
struct InjectedPrompt {
  Position prompt;                      // position of its PromptInjected, where its content lies
  StreamVersion version;                // version of the same event
  std::int64_t bytes = 0;               // of its text
  base::Sparse<AttachedFiles> files{};  // in their order

  bool operator==(const InjectedPrompt&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("prompt", &InjectedPrompt::prompt);
    visit("version", &InjectedPrompt::version);
    visit("bytes", &InjectedPrompt::bytes);
    visit("files", &InjectedPrompt::files);
  }
};
using InjectedPrompts = std::vector<InjectedPrompt>;

// A directive carries all prompts that were added to a turn, in so many bytes at most, and their
// files, which have kPromptFilesBytesMax together with those of the turn's own prompt.
constexpr std::int64_t kInjectedBytesMax = std::int64_t{1} << 20;

struct QueuedTurn {
  TurnId turn;
  // Position of its TurnQueued, where the prompt's content lies; of a PromptInjected, if that is
  // the first of its prompts that is not answered.
  Position prompt;
  StreamVersion version;                     // version of the same event
  Time start_before{};                       // as TurnQueued has it; 0 also once it was started
  std::int64_t attempts = 0;                 // as TurnReturned has it
  base::Sparse<InjectedPrompts> injected{};  // behind that prompt, and not answered either
  std::int64_t starts = 0;                   // as TurnReturned has it
  base::Sparse<AttachedFiles> files{};       // of that prompt, in their order
  base::Sparse<std::string> deferred{};      // as TurnReturned has it
  base::Sparse<std::string> place{};         // as SendPrompt has it

  bool operator==(const QueuedTurn&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &QueuedTurn::turn);
    visit("prompt", &QueuedTurn::prompt);
    visit("version", &QueuedTurn::version);
    visit("start_before", &QueuedTurn::start_before);
    visit("attempts", &QueuedTurn::attempts);
    visit("injected", &QueuedTurn::injected);
    visit("starts", &QueuedTurn::starts);
    visit("deferred", &QueuedTurn::deferred);
    visit("files", &QueuedTurn::files);
    visit("place", &QueuedTurn::place);
  }
};

struct CurrentTurn {
  TurnId turn;
  Position prompt;        // as the queue had it
  StreamVersion version;  // likewise
  bool is_interrupt_requested = false;
  bool is_over_budget = false;  // Steno itself interrupts it, because its session's budget is spent
  Time asked_at{};              // log time at which Steno itself asked for that; 0: it did not
  // The other limit for which Steno interrupts it; none also if somebody asked for that as well.
  EndReason stop = EndReason::none;
  Time started_at{};    // kept only if its run time is limited
  Time start_before{};  // as the queue had it, and so has the next one
  std::int64_t attempts = 0;
  base::Sparse<InjectedPrompts> injected{};
  bool is_continued = false;  // the agent that runs is done with it; another one is given the rest
  std::int64_t starts = 0;    // as TurnReturned has it
  base::Sparse<AttachedFiles> files{};  // as the queue had them
  // As TurnReturned has it; empty also once its agent has heard the answer.
  base::Sparse<std::string> deferred{};

  bool operator==(const CurrentTurn&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &CurrentTurn::turn);
    visit("prompt", &CurrentTurn::prompt);
    visit("version", &CurrentTurn::version);
    visit("interrupt_requested", &CurrentTurn::is_interrupt_requested);
    visit("over_budget", &CurrentTurn::is_over_budget);
    visit("asked_at", &CurrentTurn::asked_at);
    visit("stop", &CurrentTurn::stop);
    visit("started_at", &CurrentTurn::started_at);
    visit("start_before", &CurrentTurn::start_before);
    visit("attempts", &CurrentTurn::attempts);
    visit("injected", &CurrentTurn::injected);
    visit("continued", &CurrentTurn::is_continued);
    visit("starts", &CurrentTurn::starts);
    visit("deferred", &CurrentTurn::deferred);
    visit("files", &CurrentTurn::files);
  }
};

struct Lease {
  WorkerId worker;
  FencingToken token;
  std::int64_t report_sequence = 0;  // sequence of the last recorded report
  std::string resume_agent_session;
  std::int64_t pid = 0;  // pid of the agent process; 0: not started yet
  std::int64_t start_ticks = 0;
  NanoUsd budget{};            // of its agent process; 0: as the session's spec says
  bool is_lost = false;        // that process could not resume its agent session, and ends
  bool is_unsaved = false;     // that process could not write all of its transcript
  std::string last_message{};  // as LeaseGranted has it

  bool operator==(const Lease&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("worker", &Lease::worker);
    visit("token", &Lease::token);
    visit("report_sequence", &Lease::report_sequence);
    visit("resume_agent_session", &Lease::resume_agent_session);
    visit("pid", &Lease::pid);
    visit("start_ticks", &Lease::start_ticks);
    visit("budget", &Lease::budget);
    visit("lost", &Lease::is_lost);
    visit("unsaved", &Lease::is_unsaved);
    visit("last_message", &Lease::last_message);
  }
};

// A name made from a session's first prompt, and where its text lies.
struct MadeName {
  Position position;      // position of its SessionNamed; 0: the session was given a name
  StreamVersion version;  // version of the same event; the prompt is the event behind it
  std::int64_t mark = 0;
  std::int64_t number = 0;  // 0: unknown

  bool operator==(const MadeName&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &MadeName::position);
    visit("version", &MadeName::version);
    visit("mark", &MadeName::mark);
    visit("number", &MadeName::number);
  }
};

// A session can need a person for one of these.
enum class Attention : std::uint8_t {
  none,
  waiting_for_input,  // it waits for a prompt
  stuck,              // its agent is silent, or makes one tool call again and again
  over_budget,        // what it may use is spent, or its prompts wait for the next day
  failed,             // it failed or was cut off, or its prompts wait behind a failed turn
  denied,             // it has ended, and tool calls were denied for lack of a permission
  ended_idle,         // it was ended because no prompt came
  asks,               // its agent waits for an answer
};

// Tool calls that were denied for lack of a permission. Those of earlier releases, whose events do
// not name the tool, are not counted, so that their sessions' states stay as they were.
struct Denials {
  std::int64_t calls = 0;
  std::vector<std::string> tools{};  // their names, each once; the first kDeniedToolsMax

  bool operator==(const Denials&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("calls", &Denials::calls);
    visit("tools", &Denials::tools);
  }
};
// People read the names; a few of them tell enough.
constexpr std::size_t kDeniedToolsMax = 8;

// Channels that a session knows at once.
constexpr std::size_t kViewersMax = 64;

// A channel that is or was shown a session's output.
struct Viewer {
  bool is_foreground = false;      // it is shown output as it comes
  Position seen;                   // of the last event that it was shown; 0: none
  std::int64_t further_bytes = 0;  // as OutputSeen has it

  bool operator==(const Viewer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("foreground", &Viewer::is_foreground);
    visit("seen", &Viewer::seen);
    visit("further_bytes", &Viewer::further_bytes);
  }
};

// A session's work is its lease, its turns and the prompts that wait. It is small while the session
// is idle.
struct SessionWork {
  SessionStatus status = SessionStatus::none;
  bool is_close_requested = false;
  bool is_own_turn_to_end = false;       // somebody asked to interrupt the agent's own turn
  EndReason pause = EndReason::none;     // why the queue waits; none: it does not
  EndReason own_stop = EndReason::none;  // as CurrentTurn::stop has it
  Position opened;  // position of SessionOpened, which has the agent's start values
  base::Boxed<Lease> lease;
  FencingToken last_token;
  base::Boxed<CurrentTurn> turn;
  TurnId own_turn;    // the agent's own, under way; unset: none
  Time own_asked_at;  // as CurrentTurn::asked_at has it
  std::vector<QueuedTurn> queue;
  // Wall time at which a pause for the day's budget ends, or the day whose budget interrupted the
  // last turn; 0: there is none.
  Time day_over;
  Time paused_until;       // as QueuePaused has it; 0: there is no such pause
  std::int64_t tasks = 0;  // as TasksChanged has it; 0 without a lease
  // Position at which the agent's transcript was found lost; 0: it was not, or a turn has succeeded
  // since.
  Position lost_at;
  Time idle_since;               // it has no work since then; kept only if that time is limited
  Time remind_since;             // of a reminder that is still to come; 0: there is none
  base::Sparse<OpenAsks> asks;   // of the agent that runs, in their order
  std::int64_t asks_raised = 0;  // so far
  base::Sparse<UnheardAnswers> unheard;  // since a turn of a prompt has succeeded
  Time asking_since;  // log time since which somebody is to answer one of them; 0: nobody is
  base::Sparse<ChangedSettings> changed;  // since the session was opened
  base::Sparse<AttachedFiles> attached;   // to the prompt that the next event records

  bool operator==(const SessionWork&) const = default;
};

struct SessionState : SessionWork, ContentState {
  EndReason end_reason = EndReason::none;
  bool is_close_now = false;    // tasks in the background are not waited for
  bool is_continued = false;    // another session has resumed or forked it, and shares its budget
  bool is_left_behind = false;  // the agent's own session has gone on with another one
  CostBasis basis = CostBasis::totals;  // of the least certain part of the cost
  SessionId session;
  std::string agent;
  std::string name;         // as it was given; empty: made from the prompt
  bool is_renamed = false;  // it was given this name later
  MadeName made_name;
  std::string alias;
  SessionSpec spec;
  base::Sparse<Descriptor> descriptor;
  SessionId lineage;
  base::Sparse<std::vector<Payer>> payers;  // as SessionOpened has it
  bool has_launched = false;                // other sessions, which count to its lineage
  std::string agent_session;                // the agent's own session id, once known
  std::string last_message;   // the agent's id of the last message of this conversation
  bool is_heard = false;      // the record has all that the last agent process said
  Position shared_at;         // of the last AgentSessionShared; 0: there is none
  bool is_silent = false;     // the agent has said nothing for a while, and no tool runs
  bool is_repeating = false;  // its agent has made one tool call too often in a row
  bool is_dismissed = false;  // a person knows of its present need
  base::Sparse<std::string> repeating_parent;  // the call whose subagent repeats; empty: the agent
  Time limited_until;  // as RateLimitReported::blocks_until has it; 0 once a turn has succeeded
  base::Sparse<std::string> limited_by;                 // as RateLimitReported::limit has it
  TurnId limited_in;                                    // the turn under way when that was reported
  std::int64_t tasks_lost = 0;                          // since the last prompt was started
  std::int64_t subagents = 0;                           // as TasksChanged has it; 0 without a lease
  base::Sparse<PastAsks> past_asks;                     // the last ones that are over
  std::int64_t blocks = 0;                              // finished output blocks so far
  base::Sparse<Denials> denied;                         // of all turns
  base::Sparse<Denials> turn_denied;                    // since the last turn of a prompt began
  base::Sparse<std::map<std::string, Viewer>> viewers;  // by channel
  Usage usage;
  std::int64_t tool_calls = 0;    // so far; kept only if they are limited
  std::int64_t output_bytes = 0;  // likewise
  NanoUsd cost;
  NanoUsd disputed;                           // by so much the agent's own figures exceed the cost
  base::Sparse<Spending> turn_spent;          // recorded so far for the turn under way
  base::Sparse<Spending> own_spent;           // likewise, for the agent's own
  NanoUsd agent_total;                        // the agent's own running total, as last reported
  NanoUsd beyond_total;                       // recorded since then
  std::optional<NanoUsd> total_at_start;      // with which the agent process should have begun
  base::Sparse<TranscriptImported> imported;  // as it was last read; of another session no lines
  base::Sparse<std::vector<std::string>> labels;  // each once, in their order
  std::int64_t compactions = 0;                   // as ContextCompacted numbers them
  base::Sparse<std::string> place;  // of the last turn that has one; empty: that of the spec
  AcceptedCommands commands;
  // Latest time at which an id was made that `commands` has forgotten; 0: it has forgotten none.
  Time forgotten_ids;
  Position inconsistent;  // position of the first impossible event; 0: none

  bool operator==(const SessionState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("status", &SessionState::status);
    visit("end_reason", &SessionState::end_reason);
    visit("session", &SessionState::session);
    visit("agent", &SessionState::agent);
    visit("name", &SessionState::name);
    visit("renamed", &SessionState::is_renamed);
    visit("made_name", &SessionState::made_name);
    visit("alias", &SessionState::alias);
    visit("spec", &SessionState::spec);
    visit("descriptor", &SessionState::descriptor);
    visit("lineage", &SessionState::lineage);
    visit("payers", &SessionState::payers);
    visit("launched", &SessionState::has_launched);
    visit("continued", &SessionState::is_continued);
    visit("left_behind", &SessionState::is_left_behind);
    visit("opened", &SessionState::opened);
    visit("agent_session", &SessionState::agent_session);
    visit("last_message", &SessionState::last_message);
    visit("lost_at", &SessionState::lost_at);
    visit("heard", &SessionState::is_heard);
    visit("shared_at", &SessionState::shared_at);
    visit("close_requested", &SessionState::is_close_requested);
    visit("close_now", &SessionState::is_close_now);
    visit("lease", &SessionState::lease);
    visit("last_token", &SessionState::last_token);
    visit("turn", &SessionState::turn);
    visit("own_turn", &SessionState::own_turn);
    visit("own_turn_to_end", &SessionState::is_own_turn_to_end);
    visit("own_stop", &SessionState::own_stop);
    visit("own_asked_at", &SessionState::own_asked_at);
    visit("queue", &SessionState::queue);
    visit("pause", &SessionState::pause);
    visit("day_over", &SessionState::day_over);
    visit("paused_until", &SessionState::paused_until);
    visit("limited_until", &SessionState::limited_until);
    visit("limited_by", &SessionState::limited_by);
    visit("limited_in", &SessionState::limited_in);
    visit("tasks_lost", &SessionState::tasks_lost);
    visit("tasks", &SessionState::tasks);
    visit("subagents", &SessionState::subagents);
    visit("asks", &SessionState::asks);
    visit("asking_since", &SessionState::asking_since);
    visit("attached", &SessionState::attached);
    visit("asks_raised", &SessionState::asks_raised);
    visit("past_asks", &SessionState::past_asks);
    visit("unheard", &SessionState::unheard);
    visit("changed", &SessionState::changed);
    visit("blocks", &SessionState::blocks);
    visit("denied", &SessionState::denied);
    visit("turn_denied", &SessionState::turn_denied);
    visit("idle_since", &SessionState::idle_since);
    visit("remind_since", &SessionState::remind_since);
    visit("silent", &SessionState::is_silent);
    visit("repeating", &SessionState::is_repeating);
    visit("repeating_parent", &SessionState::repeating_parent);
    visit("dismissed", &SessionState::is_dismissed);
    visit("viewers", &SessionState::viewers);
    visit("usage", &SessionState::usage);
    visit("tool_calls", &SessionState::tool_calls);
    visit("output_bytes", &SessionState::output_bytes);
    visit("cost", &SessionState::cost);
    visit("basis", &SessionState::basis);
    visit("disputed", &SessionState::disputed);
    visit("turn_spent", &SessionState::turn_spent);
    visit("own_spent", &SessionState::own_spent);
    visit("agent_total", &SessionState::agent_total);
    visit("beyond_total", &SessionState::beyond_total);
    visit("total_at_start", &SessionState::total_at_start);
    visit("imported", &SessionState::imported);
    visit("labels", &SessionState::labels);
    visit("compactions", &SessionState::compactions);
    visit("place", &SessionState::place);
    visit("commands", &SessionState::commands);
    visit("forgotten_ids", &SessionState::forgotten_ids);
    visit("last_content", &SessionState::last_content);
    visit("erased", &SessionState::erased);
    visit("erasure", &SessionState::erasure);
    visit("erasure_completed", &SessionState::erasure_completed);
    visit("inconsistent", &SessionState::inconsistent);
  }
};

// The times that a session's deadlines wait; 0: for ever.
struct TimeLimits {
  base::Duration idle_timeout{};  // as the spec has it, and so has the next one
  base::Duration run_timeout{};
  base::Duration remind_after{};
  base::Duration approval_timeout{};

  bool operator==(const TimeLimits&) const = default;
};
TimeLimits time_limits(const SessionSpec& spec);

// Leases and deadlines need no more of a session. A server keeps one for each session under way.
struct LeaseState : SessionWork {
  TimeLimits limits;

  bool operator==(const LeaseState&) const = default;
};

// Returns the turn of a single-turn session that runs or waits; unset: it is over.
TurnId only_turn(const SessionState& state);

LeaseState lease_state(const SessionState& state);

// True if Steno itself asked the agent to end the turn.
bool is_stopped(const CurrentTurn& turn);

// Returns why a turn that was asked to end is interrupted: for a limit, or because somebody asked.
EndReason interrupt_reason(const CurrentTurn& turn);

// True if it is too late to start the turn. `wall` is wall time.
bool is_too_late(const QueuedTurn& turn, Time wall);

// Returns the limit of the session that its use has reached; none: it can go on. `budget` stands
// for what the session itself has spent of it, without its relatives.
EndReason used_up(const SessionState& state);

// Returns the channel that is told of the session; empty: none is.
const std::string& told_place(const SessionState& state);

// Returns the name for use in texts: the one that the session was given, else its alias.
const std::string& label(const SessionState& state);

// See erasing.hpp.
const ContentState& contents_of(const SessionState& state);
std::string subject_of(const SessionState& state);
base::Result<VersionRanges, Rejection> erasable_of(const SessionState& state,
                                                   const VersionRanges& asked);

// Returns the position of the text of a name made from the prompt; 0 if there is none, it was
// erased, or the session goes by another name.
Position made_name_at(const SessionState& state);

// True if the agent has work: a turn, one of its own, or a prompt that waits. Tasks in the
// background are none.
template <class State>
bool has_work(const State& state) {
  return state.turn || state.own_turn.is_set() || !state.queue.empty();
}

// True if the pause is a short one, of a prompt that no agent could begin: it is tried again.
bool is_start_pause(EndReason pause, Time paused_until);

// True if the session lives, is multi-turn, takes prompts, and has nothing to do.
bool is_waiting_for_input(const SessionState& state);

// Returns what the session needs a person for, whether or not a person knows.
Attention attention_of(const SessionState& state);

enum class DeadlineKind {
  idle,      // of a session that waits for a prompt
  run,       // of the turn under way; and, once it was interrupted, of the agent to obey
  own,       // of the agent to end its own turn, which was interrupted for a limit
  long_run,  // of the reminder that the session still lives
  day,       // of prompts that wait behind the budget of a day
  start,     // of a prompt that waits, to be started
  pause,     // of prompts that wait until a moment that is known
  ask,       // of an answer that the agent waits for
};

// True for the deadlines that are due by the wall clock; the others go by log time.
constexpr bool is_by_wall(DeadlineKind kind) {
  return kind == DeadlineKind::start || kind == DeadlineKind::day || kind == DeadlineKind::pause;
}

struct Deadline {
  DeadlineKind kind = DeadlineKind::idle;
  Time due;  // log time, or wall time, see is_by_wall

  bool operator==(const Deadline&) const = default;
};

// Returns the earliest deadline of the session, in log time; none: it has none. Time before
// `up_since` does not count: a limited time begins anew with each start of the server. Days pass
// meanwhile. Log time is `ahead` of wall time.
std::optional<Deadline> next_deadline(const LeaseState& state, Time up_since = {},
                                      base::Duration ahead = {});
// Returns the session's deadline of that kind; none: it has none.
std::optional<Deadline> deadline_of(const LeaseState& state, DeadlineKind kind);

// True if the session lives or has a lease that has not ended: a worker may have to be told of it.
bool is_under_way(const SessionWork& state);

// True if the session's next agent process is to resume what the session was opened with. One that
// has said nothing since has not moved the agent's own session, and has no copy of it worth
// keeping.
bool begins_as_opened(const SessionState& state);

// True if the session goes on with, or was read from, a session of the agent's own that began
// outside of the record.
bool is_foreign(const SessionState& state);

// True if the session is not the only one that counts to its lineage.
bool has_relatives(const SessionState& state);

// Returns how the session's cost is known. A use without a price counts only until the end of its
// turn tells what it has cost.
CostBasis cost_basis(const SessionState& state);

// Returns the running total of the agent's own session, as last reported and with what was recorded
// since.
NanoUsd running_total(const SessionState& state);

// True if none of the session's text is left, or all of it is recorded as erased.
bool is_wholly_erased(const SessionState& state);

void evolve(SessionState& state, const Envelope& envelope, const Event& event);
void evolve(LeaseState& state, const Envelope& envelope, const Event& event);

// Returns the client's command that was accepted under that id; none if it is new.
std::optional<AcceptedCommand> known_command(const SessionState& state, const CommandId& command);

}  // namespace domain

template <>
struct base::EnumNames<domain::Attention> {
  static constexpr std::string_view kNames[] = {
      "none",   "waiting_for_input", "stuck", "over_budget", "failed",
      "denied", "ended_idle",        "asks"};
};
template <>
struct base::EnumNames<domain::DeadlineKind> {
  static constexpr std::string_view kNames[] = {"idle", "run",   "own",   "long_run",
                                                "day",  "start", "pause", "ask"};
};
