// Answers clients' questions about the past and the present: sessions, output, metrics, pages of
// the log. Before it answers, it brings the projections and the stream index up to the durable head
// that came with the question, so that clients read their own writes. A source that fails to get
// there fails the verbs that read it, and no others.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "eventlog/base/one_thread.hpp"
#include "projections/content/content_set.hpp"
#include "projections/projections.hpp"
#include "workers/queries/query.hpp"

namespace workers {

struct QueryAnswer {
  bus::PeerId peer;
  bus::Reply reply;  // without an id: nothing was asked
  // Rows could not be read or written just now, or are not on the disk yet: ask again later.
  bool is_behind = false;
};

// The rest of `digests`, which reads every row: seconds with a million sessions. Any thread can do
// it, while the service answers other queries and writes rows.
struct DigestsJob {
  Query query;
  QueryAnswer answer;                            // the body must be added to it
  std::vector<DigestRow> projections;            // the digests must be added to them
  std::unique_ptr<eventlog::ReadableRows> rows;  // as of the making of the job
};

// Reads the rows and returns the answer. Returns the query if it met damage: submit it once more.
std::variant<QueryAnswer, Query> finish(DigestsJob job);

// Builds anew the rows in which a call has met damage; each function does nothing if there are
// none. Without these functions such rows stay as they are.
struct RowsRebuild {
  std::function<base::Result<void>(Position durable)> index;
  // the last call failed
  std::function<base::Result<std::optional<projections::ProjectionSet>>(bool has_failed)> views;
};

// The first part of a query that reads a content index. It can wait for an index that is behind, or
// that is being scrubbed. Any thread can do it, while the service answers other queries.
struct ContentJob {
  Query query;
  projections::ContentSet* contents = nullptr;  // null: there are no content indexes
  // From then on it waits for its index no longer, and the answer says how far that has come.
  std::chrono::steady_clock::time_point until;
};
constexpr std::chrono::seconds kContentWaitMax{5};

// Does one step, so that jobs take turns. Returns the answer if it failed, the query once its texts
// are found, to be submitted once more, or the job if there is more to do.
std::variant<QueryAnswer, Query, ContentJob> step(ContentJob job);

struct QueryServiceOptions {
  RowsRebuild rebuild;
  OpenArchive open_archive;  // none: archives are not read
  // Where archives that were moved can be: the folders of archives, or those around them.
  std::vector<std::string> archive_folders{};
  projections::ContentSet* contents = nullptr;  // null: there are no content indexes
};

// The work itself; pure but for the stores that it reads and writes. Used by one thread.
class QueryService {
 public:
  // All references must outlive the service. `identity` is the log's, which can still be empty.
  QueryService(const bus::LogIdentity& identity, eventlog::BlockStore& log,
               eventlog::KeyValueStore& views, projections::ProjectionSet projections,
               eventlog::StreamIndex& index, QueryServiceOptions options = {})
      : identity_(identity),
        log_(log),
        views_(views),
        projections_(std::move(projections)),
        index_(index),
        options_(std::move(options)) {}

  // Answers, however long it takes.
  QueryAnswer answer(Query query);
  // Returns the answer, or a job that ends with the answer.
  std::variant<QueryAnswer, DigestsJob, ContentJob> begin(const Query& query);

  // The content indexes that are fed beside the queries, by any thread; null: there are none.
  projections::ContentSet* contents() const { return options_.contents; }

 private:
  void rebuild_damaged(Position durable);
  void catch_up(Position durable);
  bool is_behind(Position durable) const;
  base::Result<void> check_sources(const Query& query) const;
  base::Result<DigestsJob> begin_digests(const Query& query) const;
  base::Result<ContentJob> begin_content(const Query& query) const;
  base::Result<base::RawValue> run(const Query& query);

  const bus::LogIdentity identity_;
  eventlog::BlockStore& log_;
  eventlog::KeyValueStore& views_;
  projections::ProjectionSet projections_;
  eventlog::StreamIndex& index_;
  const QueryServiceOptions options_;
  // Why damaged rows could not be built anew; none: there are none.
  std::optional<base::Error> index_fault_;
  std::optional<base::Error> views_fault_;
  base::Result<void> indexed_;  // whether the last catch-up of the index succeeded
  base::OneThread thread_;
};

// Port: hands queries to the service and its answers back, in any order. Each query tells how far
// the content indexes can be fed. Used by one thread.
class QueryPort {
 public:
  virtual ~QueryPort() = default;
  virtual void submit(Query query) = 0;
  virtual std::optional<QueryAnswer> poll() = 0;
  virtual int wake_fd() const { return -1; }
};

class InlineQueryPort final : public QueryPort {
 public:
  explicit InlineQueryPort(QueryService& service) : service_(service) {}
  void submit(Query query) override;
  std::optional<QueryAnswer> poll() override;

 private:
  QueryService& service_;
  std::deque<QueryAnswer> answers_;
};

// Runs the service on a thread of its own. Digests, queries of content indexes, and the feeding of
// these have one each, so that no other query waits for them.
std::unique_ptr<QueryPort> make_thread_query_port(QueryService& service);

}  // namespace workers
