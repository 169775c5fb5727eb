#include "workers/backups.hpp"

#include "eventlog/domain/stream_name.hpp"
#include "workers/fact_limits.hpp"

namespace workers {

void BackupDesk::begin() {
  for (const auto& [name, backup] : commands_.server()->backups) {
    if (backup.through.value == 0)
      eraser_.order(BackupOrder{name, backup.folder, backup.begun, true});
  }
}

void BackupDesk::take(const bus::Peer& peer, const bus::Request& request) {
  if (!peer.hello.scope.empty()) {
    return refuse(peer, request, bus::ReplyError::refused,
                  "this connection acts for agent '" + peer.hello.scope +
                      "' only; a backup holds those of all");
  }
  if (request.verb == kVerbBackups) {
    clients_.reply(peer.id, bus::ok_reply(request.key(), bus::to_body(list())));
    return;
  }
  if (answer_again(peer, request)) return;
  const auto body = bus::from_body<BackupBody>(request.body);
  if (!body) return refuse(peer, request, bus::ReplyError::invalid, base::describe(body.error()));
  if (!domain::is_agent_name(body->name)) {
    return refuse(peer, request, bus::ReplyError::invalid,
                  "a backup is named by 1 to 64 of a-z 0-9 . _ -, not '" + body->name + "'");
  }
  body->action == BackupAction::create ? create(peer, request, *body)
                                       : forget(peer, request, *body);
}

void BackupDesk::create(const bus::Peer& peer, const bus::Request& request,
                        const BackupBody& body) {
  if (!body.folder.starts_with('/') || body.folder.find('\0') != std::string::npos) {
    return refuse(peer, request, bus::ReplyError::invalid,
                  "a backup needs the absolute path of a new folder, not '" + body.folder + "'");
  }
  if (const auto bad = check_length("folder", body.folder.size(), kPathBytesMax)) {
    return refuse(peer, request, bus::ReplyError::invalid, bad->text);
  }
  const auto& backups = commands_.server()->backups;
  if (backups.contains(body.name)) return refuse_known(peer, request, body.name);
  for (const auto& [name, backup] : backups) {
    if (backup.folder == body.folder) return refuse_known(peer, request, name);
  }
  if (backups.size() >= kBackupsMax) {
    return refuse(peer, request, bus::ReplyError::limit_reached,
                  std::to_string(backups.size()) +
                      " backups are known, as many as there may be; forget one first");
  }
  failed_.erase(body.name);
  const Position position = record(domain::BackupBegun{body.name, body.folder}, peer, request);
  // Only what is on the record is made, so that no erasure misses it.
  hold(peer, request, position,
       BackupOrder{body.name, body.folder, position, false, body.shares_files});
}

// Also where its folder is gone: a copy that was moved away still holds what is to be erased, and
// an erasure waits for it by its name. That it need not be waited for is its owner's to say.
void BackupDesk::refuse_known(const bus::Peer& peer, const bus::Request& request,
                              const std::string& name) {
  const domain::NamedBackup& known = commands_.server()->backups.at(name);
  if (known.through.value == 0) {
    return refuse(peer, request, bus::ReplyError::already_exists,
                  "no copy was made: backup " + name + " is just being made in " + known.folder +
                      "; wait for it (steno backup list), or give another folder and name; "
                      "steno backup forget " +
                      name + " works once it is made");
  }
  refuse(peer, request, bus::ReplyError::already_exists,
         "no copy was made: backup " + name + " is in " + known.folder +
             ", and erasures reach into it there; give another folder and name (steno backup list "
             "says which are taken), or, if that copy is gone for good, say so with steno backup "
             "forget " +
             name);
}

void BackupDesk::forget(const bus::Peer& peer, const bus::Request& request,
                        const BackupBody& body) {
  const auto& backups = commands_.server()->backups;
  const auto known = backups.find(body.name);
  if (known == backups.end()) {
    return refuse(peer, request, bus::ReplyError::not_found,
                  "there is no backup '" + body.name + "'");
  }
  if (known->second.through.value == 0) {
    return refuse(peer, request, bus::ReplyError::busy,
                  "backup " + body.name + " is being made; try again");
  }
  const Position position = record(domain::BackupForgotten{body.name}, peer, request);
  hold(peer, request, position);
  eraser_.hurry();
}

void BackupDesk::finish(const BackupResult& done) {
  const BackupOrder& order = done.order;
  if (done.outcome) {
    record({domain::BackupCompleted{order.name, done.outcome->through}});
    return;
  }
  failed_[order.name] = {
      order.name, order.folder, order.begun, {}, base::describe(done.outcome.error())};
  record({domain::BackupForgotten{order.name}});
}

bool BackupDesk::do_work(base::Time now, base::Time wall, Position durable) {
  begin_cycle(now, wall, durable);
  bool has_worked = false;
  while (const auto done = eraser_.take_backup()) {
    has_worked = true;
    finish(*done);
  }
  return answer_held([](BackupOrder&) {}) || has_worked;
}

BackupsAnswer BackupDesk::list() const {
  std::map<std::string, BackupRow> rows = failed_;
  for (const auto& [name, backup] : commands_.server()->backups) {
    if (backup.begun > durable_) continue;
    rows[name] = {name, backup.folder, backup.begun, backup.through, {}};
  }
  BackupsAnswer answer;
  for (auto& [name, row] : rows) answer.backups.push_back(std::move(row));
  return answer;
}

}  // namespace workers
