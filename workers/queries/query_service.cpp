// Before an answer, damaged sources are built anew and all are caught up; each query fails only for
// the sources that it reads.
#include "workers/queries/query_service.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>

#include "eventlog/base/check.hpp"
#include "eventlog/base/job_thread.hpp"
#include "projections/fold/digest.hpp"
#include "workers/protocol/earlier_names.hpp"
#include "workers/queries/queries.hpp"

namespace workers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kCatchUpEvents = 10'000;  // folded between two writes of the rows

// Returns why the projection's rows are not those at `durable`; none: they are.
std::optional<base::Error> fault_of(const projections::ProjectionStatus& status, Position durable) {
  if (status.position >= durable) return std::nullopt;
  if (status.stopped) return status.stopped;
  if (status.failed) return status.failed;
  return base::Error{base::ErrorCode::io,
                     "the projection stands at position " + std::to_string(status.position.value) +
                         ", not at " + std::to_string(durable.value),
                     status.name};
}

bus::ReplyError code_of(const base::Error& error) {
  switch (error.code) {
    case base::ErrorCode::not_found:
      return bus::ReplyError::not_found;
    case base::ErrorCode::invalid:
      return bus::ReplyError::invalid;
    case base::ErrorCode::damaged:
      return bus::ReplyError::damaged;
    case base::ErrorCode::wrong_log:
      return bus::ReplyError::wrong_log;
    case base::ErrorCode::busy:
      return bus::ReplyError::busy;
    case base::ErrorCode::io:
    case base::ErrorCode::rows_damaged:
      return bus::ReplyError::unavailable;
    default:
      return bus::ReplyError::failed;
  }
}

bus::Reply reply_to(const Query& query, base::Result<base::RawValue> body) {
  if (body && query.has_earlier_names) body = in_earlier_names(query.verb, std::move(*body));
  if (body) return bus::ok_reply(query.request, std::move(*body));
  return bus::error_reply(query.request, code_of(body.error()), base::describe(body.error()));
}

}  // namespace

QueryAnswer QueryService::answer(Query query) {
  for (;;) {
    auto begun = begin(query);
    if (auto* job = std::get_if<DigestsJob>(&begun)) {
      auto done = finish(std::move(*job));
      if (auto* again = std::get_if<Query>(&done)) {
        query = std::move(*again);
        continue;
      }
      return std::move(std::get<QueryAnswer>(done));
    }
    if (auto* job = std::get_if<ContentJob>(&begun)) {
      std::variant<QueryAnswer, Query, ContentJob> done = std::move(*job);
      while (auto* more = std::get_if<ContentJob>(&done)) done = step(std::move(*more));
      if (auto* found = std::get_if<Query>(&done)) {
        query = std::move(*found);
        continue;
      }
      return std::move(std::get<QueryAnswer>(done));
    }
    return std::move(std::get<QueryAnswer>(begun));
  }
}

std::variant<QueryAnswer, DigestsJob, ContentJob> QueryService::begin(const Query& query) {
  thread_.check();
  QueryAnswer answer;
  answer.peer = query.peer;
  base::Result<base::RawValue> body = base::failure(base::ErrorCode::invalid, "nothing was asked");
  // A query of the log alone is answered even if everything derived from the log has failed.
  const QueryKind* kind = find_query(query.verb);
  if (kind != nullptr && kind->find != nullptr && !query.found) {
    auto job = begin_content(query);
    if (job) return std::move(*job);
    answer.reply = reply_to(query, tl::unexpected(job.error()));
    return answer;
  }
  const bool is_of_log = kind != nullptr && kind->reads == QueryReads::log;
  if (!is_of_log) {
    catch_up(query.durable);
    const bool is_kept = index_.flush_when_due() && views_.flush_when_due();
    answer.is_behind = is_behind(query.durable) || !is_kept;
  }
  const auto sources = is_of_log ? base::Result<void>() : check_sources(query);
  if (!sources) {
    body = tl::unexpected(sources.error());
  } else if (kind != nullptr && kind->run == nullptr) {
    if (auto job = begin_digests(query)) {
      job->answer = std::move(answer);
      return std::move(*job);
    } else {
      body = tl::unexpected(job.error());
    }
  } else if (!query.verb.empty()) {
    body = run(query);
    // The run met damage: try once more, from rows that were built anew.
    if (!body && body.error().code == base::ErrorCode::rows_damaged) {
      catch_up(query.durable);
      const auto whole = check_sources(query);
      if (whole) body = run(query);
    }
  }
  answer.reply = reply_to(query, std::move(body));
  return answer;
}

// Builds anew the rows in which a call has met damage, on any thread. A failed attempt is repeated
// each time.
void QueryService::rebuild_damaged(Position durable) {
  if (options_.rebuild.index) {
    const auto rebuilt = options_.rebuild.index(durable);
    index_fault_ = rebuilt ? std::nullopt : std::optional(rebuilt.error());
  }
  if (options_.rebuild.views) {
    auto views = options_.rebuild.views(views_fault_.has_value());
    if (views && *views) projections_ = std::move(**views);
    views_fault_ = views ? std::nullopt : std::optional(views.error());
  }
}

