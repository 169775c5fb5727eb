// The threads that read for the server's loop, over a log in memory that no lock protects: under
// the preset `tsan` a race would be reported.
#include <future>

#include "tests/support/faulty_rows.hpp"
#include "tests/support/history.hpp"
#include "tests/support/wake.hpp"
#include "workers/queries/query_service.hpp"
#include "workers/reactors/content_loader.hpp"
#include "workers/server/derived_stores.hpp"
#include "workers/upkeep/upkeep_jobs.hpp"

namespace workers {
namespace {

template <class Port>
auto awaited(Port& port) {
  for (;;) {
    if (auto outcome = port.poll()) return std::move(*outcome);
    REQUIRE(support::wakes(port.wake_fd()));
  }
}

TEST_CASE("content comes back in the order in which it was asked for", "[workers]") {
  support::LogBuilder log;
  std::vector<std::pair<Position, std::string>> prompts;
  for (int number = 0; number < 200; ++number) {
    std::string prompt = "prompt " + std::to_string(number);
    const Position at =
        log.append("agent/main/session/" + base::SessionId{}.text(), domain::TurnQueued{}, prompt);
    prompts.emplace_back(at, std::move(prompt));
  }
  const auto rows = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index(*rows);
  const auto loader = make_thread_content_loader(log.store(), index);
  for (int round = 0; round < 20; ++round) {
    for (const auto& [position, prompt] : prompts) loader->request(position);
    for (const auto& [position, prompt] : prompts) {
      const ContentOutcome outcome = awaited(*loader);
      REQUIRE(outcome.position == position);
      REQUIRE((outcome.event && outcome.event->content));
      REQUIRE(outcome.event->content->text == prompt);
    }
  }
  for (const auto& [position, prompt] : prompts) loader->request(position);  // ended while busy
}

// Rows whose snapshots are read only when the test says so.
class WaitingRows final : public support::ForwardingRows {
 public:
  base::Result<std::unique_ptr<eventlog::ReadableRows>> snapshot() override {
    auto rows = ForwardingRows::snapshot();
    if (!rows) return rows;
    return std::make_unique<Snapshot>(std::move(*rows), read_.get_future().share());
  }
  void let_read() { read_.set_value(); }

 private:
  class Snapshot final : public eventlog::ReadableRows {
   public:
    Snapshot(std::unique_ptr<eventlog::ReadableRows> rows, std::shared_future<void> read)
        : rows_(std::move(rows)), read_(std::move(read)) {}
    base::Result<std::vector<eventlog::KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                       std::size_t count_max) override {
      if (read_.wait_for(support::kWakeMax) != std::future_status::ready) {
        return base::failure(base::ErrorCode::io, "nobody let the snapshot be read");
      }
      return rows_->scan(prefix, from, count_max);
    }

   private:
    std::unique_ptr<eventlog::ReadableRows> rows_;
    std::shared_future<void> read_;
  };

  std::promise<void> read_;
};

struct Queries {
  explicit Queries(
      std::unique_ptr<eventlog::KeyValueStore> store = eventlog::make_memory_key_value_store())
      : rows(std::move(store)) {}

  support::History history{7, {120, 6, 8}};
  std::unique_ptr<eventlog::KeyValueStore> rows;
  eventlog::StreamIndex index{*rows};
  QueryService service{
      {history.log().log(), {1, {}}}, history.log().store(), *rows, projections(*rows), index};

  static projections::ProjectionSet projections(eventlog::KeyValueStore& rows) {
    auto set = projections::ProjectionSet::open(rows);
    REQUIRE(set);
    return std::move(*set);
  }

