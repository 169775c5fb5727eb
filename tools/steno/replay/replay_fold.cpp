// Reads the log once, in batches, and folds each session's events with the domain's evolve().
#include "tools/steno/replay/replay_fold.hpp"

#include <algorithm>
#include <variant>

#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/log_reader.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Position;
using base::Result;
using base::Time;
using domain::RecordedEvent;

// From so many digits on a number is a time: the year 1973, and beyond any log's length.
constexpr std::size_t kTimeDigitsMin = 14;
constexpr std::size_t kNumberDigitsMax = 16;

// Counts the turns that prompts began. `folded.state` is as it was before the event.
void count_turns(FoldedSession& folded, const domain::Event& event) {
  const auto ends = [&](const auto* e) {
    return e != nullptr && (!e->turn.is_set() || e->turn != folded.state.own_turn);
  };
  folded.turns_queued += event.is<domain::TurnQueued>();
  folded.turns_finished += ends(event.as<domain::TurnFinished>());
  folded.turns_failed += ends(event.as<domain::TurnFailed>());
  folded.turns_interrupted += ends(event.as<domain::TurnInterrupted>());
}

void apply(Fold& fold, const RecordedEvent& event) {
  const domain::Envelope& envelope = event.envelope;
  fold.position = envelope.position;
  fold.log_time = envelope.log_time;
  const auto ref = domain::parse_stream(envelope.stream);
  if (!ref || !ref->is<domain::SessionStream>()) return;
  // A session that began in an archive: its remaining events do not make a state.
  if (envelope.version.value > 1 && !fold.sessions.contains(envelope.stream)) return;
  FoldedSession& folded = fold.sessions[envelope.stream];
  count_turns(folded, event.event);
  domain::evolve(folded.state, envelope, event.event);
  folded.version = envelope.version;
  folded.last = envelope.position;
  folded.updated_at = envelope.log_time;
  if (event.event.is<domain::SessionOpened>()) {
    folded.opened_at = envelope.log_time;
  }
}

// Fails if the log may be shorter than it was: its state must not pass for that at the real end.
Result<void> check_end(const eventlog::UnprovedLog& log, const FoldEnd& end) {
  const Position tail = log.store->tail();
  if (end.is_position) {
    if (end.position <= tail) return {};
    const bool is_lost =
        log.store_error || log.head_error || (log.head && end.position <= log.head->position);
    return base::failure(is_lost ? ErrorCode::damaged : ErrorCode::not_found,
                         is_lost ? "the event is missing" : "there is no such event yet",
                         "position " + std::to_string(end.position.value) +
                             ", and the log ends at " + std::to_string(tail.value));
  }
  if (log.store_error) return tl::unexpected(*log.store_error);
  if (log.head_error) return tl::unexpected(*log.head_error);
  if (log.head && log.head->position > tail) {
    // A last block of a newer format does not say how far it goes.
    const auto last = eventlog::read_events(*log.store, tail, tail, {1, false});
    if (!last && last.error().code == ErrorCode::wrong_log) return tl::unexpected(last.error());
    return base::failure(ErrorCode::damaged,
                         "events " + std::to_string(tail.value + 1) + " to " +
                             std::to_string(log.head->position.value) +
                             " are missing; name a position before them with --at");
  }
  return {};
}

}  // namespace

Result<FoldEnd> parse_fold_end(const std::string& at) {
  FoldEnd end;
  if (at.empty()) return end;
  const bool is_number = at.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && at.size() <= kNumberDigitsMax) {
    const std::int64_t number = std::stoll(at);
    if (at.size() >= kTimeDigitsMin) {
      end.time = Time{number};
    } else {
      end.position = Position{number};
      end.is_position = true;
    }
    return end;
  }
  const auto time = base::parse_time_text(at);
  if (!time) {
    return base::failure(ErrorCode::invalid, "'" + at +
                                                 "' is neither a position nor a time such as "
                                                 "2026-11-20T12:00:00Z or microseconds since 1970");
  }
  end.time = *time;
  return end;
}

Result<Fold> fold_log(const eventlog::UnprovedLog& log, const FoldEnd& end,
                      ProgressLine& progress) {
  if (log.base_error) return tl::unexpected(*log.base_error);
  const Position before = log.base ? log.base->anchor.at.position : Position{0};
  if (log.base && end.is_position && end.position < before) {
    if (auto ok = check_begin(log); !ok) return tl::unexpected(ok.error());
  }
  if (auto ok = check_end(log, end); !ok) return tl::unexpected(ok.error());
  eventlog::BlockStore& store = *log.store;
  const Position through = std::min(end.position, store.tail());
  Fold fold;
  fold.begins = before.next();
  fold.position = before;
  if (auto first = store.read(fold.begins, 1, false); first && !first->empty()) {
    if (auto block = eventlog::parse_block(first->front().facts)) fold.log = block->header.log;
  }
  while (fold.position < through) {
    const Position next = fold.position.next();
    const auto events = eventlog::read_events(store, next, through, {eventlog::kScanBytes, false});
    if (!events) return tl::unexpected(events.error());
    for (const RecordedEvent& event : *events) {
      if (event.envelope.log_time > end.time) {
        const bool is_archived = log.base && fold.position == before;
        if (is_archived) return tl::unexpected(check_begin(log).error());
        return fold;
      }
      if (event.envelope.position != fold.position.next()) break;
      apply(fold, event);
    }
    if (fold.position < next) {
      return base::failure(ErrorCode::damaged, "the event is missing",
                           "position " + std::to_string(next.value));
    }
    progress.show(fold.position, through);
  }
  return fold;
}

}  // namespace steno