// Catches up as far as possible; a projection that fails does not hold up the others.
void QueryService::catch_up(Position durable) {
  rebuild_damaged(durable);
  indexed_ = index_fault_ ? tl::unexpected(*index_fault_) : index_.catch_up(log_, durable);
  if (views_fault_) return;
  const auto folded_by_all = [&] {
    std::int64_t events = 0;
    for (const auto& status : projections_.status()) events += status.position.value;
    return events;
  };
  for (std::int64_t before = -1, now = folded_by_all(); now > before;) {
    if (projections_.reached(durable)) break;
    (void)projections_.catch_up(log_, durable, kCatchUpEvents);  // a failed one keeps its error
    before = std::exchange(now, folded_by_all());
  }
}

// True if another try can help: it cannot for a projection that has stopped.
bool QueryService::is_behind(Position durable) const {
  const auto status = projections_.status();
  return !indexed_ || views_fault_ ||
         std::any_of(status.begin(), status.end(), [&](const auto& projection) {
           return !projection.stopped && projection.position < durable;
         });
}

// Fails if a source is not at the durable head: its rows would be answered as if they were current.
base::Result<void> QueryService::check_sources(const Query& query) const {
  const QueryKind* kind = find_query(query.verb);
  const bool is_index_read = kind != nullptr && kind->reads == QueryReads::rows_and_index;
  if (is_index_read && !indexed_) return indexed_;
  if (views_fault_) return tl::unexpected(*views_fault_);
  for (const projections::ProjectionStatus& status : projections_.status()) {
    const bool is_read = kind != nullptr && (kind->projection == status.name ||
                                             kind->second_projection == status.name);
    if (!is_read) continue;
    if (auto fault = fault_of(status, query.durable)) return tl::unexpected(std::move(*fault));
  }
  return {};
}

// Only the calling thread writes rows, so those of the snapshot are at the positions given.
base::Result<DigestsJob> QueryService::begin_digests(const Query& query) const {
  if (const auto body = bus::from_body<QueryBody>(query.body); !body) {
    return tl::unexpected(body.error());
  }
  auto rows = views_.snapshot();
  if (!rows) return tl::unexpected(rows.error());
  DigestsJob job;
  job.query = query;
  job.rows = std::move(*rows);
  for (const projections::ProjectionStatus& status : projections_.status()) {
    const auto fault = fault_of(status, query.durable);
    job.projections.push_back(
        {status.name, status.position, {}, fault ? base::describe(*fault) : std::string()});
  }
  return job;
}

std::variant<QueryAnswer, Query> finish(DigestsJob job) {
  for (DigestRow& row : job.projections) {
    auto digest = projections::digest(*job.rows, row.name);
    if (digest) {
      row.digest = *digest;
      continue;
    }
    if (digest.error().code == base::ErrorCode::rows_damaged && !job.query.is_again) {
      job.query.is_again = true;
      return std::move(job.query);
    }
    job.answer.reply = reply_to(job.query, tl::unexpected(digest.error()));
    return std::move(job.answer);
  }
  job.answer.reply = reply_to(job.query, bus::to_body(DigestsAnswer{std::move(job.projections)}));
  return std::move(job.answer);
}

base::Result<ContentJob> QueryService::begin_content(const Query& query) const {
  const auto body = bus::from_body<QueryBody>(query.body);
  if (!body) return tl::unexpected(body.error());
  const base::Duration wait = std::clamp<base::Duration>(body->wait, {}, kContentWaitMax);
  return ContentJob{query, options_.contents, Clock::now() + wait};
}

std::variant<QueryAnswer, Query, ContentJob> step(ContentJob job) {
  base::Result<bool> is_found = base::failure(
      base::ErrorCode::not_found, "this server keeps no content indexes, so nothing can be found");
  if (job.contents != nullptr) {
    const QueryKind* kind = find_query(job.query.verb);
    is_found = kind->find(*job.contents, job.query, Clock::now() >= job.until);
  }
  if (is_found && *is_found) return std::move(job.query);
  if (is_found) return job;
  QueryAnswer answer;
  answer.peer = job.query.peer;
  answer.reply = reply_to(job.query, tl::unexpected(is_found.error()));
  return answer;
}

base::Result<base::RawValue> QueryService::run(const Query& query) {
  const QueryKind* kind = find_query(query.verb);
  if (kind == nullptr || kind->run == nullptr) {
    return base::failure(base::ErrorCode::invalid, "unknown verb '" + query.verb + "'");
  }
  std::vector<ArchivePlace> places;
  for (const auto& [name, archive] : query.archived.archives) {
    if (archive.through.value == 0) continue;
    ArchivePlace place{{archive.folder}, archive.through};
    const std::string own_name = archive.folder.substr(archive.folder.find_last_of('/') + 1);
    for (const std::string& folder : options_.archive_folders) {
      place.folders.push_back(folder + "/" + own_name);
      place.folders.push_back(folder);
    }
    places.push_back(std::move(place));
  }
  ArchivedLog whole(log_, std::move(places), options_.open_archive);
  return kind->run({identity_, log_, whole, views_, index_}, query);
}

