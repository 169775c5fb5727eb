// workers/WIRE.md documents names and kinds of fields for authors of other clients. Its tables are
// compared with the reflection that encodes and decodes those fields, and with the tables of names,
// so they cannot become stale. The explanations beside them are not checked.
#include <fstream>
#include <map>
#include <sstream>

#include "bus/log_reader.hpp"
#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "projections/views/metrics.hpp"
#include "tests/support/catch.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/protocol/conversations.hpp"
#include "workers/protocol/copies.hpp"
#include "workers/protocol/hook_steps.hpp"
#include "workers/protocol/hooks.hpp"
#include "workers/protocol/notifications.hpp"
#include "workers/protocol/queries.hpp"
#include "workers/protocol/rules.hpp"
#include "workers/protocol/schedules.hpp"
#include "workers/protocol/status.hpp"
#include "workers/server/older_requests.hpp"

namespace {

// ---- the kinds of fields, as named on the page ----

template <class T>
struct Is {};

// The page's name for an enum or a map: its heading, or the first cell of its row. A field of a
// type without a name here does not compile.
// clang-format off
constexpr std::string_view named(Is<domain::SessionStatus>) { return "status"; }
constexpr std::string_view named(Is<domain::EndReason>) { return "end_reason"; }
constexpr std::string_view named(Is<domain::Attention>) { return "attention"; }
constexpr std::string_view named(Is<domain::PermissionMode>) { return "permission_mode"; }
constexpr std::string_view named(Is<domain::BackgroundTasks>) { return "background_tasks"; }
constexpr std::string_view named(Is<domain::Approvals>) { return "approvals"; }
constexpr std::string_view named(Is<domain::UnansweredAsk>) { return "unanswered_ask"; }
constexpr std::string_view named(Is<domain::RuleVerdict>) { return "rule_verdict"; }
constexpr std::string_view named(Is<domain::AskKind>) { return "ask_kind"; }
constexpr std::string_view named(Is<domain::AskVerdict>) { return "ask_verdict"; }
constexpr std::string_view named(Is<domain::AskBasis>) { return "ask_basis"; }
constexpr std::string_view named(Is<domain::AskEnd>) { return "ask_end"; }
constexpr std::string_view named(Is<domain::HookPoint>) { return "hook_point"; }
constexpr std::string_view named(Is<domain::HookOutcome>) { return "hook_outcome"; }
constexpr std::string_view named(Is<domain::RestartPolicy>) { return "restart_policy"; }
constexpr std::string_view named(Is<domain::ResumedAt>) { return "resumed_at"; }
constexpr std::string_view named(Is<domain::OwnTurnCause>) { return "own_turn_cause"; }
constexpr std::string_view named(Is<domain::OutputKind>) { return "output_kind"; }
constexpr std::string_view named(Is<domain::CostBasis>) { return "cost_basis"; }
constexpr std::string_view named(Is<domain::LineFault>) { return "line_fault"; }
constexpr std::string_view named(Is<domain::TranscriptForm>) { return "transcript_form"; }
constexpr std::string_view named(Is<domain::LineReading>) { return "line_reading"; }
constexpr std::string_view named(Is<domain::ImportedKind>) { return "imported_kind"; }
constexpr std::string_view named(Is<domain::ErasureReason>) { return "erasure_reason"; }
constexpr std::string_view named(Is<domain::NotificationKind>) { return "notification_kind"; }
constexpr std::string_view named(Is<domain::NotificationTarget>) { return "notification_target"; }
constexpr std::string_view named(Is<domain::DropReason>) { return "drop_reason"; }
constexpr std::string_view named(Is<domain::DescriptorKind>) { return "descriptor_kind"; }
constexpr std::string_view named(Is<domain::ScheduleKind>) { return "schedule_kind"; }
constexpr std::string_view named(Is<domain::RunKind>) { return "run_kind"; }
constexpr std::string_view named(Is<domain::MissedRuns>) { return "missed_runs"; }
constexpr std::string_view named(Is<domain::SkipReason>) { return "skip_reason"; }
constexpr std::string_view named(Is<domain::RunOutcome>) { return "run_outcome"; }
constexpr std::string_view named(Is<domain::QueueMode>) { return "queue_mode"; }
constexpr std::string_view named(Is<domain::QueueDrop>) { return "queue_drop"; }
constexpr std::string_view named(Is<domain::TurnShape>) { return "turn_shape"; }
constexpr std::string_view named(Is<domain::MessageEnd>) { return "message_end"; }
constexpr std::string_view named(Is<domain::RunEnd>) { return "run_end"; }
constexpr std::string_view named(Is<domain::RunCleanup>) { return "run_cleanup"; }
constexpr std::string_view named(Is<domain::ResetReason>) { return "reset_reason"; }
constexpr std::string_view named(Is<domain::Lane>) { return "lane"; }
constexpr std::string_view named(Is<domain::ToolKind>) { return "tool_kind"; }
constexpr std::string_view named(Is<domain::ActorKind>) { return "actor_kind"; }
constexpr std::string_view named(Is<workers::ItemKind>) { return "item_kind"; }
constexpr std::string_view named(Is<workers::SaidBy>) { return "said_by"; }
constexpr std::string_view named(Is<workers::SearchOrder>) { return "search_order"; }
constexpr std::string_view named(Is<workers::BackupAction>) { return "backup_action"; }
constexpr std::string_view named(Is<workers::ArchiveAction>) { return "archive_action"; }
constexpr std::string_view named(Is<workers::FlightKind>) { return "flight_kind"; }
constexpr std::string_view named(Is<bus::Role>) { return "role"; }
constexpr std::string_view named(Is<bus::ReplyStatus>) { return "reply_status"; }
constexpr std::string_view named(Is<bus::FeedKind>) { return "feed_kind"; }
constexpr std::string_view named(Is<domain::RejectionCode>) { return "rejection"; }
constexpr std::string_view named(Is<bus::ReplyError>) { return "error"; }

constexpr std::string_view named(Is<domain::Envelope>) { return "envelope"; }
constexpr std::string_view named(Is<workers::CommandBody>) { return "command"; }
constexpr std::string_view named(Is<workers::CommandReplyBody>) { return "outcome"; }
constexpr std::string_view named(Is<workers::ServerCommandReplyBody>) { return "log_outcome"; }
constexpr std::string_view named(Is<workers::OutboxReplyBody>) { return "outbox_outcome"; }
constexpr std::string_view named(Is<workers::RulesReplyBody>) { return "rules_outcome"; }
constexpr std::string_view named(Is<workers::SchedulesReplyBody>) { return "schedules_outcome"; }
constexpr std::string_view named(Is<workers::QueryBody>) { return "query"; }
constexpr std::string_view named(Is<bus::LogEpoch>) { return "epoch"; }
constexpr std::string_view named(Is<domain::SessionSpec>) { return "spec"; }
constexpr std::string_view named(Is<domain::Payer>) { return "payer"; }
constexpr std::string_view named(Is<domain::FileFacts>) { return "file"; }
constexpr std::string_view named(Is<domain::PromptFile>) { return "prompt_file"; }
constexpr std::string_view named(Is<workers::PayerShown>) { return "paid"; }
constexpr std::string_view named(Is<domain::Usage>) { return "usage"; }
constexpr std::string_view named(Is<domain::TurnCost>) { return "turn_cost"; }
constexpr std::string_view named(Is<domain::ModelSpending>) { return "spending"; }
constexpr std::string_view named(Is<domain::ContentProof>) { return "proof"; }
constexpr std::string_view named(Is<domain::VersionRange>) { return "versions"; }
constexpr std::string_view named(Is<bus::FeedEvent>) { return "feed_event"; }
constexpr std::string_view named(Is<projections::SessionRow>) { return "row"; }
constexpr std::string_view named(Is<workers::HookShown>) { return "hook"; }
constexpr std::string_view named(Is<domain::Rule>) { return "rule"; }
constexpr std::string_view named(Is<domain::OpenAsk>) { return "open_ask"; }
constexpr std::string_view named(Is<workers::AskShown>) { return "ask"; }
constexpr std::string_view named(Is<projections::Erasure>) { return "erasure"; }
constexpr std::string_view named(Is<workers::OutputItem>) { return "item"; }
constexpr std::string_view named(Is<workers::SearchHit>) { return "hit"; }
constexpr std::string_view named(Is<projections::MetricsTotals>) { return "totals"; }
constexpr std::string_view named(Is<projections::MostExpensive>) { return "most_expensive"; }
constexpr std::string_view named(Is<workers::DigestRow>) { return "digest"; }
constexpr std::string_view named(Is<workers::BackupRow>) { return "backup"; }
constexpr std::string_view named(Is<workers::ArchiveRow>) { return "archive"; }
constexpr std::string_view named(Is<workers::NotificationRow>) { return "notification"; }
constexpr std::string_view named(Is<domain::Descriptor>) { return "descriptor"; }
constexpr std::string_view named(Is<domain::UseLimits>) { return "use_limits"; }
constexpr std::string_view named(Is<domain::ChangedSettings>) { return "changed_settings"; }
constexpr std::string_view named(Is<domain::ScheduleSpec>) { return "schedule_spec"; }
constexpr std::string_view named(Is<domain::Schedule>) { return "schedule"; }
constexpr std::string_view named(Is<domain::ScheduleRun>) { return "schedule_run"; }
constexpr std::string_view named(Is<domain::MadeAnchor>) { return "made_anchor"; }
constexpr std::string_view named(Is<domain::AnchorMade>) { return "AnchorMade"; }
constexpr std::string_view named(Is<domain::TranscriptImported>) { return "TranscriptImported"; }
constexpr std::string_view named(Is<domain::LineImported>) { return "LineImported"; }
constexpr std::string_view named(Is<domain::MessageImported>) { return "MessageImported"; }
constexpr std::string_view named(Is<domain::ImportedLine>) { return "imported_line"; }
constexpr std::string_view named(Is<domain::ImportedMessage>) { return "imported_message"; }
constexpr std::string_view named(Is<workers::ConversationReplyBody>) {
  return "conversation_outcome";
}
constexpr std::string_view named(Is<projections::ConversationShown>) { return "conversation"; }
constexpr std::string_view named(Is<domain::ConversationOrigin>) { return "origin"; }
constexpr std::string_view named(Is<domain::ConversationRun>) { return "conversation_run"; }
constexpr std::string_view named(Is<domain::UnansweredMessages>) { return "unanswered"; }
constexpr std::string_view named(Is<workers::ConversationFilter>) { return "conversation_filter"; }
constexpr std::string_view named(Is<domain::DeliveryContext>) { return "delivery"; }
constexpr std::string_view named(Is<domain::MessageRoute>) { return "message_route"; }
constexpr std::string_view named(Is<domain::QueueOverflow>) { return "queue_overflow"; }
constexpr std::string_view named(Is<domain::QueueSettings>) { return "queue_settings"; }
constexpr std::string_view named(Is<projections::ConversationUse>) { return "conversation_use"; }
constexpr std::string_view named(Is<projections::LaneShown>) { return "lane_shown"; }
constexpr std::string_view named(Is<domain::PastSession>) { return "past_session"; }
constexpr std::string_view named(Is<workers::StageTime>) { return "stage"; }
constexpr std::string_view named(Is<workers::StageTimes>) { return "stages"; }
constexpr std::string_view named(Is<workers::ServerFacts>) { return "server_facts"; }
constexpr std::string_view named(Is<workers::EngineFacts>) { return "engine_facts"; }
constexpr std::string_view named(Is<workers::FlightEntry>) { return "step"; }
// clang-format on

template <class T>
struct Kind {
  static std::string text() {
    if constexpr (std::is_same_v<T, bool>)
      return "bool";
    else if constexpr (std::is_integral_v<T>)
      return "number";
    else if constexpr (std::is_same_v<T, std::string>)
      return "text";
    else if constexpr (std::is_same_v<T, base::RawValue>)
      return "any";
    else if constexpr (std::is_same_v<T, base::Binary>)
      return "bytes";
    else if constexpr (std::is_same_v<T, base::Position>)
      return "position";
    else if constexpr (std::is_same_v<T, base::StreamVersion>)
      return "version";
    else if constexpr (std::is_same_v<T, base::FencingToken>)
      return "token";
    else if constexpr (std::is_same_v<T, base::NanoUsd>)
      return "money";
    else if constexpr (std::is_same_v<T, base::Time>)
      return "time";
    else if constexpr (std::is_same_v<T, base::Duration>)
      return "duration";
    else
      return std::string(named(Is<T>{}));
  }
};
template <class T>
struct Kind<base::Sparse<T>> : Kind<T> {};
template <class Tag>
struct Kind<base::Id<Tag>> {
  static std::string text() { return "id"; }
};
template <std::size_t N>
struct Kind<std::array<char, N>> {
  static std::string text() { return "bytes" + std::to_string(N); }
};
template <class T>
struct Kind<std::optional<T>> {
  static std::string text() { return Kind<T>::text() + "?"; }
};
template <class T>
struct Kind<std::vector<T>> {
  static std::string text() { return "[" + Kind<T>::text() + "]"; }
};
template <class T>
struct Kind<std::set<T>> : Kind<std::vector<T>> {};
template <class K, class V>
struct Kind<std::map<K, V>> {
  static std::string text() { return "{" + Kind<K>::text() + ": " + Kind<V>::text() + "}"; }
};

using Fields = std::vector<std::pair<std::string, std::string>>;

template <class T>
Fields fields_of() {
  Fields fields;
  T::fields([&](const char* name, auto member) {
    using Field = std::remove_cvref_t<decltype(std::declval<T&>().*member)>;
    fields.emplace_back(name, Kind<Field>::text());
  });
  return fields;
}

// Returns "`session`: id, `agent`: text", or "none".
template <class T>
std::string line_of() {
  std::string line;
  for (const auto& [name, of] : fields_of<T>()) {
    line += (line.empty() ? "`" : ", `") + name + "`: " + of;
  }
  return line.empty() ? "none" : line;
}

// ---- the page ----

using Row = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Returns the cells of a table's line; empty for any other line.
Row cells(const std::string& line) {
  Row row;
  if (!line.starts_with("|")) return row;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) row.push_back(trimmed(cell));
  return row;
}

