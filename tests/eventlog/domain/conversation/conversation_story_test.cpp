// Random stories of several conversations: every accepted message waits, is in a run, or has one
// end; no lane runs more than it may; and once nothing comes any more, nothing is left.
#include "eventlog/base/random.hpp"
#include "tests/support/conversation_place.hpp"

namespace domain {
namespace {

using support::ConversationPlace;

const std::vector<std::string> kKeys = {"agent:main:main", "agent:main:telegram:group:42",
                                        "agent:main:subagent:1", "agent:main:cron:nightly"};
const char* const kTexts[] = {"hello",
                              "and then",
                              "/new",
                              "/reset go on",
                              "stop",
                              "/queue collect",
                              "/queue followup",
                              "/queue interrupt",
                              "/queue steer",
                              "/queue steer-backlog",
                              "/queue drop:new cap:2",
                              "/queue drop:summarize cap:2",
                              "/queue reset",
                              "/send off",
                              "/send on"};

class Story {
 public:
  explicit Story(std::uint64_t seed) : random_(seed) { place.policy.lanes = {2, 1, 1}; }

  void step() {
    const std::string& key = kKeys[random_.below(kKeys.size())];
    const ConversationState& s = place.conversation(key);
    place.wait(base::Duration(static_cast<std::int64_t>(random_.below(1'500'000))));
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2:
        return void(receive(key));
      case 3:
        return void(place.send(key, ResetConversation{{}, random_.chance(30)}));
      case 4:
        if (random_.chance(30)) return void(place.send(key, StopConversation{}));
        if (random_.chance(20)) return void(place.send(key, PatchConversation{{}, {}, {"label"}}));
        return void(place.send(
            key, PatchConversation{{}, {{"label", random_.chance(50) ? "x" : "y"}}, {}}));
      case 5:
        if (random_.chance(20)) return void(place.send(key, DeleteConversation{}));
        return void(place.send(key, EraseMessages{}));
      case 6:
        if (s.session.is_set() && random_.chance(30)) {
          return void(place.send_to(session_of(key), KillSession{}, place.fresh()));
        }
        return;
      case 7:
        if (s.run && !s.run->is_taken) {
          return void(
              place.send_to(ConversationPlace::ref(key),
                            RefuseRun{s.run->run, random_.chance(70), random_.chance(10), "busy"},
                            place.fresh()));
        }
        return;
      default:
        return go_on(key);
    }
  }

  // What the server does by itself.
  void go_on(const std::string& key) {
    const ConversationState& s = place.conversation(key);
    if (!s.run) return void(place.advance(key));
    if (!s.run->is_taken) {
      end_lease(s.run->resumes);
      if (const auto taken = place.take(key); !taken) {
        const bool is_lost = taken.error().code == RejectionCode::not_resumable;
        REQUIRE(place.send_to(ConversationPlace::ref(key),
                              RefuseRun{s.run->run, true, is_lost, "gone"}, place.fresh()));
      }
      return;
    }
    place.begin(key);
    place.steer(key);
    const auto& steers = place.lanes().works.at(conversation_id("main", key)).steers;
    if (random_.chance(50))
      place.finish(key, static_cast<std::int64_t>(random_.below(steers.size() + 1)));
  }

  // Sessions that conversations have left are closed, and end.
  void close_left() {
    const auto left = place.lanes().left;
    for (const auto& [session, agent] : left) {
      if (place.session(session).status == SessionStatus::none) continue;
      place.close(session);
    }
  }

  void settle() {
    for (int i = 0; i < 400 && !place.lanes().works.empty(); ++i) {
      place.wait(std::chrono::seconds(3));
      for (const std::string& key : kKeys) go_on(key);
    }
    close_left();
  }

