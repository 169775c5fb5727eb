// A message to a conversation has exactly one end, and its runs take turns in their lanes.
#include "eventlog/domain/conversation/conversation.hpp"

#include "tests/support/conversation_place.hpp"

namespace domain {
namespace {

using support::ConversationPlace;
using support::kGroup;
using support::kMain;
using Place = ConversationPlace;
using base::Duration;

RejectionCode code_of(const Decided& decided) {
  REQUIRE_FALSE(decided);
  return decided.error().code;
}

TEST_CASE("the first message begins a conversation, and a session answers it",
          "[conversation][R106][R111]") {
  Place place;
  REQUIRE(place.receive(kMain, "hello"));
  CHECK(place.conversation(kMain).queue.waiting.size() == 1);
  CHECK(place.lanes().works.size() == 1);
  REQUIRE(place.advance(kMain));
  const auto& run = place.conversation(kMain).run;
  REQUIRE(run);
  CHECK(run->opens);
  CHECK(run->messages.size() == 1);
  CHECK(run->shape == TurnShape::single);
  REQUIRE(place.take(kMain));
  CHECK(place.conversation(kMain).run->is_taken);
  CHECK(place.session(run->session).descriptor->conversation == kMain);
  place.finish(kMain);
  CHECK_FALSE(place.conversation(kMain).run);
  CHECK(place.all<ConversationRunEnded>().front().outcome == RunEnd::finished);
  CHECK(place.lanes().works.empty());
}

TEST_CASE("a later message goes to the same session", "[conversation][R107]") {
  Place place;
  place.talk(kMain, "one");
  const SessionId session = place.conversation(kMain).session;
  place.talk(kMain, "two");
  CHECK(place.conversation(kMain).session == session);
  CHECK(place.all<SessionOpened>().size() == 1);
}

TEST_CASE("behind a session that has ended another one goes on with the agent's own",
          "[conversation][R107][N27]") {
  Place place;
  place.talk(kMain, "one");
  const SessionId first = place.conversation(kMain).session;
  REQUIRE(place.send_to(Place::session_ref_of(first), KillSession{}, place.fresh()));
  const auto& lease = place.session(first).lease;
  REQUIRE(lease);
  REQUIRE(place.send_to(Place::session_ref_of(first), ExpireLease{lease->token, {}, {}},
                        place.fresh()));
  place.talk(kMain, "two");
  CHECK(place.conversation(kMain).session != first);
  CHECK(place.all<SessionOpened>().back().resumed_from == first);
}

TEST_CASE("messages that come while the agent is busy are one prompt after a pause",
          "[conversation][R247][N14]") {
  Place place;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  REQUIRE(place.receive(kMain, "two"));
  REQUIRE(place.receive(kMain, "three"));
  place.finish(kMain);
  // More waits, so the conversation stays in its lane.
  REQUIRE(place.lanes().works.size() == 1);
  REQUIRE(place.advance(kMain));
  CHECK_FALSE(place.conversation(kMain).run);
  place.wait(std::chrono::seconds(2));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.conversation(kMain).run);
  CHECK(place.conversation(kMain).run->messages.size() == 2);
  CHECK(place.conversation(kMain).run->shape == TurnShape::collected);
  CHECK_FALSE(place.conversation(kMain).run->opens);
}

TEST_CASE("a run that ends with its session ends its messages", "[conversation][C22]") {
  Place place;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  const SessionId session = place.conversation(kMain).session;
  REQUIRE(place.send_to(Place::session_ref_of(session), KillSession{}, place.fresh()));
  REQUIRE(place.all<ConversationRunEnded>().size() == 1);
  CHECK(place.all<ConversationRunEnded>().front().outcome == RunEnd::interrupted);
  CHECK(place.lanes().works.empty());
}

TEST_CASE("a lane has so many places, and the first in the line goes first",
          "[conversation][R246]") {
  Place place;
  place.policy.lanes = {1, 1, 1};
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.receive(kGroup, "two"));
  REQUIRE(place.advance(kGroup));
  CHECK_FALSE(place.conversation(kGroup).run);
  REQUIRE(place.advance(kMain));
  REQUIRE(place.conversation(kMain).run);
  REQUIRE(place.advance(kGroup));
  CHECK_FALSE(place.conversation(kGroup).run);
  REQUIRE(place.take(kMain));
  place.finish(kMain);
  REQUIRE(place.advance(kGroup));
  CHECK(place.conversation(kGroup).run);
  // A subagent has a lane of its own.
  const std::string subagent = "agent:main:subagent:1";
  REQUIRE(place.receive(subagent, "three"));
  REQUIRE(place.advance(subagent));
  CHECK(place.conversation(subagent).run);
}