// The rows of the tables below each heading, up to the next one, without the tables' heads.
using Page = std::map<std::string, std::vector<Row>>;

Page read_page() {
  std::ifstream in(STENO_SOURCE_DIR "/workers/WIRE.md");
  REQUIRE(in);
  Page page;
  std::string heading;
  std::vector<Row>* rows = nullptr;
  bool is_code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) is_code = !is_code;
    if (is_code) continue;
    if (line.starts_with("#")) {
      heading = trimmed(line.substr(line.find_first_not_of('#')));
      INFO("two sections of one name: " << heading);
      REQUIRE_FALSE(page.contains(heading));
      rows = &page[heading];
      continue;
    }
    Row row = cells(line);
    if (row.empty() || rows == nullptr) continue;
    if (row.front().starts_with("---")) {
      rows->pop_back();  // the head of the table
      continue;
    }
    rows->push_back(std::move(row));
  }
  return page;
}

const std::vector<Row>& section(const Page& page, std::string_view name) {
  const auto found = page.find("`" + std::string(name) + "`");
  INFO("workers/WIRE.md has no section `" << name << "`");
  REQUIRE(found != page.end());
  return found->second;
}

// Requires exactly these beginnings of rows, in this order. A complaint shows how the row must
// begin.
void check_rows(std::string_view of, const std::vector<Row>& rows, const std::vector<Row>& wanted) {
  const auto text = [](const Row& row) {
    std::string all = "|";
    for (const std::string& cell : row) all += " " + cell + " |";
    return all;
  };
  for (std::size_t i = 0; i < std::max(rows.size(), wanted.size()); ++i) {
    INFO("workers/WIRE.md, section " << of << ", row " << i + 1 << " of " << wanted.size());
    const Row is = i < rows.size() ? rows[i] : Row{};
    const Row to_be = i < wanted.size() ? wanted[i] : Row{};
    const Row begin(is.begin(),
                    is.begin() + static_cast<std::ptrdiff_t>(std::min(is.size(), to_be.size())));
    CHECK(text(begin) == text(to_be));
    INFO("it says what each means");
    if (i < wanted.size()) CHECK((is.size() > to_be.size() && !is.back().empty()));
  }
}

