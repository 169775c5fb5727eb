#include "tests/simulation/checkers.hpp"

#include <algorithm>
#include <set>

#include "eventlog/log_reader.hpp"
#include "eventlog/session/evolve.hpp"
#include "eventlog/session/stream_name.hpp"
#include "projections/projections.hpp"

namespace simulation {
namespace {

using session::RecordedEvent;

std::string at(const RecordedEvent& event, const std::string& what) {
  return "position " + std::to_string(event.envelope.position.value) + " (" + event.envelope.type +
         " of " + event.envelope.stream + "): " + what;
}

struct LogChecker {
  std::map<std::string, session::StreamState> states;
  std::map<std::string, base::StreamVersion> versions;
  std::map<std::string, base::FencingToken> tokens;
  std::map<base::CommandId, base::Position> last_of_command;
  std::map<base::CommandId, std::set<base::Position>> groups;  // where a command's events begin
  base::CommandId previous_command;

  std::string take(const RecordedEvent& event) {
    const session::Envelope& e = event.envelope;
    if (e.version != versions[e.stream].next()) return at(event, "version is not dense");
    versions[e.stream] = e.version;
    auto found = states.find(e.stream);
    if (found == states.end()) {
      found = states.emplace(e.stream, *session::initial_state(e.stream)).first;
    }
    if (auto wrong = check_token(event, found->second); !wrong.empty()) return wrong;
    session::evolve(found->second, e, event.event);
    if (is_inconsistent(found->second)) return at(event, "is impossible in its stream's state");
    if (e.actor_kind == session::ActorKind::client) {
      if (e.command != previous_command) groups[e.command].insert(e.position);
      if (groups[e.command].size() > 1) return at(event, "its command was decided twice");
      last_of_command[e.command] = e.position;
    }
    previous_command = e.command;
    return {};
  }

  std::string check_token(const RecordedEvent& event, const session::StreamState& state) {
    const auto* s = std::get_if<session::SessionState>(&state);
    if (s == nullptr) return {};
    base::FencingToken& highest = tokens[event.envelope.stream];
    if (const auto* granted = std::get_if<session::LeaseGranted>(&event.event)) {
      if (granted->token <= highest) return at(event, "its token does not grow");
      highest = granted->token;
    }
    if (event.envelope.token.value == 0) return {};
    if (event.envelope.token != highest) return at(event, "was reported under an old token");
    return {};
  }

  static bool is_inconsistent(const session::StreamState& state) {
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
};

}  // namespace

std::string check_log(eventlog::BlockStore& store, const std::vector<Acknowledged>& acknowledged) {
  LogChecker checker;
  base::Position next{1};
  base::Hash previous{};
  const auto blocks = store.read({1}, static_cast<std::size_t>(-1), false);
  if (!blocks) return base::describe(blocks.error());
  for (const auto& stored : *blocks) {
    const auto block = eventlog::parse_block(stored.facts);
    if (!block) return base::describe(block.error());
    if (block->header.first != next) return "a block does not begin where the last one ended";
    if (block->header.previous != previous) return "the chain of hashes is broken";
    previous = block->hash;
    next = block->header.last().next();
  }
  const auto events =
      eventlog::read_events(store, {1}, store.tail(), {static_cast<std::size_t>(-1), true});
  if (!events) return base::describe(events.error());
  for (const RecordedEvent& event : *events) {
    if (auto wrong = checker.take(event); !wrong.empty()) return wrong;
  }
  for (const Acknowledged& ack : acknowledged) {
    if (ack.position > store.tail()) {
      return "command " + ack.command.text() + " was acknowledged at position " +
             std::to_string(ack.position.value) + ", which is not in the log";
    }
    if (!checker.last_of_command.contains(ack.command)) {
      return "command " + ack.command.text() + " was acknowledged and is not in the log";
    }
  }
  return {};
}

std::string describe_tail(eventlog::BlockStore& store, std::int64_t count) {
  const base::Position from{std::max<std::int64_t>(1, store.tail().value - count + 1)};
  const auto events =
      eventlog::read_events(store, from, store.tail(), {static_cast<std::size_t>(-1), false});
  std::string text;
  for (const RecordedEvent& event : *events) {
    const session::Envelope& e = event.envelope;
    text += std::to_string(e.position.value) +
            " t=" + std::to_string(e.log_time.us / 1000 % 1'000'000) + "ms " + e.stream + " v" +
            std::to_string(e.version.value) + " " + e.type + " by " +
            std::string(base::enum_name(e.actor_kind));
    if (e.report_sequence > 0) {
      text += " token " + std::to_string(e.token.value) + " report " +
              std::to_string(e.report_sequence);
    }
    text += "\n";
  }
  return text;
}

std::int64_t count_events(eventlog::BlockStore& store, std::string_view type) {
  const auto events =
      eventlog::read_events(store, {1}, store.tail(), {static_cast<std::size_t>(-1), false});
  return std::count_if(events->begin(), events->end(),
                       [&](const RecordedEvent& event) { return event.envelope.type == type; });
}

std::map<std::string, session::SessionState> fold_sessions(eventlog::BlockStore& store) {
  std::map<std::string, session::SessionState> sessions;
  const auto events =
      eventlog::read_events(store, {1}, store.tail(), {static_cast<std::size_t>(-1), false});
  for (const RecordedEvent& event : *events) {
    const auto ref = session::parse_stream(event.envelope.stream);
    if (ref->kind != session::StreamKind::session) continue;
    session::evolve(sessions[event.envelope.stream], event.envelope, event.event);
  }
  return sessions;
}

std::string check_projections(eventlog::BlockStore& store, eventlog::KeyValueStore& live) {
  const auto build =
      [&](eventlog::KeyValueStore& rows,
          std::size_t portion) -> base::Result<std::vector<projections::ProjectionDigest>> {
    auto set = projections::ProjectionSet::open(rows);
    if (!set) return tl::unexpected(set.error());
    while (!set->reached(store.tail())) {
      const auto folded = set->catch_up(store, store.tail(), portion);
      if (!folded) return tl::unexpected(folded.error());
    }
    return set->digests();
  };
  const auto fresh_rows = eventlog::make_memory_key_value_store();
  const auto kept = build(live, 7);
  const auto fresh = build(*fresh_rows, 100'000);
  if (!kept) return base::describe(kept.error());
  if (!fresh) return base::describe(fresh.error());
  return *kept == *fresh ? "" : "a projection differs from the one built from the start";
}

}  // namespace simulation
