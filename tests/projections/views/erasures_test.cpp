// Erasures of a session, those that are not done yet, and the sessions that still have text.
#include "projections/views/erasures.hpp"

#include "projections/fold/projector.hpp"
#include "projections/views/session_list.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

namespace {

using base::Position;
using base::SessionId;
using base::StreamVersion;
using base::Time;
using domain::EndReason;
using domain::ErasureReason;
using domain::SessionStatus;
using projections::Erasure;
using projections::KeptContent;
using projections::PendingErasure;

struct ErasuresFixture {
  projections::SessionList projection;
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
  support::LogBuilder log;

  void catch_up() {
    log.seal();
    auto projector = projections::Projector::open(projection, *rows);
    REQUIRE(projector);
    REQUIRE(projector->catch_up(log.store(), log.head(), support::kAllEvents));
  }
  static SessionId id(int number) {
    SessionId id;
    id.bytes[0] = static_cast<char>(number);
    return id;
  }
  static std::string stream(int number) { return domain::session_stream("main", id(number)); }
  // With the text of its opening, which is version 1.
  void open(int number) {
    domain::SessionOpened opened;
    opened.session = id(number);
    opened.agent = "main";
    opened.alias = "alias00" + std::to_string(number);
    log.add(stream(number), opened, "Be brief.");
  }
  Position erase(int number, std::int64_t first, std::int64_t last,
                 ErasureReason reason = ErasureReason::requested) {
    return log.add(stream(number),
                   domain::ContentErased{{{StreamVersion{first}, StreamVersion{last}}}, reason});
  }
  void complete(int number, std::int64_t through) {
    log.add(stream(number), domain::ContentErasureCompleted{StreamVersion{through}});
  }
  // Returns when.
  Time close(int number, SessionStatus status) {
    log.add(stream(number), domain::SessionClosed{status, EndReason::none});
    return log.now();
  }
  std::vector<Erasure> erasures(int number) {
    catch_up();
    const auto read = projections::read_erasures(*rows, stream(number));
    REQUIRE(read);
    return *read;
  }
  std::vector<PendingErasure> pending(std::size_t count_max = 10) {
    catch_up();
    const auto read = projections::pending_erasures(*rows, count_max);
    REQUIRE(read);
    return *read;
  }
  std::vector<KeptContent> kept(SessionStatus status, Time before, std::size_t count_max = 10) {
    catch_up();
    const auto read = projections::kept_content(*rows, status, before, count_max);
    REQUIRE(read);
    return *read;
  }
};

constexpr Time kNever{std::int64_t{1} << 60};

TEST_CASE("what was erased of a session is told with who, when and why", "[projections]") {
  ErasuresFixture f;
  f.open(1);
  f.open(2);
  f.log.add(f.stream(1), domain::TurnQueued{}, "Fix it.");
  const Position first_at = f.erase(1, 1, 1);
  const Time first_time = f.log.now();
  const Position second_at = f.erase(1, 2, 2, ErasureReason::retention);
  const Time second_time = f.log.now();
  f.erase(2, 1, 1);
  Erasure first{StreamVersion{3},
                first_at,
                first_time,
                domain::ActorKind::client,
                "test",
                ErasureReason::requested,
                {{StreamVersion{1}, StreamVersion{1}}},
                {}};
  Erasure second{StreamVersion{4},
                 second_at,
                 second_time,
                 domain::ActorKind::client,
                 "test",
                 ErasureReason::retention,
                 {{StreamVersion{2}, StreamVersion{2}}},
                 {}};
  CHECK((f.erasures(1) == std::vector{first, second}));
  CHECK(f.erasures(2).size() == 1);
  CHECK(f.erasures(3).empty());

  f.complete(1, 3);
  first.completed_at = f.log.now();
  CHECK((f.erasures(1) == std::vector{first, second}));
  f.complete(1, 4);  // what was done before keeps its time
  second.completed_at = f.log.now();
  CHECK((f.erasures(1) == std::vector{first, second}));
  CHECK(f.erasures(2).front().completed_at == Time{});
}

TEST_CASE("an erasure is pending until its last part is done", "[projections]") {
  ErasuresFixture f;
  for (const int number : {1, 2, 3}) f.open(number);
  CHECK(f.pending().empty());
  const auto of = [](int number, std::int64_t through) {
    return PendingErasure{ErasuresFixture::stream(number), StreamVersion{through}};
  };
  f.log.add(f.stream(1), domain::TurnQueued{}, "Fix it.");
  f.erase(1, 1, 1);
  CHECK((f.pending() == std::vector{of(1, 3)}));
  f.erase(1, 2, 2);
  f.erase(3, 1, 1);
  CHECK((f.pending() == std::vector{of(1, 4), of(3, 2)}));
  CHECK((f.pending(1) == std::vector{of(1, 4)}));
  f.complete(1, 3);
  CHECK((f.pending() == std::vector{of(1, 4), of(3, 2)}));
  f.complete(1, 4);
  CHECK((f.pending() == std::vector{of(3, 2)}));
  f.log.add(f.stream(1), domain::ReportIgnored{"x"});
  CHECK((f.pending() == std::vector{of(3, 2)}));
  f.complete(3, 2);
  CHECK(f.pending().empty());
}

TEST_CASE("ended sessions that still have text are told, the one that ended first comes first",
          "[projections]") {
  ErasuresFixture f;
  for (const int number : {1, 2, 3, 4}) f.open(number);
  const Time second = f.close(2, SessionStatus::completed);
  const Time first = f.close(1, SessionStatus::completed);
  const Time killed = f.close(3, SessionStatus::killed);
  const auto of = [](int number, Time at) {
    return KeptContent{"main", ErasuresFixture::id(number), at};
  };
  const auto completed = SessionStatus::completed;
  CHECK((f.kept(completed, kNever) == std::vector{of(2, second), of(1, first)}));
  CHECK((f.kept(completed, kNever, 1) == std::vector{of(2, second)}));
  CHECK((f.kept(completed, first) == std::vector{of(2, second)}));
  CHECK((f.kept(completed, Time{first.us + 1}).size() == 2));
  CHECK(f.kept(completed, second).empty());
  CHECK((f.kept(SessionStatus::killed, kNever) == std::vector{of(3, killed)}));
  CHECK(f.kept(SessionStatus::failed, kNever).empty());

  f.erase(2, 1, 1);
  CHECK((f.kept(completed, kNever) == std::vector{of(1, first)}));
  // A late word is text again.
  f.log.add(f.stream(2), domain::OutputRecorded{{}, 1, domain::OutputKind::text}, "late");
  CHECK((f.kept(completed, kNever) == std::vector{of(2, second), of(1, first)}));
  f.erase(2, 2, 4);
  CHECK((f.kept(completed, kNever) == std::vector{of(1, first)}));
}

}  // namespace
