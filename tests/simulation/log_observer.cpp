// Reads the store in pages of events with content, and folds every stream to hold each event
// against the state before it.
#include "tests/simulation/log_observer.hpp"

#include <algorithm>
#include <set>

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/log_reader.hpp"

namespace simulation {
namespace {

using domain::RecordedEvent;

constexpr std::size_t kAtOnce = 1 << 20;  // bytes of facts between two readings

std::string at(const RecordedEvent& event, const std::string& what) {
  return "position " + std::to_string(event.envelope.position.value) + " (" + event.envelope.type +
         " of " + event.envelope.stream + "): " + what;
}

bool is_inconsistent(const domain::StreamState& state) {
  return std::visit(
      [](const auto& s) {
        if constexpr (requires { s.inconsistent; }) {
          return s.inconsistent.value != 0;
        } else {
          return false;
        }
      },
      state);
}

}  // namespace

std::string LogObserver::follow(eventlog::BlockStore& store) {
  while (position_ < store.tail()) {
    const auto blocks = store.read(position_.next(), kAtOnce, true);
    if (!blocks) return base::describe(blocks.error());
    if (blocks->empty()) return "the log's tail cannot be read";
    for (const auto& stored : *blocks) {
      if (auto wrong = take_block(store, stored); !wrong.empty()) return wrong;
    }
  }
  return {};
}

std::string LogObserver::take_block(eventlog::BlockStore& store,
                                    const eventlog::StoredBlock& stored) {
  const auto block = eventlog::parse_block(stored.facts);
  if (!block) return base::describe(block.error());
  if (block->header.first != position_.next()) {
    return "a block does not begin where the last one ended";
  }
  if (block->header.previous != hash_) return "the chain of hashes is broken";
  eventlog::ContentBlockView contents;
  if (!stored.content.empty()) {
    auto decoded = base::decode<eventlog::ContentBlockView>(stored.content);
    if (!decoded) return base::describe(decoded.error());
    contents = std::move(*decoded);
  }
  auto content = contents.entries.begin();
  std::int64_t index = 0;
  for (const base::ByteView facts : block->events) {
    auto event = domain::decode_facts(facts);
    if (!event) return base::describe(event.error());
    position_ = event->envelope.position = position_.next();
    if (content != contents.entries.end() && content->index == index) {
      auto opened = eventlog::open_content(store, event->envelope, *content++);
      if (!opened) return at(*event, base::describe(opened.error()));
      event->content = std::move(*opened);
    } else if (event->envelope.content) {
      return at(*event, "its content is missing");
    }
    ++index;
    if (auto wrong = take(*event); !wrong.empty()) return wrong;
    events_.push_back(std::move(*event));
  }
  hash_ = block->hash();
  return {};
}

std::string LogObserver::take(const RecordedEvent& event) {
  const domain::Envelope& e = event.envelope;
  base::StreamVersion& version = versions_[e.stream];
  if (e.version != version.next()) return at(event, "version is not dense");
  version = e.version;
  if (e.log_time < time_) return at(event, "log time went back");
  time_ = e.log_time;
  auto found = states_.find(e.stream);
  if (found == states_.end()) {
    auto empty = domain::initial_state(e.stream);
    if (!empty) return at(event, "is of no known kind of stream");
    found = states_.emplace(e.stream, std::move(*empty)).first;
  }
  if (auto wrong = check_token(event); !wrong.empty()) return wrong;
  domain::evolve(found->second, e, event.event);
  if (is_inconsistent(found->second)) return at(event, "is impossible in its stream's state");
  if (const auto* started = event.event.as<domain::TurnStarted>()) {
    started_.emplace(started->turn, started->token);
  }
  ++types_[e.type];
  if (!e.command.is_set()) return {};
  const auto [group, is_new] = commands_.try_emplace(
      e.command, CommandGroup{e.position, e.position, e.stream, e.version, e.actor_kind});
  if (!is_new && group->second.last.next() != e.position) {
    return at(event, "its command was decided twice");
  }
  group->second.last = e.position;
  return {};
}

std::string LogObserver::check_token(const RecordedEvent& event) {
  const domain::Envelope& e = event.envelope;
  base::FencingToken& highest = tokens_[e.stream];
  if (const auto* granted = event.event.as<domain::LeaseGranted>()) {
    if (granted->token <= highest) return at(event, "its token does not grow");
    highest = granted->token;
  }
  if (e.token.value == 0 || e.report_sequence == 0) return {};
  const auto ref = domain::parse_stream(e.stream);
  if (!ref || !ref->is<domain::SessionStream>()) return {};
  if (e.token != highest) return at(event, "was reported under an old token");
  std::int64_t& sequence = sequences_[{e.stream, e.token}];
  if (e.report_sequence != sequence && e.report_sequence != sequence + 1) {
    return at(event, "report " + std::to_string(e.report_sequence) + " came after report " +
                         std::to_string(sequence));
  }
  sequence = e.report_sequence;
  return {};
}

const domain::SessionState* LogObserver::session(const std::string& stream) const {
  const auto found = states_.find(stream);
  return found == states_.end() ? nullptr : std::get_if<domain::SessionState>(&found->second);
}

base::StreamVersion LogObserver::version(const std::string& stream) const {
  const auto found = versions_.find(stream);
  return found == versions_.end() ? base::StreamVersion{} : found->second;
}

namespace {

// A session that has an agent has a place; one without agent and work has none; and those whose
// prompts wait for one are in line.
std::string check_places(const domain::AdmissionState& admission,
                         const std::set<base::SessionId>& with_agent,
                         const std::set<base::SessionId>& parked,
                         const std::set<base::SessionId>& awaiting) {
  const std::set<base::SessionId>& known = admission.parked;
  if (!std::includes(known.begin(), known.end(), parked.begin(), parked.end())) {
    return "a session without an agent and work takes a place";
  }
  const auto has_agent = [&](base::SessionId one) { return with_agent.contains(one); };
  if (std::any_of(known.begin(), known.end(), has_agent)) return "a parked session has an agent";
  if (std::set(admission.awaiting.begin(), admission.awaiting.end()) != awaiting) {
    return "other sessions are in line for a place than wait for one";
  }
  return {};
}

}  // namespace

std::string LogObserver::check_streams_agree() const {
  std::map<base::SessionId, std::string> live;
  std::map<base::SessionId, std::string> unsettled;
  std::set<base::SessionId> parked;      // those that must be
  std::set<base::SessionId> with_agent;  // those that cannot be
  std::set<base::SessionId> awaiting;
  std::map<std::string, std::map<std::string, base::SessionId>> names;
  std::map<std::string, domain::NameHolder> given;
  std::map<std::int64_t, domain::NameHolder> made;
  for (const auto& [stream, state] : states_) {
    const auto* s = std::get_if<domain::SessionState>(&state);
    if (s == nullptr) continue;
    if (domain::is_live(s->status)) {
      live[s->session] = s->agent;
      if (s->lease) with_agent.insert(s->session);
      if (!s->lease && !domain::has_work(*s)) parked.insert(s->session);
      if (s->pause == domain::EndReason::session_limit) awaiting.insert(s->session);
      const domain::NameHolder holder{s->session, s->alias};
      const bool is_given = !s->name.empty();
      if (is_given) names[domain::registry_stream(s->agent)][s->name] = s->session;
      const bool is_alone = is_given ? given.emplace(s->name, holder).second
                                     : made.emplace(s->made_name.mark, holder).second;
      if (!is_alone) return "two live sessions have one name";
    } else if (s->lease) {
      unsettled[s->session] = s->agent;
    }
  }
  for (const auto& [stream, state] : states_) {
    if (const auto* admission = std::get_if<domain::AdmissionState>(&state)) {
      if (admission->live != live) return "admission counts other sessions as live than there are";
      if (admission->unsettled != unsettled) {
        return "admission has other unsettled sessions than there are";
      }
      if (const auto wrong = check_places(*admission, with_agent, parked, awaiting);
          !wrong.empty()) {
        return wrong;
      }
      if (admission->names != given || admission->name_marks != made) {
        return "admission holds other names than those of the live sessions";
      }
    }
    if (const auto* registry = std::get_if<domain::RegistryState>(&state)) {
      if (registry->names != names[stream]) {
        return stream + " holds other names than those of the live sessions";
      }
    }
  }
  return {};
}

}  // namespace simulation
