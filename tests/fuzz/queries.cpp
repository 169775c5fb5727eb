// Questions that clients ask, and the answers that they believe.
#include "bus/log_reader.hpp"
#include "projections/metrics.hpp"
#include "tests/fuzz/values.hpp"
#include "workers/anchors.hpp"
#include "workers/archives.hpp"
#include "workers/backups.hpp"
#include "workers/older_requests.hpp"
#include "workers/protocol.hpp"
#include "workers/query_service.hpp"
#include "workers/server.hpp"

// The first byte chooses the kind of body: see with_one_of.
void fuzz::run(ByteView in) {
  read_one_of<workers::QueryBody, bus::ReadRequest, workers::ListAnswer, workers::ShowAnswer,
              workers::OutputAnswer, projections::MetricsReport, workers::DigestsAnswer,
              workers::StatusAnswer, workers::FlightAnswer, workers::CommandReplyBody,
              workers::ServerCommandReplyBody, bus::LogPage, workers::BackupBody,
              workers::CopyReplyBody, workers::BackupsAnswer, workers::AnchorReplyBody,
              workers::AnchorsAnswer, workers::ArchiveBody, workers::ArchivesAnswer>(in);
}
