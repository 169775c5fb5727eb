// The stores derived from the log: damage and failed writes stop only what needs them, damaged rows
// are rebuilt, and rows that know more than the log refuse it.
#include "workers/server/derived_stores.hpp"

#include "eventlog/log/stream_loader.hpp"
#include "tests/support/under_way.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/faulty_rows.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/session_samples.hpp"

namespace {

using support::FaultyRows;
using support::LogBuilder;

struct Fixture {
  Fixture() { open(); }

  // Opens the stores as the next server does.
  void open() {
    const auto tail = *eventlog::read_tail(log.store());
    auto opened = try_open(log.store(), tail);
    if (!opened) FAIL(base::describe(opened.error()));
    side = std::move(*opened);
  }
  base::Result<std::unique_ptr<workers::DerivedStores>> try_open(eventlog::BlockStore& store,
                                                                 const eventlog::LogTail& tail) {
    rebuilt.clear();
    workers::DerivedStoresOptions options;
    options.on_rebuilt = [this](std::string_view rows, const base::Error& why) {
      rebuilt.push_back(std::string(rows) + ": " + why.text);
    };
    return workers::open_derived_stores(store, tail, index_rows, view_rows, options);
  }

  bus::Reply ask(std::string_view verb, base::RawValue body = {}) {
    return answer(verb, std::move(body)).reply;
  }
  workers::QueryAnswer answer(std::string_view verb, base::RawValue body = {}) {
    workers::Query query;
    query.request.id = base::CommandId::make(support::kNoon, log.random());
    query.verb = verb;
    query.body = std::move(body);
    query.durable = log.head();
    return side->service->answer(query);
  }
  bus::Reply read() {
    bus::ReadRequest request;
    request.level = bus::kAllLevel;
    return ask(bus::kReadVerb, bus::to_body(request));
  }
  // Returns the faults in the answer to `digests`, by projection.
  std::map<std::string, std::string> faults() {
    const auto answer = bus::from_body<workers::DigestsAnswer>(
        ask(workers::kVerbDigests, bus::to_body(workers::QueryBody{})).body);
    REQUIRE(answer);
    std::map<std::string, std::string> faults;
    for (const auto& row : answer->projections) faults[row.name] = row.fault;
    return faults;
  }
  bus::Reply stats() { return ask(workers::kVerbStats, bus::to_body(workers::QueryBody{})); }
  bus::Reply output() {
    workers::QueryBody body;
    body.agent = "main";
    body.reference = "fix-bug";
    return ask(workers::kVerbOutput, bus::to_body(body));
  }
  bus::Reply list() { return ask(workers::kVerbList, bus::to_body(workers::QueryBody{})); }

