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

TEST_CASE("a command of the agent is given in a turn of its own", "[conversation]") {
  const QueueMode mode = GENERATE(QueueMode::collect, QueueMode::steer);
  Place place;
  place.policy.queue.mode = mode;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  place.begin(kMain);
  REQUIRE(place.receive(kMain, "/compact"));
  REQUIRE(place.receive(kMain, "two"));
  REQUIRE(place.receive(kMain, "three"));
  CHECK(place.lanes().works.begin()->second.steers.empty());
  place.finish(kMain);
  place.wait(std::chrono::seconds(5));
  REQUIRE(place.advance(kMain));
  CHECK(place.conversation(kMain).run->messages.size() == 1);
  CHECK(place.conversation(kMain).run->shape == TurnShape::single);
  REQUIRE(place.take(kMain));
  place.finish(kMain);
  REQUIRE(place.advance(kMain));
  CHECK(place.conversation(kMain).run->messages.size() == (mode == QueueMode::collect ? 2 : 1));
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
  CHECK(place.all<ConversationUnchanged>().size() == 1);
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

TEST_CASE("a run that no agent has yet is interrupted once one has it", "[conversation][N14]") {
  Place place;
  place.policy.queue.mode = QueueMode::interrupt;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.receive(kMain, "two"));
  CHECK_FALSE(place.conversation(kMain).run->is_to_end);
  REQUIRE(place.take(kMain));
  CHECK_FALSE(place.conversation(kMain).run->is_to_end);
  REQUIRE(place.receive(kMain, "three"));
  CHECK_FALSE(place.conversation(kMain).run->is_to_end);
  place.begin(kMain);
  CHECK(place.conversation(kMain).run->is_to_end);
  CHECK(place.all<MessagesEnded>().empty());
}

// The agent works on "one". Its session has "two" for the same turn.
void have_steered(Place& place) {
  place.policy.queue.mode = QueueMode::steer;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  place.begin(kMain);
  REQUIRE(place.receive(kMain, "two"));
  place.steer(kMain);
}

TEST_CASE("a message that was stopped while its session had it ends once", "[conversation]") {
  Place place;
  have_steered(place);
  REQUIRE(place.send(kMain, StopConversation{}));
  REQUIRE(place.all<MessagesEnded>().size() == 1);
  place.finish(kMain, 1);
  CHECK(place.all<MessageSteered>().empty());
  CHECK(place.all<ConversationRunEnded>().size() == 1);
}

class Heard : public ConversationPlace {
 public:
  Heard() { sinks[static_cast<std::size_t>(NotificationTarget::channel)] = true; }

  void hear(const DeliveryContext& route, const std::string& text = "hello") {
    ReceiveMessage message;
    message.spec = support::sample_spec(true);
    message.text = text;
    message.route = route;
    REQUIRE(send(kMain, std::move(message)));
  }
  void work() {
    REQUIRE(advance(kMain));
    REQUIRE(take(kMain));
    begin(kMain);
  }
  std::vector<std::string> told() const {
    std::vector<std::string> places;
    for (const auto& one : all<NotificationRequested>()) places.push_back(one.channel);
    return places;
  }
};

using Places = std::vector<std::string>;

DeliveryContext place_at(std::string channel, std::string to, std::string account = {},
                         std::string thread = {}) {
  DeliveryContext place;
  place.channel = std::move(channel);
  place.to = std::move(to);
  place.account = std::move(account);
  place.thread = std::move(thread);
  return place;
}
const DeliveryContext kHome = place_at("telegram", "42");
const DeliveryContext kAway = place_at("signal", "7", "bot");

TEST_CASE("an answer goes to where the messages of its run came from", "[conversation][R279]") {
  Heard place;
  const DeliveryContext thread = place_at("telegram", "42", {}, "55");
  for (const DeliveryContext& route : {kHome, kAway, thread, DeliveryContext{}}) {
    place.hear(route);
    place.work();
    place.finish(kMain);
  }
  // A message from nowhere is answered where the conversation was last heard.
  // Each answer is told, however soon the next one comes.
  CHECK(place.told() ==
        Places{"telegram|42", "signal|bot|7", "telegram|42|thread:55", "telegram|42|thread:55"});
  CHECK(place.all<NotificationDropped>().empty());
  for (const auto& one : place.all<NotificationRequested>()) CHECK(one.not_before.us == 0);
}

