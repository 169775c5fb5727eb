// Each session has one row with its folded state; order, count and name rows are changed with it,
// so that a page of the list or a look-up reads few rows.
#include "projections/views/session_list.hpp"

#include <algorithm>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/erasable.hpp"
#include "eventlog/domain/evolve.hpp"
#include "projections/views/erasures.hpp"

namespace projections {
namespace {

using base::ErrorCode;
using eventlog::KeyValueStore;

// Raised when this file's rows change; the domain's schema stands beside it because its state is
// stored.
constexpr std::int64_t kSessionRowSchema = 4;

// s/<agent>/<id>: the session's state and what the state does not remember.
struct StoredSession {
  domain::SessionState state;  // without the commands that it has accepted
  SessionId resumed_from;
  std::string agent_model;
  bool is_unpriced = false;
  Time created_at;
  Time updated_at;
  Time closed_at;
  std::int64_t turns_queued = 0;
  std::int64_t turns_finished = 0;
  std::int64_t turns_failed = 0;
  std::int64_t turns_interrupted = 0;
  std::int64_t own_turns = 0;
  std::int64_t tool_calls = 0;
  Position last_position;
  Position prompt;
  std::int64_t prompt_bytes = 0;
  std::string trouble{};
  domain::Attention attention = domain::Attention::none;
  Time attention_since;
  Position attention_at;
  bool is_taken_up = false;  // it was resumed or forked after its end
  std::vector<std::string> mcp_broken{};
  std::string terminal_reason{};
  Position commands{};

  bool operator==(const StoredSession&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("state", &StoredSession::state);
    visit("resumed_from", &StoredSession::resumed_from);
    visit("agent_model", &StoredSession::agent_model);
    visit("unpriced", &StoredSession::is_unpriced);
    visit("created_at", &StoredSession::created_at);
    visit("updated_at", &StoredSession::updated_at);
    visit("closed_at", &StoredSession::closed_at);
    visit("turns_queued", &StoredSession::turns_queued);
    visit("turns_finished", &StoredSession::turns_finished);
    visit("turns_failed", &StoredSession::turns_failed);
    visit("turns_interrupted", &StoredSession::turns_interrupted);
    visit("own_turns", &StoredSession::own_turns);
    visit("tool_calls", &StoredSession::tool_calls);
    visit("last_position", &StoredSession::last_position);
    visit("prompt", &StoredSession::prompt);
    visit("prompt_bytes", &StoredSession::prompt_bytes);
    visit("trouble", &StoredSession::trouble);
    visit("attention", &StoredSession::attention);
    visit("attention_since", &StoredSession::attention_since);
    visit("attention_at", &StoredSession::attention_at);
    visit("taken_up", &StoredSession::is_taken_up);
    visit("mcp_broken", &StoredSession::mcp_broken);
    visit("terminal_reason", &StoredSession::terminal_reason);
    visit("commands", &StoredSession::commands);
  }
};

// The value of an order row, and of an attention row: p/<agent>/<position> of every session that
// needs a person, by where it came to that, and p//<position> of the sessions of all agents.
//
// o/<agent>/<status><order> of every session, and o//<status><order> of the sessions of all agents.
// <order> is 2^63 - 1 less the position of SessionOpened, so that the newest session of each status
// comes first.
struct OrderRow {
  std::string agent;  // set in the rows of all agents only
  SessionId session;

  bool operator==(const OrderRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("agent", &OrderRow::agent);
    visit("session", &OrderRow::session);
  }
};

// m/<agent>/<mark><order> of every session whose name was made from its prompt and is not erased.
// The newest session of each mark comes first.
struct MadeNameRow {
  SessionId session;
  Position name;  // where its text is

  bool operator==(const MadeNameRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &MadeNameRow::session);
    visit("name", &MadeNameRow::name);
  }
};

// l/<agent>/<id> of every lineage that has more than one session: domain::LineageState.
Bytes lineage_key(std::string_view agent, SessionId first) {
  return Bytes("l/").append(agent).append(1, '/').append(first.view());
}

// c/<agent>, and c/ for all agents: the number of sessions of each status, by the status's number.
struct SessionCounts {
  std::vector<std::int64_t> sessions;

