#include "workers/queries/query_service.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "eventlog/base/check.hpp"
#include "eventlog/base/job_thread.hpp"
#include "eventlog/base/mutant.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/log_reader.hpp"
#include "projections/fold/digest.hpp"
#include "projections/views/metrics.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/queries/log_page.hpp"
#include "workers/queries/output_page.hpp"

namespace workers {
namespace {

constexpr std::size_t kCatchUpEvents = 10'000;     // folded between two writes of the rows
constexpr std::size_t kOutputBlocksDefault = 200;  // of what the agent said last
constexpr std::size_t kPageBytesMax = 4 << 20;     // of facts and content in one page of the log
constexpr std::size_t kPageEventsMax = 10'000;
constexpr std::size_t kPromptShownMax = 4 << 10;
constexpr std::size_t kErasuresShownMax = 20;

// What verbs are answered from beside the log.
struct Source {
  std::string_view verb;
  std::string_view projection;
};
constexpr Source kSources[] = {{kVerbList, projections::SessionList::kName},
                               {kVerbShow, projections::SessionList::kName},
                               {kVerbOutput, projections::SessionList::kName},
                               {kVerbStats, projections::Metrics::kName}};

// Why rows of this projection would not be those at `durable`; none: they are.
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

// The events that show what an agent said and did, as an item of output; none for all others.
std::optional<OutputItem> as_item(const domain::RecordedEvent& event) {
  OutputItem item;
  item.position = event.envelope.position;
  item.type = event.envelope.type;
  item.time = event.envelope.log_time;
  if (const auto* output = std::get_if<domain::OutputRecorded>(&event.event)) {
    const bool is_thought = output->kind == domain::OutputKind::thinking;
    item.kind = is_thought ? ItemKind::thought : ItemKind::said;
    item.turn = output->turn;
    item.parent = output->parent;
  } else if (const auto* partial = std::get_if<domain::PartialOutputRecorded>(&event.event)) {
    item.kind = ItemKind::said;
    item.turn = partial->turn;
  } else if (const auto* call = std::get_if<domain::ToolCallStarted>(&event.event)) {
    item.kind = ItemKind::tool_call;
    item.turn = call->turn;
    item.tool = call->tool;
    item.call = call->call;
    item.parent = call->parent;
  } else if (const auto* done = std::get_if<domain::ToolCallFinished>(&event.event)) {
    item.kind = ItemKind::tool_result;
    item.turn = done->turn;
    item.call = done->call;
    item.is_error = done->is_error;
    item.is_denied = done->is_denied;
    item.parent = done->parent;
  } else if (const auto* queued = std::get_if<domain::TurnQueued>(&event.event)) {
    item.turn = queued->turn;
  } else if (const auto* failed = std::get_if<domain::TurnFailed>(&event.event)) {
    item.kind = ItemKind::failure;
    item.turn = failed->turn;
  } else {
    return std::nullopt;
  }
  if (event.content) item.text = event.content->text;
  return item;
}

bus::Reply reply_to(const Query& query, base::Result<base::RawValue> body) {
  if (body) return bus::ok_reply(query.request, std::move(*body));
  return bus::error_reply(query.request, code_of(body.error()), base::describe(body.error()));
}

bool is_item(const domain::RecordedEvent& event) {
  return as_item(event).has_value();
}

// Says of a text that is gone who erased it. What is missing without that is for `replay verify`.
void note_erasure(OutputItem& item, const domain::Envelope& envelope,
                  const std::vector<projections::Erasure>& erasures) {
  for (const projections::Erasure& erasure : erasures) {
    if (!domain::contains(erasure.events, envelope.version)) continue;
    item.erased_at = erasure.at;
    item.erased_by = erasure.actor;
    return;
  }
}

}  // namespace

QueryAnswer QueryService::answer(Query query) {
  for (;;) {
    auto step = begin(query);
    if (auto* job = std::get_if<DigestsJob>(&step)) {
      auto done = finish(std::move(*job));
      if (auto* again = std::get_if<Query>(&done)) {
        query = std::move(*again);
        continue;
      }
      return std::move(std::get<QueryAnswer>(done));
    }
    return std::move(std::get<QueryAnswer>(step));
  }
}

std::variant<QueryAnswer, DigestsJob> QueryService::begin(const Query& query) {
  QueryAnswer answer;
  answer.peer = query.peer;
  base::Result<base::RawValue> body = base::failure(base::ErrorCode::invalid, "nothing was asked");
  // The log itself is read whatever has become of that which is derived from it.
  const bool is_of_log =
      query.verb == bus::kReadVerb && !base::mutant(base::Mutant::log_read_needs_rows);
  if (!is_of_log) {
    catch_up(query.durable);
    const bool is_kept = index_.flush_when_due() && views_.flush_when_due();
    answer.is_behind = is_behind(query.durable) || !is_kept;
  }
  const auto sources = is_of_log ? base::Result<bool>(true) : check_sources(query);
  if (!sources) {
    body = tl::unexpected(sources.error());
  } else if (query.verb == kVerbDigests) {
    if (auto job = begin_digests(query)) {
      job->answer = std::move(answer);
      return std::move(*job);
    } else {
      body = tl::unexpected(job.error());
    }
  } else if (!query.verb.empty()) {
    body = run(query);
    // Damage that was met on the way: once more, from rows that were built anew.
    if (!body && body.error().code == base::ErrorCode::rows_damaged) {
      catch_up(query.durable);
      const auto whole = check_sources(query);
      if (whole) body = run(query);
    }
  }
  answer.reply = reply_to(query, std::move(body));
  return answer;
}

// What a call has met damage in, on any thread. What cannot be built anew is tried again each time.
void QueryService::rebuild_damaged(Position durable) {
  if (rebuild_.index) {
    const auto rebuilt = rebuild_.index(durable);
    index_fault_ = rebuilt ? std::nullopt : std::optional(rebuilt.error());
  }
  if (rebuild_.views) {
    auto views = rebuild_.views(views_fault_.has_value());
    if (views && *views) projections_ = std::move(**views);
    views_fault_ = views ? std::nullopt : std::optional(views.error());
  }
}

// As far as it can be done; one that fails keeps none of the others back.
void QueryService::catch_up(Position durable) {
  if (base::mutant(base::Mutant::views_not_caught_up)) return;
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
    (void)projections_.catch_up(log_, durable, kCatchUpEvents);  // who failed keeps why
    before = std::exchange(now, folded_by_all());
  }
}