  LogBuilder log;
  FaultyRows index_rows;
  FaultyRows view_rows;
  std::vector<std::string> rebuilt;
  std::unique_ptr<workers::DerivedStores> side;
};

domain::Event another_server() {
  return domain::ServerStarted{{}, 2, "test"};
}

TEST_CASE("the log is read while nothing that is derived from it can be written", "[workers]") {
  Fixture f;
  f.index_rows.is_full = f.view_rows.is_full = true;
  f.log.append(domain::kServerStream, another_server());
  const auto reply = f.read();
  REQUIRE(reply.status == bus::ReplyStatus::ok);
  const auto page = bus::from_body<bus::LogPage>(reply.body);
  REQUIRE(page);
  CHECK(page->complete_through == f.log.head());
  CHECK(page->events.size() == 2);
}

TEST_CASE("a query that needs rows which cannot be written may be asked again later", "[workers]") {
  Fixture f;
  f.view_rows.is_full = true;
  f.log.append(domain::kServerStream, another_server());
  const auto refused = f.list();
  CHECK(refused.status == bus::ReplyStatus::error);
  CHECK(bus::is_error(refused, bus::ReplyError::unavailable));
  CHECK_THAT(refused.text, Catch::Contains("No space left on device"));
  f.view_rows.is_full = false;
  CHECK(f.list().status == bus::ReplyStatus::ok);
}

TEST_CASE("who tells the rows of new events hears that they must be told again", "[workers]") {
  Fixture f;
  const bool is_index = GENERATE(true, false);
  FaultyRows& rows = is_index ? f.index_rows : f.view_rows;
  rows.is_full = true;
  f.log.append(domain::kServerStream, another_server());
  CHECK(f.answer({}).is_behind);
  CHECK(f.answer({}).is_behind);
  rows.is_full = false;
  CHECK_FALSE(f.answer({}).is_behind);
}

TEST_CASE("a query is not answered from a projection that has stopped on the way", "[workers]") {
  Fixture f;
  REQUIRE(f.list().status == bus::ReplyStatus::ok);
  f.log.change_epoch();  // without its EpochStarted
  f.log.append(domain::kServerStream, another_server());
  for (int i = 0; i < 2; ++i) {
    CHECK_FALSE(f.answer({}).is_behind);
    const auto refused = f.list();
    CHECK(refused.status == bus::ReplyStatus::error);
    CHECK_THAT(refused.text, Catch::Contains("stops"));
  }
}

TEST_CASE("a projection that has stopped fails what reads it, and nothing else", "[workers]") {
  Fixture f;
  const std::string stream = domain::session_stream("main", support::kSession);
  f.log.append(stream, support::opened());
  REQUIRE(f.stats().status == bus::ReplyStatus::ok);
  eventlog::WriteBatch damage;
  const auto rows = *f.view_rows.scan("metrics/", {}, 100);
  for (const auto& row : rows) damage.put(row.key, "\xC1");
  REQUIRE(f.view_rows.write(damage));
  f.log.append(stream, domain::SessionClosed{});
  for (int i = 0; i < 2; ++i) {
    const auto refused = f.stats();
    CHECK(refused.status == bus::ReplyStatus::error);
    CHECK_THAT(refused.text, Catch::Contains("projection metrics stops"));
    const auto listed = f.list();
    REQUIRE(listed.status == bus::ReplyStatus::ok);
    CHECK(bus::from_body<workers::ListAnswer>(listed.body)->position == f.log.head());
    CHECK(f.output().status == bus::ReplyStatus::ok);
  }
  auto faults = f.faults();
  CHECK(faults.size() == 5);
  CHECK_THAT(faults["metrics"], Catch::Contains("stops"));
  CHECK(faults["session_list"] == "");
  CHECK(faults["resume_index"] == "");
}

TEST_CASE("rows that cannot be read just now keep nobody else's back, and come up later",
          "[workers][C28]") {
  Fixture f;
  f.view_rows.unreadable = "session_list/";
  for (int i = 0; i < 20; ++i) f.log.append(domain::kServerStream, another_server());
  f.log.append(domain::session_stream("main", support::kSession), support::opened());
  CHECK(bus::is_error(f.list(), bus::ReplyError::unavailable));
  CHECK(f.stats().status == bus::ReplyStatus::ok);
  CHECK_THAT(f.faults()["session_list"], Catch::Contains("Input/output error"));
  f.view_rows.unreadable.clear();
  CHECK(f.list().status == bus::ReplyStatus::ok);
  CHECK(f.faults()["session_list"] == "");
}

TEST_CASE("a new server takes over what was on the record at its start, not before",
          "[workers][C05]") {
  Fixture f;
  CHECK(support::sessions_of(f.side->takeover).empty());
  const std::string stream = domain::session_stream("main", support::kSession);
  f.log.append(stream, support::opened());
  f.open();
  REQUIRE(support::sessions_of(f.side->takeover).size() == 1);
  CHECK(support::sessions_of(f.side->takeover)[0].session == support::kSession);
  CHECK(f.side->takeover.shared.at("$server").last == base::Position{1});
  f.log.append(domain::kServerStream, another_server());
  f.log.append(stream, domain::SessionClosed{domain::SessionStatus::killed, {}});
  f.open();
  CHECK(support::sessions_of(f.side->takeover).empty());
  CHECK(f.side->takeover.shared.at("$server").last == base::Position{3});
}

TEST_CASE("what a server takes over is built anew where its rows are damaged", "[workers][C28]") {
  Fixture f;
  f.log.append(domain::session_stream("main", support::kSession), support::opened());
  f.open();
  const auto rows = *f.view_rows.scan("takeover/", {}, 100);
  REQUIRE(rows.size() == 2);
  for (const auto& row : rows) {
    eventlog::WriteBatch damage;
    damage.put(row.key, "\xC1");
    REQUIRE(f.view_rows.write(damage));
    f.open();
    CHECK(support::sessions_of(f.side->takeover).size() == 1);
    // The fold finds the damage before any reader of the rows does.
    REQUIRE(f.view_rows.write(damage));
    f.log.append(domain::session_stream("main", support::kSession), domain::AgentExited{});
    f.open();
    CHECK(support::sessions_of(f.side->takeover).size() == 1);
    CHECK(f.side->takeover.shared.at("$server").version == base::StreamVersion{1});
  }
}

TEST_CASE("an index that cannot be written fails output, and nothing else", "[workers]") {
  Fixture f;
  const std::string stream = domain::session_stream("main", support::kSession);
  f.index_rows.is_full = true;
  f.log.append(stream, support::opened());
  CHECK(bus::is_error(f.output(), bus::ReplyError::unavailable));
  CHECK(f.list().status == bus::ReplyStatus::ok);
  CHECK(f.stats().status == bus::ReplyStatus::ok);
  f.index_rows.is_full = false;
  CHECK(f.output().status == bus::ReplyStatus::ok);
}

TEST_CASE("rows in which damage is met are built anew, and answers are as before",
          "[workers][C02]") {
  Fixture f;
  const std::string stream = domain::session_stream("main", support::kSession);
  f.log.append(stream, support::opened());
  f.log.append(stream, domain::TurnQueued{}, "fix the bug");
  const auto bodies = [&] { return std::vector{f.list().body, f.stats().body, f.output().body}; };
  const auto load = [&] {
    return eventlog::load_stream(f.log.store(), f.side->index, f.side->snapshots, stream);
  };
  const auto before = bodies();
  SECTION("at the start") {
    f.index_rows.is_broken = f.view_rows.is_broken = true;
    f.open();
    CHECK(f.rebuilt.size() == 2);
    CHECK(bodies() == before);
  }
  SECTION("by a query") {
    f.index_rows.is_broken = f.view_rows.is_broken = true;
    CHECK(bodies() == before);
    CHECK(f.rebuilt.size() == 2);
  }
  SECTION("by who loads a stream, for whom the next query has them built") {
    f.index_rows.is_broken = true;
    REQUIRE_FALSE(load());
    CHECK(f.stats().status == bus::ReplyStatus::ok);
    CHECK(f.rebuilt.size() == 1);
  }
  SECTION("while nothing can be written: nothing is answered wrongly, and later all is") {
    f.index_rows.is_broken = f.view_rows.is_broken = true;
    f.index_rows.is_full = f.view_rows.is_full = true;
    CHECK(bus::is_error(f.list(), bus::ReplyError::unavailable));
    CHECK(bus::is_error(f.output(), bus::ReplyError::unavailable));
    CHECK(f.read().status == bus::ReplyStatus::ok);
    f.index_rows.is_full = f.view_rows.is_full = false;
    CHECK(bodies() == before);
  }
  CHECK(load()->version == base::StreamVersion{2});
}

TEST_CASE("rows of another history are built anew", "[workers]") {
  Fixture f;
  f.log.append(domain::session_stream("main", support::kSession), support::opened());
  REQUIRE(f.list().status == bus::ReplyStatus::ok);
  LogBuilder other(2);
  other.append(domain::kServerStream, another_server());
  const auto side = f.try_open(other.store(), *eventlog::read_tail(other.store()));
  REQUIRE(side);
  CHECK(f.rebuilt.size() == 2);
  CHECK(support::sessions_of((*side)->takeover).empty());
}

TEST_CASE("a log that its rows have seen more of is not taken over", "[workers][C01]") {
  Fixture f;
  auto& seen = GENERATE(true, false) ? f.index_rows : f.view_rows;
  LogBuilder older;
  older.append(domain::kServerStream, another_server());
  for (int i = 0; i < 3; ++i) f.log.append(domain::kServerStream, another_server());
  REQUIRE(f.stats().status == bus::ReplyStatus::ok);
  // Only one of the two stores is left to detect it.
  REQUIRE((&seen == &f.index_rows ? f.view_rows : f.index_rows).clear());
  const auto refused = f.try_open(older.store(), *eventlog::read_tail(older.store()));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::ErrorCode::damaged);
  CHECK_THAT(refused.error().text, Catch::Contains("events 3 to 4 are missing"));
  CHECK(f.rebuilt.empty());
  CHECK_FALSE(seen.scan("", "", 1)->empty());
}

}  // namespace