  bool operator==(const SessionCounts&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("sessions", &SessionCounts::sessions);
  }
};

constexpr SessionStatus kStatuses[] = {SessionStatus::starting, SessionStatus::running,
                                       SessionStatus::completed, SessionStatus::failed,
                                       SessionStatus::killed};
constexpr std::string_view kAllAgents;

Bytes order_prefix(std::string_view agent, SessionStatus status) {
  return Bytes("o/").append(agent).append(1, '/').append(1, static_cast<char>(status));
}

Bytes order_key(std::string_view agent, SessionStatus status, Position opened) {
  Bytes key = order_prefix(agent, status);
  base::append_u64(key, static_cast<std::uint64_t>(INT64_MAX - opened.value));
  return key;
}

Bytes attention_prefix(std::string_view agent) {
  return Bytes("p/").append(agent).append(1, '/');
}

Bytes attention_key(std::string_view agent, Position at) {
  Bytes key = attention_prefix(agent);
  base::append_u64(key, static_cast<std::uint64_t>(at.value));
  return key;
}

Bytes made_name_prefix(std::string_view agent, std::int64_t mark) {
  Bytes key = Bytes("m/").append(agent).append(1, '/');
  base::append_u64(key, static_cast<std::uint64_t>(mark));
  return key;
}

Bytes counts_key(std::string_view agent) {
  return Bytes("c/").append(agent);
}

// ---- folding: figures that evolve does not keep, counted from the record ----
// `s.state` is still as it was before the event.

// The agent, or what became of it, shows that a call of the model is not made again any more.
using Progress =
    base::Types<domain::TurnStarted, domain::OutputRecorded, domain::PartialOutputRecorded,
                domain::ToolCallStarted, domain::ToolCallFinished, domain::TasksChanged,
                domain::ContextCompacted, domain::TurnFinished, domain::TurnFailed,
                domain::TurnInterrupted, domain::LeaseReleased, domain::LeaseExpired>;

// True for the spec of a session that was opened by a release which lists who needs a person: a
// server gives each of its sessions these limits, or says that there is none. Rows of earlier
// sessions stay as they are, so that rows of earlier releases stay valid.
bool has_limits(const domain::SessionSpec& spec) {
  return spec.idle_timeout.count() != 0 || spec.run_timeout.count() != 0 ||
         spec.repeated_calls_max != 0;
}

// Counts the end of a turn that a prompt began.
void count_end(StoredSession& s, base::TurnId turn, std::int64_t& ended) {
  if (!turn.is_set() || turn != s.state.own_turn) ++ended;
}

void note(StoredSession& s, const domain::Envelope& envelope, const domain::TurnQueued&) {
  ++s.turns_queued;
  if (s.prompt.value != 0) return;
  s.prompt = envelope.position;
  s.prompt_bytes = envelope.content ? envelope.content->bytes : 0;
}
void note(StoredSession& s, const domain::Envelope&, const domain::TranscriptImported& e) {
  if (s.state.imported->lines == 0 && e.began.us != 0) s.created_at = e.began;
}
void note(StoredSession& s, const domain::Envelope& envelope, const domain::MessageImported& e) {
  if (e.kind == domain::ImportedKind::tool_call) ++s.tool_calls;
  if (e.kind != domain::ImportedKind::prompt) return;
  note(s, envelope, domain::TurnQueued{});
  ++s.turns_finished;
}
void note(StoredSession& s, const domain::Envelope&, const domain::TurnFinished& e) {
  count_end(s, e.turn, s.turns_finished);
  s.terminal_reason = e.terminal_reason == "completed" ? std::string() : e.terminal_reason;
}
void note(StoredSession& s, const domain::Envelope&, const domain::TurnFailed& e) {
  count_end(s, e.turn, s.turns_failed);
}
void note(StoredSession& s, const domain::Envelope&, const domain::TurnInterrupted& e) {
  count_end(s, e.turn, s.turns_interrupted);
}
void note(StoredSession& s, const domain::Envelope&, const domain::OwnTurnStarted&) {
  ++s.own_turns;
}
void note(StoredSession& s, const domain::Envelope&, const domain::SessionResumed&) {
  s.is_taken_up |= has_limits(s.state.spec) && is_terminal(s.state.status);
}
void note(StoredSession& s, const domain::Envelope&, const domain::ToolCallStarted&) {
  ++s.tool_calls;
}
void note(StoredSession& s, const domain::Envelope&, const domain::ModelCallRetried& e) {
  s.trouble = e.error;
  if (e.api_status != 0) {
    s.trouble += (s.trouble.empty() ? "HTTP " : ", HTTP ") + std::to_string(e.api_status);
  }
  s.trouble += (s.trouble.empty() ? "attempt " : ", attempt ") + std::to_string(e.attempt);
  if (e.attempts_max > 0) s.trouble += " of " + std::to_string(e.attempts_max);
}
void note(StoredSession& s, const domain::Envelope&, const domain::AgentInitialized& e) {
  s.agent_model = e.model;
  s.is_unpriced = e.is_unpriced;
}
void note(StoredSession& s, const domain::Envelope&, const domain::McpServersReported& e) {
  s.mcp_broken = e.broken;
}
void note(StoredSession& s, const domain::Envelope& envelope,
          const domain::SlashCommandsReported&) {
  s.commands = envelope.position;
}
template <class Other>
void note(StoredSession&, const domain::Envelope&, const Other&) {}

template <class Event>
void note_any(StoredSession& s, const domain::Envelope& envelope, const Event& event) {
  if constexpr (base::kContains<Event, Progress>) s.trouble.clear();
  note(s, envelope, event);
}

void evolve_state(domain::SessionState& state, const domain::RecordedEvent& event) {
  domain::evolve(state, event.envelope, event.event);
  // A list has no use for the ids of commands, and they would make a row as long as its session.
  state.commands.clear();
}

using Imports =
    base::Types<domain::TranscriptImported, domain::LineImported, domain::MessageImported>;

// Returns when the session was last at work: what was imported was said before it was recorded.
Time updated_at(const StoredSession& s, const domain::RecordedEvent& event) {
  const bool is_of_import =
      domain::is_one_of<Imports>(event.event) || event.event.is<domain::SessionClosed>();
  const Time ended = s.state.imported->ended;
  return is_of_import && ended.us != 0 ? ended : event.envelope.log_time;
}

void open(StoredSession& s, const domain::RecordedEvent& event, const domain::StreamRef& ref,
          Rows& rows) {
  const auto& opened = event.event.get<domain::SessionOpened>();
  s.resumed_from = opened.resumed_from;
  s.created_at = event.envelope.log_time;
  refer_opened(rows, opened, ref.agent, ref.id);
}

void close(StoredSession& s, const domain::RecordedEvent& event, const domain::StreamRef& ref,
           Rows& rows) {
  s.closed_at = event.envelope.log_time;
  release_name(rows, ref.agent, s.state.name, ref.id);
}

void count(Rows& rows, std::string_view agent, SessionStatus status, std::int64_t by) {
  if (status == SessionStatus::none) return;
  rows.edit<SessionCounts>(counts_key(agent), [&](SessionCounts& counts) {
    const auto at = static_cast<std::size_t>(status);
    if (counts.sessions.size() <= at) counts.sessions.resize(at + 1);
    counts.sessions[at] += by;
    return true;
  });
}

// Moves the session from the rows of its former status to those of its present one.
void order(Rows& rows, const StoredSession& s, const domain::StreamRef& ref, SessionStatus before) {
  const SessionStatus after = s.state.status;
  if (before == after) return;
  for (const std::string_view agent : {std::string_view(ref.agent), kAllAgents}) {
    count(rows, agent, before, -1);
    count(rows, agent, after, 1);
    if (before != SessionStatus::none) rows.remove(order_key(agent, before, s.state.opened));
    const OrderRow row{agent.empty() ? ref.agent : std::string(), ref.id};
    rows.put(order_key(agent, after, s.state.opened), row);
  }
}

// Moves the session within the sessions that need a person.
void note_attention(Rows& rows, StoredSession& s, const domain::StreamRef& ref) {
  const bool is_known = s.state.is_dismissed || s.is_taken_up || !has_limits(s.state.spec);
  const domain::Attention after =
      is_known ? domain::Attention::none : domain::attention_of(s.state);
  if (after == s.attention) return;
  for (const std::string_view agent : {std::string_view(ref.agent), kAllAgents}) {
    if (s.attention != domain::Attention::none) rows.remove(attention_key(agent, s.attention_at));
    if (after == domain::Attention::none) continue;
    const OrderRow row{agent.empty() ? ref.agent : std::string(), ref.id};
    rows.put(attention_key(agent, s.last_position), row);
  }
  const bool is_needed = after != domain::Attention::none;
  s.attention = after;
  s.attention_since = is_needed ? s.updated_at : Time{};
  s.attention_at = is_needed ? s.last_position : Position{};
}

// A name that was made can be found for as long as its text exists, and the session goes by it.
void note_made_name(Rows& rows, const domain::SessionState& s, const domain::StreamRef& ref,
                    const domain::RecordedEvent& event) {
  const bool may_change = domain::is_one_of<
      base::Types<domain::SessionNamed, domain::SessionRenamed, domain::ContentErased>>(
      event.event);
  if (!may_change || s.made_name.position.value == 0) return;
  Bytes key = made_name_prefix(ref.agent, s.made_name.mark);
  base::append_u64(key, static_cast<std::uint64_t>(INT64_MAX - s.opened.value));
  if (domain::made_name_at(s).value == 0) {
    rows.remove(key);
  } else {
    rows.put(key, MadeNameRow{ref.id, s.made_name.position});
  }
}

// ---- queries ----

SessionRow row_of(const StoredSession& stored) {
  const domain::SessionState& s = stored.state;
  SessionRow row;
  row.session = s.session;
  row.agent = s.agent;
  row.name = s.name;
  row.made_name = domain::made_name_at(s);
  row.alias = s.alias;
  row.status = s.status;
  row.end_reason = s.end_reason;
  row.engine = s.spec.engine;
  row.workdir = s.spec.workdir;
  row.model = s.spec.model;
  row.agent_model = stored.agent_model;
  row.is_unpriced = stored.is_unpriced;
  row.permission_mode = s.changed->agent_mode.value_or(s.spec.permission_mode);
  row.changed = s.changed;
  row.is_multi_turn = s.spec.is_multi_turn;
  row.background = s.spec.background;
  row.budget = s.spec.budget;
  row.created_at = stored.created_at;
  row.updated_at = stored.updated_at;
  row.closed_at = stored.closed_at;
  row.turns_queued = stored.turns_queued;
  row.turns_finished = stored.turns_finished;
  row.turns_failed = stored.turns_failed;
  row.turns_interrupted = stored.turns_interrupted;
  row.own_turns = stored.own_turns;
  row.turns_waiting = static_cast<std::int64_t>(s.queue.size());
  if (s.turn) row.turn = s.turn->turn;
  row.own_turn = s.own_turn;
  row.is_waiting_for_input = domain::is_waiting_for_input(s);
  row.is_parked = row.is_waiting_for_input && !s.lease;
  row.pause = s.pause;
  row.paused_until = s.paused_until;
  if (domain::is_live(s.status)) row.tasks = s.tasks;
  row.denied = s.denied->calls;
  row.denied_tools = s.denied->tools;
  row.mcp_broken = stored.mcp_broken;
  row.commands = stored.commands;
  row.terminal_reason = stored.terminal_reason;
  row.day_over = s.day_over;
  row.tasks_lost = s.tasks_lost;
  row.shared_at = s.shared_at;
  row.trouble = stored.trouble;
  row.attention = stored.attention;
  row.attention_since = stored.attention_since;
  row.attention_at = stored.attention_at;
  row.is_silent = s.is_silent;
  row.is_repeating = s.is_repeating;
  if (domain::is_waiting_for_input(s)) row.idle_since = s.idle_since;
  row.idle_timeout = s.spec.idle_timeout;
  row.run_timeout = s.spec.run_timeout;
  row.approval_timeout = s.spec.approval_timeout;
  row.unanswered = s.spec.unanswered;
  row.asks = *s.asks;
  row.repeated_calls_max = s.spec.repeated_calls_max;
  row.use_limits = s.spec.use_limits;
  row.is_close_requested = s.is_close_requested;
  row.agent_session = s.agent_session;
  row.imported = s.imported;
  row.descriptor = s.descriptor;
  for (const auto& [channel, viewer] : *s.viewers) {
    const bool is_shown = viewer.is_foreground && domain::is_live(s.status);
    if (is_shown) row.foreground.push_back(channel);
  }
  row.resumed_from = stored.resumed_from;
  row.is_fork = s.spec.is_fork;
  row.resumed_at = s.spec.resumed_at;
  row.lineage = s.lineage;
  row.payers = s.payers;
  row.cost = s.cost;
  row.cost_basis = domain::cost_basis(s);
  row.disputed = s.disputed;
  row.usage = s.usage;
  row.labels = *s.labels;
  row.compactions = s.compactions;
  row.output_blocks = s.blocks;
  row.tool_calls = stored.tool_calls;
  row.opened = s.opened;
  row.last_position = stored.last_position;
  row.prompt = stored.prompt;
  row.prompt_bytes = stored.prompt_bytes;
  if (s.lease) {
    row.worker = s.lease->worker;
    row.token = s.lease->token;
    row.pid = s.lease->pid;
  }
  row.inconsistent = s.inconsistent;
  row.is_erased = s.last_content.value > 0 && domain::is_wholly_erased(s);
  row.is_erasing = s.erasure > s.erasure_completed;
  return row;
}

RowReader reader(KeyValueStore& store) {
  return RowReader(store, SessionList::kName);
}

Result<std::optional<SessionRow>> read_row(const RowReader& rows, std::string_view agent,
                                           SessionId session) {
  auto stored = rows.get<StoredSession>(session_key(agent, session));
  if (!stored) return tl::unexpected(stored.error());
  if (!*stored || (*stored)->state.status == SessionStatus::none) return std::nullopt;
  return row_of(**stored);
}

// Walks the sessions of one status, the newest first.
class StatusWalk {
 public:
  StatusWalk(const RowReader& rows, std::string_view agent, SessionStatus status, Position before,
             std::size_t page)
      : rows_(rows), prefix_(order_prefix(agent, status)), page_(page) {
    if (before.value > 0) from_ = order_key(agent, status, before) + '\0';
  }