// Of what has stopped another try says the same.
bool QueryService::is_behind(Position durable) const {
  const auto status = projections_.status();
  return !indexed_ || views_fault_ ||
         std::any_of(status.begin(), status.end(), [&](const auto& projection) {
           return !projection.stopped && projection.position < durable;
         });
}

// Rows that stand still would pass for those at the durable head.
base::Result<bool> QueryService::check_sources(const Query& query) const {
  if (base::mutant(base::Mutant::stale_rows_answered)) return true;
  const bool is_index_read =
      query.verb == kVerbOutput || base::mutant(base::Mutant::log_read_needs_rows);
  if (is_index_read && !indexed_) return indexed_;
  if (views_fault_) return tl::unexpected(*views_fault_);
  for (const projections::ProjectionStatus& status : projections_.status()) {
    const bool is_read = std::any_of(
        std::begin(kSources), std::end(kSources),
        [&](const Source& s) { return s.verb == query.verb && s.projection == status.name; });
    if (!is_read && !base::mutant(base::Mutant::one_fault_fails_all)) continue;
    if (auto fault = fault_of(status, query.durable)) return tl::unexpected(std::move(*fault));
  }
  return true;
}

// Nobody writes rows but the thread that calls this: they are those of the positions.
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

base::Result<base::RawValue> QueryService::run(const Query& query) {
  if (query.verb == bus::kReadVerb) {
    const auto request = bus::from_body<bus::ReadRequest>(query.body);
    if (!request) return tl::unexpected(request.error());
    const auto page = read(*request, query);
    if (!page) return tl::unexpected(page.error());
    return bus::to_body(*page);
  }
  const auto body = bus::from_body<QueryBody>(query.body);
  if (!body) return tl::unexpected(body.error());
  if (query.verb == kVerbList) {
    projections::SessionFilter filter;
    filter.agent = body->agent;
    filter.statuses = body->statuses;
    if (body->limit > 0) filter.limit = static_cast<std::size_t>(body->limit);
    filter.active_since = body->active_since;
    filter.before = body->before;
    auto page = projections::list_sessions(views_, filter);
    if (!page) return tl::unexpected(page.error());
    for (projections::SessionRow& row : page->sessions) name_row(row);
    return bus::to_body(ListAnswer{query.durable, std::move(page->sessions), page->has_more,
                                   page->before, page->total});
  }
  if (query.verb == kVerbShow) {
    const auto answer = show(*body, query);
    if (!answer) return tl::unexpected(answer.error());
    return bus::to_body(*answer);
  }
  if (query.verb == kVerbOutput) {
    const auto answer = output(*body, query);
    if (!answer) return tl::unexpected(answer.error());
    return bus::to_body(*answer);
  }
  if (query.verb == kVerbStats) {
    auto report = projections::read_metrics(views_, body->agent);
    if (!report) return tl::unexpected(report.error());
    name_most_expensive(report->totals.most_expensive);
    return bus::to_body(*report);
  }
  return base::failure(
      base::ErrorCode::invalid,
      "unknown verb '" + query.verb +
          "'; known are command, list, show, output, stats, digests, read, status, flight, backup, "
          "backups, anchor, anchors, archive, archives");
}

