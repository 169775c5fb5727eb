// A query in flight, and a kind of queries; each kind has a file of its own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "bus/frames.hpp"
#include "bus/log_reader.hpp"
#include "eventlog/domain/server/server.hpp"
#include "eventlog/log/stream_index.hpp"
#include "projections/content/search_index.hpp"
#include "workers/protocol/queries.hpp"
#include "workers/queries/archived_log.hpp"

namespace workers {

// What the log no longer holds, and where it is; as far as it is durable.
struct ArchivedBeginning {
  Position through;                                      // 0: the log holds all
  std::map<std::string, domain::NamedArchive> archives;  // by name

  // Copies what there is in the state; nothing while the log holds all.
  static ArchivedBeginning of(const domain::ServerState& state);
  // Returns it in words; empty: the log holds all.
  std::string text() const;
};

// A question in flight; with an empty verb it only tells that the log has grown.
struct Query {
  bus::PeerId peer;
  bus::RequestKey request;
  std::string verb;
  base::RawValue body;
  Position durable;
  ArchivedBeginning archived{};
  bool is_again = false;           // the first try met damage
  bool has_earlier_names = false;  // its answer does, as earlier_names.hpp says
  // What QueryKind::find has found; none: it was not called.
  std::optional<projections::FoundTexts> found{};
};

// The sources of answers, which must outlive this.
struct QuerySources {
  const bus::LogIdentity& identity;
  eventlog::BlockStore& log;
  ArchivedLog& whole;  // the log, and the archives of its beginning that can be read
  eventlog::KeyValueStore& views;
  eventlog::StreamIndex& index;
};

// The part of the sources that a query reads. Rows and index are brought up to the durable head
// first.
enum class QueryReads {
  log,             // the log alone; answered even if projections and index have failed
  rows,            // rows of projections
  rows_and_index,  // rows and the stream index
};

struct QueryKind {
  std::string_view verb;
  QueryReads reads = QueryReads::rows;
  std::string_view projection;  // whose rows must be at the durable head; empty: none's
  // Returns the answer's body. Used by one thread. Null: the service begins a job for it
  // (DigestsJob).
  base::Result<base::RawValue> (*run)(const QuerySources& sources, const Query& query);
  // Null: it reads no content index. Otherwise this is called before `run` until it returns true,
  // on a thread of its own, and sets Query::found. With `is_late` it must not wait for the index
  // any longer.
  base::Result<bool> (*find)(projections::ContentSet& contents, Query& query,
                             bool is_late) = nullptr;
  std::string_view second_projection{};  // as `projection`
};

// The `run` of a kind whose body is a QueryBody and whose answer has fields.
template <auto kAnswer>
base::Result<base::RawValue> run_query(const QuerySources& sources, const Query& query) {
  const auto body = bus::from_body<QueryBody>(query.body);
  if (!body) return tl::unexpected(body.error());
  const auto answer = kAnswer(sources, *body, query);
  if (!answer) return tl::unexpected(answer.error());
  return bus::to_body(*answer);
}

}  // namespace workers