TEST_CASE("a message that comes twice counts once", "[conversation]") {
  Place place;
  REQUIRE(place.receive(kMain, "one", "m1"));
  const auto again = place.receive(kMain, "one", "m1");
  REQUIRE(again);
  CHECK(again->empty());
  CHECK(place.conversation(kMain).messages == 1);
}

TEST_CASE("as many wait as may: the oldest gives way and is told, or the newest is refused",
          "[conversation][R249][N13]") {
  Place place;
  place.policy.queue.cap = 2;
  for (const char* text : {"one", "two", "three"}) REQUIRE(place.receive(kMain, text));
  const auto ended = place.all<MessagesEnded>();
  REQUIRE(ended.size() == 1);
  CHECK(ended.front().end == MessageEnd::dropped);
  CHECK(ended.front().messages.size() == 1);
  CHECK(place.conversation(kMain).queue.overflow.dropped == 1);
  place.policy.queue.drop = QueueDrop::newest;
  CHECK(code_of(place.receive(kMain, "four")) == RejectionCode::limit_reached);
  CHECK(place.conversation(kMain).queue.waiting.size() == 2);
}

TEST_CASE("a message that was not begun in time ends as expired", "[conversation]") {
  Place place;
  ReceiveMessage message;
  message.spec = support::sample_spec(true);
  message.text = "soon";
  message.start_before = place.now() + Duration(std::chrono::minutes(1));
  REQUIRE(place.send(kMain, message));
  CHECK(place.lanes().works.begin()->second.expires == message.start_before);
  place.wait(std::chrono::minutes(2));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.all<MessagesEnded>().size() == 1);
  CHECK(place.all<MessagesEnded>().front().end == MessageEnd::expired);
  CHECK(place.lanes().works.empty());
  CHECK(code_of(place.send(kMain, message)) == RejectionCode::deadline_passed);
}

TEST_CASE("a stop ends what waits, and interrupts what runs", "[conversation]") {
  Place place;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  REQUIRE(place.receive(kMain, "two"));
  REQUIRE(place.receive(kMain, "stop"));
  CHECK(place.conversation(kMain).queue.waiting.empty());
  CHECK(place.all<MessagesEnded>().front().end == MessageEnd::stopped);
  CHECK(place.conversation(kMain).run->is_to_end);
  CHECK(place.lanes().works.begin()->second.run->is_to_end);
  const TurnId run = place.conversation(kMain).run->run;
  const SessionId session = place.conversation(kMain).session;
  REQUIRE(place.send_to(Place::session_ref_of(session), InterruptTurn{run}, place.fresh()));
}

TEST_CASE("a reset leaves the session, and can be undone", "[conversation][R109][R114][C25]") {
  Place place;
  place.talk(kMain, "one");
  const SessionId first = place.conversation(kMain).session;
  REQUIRE(place.send(kMain, PatchConversation{{}, {{"label", "home"}}, {}}));
  REQUIRE(place.receive(kMain, "/new and now?"));
  CHECK_FALSE(place.conversation(kMain).session.is_set());
  CHECK(place.all<ConversationReset>().front().reason == ResetReason::trigger);
  CHECK(field_of(place.conversation(kMain).entry, "label") == "home");
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  place.finish(kMain);
  CHECK_FALSE(place.all<SessionOpened>().back().resumed_from.is_set());
  CHECK(place.conversation(kMain).session != first);
  REQUIRE(place.send(kMain, ResetConversation{{}, true}));
  CHECK(place.conversation(kMain).session == first);
  CHECK(code_of(place.send(kMain, ResetConversation{{}, true})) == RejectionCode::not_accepting);
}