  void check() {
    const LanesState& lanes = place.lanes();
    for (std::size_t i = 0; i < kLanes; ++i) {
      const auto is_in = [&](const auto& work) {
        return work.second.lane == static_cast<Lane>(i) && work.second.run && !work.second.is_held;
      };
      const auto running = std::count_if(lanes.works.begin(), lanes.works.end(), is_in);
      REQUIRE(running <= place.policy.lanes[i]);
    }
    std::map<Position, int> ends;
    std::map<Position, std::string> received;
    std::map<TurnId, std::vector<Position>> runs;
    for (const RecordedEvent& one : place.events) {
      if (one.event.is<MessageReceived>()) received[one.envelope.position] = one.envelope.stream;
      if (const auto* ended = one.event.as<MessagesEnded>()) {
        for (const Position message : ended->messages) ++ends[message];
      } else if (const auto* begun = one.event.as<ConversationRunBegun>()) {
        runs[begun->run->run] = begun->run->messages;
      } else if (const auto* steered = one.event.as<MessageSteered>()) {
        if (!steered->is_kept) runs.at(steered->run).push_back(steered->message);
      } else if (const auto* over = one.event.as<ConversationRunEnded>()) {
        for (const Position message : runs.at(over->run)) ++ends[message];
        runs.erase(over->run);
      } else if (const auto* returned = one.event.as<ConversationRunReturned>()) {
        runs.erase(returned->run);
      }
    }
    for (const std::string& key : kKeys) {
      const ConversationState& s = place.conversation(key);
      for (const QueuedMessage& waiting : s.queue.waiting) ++ends[waiting.at];
      if (!s.run) continue;
      REQUIRE(runs.contains(s.run->run));
      for (const Position message : s.run->messages) ++ends[message];
    }
    for (const auto& [message, stream] : received) {
      INFO(stream << " message at " << message.value);
      REQUIRE(ends[message] == 1);
    }
  }

  ConversationPlace place;

 private:
  Decided receive(const std::string& key) {
    ReceiveMessage message;
    message.spec = support::sample_spec(true);
    message.text = kTexts[random_.below(std::size(kTexts))];
    if (random_.chance(60)) message.text = "hello";
    if (random_.chance(15)) message.files.push_back({"notes.md", "notes"});
    if (random_.chance(20)) message.id = "m" + std::to_string(random_.below(3));
    if (random_.chance(10)) message.start_before = place.now() + base::Duration{2'000'000};
    // Mostly from one place, so that much is steered.
    message.route.channel = "telegram";
    message.route.to = random_.chance(20) ? "1" : "0";
    if (random_.chance(10)) message.route = {};
    const bool is_task = key == kKeys[2] && place.conversation(key).key.empty();
    if (is_task && random_.chance(60)) {
      message.parent = kKeys[1];
      if (random_.chance(50)) message.cleanup = RunCleanup::remove;
      message.is_authorised = false;
    }
    return place.send(key, std::move(message));
  }
  // The agent of a session that was killed ends at last.
  void end_lease(SessionId session) {
    if (!session.is_set()) return;
    const auto lease = place.session(session).lease;
    if (!lease || is_live(place.session(session).status)) return;
    ExpireLease expire;
    expire.token = lease->token;
    REQUIRE(place.send_to(ConversationPlace::session_ref_of(session), expire, place.fresh()));
  }
  StreamRef session_of(const std::string& key) {
    return ConversationPlace::session_ref_of(place.conversation(key).session);
  }

  base::SeededRandom random_;
};

TEST_CASE("every accepted message has exactly one end, whatever happens",
          "[conversation][N13][N14][N27]") {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    Story story(seed);
    for (int i = 0; i < 150; ++i) {
      INFO("step " << i);
      story.step();
      if (i % 10 == 0) story.check();
    }
    story.settle();
    story.check();
    CHECK(story.place.lanes().works.empty());
    CHECK(story.place.lanes().left.empty());
    for (const RecordedEvent& one : story.place.events) seen.insert(std::string(one.event.type()));
  }
  // The stories are of no use if they leave out what conversations can do.
  for (const char* type : {"ConversationOpened",
                           "EntryChanged",
                           "MessageReceived",
                           "MessageFileAttached",
                           "MessagesEnded",
                           "ConversationRunBegun",
                           "ConversationRunStarted",
                           "ConversationUnchanged",
                           "LaneExpires",
                           "ConversationRunTaken",
                           "ConversationRunReturned",
                           "ConversationRunInterruptRequested",
                           "ConversationRunEnded",
                           "ConversationReset",
                           "ResetUndone",
                           "ConversationDeleted",
                           "LaneAwaited",
                           "LaneTaken",
                           "LaneInterrupted",
                           "LaneLeft",
                           "DirectiveReceived",
                           "MessageSteered",
                           "SteerOffered",
                           "SteerSettled",
                           "SessionLeft",
                           "LeftSessionSettled",
                           "LabelTaken",
                           "LabelFreed",
                           "TaskWithdrawn"}) {
    INFO(type);
    CHECK(seen.contains(type));
  }
}

}  // namespace
}  // namespace domain
