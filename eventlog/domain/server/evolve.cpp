// Folds the events of $server. The newest requests of clients are remembered, to answer retries.
#include "eventlog/domain/server/state.hpp"

#include <algorithm>

#include "eventlog/domain/fold.hpp"

namespace domain {
namespace {

bool apply(ServerState& s, const Envelope&, const EpochStarted& e) {
  s.epoch_counter = e.counter;
  return true;
}

bool apply(ServerState& s, const Envelope&, const ServerStarted& e) {
  s.writer_term = e.writer_term;
  return true;
}

bool apply(ServerState& s, const Envelope& envelope, const BackupBegun& e) {
  s.backups.insert_or_assign(e.name, NamedBackup{e.folder, envelope.position, {}});
  return true;
}

bool apply(ServerState& s, const Envelope&, const BackupCompleted& e) {
  const auto found = s.backups.find(e.name);
  if (found == s.backups.end()) return false;
  found->second.through = e.through;
  return true;
}

bool apply(ServerState& s, const Envelope&, const BackupForgotten& e) {
  return s.backups.erase(e.name) == 1;
}

bool apply(ServerState& s, const Envelope& envelope, const AnchorRequested&) {
  s.anchor_requested = envelope.position;
  return true;
}

bool apply(ServerState& s, const Envelope& envelope, const AnchorMade& e) {
  s.anchor = MadeAnchor{envelope.position, e};
  return true;
}

bool apply(ServerState& s, const Envelope& envelope, const ArchiveBegun& e) {
  s.archives.insert_or_assign(e.name, NamedArchive{e.folder, envelope.position, {}, {}, false});
  return true;
}

bool apply(ServerState& s, const Envelope&, const ArchiveCompleted& e) {
  const auto found = s.archives.find(e.name);
  if (found == s.archives.end()) return false;
  found->second.first = e.first;
  found->second.through = e.through;
  return true;
}

bool apply(ServerState& s, const Envelope&, const LogTrimmed& e) {
  const auto found = s.archives.find(e.name);
  if (found == s.archives.end()) return false;
  s.trimmed = std::max(s.trimmed, e.through);
  found->second.is_trimmed = true;
  return true;
}

bool apply(ServerState& s, const Envelope&, const ArchiveForgotten& e) {
  return s.archives.erase(e.name) == 1;
}

}  // namespace

void evolve(ServerState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<ServerEvents>(state, envelope, event,
                             [&](const auto& fact) { return apply(state, envelope, fact); });
  if (is_remembered(envelope)) remember(state.requests, envelope);
}

std::optional<AcceptedCommand> known_command(const ServerState& state, const CommandId& command) {
  return find_request(state.requests, command);
}

}  // namespace domain
