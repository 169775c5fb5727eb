// Projection: every session that ever was, one row each, and the words that people call it by. The
// fold is the domain's own (domain::evolve), so the list shows the state that commands are decided
// on.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "eventlog/domain/aggregates.hpp"
#include "projections/fold/projection.hpp"
#include "projections/views/session_names.hpp"

namespace projections {

using base::NanoUsd;
using base::Position;
using base::Time;
using domain::EndReason;
using domain::SessionStatus;

class SessionList final : public Projection {
 public:
  static constexpr std::string_view kName = "session_list";

  std::string_view name() const override { return kName; }
  std::int64_t schema() const override;
  void apply(const domain::RecordedEvent& event, const std::optional<domain::StreamRef>& stream,
             Rows& rows) const override;
};

// A session as queries return it. Times are log time; counts are since the session was opened.
struct SessionRow {
  SessionId session;
  std::string agent;
  std::string name;    // as it was given; empty: made from the prompt
  Position made_name;  // where the text of a name that was made is; 0: given, or erased
  std::string alias;
  SessionStatus status = SessionStatus::none;
  EndReason end_reason = EndReason::none;  // set once the session has ended
  std::string engine;
  std::string workdir;
  std::string model;         // as it was asked for; empty: the agent's default
  std::string agent_model;   // as the agent named it at its start; empty: not started yet
  bool is_unpriced = false;  // that model has no price that is known
  domain::PermissionMode permission_mode = domain::PermissionMode::ask;
  bool is_multi_turn = false;
  domain::BackgroundTasks background = domain::BackgroundTasks::allow;
  NanoUsd budget;  // 0: none
  Time created_at;
  Time updated_at;                // of its last event
  Time closed_at;                 // 0: live
  std::int64_t turns_queued = 0;  // all that ever were
  std::int64_t turns_finished = 0;
  std::int64_t turns_failed = 0;
  std::int64_t turns_interrupted = 0;
  std::int64_t own_turns = 0;                         // begun by the agent; in no other count
  std::int64_t turns_waiting = 0;                     // queued and not started yet
  base::TurnId turn;                                  // the current one; unset: none
  base::TurnId own_turn;                              // the agent's own, under way; unset: none
  bool is_waiting_for_input = false;                  // live, multi-turn, and without work
  bool is_parked = false;                             // likewise, and without an agent process
  domain::EndReason pause = domain::EndReason::none;  // the reason for which prompts wait
  Time paused_until;       // wall time at which they go on; 0: not by themselves, but for a day
  std::int64_t tasks = 0;  // that run in the background
  std::int64_t tasks_lost = 0;  // that ended with their agent, since the last prompt was started
  Position shared_at;           // where others were found to use its agent session, too; 0: never
  // The session needs a person for this; none also if a person knows, or has resumed it. The next
  // two are the time and the position of the event by which it came to that.
  domain::Attention attention = domain::Attention::none;
  Time attention_since;
  Position attention_at;
  domain::OpenAsks asks;          // what it asks people and hooks, and has not heard an answer to
  bool is_silent = false;         // the agent has said nothing for a while, and no tool runs
  bool is_repeating = false;      // its agent has made one tool call too often in a row
  Time idle_since;                // it has no work since then; 0: it has, or that time is unlimited
  base::Duration idle_timeout{};  // as the spec has it, and so the next five
  base::Duration run_timeout{};
  base::Duration approval_timeout{};
  domain::UnansweredAsk unanswered = domain::UnansweredAsk::deny;
  std::int64_t repeated_calls_max = 0;
  domain::UseLimits use_limits;
  std::int64_t denied = 0;                // tool calls that were denied for lack of a permission
  std::vector<std::string> denied_tools;  // their names, each once; the first eight
  std::vector<std::string> mcp_broken;    // "NAME: STATUS" of the agent's MCP servers
  Position commands;                      // of the last SlashCommandsReported; 0: there is none
  base::Sparse<domain::ChangedSettings> changed;  // since it was opened
  std::string terminal_reason;  // of the last turn that finished; empty: completed, or not said
  Time day_over;                // until then the budget of its agent's day is spent; 0: it is not
  std::string trouble;          // why the agent makes a call of its model again; empty: it does not
  bool is_close_requested = false;
  std::string agent_session;                          // the agent's own session id, once known
  base::Sparse<domain::TranscriptImported> imported;  // without lines: it was not imported
  domain::Descriptor descriptor;
  std::vector<std::string> foreground;  // channels that are shown its output as it comes
  SessionId resumed_from;               // unset: a session that began anew
  bool is_fork = false;                 // of the agent's own session
  domain::ResumedAt resumed_at = domain::ResumedAt::end;
  SessionId lineage;
  std::vector<domain::Payer> payers;  // nearest first
  NanoUsd cost;
  domain::CostBasis cost_basis = domain::CostBasis::totals;  // of its least certain part
  NanoUsd disputed;  // by so much the agent's own figures exceed the cost
  domain::Usage usage;
  std::int64_t output_blocks = 0;
  std::int64_t tool_calls = 0;
  Position opened;         // of SessionOpened
  Position last_position;  // of its last event
  Position prompt;         // of its first TurnQueued, whose content is the first prompt
  std::int64_t prompt_bytes = 0;
  base::WorkerId worker;            // the worker that holds the lease; unset: none
  base::FencingToken token;         // of the lease
  std::int64_t pid = 0;             // of the agent process; 0: none
  Position inconsistent;            // of its first impossible event; 0: none
  bool is_erased = false;           // all its text is erased, or must be
  bool is_erasing = false;          // a file can still hold some of what was erased
  std::vector<std::string> labels;  // in their order
  std::int64_t compactions = 0;     // of its agent's context

