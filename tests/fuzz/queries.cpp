// The bodies of queries from clients, and of answers that clients read.
#include "workers/protocol/queries.hpp"
#include "bus/log_reader.hpp"
#include "projections/views/metrics.hpp"
#include "tests/fuzz/values.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/protocol/conversations.hpp"
#include "workers/protocol/copies.hpp"
#include "workers/protocol/hook_steps.hpp"
#include "workers/protocol/hooks.hpp"
#include "workers/protocol/notifications.hpp"
#include "workers/protocol/rules.hpp"
#include "workers/protocol/schedules.hpp"
#include "workers/protocol/status.hpp"
#include "workers/server/older_requests.hpp"

// The first byte chooses the kind of body; see with_one_of.
void fuzz::run(ByteView in) {
  read_one_of<workers::QueryBody, bus::ReadRequest, workers::ListAnswer, workers::AttentionAnswer,
              workers::ShowAnswer, workers::OutputAnswer, projections::MetricsReport,
              workers::DigestsAnswer, workers::StatusAnswer, workers::FlightAnswer,
              workers::CommandReplyBody, workers::ServerCommandReplyBody, bus::LogPage,
              workers::BackupBody, workers::CopyReplyBody, workers::BackupsAnswer,
              workers::AnchorReplyBody, workers::AnchorsAnswer, workers::ArchiveBody,
              workers::ArchivesAnswer, workers::NotificationsAnswer, workers::OutboxReplyBody,
              workers::SchedulesAnswer, workers::SchedulesReplyBody, workers::AsksAnswer,
              workers::HooksAnswer, workers::ConversationsAnswer, workers::ConversationReplyBody,
              workers::RulesAnswer, workers::RulesReplyBody, workers::HookStepBody,
              workers::HookStepAnswer, workers::SearchAnswer, workers::RecordAnswer>(in);
}
