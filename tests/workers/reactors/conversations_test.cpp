// A run's prompt is made of what the log has: texts, and the files of its message.
#include "workers/reactors/conversations.hpp"

#include "tests/support/driven_loop.hpp"
#include "tests/support/under_way.hpp"
#include "workers/reactors/streams_under_way.hpp"

namespace workers {
namespace {

using base::Duration;
using base::Time;
using support::DrivenLoop;
using support::LastingStores;

const domain::PromptFile kPng{"shot.png", "\x89PNG\r\n\x1a\n"};
const domain::PromptFile kNotes{"notes.md", "# Notes"};

// Reads contents from the log, but for those of these types.
class Contents final : public ContentLoader {
 public:
  Contents(eventlog::BlockStore& log, eventlog::StreamIndex& index,
           const std::set<std::string>& lost)
      : loader_(log, index), lost_(lost) {}
  void request(base::Position position) override { loader_.request(position); }
  void request_spoken(SpokenWanted wanted) override { loader_.request_spoken(std::move(wanted)); }
  std::optional<ContentOutcome> poll() override {
    auto outcome = loader_.poll();
    const bool is_lost = outcome && outcome->event && lost_.contains(outcome->event->envelope.type);
    if (is_lost) outcome->event->content.reset();  // as after a salvage
    return outcome;
  }
  std::optional<SpokenOutcome> poll_spoken() override { return loader_.poll_spoken(); }

 private:
  InlineContentLoader loader_;
  const std::set<std::string>& lost_;
};

class ConversationLife {
 public:
  ConversationLife() : loop(disk_.store, *disk_.rows), index_(*disk_.rows) {}

  void send(const std::string& text, domain::PromptFiles files) {
    REQUIRE(loop.ask(message(1, "agent:main:main", text, std::move(files))));
    settle();
  }
  // The reactor looks at each step as soon as it is decided, and before it is durable.
  void send_ahead_of_disk(const std::string& key, const std::string& text) {
    const auto* of_lanes = last<domain::LaneAwaited>();
    REQUIRE(of_lanes != nullptr);
    loop.submit(message(2, key, text, {}));
    for (int i = 0; i < 4; ++i) {
      loop.decide();
      reactor_.on_durable(*of_lanes);  // another conversation's fact has it look
      work();
    }
    settle();
  }
  // Returns the last event of the type; none: there is none.
  template <class E>
  const domain::RecordedEvent* last() const {
    const domain::RecordedEvent* found = nullptr;
    for (const domain::RecordedEvent& one : loop.events) {
      if (one.event.is<E>()) found = &one;
    }
    return found;
  }
  std::size_t files_given() const {
    return static_cast<std::size_t>(std::count_if(
        loop.events.begin(), loop.events.end(),
        [](const auto& one) { return one.event.template is<domain::FileAttached>(); }));
  }

  std::set<std::string> lost;  // types of events whose contents the log has lost

 private:
  DrivenLoop::Message message(int number, const std::string& key, const std::string& text,
                              domain::PromptFiles files) {
    domain::ReceiveMessage message;
    message.session_key = key;
    message.spec = support::sample_spec(true);
    message.text = text;
    message.files = std::move(files);
    return DrivenLoop::message(number, ++commands_, domain::ConversationCommand(message));
  }
  void settle() {
    for (int i = 0; i < 12; ++i) {
      loop.settle();
      loop.answer_reactors();
      for (; told_ < loop.events.size(); ++told_) {
        streams_.fold(loop.events[told_]);
        reactor_.on_durable(loop.events[told_]);
      }
      work();
    }
  }
  void work() {
    const Time now{loop.time()};
    reactor_.do_work({now, now, Duration{now.us}, loop.sequencer.durable(), true, flight_});
  }

  LastingStores disk_;

 public:
  DrivenLoop loop;

 private:
  eventlog::StreamIndex index_;
  StreamsUnderWay streams_;
  base::SeededRandom random_{9};
  FlightRecorder flight_;
  Conversations reactor_{loop.worker, random_, streams_.of<domain::SessionStream>(),
                         std::make_unique<Contents>(disk_.store, index_, lost), [] {}};
  int commands_ = 0;
  std::size_t told_ = 0;
};

TEST_CASE("a message's text is read once it is durable", "[workers]") {
  ConversationLife life;
  life.send("first", {});
  life.send_ahead_of_disk("agent:main:telegram:group:1", "second");
  const auto* queued = life.last<domain::TurnQueued>();
  REQUIRE(queued != nullptr);
  CHECK(queued->content->text == "second");
  CHECK(life.last<domain::ConversationRunReturned>() == nullptr);
}

TEST_CASE("a run's prompt has the files of its message, in their order", "[workers]") {
  ConversationLife life;
  life.send("look", {kPng, kNotes});
  const auto* queued = life.last<domain::TurnQueued>();
  REQUIRE(queued != nullptr);
  CHECK(queued->content->text == "look");
  CHECK(queued->event.as<domain::TurnQueued>()->files ==
        std::vector{domain::facts_of(kPng), domain::facts_of(kNotes)});
  CHECK(life.files_given() == 2);
  CHECK(life.last<domain::FileAttached>()->content->text == kNotes.data);
}

TEST_CASE("a prompt can be files alone", "[workers]") {
  ConversationLife life;
  life.send("", {kPng});
  const auto* queued = life.last<domain::TurnQueued>();
  REQUIRE(queued != nullptr);
  CHECK_FALSE(queued->content);
  CHECK(life.files_given() == 1);
}

TEST_CASE("a run goes on without a file that the log has no more, if something is left",
          "[workers]") {
  ConversationLife life;
  life.lost = {"MessageFileAttached"};
  life.send("look", {kPng});
  const auto* queued = life.last<domain::TurnQueued>();
  REQUIRE(queued != nullptr);
  CHECK(queued->content->text == "look");
  CHECK(queued->event.as<domain::TurnQueued>()->files->empty());

  ConversationLife of_file;
  of_file.lost = {"MessageReceived"};
  of_file.send("look", {kPng});
  CHECK(of_file.files_given() == 1);

  ConversationLife of_nothing;
  of_nothing.lost = {"MessageFileAttached"};
  of_nothing.send("", {kPng});
  CHECK(of_nothing.last<domain::TurnQueued>() == nullptr);
  const auto* ended = of_nothing.last<domain::MessagesEnded>();
  REQUIRE(ended != nullptr);
  CHECK(ended->event.as<domain::MessagesEnded>()->error ==
        "the message's files are not in the log any more");
}

}  // namespace
}  // namespace workers
