// Appends through the product's sequencer on the calling thread, with a clock that starts a day ago
// and advances by a microsecond for each command.
#include "tools/benchmarks/log_author.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "eventlog/base/list_files.hpp"
#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

constexpr std::int64_t kEventsOfHistory = 375;
constexpr std::size_t kNearCap = 60 << 20;  // the store starts to flush at 64 MiB

eventlog::AppendContext client_context() {
  eventlog::AppendContext context;
  context.actor_kind = domain::ActorKind::client;
  context.actor = "bench";
  return context;
}

// Returns the context of the role that appends such an event: client, server or worker.
eventlog::AppendContext context_of(const domain::Event& event, base::StreamVersion version) {
  if (event.is<domain::SessionOpened>() || event.is<domain::TurnQueued>()) {
    return client_context();
  }
  eventlog::AppendContext context;
  if (event.is<domain::LeaseGranted>() || event.is<domain::TurnStarted>()) {
    return context;
  }
  context.actor_kind = domain::ActorKind::worker;
  context.actor = "worker";
  context.token = {1};
  context.report_sequence = version.value;
  return context;
}

}  // namespace

std::size_t bytes_of(const std::string& folder, const std::string& extension) {
  std::size_t bytes = 0;
  for (const base::ListedFile& file :
       base::list_tree(folder).value_or(std::vector<base::ListedFile>())) {
    std::error_code gone;
    const auto size = std::filesystem::file_size(file.path, gone);
    if (file.extension() == extension && !gone) bytes += size;
  }
  return bytes;
}

base::Result<std::unique_ptr<LogAuthor>> LogAuthor::create(const std::string& data_folder,
                                                           base::Random& random) {
  auto log = eventlog::open_log(data_folder, eventlog::LogMode::read_write, random);
  if (!log) return tl::unexpected(log.error());
  const std::int64_t epoch = log->tail.epoch.counter;
  std::unique_ptr<LogAuthor> author(new LogAuthor(std::move(*log), data_folder + "/log", random));
  // In the past, so that a server continues after it.
  author->now_ = base::SystemClock().wall() + -std::chrono::hours(24);
  author->sequencer_.set_head(std::string(domain::kAdmissionStream), {});
  author->sequencer_.set_head(domain::registry_stream(kLogAgent), {});
  const std::string server(domain::kServerStream);
  author->sequencer_.set_head(server, {});
  std::vector<eventlog::StreamAppend> appends;
  appends.push_back({server, {}, {}});
  appends.back().events.push_back({domain::EpochStarted{epoch, "created"}, {}});
  if (auto ok = author->append(std::move(appends), {}); !ok) return tl::unexpected(ok.error());
  return author;
}

SessionIdentity LogAuthor::new_identity() {
  SessionIdentity identity = SessionIdentity::any(now_, random_);
  identity.agent = kLogAgent;
  identity.name = fmt::format("task-{}", ++sessions_);
  if (!first_.is_set()) first_ = identity.id;
  identity.alias = domain::alias_of(first_, sessions_ - 1);
  return identity;
}

SessionHistory LogAuthor::new_history() {
  return {new_identity(), random_};
}

void LogAuthor::add_opening(std::vector<eventlog::StreamAppend>& appends,
                            const SessionIdentity& identity) {
  appends.push_back({domain::registry_stream(identity.agent), registry_, {}});
  appends.back().events.push_back({domain::NameClaimed{identity.id, identity.name, {}}, {}});
  appends.push_back({std::string(domain::kAdmissionStream), admission_, {}});
  appends.back().events.push_back(
      {domain::SessionAdmitted{identity.id, identity.agent, identity.alias}, {}});
  registry_ = registry_.next();
  admission_ = admission_.next();
}

