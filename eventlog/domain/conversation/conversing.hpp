// A decision about a conversation while it is made: its events are folded as they are emitted, so
// that later steps see them.
#pragma once

#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/lanes.hpp"
#include "eventlog/domain/conversation/policy.hpp"
#include "eventlog/domain/decision.hpp"
#include "eventlog/domain/labels/labels.hpp"

namespace domain {

struct Conversing {
  Conversing(const States& all, const Context& of)
      : states(all), context(of), s(all.target<ConversationStream>()) {}

  template <class E>
  void emit(E event, std::string text = {}) {
    Envelope envelope = next_envelope();
    if (!text.empty()) envelope.content.emplace();
    evolve(s, envelope, Event(event));
    if constexpr (base::kContains<E, base::Types<MessageReceived, MessageFileAttached>>) {
      decision.emit<ConversationStream>(std::move(event), std::move(text));
    } else {
      decision.emit<ConversationStream>(std::move(event));
    }
  }
  template <class E>
  void emit_to_lanes(E event) {
    decision.emit_to<LanesStream>(std::string(kLanesStream), std::move(event));
  }

  template <class E>
  void emit_to_labels(E event) {
    decision.emit_to<LabelsStream>(labels_stream(context.target.agent), std::move(event));
  }

  const ConversationPolicy& policy() const;
  SessionId id() const { return context.target.id; }
  const LanesState& lanes() const;

  const States& states;
  const Context& context;
  ConversationState s;  // behind the events emitted so far
  Decision decision;

 private:
  // As the next event will have it.
  Envelope next_envelope() const;
};

// Says in the lanes what the conversation waits for, if it has changed since the state before.
void tell_lanes(Conversing& d);
// The same of a conversation that is in state `s` now.
void tell_lanes(Decision& decision, const LanesState& lanes, const ConversationState& s);
// Says in the lanes that the run of a conversation, which is in this state now, is over.
void tell_ended_run(Decision& decision, const ConversationState& s);
// Returns the lane of the conversation's runs.
Lane lane_of(std::string_view key);

// True if another conversation has given it a task, and hears how that ends.
bool is_tasked(const ConversationState& s);
// Returns when the next run of what waits can begin, log time.
Time due_of(const ConversationState& s);

// True if it is the one that a channel calls by that id.
bool is_message(const SeenMessage& seen, const std::string& id, const MessageRoute& route);
// True if the message is accepted, and neither runs nor has ended.
bool waits(const ConversationState& state, Position message);
// True if the session of the run under way has the message for its turn.
bool is_taken_steer(const LanesState& lanes, const ConversationState& s, Position message);
// True if messages wait for its next run, or are told of in it.
bool has_waiting(const ConversationState& s);
// Returns the messages that do.
std::vector<Position> waiting_of(const ConversationState& s);

// Adds to a decision about a conversation, which was in that state before, that those who sent the
// messages that it ends are told, but for those that somebody ended on purpose.
Decided telling_senders(Decided decided, const States& states, const Context& context);

// Each decides one command.
Decided decide_one(Conversing d, const ReceiveMessage& c);
Decided decide_one(Conversing d, const PatchConversation& c);
Decided decide_one(Conversing d, const ResetConversation& c);
Decided decide_one(Conversing d, const StopConversation& c);
Decided decide_one(Conversing d, const DeleteConversation& c);
Decided decide_one(const Conversing& d, const EraseMessages& c);
Decided decide_one(Conversing d, const AdvanceConversation& c);
Decided decide_one(Conversing d, const RefuseRun& c);
Decided decide_one(Conversing d, const SettleSteer& c);
Decided decide_one(const Conversing& d, const CompleteErasure& c);

// ---- steps that several commands share ----

// Refuses for a conversation that does not exist.
std::optional<Rejection> check_exists(const Conversing& d);
// True if the message's text asks to stop the conversation, and its sender can.
bool is_stop(const ReceiveMessage& c);
// Interrupts what runs, ends what waits, and stops the subagents.
void stop(Conversing& d);
// Returns the key of the conversation whose tasks the command stops; empty: it stops none.
std::string_view key_to_stop(const ConversationCommand& command);
// Returns what the subagents do to which the conversation of that key has given tasks; of none for
// an empty key.
std::vector<const LaneWork*> subagents_at_work(const LanesState& lanes, std::string_view key);
// Stops their tasks. Nobody is told, since whoever waits for them is stopped, too.
void stop_subagents(Conversing& d);
// Deletes the conversation of a subagent of this one, as its cleanup asks, if its task is all that
// it was sent. An empty key names none.
void clean_up(Conversing& d, const std::string& subagent);
// Leaves the current session.
void reset(Conversing& d, ResetReason reason);
// Returns what the settings say of conversations.
const ConversationPolicy& policy_in(const Context& context);
// Returns the key of the conversation whose words the next run begins with; empty: with none.
std::string_view forked_from(const ConversationState& s, const ConversationPolicy& policy);
// Says whether anything is sent to a place of the conversation on that channel.
SendDecision sends_to(const ConversationState& s, const std::string& channel,
                      const ConversationPolicy& policy);
// Has the session end with what it does, if it lives or is about to be opened.
void leave(Conversing& d, SessionId session);
// Changes fields. Refuses a field that there is not, and a text that it cannot have.
std::optional<Rejection> patch(Conversing& d, const EntryFields& set,
                               const std::vector<std::string>& cleared);

}  // namespace domain
