#include "workers/read_side.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

namespace {

using support::LogBuilder;

// Rows whose writing fails while `is_full`.
class FullRows final : public eventlog::KeyValueStore {
 public:
  base::Result<bool> write(const eventlog::WriteBatch& batch) override {
    if (is_full) return base::failure(base::ErrorCode::io, "No space left on device");
    return rows_->write(batch);
  }
  base::Result<std::optional<base::Bytes>> get(base::ByteView key) override {
    return rows_->get(key);
  }
  base::Result<std::vector<eventlog::KeyValue>> scan(base::ByteView prefix, base::ByteView from,
                                                     std::size_t count_max) override {
    return rows_->scan(prefix, from, count_max);
  }
  base::Result<std::optional<eventlog::KeyValue>> last(base::ByteView prefix) override {
    return rows_->last(prefix);
  }
  base::Result<bool> clear() override { return rows_->clear(); }

  bool is_full = false;

 private:
  std::unique_ptr<eventlog::KeyValueStore> rows_ = eventlog::make_memory_key_value_store();
};

struct Fixture {
  Fixture() {
    const auto tail = *eventlog::read_tail(log.store());
    auto opened = workers::open_read_side(log.store(), tail, index_rows, view_rows);
    REQUIRE(opened);
    side = std::move(*opened);
  }

  bus::Reply ask(std::string_view verb, base::RawValue body = {}) {
    workers::Query query;
    query.request = base::CommandId::make(support::kNoon, log.random());
    query.verb = verb;
    query.body = std::move(body);
    query.durable = log.head();
    return side->service->answer(query).reply;
  }
  bus::Reply read() {
    bus::ReadRequest request;
    request.level = bus::kAllLevel;
    return ask(bus::kReadVerb, bus::to_body(request));
  }
  bus::Reply list() { return ask(workers::kVerbList, bus::to_body(workers::QueryBody{})); }

  LogBuilder log;
  FullRows index_rows;
  FullRows view_rows;
  std::unique_ptr<workers::ReadSide> side;
};

session::Event another_server() {
  return session::ServerStarted{{}, 2, "test"};
}

TEST_CASE("the log is read while nothing that is derived from it can be written", "[workers]") {
  Fixture f;
  f.index_rows.is_full = f.view_rows.is_full = true;
  f.log.append(session::kServerStream, another_server());
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
  f.log.append(session::kServerStream, another_server());
  const auto refused = f.list();
  CHECK(refused.status == bus::ReplyStatus::error);
  CHECK(refused.code == bus::kCodeUnavailable);
  CHECK_THAT(refused.text, Catch::Contains("No space left on device"));
  f.view_rows.is_full = false;
  CHECK(f.list().status == bus::ReplyStatus::ok);
}

TEST_CASE("a query is not answered from a projection that has stopped on the way", "[workers]") {
  Fixture f;
  REQUIRE(f.list().status == bus::ReplyStatus::ok);
  f.log.change_epoch();  // without the event that begins one
  f.log.append(session::kServerStream, another_server());
  for (int i = 0; i < 2; ++i) {
    const auto refused = f.list();
    CHECK(refused.status == bus::ReplyStatus::error);
    CHECK_THAT(refused.text, Catch::Contains("stops"));
  }
}

}  // namespace