void LogAuthor::add_ending(std::vector<eventlog::StreamAppend>& appends,
                           const SessionIdentity& identity) {
  appends.push_back({domain::registry_stream(identity.agent), registry_, {}});
  appends.back().events.push_back({domain::NameReleased{identity.id, identity.name}, {}});
  appends.push_back({std::string(domain::kAdmissionStream), admission_, {}});
  appends.back().events.push_back({domain::SessionReleased{identity.id, false}, {}});
  registry_ = registry_.next();
  admission_ = admission_.next();
}

base::Result<void> LogAuthor::append(std::vector<eventlog::StreamAppend> appends,
                                     eventlog::AppendContext context) {
  if (is_stopped()) return stopped();
  now_ = now_ + std::chrono::microseconds(1);
  context.command = base::CommandId::make(now_, random_);
  context.log_time = context.wall_time = now_;
  if (auto ok = sequencer_.append(std::move(appends), context); !ok) {
    return tl::unexpected(ok.error());
  }
  return sequencer_.has_room() ? base::Result<void>() : flush();
}

base::Result<void> LogAuthor::flush() {
  while (sequencer_.do_work()) {
  }
  if (sequencer_.failure()) return tl::unexpected(*sequencer_.failure());
  sequencer_.take_durable();
  return {};
}