  bool operator==(const SessionRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &SessionRow::session);
    visit("agent", &SessionRow::agent);
    visit("name", &SessionRow::name);
    visit("made_name", &SessionRow::made_name);
    visit("alias", &SessionRow::alias);
    visit("status", &SessionRow::status);
    visit("end_reason", &SessionRow::end_reason);
    visit("engine", &SessionRow::engine);
    visit("workdir", &SessionRow::workdir);
    visit("model", &SessionRow::model);
    visit("agent_model", &SessionRow::agent_model);
    visit("unpriced", &SessionRow::is_unpriced);
    visit("permission_mode", &SessionRow::permission_mode);
    visit("multi_turn", &SessionRow::is_multi_turn);
    visit("background", &SessionRow::background);
    visit("budget", &SessionRow::budget);
    visit("created_at", &SessionRow::created_at);
    visit("updated_at", &SessionRow::updated_at);
    visit("closed_at", &SessionRow::closed_at);
    visit("turns_queued", &SessionRow::turns_queued);
    visit("turns_finished", &SessionRow::turns_finished);
    visit("turns_failed", &SessionRow::turns_failed);
    visit("turns_interrupted", &SessionRow::turns_interrupted);
    visit("own_turns", &SessionRow::own_turns);
    visit("turns_waiting", &SessionRow::turns_waiting);
    visit("turn", &SessionRow::turn);
    visit("own_turn", &SessionRow::own_turn);
    visit("waiting_for_input", &SessionRow::is_waiting_for_input);
    visit("parked", &SessionRow::is_parked);
    visit("pause", &SessionRow::pause);
    visit("paused_until", &SessionRow::paused_until);
    visit("tasks", &SessionRow::tasks);
    visit("tasks_lost", &SessionRow::tasks_lost);
    visit("shared_at", &SessionRow::shared_at);
    visit("attention", &SessionRow::attention);
    visit("attention_since", &SessionRow::attention_since);
    visit("attention_at", &SessionRow::attention_at);
    visit("asks", &SessionRow::asks);
    visit("silent", &SessionRow::is_silent);
    visit("repeating", &SessionRow::is_repeating);
    visit("idle_since", &SessionRow::idle_since);
    visit("idle_timeout_us", &SessionRow::idle_timeout);
    visit("run_timeout_us", &SessionRow::run_timeout);
    visit("approval_timeout_us", &SessionRow::approval_timeout);
    visit("unanswered", &SessionRow::unanswered);
    visit("repeated_calls_max", &SessionRow::repeated_calls_max);
    visit("use_limits", &SessionRow::use_limits);
    visit("denied", &SessionRow::denied);
    visit("denied_tools", &SessionRow::denied_tools);
    visit("mcp_broken", &SessionRow::mcp_broken);
    visit("commands", &SessionRow::commands);
    visit("changed", &SessionRow::changed);
    visit("terminal_reason", &SessionRow::terminal_reason);
    visit("day_over", &SessionRow::day_over);
    visit("trouble", &SessionRow::trouble);
    visit("close_requested", &SessionRow::is_close_requested);
    visit("agent_session", &SessionRow::agent_session);
    visit("imported", &SessionRow::imported);
    visit("descriptor", &SessionRow::descriptor);
    visit("foreground", &SessionRow::foreground);
    visit("resumed_from", &SessionRow::resumed_from);
    visit("fork", &SessionRow::is_fork);
    visit("resumed_at", &SessionRow::resumed_at);
    visit("lineage", &SessionRow::lineage);
    visit("payers", &SessionRow::payers);
    visit("cost", &SessionRow::cost);
    visit("cost_basis", &SessionRow::cost_basis);
    visit("disputed", &SessionRow::disputed);
    visit("usage", &SessionRow::usage);
    visit("output_blocks", &SessionRow::output_blocks);
    visit("tool_calls", &SessionRow::tool_calls);
    visit("opened", &SessionRow::opened);
    visit("last_position", &SessionRow::last_position);
    visit("prompt", &SessionRow::prompt);
    visit("prompt_bytes", &SessionRow::prompt_bytes);
    visit("worker", &SessionRow::worker);
    visit("token", &SessionRow::token);
    visit("pid", &SessionRow::pid);
    visit("inconsistent", &SessionRow::inconsistent);
    visit("erased", &SessionRow::is_erased);
    visit("erasing", &SessionRow::is_erasing);
    visit("labels", &SessionRow::labels);
    visit("compactions", &SessionRow::compactions);
  }
};