base::Result<std::string> QueryService::text_at(Position position) {
  if (position.value == 0) return std::string();
  auto content = eventlog::read_content(log_, position);
  if (!content) return tl::unexpected(content.error());
  return *content ? std::move((*content)->text) : std::string();
}

// The text of a name that was made from a prompt; none: it was erased, or archived.
std::optional<std::string> QueryService::name_at(Position position) {
  if (position.value == 0 || position < log_.first()) return std::nullopt;
  auto text = text_at(position);
  if (!text || text->empty()) return std::nullopt;
  return std::move(*text);
}

void QueryService::name_row(projections::SessionRow& row) {
  if (row.name.empty()) row.name = name_at(row.made_name).value_or(row.alias);
}

void QueryService::name_most_expensive(projections::MostExpensive& most) {
  if (!most.session.is_set() || !most.name.empty()) return;
  auto row = projections::get_session(views_, most.agent, most.session);
  if (!row || !*row) return;
  name_row(**row);
  most.name = std::move((*row)->name);
}

base::Result<projections::SessionRow> QueryService::resolve(const QueryBody& body) {
  auto row = projections::resolve_session(views_, body.agent, body.reference,
                                          [this](Position at) { return name_at(at); });
  if (row) name_row(*row);
  return row;
}

base::Result<ShowAnswer> QueryService::show(const QueryBody& body, const Query& query) {
  auto row = resolve(body);
  if (!row) return tl::unexpected(row.error());
  auto erasures = projections::read_erasures(views_, row->agent, row->session);
  if (!erasures) return tl::unexpected(erasures.error());
  if (erasures->size() > kErasuresShownMax) {
    erasures->erase(erasures->begin(), erasures->end() - kErasuresShownMax);
  }
  ShowAnswer answer;
  answer.position = query.durable;
  answer.session = std::move(*row);
  answer.erasures = std::move(*erasures);
  if (body.wants_texts) {
    auto prompt = text_at(answer.session.prompt);
    auto system_prompt = text_at(answer.session.opened);
    if (answer.session.prompt < log_.first()) {
      prompt = system_prompt = std::string();  // archived, which is no error
    }
    if (prompt) answer.prompt = prompt->substr(0, kPromptShownMax);
    if (system_prompt) answer.system_prompt = std::move(*system_prompt);
    if (!prompt) answer.prompt_error = base::describe(prompt.error());
    if (!system_prompt) answer.system_prompt_error = base::describe(system_prompt.error());
  }
  if (answer.session.prompt < log_.first()) answer.archived = query.archived;
  return answer;
}

base::Result<OutputAnswer> QueryService::output(const QueryBody& body, const Query& query) {
  const Position durable = query.durable;
  auto row = resolve(body);
  if (!row) return tl::unexpected(row.error());
  const auto erasures = projections::read_erasures(views_, row->agent, row->session);
  if (!erasures) return tl::unexpected(erasures.error());
  OutputRange range;
  range.after = std::max(body.after, log_.first().plus(-1));
  range.before = durable.next();
  if (body.before.value > 0) range.before = std::min(range.before, body.before);
  range.is_tail = body.after.value == 0 && body.limit >= 0;
  range.blocks_max = body.limit > 0  ? static_cast<std::size_t>(body.limit)
                     : range.is_tail ? kOutputBlocksDefault
                                     : std::numeric_limits<std::size_t>::max();
  eventlog::StreamReader stream(log_, index_, domain::session_stream(row->agent, row->session));
  auto page = choose_output(stream, range, is_item);
  if (!page) return tl::unexpected(page.error());

  const bool is_archived = row->opened < log_.first();
  OutputAnswer answer{durable,
                      std::move(*row),
                      {},
                      page->has_more,
                      page->from,
                      page->through,
                      static_cast<std::int64_t>(page->said),
                      is_archived ? query.archived : ""};
  for (eventlog::BlockEvents& block : page->blocks) {
    if (auto ok = eventlog::add_contents(log_, block.first, block.events); !ok) {
      return tl::unexpected(ok.error());
    }
    for (const domain::RecordedEvent& event : block.events) {
      auto item = as_item(event);
      if (event.envelope.content && !event.content) note_erasure(*item, event.envelope, *erasures);
      answer.items.push_back(std::move(*item));
    }
  }
  return answer;
}

