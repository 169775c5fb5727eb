// Rows as they are read back from the key-value store, each under the key that is looked up:
// content blocks, checkpoints, snapshots of streams, and rows of projections.
#include "eventlog/domain/conversation/lanes_state.hpp"
#include "eventlog/folder/archived_base.hpp"
#include "eventlog/log/snapshot_store.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/proof/anchor.hpp"
#include "eventlog/proof/erased_after_copy.hpp"
#include "eventlog/proof/signing_key.hpp"
#include "eventlog/store/block.hpp"
#include "eventlog/store/memory_store.hpp"
#include "projections/fold/projector.hpp"
#include "projections/start/startup_rows.hpp"
#include "projections/views/conversation_list.hpp"
#include "projections/views/erasures.hpp"
#include "projections/views/metrics.hpp"
#include "projections/views/resume_index.hpp"
#include "projections/views/session_list.hpp"
#include "tests/fuzz/values.hpp"

namespace {

using base::Bytes;
using base::ByteView;
using fuzz::require;
using fuzz::Source;

constexpr std::string_view kAgent = "main";

void put(eventlog::KeyValueStore& store, Bytes key, ByteView value) {
  eventlog::WriteBatch batch;
  batch.put(std::move(key), Bytes(value));
  require(store.write(batch).has_value(), "memory takes everything");
}

// Reads the snapshot of one stream; the source chooses its kind and content.
void read_snapshot(Source& source) {
  static const char* const kStreams[] = {"main/session/01890a5d-ac96-774b-bcce-b302099a8057",
                                         "main/registry",
                                         "$admission",
                                         "$outbox",
                                         "$server",
                                         "nothing"};
  const auto store = eventlog::make_memory_key_value_store();
  eventlog::SnapshotStore snapshots(*store);
  const std::string stream = kStreams[source.byte() % std::size(kStreams)];
  if (source.byte() % 2 == 0) {
    put(*store, "s/" + stream, source.rest());
  } else {
    // A valid snapshot envelope around a state that the rest describes.
    Bytes state;
    fuzz::make_value<domain::SessionState>(source, state);
    fuzz::damage(source, state);
    Bytes row;
    base::MsgpackWriter writer(row);
    writer.map(2);
    writer.text("schema");
    writer.integer(domain::kSchemaOf<domain::SessionState>);
    writer.text("state");
    writer.raw(state);
    put(*store, "s/" + stream, row);
  }
  const auto loaded = snapshots.load(stream);
  if (!loaded || !*loaded) return;
  require(snapshots.save(stream, **loaded).has_value(), "what was loaded can be saved");
  const auto again = snapshots.load(stream);
  require(again && *again && (*again)->state == (*loaded)->state &&
              (*again)->version == (*loaded)->version && (*again)->last == (*loaded)->last,
          "and is the same then");
}

// Stores one row of the stream index, a checkpoint or a projection, then runs everything that reads
// it.
void read_rows(Source& source) {
  const base::SessionId id = *base::SessionId::parse("01890a5d-ac96-774b-bcce-b302099a8057");
  const auto store = eventlog::make_memory_key_value_store();
  const Bytes order(8, '\x7F');
  const Bytes session_key = projections::session_key(kAgent, id);
  const std::string stream = domain::session_stream(kAgent, id);
  const Bytes keys[] = {"i/",
                        Bytes("i/main/registry\0\0\0\0\0\0\0\0\x02", 24),
                        "checkpoint/session_list",
                        "session_list/" + session_key,
                        "session_list/o/main/\x02" + order,
                        "session_list/o//\x02" + order,
                        "session_list/c/main",
                        "session_list/n/main/name",
                        "session_list/a/main/alias000",
                        "session_list/u/main/agent-session",
                        "metrics/t/main",
                        "metrics/d/main/2026-11-20",
                        "metrics/" + session_key,
                        "resume_index/" + session_key,
                        "resume_index/n/main/name",
                        "session_list/r/main/" + Bytes(id.view()) + order,
                        "session_list/e/main/" + Bytes(id.view()),
                        "session_list/k/failed/" + order + "/main/" + Bytes(id.view()),
                        "conversation_list/w/" + Bytes(id.view()),
                        "takeover/" + session_key,
                        "takeover/b/$admission",
                        "takeover/b/main/registry",
                        Bytes("takeover/j/$server\0\0\0\0\0\0\0\0\x01", 27)};
  while (!source.is_empty()) {
    const std::uint8_t choice = source.byte();
    const Bytes& key = keys[choice % std::size(keys)];
    if (choice < 128) {
      put(*store, key, source.piece());
      continue;
    }
    Bytes row;
    if (choice < 160) fuzz::make_value<projections::ResumeRecord>(source, row);
    if (choice >= 160 && choice < 192) fuzz::make_value<projections::MetricsTotals>(source, row);
    if (choice >= 192 && choice < 208) fuzz::make_value<projections::NameRef>(source, row);
    if (choice >= 208 && choice < 216) fuzz::make_value<projections::Erasure>(source, row);
    if (choice >= 216 && choice < 224) fuzz::make_value<projections::PendingRow>(source, row);
    if (choice >= 224 && choice < 232) fuzz::make_value<projections::KeptContent>(source, row);
    if (choice >= 232 && choice < 244) fuzz::make_value<domain::LaneWork>(source, row);
    if (choice >= 244) row = base::encode(projections::SessionRef{id});
    fuzz::damage(source, row);
    put(*store, key, row);
  }
  eventlog::StreamIndex index(*store);
  static_cast<void>(index.position());
  static_cast<void>(index.blocks_after("main/registry", {}));
  static_cast<void>(projections::read_checkpoint(*store, "session_list"));
  static_cast<void>(projections::list_sessions(*store, {}));
  static_cast<void>(projections::get_session(*store, kAgent, id));
  for (const char* reference : {"name", "alias000", "alias", "0189", "agent-session"}) {
    static_cast<void>(projections::resolve_session(*store, kAgent, reference));
    static_cast<void>(projections::find_resumable(*store, kAgent, reference));
  }
  static_cast<void>(projections::resolve_agent_session(*store, kAgent, id.text()));
  static_cast<void>(projections::read_erasures(*store, stream));
  static_cast<void>(projections::pending_erasures(*store, 8));
  static_cast<void>(projections::list_lanes(*store));
  static_cast<void>(projections::read_takeover(*store));
  static_cast<void>(
      projections::kept_content(*store, domain::SessionStatus::failed, base::Time{INT64_MAX}, 8));
  for (const char* agent : {"", "main"}) {
    const auto metrics = projections::read_metrics(*store, agent);
    if (!metrics) continue;
    require(base::decode<projections::MetricsReport>(base::encode(*metrics)) == *metrics,
            "what a query answers can be sent");
  }
}

}  // namespace

// The first byte chooses a snapshot, a row or a single value.
void fuzz::run(ByteView in) {
  Source source(in);
  switch (source.byte() % 3) {
    case 0:
      return read_snapshot(source);
    case 1:
      return read_rows(source);
    default:
      return read_one_of<eventlog::Checkpoint, eventlog::ContentBlock, domain::SessionState,
                         domain::LineageState, domain::RegistryState, domain::AdmissionState,
                         domain::ServerState, projections::StoredCheckpoint,
                         projections::SessionRef, projections::NameRef, projections::MetricsTotals,
                         projections::ResumeRecord, projections::Erasure, projections::PendingRow,
                         projections::KeptContent, eventlog::LaterErasures, eventlog::SignedAnchor,
                         eventlog::Anchor, domain::AnchorMade, eventlog::BaseFile>(source.rest());
  }
}
