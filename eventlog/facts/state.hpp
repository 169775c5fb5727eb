// What the events of a stream add up to. States are what decide reads and what snapshots hold;
// kStateSchema changes with any change of their fields or of evolve, and makes old snapshots void.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "eventlog/facts/accepted_commands.hpp"

namespace session {

constexpr std::int64_t kStateSchema = 6;

struct QueuedTurn {
  TurnId turn;
  Position prompt;        // position of its TurnQueued, where the prompt's content lies
  StreamVersion version;  // of the same event

  bool operator==(const QueuedTurn&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("turn", self.turn);
    visit("prompt", self.prompt);
    visit("version", self.version);
  }
};

struct CurrentTurn {
  TurnId turn;
  Position prompt;
  StreamVersion version;  // of its TurnQueued
  bool is_interrupt_requested = false;

  bool operator==(const CurrentTurn&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("turn", self.turn);
    visit("prompt", self.prompt);
    visit("version", self.version);
    visit("interrupt_requested", self.is_interrupt_requested);
  }
};

struct Lease {
  WorkerId worker;
  FencingToken token;
  std::int64_t report_sequence = 0;  // of the last report on the record
  std::string resume_agent_session;
  std::int64_t pid = 0;  // of the agent process; 0: not started yet
  std::int64_t start_ticks = 0;

  bool operator==(const Lease&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("worker", self.worker);
    visit("token", self.token);
    visit("report_sequence", self.report_sequence);
    visit("resume_agent_session", self.resume_agent_session);
    visit("pid", self.pid);
    visit("start_ticks", self.start_ticks);
  }
};

// A name that was made from a session's first prompt: where its text lies.
struct MadeName {
  Position position;      // of its SessionNamed; 0: the session was given a name
  StreamVersion version;  // of the same event; the prompt is the event behind it
  std::int64_t mark = 0;

  bool operator==(const MadeName&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("position", self.position);
    visit("version", self.version);
    visit("mark", self.mark);
  }
};

struct SessionState {
  SessionStatus status = SessionStatus::none;
  EndReason end_reason = EndReason::none;
  bool is_close_requested = false;
  SessionId session;
  std::string agent;
  std::string name;  // as it was given; empty: made from the prompt
  MadeName made_name;
  std::string alias;
  SessionSpec spec;
  SessionId lineage;
  Position opened;            // of SessionOpened, where the system prompt's content lies
  std::string agent_session;  // the agent's own session id, once known
  base::Boxed<Lease> lease;
  FencingToken last_token;
  base::Boxed<CurrentTurn> turn;
  std::vector<QueuedTurn> queue;
  std::int64_t blocks = 0;  // finished output blocks so far
  Usage usage;
  NanoUsd cost;
  NanoUsd agent_total;  // the agent's own running total, as last reported
  AcceptedCommands commands;
  StreamVersion last_content;       // of the last event that has or had content
  VersionRanges erased;             // events whose content was erased
  StreamVersion erasure;            // of the last ContentErased; 0: none
  StreamVersion erasure_completed;  // of the last one that is known to be done; 0: none
  Position inconsistent;            // of the first impossible event; 0 = none

  bool operator==(const SessionState&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("status", self.status);
    visit("end_reason", self.end_reason);
    visit("session", self.session);
    visit("agent", self.agent);
    visit("name", self.name);
    visit("made_name", self.made_name);
    visit("alias", self.alias);
    visit("spec", self.spec);
    visit("lineage", self.lineage);
    visit("opened", self.opened);
    visit("agent_session", self.agent_session);
    visit("close_requested", self.is_close_requested);
    visit("lease", self.lease);
    visit("last_token", self.last_token);
    visit("turn", self.turn);
    visit("queue", self.queue);
    visit("blocks", self.blocks);
    visit("usage", self.usage);
    visit("cost", self.cost);
    visit("agent_total", self.agent_total);
    visit("commands", self.commands);
    visit("last_content", self.last_content);
    visit("erased", self.erased);
    visit("erasure", self.erasure);
    visit("erasure_completed", self.erasure_completed);
    visit("inconsistent", self.inconsistent);
  }
};

// What of a session leases are given, directed and ended on. Of a session that has nothing to do
// it is little, and whoever gives leases keeps one of each that is under way.
struct LeaseState {
  SessionStatus status = SessionStatus::none;
  bool is_close_requested = false;
  Position opened;  // of SessionOpened, which holds what an agent is started with
  base::Boxed<Lease> lease;
  FencingToken last_token;
  base::Boxed<CurrentTurn> turn;
  std::vector<QueuedTurn> queue;

