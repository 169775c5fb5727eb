#include "workers/archives.hpp"

#include <algorithm>

#include "eventlog/domain/stream_name.hpp"
#include "workers/fact_limits.hpp"

namespace workers {
namespace {

// What keeps a log from being trimmed is a reader, who is done in a moment, or takes mending.
constexpr base::Duration kTrimAgain = std::chrono::seconds(1);

constexpr std::size_t kArchivesShownMax = 3;  // of so many it is said where they are

}  // namespace

void ArchiveDesk::begin() {
  for (const auto& [name, archive] : commands_.server()->archives) {
    if (archive.through.value == 0) {
      ArchiveOrder order;
      order.name = name;
      order.folder = archive.folder;
      order.is_left_over = true;
      eraser_.order(std::move(order));
    } else if (!archive.is_trimmed) {
      trims_.push_back({name, archive.folder, archive.through, {}});
    }
  }
}

void ArchiveDesk::take(const bus::Peer& peer, const bus::Request& request) {
  if (!peer.hello.scope.empty()) {
    return refuse(peer, request, bus::ReplyError::refused,
                  "this connection acts for agent '" + peer.hello.scope +
                      "' only; an archive holds those of all");
  }
  if (request.verb == kVerbArchives) {
    clients_.reply(peer.id, bus::ok_reply(request.key(), bus::to_body(list())));
    return;
  }
  if (answer_again(peer, request)) return;
  const auto body = bus::from_body<ArchiveBody>(request.body);
  if (!body) return refuse(peer, request, bus::ReplyError::invalid, base::describe(body.error()));
  if (!domain::is_agent_name(body->name)) {
    return refuse(peer, request, bus::ReplyError::invalid,
                  "an archive is named by 1 to 64 of a-z 0-9 . _ -, not '" + body->name + "'");
  }
  body->action == ArchiveAction::create ? create(peer, request, *body)
                                        : forget(peer, request, *body);
}

void ArchiveDesk::create(const bus::Peer& peer, const bus::Request& request,
                         const ArchiveBody& body) {
  if (!has_key_)
    return refuse(peer, request, bus::ReplyError::refused, "this server has no key to sign with");
  if (!body.folder.starts_with('/') || body.folder.find('\0') != std::string::npos) {
    return refuse(peer, request, bus::ReplyError::invalid,
                  "an archive needs the absolute path of a new folder, not '" + body.folder + "'");
  }
  if (const auto bad = check_length("folder", body.folder.size(), kPathBytesMax)) {
    return refuse(peer, request, bus::ReplyError::invalid, bad->text);
  }
  if (body.before.value <= 0 && body.before_time.us <= 0) {
    return refuse(peer, request, bus::ReplyError::invalid, "say before which position or time");
  }
  const auto& archives = commands_.server()->archives;
  if (archives.contains(body.name)) return refuse_known(peer, request, body.name);
  for (const auto& [name, archive] : archives) {
    if (archive.folder == body.folder) return refuse_known(peer, request, name);
    if (!archive.is_trimmed) {
      return refuse(peer, request, bus::ReplyError::busy,
                    "archive " + name + " is being made; try again");
    }
  }
  if (archives.size() >= kArchivesMax) {
    return refuse(peer, request, bus::ReplyError::limit_reached,
                  std::to_string(archives.size()) +
                      " archives are known, as many as there may be; forget one first");
  }
  failed_.erase(body.name);
  const Position position = record(domain::ArchiveBegun{body.name, body.folder}, peer, request);
  ArchiveOrder order;
  order.name = body.name;
  order.folder = body.folder;
  order.before = body.before;
  order.before_time = body.before_time;
  order.wall = wall_;
  hold(peer, request, position, std::move(order));
}

// Also where its folder is gone: see BackupDesk.
void ArchiveDesk::refuse_known(const bus::Peer& peer, const bus::Request& request,
                               const std::string& name) {
  refuse(peer, request, bus::ReplyError::already_exists,
         "no copy was made: archive " + name + " is in " +
             commands_.server()->archives.at(name).folder +
             ", and holds other events of this log; give another folder and name (steno archive "
             "list says which are taken)");
}

void ArchiveDesk::forget(const bus::Peer& peer, const bus::Request& request,
                         const ArchiveBody& body) {
  const auto& archives = commands_.server()->archives;
  const auto known = archives.find(body.name);
  if (known == archives.end()) {
    return refuse(peer, request, bus::ReplyError::not_found,
                  "there is no archive '" + body.name + "'");
  }
  if (!known->second.is_trimmed && !drop_trim(body.name)) {
    return refuse(peer, request, bus::ReplyError::busy,
                  "archive " + body.name + " is being made, or the log trimmed for it; try again");
  }
  const Position position = record(domain::ArchiveForgotten{body.name}, peer, request);
  hold(peer, request, position);
  eraser_.hurry();
}

// One that could not be done, as long as the log still holds all that is in the archive.
bool ArchiveDesk::drop_trim(const std::string& name) {
  const auto waiting = std::find_if(trims_.begin(), trims_.end(), [&](const TrimOrder& order) {
    return order.name == name && untrimmed_.contains(name) && !order.is_begun;
  });
  if (waiting == trims_.end()) return false;
  trims_.erase(waiting);
  untrimmed_.erase(name);
  return true;
}

void ArchiveDesk::finish(const ArchiveResult& done) {
  const ArchiveOrder& order = done.order;
  if (!done.made) {
    const Position begun = commands_.server()->archives.at(order.name).begun;
    failed_[order.name] = {
        order.name, order.folder, begun, {}, {}, false, base::describe(done.made.error())};
    record({domain::ArchiveForgotten{order.name}});
    return;
  }
  const auto& outcome = done.made->outcome;
  // In one append: the anchor stands right before what says that the archive ends there.
  const Position completed = record(
      {done.made->anchor, domain::ArchiveCompleted{order.name, outcome.first, outcome.through}});
  trims_.push_back({order.name, order.folder, outcome.through, completed.plus(-1)});
}

void ArchiveDesk::finish(const TrimResult& done) {
  if (done.done) {
    untrimmed_.erase(done.order.name);
    record({domain::LogTrimmed{done.order.name, done.order.through}});
    return;
  }
  untrimmed_[done.order.name] = base::describe(done.done.error());
  trim_due_ = now_ + kTrimAgain;
  trims_.push_front(done.order);
}

// Whoever lives, or is not settled, may be given its prompts and its system prompt again.
std::vector<std::string> ArchiveDesk::needed() const {
  std::vector<std::string> streams;
  const auto* admission = commands_.admission();
  for (const auto* sessions : {&admission->live, &admission->unsettled}) {
    for (const auto& [id, agent] : *sessions) {
      streams.push_back(domain::session_stream(agent, id));
    }
  }
  return streams;
}

bool ArchiveDesk::do_work(base::Time now, base::Time wall, Position durable) {
  begin_cycle(now, wall, durable);
  bool has_worked = false;
  while (const auto done = eraser_.take_archive()) {
    has_worked = true;
    finish(*done);
  }
  while (const auto done = eraser_.take_trim()) {
    has_worked = true;
    finish(*done);
  }
  has_worked |= answer_held([&](ArchiveOrder& order) {
    order.durable = durable;
    order.needed = needed();
  });
  if (!trims_.empty() && trims_.front().recorded < durable && now >= trim_due_) {
    has_worked = true;
    eraser_.order(std::move(trims_.front()));
    trims_.pop_front();
  }
  return has_worked;
}

ArchivesAnswer ArchiveDesk::list() const {
  std::map<std::string, ArchiveRow> rows = failed_;
  const auto* server = commands_.server();
  for (const auto& [name, archive] : server->archives) {
    if (archive.begun > durable_) continue;
    const auto fault = untrimmed_.find(name);
    rows[name] = {name,
                  archive.folder,
                  archive.begun,
                  archive.first,
                  archive.through,
                  archive.is_trimmed,
                  fault == untrimmed_.end() ? std::string() : fault->second};
  }
  ArchivesAnswer answer;
  for (auto& [name, row] : rows) answer.archives.push_back(std::move(row));
  return answer;
}

std::string where_archived(const domain::ServerState& state) {
  if (state.trimmed.value == 0) return {};
  std::string text = "events 1 to " + std::to_string(state.trimmed.value) + " were archived";
  std::size_t shown = 0;
  for (const auto& [name, archive] : state.archives) {
    if (archive.through.value == 0) continue;
    if (++shown > kArchivesShownMax) return text + "; steno archive list says where";
    text += "; " + std::to_string(archive.first.value) + " to " +
            std::to_string(archive.through.value) + " are in archive " + name + ", in " +
            archive.folder;
  }
  return text;
}

}  // namespace workers
