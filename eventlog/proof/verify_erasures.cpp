// Missing and present contents are kept as ranges of versions for each stream. Only if something is
// amiss is the log read again, to turn versions into positions.
#include "eventlog/proof/verify_erasures.hpp"

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/proof/verify_events.hpp"

namespace eventlog {
namespace {

using domain::VersionRanges;

// Consecutive contents with the same fault, listed as one line.
struct Run {
  Position first;
  Position last;
};

}  // namespace

void ErasureVerifier::allow(const LaterErasures& later) {
  for (const LaterErasure& erasure : later.erasures) {
    Contents& contents = contents_[erasure.stream];
    contents.erased_ = domain::united(contents.erased_, erasure.events);
  }
}

void ErasureVerifier::take(const domain::RecordedEvent& event) {
  const domain::Envelope& envelope = event.envelope;
  if (const auto* erased = event.event.as<domain::ContentErased>()) {
    // An improper ContentErased is listed as impossible in its stream.
    if (!domain::is_proper(erased->events)) return;
    Contents& contents = contents_[envelope.stream];
    contents.erased_ = domain::united(contents.erased_, erased->events);
    contents.asked_.push_back({envelope.version, erased->events});
  } else if (const auto* done = event.event.as<domain::ContentErasureCompleted>()) {
    Contents& contents = contents_[envelope.stream];
    std::erase_if(contents.asked_, [&](const Contents::Asked& asked) {
      if (asked.version > done->through) return false;
      contents.completed_ = domain::united(contents.completed_, asked.events);
      return true;
    });
  }
}

void ErasureVerifier::Contents::note(base::StreamVersion version, bool is_there) {
  VersionRanges& ranges = is_there ? there_ : missing_;
  if (!ranges.empty() && was_missing_ == !is_there) {
    ranges.back().last = version;
  } else {
    ranges.push_back({version, version});
  }
  was_missing_ = !is_there;
}

ErasureVerifier::Amiss ErasureVerifier::amiss(const Contents& contents) {
  const VersionRanges missing = domain::normalized(contents.missing_);
  const VersionRanges there = domain::normalized(contents.there_);
  return {domain::without(missing, contents.erased_),
          domain::without(there, domain::without(there, contents.completed_))};
}

void ErasureVerifier::finish(BlockStore& store, Findings& findings) {
  std::unordered_map<std::string, Amiss> all;
  for (const auto& [name, contents] : contents_) {
    Amiss found = amiss(contents);
    if (!found.lost.empty() || !found.left.empty()) all.emplace(name, std::move(found));
  }
  if (!all.empty()) name_positions(all, store, findings);
}

ErasureVerifier::Fault ErasureVerifier::fault_of(
    const std::unordered_map<std::string, Amiss>& amiss, const domain::Envelope& envelope) {
  const auto found = amiss.find(envelope.stream);
  if (found == amiss.end()) return Fault::none;
  if (domain::contains(found->second.lost, envelope.version)) return Fault::lost;
  return domain::contains(found->second.left, envelope.version) ? Fault::left : Fault::none;
}

void ErasureVerifier::name_positions(const std::unordered_map<std::string, Amiss>& amiss,
                                     BlockStore& store, Findings& findings) {
  Fault fault = Fault::none;
  Run run;
  const auto tell = [&] {
    if (fault == Fault::none) return;
    const std::string events = run.first == run.last ? "event " + std::to_string(run.first.value)
                                                     : "events " + std::to_string(run.first.value) +
                                                           " to " + std::to_string(run.last.value);
    findings.add(run.first,
                 "the content of " + events +
                     (fault == Fault::lost ? " is missing, and no ContentErased explains it"
                                           : " is still there, though its erasure was completed"));
  };
  for (Position from{1}; from <= store.tail();) {
    const auto blocks = store.read(from, kScanBytes, false);
    // Unreadable blocks have been listed already.
    if (!blocks || blocks->empty()) break;
    Position reached = from;
    for (const StoredBlock& stored : *blocks) {
      const auto block = parse_block(stored.facts);
      if (!block) continue;
      for (std::size_t i = 0; i < block->events.size(); ++i) {
        const auto envelope = domain::decode_envelope(block->events[i]);
        if (!envelope || !envelope->content) continue;
        const Position position = block->header.first.plus(static_cast<std::int64_t>(i));
        const Fault here = fault_of(amiss, *envelope);
        if (here != fault) {
          tell();
          fault = here;
          run.first = position;
        }
        run.last = position;
      }
      reached = std::max(reached, block->header.last());
    }
    from = reached.next();
  }
  tell();
}

}  // namespace eventlog
