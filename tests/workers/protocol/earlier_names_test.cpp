// Answers for command lines of 563ac3c5 have no name that it did not know.
#include "workers/protocol/earlier_names.hpp"

#include <set>

#include "bus/log_reader.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "tests/support/catch.hpp"
#include "workers/protocol/notifications.hpp"
#include "workers/protocol/queries.hpp"
#include "workers/protocol/schedules.hpp"

namespace {

// The last name of each list that it knew; names are only ever added behind.
constexpr auto kLastReason = domain::EndReason::expired;
constexpr auto kLastAttention = domain::Attention::failed;
constexpr auto kLastKind = domain::NotificationKind::expired;
constexpr auto kLastTarget = domain::NotificationTarget::parent;
constexpr auto kLastSkip = domain::SkipReason::clock;
constexpr auto kLastItem = workers::ItemKind::failure;

template <class Enum>
std::vector<Enum> all_of() {
  std::vector<Enum> values;
  for (std::size_t i = 0; i < std::size(base::EnumNames<Enum>::kNames); ++i) {
    values.push_back(static_cast<Enum>(i));
  }
  return values;
}

template <class Answer>
Answer in_earlier(std::string_view verb, const Answer& answer) {
  const auto read = bus::from_body<Answer>(workers::in_earlier_names(verb, bus::to_body(answer)));
  REQUIRE(read);
  return *read;
}

std::vector<projections::SessionRow> rows() {
  std::vector<projections::SessionRow> rows;
  for (const auto reason : all_of<domain::EndReason>()) {
    projections::SessionRow& row = rows.emplace_back();
    row.end_reason = row.pause = reason;
  }
  for (const auto attention : all_of<domain::Attention>())
    rows.emplace_back().attention = attention;
  return rows;
}

void check(const projections::SessionRow& row) {
  CHECK(row.end_reason <= kLastReason);
  CHECK(row.pause <= kLastReason);
  CHECK(row.attention <= kLastAttention);
}

TEST_CASE("a client without the feature is of an earlier release, if it is of Steno", "[workers]") {
  bus::Hello hello;
  CHECK_FALSE(workers::knows_earlier_names_only(hello));
  hello.release = "0.1.0";
  CHECK(workers::knows_earlier_names_only(hello));
  hello.features = {"other", std::string(workers::kFeatureNames)};
  CHECK_FALSE(workers::knows_earlier_names_only(hello));
}

TEST_CASE("rows of sessions have earlier names", "[workers]") {
  const workers::ListAnswer list =
      in_earlier(workers::kVerbList, workers::ListAnswer{{}, rows(), false, {}, 0});
  CHECK(list.sessions.size() == rows().size());
  for (const auto& row : list.sessions) check(row);
  for (const auto& row : rows()) {
    workers::ShowAnswer show;
    show.session = row;
    check(in_earlier(workers::kVerbShow, show).session);
  }
}

TEST_CASE("a need that an earlier client has no word for is not listed", "[workers]") {
  workers::AttentionAnswer answer;
  answer.sessions = rows();
  const auto sessions = in_earlier(workers::kVerbAttention, answer).sessions;
  std::set<domain::Attention> needs;
  for (const auto& row : sessions) {
    check(row);
    needs.insert(row.attention);
  }
  CHECK_FALSE(needs.contains(domain::Attention::none));
  CHECK(needs.contains(domain::Attention::waiting_for_input));
}

TEST_CASE("output for an earlier client has the kinds that it knows", "[workers]") {
  workers::OutputAnswer answer;
  for (const auto kind : all_of<workers::ItemKind>()) answer.items.emplace_back().kind = kind;
  const auto items = in_earlier(workers::kVerbOutput, answer).items;
  CHECK(items.size() == answer.items.size() - 2);
  for (const auto& item : items) CHECK(item.kind <= kLastItem);
}

TEST_CASE("notifications and schedules have earlier names", "[workers]") {
  workers::NotificationsAnswer told;
  for (const auto kind : all_of<domain::NotificationKind>()) {
    told.notifications.emplace_back().kind = kind;
  }
  for (const auto target : all_of<domain::NotificationTarget>()) {
    told.notifications.emplace_back().target = target;
  }
  for (const auto& row : in_earlier(workers::kVerbNotifications, told).notifications) {
    CHECK(row.kind <= kLastKind);
    CHECK(row.target <= kLastTarget);
  }
  workers::SchedulesAnswer schedules;
  for (const auto reason : all_of<domain::SkipReason>()) {
    schedules.schedules.emplace_back().runs.emplace_back().skipped = reason;
  }
  for (const auto& schedule : in_earlier(workers::kVerbSchedules, schedules).schedules) {
    CHECK(schedule.runs.front().skipped <= kLastSkip);
  }
}

TEST_CASE("a page of the log for an earlier client leaves out events of later types", "[workers]") {
  const auto event = [](std::int64_t position, domain::Event value) {
    domain::RecordedEvent recorded;
    recorded.envelope.stream = "main/session/x";
    recorded.envelope.actor_kind = domain::ActorKind::server;
    recorded.event = std::move(value);
    bus::FeedEvent one;
    one.position = {position};
    one.facts.bytes = domain::encode_facts(recorded);
    return one;
  };
  bus::LogPage page;
  page.complete_through = page.head = {9};
  page.events = {event(7, domain::CloseRequested{}), event(8, domain::SlashCommandsReported{}),
                 event(9, domain::AgentExited{})};
  const auto seen = in_earlier(bus::kReadVerb, page);
  CHECK(seen.complete_through == page.complete_through);
  CHECK(seen.events == std::vector{page.events[0], page.events[2]});
  CHECK(workers::is_earlier_event("PromptInjected"));
  CHECK_FALSE(workers::is_earlier_event("AskRaised"));
  CHECK_FALSE(workers::is_earlier_event("OfALaterRelease"));
}

TEST_CASE("an earlier client cannot answer, so its sessions' agents are denied", "[workers]") {
  domain::Spawn spawn;
  spawn.prompt = "hello";
  domain::Command command = domain::SessionCommand(spawn);
  workers::mean_as_earlier(command);
  spawn.spec.approvals = domain::Approvals::deny;
  CHECK(command == domain::Command(domain::SessionCommand(spawn)));
  domain::Command other = domain::SessionCommand(domain::KillSession{});
  workers::mean_as_earlier(other);
  CHECK(other == domain::Command(domain::SessionCommand(domain::KillSession{})));
}

TEST_CASE("an answer without such names is as it was", "[workers]") {
  const base::RawValue answer = bus::to_body(workers::DigestsAnswer{});
  CHECK(workers::in_earlier_names(workers::kVerbDigests, answer) == answer);
}

}  // namespace