void InlineQueryPort::submit(Query query) {
  const Position durable = query.durable;
  answers_.push_back(service_.answer(std::move(query)));
  projections::ContentSet* contents = service_.contents();
  projections::ContentSet::Fed fed{contents != nullptr, false};
  while (fed.has_more) fed = contents->feed(durable);
  answers_.back().is_behind |= fed.has_failed;
}

std::optional<QueryAnswer> InlineQueryPort::poll() {
  if (answers_.empty()) return std::nullopt;
  QueryAnswer answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

namespace {

class ThreadQueryPort final : public QueryPort {
 public:
  explicit ThreadQueryPort(QueryService& service)
      : queries_("queries", [&service](const Query& query) { return service.begin(query); }),
        digests_("digests", [](DigestsJob job) { return finish(std::move(job)); }),
        wake_fd_(epoll_create1(EPOLL_CLOEXEC)) {
    CHECK(wake_fd_ >= 0);
    wake_by(queries_.wake_fd());
    wake_by(digests_.wake_fd());
    if (projections::ContentSet* contents = service.contents()) {
      contents_.emplace("contents", [contents](Position to) { return contents->feed(to); });
      wake_by(contents_->wake_fd());
      searches_.emplace("searches", [](ContentJob job) { return step(std::move(job)); });
      wake_by(searches_->wake_fd());
    }
  }
  ~ThreadQueryPort() override { close(wake_fd_); }
  ThreadQueryPort(const ThreadQueryPort&) = delete;
  ThreadQueryPort& operator=(const ThreadQueryPort&) = delete;

  void submit(Query query) override {
    feed_to_ = std::max(feed_to_, query.durable);
    queries_.submit(std::move(query));
    feed();
  }

  std::optional<QueryAnswer> poll() override {
    while (auto done = digests_.poll()) {
      if (auto* answer = std::get_if<QueryAnswer>(&*done)) return std::move(*answer);
      queries_.submit(std::move(std::get<Query>(*done)));
    }
    if (auto answer = poll_searches()) return answer;
    while (auto begun = queries_.poll()) {
      if (auto* answer = std::get_if<QueryAnswer>(&*begun)) return std::move(*answer);
      if (auto* job = std::get_if<DigestsJob>(&*begun)) digests_.submit(std::move(*job));
      auto* search = std::get_if<ContentJob>(&*begun);
      if (search == nullptr) continue;
      if (!searches_) return std::get<QueryAnswer>(step(std::move(*search)));  // it is refused
      searches_->submit(std::move(*search));
    }
    return poll_fed();
  }

  int wake_fd() const override { return wake_fd_; }

 private:
  void wake_by(int fd) {
    epoll_event readable{};
    readable.events = EPOLLIN;
    CHECK(epoll_ctl(wake_fd_, EPOLL_CTL_ADD, fd, &readable) == 0);
  }

  // A job that has more to do comes behind the others.
  std::optional<QueryAnswer> poll_searches() {
    while (auto done = searches_ ? searches_->poll() : std::nullopt) {
      if (auto* answer = std::get_if<QueryAnswer>(&*done)) return std::move(*answer);
      if (auto* job = std::get_if<ContentJob>(&*done)) searches_->submit(std::move(*job));
      if (auto* query = std::get_if<Query>(&*done)) queries_.submit(std::move(*query));
    }
    return std::nullopt;
  }

  // One step at a time, so that the end of the process waits for no further one.
  void feed() {
    if (!contents_ || feeding_to_ || fed_to_ >= feed_to_) return;
    feeding_to_ = feed_to_;
    contents_->submit(*feeding_to_);
  }

  // Returns an answer to nobody if an index has failed, so that the feeding is tried again later.
  std::optional<QueryAnswer> poll_fed() {
    const auto fed = contents_ ? contents_->poll() : std::nullopt;
    if (!fed) return std::nullopt;
    const Position to = *std::exchange(feeding_to_, std::nullopt);
    if (!fed->has_more && !fed->has_failed) fed_to_ = to;
    // One that has failed waits until the others are done.
    if (fed->has_more || !fed->has_failed) {
      feed();
      return std::nullopt;
    }
    QueryAnswer retry;
    retry.is_behind = true;
    return retry;
  }

  base::JobThread<Query, std::variant<QueryAnswer, DigestsJob, ContentJob>> queries_;
  base::JobThread<DigestsJob, std::variant<QueryAnswer, Query>> digests_;
  std::optional<base::JobThread<Position, projections::ContentSet::Fed>> contents_;
  std::optional<base::JobThread<ContentJob, std::variant<QueryAnswer, Query, ContentJob>>>
      searches_;
  Position feed_to_;                    // as far as the indexes can be fed
  Position fed_to_;                     // as far as all of them are
  std::optional<Position> feeding_to_;  // set while a step is under way
  const int wake_fd_;                   // readable while one of their descriptors is
};

}  // namespace

std::unique_ptr<QueryPort> make_thread_query_port(QueryService& service) {
  return std::make_unique<ThreadQueryPort>(service);
}

}  // namespace workers