  bool operator==(const LeaseState&) const = default;
};

LeaseState lease_state(const SessionState& state);

// Names that the agent's live sessions were given, and agent sessions that are resumed, each by one
// session until the agent process that goes on with it has ended.
struct RegistryState {
  std::map<std::string, SessionId> names;
  std::map<std::string, SessionId> agent_sessions;
  Position inconsistent;

  bool operator==(const RegistryState&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("names", self.names);
    visit("agent_sessions", self.agent_sessions);
    visit("inconsistent", self.inconsistent);
  }
};

// The live session that a name belongs to.
struct NameHolder {
  SessionId session;
  std::string alias;

  bool operator==(const NameHolder&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("session", self.session);
    visit("alias", self.alias);
  }
};

struct AdmissionState {
  std::map<SessionId, std::string> live;       // session → its agent
  std::map<SessionId, std::string> unsettled;  // closed, but with a lease still held
  // Which aliases are taken (alias.hpp): those of all numbers below the next one, and those that
  // were given otherwise, as by releases that drew them by lot.
  SessionId first;  // the session that was admitted first
  std::int64_t next_alias = 0;
  std::set<std::string> aliases;
  // Names of live sessions, of all agents. Those that were made from prompts are told by their
  // marks, since no state may hold a prompt's words. Sessions of older logs are in neither: the
  // registries of their agents know their names.
  std::map<std::string, NameHolder> names;
  std::map<std::int64_t, NameHolder> name_marks;
  Position inconsistent;

  bool operator==(const AdmissionState&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("live", self.live);
    visit("unsettled", self.unsettled);
    visit("first", self.first);
    visit("next_alias", self.next_alias);
    visit("aliases", self.aliases);
    visit("names", self.names);
    visit("name_marks", self.name_marks);
    visit("inconsistent", self.inconsistent);
  }
};

// A copy of the log, which erasures reach into.
struct NamedBackup {
  std::string folder;
  Position begun;    // of its BackupBegun
  Position through;  // its last event; 0: it is not known to be whole

  bool operator==(const NamedBackup&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("folder", self.folder);
    visit("begun", self.begun);
    visit("through", self.through);
  }
};

// A copy of the log's beginning, which erasures reach into as soon as it is whole.
struct NamedArchive {
  std::string folder;
  Position begun;           // of its ArchiveBegun
  Position first;           // its first event
  Position through;         // its last one; 0: it is not known to be whole
  bool is_trimmed = false;  // the log does not hold these events any more

  bool operator==(const NamedArchive&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("folder", self.folder);
    visit("begun", self.begun);
    visit("first", self.first);
    visit("through", self.through);
    visit("trimmed", self.is_trimmed);
  }
};

// An anchor on the record.
struct MadeAnchor {
  Position recorded;  // where it is
  AnchorMade anchor;

  bool operator==(const MadeAnchor&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("recorded", self.recorded);
    visit("anchor", self.anchor);
  }
};

// Requests of operators whose outcome is remembered: more than anybody sends again after a lost
// answer. The oldest are forgotten beyond it.
constexpr std::size_t kRequestsMax = 1024;

struct ServerState {
  std::int64_t epoch_counter = 0;
  std::int64_t writer_term = 0;
  std::map<std::string, NamedBackup> backups;      // by name
  std::optional<MadeAnchor> anchor{};              // the last one
  Position anchor_requested{};                     // the last AnchorRequested; 0: none
  std::map<std::string, NamedArchive> archives{};  // by name
  Position trimmed{};  // events up to here are not in the log any more; 0: all are
  std::vector<AcceptedCommand> requests{};  // of clients, that made events here; the newest last

  bool operator==(const ServerState&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("epoch_counter", self.epoch_counter);
    visit("writer_term", self.writer_term);
    visit("backups", self.backups);
    visit("anchor", self.anchor);
    visit("anchor_requested", self.anchor_requested);
    visit("archives", self.archives);
    visit("trimmed", self.trimmed);
    visit("requests", self.requests);
  }
};

// What texts call a session: the name that it was given, else its alias.
const std::string& label(const SessionState& state);

// Where the text of a name that was made from the prompt lies; 0: there is none, or it was erased.
Position made_name_at(const SessionState& state);

// The number whose alias the next session gets.
std::int64_t free_alias(const AdmissionState& state, SessionId first);

using StreamState = std::variant<SessionState, RegistryState, AdmissionState, ServerState>;

// It lives, or has a lease that is yet to end: a worker may have to be told of it.
bool is_under_way(const SessionState& state);
bool is_under_way(const LeaseState& state);

// Nothing of the session's text is left, or is to be left.
bool is_wholly_erased(const SessionState& state);

}  // namespace session