TEST_CASE("a place hears nothing of what another one asked", "[conversation][R279]") {
  Heard place;
  place.hear(kHome);
  place.work();
  place.hear(kAway, "meanwhile");
  const SessionId session = place.conversation(kMain).session;
  SECTION("what the agent asks belongs to the turn") {
    ReportAskRaised asked;
    asked.request = 1;
    asked.turn = place.conversation(kMain).run->run;
    asked.tool = "Bash";
    asked.text = "{}";
    place.report(ConversationPlace::session_ref_of(session), asked);
    CHECK(place.told() == Places{"telegram|42"});
  }
  SECTION("a session that is left ends for its own place") {
    place.finish(kMain);
    place.hear(kAway, "/new hello");
    place.close(session);
    // It has heard the answer, and not that a session ended which it knows nothing of.
    CHECK(place.told() == Places{"telegram|42"});
  }
  SECTION("nothing is steered into it") {
    place.policy.queue.mode = QueueMode::steer;
    place.hear(kAway, "and this");
    CHECK(place.lanes().works.begin()->second.steers.empty());
  }
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

TEST_CASE("a mistyped directive is no text for the agent", "[conversation]") {
  Place place;
  const auto refused = place.receive(kMain, "/queue colect");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text.find("'colect' says nothing to the queue: mode ") == 0);
  CHECK(refused.error().text.find("modes are steer, followup") != std::string::npos);
  // Elsewhere in a text it is a word like others.
  CHECK(place.receive(kMain, "what does /queue do?"));
}

