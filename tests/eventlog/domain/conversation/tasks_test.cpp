// A conversation gives a subagent a task, and hears how that ended, once.
#include "tests/support/conversation_place.hpp"

namespace domain {
namespace {

using support::ConversationPlace;
using support::kGroup;
using support::kMain;

const std::string kTask = "agent:main:subagent:1";

class Tasks : public ConversationPlace {
 public:
  Tasks() {
    sinks[static_cast<std::size_t>(NotificationTarget::parent)] = true;
    talk(kGroup, "hello");
  }

  RunCleanup cleanup = RunCleanup::keep;

  Decided give(const std::string& key, const std::string& parent) {
    ReceiveMessage task;
    task.cleanup = cleanup;
    task.entry["label"] = "looks " + key.substr(key.rfind(':') + 1);
    task.spec = support::sample_spec(true);
    task.text = "look";
    task.parent = parent;
    task.is_authorised = false;
    return send(key, std::move(task));
  }
  void begin_task() {
    REQUIRE(give(kTask, kGroup));
    REQUIRE(advance(kTask));
    REQUIRE(take(kTask));
    begin(kTask);
  }
  std::vector<NotificationRequested> told() const {
    std::vector<NotificationRequested> all = ConversationPlace::all<NotificationRequested>();
    std::erase_if(all, [](const auto& one) { return one.target != NotificationTarget::parent; });
    return all;
  }
  Decided announce(const std::string& key, std::string deletes = {}) {
    ReceiveMessage message;
    message.deletes = std::move(deletes);
    message.text = "stop";
    message.is_authorised = false;
    message.is_announcement = true;
    return send(key, std::move(message));
  }
};

TEST_CASE("a conversation that gave a task hears once how it ended", "[conversation][R212]") {
  Tasks place;
  place.begin_task();
  CHECK(place.lanes().works.begin()->second.lane == Lane::subagent);
  CHECK(place.conversation(kTask).parent == kGroup);
  CHECK(place.told().empty());
  place.finish(kTask);
  CHECK(place.session(place.conversation(kTask).session).status == SessionStatus::completed);
  REQUIRE(place.told().size() == 1);
  CHECK(place.told().front().kind == NotificationKind::completed);
  CHECK(*place.told().front().parent_key == kGroup);
  CHECK_FALSE(place.told().front().parent.is_set());
  ReportAgentExited exited;
  exited.has_run = exited.is_heard = true;
  place.report(ConversationPlace::session_ref_of(place.conversation(kTask).session), exited);
  // A later message is no task.
  place.talk(kTask, "and?");
  CHECK(place.told().size() == 1);
}

TEST_CASE("a task that ends otherwise is told as that", "[conversation][R212][C10]") {
  Tasks place;
  SECTION("its session is killed") {
    place.begin_task();
    const StreamRef session = ConversationPlace::session_ref_of(place.conversation(kTask).session);
    REQUIRE(place.send_to(session, KillSession{}, place.fresh()));
    REQUIRE(place.told().size() == 1);
    CHECK(place.told().front().kind == NotificationKind::killed);
  }
  SECTION("no session takes it") {
    REQUIRE(place.give(kTask, kGroup));
    REQUIRE(place.advance(kTask));
    const TurnId run = place.conversation(kTask).run->run;
    REQUIRE(place.send_to(ConversationPlace::ref(kTask), RefuseRun{run, false, false, "no engine"},
                          place.fresh()));
    REQUIRE(place.told().size() == 1);
    CHECK(place.told().front().kind == NotificationKind::unanswered);
    CHECK(place.told().front().unanswered->why == "no engine");
  }
  SECTION("somebody stops it before an agent has it") {
    REQUIRE(place.give(kTask, kGroup));
    REQUIRE(place.send(kTask, StopConversation{}));
    REQUIRE(place.told().size() == 1);
    CHECK(place.told().front().unanswered->why == "it was stopped");
  }
  REQUIRE(place.told().size() == 1);
  CHECK(*place.told().front().parent_key == kGroup);
}

TEST_CASE("a subagent's conversation goes once its giver has heard, if that was asked",
          "[conversation]") {
  Tasks place;
  place.cleanup = RunCleanup::remove;
  SECTION("its task is done") {
    place.begin_task();
    place.finish(kTask);
    REQUIRE(*place.told().front().deletes == kTask);
    REQUIRE(place.announce(kGroup, kTask));
    CHECK(place.conversation(kTask).key.empty());
    REQUIRE(place.receive(kMain, "hello"));
    CHECK(place.send(kMain, PatchConversation{{}, {{"label", "looks 1"}}, {}}));
  }
  SECTION("no session takes it") {
    REQUIRE(place.give(kTask, kGroup));
    REQUIRE(place.advance(kTask));
    const TurnId run = place.conversation(kTask).run->run;
    REQUIRE(place.send_to(ConversationPlace::ref(kTask), RefuseRun{run, false, false, "no engine"},
                          place.fresh()));
    REQUIRE(*place.told().front().deletes == kTask);
    REQUIRE(place.announce(kGroup, kTask));
    CHECK(place.conversation(kTask).key.empty());
  }
}

TEST_CASE("a subagent's conversation stays", "[conversation]") {
  Tasks place;
  place.talk(kMain, "hello");
  SECTION("unless it is asked for") {
    place.begin_task();
    place.finish(kTask);
    CHECK(place.told().front().deletes->empty());
    REQUIRE(place.announce(kGroup, kTask));
  }
  place.cleanup = RunCleanup::remove;
  SECTION("if somebody has written to it") {
    place.begin_task();
    place.finish(kTask);
    REQUIRE(place.receive(kTask, "and?"));
    REQUIRE(place.announce(kGroup, kTask));
  }
  SECTION("while it works") {
    place.begin_task();
    REQUIRE(place.announce(kGroup, kTask));
  }
  SECTION("if another conversation hears") {
    place.begin_task();
    place.finish(kTask);
    REQUIRE(place.announce(kMain, kTask));
  }
  SECTION("if a person names it") {
    place.begin_task();
    place.finish(kTask);
    ReceiveMessage message;
    message.text = "hello";
    message.deletes = kTask;
    REQUIRE(place.send(kGroup, std::move(message)));
  }
  CHECK(place.conversation(kTask).key == kTask);
}

TEST_CASE("what is no task has no cleanup", "[conversation]") {
  Tasks place;
  place.cleanup = RunCleanup::remove;
  const auto refused = place.give(kTask, "");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::invalid);
}

TEST_CASE("a stop of the conversation stops its tasks, and nobody is told",
          "[conversation][R212]") {
  Tasks place;
  place.policy.lanes = {4, 1, 1};
  const std::string waits = "agent:main:subagent:2";
  place.begin_task();
  REQUIRE(place.give(waits, kGroup));
  SECTION("by a command") { REQUIRE(place.send(kGroup, StopConversation{})); }
  SECTION("by a word") { REQUIRE(place.receive(kGroup, "Stop")); }
  SECTION("with the conversation") { REQUIRE(place.send(kGroup, DeleteConversation{})); }
  SECTION("but not what people have sent behind it") {
    REQUIRE(place.receive(kTask, "and?"));
    REQUIRE(place.send(kGroup, StopConversation{}));
    CHECK(place.conversation(kTask).queue.waiting.size() == 1);
  }
  CHECK(place.conversation(kTask).run->is_to_end);
  CHECK(place.lanes().works.at(conversation_id("main", kTask)).run->is_to_end);
  CHECK(place.conversation(waits).queue.waiting.empty());
  CHECK_FALSE(place.lanes().works.contains(conversation_id("main", waits)));
  CHECK(place.all<TaskWithdrawn>().size() == 2);
  const StreamRef session = ConversationPlace::session_ref_of(place.conversation(kTask).session);
  REQUIRE(place.send_to(session, InterruptTurn{place.conversation(kTask).run->run}, place.fresh()));
  place.finish(kTask);
  CHECK_FALSE(place.conversation(kTask).run);
  CHECK(place.told().empty());
}

TEST_CASE("a conversation that was deleted leaves nothing that a stop could trip over",
          "[conversation]") {
  Tasks place;
  place.begin_task();
  REQUIRE(place.send(kGroup, DeleteConversation{}));
  REQUIRE(place.conversation(kTask).run);
  // Its key is begun anew by a word that stops.
  REQUIRE(place.receive(kGroup, "stop"));
  CHECK(place.all<TaskWithdrawn>().size() == 1);
}

TEST_CASE("a conversation that is being stopped gives no task, and hears of none that ended",
          "[conversation][R212]") {
  Tasks place;
  place.begin_task();
  place.finish(kTask);
  REQUIRE(place.told().size() == 1);
  REQUIRE(place.receive(kGroup, "go on"));
  REQUIRE(place.advance(kGroup));
  REQUIRE(place.take(kGroup));
  place.begin(kGroup);
  REQUIRE(place.send(kGroup, StopConversation{}));
  CHECK(place.all<NotificationDropped>().size() == 1);
  const auto refused = place.give("agent:main:subagent:2", kGroup);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::not_accepting);
}