TEST_CASE("a session that cannot be had now is asked for again, another refusal ends the message",
          "[conversation][N27]") {
  Place place;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  TurnId run = place.conversation(kMain).run->run;
  REQUIRE(place.send_to(Place::ref(kMain), RefuseRun{run, true, false, "session_limit: full"},
                        place.fresh()));
  CHECK_FALSE(place.conversation(kMain).run);
  CHECK(place.conversation(kMain).queue.waiting.size() == 1);
  REQUIRE(place.advance(kMain));
  CHECK_FALSE(place.conversation(kMain).run);
  place.wait(std::chrono::seconds(6));
  REQUIRE(place.advance(kMain));
  run = place.conversation(kMain).run->run;
  REQUIRE(place.send_to(Place::ref(kMain), RefuseRun{run, false, false, "over_budget: spent"},
                        place.fresh()));
  REQUIRE(place.all<MessagesEnded>().size() == 1);
  CHECK(place.all<MessagesEnded>().front().end == MessageEnd::refused);
  CHECK(place.all<MessagesEnded>().front().error == "over_budget: spent");
  CHECK(place.lanes().works.empty());
}

TEST_CASE("what a policy forbids is refused, and an owner's word wins", "[conversation][R122]") {
  Place place;
  place.policy.send.rules.push_back({"telegram", {}, {}, SendAction::deny});
  CHECK(code_of(place.receive(kMain, "one")) == RejectionCode::refused);
  CHECK(place.conversation(kMain).key.empty());
  REQUIRE(place.receive(kMain, "/send on"));
  REQUIRE(place.receive(kMain, "one"));
  CHECK(place.conversation(kMain).queue.waiting.size() == 1);
}

TEST_CASE("a message says how the next ones wait", "[conversation][R098]") {
  Place place;
  REQUIRE(place.receive(kMain, "/queue followup cap:5"));
  CHECK(field_of(place.conversation(kMain).entry, "queueMode") == "followup");
  CHECK(field_of(place.conversation(kMain).entry, "queueCap") == "5");
  CHECK(place.conversation(kMain).queue.waiting.empty());
  CHECK(code_of(place.receive(kMain, "/queue collect cap:none")) == RejectionCode::invalid);
  REQUIRE(place.receive(kMain, "/queue reset"));
  CHECK(place.conversation(kMain).entry.empty());
}

TEST_CASE("a setting that there is not, or a word that it cannot have, changes nothing",
          "[conversation]") {
  Place place;
  place.talk(kMain, "one");
  const auto refused = [&](EntryFields set) {
    return code_of(place.send(kMain, PatchConversation{{}, std::move(set), {}}));
  };
  CHECK(refused({{"labels", "x"}}) == RejectionCode::invalid);
  CHECK(refused({{"label", "ok"}, {"sendPolicy", "maybe"}}) == RejectionCode::invalid);
  CHECK(place.conversation(kMain).entry.empty());
}

TEST_CASE("a key is written as it is kept, and is of its agent", "[conversation][R271]") {
  Place place;
  const auto code = [&](const std::string& key) { return code_of(place.receive(key, "hello")); };
  CHECK(code("main") == RejectionCode::invalid);
  CHECK(code("agent:Main:main") == RejectionCode::invalid);
  CHECK(code("agent:codex:main") == RejectionCode::invalid);
  CHECK(code("") == RejectionCode::invalid);
}

TEST_CASE("a conversation that is deleted begins anew, the main one stays", "[conversation]") {
  Place place;
  place.talk(kMain, "one");
  CHECK(code_of(place.send(kMain, DeleteConversation{})) == RejectionCode::refused);
  place.talk(kGroup, "one");
  REQUIRE(place.send(kGroup, DeleteConversation{}));
  CHECK(code_of(place.send(kGroup, StopConversation{})) == RejectionCode::not_found);
  place.talk(kGroup, "two");
  CHECK(place.conversation(kGroup).messages == 1);
  CHECK(place.all<SessionOpened>().size() == 3);
}

TEST_CASE("texts of messages can be erased once no agent waits for them", "[conversation]") {
  Place place;
  REQUIRE(place.receive(kMain, "one"));
  CHECK(code_of(place.send(kMain, EraseMessages{})) == RejectionCode::content_in_use);
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  REQUIRE(place.send(kMain, EraseMessages{}));
  CHECK(place.all<ContentErased>().size() == 1);
}

TEST_CASE("no session is opened for a run that the conversation has not begun", "[conversation]") {
  Place place;
  place.talk(kMain, "one");
  Spawn spawn = support::spawn_command();
  spawn.descriptor.conversation = kMain;
  const auto id = support::numbered<SessionId>(77);
  CHECK(code_of(place.send_to(Place::session_ref_of(id), spawn, CommandId{id.bytes})) ==
        RejectionCode::refused);
}

}  // namespace
}  // namespace domain
