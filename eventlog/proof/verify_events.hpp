// The part of proving a log that looks at events: their facts, streams, times and contents. What it
// finds goes into Findings, which the part that looks at blocks (verify.cpp) shares with it.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "eventlog/base/many_hashes.hpp"
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
  // What is amiss behind a loss may follow from it.
  void lose_through(Position position) { lost_through = std::max(lost_through, position); }
};

// "event 7 is …", "events 7 to 9 are …"
std::string range_text(Position from, Position through, std::string_view what);

class EventVerifier {
 public:
  // Both outlive it.
  EventVerifier(BlockStore& store, Findings& findings) : store_(store), findings_(findings) {}

  // All events of a whole block. `content`: null when it cannot be read. Returns the first event,
  // unless its facts cannot be read.
  std::optional<domain::RecordedEvent> take(const BlockView& block, const Bytes* content);

  // Before any block.
  void know(const VerifyBesides& besides) {
    erasures_.allow(besides.later);
    anchors_.believe(besides.keys);
    if (besides.begin) anchors_.begin_at(*besides.begin);
    base_rows_ = besides.base_rows;
  }
  // Once all blocks have been taken.
  void finish() {
    erasures_.finish(store_, findings_);
    anchors_.finish(findings_);
  }

  std::size_t streams() const { return streams_.size(); }

 private:
  struct Stream {
    base::StreamVersion version;
    Position last;
    std::optional<domain::StreamState> state;       // none: an event of it is missing
    ErasureVerifier::Contents* contents = nullptr;  // null: none has been seen
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
  base::Time time_;              // of the event before
  domain::RecordedEvent event_;  // that is being looked at
  Stream* stream_ = nullptr;     // of it
  ContentBlockView contents_;    // of the block that is being looked at
  std::vector<Hash> digests_;    // of the bytes in each of its entries, with the entry's salt
  ErasureVerifier erasures_;
  AnchorVerifier anchors_;
  KeyValueStore* base_rows_ = nullptr;  // null: all streams begin in the log
  std::unordered_map<std::string, Stream> streams_;
};

}  // namespace eventlog
