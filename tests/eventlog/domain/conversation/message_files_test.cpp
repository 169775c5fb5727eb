// Files that go with messages: they are on the record before their message, and a run has those of
// one message.
#include "eventlog/domain/prompt_files.hpp"

#include "tests/support/conversation_place.hpp"

namespace domain {
namespace {

using std::string_literals::operator""s;
using support::ConversationPlace;
using support::kGroup;
using support::kMain;
using Place = ConversationPlace;

const PromptFile kPng{"shot.png", "\x89PNG\r\n\x1a\n\0rest"s};
const PromptFile kNotes{"notes.md", "# Notes"};
const std::vector<FileFacts> kFacts{{"shot.png", "image/png", 13}, {"notes.md", "text/plain", 7}};

Decided receive(Place& place, const std::string& text, PromptFiles files,
                const std::string& id = {}) {
  ReceiveMessage message;
  message.spec = support::sample_spec(true);
  message.text = text;
  message.id = id;
  message.files = std::move(files);
  return place.send(kMain, std::move(message));
}

std::string refusal(const Decided& decided) {
  REQUIRE_FALSE(decided);
  return decided.error().text;
}

template <class E>
std::vector<Position> positions_of(const Place& place) {
  std::vector<Position> found;
  for (const RecordedEvent& one : place.events) {
    if (one.event.is<E>()) found.push_back(one.envelope.position);
  }
  return found;
}

TEST_CASE("files are recorded before their message, which names them", "[conversation]") {
  Place place;
  const Decided decided = receive(place, "look", {kPng, kNotes});
  REQUIRE(decided);
  std::vector<std::string> contents;
  for (const Emitted& one : *decided) {
    if (!one.content.text.empty()) contents.push_back(one.content.text);
  }
  CHECK(contents == std::vector{kPng.data, kNotes.data, "look"s});
  const auto files = positions_of<MessageFileAttached>(place);
  REQUIRE(files.size() == 2);
  CHECK(place.all<MessageReceived>().front().files == kFacts);
  const ConversationState& s = place.conversation(kMain);
  REQUIRE(s.queue.waiting.size() == 1);
  CHECK(s.queue.waiting.front().files == QueuedFiles{{files[0], kFacts[0]}, {files[1], kFacts[1]}});
  CHECK(s.attached->empty());
  // An archive keeps them until an agent has them.
  CHECK(place.lanes().works.begin()->second.oldest == files[0]);

  REQUIRE(place.advance(kMain));
  CHECK(place.conversation(kMain).run->files == files);
  CHECK(place.lanes().works.begin()->second.run->files == files);
  CHECK(oldest_of(*place.conversation(kMain).run) == files[0]);
}

TEST_CASE("a message can be empty beside files", "[conversation]") {
  Place place;
  REQUIRE(receive(place, "", {kPng}));
  CHECK(place.conversation(kMain).queue.waiting.size() == 1);
  CHECK(refusal(receive(place, "", {})).find("is empty") != std::string::npos);
  CHECK(refusal(receive(place, " \n", {kPng})).find("is empty") != std::string::npos);
}

TEST_CASE("files that no run could give are refused with their message", "[conversation]") {
  Place place;
  const auto code = [&](PromptFiles files) {
    const Decided decided = receive(place, "look", std::move(files));
    REQUIRE_FALSE(decided);
    return decided.error().code;
  };
  CHECK(code({{"a.zip", "PK\x03\x04\x14\0"s}}) == RejectionCode::invalid);
  CHECK(code({{"a/b", "text"}}) == RejectionCode::invalid);
  CHECK(code({{"a.txt", ""}}) == RejectionCode::invalid);
  CHECK(code(PromptFiles(kPromptFilesMax + 1, kNotes)) == RejectionCode::limit_reached);
  const std::string half(kPromptFilesBytesMax / 2 + 1, 'x');
  CHECK(code({{"a", half}, {"b", half}}) == RejectionCode::limit_reached);
  place.file_engines = std::span<const std::string>();
  CHECK(refusal(receive(place, "look", {kNotes})).find("take no files") != std::string::npos);
  CHECK(place.events.empty());
}

TEST_CASE("a command of the conversation takes files only with what it leaves to the agent",
          "[conversation]") {
  Place place;
  CHECK(refusal(receive(place, "/send off", {kNotes})).find("no file can go with it") !=
        std::string::npos);
  CHECK(place.events.empty());
  place.talk(kMain, "one");
  // A stop is carried out whatever goes with it.
  REQUIRE(receive(place, "waits", {}));
  REQUIRE(receive(place, "stop", {kNotes}));
  CHECK(place.all<MessagesEnded>().back().end == MessageEnd::stopped);
  CHECK(place.all<MessageFileAttached>().empty());
  REQUIRE(receive(place, "/new", {kNotes}));
  CHECK(place.all<ConversationReset>().size() == 1);
  REQUIRE(receive(place, "/queue followup", {kNotes}));
  CHECK(place.all<DirectiveReceived>().size() == 1);
  const ConversationState& s = place.conversation(kMain);
  REQUIRE(s.queue.waiting.size() == 2);
  CHECK(s.queue.waiting[0].text_bytes == 0);
  CHECK(s.queue.waiting[1].files->size() == 1);
  CHECK(s.settings.mode == QueueMode::followup);
}

TEST_CASE("a message that comes twice attaches its files once", "[conversation]") {
  Place place;
  for (int i = 0; i < 2; ++i) REQUIRE(receive(place, "look", {kNotes}, "m1"));
  CHECK(positions_of<MessageFileAttached>(place).size() == 1);
}

TEST_CASE("a run has the files of one message, and what comes behind it waits", "[conversation]") {
  Place place;
  REQUIRE(receive(place, "one", {}));
  REQUIRE(receive(place, "two", {kPng}));
  REQUIRE(receive(place, "three", {kNotes}));
  REQUIRE(receive(place, "four", {}));
  place.wait(std::chrono::seconds(5));
  REQUIRE(place.advance(kMain));
  const auto files = positions_of<MessageFileAttached>(place);
  const ConversationState& s = place.conversation(kMain);
  CHECK(s.run->messages.size() == 2);
  CHECK(s.run->files == std::vector{files[0]});
  REQUIRE(place.take(kMain));
  place.finish(kMain);
  CHECK(place.lanes().works.begin()->second.oldest == files[1]);
  place.wait(std::chrono::seconds(5));
  REQUIRE(place.advance(kMain));
  CHECK(s.run->messages.size() == 1);
  CHECK(s.run->files == std::vector{files[1]});
}

TEST_CASE("a message with files waits behind the turn under way, and none overtakes it",
          "[conversation][R098]") {
  for (const QueueMode mode : {QueueMode::steer, QueueMode::steer_backlog}) {
    Place place;
    place.policy.queue.mode = mode;
    REQUIRE(place.receive(kMain, "one"));
    REQUIRE(place.advance(kMain));
    REQUIRE(place.take(kMain));
    place.begin(kMain);
    REQUIRE(receive(place, "look", {kPng}));
    REQUIRE(receive(place, "what is it?", {}));
    CHECK(place.lanes().works.begin()->second.steers.empty());
    CHECK(place.conversation(kMain).queue.waiting.size() == 2);
    place.finish(kMain);
    place.wait(std::chrono::seconds(5));
    REQUIRE(place.advance(kMain));
    CHECK(place.conversation(kMain).run->files.size() == 1);
  }
}

TEST_CASE("the files of a run that no session took wait again with its message", "[conversation]") {
  Place place;
  REQUIRE(receive(place, "look", {kPng}));
  REQUIRE(place.advance(kMain));
  const std::vector<Position> files = place.conversation(kMain).run->files;
  const TurnId run = place.conversation(kMain).run->run;
  REQUIRE(place.send_to(Place::ref(kMain), RefuseRun{run, true, false, "busy"}, place.fresh()));
  CHECK(place.lanes().works.begin()->second.oldest == files[0]);
  place.wait(std::chrono::minutes(1));
  REQUIRE(place.advance(kMain));
  CHECK(place.conversation(kMain).run->files == files);
}

TEST_CASE("files of messages are erased as texts are, by their own events too", "[conversation]") {
  Place place;
  REQUIRE(receive(place, "look", {kPng}));
  const auto code = [&](const EraseMessages& erase) {
    const Decided decided = place.send(kMain, erase);
    REQUIRE_FALSE(decided);
    return decided.error().code;
  };
  CHECK(code(EraseMessages{}) == RejectionCode::content_in_use);
  REQUIRE(place.advance(kMain));
  REQUIRE(place.take(kMain));
  // Behind the conversation's opening stand the file and its message.
  EraseMessages of_file;
  of_file.events = {{StreamVersion{2}, StreamVersion{2}}};
  REQUIRE(place.send(kMain, of_file));
  CHECK(place.all<ContentErased>().back().events == of_file.events);
  REQUIRE(place.send(kMain, EraseMessages{}));
  const VersionRanges all = place.conversation(kMain).erased;
  CHECK(contains(all, StreamVersion{2}));
  CHECK(contains(all, StreamVersion{3}));
}

TEST_CASE("a message and the files before it belong together, or the record contradicts itself",
          "[conversation]") {
  ConversationState s;
  const auto fold = [&](Position at, Event event) {
    Envelope envelope;
    envelope.stream = conversation_stream("main", kMain);
    envelope.position = at;
    evolve(s, envelope, event);
  };
  fold(Position{1}, ConversationOpened{kMain, {}, {}});
  fold(Position{2}, MessageFileAttached{});
  MessageReceived received;
  fold(Position{3}, received);
  CHECK(s.inconsistent == Position{3});
  CHECK(s.queue.waiting.empty());
  received.files = std::vector{kFacts[0]};
  fold(Position{4}, received);
  CHECK(s.queue.waiting.size() == 1);
}

}  // namespace
}  // namespace domain
