// A search waits for its index, says how far that has come if it is late, and names the sessions.
#include "workers/queries/search.hpp"

#include <poll.h>

#include "eventlog/domain/admission/name_mark.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/session_samples.hpp"
#include "tests/support/temp_folder.hpp"
#include "workers/queries/query_service.hpp"

namespace workers {
namespace {

// A log of two sessions with an index over it, which is fed a block at a time.
struct SearchedLog {
  explicit SearchedLog(bool has_index = true) {
    projections::ContentOptions content;
    content.step_bytes = 1;
    auto set = projections::ContentSet::open(temp.file("content"), log.store(), content,
                                             {&projections::kSearchIndex});
    REQUIRE(set);
    contents = std::move(*set);
    QueryServiceOptions options;
    if (has_index) options.contents = contents.get();
    service.emplace(bus::LogIdentity{log.log(), {}}, log.store(), *views,
                    std::move(*projections::ProjectionSet::open(*views)), index,
                    std::move(options));
    domain::SessionOpened named = support::opened();
    named.session = named.lineage = session;
    log.append(stream, named);
    domain::SessionOpened unnamed = support::opened();
    unnamed.session = unnamed.lineage = support::numbered<base::SessionId>(2);
    unnamed.name.clear();
    unnamed.alias = "aaaabbbb";
    log.add(other, unnamed);
    log.append(other, domain::SessionNamed{domain::name_mark("buy-bread")}, "buy-bread");
  }

  Query query(const QueryBody& body) {
    return {{}, {support::kCommand}, std::string(kVerbSearch), bus::to_body(body), log.head()};
  }
  bus::Reply reply(const QueryBody& body) { return service->answer(query(body)).reply; }
  SearchAnswer ask(const QueryBody& body) { return answer_of(reply(body)); }
  static SearchAnswer answer_of(const bus::Reply& reply) {
    INFO(reply.text);
    REQUIRE(reply.status == bus::ReplyStatus::ok);
    auto answer = bus::from_body<SearchAnswer>(reply.body);
    REQUIRE(answer);
    return *answer;
  }

