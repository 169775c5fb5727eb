#include "tests/crash/log_watch.hpp"

#include <limits>

#include "eventlog/log_folder.hpp"
#include "eventlog/log_reader.hpp"
#include "eventlog/session/evolve.hpp"
#include "eventlog/session/stream_name.hpp"

namespace crash {

base::Result<bool> LogWatch::catch_up() {
  base::SystemRandom random;
  const auto log = eventlog::open_log(data_folder_, eventlog::LogMode::read_only, random);
  if (!log) return tl::unexpected(log.error());
  const Position tail = log->store->tail();
  if (tail < position_) {
    return base::failure(base::ErrorCode::damaged,
                         "the log ends at position " + std::to_string(tail.value) +
                             ", and it had reached " + std::to_string(position_.value));
  }
  const auto events = eventlog::read_events(*log->store, position_.next(), tail,
                                            {std::numeric_limits<std::size_t>::max(), false});
  if (!events) return tl::unexpected(events.error());
  for (const session::RecordedEvent& event : *events) {
    if (auto wrong = take(event); !wrong.empty()) {
      return base::failure(base::ErrorCode::damaged,
                           "position " + std::to_string(event.envelope.position.value) + " (" +
                               event.envelope.type + "): " + wrong,
                           event.envelope.stream);
    }
  }
  return true;
}

std::string LogWatch::take(const session::RecordedEvent& event) {
  const session::Envelope& e = event.envelope;
  if (e.position != position_.next()) return "position is not dense";
  position_ = e.position;
  ++counts_[e.type];
  const auto ref = session::parse_stream(e.stream);
  const bool is_of_session = ref && ref->kind == session::StreamKind::session;
  if (e.actor_kind == session::ActorKind::client) {
    const auto [found, is_new] =
        commands_.try_emplace(e.command, CommandEvents{e.position, {}, {}});
    if (!is_new && found->second.last.next() != e.position) return "its command was decided twice";
    found->second.last = e.position;
    if (is_of_session) found->second.last_of[ref->session] = e.position;
  }
  if (!is_of_session) return {};
  session::SessionState& state = sessions_[ref->session];
  session::evolve(state, e, event.event);
  return state.inconsistent.value != 0 ? "is impossible in its session's state" : "";
}

const CommandEvents* LogWatch::find(base::CommandId command) const {
  const auto found = commands_.find(command);
  return found == commands_.end() ? nullptr : &found->second;
}

std::int64_t LogWatch::count(const std::string& type) const {
  const auto found = counts_.find(type);
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace crash