  // Returns the next row; nullptr: there is none.
  Result<const eventlog::KeyValue*> peek() {
    if (at_ < found_.size()) return &found_[at_];
    if (is_at_end_) return nullptr;
    auto found = rows_.scan(prefix_, from_, page_);
    if (!found) return tl::unexpected(found.error());
    found_ = std::move(*found);
    at_ = 0;
    is_at_end_ = found_.size() < page_;
    if (found_.empty()) return nullptr;
    from_ = found_.back().key + '\0';
    return &found_[at_];
  }
  void pass() { ++at_; }
  // Returns the part of the key that orders sessions of several statuses.
  ByteView order_of(const eventlog::KeyValue& row) const {
    return ByteView(row.key).substr(prefix_.size());
  }

 private:
  const RowReader& rows_;
  const Bytes prefix_;
  const std::size_t page_;
  Bytes from_;
  std::vector<eventlog::KeyValue> found_;
  std::size_t at_ = 0;
  bool is_at_end_ = false;
};

// Returns the walk that has the newest session; nullptr: none has one.
Result<StatusWalk*> newest_of(std::vector<StatusWalk>& walks) {
  StatusWalk* newest = nullptr;
  ByteView order;
  for (StatusWalk& walk : walks) {
    const auto row = walk.peek();
    if (!row) return tl::unexpected(row.error());
    if (*row == nullptr || (newest != nullptr && walk.order_of(**row) >= order)) continue;
    newest = &walk;
    order = walk.order_of(**row);
  }
  return newest;
}

bool is_asked_for(const SessionFilter& filter, SessionStatus status) {
  return filter.statuses.empty() || filter.statuses.contains(status);
}

Result<std::int64_t> count_sessions(const RowReader& rows, const SessionFilter& filter) {
  const auto counts = rows.get<SessionCounts>(counts_key(filter.agent));
  if (!counts) return tl::unexpected(counts.error());
  std::int64_t sessions = 0;
  if (!*counts) return sessions;
  for (std::size_t at = 0; at < (*counts)->sessions.size(); ++at) {
    if (is_asked_for(filter, static_cast<SessionStatus>(at))) sessions += (*counts)->sessions[at];
  }
  return sessions;
}

// ---- prefixes ----

// Candidates that a message names before it says "and more".
constexpr std::size_t kCandidatesMax = 8;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  return std::nullopt;
}

