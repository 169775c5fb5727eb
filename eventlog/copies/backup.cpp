// A backup is a checkpoint of the store, made independent of the log's files, synced and proved. A
// restore copies it beside its place, proves the copy, and begins a new epoch before the log can be
// opened.
#include "eventlog/copies/backup.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/folder/copy_files.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/log/committer.hpp"

namespace eventlog {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;

Result<Bytes> label_of(BlockStore& log, Position begun) {
  const auto tail = read_tail(log);
  if (!tail) return tl::unexpected(tail.error());
  return "backup of log " + tail->log.text() + " begun at " + std::to_string(begun.value) + '\n';
}

Result<BackupOutcome> copy_and_prove(BlockStore& log, const LogFolder& copy,
                                     const BackupOptions& options) {
  const LogFolder& root = options.root;
  Disk& disk = options.disk;
  if (auto ok = log.copy_to(copy.log()); !ok) return tl::unexpected(ok.error());
  if (!options.shares_files) {
    if (auto ok = part_from_others(copy.log(), disk); !ok) return tl::unexpected(ok.error());
  }
  if (auto ok = sync_all(copy.log(), disk); !ok) return tl::unexpected(ok.error());
  const auto store = open_log_view(copy.log());
  if (!store) return tl::unexpected(store.error());
  const auto tail = read_tail(**store);
  if (!tail) return tl::unexpected(tail.error());
  const Position first = (*store)->first();
  if (first.value > 1) {
    auto ok = copy_base(root, copy, first.plus(-1), disk);
    if (!ok) return tl::unexpected(ok.error());
  }
  // Exists if the log is itself an exact copy.
  const auto later = read_later_erasures(root.erased());
  if (!later) return tl::unexpected(later.error());
  if (auto ok = add_later_erasures(copy.erased(), later->erasures, disk); !ok) {
    return tl::unexpected(ok.error());
  }
  const Checkpoint head{tail->log, tail->epoch, tail->position, tail->hash};
  if (auto ok = write_head(copy, head, disk); !ok) return tl::unexpected(ok.error());
  if (auto ok = prove_copy(copy); !ok) {
    return tl::unexpected(ok.error());
  }
  return BackupOutcome{tail->position, tail->hash};
}

// Proves a copy whose maker was killed, possibly before it had synced everything.
Result<BackupOutcome> prove_finished(const LogFolder& copy, Disk& disk) {
  if (!copy.has_log()) return failure(ErrorCode::not_found, "there is no log", copy.root);
  if (auto ok = disk.settle(copy.head()); !ok) return tl::unexpected(ok.error());
  const auto head = read_head_file(copy.head());
  if (!head) return tl::unexpected(head.error());
  if (!*head) return failure(ErrorCode::not_found, "there is no head", copy.head());
  if (auto ok = prove_copy(copy); !ok) return tl::unexpected(ok.error());
  for (const std::string& folder : {copy.root, fs::path(copy.root).parent_path().string()}) {
    if (auto ok = disk.sync_folder(folder); !ok) return tl::unexpected(ok.error());
  }
  return BackupOutcome{(*head)->position, (*head)->hash};
}

// The end of the copy's history, as far as the new epoch's first events depend on it.
struct Ended {
  std::map<std::string, base::StreamVersion> versions;  // of the streams that get those events
  std::map<std::string, domain::VersionRanges> erased;  // of those streams, on the record
  domain::ServerState server;
  Position through;
};

Result<Ended> read_ended(BlockStore& store, const LaterErasures& later) {
  Ended ended;
  ended.versions[std::string(domain::kServerStream)] = {};
  ended.through = store.tail();
  for (const LaterErasure& erasure : later.erasures) ended.versions[erasure.stream] = {};
  for (Position from = store.first(); from <= store.tail();) {
    const auto blocks = store.read(from, kBlockBytesMax, false);
    if (!blocks) return tl::unexpected(blocks.error());
    for (const StoredBlock& stored : *blocks) {
      const auto block = parse_block(stored.facts);
      if (!block) return tl::unexpected(block.error());
      for (const ByteView facts : block->events) {
        const auto routing = domain::decode_routing(facts);
        if (!routing) return tl::unexpected(routing.error());
        const auto wanted = ended.versions.find(std::string(routing->stream));
        if (wanted == ended.versions.end()) continue;
        wanted->second = routing->version;
        const auto event = domain::decode_facts(facts);
        if (!event) return tl::unexpected(event.error());
        if (const auto* erased = event->event.as<domain::ContentErased>()) {
          domain::VersionRanges& all = ended.erased[wanted->first];
          all = domain::united(all, domain::normalized(erased->events));
        }
        if (routing->stream != domain::kServerStream) continue;
        domain::evolve(ended.server, event->envelope, event->event);
      }
      from = block->header.last().next();
    }
  }
  return ended;
}

// The epoch's first event, and the erasures that the copy's record lacks. All are one append, so
// that they are there wholly or not at all. The next server completes the erasures, since a killed
// one may have left the content in this copy or in others.
std::vector<StreamAppend> first_events(const LaterErasures& later, std::int64_t epoch,
                                       const Ended& ended) {
  std::vector<StreamAppend> appends;
  const std::string server(domain::kServerStream);
  appends.push_back({server, ended.versions.at(server), {}});
  appends.back().events.push_back({domain::EpochStarted{epoch, "restored"}, {}});
  // The copy holds its own beginning as a backup, and could not record its own completion.
  for (const auto& [name, backup] : ended.server.backups) {
    if (backup.through.value > 0) continue;
    appends.back().events.push_back({domain::BackupCompleted{name, ended.through}, {}});
  }
  for (LaterErasure& erasure : unrecorded(later, ended.versions, ended.erased).erasures) {
    appends.push_back({erasure.stream, ended.versions.at(erasure.stream), {}});
    appends.back().events.push_back({domain::ContentErased{std::move(erasure.events), {}}, {}});
  }
  return appends;
}

Result<Restored> begin_epoch(const std::string& root, const LaterErasures& later,
                             base::Random& random, Disk& disk) {
  LogOptions options{disk};
  options.is_being_restored = true;
  auto log = open_log(root, LogMode::read_write, random, options);
  if (!log) return tl::unexpected(log.error());
  const auto ended = read_ended(*log->store, later);
  if (!ended) return tl::unexpected(ended.error());
  Restored restored{log->tail.position, {}, log->tail.epoch.counter};
  ++log->tail.epoch.counter;
  const std::uint64_t bits = random.next();
  std::memcpy(log->tail.epoch.random.data(), &bits, sizeof bits);
  restored.epoch = log->tail.epoch.counter;
  InlineCommitter committer(*log->store, log->head.get());
  Sequencer sequencer(log->tail, committer, random);
  for (const auto& [stream, version] : ended->versions) sequencer.set_head(stream, version);
  AppendContext context;
  context.log_time = context.wall_time = base::SystemClock().wall();
  context.command = base::CommandId::make(context.log_time, random);
  context.actor = "restore";
  const auto appended = sequencer.append(first_events(later, restored.epoch, *ended), context);
  if (!appended) return tl::unexpected(appended.error());
  while (sequencer.do_work()) {
  }
  if (sequencer.failure()) return tl::unexpected(*sequencer.failure());
  restored.started = sequencer.durable();
  return restored;
}

// A name of its own, so that an unfinished copy is not taken for a log.
std::string part_of(const LogFolder& folder) {
  return folder.root + "/log.part";
}

// The claims of the files beside a backup's log.
struct Claims {
  Checkpoint head;
  VerifyBesides besides;
};

Result<void> prove(BlockStore& store, const Claims& claims, const VerifyProgress& progress) {
  return to_result(verify_log(store, claims.head, progress, claims.besides));
}

// Returns the base of a backup whose log's beginning was archived; none for other backups.
Result<std::optional<LogBase>> base_of(const LogFolder& from) {
  const auto store = open_log_view(from.log());
  if (!store) return tl::unexpected(store.error());
  auto base = read_base(from, **store);
  if (base && *base && !(*base)->rows) return tl::unexpected((*base)->rows.error());
  return base;
}

// Removes the files of an attempt that was cut short.
void remove_part(const LogFolder& to, Disk& disk) {
  disk.remove_all(part_of(to));
  if (check_restored(to)) return;
  for (const std::string& path :
       {to.log(), to.head(), to.bases(), to.index(), to.views(), to.content(), to.evidence()}) {
    disk.remove_all(path);
  }
}

// The copy is proved, not its source: an erasure can change the backup meanwhile. Each erasure is
// noted in the backup's `erased` file before it begins.
Result<void> copy_log(const LogFolder& from, const LogFolder& to, Claims claims,
                      const VerifyProgress& progress, Disk& disk) {
  const std::string part = part_of(to);
  if (auto ok = copy_folder(from.log(), part, disk); !ok) return ok;
  if (auto ok = sync_all(part, disk); !ok) return ok;
  {
    auto later = read_later_erasures(from.erased());
    if (!later) return tl::unexpected(later.error());
    claims.besides.later = std::move(*later);
    const auto store = open_log_view(part);
    if (!store) return tl::unexpected(store.error());
    if (auto ok = prove(**store, claims, progress); !ok) return ok;
  }
  if (claims.besides.begin) {
    if (auto ok = copy_base(from, to, claims.besides.begin->position, disk); !ok) return ok;
  }
  if (auto ok = write_head(to, claims.head, disk); !ok) return ok;
  if (auto ok = disk.rename(part, to.log()); !ok) return ok;
  return disk.sync_folder(to.root);
}

}  // namespace

