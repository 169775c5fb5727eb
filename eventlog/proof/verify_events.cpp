// Folds every stream as it goes. Once an event of a stream is missing or unreadable, its state is
// dropped, and later events of the stream are only checked for order.
#include "eventlog/proof/verify_events.hpp"

#include <algorithm>

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/log/log_reader.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;
using domain::RecordedEvent;

// Returns what an operator is to know and do about an event that is impossible in its stream.
std::string advice_of(const domain::StreamState& state, const RecordedEvent& event) {
  const auto* admission = std::get_if<domain::AdmissionState>(&state);
  const auto* admitted = event.event.as<domain::SessionAdmitted>();
  if (admission == nullptr || admitted == nullptr) return {};
  const auto other = admission->live.find(admitted->session);
  if (other == admission->live.end() || other->second == admitted->agent) return {};
  return "; the agents " + other->second + " and " + admitted->agent +
         " have a session with one id, " + admitted->session.text() +
         ", which earlier releases did not refuse; stop the server, and make a log that verifies "
         "with steno replay salvage --to NEW, which ends both";
}

}  // namespace

void Findings::forgive(Position position) {
  std::erase_if(report.problems,
                [&](const Problem& problem) { return problem.position == position; });
}

void Findings::add(Problem problem) {
  if (report.problems.size() < kProblemsMax) {
    report.problems.push_back(std::move(problem));
  } else {
    ++report.problems_left_out;
  }
}

std::string range_text(Position from, Position through, std::string_view what) {
  const std::string text = from == through ? "event " + std::to_string(from.value) + " is "
                                           : "events " + std::to_string(from.value) + " to " +
                                                 std::to_string(through.value) + " are ";
  return text + std::string(what);
}

std::optional<RecordedEvent> EventVerifier::take(const BlockView& block, const Bytes* content) {
  const bool has_content = decode_content(block, content);
  std::optional<RecordedEvent> first;
  auto next_content = contents_.entries.begin();
  for (std::size_t i = 0; i < block.events.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const bool is_decoded = take_event(block.events[i], block.header.first.plus(index));
    const StoredContentView* stored = nullptr;
    if (next_content != contents_.entries.end() && next_content->index == index) {
      stored = &*next_content++;
    }
    if (!is_decoded) continue;
    check_time(block.header, event_);
    if (has_content) check_content(event_, stored);
    erasures_.take(event_);
    anchors_.take(event_, store_, findings_);
    ++findings_.report.events;
    findings_.report.last = event_.envelope.position;
    if (i == 0) first = event_;
  }
  if (next_content != contents_.entries.end()) {
    findings_.add(block.header.first, "content of an event that is not in the block");
  }
  return first;
}

// Decodes into `contents_` and `digests_`. Returns false if the content cannot be read.
bool EventVerifier::decode_content(const BlockView& block, const Bytes* content) {
  contents_.entries.clear();
  if (content == nullptr) return false;
  if (content->empty()) return true;
  const auto decoded = base::decode_to(contents_, *content);
  if (decoded) {
    std::vector<base::HashInput> hashed;
    hashed.reserve(contents_.entries.size());
    for (const StoredContentView& entry : contents_.entries) {
      hashed.push_back({entry.content.bytes, &entry.salt});
    }
    base::blake2b_each(hashed, digests_);
    return true;
  }
  contents_.entries.clear();
  findings_.add(block.header.first,
                "the block's content cannot be read: " + base::describe(decoded.error()));
  return false;
}

// Decodes into `event_`. Returns false if the facts cannot be decoded; the envelope is then still
// used, so that the stream goes on.
bool EventVerifier::take_event(ByteView facts, Position position) {
  const auto decoded = domain::decode_facts_to(event_, facts);
  if (!decoded) {
    findings_.add(
        position, "facts cannot be read: " + base::describe(decoded.error()),
        decoded.error().code == ErrorCode::wrong_log ? ErrorCode::wrong_log : ErrorCode::damaged);
    auto envelope = domain::decode_envelope(facts);
    if (!envelope) {
      findings_.lose_through(position);
      return false;
    }
    event_ = RecordedEvent{};
    event_.envelope = std::move(*envelope);
  }
  event_.envelope.position = position;
  check_stream(event_, decoded.has_value());
  return decoded.has_value();
}