// The beginning of an id: whole bytes, and half a byte more or none.
struct IdBeginning {
  Bytes bytes;
  std::optional<unsigned> half;
};

// Returns the beginning that `text` stands for; none: no id begins so.
std::optional<IdBeginning> id_beginning(std::string_view text) {
  IdBeginning id;
  for (const char c : text) {
    if (c == '-') continue;
    const auto digit = hex_digit(c);
    if (!digit) return std::nullopt;
    if (id.half) {
      id.bytes.push_back(static_cast<char>(*id.half << 4 | *digit));
      id.half.reset();
    } else {
      id.half = digit;
    }
  }
  return id;
}

// Adds the agent's sessions whose ids begin with the text, with or without its dashes. Their rows
// lie side by side.
Result<void> add_by_id(const RowReader& rows, std::string_view agent, std::string_view text,
                       std::set<SessionId>& found) {
  const std::string lower = lower_case(text);
  const auto beginning = id_beginning(lower);
  if (!beginning) return {};
  const Bytes prefix = session_prefix(agent) + beginning->bytes;
  Bytes from = prefix;
  if (beginning->half) from.push_back(static_cast<char>(*beginning->half << 4));
  const std::size_t id_at = session_prefix(agent).size();
  return for_each_row(rows, prefix, from, [&](const Bytes& key, const Bytes&) {
    SessionId id;
    if (key.size() != id_at + id.bytes.size()) return false;
    key.copy(id.bytes.data(), id.bytes.size(), id_at);
    if (!id.text().starts_with(lower) && !base::to_hex(id.view()).starts_with(lower)) return false;
    found.insert(id);
    return found.size() <= kCandidatesMax;
  });
}