  Query list(int number) { return ask(kVerbList, number); }
  Query ask(std::string_view verb, int number) {
    Query query;
    query.request.id.bytes[0] = static_cast<char>(number % 100 + 1);
    query.verb = verb;
    query.body = bus::to_body(QueryBody{});
    query.durable = history.log().head();
    return query;
  }
};

TEST_CASE("a query is answered from the log as it was when it was handed over", "[workers]") {
  Queries queries;
  const auto port = make_thread_query_port(queries.service);
  for (int round = 0; round < 40; ++round) {
    // The log grows only while no query is in flight.
    queries.history.log().append(domain::kServerStream, domain::ServerStarted{});
    constexpr int kQueries = 10;
    for (int number = 0; number < kQueries; ++number) port->submit(queries.list(number));
    for (int number = 0; number < kQueries; ++number) {
      const QueryAnswer answer = awaited(*port);
      REQUIRE(answer.reply.id == queries.list(number).request.id);
      REQUIRE(answer.reply.status == bus::ReplyStatus::ok);
      const auto listed = bus::from_body<ListAnswer>(answer.reply.body);
      REQUIRE(listed);
      REQUIRE(listed->position == queries.history.log().head());
    }
  }
}

TEST_CASE("a list is answered while the digests of all rows are taken", "[workers]") {
  auto made = std::make_unique<WaitingRows>();
  WaitingRows& waiting = *made;
  Queries queries(std::move(made));
  const auto port = make_thread_query_port(queries.service);
  port->submit(queries.ask(kVerbDigests, 1));
  const Position asked_at = queries.history.log().head();
  port->submit(queries.list(2));
  const QueryAnswer first = awaited(*port);
  REQUIRE(first.reply.id == queries.list(2).request.id);
  CHECK(first.reply.status == bus::ReplyStatus::ok);

  // Rows written meanwhile are not in the digests.
  queries.history.log().append(domain::kServerStream, domain::ServerStarted{});
  port->submit(queries.list(3));
  const QueryAnswer second = awaited(*port);
  REQUIRE(second.reply.id == queries.list(3).request.id);
  const auto listed = bus::from_body<ListAnswer>(second.reply.body);
  REQUIRE(listed);
  CHECK(listed->position == asked_at.next());

  waiting.let_read();
  const QueryAnswer last = awaited(*port);
  REQUIRE(last.reply.id == queries.list(1).request.id);
  const auto digests = bus::from_body<DigestsAnswer>(last.reply.body);
  REQUIRE(digests);
  auto rows = eventlog::make_memory_key_value_store();
  auto set = Queries::projections(*rows);
  REQUIRE(set.catch_up(queries.history.log().store(), asked_at, support::kAllEvents));
  const auto expected = set.digests();
  REQUIRE(expected);
  REQUIRE(digests->projections.size() == expected->size());
  for (std::size_t i = 0; i < expected->size(); ++i) {
    CHECK(digests->projections[i].name == (*expected)[i].name);
    CHECK(digests->projections[i].position == asked_at);
    CHECK(digests->projections[i].digest == (*expected)[i].digest);
    CHECK(digests->projections[i].fault.empty());
  }
}

TEST_CASE("digests that meet damage are taken anew, of rows that were built anew", "[workers]") {
  support::History history{7, {120, 6, 8}};
  support::FaultyRows index_rows;
  support::FaultyRows views;
  const auto tail = eventlog::read_tail(history.log().store());
  REQUIRE(tail);
  const auto side = open_derived_stores(history.log().store(), *tail, index_rows, views);
  REQUIRE(side);
  const auto port = make_thread_query_port(*(*side)->service);
  Query query;
  query.request.id.bytes[0] = 1;
  query.verb = kVerbDigests;
  query.body = bus::to_body(QueryBody{});
  query.durable = tail->position;
  port->submit(query);
  const QueryAnswer before = awaited(*port);
  REQUIRE(before.reply.status == bus::ReplyStatus::ok);
  views.is_broken = true;
  port->submit(query);
  const QueryAnswer after = awaited(*port);
  CHECK(after.reply.status == bus::ReplyStatus::ok);
  CHECK(after.reply.body == before.reply.body);
}

TEST_CASE("a query thread that is ended while busy ends well", "[workers]") {
  for (int life = 0; life < 15; ++life) {
    Queries queries;  // a service belongs to one thread
    {
      const auto port = make_thread_query_port(queries.service);
      for (int number = 0; number < 10; ++number) {
        port->submit(queries.ask(number % 2 == 0 ? kVerbList : kVerbDigests, number));
        // Continues with digests, as far as they have come.
        static_cast<void>(port->poll());
      }
    }
    CHECK(queries.index.position() == queries.history.log().head());
  }
}

TEST_CASE(
    "an erasure thread does a job and tells of it, and one that is ended while busy ends well",
    "[workers]") {
  Queries queries;
  queries.service.answer(queries.list(1));  // brings the rows up to the log
  const Position head = queries.history.log().head();
  for (int life = 0; life < 50; ++life) {
    const auto port =
        make_thread_upkeep_port({queries.history.log().store(), queries.index, *queries.rows, {}});
    port->submit({head, {}, {}, {}});
    if (life % 2 == 0) continue;
    const UpkeepOutcome outcome = awaited(*port);
    CHECK_FALSE(outcome.is_behind);
    CHECK_FALSE(outcome.error);
    CHECK(outcome.erased.empty());
    port->submit({head.next(), {}, {}, {}});
    CHECK(awaited(*port).is_behind);
  }
}

}  // namespace
}  // namespace workers
