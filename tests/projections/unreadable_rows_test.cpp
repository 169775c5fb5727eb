// Rows that cannot be read, or are not what they were: every query says so, whichever row it is.
#include "eventlog/domain/admission/name_mark.hpp"
#include "projections/fold/digest.hpp"
#include "projections/projections.hpp"
#include "projections/start/startup_rows.hpp"
#include "projections/views/erasures.hpp"
#include "projections/views/metrics.hpp"
#include "projections/views/resume_index.hpp"
#include "projections/views/session_list.hpp"
#include "tests/support/failing_reads.hpp"
#include "tests/support/log_builder.hpp"

namespace {

using base::ErrorCode;
using base::FencingToken;
using base::Position;
using base::SessionId;
using base::StreamVersion;
using base::TurnId;
using domain::EndReason;
using domain::SessionStatus;
using eventlog::KeyValueStore;

constexpr std::string_view kLiveId = "01890a5d-ac96-774b-bcce-b302099a8057";
constexpr std::string_view kEndedId = "11890a5d-ac96-774b-bcce-b302099a8058";
constexpr std::string_view kMadeId = "21890a5d-ac96-774b-bcce-b302099a8059";
constexpr std::string_view kSameId = "31890a5d-ac96-774b-bcce-b302099a8060";
constexpr std::string_view kAgentSession = "3f0c1a52-7d2e-4a57-9e39-0b8f4f6c2d11";
constexpr std::string_view kMadeName = "fix-login";

// Rows of all projections, one of each kind at least.
struct Views {
  Views() {
    open(kLiveId, "given", "alias001");
    log.add(stream(kLiveId), domain::AgentInitialized{std::string(kAgentSession), "m", "v"});
    spend(kLiveId, 7);
    open(kEndedId, "ended", "alias002");
    spend(kEndedId, 5);
    log.add(stream(kEndedId), domain::SessionClosed{SessionStatus::completed, EndReason::none});
    erase(kEndedId);
    open(kMadeId, {}, "alias003");
    log.add(stream(kMadeId), domain::SessionNamed{domain::name_mark(kMadeName)},
            std::string(kMadeName));
    erase(kMadeId);
    open(kSameId, std::string(kMadeName), "alias004");  // given what the other one's was made of
    for (const std::string_view id : {kLiveId, kEndedId, kMadeId}) {
      log.add(domain::kAdmissionStream,
              domain::SessionAdmitted{*SessionId::parse(id), "main", std::string(id), {}, 0});
    }
    log.seal();
    auto set = projections::ProjectionSet::open(*rows);
    REQUIRE(set);
    REQUIRE(set->catch_up(log.store(), log.head(), support::kAllEvents));
  }
  static std::string stream(std::string_view id) {
    return domain::session_stream("main", *SessionId::parse(id));
  }
  void open(std::string_view id, std::string name, std::string alias) {
    domain::SessionOpened opened;
    opened.session = *SessionId::parse(id);
    opened.agent = "main";
    opened.name = std::move(name);
    opened.alias = std::move(alias);
    log.add(stream(id), opened, "Be brief.");
  }
  void spend(std::string_view id, std::int64_t cost) {
    const TurnId turn{{1}};
    log.add(stream(id), domain::TurnQueued{turn}, "Fix it.");
    log.add(stream(id), domain::LeaseGranted{{}, FencingToken{1}, {}});
    log.add(stream(id), domain::TurnStarted{turn, FencingToken{1}});
    domain::TurnCost of_turn;
    of_turn.cost.value = cost;
    log.add(stream(id), domain::TurnFinished{turn, of_turn});
  }
  void erase(std::string_view id) {
    log.add(stream(id), domain::ContentErased{{{StreamVersion{1}, StreamVersion{1}}}, {}});
  }