Result<void> add_by_alias(const RowReader& rows, std::string_view agent, std::string_view text,
                          std::set<SessionId>& found) {
  std::optional<base::Error> bad;
  auto walked = for_each_row(rows, alias_prefix(agent) + Bytes(text), {},
                             [&](const Bytes& key, const Bytes& value) {
                               const auto ref = detail::decode_row<SessionRef>(key, value);
                               if (!ref) {
                                 bad = ref.error();
                                 return false;
                               }
                               found.insert(ref->session);
                               return found.size() <= kCandidatesMax;
                             });
  if (bad) return tl::unexpected(std::move(*bad));
  return walked;
}

base::Error ambiguous(const RowReader& rows, std::string_view agent, std::string_view reference,
                      const std::set<SessionId>& found) {
  std::string text = "'" + std::string(reference) + "' begins several sessions: ";
  std::size_t named = 0;
  for (const SessionId& id : found) {
    const auto row = read_row(rows, agent, id);
    if (!row || !*row) continue;
    if (named == kCandidatesMax) {
      text += ", and more";
      break;
    }
    if (named++ > 0) text += ", ";
    text += (*row)->alias + " (";
    if (!(*row)->name.empty()) text += (*row)->name + ", ";
    text += id.text() + ")";
  }
  return {ErrorCode::invalid, text + "; give more characters of the one you mean", {}};
}

