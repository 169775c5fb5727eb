#include "workers/query_service.hpp"

#include "tests/support/log_builder.hpp"
#include "tests/support/session_samples.hpp"

namespace workers {
namespace {

using support::kSession;
using support::LogBuilder;

// The service over a log that grows.
struct World {
  LogBuilder log;
  std::unique_ptr<eventlog::KeyValueStore> views = eventlog::make_memory_key_value_store();
  std::unique_ptr<eventlog::KeyValueStore> index_rows = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index{*index_rows};
  QueryService service{{log.log(), {}},
                       log.store(),
                       *views,
                       std::move(*projections::ProjectionSet::open(*views)),
                       index};

  template <class Answer, class Body>
  Answer ask(std::string_view verb, const Body& body) {
    const auto answer =
        service.answer({{}, support::kCommand, std::string(verb), bus::to_body(body), log.head()});
    REQUIRE(answer.reply.status == bus::ReplyStatus::ok);
    return *bus::from_body<Answer>(answer.reply.body);
  }
  std::string stream() const { return session::session_stream("main", kSession); }
};

TEST_CASE("a query sees everything up to the durable head", "[workers]") {
  World w;
  QueryBody of_main;
  of_main.agent = "main";
  CHECK(w.ask<ListAnswer>(kVerbList, of_main).sessions.empty());
  w.log.append(w.stream(), support::opened());
  const auto listed = w.ask<ListAnswer>(kVerbList, of_main);
  CHECK(listed.position == w.log.head());
  REQUIRE(listed.sessions.size() == 1);
  for (int turn = 1; turn <= 3; ++turn) {
    w.log.append(w.stream(), session::TurnQueued{support::turn(turn)}, "text");
    QueryBody shown = of_main;
    shown.reference = "fix-bug";
    CHECK(w.ask<ShowAnswer>(kVerbShow, shown).session.turns_queued == turn);
    CHECK(w.ask<OutputAnswer>(kVerbOutput, shown).items.size() == static_cast<std::size_t>(turn));
  }
}

TEST_CASE("pages of the log leave nothing out, however small they are", "[workers]") {
  World w;
  const std::string other = session::session_stream("other", support::kSource);
  std::vector<Position> of_main;
  for (int i = 0; i < 40; ++i) {
    const bool is_main = i % 3 != 0;
    const Position at = w.log.add(is_main ? w.stream() : other, session::NothingChanged{"text"});
    if (is_main) of_main.push_back(at);
    if (i % 7 == 6) w.log.seal();
  }
  w.log.seal();
  for (const std::int64_t events_max : {1, 2, 3, 7, 100}) {
    for (const std::int64_t bytes_max : {1, 1000, 0}) {
      INFO("at most " << events_max << " events and " << bytes_max << " bytes");
      bus::ReadRequest request{"agent/main/", {}, events_max, bytes_max};
      std::vector<Position> read;
      while (request.after < w.log.head()) {
        const auto page = w.ask<bus::LogPage>(bus::kReadVerb, request);
        REQUIRE(page.complete_through > request.after);
        CHECK(page.events.size() <= static_cast<std::size_t>(events_max));
        for (const auto& event : page.events) read.push_back(event.position);
        request.after = page.complete_through;
      }
      CHECK(read == of_main);
    }
  }
}

}  // namespace
}  // namespace workers