base::Result<void> LogAuthor::fill_write_ahead_log(bool is_short) {
  if (auto ok = flush(); !ok) return ok;
  // Little content, so that the limit of the write-ahead log is what triggers the flush in the end.
  while (bytes_of(log_folder_, ".log") < (is_short ? kNearCap / 4 : kNearCap)) {
    // Each step is smaller than the distance to the limit, or it could jump over the limit for
    // ever.
    if (auto ok = add_histories(2'000, 0); !ok) return tl::unexpected(ok.error());
    if (auto ok = flush(); !ok) return ok;
  }
  return {};
}

base::Result<void> LogAuthor::empty_write_ahead_log(const std::string& copy) {
  if (auto ok = flush(); !ok) return ok;
  return store().copy_to(copy);
}

base::Result<void> LogAuthor::add(SessionHistory& session, std::size_t content_bytes) {
  const base::StreamVersion before = session.version();
  if (before.value == 0) sequencer_.set_head(session.stream(), before);
  eventlog::NewEvent event{session.next(now_), {}};
  if (has_content(event.event)) event.content.text.assign(content_bytes, 'c');
  const eventlog::AppendContext context = context_of(event.event, session.version());
  std::vector<eventlog::StreamAppend> appends;
  appends.push_back({session.stream(), before, {}});
  appends.back().events.push_back(std::move(event));
  if (before.value == 0) add_opening(appends, session.identity());
  if (session.has_ended()) add_ending(appends, session.identity());
  auto ok = append(std::move(appends), context);
  if (session.has_ended()) sequencer_.forget_head(session.stream());
  return ok;
}

base::Result<std::vector<base::SessionId>> LogAuthor::add_histories(std::int64_t events,
                                                                    std::size_t content_bytes) {
  const std::int64_t end = this->events() + events;
  std::vector<base::SessionId> ids;
  std::vector<SessionHistory> alive;
  const auto alive_max =
      std::min(kSessionsAlive, static_cast<std::size_t>(events / kEventsOfHistory) + 1);
  while (this->events() < end || !alive.empty()) {
    while (alive.size() < alive_max && this->events() < end) {
      alive.push_back(new_history());
      ids.push_back(alive.back().identity().id);
    }
    // Aliases follow from the first admitted session, so that one must begin first.
    const std::size_t chosen = admission_.value == 0 ? 0 : random_.below(alive.size());
    if (auto ok = add(alive[chosen], content_bytes); !ok) return tl::unexpected(ok.error());
    if (!alive[chosen].has_ended()) continue;
    std::swap(alive[chosen], alive.back());
    alive.pop_back();
  }
  return ids;
}

base::Result<base::SessionId> LogAuthor::add_short(const ShortLife& life) {
  const SessionIdentity identity = new_identity();
  const std::string stream = domain::session_stream(identity.agent, identity.id);
  base::StreamVersion version;
  sequencer_.set_head(stream, version);
  // Appends one command's events; `ends` as in add().
  const auto append_one = [&](domain::Event event, bool has_text) -> base::Result<void> {
    std::vector<eventlog::StreamAppend> appends;
    appends.push_back({stream, version, {}});
    const bool ends = event.is<domain::SessionClosed>();
    appends.back().events.push_back({std::move(event), {}});
    if (has_text) appends.back().events.back().content.text.assign(kPromptBytes, 'p');
    if (version.value == 0) add_opening(appends, identity);
    if (ends) add_ending(appends, identity);
    version = version.next();
    return append(std::move(appends), client_context());
  };
  domain::SessionOpened opened = opened_event(identity);
  if (!life.engine.empty()) opened.spec.edit().engine = life.engine;
  if (!life.workdir.empty()) opened.spec.edit().workdir = life.workdir;
  if (auto ok = append_one(std::move(opened), false); !ok) return tl::unexpected(ok.error());
  for (int i = 0; i < life.interrupted_turns; ++i) {
    const base::TurnId turn = base::TurnId::make(now_, random_);
    if (auto ok = append_one(domain::TurnQueued{turn}, true); !ok) {
      return tl::unexpected(ok.error());
    }
    if (auto ok = append_one(domain::TurnInterrupted{turn, domain::EndReason::user, {}}, false);
        !ok) {
      return tl::unexpected(ok.error());
    }
  }
  if (life.is_ended) {
    auto ok = append_one(
        domain::SessionClosed{domain::SessionStatus::killed, domain::EndReason::user}, false);
    if (!ok) return tl::unexpected(ok.error());
  }
  sequencer_.forget_head(stream);
  return identity.id;
}

base::Result<base::SessionId> LogAuthor::add_talk(int blocks, std::size_t content_bytes) {
  return add_talk(blocks, [content_bytes] { return std::string(content_bytes, 'o'); });
}

base::Result<base::SessionId> LogAuthor::add_talk(int blocks,
                                                  const std::function<std::string()>& text,
                                                  int turn_blocks) {
  const SessionIdentity identity = new_identity();
  const std::string stream = domain::session_stream(identity.agent, identity.id);
  base::TurnId turn = base::TurnId::make(now_, random_);
  const base::WorkerId worker = base::WorkerId::make(now_, random_);
  base::StreamVersion version;
  sequencer_.set_head(stream, version);
  const auto append_one = [&](domain::Event event, std::string content) {
    const auto context = context_of(event, version.next());
    std::vector<eventlog::StreamAppend> appends;
    appends.push_back({stream, version, {}});
    appends.back().events.push_back({std::move(event), {}});
    appends.back().events.back().content.text = std::move(content);
    if (version.value == 0) add_opening(appends, identity);
    version = version.next();
    return append(std::move(appends), context);
  };
  auto ok = append_one(opened_event(identity), {});
  if (ok) ok = append_one(domain::TurnQueued{turn}, std::string(kPromptBytes, 'o'));
  if (ok) ok = append_one(domain::LeaseGranted{worker, {1}, {}}, {});
  if (ok) ok = append_one(domain::TurnStarted{turn, {1}}, {});
  for (int block = 1; ok && block <= blocks; ++block) {
    ok = append_one(domain::OutputRecorded{turn, block, domain::OutputKind::text}, text());
    if (!ok || block % turn_blocks != 0 || block == blocks) continue;
    ok = append_one(domain::TurnFinished{turn, {}}, text());
    turn = base::TurnId::make(now_, random_);
    if (ok) ok = append_one(domain::TurnQueued{turn}, std::string(kPromptBytes, 'o'));
    if (ok) ok = append_one(domain::TurnStarted{turn, {1}}, {});
  }
  if (!ok) return tl::unexpected(ok.error());
  sequencer_.forget_head(stream);
  return identity.id;
}

}  // namespace benchmarks
