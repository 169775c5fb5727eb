// A page comes with the digest of its end, which proves with the next request that the reader is
// still in the same history.
#include "workers/queries/read_log.hpp"

#include <algorithm>

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/log/log_reader.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/queries/log_page.hpp"

namespace workers {
namespace {

constexpr std::size_t kPageBytesMax = 4 << 20;  // of facts and content
constexpr std::size_t kPageEventsMax = 10'000;

// Checks that the log's event at `after` is the one that the reader has seen there.
base::Result<void> check_history(const QuerySources& sources, const bus::ReadRequest& request,
                                 Position durable) {
  const Position after = request.after;
  if (!request.digest || after.value == 0) return {};
  // An archived event cannot be compared; later ones are compared with the next page.
  if (after < sources.log.first()) return {};
  const std::string where = "position " + std::to_string(after.value);
  if (after > durable) {
    return base::failure(base::ErrorCode::wrong_log,
                         "the log ends at position " + std::to_string(durable.value) +
                             ", and the reader has seen more of it: events are missing",
                         where);
  }
  const auto events = eventlog::read_events(sources.log, after, after, {1, false});
  if (!events) return tl::unexpected(events.error());
  if (events->empty()) return {};  // archived meanwhile
  if (base::blake2b(domain::encode_facts(events->front())) == *request.digest) return {};
  return base::failure(base::ErrorCode::wrong_log,
                       "the log has another event there than the reader has seen: it went back to "
                       "an earlier state and was then written to; read it from its beginning",
                       where);
}

// Returns false if the index cannot be brought up to the position; the log is then read without it.
bool index_reaches(const QuerySources& sources, Position durable) {
  if (!sources.index.catch_up(sources.log, durable)) return false;
  const auto reached = sources.index.position();
  return reached && *reached >= durable;
}

// Returns the digest of the event at the page's end, which can be of another level; none: it was
// archived meanwhile.
base::Result<std::optional<base::Hash>> digest_at(const QuerySources& sources,
                                                  const bus::LogPage& page) {
  const Position end = page.complete_through;
  if (!page.events.empty() && page.events.back().position == end) {
    return std::optional(bus::digest_of(page.events.back()));
  }
  const auto events = eventlog::read_events(sources.log, end, end, {1, false});
  if (!events) return tl::unexpected(events.error());
  if (events->empty()) return std::nullopt;
  return std::optional(base::blake2b(domain::encode_facts(events->front())));
}

base::Result<bus::LogPage> read(const QuerySources& sources, const bus::ReadRequest& request,
                                const Query& query) {
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
  if (auto ok = check_history(sources, request, durable); !ok) return tl::unexpected(ok.error());
  bus::LogPage page;
  page.log = sources.identity.log;
  page.epoch = sources.identity.epoch;
  page.head = durable;
  page.complete_through = request.after;
  page.digest = request.digest;
  const auto at_most = [](std::int64_t asked, std::size_t most) {
    return asked > 0 ? std::min(static_cast<std::size_t>(asked), most) : most;
  };
  const PageRequest wanted{request.level, durable, at_most(request.events_max, kPageEventsMax),
                           at_most(request.bytes_max, kPageBytesMax), request.is_facts_only};
  const bool is_one_stream = !LevelStreams(request.level).only().empty();
  auto filled = fill_log_page(
      sources.log, is_one_stream && index_reaches(sources, durable) ? &sources.index : nullptr,
      wanted, page);
  if (!filled) {
    base::Error error = std::move(filled.error());
    if (error.code == base::ErrorCode::not_found) error.text += "; " + query.archived.text();
    return tl::unexpected(std::move(error));
  }
  if (page.complete_through > request.after) {
    auto digest = digest_at(sources, page);
    if (!digest) return tl::unexpected(digest.error());
    page.digest = *digest;
  }
  return page;
}

base::Result<base::RawValue> run(const QuerySources& sources, const Query& query) {
  const auto request = bus::from_body<bus::ReadRequest>(query.body);
  if (!request) return tl::unexpected(request.error());
  const auto page = read(sources, *request, query);
  if (!page) return tl::unexpected(page.error());
  return bus::to_body(*page);
}

}  // namespace

const QueryKind kReadLogQuery{bus::kReadVerb, QueryReads::log, {}, run};

}  // namespace workers