TEST_CASE("the next session has the conversation's model and level of thinking",
          "[conversation][R095][R097]") {
  Place place;
  place.talk(kMain, "one");
  REQUIRE(place.send(
      kMain, PatchConversation{
                 {}, {{"thinkingLevel", "high"}, {"modelOverride", "claude-opus-4-5"}}, {}}));
  REQUIRE(place.send(kMain, ResetConversation{}));
  place.talk(kMain, "two");
  const SessionState session = place.session(place.conversation(kMain).session);
  CHECK(session.spec.thinking_tokens == 31'999);
  CHECK(session.spec.model == "claude-opus-4-5");
}

TEST_CASE("a setting that there is not, or a word that it cannot have, changes nothing",
          "[conversation]") {
  Place place;
  place.talk(kMain, "one");
  const auto refused = [&](EntryFields set) {
    return code_of(place.send(kMain, PatchConversation{{}, std::move(set), {}}));
  };
  CHECK(refused({{"lables", "x"}}) == RejectionCode::invalid);
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
  DeleteConversation unchanged;
  unchanged.unchanged_since = place.conversation(kGroup).updated_at + -base::Duration(1);
  CHECK(code_of(place.send(kGroup, unchanged)) == RejectionCode::version_conflict);
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

TEST_CASE("a session that a reset has left is known until it has ended", "[conversation][R114]") {
  Place place;
  place.talk(kMain, "one");
  const SessionId first = place.conversation(kMain).session;
  REQUIRE(place.send(kMain, ResetConversation{}));
  CHECK(place.lanes().left.contains(first));
  place.close(first);
  CHECK(place.session(first).status == SessionStatus::completed);
  CHECK(place.lanes().left.empty());
}

TEST_CASE("a reset before the run was taken leaves the session that it opens", "[conversation]") {
  Place place;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  const SessionId opened = place.conversation(kMain).run->session;
  REQUIRE(place.send(kMain, ResetConversation{}));
  CHECK(place.lanes().left.contains(opened));
  SECTION("it is opened, and ends when it is closed") {
    REQUIRE(place.take(kMain));
    place.finish(kMain);
    CHECK(place.lanes().left.contains(opened));
    place.close(opened);
    CHECK(place.lanes().left.empty());
  }
  SECTION("it is never opened") {
    const TurnId run = place.conversation(kMain).run->run;
    REQUIRE(place.send_to(Place::ref(kMain), RefuseRun{run, true, false, "full"}, place.fresh()));
    CHECK(place.lanes().left.empty());
  }
}

TEST_CASE("an undo leaves the session in use, and takes back the one before", "[conversation]") {
  Place place;
  place.talk(kMain, "one");
  const SessionId first = place.conversation(kMain).session;
  REQUIRE(place.send(kMain, ResetConversation{}));
  place.talk(kMain, "two");
  const SessionId second = place.conversation(kMain).session;
  REQUIRE(place.send(kMain, ResetConversation{{}, true}));
  CHECK(place.lanes().left.contains(second));
  CHECK_FALSE(place.lanes().left.contains(first));
}

TEST_CASE("a command that comes twice takes effect once", "[conversation]") {
  Place place;
  place.talk(kMain, "one");
  REQUIRE(place.receive(kMain, "/new", "m1"));
  place.talk(kMain, "two");
  REQUIRE(place.receive(kMain, "/new", "m1"));
  CHECK(place.all<ConversationReset>().size() == 1);
  REQUIRE(place.all<DirectiveReceived>().size() == 1);
  CHECK(place.all<DirectiveReceived>().front().directive == "/new");
}

TEST_CASE("a run that waits for a person takes no place in its lane", "[conversation][R246]") {
  Place place;
  place.policy.lanes = {1, 1, 1};
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  place.begin(kMain);
  REQUIRE(place.receive(kGroup, "two"));
  REQUIRE(place.advance(kGroup));
  CHECK_FALSE(place.conversation(kGroup).run);
  const StreamRef session = Place::session_ref_of(place.conversation(kMain).session);
  ReportAskRaised ask;
  ask.request = 1;
  ask.kind = AskKind::question;
  ask.turn = place.conversation(kMain).run->run;
  ask.call = "call-1";
  ask.tool = "AskUserQuestion";
  place.report(session, ask);
  REQUIRE(place.advance(kGroup));
  CHECK(place.conversation(kGroup).run);
  AnswerAsk answer;
  answer.ask = 1;
  answer.verdict = AskVerdict::denied;
  REQUIRE(place.send_to(session, answer, place.fresh()));
  place.report(session, ReportAskClosed{1, true});
  const auto held = place.all<LaneHeld>();
  REQUIRE(held.size() == 2);
  CHECK(held.front().is_held);
  CHECK_FALSE(held.back().is_held);
}

TEST_CASE("a message for the turn under way goes into it, or waits for the next",
          "[conversation][R249][N15]") {
  Place place;
  REQUIRE(place.receive(kMain, "/queue steer"));
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  place.begin(kMain);
  REQUIRE(place.receive(kMain, "two"));
  REQUIRE(place.receive(kMain, "three"));
  place.steer(kMain);
  CHECK(place.all<PromptInjected>().size() == 2);
  // The agent has ended the turn before it was given the second one.
  place.finish(kMain, 1);
  const auto steered = place.all<MessageSteered>();
  REQUIRE(steered.size() == 1);
  REQUIRE(place.conversation(kMain).queue.waiting.size() == 1);
  CHECK(place.conversation(kMain).queue.waiting.front().at > steered.front().message);
  place.wait(std::chrono::seconds(2));
  REQUIRE(place.advance(kMain));
  CHECK(place.conversation(kMain).run->messages.size() == 1);
}

TEST_CASE("after a reset nothing goes into the turn of the session that was left",
          "[conversation][R109]") {
  Place place;
  place.policy.queue.mode = QueueMode::steer;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  place.begin(kMain);
  REQUIRE(place.send(kMain, ResetConversation{}));
  REQUIRE(place.receive(kMain, "two"));
  CHECK(place.all<SteerOffered>().empty());
  CHECK(place.conversation(kMain).queue.waiting.size() == 1);
}

TEST_CASE("what the session had for its turn is given once, however that ends", "[conversation]") {
  Place place;
  have_steered(place);
  const SessionId session = place.conversation(kMain).session;
  REQUIRE(place.send_to(Place::session_ref_of(session), KillSession{}, place.fresh()));
  CHECK(place.all<MessageSteered>().size() == 1);
  CHECK(place.conversation(kMain).queue.waiting.empty());
}

TEST_CASE("a message that was dropped can be sent again", "[conversation][N13]") {
  Place place;
  place.policy.queue.cap = 1;
  REQUIRE(place.receive(kMain, "one", "m1"));
  REQUIRE(place.receive(kMain, "two", "m2"));
  REQUIRE(place.all<MessagesEnded>().size() == 1);
  REQUIRE(place.receive(kMain, "one", "m1"));
  CHECK(place.all<MessageReceived>().size() == 3);
}

TEST_CASE("a message is too late while a run is under way", "[conversation]") {
  Place place;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  ReceiveMessage late;
  late.spec = support::sample_spec(true);
  late.text = "two";
  late.start_before = place.now() + std::chrono::seconds(5);
  REQUIRE(place.send(kMain, late));
  const SessionId id = conversation_id("main", kMain);
  CHECK(place.lanes().works.at(id).expires_behind == late.start_before);
  place.wait(std::chrono::seconds(6));
  REQUIRE(place.advance(kMain));
  CHECK(place.all<MessagesEnded>().front().end == MessageEnd::expired);
  CHECK(place.lanes().works.at(id).expires_behind == Time{});
}

TEST_CASE("in steer-backlog a message goes into the turn and has one of its own",
          "[conversation][R249]") {
  Place place;
  REQUIRE(place.receive(kMain, "/queue steer-backlog"));
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  place.begin(kMain);
  REQUIRE(place.receive(kMain, "two"));
  place.steer(kMain);
  place.finish(kMain, 1);
  CHECK(place.all<MessageSteered>().front().is_kept);
  CHECK(place.conversation(kMain).queue.waiting.size() == 1);
}

TEST_CASE("a label belongs to one conversation of its agent", "[conversation][R102][R286]") {
  Place place;
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.receive(kGroup, "one"));
  REQUIRE(place.send(kMain, PatchConversation{{}, {{"label", "desk"}}, {}}));
  const auto taken = place.send(kGroup, PatchConversation{{}, {{"label", "desk"}}, {}});
  CHECK(code_of(taken) == RejectionCode::already_exists);
  CHECK(taken.error().text.find(kMain) != std::string::npos);
  REQUIRE(place.send(kMain, PatchConversation{{}, {{"label", "home"}}, {}}));
  REQUIRE(place.send(kGroup, PatchConversation{{}, {{"label", "desk"}}, {}}));
  REQUIRE(place.send(kGroup, StopConversation{}));
  REQUIRE(place.send(kGroup, DeleteConversation{}));
  REQUIRE(place.send(kMain, PatchConversation{{}, {{"label", "desk"}}, {}}));
}

TEST_CASE("a thread begins with a copy of what was said above it, if that is wanted",
          "[conversation][R120]") {
  const bool is_wanted = GENERATE(false, true);
  Place place;
  place.policy.forks_threads = is_wanted;
  place.talk(kGroup, "above");
  const SessionId above = place.conversation(kGroup).session;
  const std::string thread = std::string(kGroup) + ":thread:7";
  REQUIRE(place.receive(thread, "within"));
  REQUIRE(place.advance(thread));
  const ConversationRun run = *place.conversation(thread).run;
  CHECK(run.opens);
  CHECK(run.resumes == (is_wanted ? above : SessionId{}));
  CHECK(run.spec->is_fork == is_wanted);
  // A run for which there is no room yet does so later, and one without a session to copy not.
  const auto again = [&](bool is_lost) {
    const TurnId refused = place.conversation(thread).run->run;
    REQUIRE(
        place.send_to(Place::ref(thread), RefuseRun{refused, true, is_lost, "why"}, place.fresh()));
    place.wait(std::chrono::minutes(1));
    REQUIRE(place.advance(thread));
    return place.conversation(thread).run->resumes;
  };
  CHECK(again(false) == (is_wanted ? above : SessionId{}));
  CHECK(again(true) == SessionId{});
  // Where there is nothing to copy it begins with nothing.
  place.policy.forks_threads = true;
  const std::string alone = "agent:main:telegram:group:99:thread:1";
  REQUIRE(place.receive(alone, "within"));
  REQUIRE(place.advance(alone));
  CHECK_FALSE(place.conversation(alone).run->resumes.is_set());
}

TEST_CASE("whoever sent a message that comes to nothing is told where it came from",
          "[conversation][N13]") {
  Place place;
  place.sinks[static_cast<std::size_t>(NotificationTarget::channel)] = true;
  REQUIRE(place.receive(kMain, "/queue cap:1 drop:old"));
  REQUIRE(place.receive(kMain, "one"));
  REQUIRE(place.receive(kMain, "two"));
  const auto told = place.all<NotificationRequested>();
  REQUIRE(told.size() == 1);
  CHECK(told.front().kind == NotificationKind::unanswered);
  CHECK(told.front().channel == "telegram|42");
  CHECK(told.front().unanswered->conversation == kMain);
  CHECK(told.front().unanswered->messages == 1);
  // Nothing is sent to a place that the settings have muted meanwhile.
  place.policy.send.rules = {{"telegram", std::nullopt, "", SendAction::deny}};
  ReceiveMessage elsewhere{{}, support::sample_spec(true), "three"};
  elsewhere.route.channel = "discord";
  elsewhere.route.to = "9";
  REQUIRE(place.send(kMain, std::move(elsewhere)));
  CHECK(place.all<MessagesEnded>().size() == 2);
  CHECK(place.all<NotificationRequested>().size() == 1);
  // Whoever stops a conversation knows.
  REQUIRE(place.receive(kMain, "stop"));
  CHECK(place.all<NotificationRequested>().size() == 1);
}

}  // namespace
}  // namespace domain
