// An answer is read, changed and written again; one is for a client, so it fits its type.
#include "workers/protocol/earlier_names.hpp"

#include <algorithm>

#include "bus/log_reader.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "workers/protocol/notifications.hpp"
#include "workers/protocol/queries.hpp"
#include "workers/protocol/schedules.hpp"

namespace workers {
namespace {

using domain::Attention;
using domain::EndReason;
using domain::NotificationKind;
using domain::NotificationTarget;
using domain::SkipReason;

// In alphabetical order. Types that are added later do not belong here.
// clang-format off
constexpr std::string_view kEarlierEvents[] = {
    "AgentExited", "AgentInitialized", "AgentLineRecorded", "AgentSessionLost",
    "AgentSessionReleased", "AgentSilenceReported", "AgentSpent", "AgentStartFailed",
    "AgentStarted", "AgentStatusReported", "AnchorMade", "AnchorRequested", "ArchiveBegun",
    "ArchiveCompleted", "ArchiveForgotten", "AttentionDismissed", "BackupBegun",
    "BackupCompleted", "BackupForgotten", "CloseRequested", "ContentErased",
    "ContentErasureCompleted", "ContextCompacted", "EpochStarted", "ForegroundChanged",
    "InterruptRequested", "LeaseExpired", "LeaseGranted", "LeaseReleased", "LineageSpent",
    "LogTrimmed", "LongRunReached", "ModelCallRetried", "ModelFellBack", "NameClaimed",
    "NameReleased", "NothingChanged", "NotificationDelivered", "NotificationDropped",
    "NotificationFailed", "NotificationRequested", "NotificationRetried", "OutputRecorded",
    "OutputSeen", "OwnTurnStarted", "PartialOutputRecorded", "PromptInjected", "QueueContinued",
    "QueuePaused", "RateLimitReported", "ReportIgnored", "RunRefused", "RunTaken",
    "ScheduleAdded", "ScheduleFired", "ScheduleRemoved", "ScheduleSkipped", "ServerStarted",
    "SessionAdmitted", "SessionClosed", "SessionNamed", "SessionOpened", "SessionReleased",
    "SessionResumed", "SessionSettled", "SpendingRecorded", "TasksChanged", "ToolCallFinished",
    "ToolCallStarted", "ToolCallsRepeated", "TurnContinued", "TurnFailed", "TurnFinished",
    "TurnInterrupted", "TurnQueued", "TurnReturned", "TurnStarted"};
// clang-format on

// The names of each list that it knew are the first ones, up to this one.
constexpr auto kLastReason = EndReason::expired;
constexpr auto kLastAttention = Attention::failed;
constexpr auto kLastKind = NotificationKind::expired;
constexpr auto kLastTarget = NotificationTarget::parent;
constexpr auto kLastSkip = SkipReason::clock;
constexpr auto kLastItem = ItemKind::failure;

EndReason earlier(EndReason reason) {
  if (reason <= kLastReason) return reason;
  if (reason == EndReason::agent_budget) return EndReason::daily_budget;
  const bool has_failed = reason == EndReason::hook_unanswered || reason == EndReason::usage_limit;
  return has_failed ? EndReason::turn_error : EndReason::stopped;
}

Attention earlier(Attention attention) {
  if (attention <= kLastAttention) return attention;
  return attention == Attention::asks ? Attention::waiting_for_input : Attention::none;
}

NotificationKind earlier(NotificationKind kind) {
  if (kind <= kLastKind) return kind;
  if (kind == NotificationKind::all_killed) return NotificationKind::killed;
  return kind == NotificationKind::tasks_lost ? NotificationKind::cut_off
                                              : NotificationKind::waiting;
}

void change(projections::SessionRow& row) {
  row.end_reason = earlier(row.end_reason);
  row.pause = earlier(row.pause);
  row.attention = earlier(row.attention);
}

void change(ListAnswer& answer) {
  for (projections::SessionRow& row : answer.sessions) change(row);
}

void change(AttentionAnswer& answer) {
  for (projections::SessionRow& row : answer.sessions) change(row);
  std::erase_if(answer.sessions, [](const projections::SessionRow& row) {
    return row.attention == Attention::none;
  });
}

void change(ShowAnswer& answer) {
  change(answer.session);
}

void change(OutputAnswer& answer) {
  change(answer.session);
  std::erase_if(answer.items, [](const OutputItem& item) { return item.kind > kLastItem; });
}

void change(NotificationsAnswer& answer) {
  for (NotificationRow& row : answer.notifications) {
    row.kind = earlier(row.kind);
    if (row.target > kLastTarget) row.target = NotificationTarget::webhook;
  }
}

void change(SchedulesAnswer& answer) {
  for (domain::Schedule& schedule : answer.schedules) {
    for (domain::ScheduleRun& run : schedule.runs) {
      if (run.skipped > kLastSkip) run.skipped = SkipReason::overlap;
    }
  }
}

void change(bus::LogPage& page) {
  std::erase_if(page.events, [](const bus::FeedEvent& event) {
    const auto envelope = domain::decode_envelope(event.facts.bytes);
    return envelope && !is_earlier_event(envelope->type);
  });
}

template <class Answer>
base::RawValue changed(base::RawValue body) {
  auto answer = bus::from_body<Answer>(body);
  if (!answer) return body;
  change(*answer);
  return bus::to_body(*answer);
}

}  // namespace

bool knows_earlier_names_only(const bus::Hello& hello) {
  const auto& features = hello.features;
  return !hello.release.empty() &&
         std::find(features.begin(), features.end(), kFeatureNames) == features.end();
}

base::RawValue in_earlier_names(std::string_view verb, base::RawValue answer) {
  if (verb == kVerbList) return changed<ListAnswer>(std::move(answer));
  if (verb == kVerbAttention) return changed<AttentionAnswer>(std::move(answer));
  if (verb == kVerbShow) return changed<ShowAnswer>(std::move(answer));
  if (verb == kVerbOutput) return changed<OutputAnswer>(std::move(answer));
  if (verb == kVerbNotifications) return changed<NotificationsAnswer>(std::move(answer));
  if (verb == kVerbSchedules) return changed<SchedulesAnswer>(std::move(answer));
  if (verb == bus::kReadVerb) return changed<bus::LogPage>(std::move(answer));
  return answer;
}

bool is_earlier_event(std::string_view type) {
  static_assert(std::is_sorted(std::begin(kEarlierEvents), std::end(kEarlierEvents)));
  return std::binary_search(std::begin(kEarlierEvents), std::end(kEarlierEvents), type);
}

void mean_as_earlier(domain::Command& command) {
  auto* of_session = std::get_if<domain::SessionCommand>(&command);
  auto* spawn = of_session == nullptr ? nullptr : std::get_if<domain::Spawn>(of_session);
  if (spawn != nullptr) spawn->spec.approvals = domain::Approvals::deny;
}

}  // namespace workers