Result<std::optional<SessionId>> find_prefix(const RowReader& rows, std::string_view agent,
                                             std::string_view reference) {
  if (reference.size() < kPrefixMin) return std::nullopt;
  std::set<SessionId> found;
  if (auto ok = add_by_id(rows, agent, reference, found); !ok) return tl::unexpected(ok.error());
  if (auto ok = add_by_alias(rows, agent, reference, found); !ok) {
    return tl::unexpected(ok.error());
  }
  if (found.size() > 1) return tl::unexpected(ambiguous(rows, agent, reference, found));
  return found.empty() ? std::nullopt : std::optional(*found.begin());
}

// Returns the newest session with this name, if the name was made from its prompt.
Result<std::optional<SessionId>> find_made_name(const RowReader& rows, std::string_view agent,
                                                std::string_view name, const TextSource& texts) {
  std::optional<SessionId> found;
  if (!texts) return found;
  std::optional<base::Error> bad;
  const auto walked = for_each_row(rows, made_name_prefix(agent, domain::name_mark(name)), {},
                                   [&](const Bytes& key, const Bytes& value) {
                                     const auto row = detail::decode_row<MadeNameRow>(key, value);
                                     if (!row) {
                                       bad = row.error();
                                       return false;
                                     }
                                     if (texts(row->name) == name) found = row->session;
                                     return !found;
                                   });
  if (!walked) return tl::unexpected(walked.error());
  if (bad) return tl::unexpected(*bad);
  return found;
}

// If a session was given the name and another one's was made, the one that lives counts, else the
// one opened last.
Result<std::optional<SessionId>> find_any_name(const RowReader& rows, std::string_view agent,
                                               std::string_view name, const TextSource& texts) {
  const auto given = find_name(rows, agent, name);
  if (!given) return tl::unexpected(given.error());
  const auto made = find_made_name(rows, agent, name, texts);
  if (!made) return tl::unexpected(made.error());
  if (!*given || !*made) return *given ? *given : *made;
  const auto row = read_row(rows, agent, **given);
  const auto other = read_row(rows, agent, **made);
  if (!row || !other) return tl::unexpected((row ? other : row).error());
  if (!*row || !*other) return *row ? *given : *made;
  if (is_live((*row)->status) != is_live((*other)->status)) {
    return is_live((*row)->status) ? *given : *made;
  }
  return (*row)->opened > (*other)->opened ? *given : *made;
}

