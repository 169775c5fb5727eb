// The state of the log as a whole and of its server.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "eventlog/domain/accepted_commands.hpp"
#include "eventlog/domain/aggregate.hpp"
#include "eventlog/domain/server/events.hpp"

namespace domain {

// A copy of the log into which erasures reach.
struct NamedBackup {
  std::string folder;
  Position begun;    // position of its BackupBegun
  Position through;  // its last event; 0: not known to be whole

  bool operator==(const NamedBackup&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("folder", &NamedBackup::folder);
    visit("begun", &NamedBackup::begun);
    visit("through", &NamedBackup::through);
  }
};

// A copy of the log's beginning, into which erasures reach once it is whole.
struct NamedArchive {
  std::string folder;
  Position begun;           // position of its ArchiveBegun
  Position first;           // its first event
  Position through;         // its last one; 0: not known to be whole
  bool is_trimmed = false;  // these events are gone from the log

  bool operator==(const NamedArchive&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("folder", &NamedArchive::folder);
    visit("begun", &NamedArchive::begun);
    visit("first", &NamedArchive::first);
    visit("through", &NamedArchive::through);
    visit("trimmed", &NamedArchive::is_trimmed);
  }
};

// An anchor on the record.
struct MadeAnchor {
  Position recorded;  // the position of its AnchorMade
  AnchorMade anchor;

  bool operator==(const MadeAnchor&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("recorded", &MadeAnchor::recorded);
    visit("anchor", &MadeAnchor::anchor);
  }
};

struct ServerState {
  std::int64_t epoch_counter = 0;
  std::int64_t writer_term = 0;
  std::map<std::string, NamedBackup> backups;      // by name
  std::optional<MadeAnchor> anchor{};              // the last one
  Position anchor_requested{};                     // the last AnchorRequested; 0: none
  std::map<std::string, NamedArchive> archives{};  // by name
  Position trimmed{};                       // events up to here are gone from the log; 0: none
  std::vector<AcceptedCommand> requests{};  // clients' requests with events here; newest last
  Position inconsistent{};                  // position of the first impossible event; 0: none

  bool operator==(const ServerState&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("epoch_counter", &ServerState::epoch_counter);
    visit("writer_term", &ServerState::writer_term);
    visit("backups", &ServerState::backups);
    visit("anchor", &ServerState::anchor);
    visit("anchor_requested", &ServerState::anchor_requested);
    visit("archives", &ServerState::archives);
    visit("trimmed", &ServerState::trimmed);
    visit("requests", &ServerState::requests);
    visit("inconsistent", &ServerState::inconsistent);
  }
};

void evolve(ServerState& state, const Envelope& envelope, const Event& event);

// Returns the client's command that was accepted under that id; none if it is new, or long ago.
std::optional<AcceptedCommand> known_command(const ServerState& state, const CommandId& command);

}  // namespace domain