Result<BackupOutcome> make_backup(BlockStore& log, const std::string& folder, Position begun,
                                  const BackupOptions& options) {
  Disk& disk = options.disk;
  const auto label = label_of(log, begun);
  if (!label) return tl::unexpected(label.error());
  if (auto ok = make_empty_folder(folder, disk); !ok) return tl::unexpected(ok.error());
  const LogFolder copy{folder};
  Result<void> synced = write_whole(disk, copy.label(), *label);
  if (synced) synced = disk.sync_folder(folder);
  if (!synced) {
    remove_durably(folder, disk);
    return tl::unexpected(synced.error());
  }
  auto outcome = copy_and_prove(log, copy, options);
  if (outcome) synced = disk.sync_folder(folder);
  if (synced && outcome) synced = disk.sync_folder(fs::path(folder).parent_path().string());
  if (!synced) outcome = tl::unexpected(synced.error());
  if (!outcome) remove_copy(folder, disk);
  return outcome;
}

Result<BackupOutcome> finish_backup(BlockStore& log, const std::string& folder, Position begun,
                                    Disk& disk) {
  const auto label = label_of(log, begun);
  if (!label) return tl::unexpected(label.error());
  const LogFolder copy{folder};
  if (!holds(copy.label(), *label)) {
    remove_unmarked(folder, copy.label(), disk);
    return failure(ErrorCode::not_found, "nothing of it was made", folder);
  }
  auto outcome = prove_finished(copy, disk);
  if (outcome) return outcome;
  remove_copy(folder, disk);
  return failure(ErrorCode::not_found,
                 "it was not whole, and is removed: " + base::describe(outcome.error()), folder);
}