Result<std::optional<SessionId>> find_id(const RowReader& rows, std::string_view agent,
                                         std::string_view reference) {
  const auto id = SessionId::parse(reference);
  if (!id) return std::nullopt;
  auto row = read_row(rows, agent, *id);
  if (!row) return tl::unexpected(row.error());
  return *row ? id : std::nullopt;
}

// True if the session is the one of the user that `text`, "connector/user/channel", names.
bool is_users(const domain::Descriptor& descriptor, std::string_view text) {
  if (descriptor.kind != domain::DescriptorKind::user) return false;
  return descriptor.connector + "/" + descriptor.user + "/" + descriptor.channel == text;
}

// Returns the live session, the one opened last, whose descriptor is the one that is asked for.
Result<SessionRow> find_described(KeyValueStore& store, std::string_view agent,
                                  std::string_view wanted) {
  const bool is_foreground = wanted == "foreground";
  const bool is_heartbeat = wanted == "heartbeat";
  if (!is_foreground && !is_heartbeat && std::count(wanted.begin(), wanted.end(), '/') < 2) {
    return base::failure(ErrorCode::invalid,
                         "'@" + std::string(wanted) +
                             "' means no session; accepted are @foreground, @heartbeat and "
                             "@connector/user/channel");
  }
  SessionFilter live;
  live.agent = agent;
  live.statuses = {SessionStatus::starting, SessionStatus::running};
  for (bool has_more = true; has_more;) {
    auto page = list_sessions(store, live);
    if (!page) return tl::unexpected(page.error());
    for (SessionRow& row : page->sessions) {
      const domain::DescriptorKind kind = row.descriptor.kind;
      const bool is_it = is_foreground  ? kind == domain::DescriptorKind::user
                         : is_heartbeat ? kind == domain::DescriptorKind::heartbeat
                                        : is_users(row.descriptor, wanted);
      if (is_it) return std::move(row);
    }
    live.before = page->before;
    has_more = page->has_more;
  }
  const std::string missing = is_foreground  ? "No recent foreground session found."
                              : is_heartbeat ? "No heartbeat session found."
                                             : "No session of '" + std::string(wanted) + "' found.";
  return base::failure(ErrorCode::not_found, missing + " Agent " + std::string(agent) +
                                                 " has no such session that is live");
}

}  // namespace

std::int64_t SessionList::schema() const {
  return (domain::kSchemaOf<domain::SessionState> + domain::kSchemaOf<domain::LineageState> -
          domain::kFirstSchema) *
             1000 +
         kSessionRowSchema;
}

void SessionList::apply(const domain::RecordedEvent& event,
                        const std::optional<domain::StreamRef>& stream, Rows& rows) const {
  if (stream && domain::can_be_erased(*stream)) note_erasure(rows, *stream, event);
  if (stream && stream->is<domain::LineageStream>()) {
    rows.edit<domain::LineageState>(lineage_key(stream->agent, stream->id),
                                    [&](domain::LineageState& lineage) {
                                      domain::evolve(lineage, event.envelope, event.event);
                                      return true;
                                    });
    return;
  }
  const auto* ref = session_of(stream);
  if (!ref) return;
  rows.edit<StoredSession>(session_key(ref->agent, ref->id), [&](StoredSession& s) {
    const SessionStatus before = s.state.status;
    if (const auto* e = event.event.as<domain::SessionRenamed>()) {
      refer_renamed(rows, ref->agent, ref->id, is_live(before), s.state.name, e->name);
    }
    domain::visit([&](const auto& e) { note_any(s, event.envelope, e); }, event.event);
    evolve_state(s.state, event);
    s.updated_at = updated_at(s, event);
    s.last_position = event.envelope.position;
    order(rows, s, *ref, before);
    note_attention(rows, s, *ref);
    if (before == SessionStatus::none && is_live(s.state.status)) open(s, event, *ref, rows);
    if (is_live(before) && is_terminal(s.state.status)) close(s, event, *ref, rows);
    note_made_name(rows, s.state, *ref, event);
    if (is_terminal(s.state.status)) note_kept_content(rows, *ref, s.state, s.closed_at);
    return true;
  });
  if (const auto* e = event.event.as<domain::AgentInitialized>()) {
    refer_agent_session(rows, ref->agent, e->agent_session, ref->id);
  }
}

Result<domain::LineageState> get_lineage(KeyValueStore& store, std::string_view agent,
                                         SessionId first) {
  const auto lineage = reader(store).get<domain::LineageState>(lineage_key(agent, first));
  if (!lineage) return tl::unexpected(lineage.error());
  return *lineage ? **lineage : domain::LineageState{};
}

