// Drives the server's loop from outside, through requests, and looks at what its state says.
#include "tests/crash/server_life.hpp"

#include <algorithm>

#include "eventlog/domain/stream_name.hpp"
#include "tests/crash/numbered_commands.hpp"

namespace crash {
namespace {

using base::ErrorCode;
using base::failure;

constexpr const char* kAgent = "main";
constexpr const char* kActor = "crash";
// Numbers of the commands that a test does not number itself.
constexpr std::int64_t kFirstErasing = 1000;
constexpr std::int64_t kFirstKilling = 1100;

constexpr base::Duration kCycle = std::chrono::milliseconds(1);
constexpr base::Duration kWaitMax = std::chrono::minutes(2);    // of the clock that is moved
constexpr base::Duration kReplyMax = std::chrono::minutes(10);  // a request is never given up

tl::unexpected<base::Error> died() {
  return failure(ErrorCode::io, "the process has died");
}

// Few streams in memory, so that evicting them, with their snapshots, is part of each life.
workers::CommandLoopOptions command_options() {
  workers::CommandLoopOptions options;
  options.limits.max_sessions = 1'000'000;
  options.limits.queue_max = 1'000'000;
  options.streams_max = 2;
  return options;
}

// A session has the id of the command that opens it.
base::SessionId session_of_command(std::int64_t number) {
  if (number >= kFirstOpening) return id_of<base::SessionId>(number);
  return id_of<base::SessionId>((number - 1) % kSessionsOfLife + 1);
}

domain::Command command_of(std::int64_t number) {
  if (number > kSessionsOfLife && number < kFirstOpening) {
    return domain::SendPrompt{prompt_of_command(number), false};
  }
  domain::Spawn spawn;
  spawn.spec.engine = "scripted";
  spawn.spec.workdir = "/srv/project";
  spawn.spec.is_multi_turn = true;
  spawn.prompt = prompt_of_command(number);
  return spawn;
}

base::Error error_of(const workers::Unanswered& why) {
  if (const auto* error = std::get_if<base::Error>(&why)) return *error;
  if (const auto* bad = std::get_if<workers::BadAnswer>(&why)) return bad->error;
  const auto& reply = std::get<bus::Reply>(why);
  return {ErrorCode::refused, reply.text, reply.code};
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
    : disk_(disk), log_(std::move(log)), found_(log_.tail.position) {
  clock_.now = std::max(clock_.now, base::Duration{log_.tail.time.us});
  locks_.is_worker_held = locks_.is_held = false;  // there is no worker
}

Result<std::unique_ptr<ServerLife>> ServerLife::begin(const std::string& root,
                                                      support::FaultyDisk& disk,
                                                      std::size_t write_buffer_bytes) {
  base::SystemRandom random;
  auto log =
      eventlog::open_log(root, eventlog::LogMode::read_write, random, {disk, write_buffer_bytes});
  if (!log) return tl::unexpected(log.error());
  std::unique_ptr<ServerLife> life(new ServerLife(std::move(*log), disk));
  if (auto ok = life->assemble(root); !ok) return tl::unexpected(ok.error());
  if (disk.has_crashed()) return died();
  return life;
}

Result<void> ServerLife::assemble(const std::string& root) {
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
  auto derived =
      workers::open_derived_stores(*log_.store, log_.tail, *index_rows_, *view_rows_, wanted);
  if (!derived) return tl::unexpected(derived.error());
  // Rows that are ahead of the log, damaged, or of another one, would be a broken promise here.
  if (!rebuilt_.empty()) return failure(ErrorCode::wrong_log, rebuilt_);

  command_socket_ = bus_.bind_server("command");
  worker_socket_ = bus_.bind_server("worker");
  feed_socket_ = bus_.bind_publisher("feed");
  base::SeededRandom key_random(1);
  const base::SigningKey key(base::SigningKey::make_seed(key_random));
  const auto side_work = workers::make_inline_side_work();
  assembly_.emplace(
      workers::ServerStores{*log_.store, log_.head.get(), *index_rows_, *view_rows_},
      std::move(*derived),
      workers::ServerSurroundings{clock_, random_, locks_, *command_socket_, *worker_socket_,
                                  *feed_socket_},
      workers::ServerOptions{log_.tail,
                             command_options(),
                             {{},
                              base::fingerprint(key.public_key()),
                              workers::UpkeepOptions{{}, {}, key, folder_.root, disk_}}},
      *side_work);
  client_socket_ = bus_.connect_client("command", "crash");
  client_.emplace(*client_socket_, clock_, random_,
                  workers::ServerClientOptions{kActor, {}, "memory"});
  return {};
}

Result<void> ServerLife::step() {
  bus_.advance(clock_.now);
  client_->do_work(clock_.now);
  workers::Server& server = assembly_->server();
  const bool has_worked = server.do_work();
  if (disk_.has_crashed()) return died();
  if (server.failure()) return tl::unexpected(*server.failure());
  base::Duration next = clock_.now + kCycle;
  if (!has_worked) {
    const base::Duration due =
        std::min({server.next_timer(), client_->next_timer(), bus_.next_due().value_or(next)});
    next = std::max(next, due);
  }
  clock_.now = next;
  return {};
}

Result<void> ServerLife::work_until(const std::string& what, const std::function<bool()>& holds) {
  const base::Duration until = clock_.now + kWaitMax;
  while (!holds()) {
    if (clock_.now >= until) return failure(ErrorCode::timeout, "still waiting for " + what);
    if (auto ok = step(); !ok) return ok;
  }
  return {};
}

Result<void> ServerLife::take_over() {
  return work_until("the take-over", [&] { return assembly_->server().has_taken_over(); });
}

Result<void> ServerLife::answered(const Result<base::CommandId>& started) {
  if (!started) return tl::unexpected(started.error());
  std::optional<workers::Answered<bus::Reply>> reply;
  const auto ok =
      work_until("a reply", [&] { return (reply = client_->take_reply(*started)).has_value(); });
  if (!ok) return ok;
  if (!*reply) return tl::unexpected(error_of(reply->error()));
  return {};
}

Result<void> ServerLife::command(const domain::ServerCommand& command) {
  return answered(client_->command(client_->fresh_id(), kActor, command, kReplyMax));
}

Result<void> ServerLife::command(std::int64_t number, base::SessionId session,
                                 const domain::Command& command) {
  return answered(
      client_->command(command_id(number), kActor, kAgent, session, command, kReplyMax));
}

Result<void> ServerLife::kill(std::int64_t number, base::SessionId session) {
  return command(number, session, domain::KillSession{});
}

Result<void> ServerLife::archive(const std::string& folder) {
  for (std::int64_t session = 1; session <= kSessionsOfLife; ++session) {
    if (auto ok = kill(kFirstKilling + session, session_of_command(session)); !ok) return ok;
  }
  const Position before = assembly_->server().durable();
  if (auto ok = command(domain::BeginArchive{"one", folder, before, {}}); !ok) {
    return ok;
  }
  if (auto ok = finish_archive(); !ok) return ok;
  if (state().archives.empty()) return failure(ErrorCode::io, "the archive was abandoned");
  return {};
}

Result<void> ServerLife::finish_archive() {
  return work_until("the archive's end", [&] {
    const auto& archives = state().archives;
    return std::all_of(archives.begin(), archives.end(),
                       [](const auto& archive) { return archive.second.is_trimmed; });
  });
}

Result<void> ServerLife::back_up(const std::string& folder) {
  if (auto ok = command(domain::BeginBackup{"copy", folder}); !ok) return ok;
  if (auto ok = finish_backups(); !ok) return ok;
  if (state().backups.empty()) return failure(ErrorCode::io, "the backup was abandoned");
  return {};
}

Result<void> ServerLife::finish_backups() {
  return work_until("the backup's end", [&] {
    const auto& backups = state().backups;
    return std::all_of(backups.begin(), backups.end(),
                       [](const auto& backup) { return backup.second.through.value > 0; });
  });
}

Result<void> ServerLife::ask_to_erase(std::int64_t session) {
  const base::SessionId id = session_of_command(session);
  if (auto ok = kill(kFirstErasing, id); !ok) return ok;
  return command(kFirstErasing + 1, id, domain::EraseContent{});
}

Result<void> ServerLife::finish_erasures() {
  Result<void> read;
  const auto ok = work_until("the end of all erasures", [&] {
    for (std::int64_t session = 1; session <= kSessionsOfLife && read; ++session) {
      const auto loaded = load(domain::session_stream(kAgent, session_of_command(session)));
      if (!loaded) {
        read = tl::unexpected(loaded.error());
        break;
      }
      const auto& state = std::get<domain::SessionState>(loaded->state);
      if (state.erasure > state.erasure_completed) return false;
    }
    return true;
  });
  return ok ? read : ok;
}

Result<void> ServerLife::ask(std::int64_t first, std::int64_t last, Acknowledged& acknowledged) {
  for (std::int64_t number = first; number <= last; ++number) {
    const auto started =
        client_->command(command_id(number), kActor, kAgent, session_of_command(number),
                         command_of(number), kReplyMax);
    if (!started) return tl::unexpected(started.error());
  }
  // Answers are noted as they come: the process may die before the last one.
  std::int64_t open = last - first + 1;
  Result<void> answers;
  const auto take = [&](std::int64_t number) -> Result<void> {
    const auto body = client_->take<workers::CommandReplyBody>(command_id(number));
    if (!body) return {};
    --open;
    if (!*body) return tl::unexpected(error_of(body->error()));
    const auto [known, is_new] = acknowledged.emplace(number, (*body)->position);
    if (!is_new && (known->second != (*body)->position || !(*body)->is_repeated)) {
      return failure(ErrorCode::damaged, "a repeated command has another outcome",
                     std::to_string(number));
    }
    return {};
  };
  const auto ok = work_until("all answers", [&] {
    for (std::int64_t number = first; number <= last && answers; ++number) answers = take(number);
    return open == 0 || !answers;
  });
  // Replies that the client holds when the process dies were sent before it did.
  for (std::int64_t number = first; !ok && number <= last && answers; ++number) {
    answers = take(number);
  }
  return answers ? ok : answers;
}

Result<eventlog::LoadedStream> ServerLife::load(const std::string& stream) {
  workers::DerivedStores& derived = assembly_->derived();
  const auto caught_up = derived.index.catch_up(*log_.store, assembly_->server().durable());
  if (disk_.has_crashed()) return died();
  if (!caught_up) return tl::unexpected(caught_up.error());
  return eventlog::load_stream(*log_.store, derived.index, derived.snapshots, stream);
}

}  // namespace crash