  support::LogBuilder log;
  std::unique_ptr<KeyValueStore> rows = eventlog::make_memory_key_value_store();
};

std::optional<std::string> made_text(Position) {
  return std::string(kMadeName);
}

using Query = std::function<base::Result<void>(KeyValueStore&)>;

template <class Ask>
Query query(Ask ask) {
  return [ask](KeyValueStore& rows) -> base::Result<void> {
    const auto outcome = ask(rows);
    if (!outcome) return tl::unexpected(outcome.error());
    return {};
  };
}

Query resolving(std::string_view reference) {
  return query([reference](KeyValueStore& rows) {
    return projections::resolve_session(rows, "main", reference, made_text);
  });
}

Query resuming(std::string_view reference) {
  return query([reference](KeyValueStore& rows) {
    return projections::resolve_agent_session(rows, "main", reference);
  });
}

Query listing(std::string agent) {
  return query([agent](KeyValueStore& rows) {
    projections::SessionFilter filter;
    filter.agent = agent;
    return projections::list_sessions(rows, filter);
  });
}

// Every question that views answer, with the least number of reads that it takes.
std::vector<std::tuple<std::string, Query, std::size_t>> queries() {
  using projections::read_metrics;
  std::vector<std::tuple<std::string, Query, std::size_t>> all{
      {"list", listing({}), 9},
      {"list of an agent", listing("main"), 9},
      {"session", query([](KeyValueStore& rows) {
         return projections::get_session(rows, "main", *SessionId::parse(kLiveId));
       }),
       1},
      {"metrics", query([](KeyValueStore& rows) { return read_metrics(rows, {}); }), 2},
      {"metrics of an agent", query([](KeyValueStore& rows) { return read_metrics(rows, "main"); }),
       2},
      {"erasures", query([](KeyValueStore& rows) {
         return projections::read_erasures(
             rows, domain::session_stream("main", *SessionId::parse(kEndedId)));
       }),
       1},
      {"pending erasures",
       query([](KeyValueStore& rows) { return projections::pending_erasures(rows, 10); }), 1},
      {"kept content", query([](KeyValueStore& rows) {
         return projections::kept_content(rows, SessionStatus::completed, {1LL << 60}, 10);
       }),
       1},
      {"takeover", query(projections::read_takeover), 4},
      {"checkpoint",
       query([](KeyValueStore& rows) { return projections::read_checkpoint(rows, "metrics"); }), 1},
  };
  for (const std::string_view reference :
       {kLiveId, std::string_view("alias001"), std::string_view("given"), kMadeName,
        std::string_view("0189"), std::string_view("alias002"), kAgentSession}) {
    all.emplace_back("reference " + std::string(reference), resolving(reference), 2);
  }
  for (const std::string_view reference :
       {kLiveId, std::string_view("alias001"), std::string_view("given"), kAgentSession}) {
    all.emplace_back("resumed " + std::string(reference), resuming(reference), 1);
  }
  return all;
}

TEST_CASE("whichever row a query cannot read, the query fails", "[projections]") {
  Views views;
  for (const auto& [name, ask, reads_min] : queries()) {
    INFO(name);
    CHECK(support::require_each_read_matters(*views.rows, ask) >= reads_min);
  }
  for (const auto& projection : projections::all_projections()) {
    INFO(projection->name());
    const std::string_view name = projection->name();
    CHECK(support::require_each_read_matters(*views.rows, [&](KeyValueStore& rows) {
            return projections::digest(rows, name);
          }) == 1);
  }
}

TEST_CASE("a row that is not what it was is known as damage to every query that reads it",
          "[projections]") {
  Views views;
  const auto all = *views.rows->scan({}, {}, 1000);
  REQUIRE(all.size() > 20);
  const auto put = [&](const base::Bytes& key, base::Bytes value) {
    eventlog::WriteBatch batch;
    batch.put(key, std::move(value));
    REQUIRE(views.rows->write(batch));
  };
  for (const auto& [name, ask, reads_min] : queries()) {
    INFO(name);
    std::size_t noticed = 0;
    for (const eventlog::KeyValue& row : all) {
      put(row.key, "\xC1");
      const auto outcome = ask(*views.rows);
      INFO(row.key);
      if (!outcome) {
        ++noticed;
        REQUIRE(outcome.error().code == ErrorCode::rows_damaged);
      }
      put(row.key, row.value);
    }
    // A checkpoint that cannot be read is like none.
    CHECK((noticed > 0) == (name != "checkpoint"));
    REQUIRE(ask(*views.rows));
  }
}

TEST_CASE("a fold whose rows cannot be read stores nothing, whichever row it is", "[projections]") {
  for (const auto& projection : projections::all_projections()) {
    INFO(projection->name());
    Views views;
    auto& source = views.log;
    source.add(Views::stream(kLiveId),
               domain::SessionClosed{SessionStatus::completed, EndReason::none});
    source.add(Views::stream(kEndedId), domain::ContentErasureCompleted{StreamVersion{7}});
    source.add(domain::conversation_stream("main", "agent:main:main"),
               domain::ConversationOpened{"agent:main:main", {}, {}, {}});
    views.spend(kMadeId, 3);
    source.seal();
    for (std::size_t number = 0;; ++number) {
      INFO("read " << number << " fails");
      support::FailingReads failing(*views.rows);
      auto projector = projections::Projector::open(*projection, failing);
      REQUIRE(projector);
      failing.reads = 0;
      failing.fails_at = number;
      const Position before = projector->position();
      const auto rows_before = *projections::digest(*views.rows, projection->name());
      const auto folded = projector->catch_up(source.store(), source.head(), support::kAllEvents);
      if (failing.reads <= number) {
        REQUIRE(folded);
        CHECK(number > 0);
        break;
      }
      REQUIRE_FALSE(folded);
      REQUIRE(folded.error().code == ErrorCode::io);
      REQUIRE_FALSE(projector->stopped());
      REQUIRE(projector->position() == before);
      REQUIRE(*projections::digest(*views.rows, projection->name()) == rows_before);
    }
  }
}

}  // namespace