Result<SessionPage> list_sessions(KeyValueStore& store, const SessionFilter& filter) {
  const RowReader rows = reader(store);
  SessionPage page;
  const auto total = count_sessions(rows, filter);
  if (!total) return tl::unexpected(total.error());
  page.total = *total;
  const std::size_t limit = std::min(filter.limit, kSessionsMax);
  std::vector<StatusWalk> walks;
  for (const SessionStatus status : kStatuses) {
    if (!is_asked_for(filter, status)) continue;
    walks.emplace_back(rows, filter.agent, status, filter.before, std::min(limit + 1, kRowsPage));
  }
  for (std::size_t looked_at = 0;; ++looked_at) {
    const auto walk = newest_of(walks);
    if (!walk) return tl::unexpected(walk.error());
    if (*walk == nullptr) return page;
    page.has_more = page.sessions.size() >= limit || looked_at >= kSessionsMax;
    if (page.has_more) return page;
    const eventlog::KeyValue& found = **(*walk)->peek();
    const auto order = detail::decode_row<OrderRow>(found.key, found.value);
    if (!order) return tl::unexpected(order.error());
    (*walk)->pass();
    auto row = read_row(rows, filter.agent.empty() ? order->agent : filter.agent, order->session);
    if (!row) return tl::unexpected(row.error());
    if (!*row) continue;
    page.before = (*row)->opened;
    if ((*row)->updated_at >= filter.active_since) page.sessions.push_back(std::move(**row));
  }
}

Result<AttentionPage> list_attention(KeyValueStore& store, const AttentionFilter& filter) {
  const RowReader rows = reader(store);
  AttentionPage page;
  const std::size_t limit = std::clamp<std::size_t>(filter.limit, 1, kSessionsMax);
  const Bytes from =
      filter.after.value > 0 ? attention_key(filter.agent, filter.after) + '\0' : Bytes();
  auto found = rows.scan(attention_prefix(filter.agent), from, limit + 1);
  if (!found) return tl::unexpected(found.error());
  page.has_more = found->size() > limit;
  if (page.has_more) found->pop_back();
  for (const eventlog::KeyValue& needing : *found) {
    const auto order = detail::decode_row<OrderRow>(needing.key, needing.value);
    if (!order) return tl::unexpected(order.error());
    auto row = read_row(rows, filter.agent.empty() ? order->agent : filter.agent, order->session);
    if (!row) return tl::unexpected(row.error());
    if (!*row) continue;
    page.after = (*row)->attention_at;
    page.sessions.push_back(std::move(**row));
  }
  return page;
}

Result<std::optional<SessionRow>> get_session(KeyValueStore& store, std::string_view agent,
                                              SessionId session) {
  return read_row(reader(store), agent, session);
}

Result<std::vector<Position>> waiting_prompts(KeyValueStore& store, std::string_view agent,
                                              SessionId session) {
  const auto stored = reader(store).get<StoredSession>(session_key(agent, session));
  if (!stored) return tl::unexpected(stored.error());
  std::vector<Position> prompts;
  if (!*stored) return prompts;
  for (const domain::QueuedTurn& queued : (*stored)->state.queue) prompts.push_back(queued.prompt);
  return prompts;
}

Result<SessionRow> resolve_session(KeyValueStore& store, std::string_view agent,
                                   std::string_view reference, const TextSource& texts) {
  if (reference.starts_with('@')) return find_described(store, agent, reference.substr(1));
  using Find = std::function<Result<std::optional<SessionId>>(const RowReader&, std::string_view,
                                                              std::string_view)>;
  const RowReader rows = reader(store);
  const Find by_name = [&](const RowReader& in, std::string_view of, std::string_view name) {
    return find_any_name(in, of, name, texts);
  };
  for (const Find& find :
       {Find(find_id), Find(find_alias), by_name, Find(find_prefix), Find(find_agent_session)}) {
    auto session = find(rows, agent, reference);
    if (!session) return tl::unexpected(session.error());
    if (!*session) continue;
    auto row = read_row(rows, agent, **session);
    if (!row) return tl::unexpected(row.error());
    if (*row) return std::move(**row);
  }
  return base::failure(ErrorCode::not_found,
                       "agent " + std::string(agent) + " has no session '" +
                           std::string(reference) +
                           "'; name it by id, alias or name, or by the first " +
                           std::to_string(kPrefixMin) + " or more characters of id or alias");
}

}  // namespace projections
