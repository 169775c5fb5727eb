// The matches are chosen first, and then only those that are shown are read.
#include "projections/content/search_finder.hpp"

#include <limits>
#include <utility>

#include "eventlog/domain/session/session.hpp"
#include "projections/content/search_expression.hpp"
#include "projections/content/search_message.hpp"

namespace projections {
namespace {

using base::ErrorCode;

constexpr const char* kSince =
    "SELECT position FROM message WHERE time >= ?1 ORDER BY time, position LIMIT 1";
// 16: the words of a snippet.
constexpr const char* kText =
    "SELECT snippet(words, 0, char(1), char(2), '…', 16), w.text, m.version, m.time, m.speaker,"
    " m.tool, m.checksum, s.name FROM words w CROSS JOIN message m ON m.position = w.rowid"
    " CROSS JOIN stream s ON s.id = m.stream WHERE words MATCH ?1 AND w.rowid = ?2";
static_assert(kMarkBegin == 1 && kMarkEnd == 2);

tl::unexpected<base::Error> damaged(const char* what) {
  return base::failure(ErrorCode::rows_damaged, what);
}

Result<void> check_request(const SearchRequest& request) {
  if (request.limit < 1 || request.limit > kSearchHitsMax) {
    return base::failure(ErrorCode::invalid, "a search finds 1 to " +
                                                 std::to_string(kSearchHitsMax) +
                                                 " texts at once; ask for so many");
  }
  if (request.sessions.size() > kSearchSessionsMax) {
    return base::failure(ErrorCode::invalid,
                         "a search looks into at most " + std::to_string(kSearchSessionsMax) +
                             " sessions that are named; name fewer, or none for all");
  }
  return {};
}

// Returns the statement that chooses positions: ?1 is the expression, ?2 and ?3 the first and last
// position, ?4 the agent, and the sessions begin with ?5. FTS5 gives its matches by position, the
// last first, and the rest is looked up for each, so that the statement ends with the limit.
std::string statement_of(const SearchRequest& request) {
  const bool is_newest_first = request.is_newest_first;
  std::string sql = std::string("SELECT w.rowid AS position, ") +
                    (is_newest_first ? "0" : "w.rank") +
                    " AS score FROM words w"
                    " CROSS JOIN message m ON m.position = w.rowid"
                    " CROSS JOIN stream s ON s.id = m.stream"
                    " WHERE words MATCH ?1 AND w.rowid BETWEEN ?2 AND ?3";
  if (!request.speakers.empty()) {
    std::vector<std::string> numbers;
    for (const Speaker one : request.speakers) {
      numbers.push_back(std::to_string(static_cast<int>(one)));
    }
    sql += " AND m.speaker IN " + joined(numbers, ", ");
  }
  if (!request.agent.empty()) sql += " AND s.agent = ?4";
  if (!request.sessions.empty()) {
    std::vector<std::string> places;
    for (std::size_t i = 0; i < request.sessions.size(); ++i) {
      places.push_back("?" + std::to_string(5 + i));
    }
    sql += " AND s.session IN " + joined(places, ", ");
  }
  const std::int64_t wanted = static_cast<std::int64_t>(request.limit) + 1;
  const std::int64_t taken = is_newest_first ? wanted : kSearchRankedMax + 1;
  sql += " ORDER BY w.rowid DESC LIMIT " + std::to_string(taken);
  if (!is_newest_first) {
    sql = "SELECT position, count(*) OVER () FROM (" + sql +
          ") ORDER BY score, position DESC LIMIT " + std::to_string(wanted);
  }
  return sql;
}

}  // namespace

Result<SearchFinder> SearchFinder::open(SqliteDatabase& database) {
  SearchFinder finder(database);
  auto since = database.prepare(kSince);
  if (!since) return tl::unexpected(since.error());
  finder.since_ = std::move(*since);
  auto text = database.prepare(kText);
  if (!text) return tl::unexpected(text.error());
  finder.text_ = std::move(*text);
  return finder;
}

Result<FoundTexts> SearchFinder::find(const SearchRequest& request, Position indexed) {
  if (auto ok = check_request(request); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_words(request.groups); !ok) return tl::unexpected(ok.error());
  FoundTexts found;
  found.indexed = indexed;
  const std::string expression = expression_of(request.groups);
  auto positions = matches(request, expression, found);
  if (!positions) return tl::unexpected(positions.error());
  if (positions->size() > request.limit) {
    positions->resize(request.limit);
    found.has_more = true;
  }
  for (const Position position : *positions) {
    auto text = read_text(expression, position);
    if (!text) return tl::unexpected(text.error());
    found.texts.push_back(std::move(*text));
  }
  return found;
}

Result<void> SearchFinder::check_words(const std::vector<SearchGroup>& groups) {
  for (const SearchGroup& group : groups) {
    for (const SearchTerm& term : group) {
      const auto words = database_->count_words(term.text);
      if (!words) return tl::unexpected(words.error());
      if (*words > 0) continue;
      return base::failure(ErrorCode::invalid,
                           "'" + term.text +
                               "' has no letter or digit, and only these are searched; leave it "
                               "out, or add letters that stand beside it");
    }
  }
  return {};
}

// Returns the positions of the matches in their order, one more than asked for if there are more.
Result<std::vector<Position>> SearchFinder::matches(const SearchRequest& request,
                                                    const std::string& expression,
                                                    FoundTexts& found) {
  std::int64_t first = 1;
  if (request.since.us > 0) {
    const auto has_row = since_.bind(1, request.since.us).step();
    if (!has_row) return tl::unexpected(has_row.error());
    if (!*has_row) return std::vector<Position>();
    first = since_.integer(0);
    since_.reset();
  }
  auto chosen = database_->prepare(statement_of(request));
  if (!chosen) return tl::unexpected(chosen.error());
  chosen->bind(1, std::string_view(expression))
      .bind(2, first)
      .bind(3, request.before.value > 0 ? request.before.value - 1
                                        : std::numeric_limits<std::int64_t>::max());
  if (!request.agent.empty()) chosen->bind(4, std::string_view(request.agent));
  for (std::size_t i = 0; i < request.sessions.size(); ++i) {
    chosen->bind_bytes(static_cast<int>(5 + i), request.sessions[i].view());
  }
  std::vector<Position> positions;
  for (;;) {
    const auto has_row = chosen->step();
    if (!has_row) return tl::unexpected(has_row.error());
    if (!*has_row) return positions;
    positions.push_back({chosen->integer(0)});
    found.is_ranked_in_part = chosen->integer(1) > kSearchRankedMax;
  }
}

Result<FoundText> SearchFinder::read_text(const std::string& expression, Position position) {
  const auto has_row = text_.bind(1, std::string_view(expression)).bind(2, position.value).step();
  if (!has_row) return tl::unexpected(has_row.error());
  if (!*has_row) return damaged("a text that was found is not there");
  SearchMessage message{position,         std::string(text_.text(7)), text_.integer(2),
                        text_.integer(3), text_.integer(4),           std::string(text_.text(5)),
                        text_.text(1)};
  const auto stream = domain::match_stream(domain::SessionStream::kPattern, message.stream);
  const bool is_whole = stream && text_.integer(6) == message.checksum();
  FoundText found;
  if (is_whole) {
    found = {position,
             {message.time},
             stream->agent,
             stream->id,
             static_cast<Speaker>(message.speaker),
             std::move(message.tool),
             make_snippet(text_.text(0))};
  }
  text_.reset();
  if (!is_whole) return damaged("a text is not as it was said");
  return found;
}

}  // namespace projections