Result<Restored> restore_backup(const std::string& folder, const std::string& root,
                                base::Random& random, const VerifyProgress& progress, Disk& disk) {
  const LogFolder from{folder};
  const LogFolder to{root};
  if (!from.has_log()) {
    return failure(ErrorCode::not_found, "there is no backup in this folder", folder);
  }
  if (to.has_log() && check_restored(to)) {
    return failure(ErrorCode::conflict, "there is a log already; give another home", root);
  }
  const auto head = read_head_file(from.head());
  if (!head) return tl::unexpected(head.error());
  if (!*head) {
    return failure(ErrorCode::damaged, "the backup has no head file to prove itself by", folder);
  }
  const auto base = base_of(from);
  if (!base) return tl::unexpected(base.error());
  Claims claims{**head, {}};
  if (*base) begin_at(**base, claims.besides);
  remove_part(to, disk);
  if (auto ok = prepare_data_folder(to, disk); !ok) return tl::unexpected(ok.error());
  // Until the epoch has begun, a log in this place would pass for the one that was backed up.
  Result<void> marked = write_whole(disk, to.restoring(), {});
  if (marked) marked = disk.sync_folder(root);
  if (!marked) return tl::unexpected(marked.error());
  if (auto ok = copy_log(from, to, claims, progress, disk); !ok) {
    disk.remove_all(part_of(to));
    if (!to.has_log()) disk.remove_all(to.restoring());
    return tl::unexpected(ok.error());
  }
  // Read again, to include erasures during the copying and proving.
  const auto later = read_later_erasures(from.erased());
  if (!later) return tl::unexpected(later.error());
  auto restored = begin_epoch(root, *later, random, disk);
  if (!restored) return restored;
  disk.remove_all(to.restoring());
  if (auto ok = disk.sync_folder(root); !ok) return tl::unexpected(ok.error());
  return restored;
}

}  // namespace eventlog
