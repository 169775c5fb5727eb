// Projection: every conversation, one row each, rows that keep them in the order of their last
// change, and the work that they have in the lanes. The fold is the domain's own, so the list shows
// the state that commands are decided on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/domain/conversation/lane_events.hpp"
#include "eventlog/domain/conversation/state.hpp"
#include "projections/fold/projection.hpp"

namespace projections {

class ConversationList final : public Projection {
 public:
  static constexpr std::string_view kName = "conversation_list";

  std::string_view name() const override { return kName; }
  std::int64_t schema() const override;
  bool is_younger() const override { return true; }
  void apply(const domain::RecordedEvent& event, const std::optional<domain::StreamRef>& stream,
             Rows& rows) const override;
};

// Use of a conversation's current session so far.
struct ConversationUse {
  std::string model;  // as the agent names it; empty: not said yet
  domain::Usage usage;
  base::NanoUsd cost;
  std::int64_t compactions = 0;  // of the agent's context

  bool operator==(const ConversationUse&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("model", &ConversationUse::model);
    visit("usage", &ConversationUse::usage);
    visit("cost", &ConversationUse::cost);
    visit("compactions", &ConversationUse::compactions);
  }
};

// A conversation as queries return it. Times are log time.
struct ConversationShown {
  base::SessionId conversation;
  std::string agent;
  std::string key;
  domain::EntryFields entry;
  domain::ConversationOrigin origin;
  std::string parent;
  domain::DeliveryContext last_route;
  std::int64_t waiting = 0;  // messages
  base::TurnId run;          // under way; unset: none
  base::SessionId session;   // of the last run; unset: none since the last reset
  std::vector<domain::PastSession> past;
  std::int64_t messages = 0;
  std::int64_t runs = 0;
  std::int64_t resets = 0;
  base::Time opened_at;
  base::Time updated_at;
  base::Position first;  // message since the last reset; 0: none
  std::string title;     // empty: it was not asked for
  // The files of the messages that wait, in their order. A list leaves them out.
  std::vector<domain::FileFacts> files{};
  ConversationUse use{};  // filled by the query

  bool operator==(const ConversationShown&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("conversation", &ConversationShown::conversation);
    visit("agent", &ConversationShown::agent);
    visit("key", &ConversationShown::key);
    visit("entry", &ConversationShown::entry);
    visit("origin", &ConversationShown::origin);
    visit("parent", &ConversationShown::parent);
    visit("last_route", &ConversationShown::last_route);
    visit("waiting", &ConversationShown::waiting);
    visit("run", &ConversationShown::run);
    visit("session", &ConversationShown::session);
    visit("past", &ConversationShown::past);
    visit("messages", &ConversationShown::messages);
    visit("runs", &ConversationShown::runs);
    visit("resets", &ConversationShown::resets);
    visit("opened_at", &ConversationShown::opened_at);
    visit("updated_at", &ConversationShown::updated_at);
    visit("first", &ConversationShown::first);
    visit("title", &ConversationShown::title);
    visit("files", &ConversationShown::files);
    visit("use", &ConversationShown::use);
  }
};

constexpr std::size_t kConversationsMax = 1'000;

// A place in the order of a list: the one that changed last comes first, and of the same time that
// with the lesser key.
struct ConversationPlace {
  base::Time updated_at;  // 0: before the first one
  std::string key;
};

// Calls `visit` with each conversation of the agent (empty: of all) behind that place, in order,
// until it returns false.
Result<void> for_each_conversation(eventlog::KeyValueStore& store, std::string_view agent,
                                   const ConversationPlace& behind,
                                   const std::function<bool(ConversationShown)>& visit);
// Returns none if there is no such conversation.
Result<std::optional<ConversationShown>> get_conversation(eventlog::KeyValueStore& store,
                                                          std::string_view agent,
                                                          base::SessionId conversation);

// A lane: how many conversations run in it, and how many wait for a place in it.
struct LaneShown {
  domain::Lane lane = domain::Lane::main;
  std::int64_t running = 0;
  std::int64_t held = 0;     // runs that wait for a person or a limit, and take no place
  std::int64_t waiting = 0;  // also those whose messages are still being collected
  std::string first{};       // key of the one that is due first; empty: none waits
  std::string agent{};       // its agent
  base::Time since{};        // log time since which it waits
  base::Time due{};          // log time from which on it can begin

  bool operator==(const LaneShown&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("lane", &LaneShown::lane);
    visit("running", &LaneShown::running);
    visit("held", &LaneShown::held);
    visit("waiting", &LaneShown::waiting);
    visit("first", &LaneShown::first);
    visit("agent", &LaneShown::agent);
    visit("since", &LaneShown::since);
    visit("due", &LaneShown::due);
  }
};

// Returns all lanes, in the order of domain::Lane. Reads a row for each conversation with work.
Result<std::vector<LaneShown>> list_lanes(eventlog::KeyValueStore& store);

}  // namespace projections