TEST_CASE("a stop reaches the tasks of the conversation alone", "[conversation][R212]") {
  Tasks place;
  place.talk(kMain, "hello");
  place.begin_task();
  SECTION("not those of another") {
    REQUIRE(place.send(kMain, StopConversation{}));
    CHECK_FALSE(place.conversation(kTask).run->is_to_end);
  }
  SECTION("not by a stranger's word") {
    ReceiveMessage message;
    message.text = "stop";
    message.is_authorised = false;
    REQUIRE(place.send(kGroup, std::move(message)));
    CHECK_FALSE(place.conversation(kTask).run->is_to_end);
  }
  SECTION("not what people ask of the subagent afterwards") {
    place.finish(kTask);
    ReportAgentExited exited;
    exited.has_run = exited.is_heard = true;
    place.report(ConversationPlace::session_ref_of(place.conversation(kTask).session), exited);
    REQUIRE(place.receive(kTask, "and?"));
    REQUIRE(place.send(kGroup, StopConversation{}));
    CHECK(place.conversation(kTask).queue.waiting.size() == 1);
  }
  SECTION("not what waits behind a task that is over") {
    REQUIRE(place.receive(kTask, "and?"));
    place.finish(kTask);
    REQUIRE(place.send(kGroup, StopConversation{}));
    CHECK(place.conversation(kTask).queue.waiting.size() == 1);
  }
  CHECK(place.all<TaskWithdrawn>().empty());
}