  support::TempFolder temp;
  support::LogBuilder log;
  const base::SessionId session = support::numbered<base::SessionId>(1);
  const std::string stream = domain::session_stream("main", session);
  const std::string other = domain::session_stream("main", support::numbered<base::SessionId>(2));
  std::unique_ptr<eventlog::KeyValueStore> views = eventlog::make_memory_key_value_store();
  std::unique_ptr<eventlog::KeyValueStore> index_rows = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index{*index_rows};
  std::unique_ptr<projections::ContentSet> contents;
  std::optional<QueryService> service;
};

QueryBody words(const std::string& text) {
  QueryBody body;
  body.words = text;
  return body;
}

TEST_CASE("a search finds what was said up to the durable head, and names the sessions",
          "[workers]") {
  SearchedLog w;
  const Position prompt =
      w.log.append(w.stream, domain::TurnQueued{support::turn(1)}, "remember the milk");
  const Position later =
      w.log.append(w.other, domain::TurnQueued{support::turn(1)}, "the milk is gone, is it?");
  SearchAnswer answer = w.ask(words("milk"));
  CHECK(answer.position == w.log.head());
  CHECK(answer.indexed == w.log.head());
  REQUIRE(answer.hits.size() == 2);
  const SearchHit& first = answer.hits[0];
  CHECK(first.position == prompt);
  CHECK(first.session == w.session);
  CHECK(first.agent == "main");
  CHECK(first.alias == support::opened().alias);
  CHECK(first.name == "fix-bug");
  CHECK(first.role == SaidBy::user);
  CHECK(first.snippet == "remember the milk");
  CHECK(first.marks == std::vector<std::int64_t>{13, 17});
  CHECK(answer.hits[1].position == later);
  CHECK(answer.hits[1].alias == "aaaabbbb");
  CHECK(answer.hits[1].name == "buy-bread");
  QueryBody body = words("milk");
  body.order = SearchOrder::newest;
  body.limit = 1;
  answer = w.ask(body);
  REQUIRE(answer.hits.size() == 1);
  CHECK(answer.hits[0].position == later);
  CHECK(answer.has_more);
  body.before = later;
  answer = w.ask(body);
  REQUIRE(answer.hits.size() == 1);
  CHECK(answer.hits[0].position == prompt);
  CHECK_FALSE(answer.has_more);
  body = words("milk");
  body.roles = {SaidBy::assistant};
  CHECK(w.ask(body).hits.empty());
  body = words("milk");
  body.agent = "other";
  CHECK(w.ask(body).hits.empty());
}

TEST_CASE("a search that cannot wait says how far its index has come", "[workers]") {
  SearchedLog w;
  for (int i = 1; i <= 20; ++i) {
    w.log.append(w.stream, domain::TurnQueued{support::turn(i)}, "milk");
  }
  QueryBody body = words("milk");
  body.wait = base::Duration{0};
  const SearchAnswer behind = w.ask(body);
  CHECK(behind.position == w.log.head());
  CHECK(behind.indexed < w.log.head());
  body.at_least = w.log.head();
  const bus::Reply refused = w.reply(body);
  CHECK(refused.status == bus::ReplyStatus::error);
  CHECK(refused.code == base::enum_name(bus::ReplyError::busy));
  CHECK_THAT(refused.text, Catch::Contains("ask again"));
  body.wait = std::chrono::seconds(10);
  const SearchAnswer whole = w.ask(body);
  CHECK(whole.indexed == w.log.head());
  CHECK(whole.hits.size() == 20);
}

TEST_CASE("a search that cannot be understood is refused before it waits", "[workers]") {
  SearchedLog w;
  const auto refused = [&](const QueryBody& body, bus::ReplyError code, const char* word) {
    const bus::Reply reply = w.reply(body);
    CHECK(reply.status == bus::ReplyStatus::error);
    CHECK(reply.code == base::enum_name(code));
    CHECK_THAT(reply.text, Catch::Contains(word));
  };
  refused(words(""), bus::ReplyError::invalid, "is empty");
  refused(words("\"milk"), bus::ReplyError::invalid, "not closed");
  refused(words("???"), bus::ReplyError::invalid, "no letter or digit");
  QueryBody body = words("milk");
  for (const std::int64_t limit : {std::int64_t{-1}, std::int64_t{1001}}) {
    body.limit = limit;
    refused(body, bus::ReplyError::invalid, "1 to 1000");
  }
  Query broken = w.query({});
  broken.body = base::RawValue{"\xC1"};
  CHECK(w.service->answer(broken).reply.code == base::enum_name(bus::ReplyError::invalid));
  SearchedLog without(false);
  const bus::Reply none = without.reply(words("milk"));
  CHECK(none.code == base::enum_name(bus::ReplyError::not_found));
}

TEST_CASE("searches run beside the other queries", "[workers]") {
  const bool has_index = GENERATE(true, false);
  SearchedLog w(has_index);
  w.log.append(w.stream, domain::TurnQueued{support::turn(1)}, "remember the milk");
  const auto port = make_thread_query_port(*w.service);
  Query listed = w.query({});
  listed.verb = kVerbList;
  for (int i = 0; i < 5; ++i) port->submit(w.query(words("milk")));
  port->submit(std::move(listed));
  std::size_t found = 0;
  std::size_t answers = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (answers < 6) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    pollfd wake{port->wake_fd(), POLLIN, 0};
    ::poll(&wake, 1, 1000);
    while (const auto answer = port->poll()) {
      if (!answer->reply.id.is_set()) continue;
      ++answers;
      if (answer->reply.status != bus::ReplyStatus::ok) continue;
      if (const auto hits = bus::from_body<SearchAnswer>(answer->reply.body)) {
        found += hits->hits.size();
      }
    }
  }
  CHECK(found == (has_index ? 5 : 0));
}

}  // namespace
}  // namespace workers
