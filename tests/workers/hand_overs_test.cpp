// The threads that read for the server's loop, over a log in memory that no lock protects.
#include "tests/support/history.hpp"
#include "tests/support/wake.hpp"
#include "workers/content_loader.hpp"
#include "workers/erasure_work.hpp"
#include "workers/query_service.hpp"

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
        log.append("agent/main/session/" + base::SessionId{}.text(), session::TurnQueued{}, prompt);
    prompts.emplace_back(at, std::move(prompt));
  }
  const auto loader = make_thread_content_loader(log.store());
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

struct Queries {
  support::History history{7, {120, 6, 8}};
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index{*rows};
  QueryService service{
      {history.log().log(), {1, {}}}, history.log().store(), *rows, projections(*rows), index};

  static projections::ProjectionSet projections(eventlog::KeyValueStore& rows) {
    auto set = projections::ProjectionSet::open(rows);
    REQUIRE(set);
    return std::move(*set);
  }

  Query list(int number) {
    Query query;
    query.request = {base::IdBytes{static_cast<char>(number % 100 + 1)}};
    query.verb = kVerbList;
    query.body = bus::to_body(QueryBody{});
    query.durable = history.log().head();
    return query;
  }
};

TEST_CASE("a query is answered from the log as it was when it was handed over", "[workers]") {
  Queries queries;
  const auto port = make_thread_query_port(queries.service);
  for (int round = 0; round < 40; ++round) {
    // The log grows while no query is under way.
    queries.history.log().append(session::kServerStream, session::ServerStarted{});
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

TEST_CASE("a query thread that is ended while busy ends well", "[workers]") {
  Queries queries;
  for (int life = 0; life < 50; ++life) {
    const auto port = make_thread_query_port(queries.service);
    for (int number = 0; number < 10; ++number) port->submit(queries.list(number));
  }
  CHECK(queries.index.position() == queries.history.log().head());
}

TEST_CASE(
    "an erasure thread does a job and tells of it, and one that is ended while busy ends well",
    "[workers]") {
  Queries queries;
  queries.service.answer(queries.list(1));  // brings the rows up to the log
  const Position head = queries.history.log().head();
  for (int life = 0; life < 50; ++life) {
    const auto port =
        make_thread_erasure_port({queries.history.log().store(), queries.index, *queries.rows, {}});
    port->submit({head, {}, {}, {}});
    if (life % 2 == 0) continue;
    const ErasureOutcome outcome = awaited(*port);
    CHECK_FALSE(outcome.is_behind);
    CHECK_FALSE(outcome.error);
    CHECK(outcome.erased.empty());
    port->submit({head.next(), {}, {}, {}});
    CHECK(awaited(*port).is_behind);
  }
}

}  // namespace
}  // namespace workers
