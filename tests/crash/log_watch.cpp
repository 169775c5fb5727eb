// Reads pages up to the durable head and folds every session's state; the first impossible event is
// reported with its position.
#include "tests/crash/log_watch.hpp"

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"

namespace crash {
namespace {

constexpr Duration kPageMax = std::chrono::seconds(20);

}  // namespace

Result<void> LogWatch::catch_up(Load& load) {
  for (;;) {
    const bus::ReadRequest request{std::string(bus::kAllLevel), position_, 0, 0};
    const auto page = load.query<bus::LogPage>(bus::kReadVerb, request, kPageMax);
    if (!page) return tl::unexpected(page.error());
    if (page->head < position_) {
      return base::failure(base::ErrorCode::damaged,
                           "the log ends at position " + std::to_string(page->head.value) +
                               ", and it had reached " + std::to_string(position_.value));
    }
    for (const bus::FeedEvent& seen : page->events) {
      auto event = domain::decode_facts(seen.facts.bytes);
      if (!event) return tl::unexpected(event.error());
      event->envelope.position = seen.position;
      if (auto wrong = take(*event); !wrong.empty()) {
        return base::failure(base::ErrorCode::damaged,
                             "position " + std::to_string(seen.position.value) + " (" +
                                 event->envelope.type + "): " + wrong,
                             event->envelope.stream);
      }
    }
    if (position_ >= page->head) return {};
  }
}

std::string LogWatch::take(const domain::RecordedEvent& event) {
  const domain::Envelope& e = event.envelope;
  if (e.position != position_.next()) return "position is not dense";
  position_ = e.position;
  ++counts_[e.type];
  const auto ref = domain::parse_stream(e.stream);
  const bool is_of_session = ref && ref->is<domain::SessionStream>();
  if (e.actor_kind == domain::ActorKind::client) {
    const auto [found, is_new] =
        commands_.try_emplace(e.command, CommandEvents{e.position, {}, {}});
    if (!is_new && found->second.last.next() != e.position) return "its command was decided twice";
    found->second.last = e.position;
    if (is_of_session) found->second.last_of[ref->id] = e.position;
  }
  if (!is_of_session) return {};
  domain::SessionState& state = sessions_[ref->id];
  domain::evolve(state, e, event.event);
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