// ---- queries: pure reads, from any thread that can read the store ----

// The most rows in one answer. At some 500 bytes each they fit one message with room to spare.
constexpr std::size_t kSessionsMax = 1000;

struct SessionFilter {
  std::string agent;                 // empty: all agents, for callers that are allowed to see them
  std::set<SessionStatus> statuses;  // empty: all
  std::size_t limit = kSessionsMax;  // capped at kSessionsMax
  Time active_since;                 // only sessions whose last event is not older; 0: all
  Position before;  // only sessions opened before it, to read on from a full page; 0: all
};

struct SessionPage {
  std::vector<SessionRow> sessions;  // the one opened last comes first
  bool has_more = false;             // ask again with `before` as it is here
  Position before;
  std::int64_t total = 0;  // sessions of that agent and those statuses, whenever they were active
};

// Returns the sessions that match, reading few more rows than it returns. With `active_since` it
// looks at kSessionsMax rows at most, so a page can hold fewer sessions, or none, and have more.
Result<SessionPage> list_sessions(eventlog::KeyValueStore& store, const SessionFilter& filter);

// Returns the positions of the prompts that wait in the session, in their order.
Result<std::vector<Position>> waiting_prompts(eventlog::KeyValueStore& store,
                                              std::string_view agent, SessionId session);

struct AttentionFilter {
  std::string agent;                 // empty: all agents, for callers that are allowed to see them
  std::size_t limit = kSessionsMax;  // capped at kSessionsMax
  Position after;  // only sessions that came to need a person behind it, to read on; 0: all
};

struct AttentionPage {
  std::vector<SessionRow> sessions;  // the one that has needed a person for longest comes first
  bool has_more = false;             // ask again with `after` as it is here
  Position after;
};

// Returns the sessions that need a person, reading no more rows than it returns.
Result<AttentionPage> list_attention(eventlog::KeyValueStore& store, const AttentionFilter& filter);

// Returns none if the agent has no such session.
Result<std::optional<SessionRow>> get_session(eventlog::KeyValueStore& store,
                                              std::string_view agent, SessionId session);

// Returns the state of a lineage, such as what all its sessions have spent; the empty one if its
// first session was never resumed or forked.
Result<domain::LineageState> get_lineage(eventlog::KeyValueStore& store, std::string_view agent,
                                         SessionId first);

// Reads the text of the event at a position; none: it is not there. Rows hold no text that can be
// erased.
using TextSource = std::function<std::optional<std::string>(Position)>;

// Returns the one of the agent's sessions that `reference` means. "@foreground" is the live session
// of a user that was opened last, "@heartbeat" the live one of heartbeats, and
// "@connector/user/channel" the live one of that user. Else these are tried in order:
// - its id
// - its alias
// - its name; of several sessions the live one, else the newest
// - a prefix, of at least kPrefixMin characters, of an id or alias that fits one session only
// - the agent's own session id
// Without `texts`, names that were made from a prompt are not found. Errors: not_found; invalid for
// a prefix that fits several, naming them; the store's.
Result<SessionRow> resolve_session(eventlog::KeyValueStore& store, std::string_view agent,
                                   std::string_view reference, const TextSource& texts = {});

constexpr std::size_t kPrefixMin = 4;

}  // namespace projections