// Checks the table of a map's fields: name, kind and meaning.
template <class T>
void check_fields(const Page& page, const Fields& more = {}) {
  std::vector<Row> wanted;
  Fields fields = fields_of<T>();
  fields.insert(fields.end(), more.begin(), more.end());
  for (const auto& [name, of] : fields) wanted.push_back({"`" + name + "`", of});
  check_rows(named(Is<T>{}), section(page, named(Is<T>{})), wanted);
}

// Checks the table of an enum's names: the default first, each with its meaning.
template <class Enum>
void check_names(const Page& page) {
  std::vector<Row> wanted;
  for (const std::string_view name : base::EnumNames<Enum>::kNames) {
    wanted.push_back({"`" + std::string(name) + "`"});
  }
  check_rows(named(Is<Enum>{}), section(page, named(Is<Enum>{})), wanted);
}

// Returns a row of the section "Other maps".
template <class T>
Row map_row(std::string_view name = named(Is<T>{})) {
  return {"`" + std::string(name) + "`", line_of<T>()};
}

// Adds a row for every command that a client can send.
template <class... One>
void add_rows(std::vector<Row>& rows, base::Types<One...>) {
  (rows.push_back(map_row<One>(One::kType)), ...);
}
template <class... A>
std::vector<Row> rows_of_commands(base::Types<A...>) {
  std::vector<Row> rows;
  (add_rows(rows, typename A::ClientCommands{}), ...);
  return rows;
}