// That the event which the reader has at `after` is the one that is there.
base::Result<bool> QueryService::check_history(const bus::ReadRequest& request, Position durable) {
  const Position after = request.after;
  if (!request.digest || after.value == 0) return true;
  // What was archived cannot be compared; what is later proves itself with the next page.
  if (after < log_.first() || base::mutant(base::Mutant::history_not_compared)) return true;
  const std::string where = "position " + std::to_string(after.value);
  if (after > durable) {
    return base::failure(base::ErrorCode::wrong_log,
                         "the log ends at position " + std::to_string(durable.value) +
                             ", and the reader has had more of it: events are missing",
                         where);
  }
  const auto events = eventlog::read_events(log_, after, after, {1, false});
  if (!events) return tl::unexpected(events.error());
  if (events->empty()) return true;  // archived meanwhile
  if (base::blake2b(domain::encode_facts(events->front())) == *request.digest) return true;
  return base::failure(base::ErrorCode::wrong_log,
                       "the log has another event there than the one that the reader has had: it "
                       "went back to an earlier state, and was written on; read it from its "
                       "beginning",
                       where);
}

base::Result<bus::LogPage> QueryService::read(const bus::ReadRequest& request, const Query& query) {
  const Position durable = query.durable;
  if (!is_level(request.level)) {
    return base::failure(base::ErrorCode::invalid,
                         "not a level: '" + request.level +
                             "'; accepted are all/, agent/<agent>/ and session/<agent>/<id>/",
                         "level");
  }
  if (request.after.value < 0) {
    return base::failure(base::ErrorCode::invalid,
                         "not a position: " + std::to_string(request.after.value) +
                             "; accepted is 0, for all, or one from 1 on",
                         "after");
  }
  if (auto ok = check_history(request, durable); !ok) return tl::unexpected(ok.error());
  bus::LogPage page;
  page.log = identity_.log;
  page.epoch = identity_.epoch;
  page.head = durable;
  page.complete_through = request.after;
  page.digest = request.digest;
  const auto at_most = [](std::int64_t asked, std::size_t most) {
    return asked > 0 ? std::min(static_cast<std::size_t>(asked), most) : most;
  };
  const PageRequest wanted{request.level, durable, at_most(request.events_max, kPageEventsMax),
                           at_most(request.bytes_max, kPageBytesMax)};
  const bool is_one_stream = !LevelStreams(request.level).only().empty();
  auto filled = fill_log_page(log_, is_one_stream && index_reaches(durable) ? &index_ : nullptr,
                              wanted, page);
  if (!filled) {
    base::Error error = std::move(filled.error());
    if (error.code == base::ErrorCode::not_found) error.text += "; " + query.archived;
    return tl::unexpected(std::move(error));
  }
  if (page.complete_through > request.after) {
    auto digest = digest_at(page);
    if (!digest) return tl::unexpected(digest.error());
    page.digest = *digest;
  }
  return page;
}

// Where it cannot be brought up to the position, the log is read without it.
bool QueryService::index_reaches(Position durable) {
  if (!index_.catch_up(log_, durable)) return false;
  const auto reached = index_.position();
  return reached && *reached >= durable;
}

// Of the event at the page's end, which may be of another level; none: it was archived meanwhile.
base::Result<std::optional<base::Hash>> QueryService::digest_at(const bus::LogPage& page) {
  const Position end = page.complete_through;
  if (!page.events.empty() && page.events.back().position == end) {
    return std::optional(bus::digest_of(page.events.back()));
  }
  const auto events = eventlog::read_events(log_, end, end, {1, false});
  if (!events) return tl::unexpected(events.error());
  if (events->empty()) return std::nullopt;
  return std::optional(base::blake2b(domain::encode_facts(events->front())));
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
    for (const int fd : {queries_.wake_fd(), digests_.wake_fd()}) {
      epoll_event readable{};
      readable.events = EPOLLIN;
      CHECK(epoll_ctl(wake_fd_, EPOLL_CTL_ADD, fd, &readable) == 0);
    }
  }
  ~ThreadQueryPort() override { close(wake_fd_); }
  ThreadQueryPort(const ThreadQueryPort&) = delete;
  ThreadQueryPort& operator=(const ThreadQueryPort&) = delete;

  void submit(Query query) override { queries_.submit(std::move(query)); }

  std::optional<QueryAnswer> poll() override {
    while (auto done = digests_.poll()) {
      if (auto* answer = std::get_if<QueryAnswer>(&*done)) return std::move(*answer);
      queries_.submit(std::move(std::get<Query>(*done)));
    }
    while (auto step = queries_.poll()) {
      if (auto* answer = std::get_if<QueryAnswer>(&*step)) return std::move(*answer);
      digests_.submit(std::move(std::get<DigestsJob>(*step)));
    }
    return std::nullopt;
  }

  int wake_fd() const override { return wake_fd_; }

 private:
  base::JobThread<Query, std::variant<QueryAnswer, DigestsJob>> queries_;
  base::JobThread<DigestsJob, std::variant<QueryAnswer, Query>> digests_;
  const int wake_fd_;  // readable while one of theirs is
};

}  // namespace

std::unique_ptr<QueryPort> make_thread_query_port(QueryService& service) {
  return std::make_unique<ThreadQueryPort>(service);
}

}  // namespace workers
