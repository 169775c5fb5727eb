// Each conversation has one row with its folded state, under "c/". Under "t/" its agent's, and
// under "g/" all, are in order. Those that have work in the lanes have a row with it under "w/".
#include "projections/views/conversation_list.hpp"

#include <array>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/conversation/lanes.hpp"
#include "eventlog/domain/conversation/session_key.hpp"
#include "eventlog/domain/evolve.hpp"

namespace projections {
namespace {

using domain::ConversationState;

constexpr std::int64_t kConversationRowSchema = 3;

constexpr std::size_t kTimeBytes = 8;

// Leads from a place in the order to the conversation there.
struct PlaceRow {
  base::SessionId conversation;

  bool operator==(const PlaceRow&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &PlaceRow::conversation);
  }
};

Bytes prefix_of(std::string_view agent) {
  return Bytes("c/").append(agent).append(agent.empty() ? "" : "/");
}

Bytes key_of(std::string_view agent, base::SessionId conversation) {
  return prefix_of(agent).append(conversation.view());
}

Bytes order_prefix(std::string_view agent) {
  return agent.empty() ? Bytes("g/") : Bytes("t/").append(agent).append("/");
}

constexpr std::string_view kWorks = "w/";

// Returns the conversation that the event of the lanes is about; unset: about none.
base::SessionId conversation_of(const domain::Event& event) {
  return domain::visit(
      []<class E>(const E& e) {
        if constexpr (base::kContains<E, domain::LanesEvents> && requires { e.conversation; }) {
          return e.conversation;
        } else {
          return base::SessionId{};
        }
      },
      event);
}

// Folds the event into the work of its conversation alone, as the domain folds all works.
void apply_to_lanes(const domain::RecordedEvent& event, Rows& rows) {
  const base::SessionId conversation = conversation_of(event.event);
  if (!conversation.is_set()) return;
  const Bytes key = Bytes(kWorks).append(conversation.view());
  domain::LanesState lanes;
  // Places in the line follow from the order of the events.
  lanes.places_given = event.envelope.position.value;
  if (const auto* before = rows.find<domain::LaneWork>(key)) {
    lanes.works.emplace(conversation, *before);
  }
  domain::evolve(lanes, event.envelope, event.event);
  const auto after = lanes.works.find(conversation);
  if (after == lanes.works.end()) return rows.remove(key);
  rows.put(key, std::move(after->second));
}

// Later times have lesser keys.
Bytes order_key(std::string_view agent, const ConversationPlace& place) {
  Bytes key = order_prefix(agent);
  base::append_u64(key, ~static_cast<std::uint64_t>(place.updated_at.us));
  return key.append(place.key);
}

void move(Rows& rows, const domain::StreamRef& ref, const ConversationPlace& from,
          const ConversationPlace& to) {
  for (const std::string_view agent : {std::string_view(), std::string_view(ref.agent)}) {
    if (!from.key.empty()) rows.remove(order_key(agent, from));
    if (!to.key.empty()) rows.put(order_key(agent, to), PlaceRow{ref.id});
  }
}

ConversationShown shown(const ConversationState& state) {
  ConversationShown row;
  row.conversation = domain::conversation_id(state.agent, state.key);
  row.agent = state.agent;
  row.key = state.key;
  row.entry = state.entry;
  row.origin = *state.origin;
  row.parent = state.parent;
  row.last_route = state.last_route;
  row.waiting = static_cast<std::int64_t>(state.queue.waiting.size());
  for (const domain::QueuedMessage& message : state.queue.waiting) {
    for (const domain::QueuedFile& file : *message.files) row.files.push_back(file.facts);
  }
  if (state.run) row.run = state.run->run;
  row.session = state.session;
  row.past = state.past;
  row.messages = state.messages;
  row.runs = state.runs;
  row.resets = state.resets;
  row.opened_at = state.opened_at;
  row.updated_at = state.updated_at;
  row.first = state.first;
  return row;
}

}  // namespace

std::int64_t ConversationList::schema() const {
  return domain::kSchemaOf<ConversationState> * 1000 + kConversationRowSchema;
}

void ConversationList::apply(const domain::RecordedEvent& event,
                             const std::optional<domain::StreamRef>& stream, Rows& rows) const {
  if (event.envelope.stream == domain::kLanesStream) return apply_to_lanes(event, rows);
  if (!stream || !stream->is<domain::ConversationStream>()) return;
  rows.edit<ConversationState>(key_of(stream->agent, stream->id), [&](ConversationState& state) {
    const ConversationPlace before{state.updated_at, state.key};
    domain::evolve(state, event.envelope, event.event);
    state.requests.clear();
    move(rows, *stream, before, {state.updated_at, state.key});
    return true;
  });
}

Result<void> for_each_conversation(eventlog::KeyValueStore& store, std::string_view agent,
                                   const ConversationPlace& behind,
                                   const std::function<bool(ConversationShown)>& visit) {
  const Bytes prefix = order_prefix(agent);
  const Bytes from = behind.updated_at.us == 0 ? Bytes() : order_key(agent, behind) + '\0';
  Result<void> read;
  const auto look = [&](const Bytes& key, const Bytes& value) {
    const auto place = detail::decode_row<PlaceRow>(key, value);
    if (!place) {
      read = tl::unexpected(place.error());
      return false;
    }
    const std::string_view session_key = std::string_view(key).substr(prefix.size() + kTimeBytes);
    const std::string of = agent.empty() ? domain::agent_of_key(session_key) : std::string(agent);
    auto one = get_conversation(store, of, place->conversation);
    if (!one) read = tl::unexpected(one.error());
    return one && (!*one || visit(std::move(**one)));
  };
  const auto walked = for_each_row(RowScanner(store, ConversationList::kName), prefix, from, look);
  if (!walked) return tl::unexpected(walked.error());
  return read;
}

Result<std::optional<ConversationShown>> get_conversation(eventlog::KeyValueStore& store,
                                                          std::string_view agent,
                                                          base::SessionId conversation) {
  const RowReader rows(store, ConversationList::kName);
  auto state = rows.get<ConversationState>(key_of(agent, conversation));
  if (!state) return tl::unexpected(state.error());
  if (!*state || (*state)->key.empty()) return std::nullopt;
  return shown(**state);
}

Result<std::vector<LaneShown>> list_lanes(eventlog::KeyValueStore& store) {
  std::vector<LaneShown> lanes;
  for (std::size_t i = 0; i < domain::kLanes; ++i) {
    lanes.push_back({static_cast<domain::Lane>(i)});
  }
  std::array<std::int64_t, domain::kLanes> first_places{};
  Result<void> read;
  const auto take = [&](const Bytes& key, const Bytes& value) {
    const auto work = detail::decode_row<domain::LaneWork>(key, value);
    if (!work) {
      read = tl::unexpected(work.error());
      return false;
    }
    LaneShown& lane = lanes[static_cast<std::size_t>(work->lane)];
    if (work->run) {
      ++(work->is_held ? lane.held : lane.running);
      return true;
    }
    std::int64_t& place = first_places[static_cast<std::size_t>(work->lane)];
    const bool is_earlier = std::pair(work->due, work->place) < std::pair(lane.due, place);
    if (lane.waiting++ == 0 || is_earlier) {
      place = work->place;
      lane.first = work->key;
      lane.agent = work->agent;
      lane.since = work->since;
      lane.due = work->due;
    }
    return true;
  };
  const auto walked = for_each_row(RowScanner(store, ConversationList::kName), kWorks, {}, take);
  if (!walked) return tl::unexpected(walked.error());
  if (!read) return tl::unexpected(read.error());
  return lanes;
}

}  // namespace projections