template <class... E>
std::vector<Row> rows_of_events(base::Types<E...>) {
  return {map_row<E>(E::kType)...};
}

TEST_CASE("the page for other clients has every event with its fields", "[workers]") {
  const Page page = read_page();
  check_rows("Types of events", page.at("Types of events"), rows_of_events(domain::AllEvents{}));
  check_fields<domain::Envelope>(page, {{"f", "any"}});
}

TEST_CASE("the page for other clients has every command and map with its fields", "[workers]") {
  const Page page = read_page();
  check_rows("Types of commands", page.at("Types of commands"),
             rows_of_commands(domain::AskedAggregates{}));
  check_fields<workers::CommandBody>(page);
  check_fields<workers::CommandReplyBody>(page);
  check_fields<workers::ServerCommandReplyBody>(page);
  check_fields<workers::OutboxReplyBody>(page);
  check_fields<workers::SchedulesReplyBody>(page);
  check_fields<workers::RulesReplyBody>(page);
  check_fields<workers::ConversationReplyBody>(page);
  check_fields<domain::SessionSpec>(page);
  check_fields<workers::QueryBody>(page);
  check_fields<projections::SessionRow>(page);
  check_fields<domain::OpenAsk>(page);
  check_fields<workers::AskShown>(page);
  check_fields<domain::Rule>(page);
  check_rows("Frames and the feed", page.at("Frames and the feed"),
             {map_row<bus::Hello>("hello"), map_row<bus::Welcome>("welcome"),
              map_row<bus::Request>("request"), map_row<bus::Reply>("reply"),
              map_row<bus::Notice>("notice"), map_row<bus::FeedHeader>("header"),
              map_row<bus::FeedEvent>(), map_row<bus::ReadRequest>("read"),
              map_row<bus::LogPage>("page"), map_row<bus::LogEpoch>()});
  check_rows(
      "Answers", page.at("Answers"),
      {map_row<workers::ListAnswer>("list"), map_row<workers::AttentionAnswer>("attention"),
       map_row<workers::AsksAnswer>("asks"), map_row<workers::ShowAnswer>("show"),
       map_row<workers::OutputAnswer>("output"), map_row<workers::SearchAnswer>("search"),
       map_row<workers::RecordAnswer>("record"), map_row<projections::MetricsReport>("stats"),
       map_row<workers::DigestsAnswer>("digests"), map_row<workers::StatusAnswer>("status"),
       map_row<workers::BackupsAnswer>("backups"), map_row<workers::AnchorsAnswer>("anchors"),
       map_row<workers::ArchivesAnswer>("archives"),
       map_row<workers::NotificationsAnswer>("notifications"),
       map_row<workers::SchedulesAnswer>("schedules"), map_row<workers::RulesAnswer>("rules"),
       map_row<workers::HooksAnswer>("hooks"), map_row<workers::FlightAnswer>("flight"),
       map_row<workers::ConversationsAnswer>("conversations")});
  check_rows("Requests of operators", page.at("Requests of operators"),
             {map_row<workers::BackupBody>("backup"), map_row<workers::ArchiveBody>("archive")});
  check_rows(
      "Steps for hooks", page.at("Steps for hooks"),
      {map_row<workers::HookStepBody>("hook_step"), map_row<workers::HookStepAnswer>("hook_step")});
  check_rows("Other maps", page.at("Other maps"),
             {map_row<domain::Usage>(),
              map_row<domain::TurnCost>(),
              map_row<domain::ModelSpending>(),
              map_row<domain::ContentProof>(),
              map_row<domain::VersionRange>(),
              map_row<projections::Erasure>(),
              map_row<workers::OutputItem>(),
              map_row<workers::SearchHit>(),
              map_row<projections::MetricsTotals>(),
              map_row<projections::MostExpensive>(),
              map_row<workers::DigestRow>(),
              map_row<workers::BackupRow>(),
              map_row<workers::ArchiveRow>(),
              map_row<domain::MadeAnchor>(),
              map_row<workers::HookShown>(),
              map_row<workers::NotificationRow>(),
              map_row<domain::Descriptor>(),
              map_row<domain::Payer>(),
              map_row<domain::FileFacts>(),
              map_row<domain::PromptFile>(),
              map_row<workers::PayerShown>(),
              map_row<domain::UseLimits>(),
              map_row<domain::ChangedSettings>(),
              map_row<domain::ScheduleSpec>(),
              map_row<domain::Schedule>(),
              map_row<domain::ScheduleRun>(),
              map_row<workers::StageTimes>(),
              map_row<workers::StageTime>(),
              map_row<workers::ServerFacts>(),
              map_row<workers::EngineFacts>(),
              map_row<workers::FlightEntry>(),
              map_row<projections::ConversationShown>(),
              map_row<projections::ConversationUse>(),
              map_row<projections::LaneShown>(),
              map_row<domain::PastSession>(),
              map_row<domain::ConversationOrigin>(),
              map_row<domain::DeliveryContext>(),
              map_row<domain::UnansweredMessages>(),
              map_row<workers::ConversationFilter>(),
              map_row<domain::ConversationRun>(),
              map_row<domain::MessageRoute>(),
              map_row<domain::QueueOverflow>(),
              map_row<domain::QueueSettings>(),
              map_row<domain::ImportedLine>(),
              map_row<domain::ImportedMessage>()});
}

