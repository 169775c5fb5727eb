// Checks events: their facts, streams, times and contents. Problems go into Findings, which
// verify.cpp, the part that checks blocks, shares with it.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "eventlog/base/blake2b_lanes.hpp"
#include "eventlog/domain/aggregates.hpp"
#include "eventlog/proof/verify.hpp"
#include "eventlog/proof/verify_anchors.hpp"
#include "eventlog/proof/verify_erasures.hpp"

namespace eventlog {

struct Findings {
  VerifyReport report;
  Position lost_through;  // events up to here are missing or cannot be read

  void add(Position position, std::string text, base::ErrorCode code = base::ErrorCode::damaged) {
    add({position, position, code, std::move(text)});
  }
  void add(Problem problem);
  // Forgets what was found at that position: a later event has made it consistent again.
  void forgive(Position position);
  // Problems behind a loss can follow from it.
  void lose_through(Position position) { lost_through = std::max(lost_through, position); }
};

// "event 7 is …", "events 7 to 9 are …"
std::string range_text(Position from, Position through, std::string_view what);

class EventVerifier {
 public:
  // Both outlive it.
  EventVerifier(BlockStore& store, Findings& findings) : store_(store), findings_(findings) {}

  // Takes all events of a whole block. `content` is null when it cannot be read. Returns the first
  // event, or none if its facts cannot be read.
  std::optional<domain::RecordedEvent> take(const BlockView& block, const Bytes* content);

  // Call before any block.
  void know(const VerifyBesides& besides) {
    erasures_.allow(besides.later);
    anchors_.believe(besides.keys);
    if (besides.begin) anchors_.begin_at(*besides.begin);
    base_rows_ = besides.base_rows;
  }
  // Call after the last block.
  void finish() {
    erasures_.finish(store_, findings_);
    anchors_.finish(findings_);
  }

  std::size_t streams() const { return streams_.size(); }

 private:
  struct Stream {
    base::StreamVersion version;
    Position last;
    std::optional<domain::StreamState> state;       // none: an event of the stream is missing
    ErasureVerifier::Contents* contents = nullptr;  // null: none seen yet
  };

  void begin_stream(Stream& stream, const domain::Envelope& envelope);
  bool take_event(ByteView facts, Position position);
  void check_stream(const domain::RecordedEvent& event, bool is_decoded);
  void check_version(const Stream& stream, const domain::Envelope& envelope);
  void check_time(const BlockHeader& header, const domain::RecordedEvent& event);
  void check_content(const domain::RecordedEvent& event, const StoredContentView* stored);
  bool decode_content(const BlockView& block, const Bytes* content);

  BlockStore& store_;
  Findings& findings_;
  base::Time time_;              // log time of the event before
  domain::RecordedEvent event_;  // the event that is being checked
  Stream* stream_ = nullptr;     // the stream of `event_`
  ContentBlockView contents_;    // contents of the block that is being checked
  std::vector<Hash> digests_;    // of the bytes in each entry, with the entry's salt
  ErasureVerifier erasures_;
  AnchorVerifier anchors_;
  KeyValueStore* base_rows_ = nullptr;  // null: all streams begin in the log
  std::unordered_map<std::string, Stream> streams_;
};

}  // namespace eventlog
