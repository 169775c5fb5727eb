#include "tests/crash/server_life.hpp"

#include "eventlog/domain/stream_name.hpp"
#include "projections/anchored_rows.hpp"
#include "tests/crash/numbered_commands.hpp"

namespace crash {
namespace {

using base::ErrorCode;
using base::failure;

// A file may be in use for a moment; a server tries again, too.
constexpr int kTrimsMax = 20;
// The commands that erase a session, behind those that every session gets.
constexpr std::int64_t kFirstErasing = 1000;

tl::unexpected<base::Error> died() {
  return failure(ErrorCode::io, "the process has died");
}

// Few streams in memory, so that evicting them, with their snapshots, is part of each life.
workers::CommandLoopOptions worker_options() {
  workers::CommandLoopOptions options;
  options.has_key = true;
  options.limits.max_sessions = 1'000'000;
  options.limits.queue_max = 1'000'000;
  options.streams_max = 2;
  return options;
}

workers::CommandMessage message_of(std::int64_t number) {
  workers::CommandMessage m;
  m.id = command_id(number);
  m.digest[0] = 'd';
  m.session = id_of<base::SessionId>(number % kSessionsOfLife);
  m.agent = "main";
  m.actor = "crash";
  if (number > kSessionsOfLife) {
    m.command = domain::Command(domain::SendPrompt{prompt_of_command(number), false});
    return m;
  }
  domain::Spawn spawn;
  spawn.spec.engine = "scripted";
  spawn.spec.workdir = "/srv/project";
  spawn.spec.is_multi_turn = true;
  spawn.prompt = prompt_of_command(number);
  m.command = domain::Command(spawn);
  return m;
}

}  // namespace

base::CommandId command_id(std::int64_t number) {
  return id_of<base::CommandId>(number);
}

// Every fifth in chunks of their own, every seventh beside its block, the others in a few bytes.
std::string prompt_of_command(std::int64_t number) {
  std::string prompt = "prompt " + std::to_string(number);
  const std::size_t more = number % 5 == 0 ? 80'000 : number % 7 == 0 ? 30'000 : 0;
  return prompt.append(more, static_cast<char>('a' + number % 26));
}

ServerLife::ServerLife(eventlog::OpenedLog log, support::FaultyDisk& disk)
    : disk_(disk), log_(std::move(log)), found_(log_.tail.position), now_(log_.tail.time.us) {}

Result<std::unique_ptr<ServerLife>> ServerLife::begin(const std::string& root,
                                                      support::FaultyDisk& disk,
                                                      std::size_t write_buffer_bytes) {
  base::SystemRandom random;
  auto log =
      eventlog::open_log(root, eventlog::LogMode::read_write, random, {disk, write_buffer_bytes});
  if (!log) return tl::unexpected(log.error());
  std::unique_ptr<ServerLife> life(new ServerLife(std::move(*log), disk));
  if (auto ok = life->open_rows(root); !ok) return tl::unexpected(ok.error());
  if (disk.has_crashed()) return died();
  return life;
}

Result<bool> ServerLife::open_rows(const std::string& root) {
  folder_ = {root};
  auto index_rows = eventlog::open_rocksdb_key_value_store(folder_.index(), disk_);
  if (!index_rows) return tl::unexpected(index_rows.error());
  index_rows_ = std::move(*index_rows);
  auto view_rows = eventlog::open_rocksdb_key_value_store(folder_.views(), disk_);
  if (!view_rows) return tl::unexpected(view_rows.error());
  view_rows_ = std::move(*view_rows);
  log_.base.reset();
  workers::DerivedStoresOptions wanted;
  wanted.read_base = [this] { return eventlog::read_base(folder_, *log_.store); };
  wanted.on_rebuilt = [this](std::string_view rows, const base::Error& why) {
    rebuilt_ = std::string(rows) + ": " + why.text;
  };
  auto side =
      workers::open_derived_stores(*log_.store, log_.tail, *index_rows_, *view_rows_, wanted);
  if (!side) return tl::unexpected(side.error());
  side_ = std::move(*side);
  // Rows that are ahead of the log, damaged, or of another one, would be a broken promise here.
  if (!rebuilt_.empty()) return failure(ErrorCode::wrong_log, rebuilt_);
  loader_ = std::make_unique<eventlog::InlineLoader>(*log_.store, side_->index, side_->snapshots);
  committer_ = std::make_unique<eventlog::InlineCommitter>(*log_.store, log_.head.get());
  sequencer_ = std::make_unique<eventlog::Sequencer>(log_.tail, *committer_, random_);
  worker_ =
      std::make_unique<workers::CommandLoop>(*sequencer_, *loader_, random_, worker_options());
  for (auto& [stream, loaded] : side_->takeover.shared) worker_->adopt(stream, std::move(loaded));
  return true;
}

Result<bool> ServerLife::take_over() {
  Acknowledged none;
  if (auto ok = work(none); !ok) return ok;
  return record(domain::StartServer{
      {}, sequencer_->log().writer_term, "test", log_.is_new ? log_.tail.epoch.counter : 0});
}

Result<bool> ServerLife::record(domain::ServerCommand command) {
  workers::CommandMessage m;
  m.id = base::CommandId::make({now_}, random_);
  m.actor_kind = domain::ActorKind::server;
  m.actor = "server";
  m.command = std::move(command);
  worker_->submit({}, std::move(m));
  Acknowledged none;
  return work(none);
}

Result<bool> ServerLife::trim(const std::string& name, const domain::NamedArchive& archive) {
  Result<bool> done = false;
  for (int attempt = 0; attempt < kTrimsMax; ++attempt) {
    done = trimming().trim({name, archive.folder, archive.through, {}}, *index_rows_);
    if (disk_.has_crashed()) return died();
    if (done || done.error().code != ErrorCode::busy) break;
  }
  if (!done) return done;
  return record(domain::RecordTrim{name, archive.through});
}

Result<bool> ServerLife::archive(const std::string& folder) {
  if (auto ok = record(domain::BeginArchive{"one", folder, sequencer_->durable(), {}}); !ok)
    return ok;
  base::SeededRandom random(1);
  const base::SigningKey key(base::SigningKey::make_seed(random));
  workers::ArchiveOrder order;
  order.name = "one";
  order.folder = folder;
  order.before = order.durable = sequencer_->durable();
  const auto made = trimming().archive(order, key);
  if (disk_.has_crashed()) return died();
  if (!made) return tl::unexpected(made.error());
  const auto [first, through] = made->outcome;
  auto ok = record(domain::CompleteArchive{"one", first, through, made->anchor});
  if (!ok) return ok;
  return trim("one", worker_->server().archives.at("one"));
}

Result<bool> ServerLife::finish_archive() {
  const auto archives = worker_->server().archives;
  for (const auto& [name, archive] : archives) {
    if (archive.is_trimmed) continue;
    if (archive.through.value > 0) {
      if (auto ok = trim(name, archive); !ok) return ok;
      continue;
    }
    trimming().remove_left_over(archive.folder);
    if (auto ok = record(domain::AbandonArchive{name}); !ok) return ok;
  }
  return true;
}

workers::UpkeepJobs ServerLife::upkeep_jobs() {
  return {*log_.store, side_->index, *view_rows_, {{}, {}, {}, folder_.root, disk_}};
}

Result<bool> ServerLife::record_backup(const workers::BackupResult& made) {
  if (disk_.has_crashed()) return died();
  if (made.outcome) {
    return record(domain::CompleteBackup{made.order.name, made.outcome->through});
  }
  // That nothing whole was left is an outcome of looking after another server, not of copying.
  if (!made.order.is_left_over) return tl::unexpected(made.outcome.error());
  return record(domain::AbandonBackup{made.order.name});
}

Result<bool> ServerLife::back_up(const std::string& folder) {
  if (auto ok = record(domain::BeginBackup{"copy", folder}); !ok) return ok;
  workers::UpkeepJob job;
  job.order = workers::BackupOrder{"copy", folder, worker_->server().backups.at("copy").begun};
  return record_backup(*upkeep_jobs().run(job).backup);
}

Result<bool> ServerLife::finish_backups() {
  const auto backups = worker_->server().backups;
  for (const auto& [name, backup] : backups) {
    if (backup.through.value > 0) continue;
    workers::UpkeepJob job;
    job.order = workers::BackupOrder{name, backup.folder, backup.begun, true};
    if (auto ok = record_backup(*upkeep_jobs().run(job).backup); !ok) return ok;
  }
  return true;
}

Result<bool> ServerLife::ask_to_erase(std::int64_t session) {
  const domain::Command commands[] = {domain::KillSession{}, domain::EraseContent{}};
  std::int64_t number = kFirstErasing;
  for (const domain::Command& command : commands) {
    workers::CommandMessage m;
    m.id = command_id(number);
    m.digest[0] = 'd';
    m.session = id_of<base::SessionId>(session);
    m.agent = "main";
    m.actor = "crash";
    m.command = command;
    worker_->submit({&asker_, static_cast<std::uint64_t>(number++)}, std::move(m));
    Acknowledged ignored;
    if (auto ok = work(ignored); !ok) return ok;
  }
  return true;
}

Result<bool> ServerLife::finish_erasures() {
  workers::Query query;
  query.durable = sequencer_->durable();
  static_cast<void>(side_->service->answer(query));  // brings the projections up
  workers::UpkeepJob job;
  job.at_least = sequencer_->durable();
  job.backups = worker_->server().backups;
  workers::UpkeepOutcome outcome;
  for (int attempt = 0; attempt < kTrimsMax; ++attempt) {
    outcome = upkeep_jobs().run(job);
    if (disk_.has_crashed()) return died();
    if (!outcome.error || outcome.error->code != ErrorCode::busy) break;
  }
  if (outcome.error) return tl::unexpected(*outcome.error);
  if (outcome.is_behind) return failure(ErrorCode::busy, "the projections are behind");
  for (const projections::PendingErasure& erased : outcome.erased) {
    workers::CommandMessage m;
    m.id = base::CommandId::make({now_}, random_);
    m.session = erased.session;
    m.agent = erased.agent;
    m.actor_kind = domain::ActorKind::server;
    m.actor = "eraser";
    m.command = domain::CompleteErasure{erased.through};
    worker_->submit({}, std::move(m));
    Acknowledged ignored;
    if (auto ok = work(ignored); !ok) return ok;
  }
  return true;
}

Result<bool> ServerLife::ask(std::int64_t first, std::int64_t last, Acknowledged& acknowledged) {
  for (std::int64_t number = first; number <= last; ++number) {
    worker_->submit({&asker_, static_cast<std::uint64_t>(number)}, message_of(number));
  }
  return work(acknowledged);
}

Result<bool> ServerLife::work(Acknowledged& acknowledged) {
  for (int quiet = 0; quiet < 3; ++quiet) {
    ++now_;
    if (worker_->do_work({now_}, {now_}, base::Duration{now_})) quiet = -1;
    if (sequencer_->do_work()) quiet = -1;
    if (sequencer_->failure()) return tl::unexpected(*sequencer_->failure());
    const auto answers = worker_->take_answers();
    if (disk_.has_crashed()) return died();
    for (const workers::CommandAnswer& answer : answers) {
      quiet = -1;
      const auto number = static_cast<std::int64_t>(answer.ticket.number);
      if (!answer.outcome) {
        return failure(ErrorCode::refused, answer.outcome.error().text, std::to_string(number));
      }
      const auto [known, is_new] = acknowledged.emplace(number, answer.outcome->position);
      if (!is_new && (known->second != answer.outcome->position || !answer.outcome->is_repeated)) {
        return failure(ErrorCode::damaged, "a repeated command has another outcome",
                       std::to_string(number));
      }
    }
    if (sequencer_->take_durable().empty()) continue;
    if (auto ok = side_->index.catch_up(*log_.store, sequencer_->durable()); !ok) return ok;
  }
  return true;
}

Result<eventlog::LoadedStream> ServerLife::load(const std::string& stream) {
  return eventlog::load_stream(*log_.store, side_->index, side_->snapshots, stream);
}

}  // namespace crash