TEST_CASE("a task ends with what its agent does in the background", "[conversation][R212]") {
  Tasks place;
  place.begin_task();
  const StreamRef session = ConversationPlace::session_ref_of(place.conversation(kTask).session);
  place.report(session, ReportTasksChanged{1, "make", false, 0});
  place.finish(kTask);
  REQUIRE(place.conversation(kTask).run);
  CHECK(place.told().empty());
  place.report(session, ReportTasksChanged{0, "", false, 0});
  CHECK_FALSE(place.conversation(kTask).run);
  REQUIRE(place.told().size() == 1);
  CHECK(place.told().front().kind == NotificationKind::completed);
}

TEST_CASE("nothing goes into the turn of a task, and nothing is given twice", "[conversation]") {
  Tasks place;
  place.policy.queue.mode = QueueMode::steer;
  place.begin_task();
  REQUIRE(place.receive(kTask, "and hurry"));
  CHECK(place.lanes().works.begin()->second.steers.empty());
  place.finish(kTask);
  CHECK(place.conversation(kTask).queue.waiting.size() == 1);
}

TEST_CASE("an announcement takes no interrupt away, and waits where too many do",
          "[conversation][R212]") {
  Tasks place;
  place.policy.queue.mode = QueueMode::interrupt;
  place.policy.queue.cap = 2;
  REQUIRE(place.receive(kGroup, "one"));
  REQUIRE(place.advance(kGroup));
  REQUIRE(place.take(kGroup));
  REQUIRE(place.receive(kGroup, "two"));
  REQUIRE(place.announce(kGroup));
  const auto refused = place.announce(kGroup);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == RejectionCode::limit_reached);
  place.begin(kGroup);
  CHECK(place.conversation(kGroup).run->is_to_end);
}

TEST_CASE("only a conversation that is there gives a task, and no subagent does",
          "[conversation][R128]") {
  Tasks place;
  const auto code_of = [](const Decided& decided) {
    REQUIRE_FALSE(decided);
    return decided.error().code;
  };
  CHECK(code_of(place.give(kTask, kMain)) == RejectionCode::not_found);
  CHECK(code_of(place.give(kMain, kGroup)) == RejectionCode::invalid);
  CHECK(code_of(place.give(kTask, "group")) == RejectionCode::invalid);
  REQUIRE(place.give(kTask, kGroup));
  CHECK(code_of(place.give(kTask, kGroup)) == RejectionCode::already_exists);
  CHECK(code_of(place.give("agent:main:subagent:2", kTask)) == RejectionCode::refused);
}

TEST_CASE(
    "an announcement interrupts nothing, commands nothing, and is answered where the "
    "conversation was heard from",
    "[conversation][R212]") {
  Tasks place;
  place.policy.queue.mode = QueueMode::interrupt;
  REQUIRE(place.receive(kGroup, "one"));
  REQUIRE(place.advance(kGroup));
  REQUIRE(place.take(kGroup));
  place.begin(kGroup);
  REQUIRE(place.announce(kGroup));
  CHECK_FALSE(place.conversation(kGroup).run->is_to_end);
  REQUIRE(place.conversation(kGroup).queue.waiting.size() == 1);
  CHECK(place.conversation(kGroup).queue.waiting.front().route.channel == "telegram");
  CHECK(place.conversation(kGroup).queue.waiting.front().route.to == "42");
}

}  // namespace
}  // namespace domain