TEST_CASE("the page for other clients has every name", "[workers]") {
  const Page page = read_page();
  check_names<domain::SessionStatus>(page);
  check_names<domain::EndReason>(page);
  check_names<domain::Attention>(page);
  check_names<domain::PermissionMode>(page);
  check_names<domain::Approvals>(page);
  check_names<domain::UnansweredAsk>(page);
  check_names<domain::RuleVerdict>(page);
  check_names<domain::AskKind>(page);
  check_names<domain::AskVerdict>(page);
  check_names<domain::AskBasis>(page);
  check_names<domain::AskEnd>(page);
  check_names<domain::HookPoint>(page);
  check_names<domain::HookOutcome>(page);
  check_names<domain::BackgroundTasks>(page);
  check_names<domain::ResumedAt>(page);
  check_names<domain::OwnTurnCause>(page);
  check_names<domain::CostBasis>(page);
  check_names<domain::OutputKind>(page);
  check_names<domain::LineFault>(page);
  check_names<domain::TranscriptForm>(page);
  check_names<domain::LineReading>(page);
  check_names<domain::ImportedKind>(page);
  check_names<domain::ErasureReason>(page);
  check_names<domain::NotificationKind>(page);
  check_names<domain::NotificationTarget>(page);
  check_names<domain::DropReason>(page);
  check_names<domain::DescriptorKind>(page);
  check_names<domain::ScheduleKind>(page);
  check_names<domain::RunKind>(page);
  check_names<domain::MissedRuns>(page);
  check_names<domain::SkipReason>(page);
  check_names<domain::RunOutcome>(page);
  check_names<domain::ActorKind>(page);
  check_names<workers::ItemKind>(page);
  check_names<workers::SaidBy>(page);
  check_names<workers::SearchOrder>(page);
  check_names<workers::BackupAction>(page);
  check_names<workers::ArchiveAction>(page);
  check_names<workers::FlightKind>(page);
  check_names<bus::Role>(page);
  check_names<bus::ReplyStatus>(page);
  check_names<bus::FeedKind>(page);
  check_names<domain::RejectionCode>(page);
  check_names<bus::ReplyError>(page);
  check_names<domain::QueueMode>(page);
  check_names<domain::QueueDrop>(page);
  check_names<domain::TurnShape>(page);
  check_names<domain::MessageEnd>(page);
  check_names<domain::RunEnd>(page);
  check_names<domain::RunCleanup>(page);
  check_names<domain::ResetReason>(page);
  check_names<domain::Lane>(page);
  check_names<domain::ToolKind>(page);
}

}  // namespace
