// Answers what clients ask about the past and the present: sessions, output, metrics, pages of the
// log. It brings the projections and the stream index up to the durable head that came with the
// question before it answers, so that everybody reads their own writes. What cannot be brought up
// to it fails the verbs that read it, and no others.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "projections/projections.hpp"
#include "workers/queries/query.hpp"

namespace workers {

struct QueryAnswer {
  bus::PeerId peer;
  bus::Reply reply;  // id not set: nothing was asked
  // Rows could not be read or written just now, or are not on the disk yet: to be asked again.
  bool is_behind = false;
};

// The rest of `digests`, which reads every row: seconds with a million sessions. It can be done on
// any thread, while the service answers others and the rows are written on.
struct DigestsJob {
  Query query;
  QueryAnswer answer;                            // to which the body is to be added
  std::vector<DigestRow> projections;            // to which the digests are to be added
  std::unique_ptr<eventlog::ReadableRows> rows;  // as they were when the job was made
};

// Reads the rows. A query: damage was met, so it must be asked once more.
std::variant<QueryAnswer, Query> finish(DigestsJob job);

// How rows are built anew in which a call has met damage; each does nothing where none has. Without
// them such rows stay as they are.
struct RowsRebuild {
  std::function<base::Result<bool>(Position durable)> index;
  // `has_failed`: the last call has.
  std::function<base::Result<std::optional<projections::ProjectionSet>>(bool has_failed)> views;
};

// The work itself; pure but for the stores that it reads and writes. Used by one thread.
class QueryService {
 public:
  // All references outlive it. `identity`: of the log, which may still be empty.
  QueryService(const bus::LogIdentity& identity, eventlog::BlockStore& log,
               eventlog::KeyValueStore& views, projections::ProjectionSet projections,
               eventlog::StreamIndex& index, RowsRebuild rebuild = {})
      : identity_(identity),
        log_(log),
        views_(views),
        projections_(std::move(projections)),
        index_(index),
        rebuild_(std::move(rebuild)) {}

  // However long it takes.
  QueryAnswer answer(Query query);
  // The answer, or a job whose end is the answer.
  std::variant<QueryAnswer, DigestsJob> begin(const Query& query);

 private:
  void rebuild_damaged(Position durable);
  void catch_up(Position durable);
  bool is_behind(Position durable) const;
  base::Result<bool> check_sources(const Query& query) const;
  base::Result<DigestsJob> begin_digests(const Query& query) const;
  base::Result<base::RawValue> run(const Query& query);

  const bus::LogIdentity identity_;
  eventlog::BlockStore& log_;
  eventlog::KeyValueStore& views_;
  projections::ProjectionSet projections_;
  eventlog::StreamIndex& index_;
  const RowsRebuild rebuild_;
  // Why rows that were damaged could not be built anew; none: there are no such rows.
  std::optional<base::Error> index_fault_;
  std::optional<base::Error> views_fault_;
  base::Result<bool> indexed_ = true;  // whether the index has come to where it was last to come
};

// Port: hands queries to the service and its answers back, in any order. Used by one thread.
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
  void submit(Query query) override { answers_.push_back(service_.answer(std::move(query))); }
  std::optional<QueryAnswer> poll() override;

 private:
  QueryService& service_;
  std::deque<QueryAnswer> answers_;
};

// Runs the service on a thread of its own, and digests on a second one: no query waits for them.
std::unique_ptr<QueryPort> make_thread_query_port(QueryService& service);

}  // namespace workers