void EventVerifier::begin_stream(Stream& stream, const domain::Envelope& envelope) {
  stream.state = domain::initial_state(envelope.stream);
  if (!stream.state) {
    findings_.add(envelope.position, "'" + envelope.stream + "' is not the name of a stream");
  }
  if (!stream.state || base_rows_ == nullptr) return;
  SnapshotStore rows(*base_rows_, kBaseStreams);
  const auto version = rows.version(envelope.stream);
  auto begun = rows.load(envelope.stream);
  if (!version || !begun) {
    findings_.add(envelope.position,
                  "the state of stream " + envelope.stream +
                      " at the log's beginning cannot be read: " +
                      base::describe(!version ? version.error() : begun.error()));
    stream.state.reset();
  } else if (*version) {
    stream.version = **version;
    // A state of another release cannot be used by this one.
    stream.state.reset();
    if (*begun) stream.state = std::move((*begun)->state);
  }
}

void EventVerifier::check_stream(const RecordedEvent& event, bool is_decoded) {
  const domain::Envelope& envelope = event.envelope;
  const auto [found, is_new] = streams_.try_emplace(envelope.stream);
  Stream& stream = found->second;
  stream_ = &stream;
  if (is_new) begin_stream(stream, envelope);
  if (envelope.version != stream.version.next()) {
    check_version(stream, envelope);
    stream.state.reset();
  }
  stream.version = envelope.version;
  stream.last = envelope.position;
  if (!is_decoded) stream.state.reset();
  if (!stream.state) return;
  const Position before = domain::inconsistency(*stream.state);
  domain::evolve(*stream.state, envelope, event.event);
  const Position after = domain::inconsistency(*stream.state);
  if (before.value != 0 && after.value == 0) findings_.forgive(before);
  if (after == envelope.position) {
    findings_.add(envelope.position, envelope.type + " is impossible in the state of stream " +
                                         envelope.stream + ", which is inconsistent from here on" +
                                         advice_of(*stream.state, event));
  }
}

// Reports an event whose version is not the expected one, unless a loss explains it: lost positions
// between the stream's last event and this one can hold its missing events.
void EventVerifier::check_version(const Stream& stream, const domain::Envelope& envelope) {
  const base::StreamVersion expected = stream.version.next();
  if (envelope.version > expected && stream.last < findings_.lost_through) return;
  findings_.add(envelope.position, "stream " + envelope.stream + " is at version " +
                                       std::to_string(envelope.version.value) + " where version " +
                                       std::to_string(expected.value) + " was expected");
}

void EventVerifier::check_time(const BlockHeader& header, const RecordedEvent& event) {
  const base::Time time = event.envelope.log_time;
  if (time < time_) {
    findings_.add(event.envelope.position,
                  "log time goes back by " + std::to_string((time_ - time).count()) + " us");
  }
  if (time > header.time) {
    findings_.add(event.envelope.position, "log time is later than that of its block");
  }
  time_ = std::max(time_, time);
}

// `stored` is one of contents_, or null if there is none.
void EventVerifier::check_content(const RecordedEvent& event, const StoredContentView* stored) {
  const domain::Envelope& envelope = event.envelope;
  if (stored == nullptr && !envelope.content) return;
  Result<std::optional<std::size_t>> content = std::optional<std::size_t>();
  if (stored != nullptr) {
    const auto entry = static_cast<std::size_t>(stored - contents_.entries.data());
    content = eventlog::check_content(store_, envelope, *stored, digests_[entry]);
  }
  if (envelope.content) {
    auto& contents = stream_->contents;
    if (contents == nullptr) contents = &erasures_.contents_of(envelope.stream);
    contents->note(envelope.version, !content || *content);
  }
  if (!content) {
    findings_.add(envelope.position, base::describe(content.error()));
  } else if (!*content) {
    ++findings_.report.contents_erased;
  } else if (static_cast<std::int64_t>(**content) != envelope.content->bytes) {
    findings_.add(envelope.position, "content has another length than its event says");
  } else {
    ++findings_.report.contents;
  }
}

}  // namespace eventlog
