// Files that go with a prompt: which ones can, and that they stay with it until an agent has it.
#include "eventlog/domain/prompt_files.hpp"

#include "eventlog/domain/session/texts_needed.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using std::string_literals::operator""s;
using support::fact;
using support::given;
using support::kOwnTurn;
using support::kToken;
using support::report;
using support::turn;
using support::operator+;

const PromptFile kPng{"shot.png", "\x89PNG\r\n\x1a\n\0rest"s};
const PromptFile kNotes{"notes.md", "# Notes"};
const std::vector<FileFacts> kFacts{{"shot.png", "image/png", 13}, {"notes.md", "text/plain", 7}};

SendPrompt prompt_with(PromptFiles files, std::string text = "Look.") {
  SendPrompt send{std::move(text), false};
  send.files = std::move(files);
  return send;
}

TurnQueued queued_with(TurnId turn, std::vector<FileFacts> files = kFacts) {
  return {turn, {}, {}, std::move(files)};
}

std::string refusal(const PromptFiles& files) {
  const auto asked = given(support::idle()).when(prompt_with(files)).outcome();
  return asked ? "" : asked.error().text;
}

TEST_CASE("a file is told by its first bytes, and a text by all of them", "[session]") {
  CHECK(media_type_of(kPng.data) == "image/png");
  CHECK(media_type_of("\xff\xd8\xff\xe0") == "image/jpeg");
  CHECK(media_type_of("GIF89a and more") == "image/gif");
  CHECK(media_type_of("RIFF\x10\0\0\0WEBPVP8 "s) == "image/webp");
  CHECK(media_type_of("%PDF-1.7\n\xe2\xe3") == "application/pdf");
  CHECK(media_type_of("gr\xc3\xbc\xc3\x9f dich\x1b[0m") == "text/plain");
  CHECK(media_type_of("<svg xmlns=\"http://www.w3.org/2000/svg\"/>") == "text/plain");
  for (const std::string& none : {""s, "BM\x7a\x12\0\0"s, "\xfe\xff\0a"s, "PK\x03\x04\x14\0"s,
                                  " \n\t"s, "RIFF\x10\0\0\0WAVE"s, "cut \xc3"s, "a\0b"s}) {
    CHECK_FALSE(media_type_of(none));
  }
}

TEST_CASE("files are recorded before their prompt, which names them", "[session]") {
  const auto after =
      given(support::idle())
          .when(prompt_with({kPng, kNotes}))
          .then(fact(FileAttached{kOwnTurn}).with(kPng.data),
                fact(FileAttached{kOwnTurn}).with(kNotes.data),
                fact(queued_with(kOwnTurn)).with("Look."), TurnStarted{kOwnTurn, kToken});
  REQUIRE(after.session().turn);
  const AttachedFiles& files = after.session().turn->files;
  REQUIRE(files.size() == 2);
  CHECK(files[1].bytes == 7);
  CHECK(files[0].file.next() == files[1].file);
  CHECK(after.session().attached->empty());
  const auto needed = texts_needed(after.session());
  REQUIRE(needed.size() == 4);
  CHECK(needed[1] == NeededText{TextRole::file, files[0].file});
  CHECK(needed[3].role == TextRole::prompt);
}

TEST_CASE("a session is spawned with files, and its prompt can then be empty", "[session]") {
  Spawn c = support::spawn_command();
  c.prompt.clear();
  const auto refused = support::Given().when(c).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text.find("prompt is empty") != std::string::npos);
  c.files = {kNotes};
  const auto spawned = support::Given().when(c).outcome();
  REQUIRE(spawned);
  // The name stands directly before the prompt, with which it is erased.
  REQUIRE(spawned->size() >= 4);
  CHECK((*spawned)[1].event.is<FileAttached>());
  CHECK((*spawned)[2].event.is<SessionNamed>());
  CHECK((*spawned)[3].event.get<TurnQueued>().files == std::vector<FileFacts>{kFacts[1]});
  CHECK((*spawned)[3].content.text.empty());
  c.prompt = "  ";
  CHECK_FALSE(support::Given().when(c).outcome());
}

TEST_CASE("what an agent cannot be given is refused by name", "[session][R015]") {
  CHECK(refusal({kPng, kNotes}).empty());
  CHECK(refusal({{"a.zip", "PK\x03\x04\x14\0"s}}).find("a.zip is none of the files") == 0);
  CHECK(refusal({{"a.zip", "PK\x03\x04\x14\0"s}}).find("PNG, JPEG, GIF, WebP") !=
        std::string::npos);
  CHECK(refusal({{"empty", ""}}) == "empty is empty");
  CHECK(refusal({{"", "x"}}).find("name is missing") != std::string::npos);
  CHECK(refusal({{"a\nb", "x"}}).find("control characters") != std::string::npos);
  CHECK(refusal({{"a\xe2\x80\xae"
                  "b",
                  "x"}})
            .find("control characters") != std::string::npos);
  CHECK(refusal({{"\xff", "x"}}).find("UTF-8") != std::string::npos);
  CHECK(refusal({{"../a", "x"}}).find("no folder") != std::string::npos);
  CHECK(refusal({{std::string(257, 'a'), "x"}}).find("257 bytes, of 256") != std::string::npos);
  CHECK(refusal(PromptFiles(10, kNotes)).empty());
  CHECK(refusal(PromptFiles(11, kNotes)).find("11 files, of 10") != std::string::npos);
  PromptFile large = kPng;
  large.data.resize(kImageBytesMax, 'x');
  CHECK(refusal({large}).empty());
  large.data += 'x';
  CHECK(refusal({large}).find("an image has 5 MiB at most") != std::string::npos);
  const PromptFile text{"a.txt", std::string(kPromptFilesBytesMax, 'x')};
  CHECK(refusal({text}).empty());
  CHECK(refusal({text, kNotes}).find("20 MiB at most") != std::string::npos);
}

TEST_CASE("an engine whose agents take no files gets none", "[session][R015]") {
  auto past = given(support::idle());
  past.context.file_engines = {};
  const auto refused = past.when(prompt_with({kNotes})).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text.find("scripted take no files") != std::string::npos);
  CHECK(past.when(prompt_with({})).outcome());
  past.when(prompt_with({}, "")).then_rejected(RejectionCode::invalid);
}

TEST_CASE("a prompt keeps its files while it waits, and when it returns to the queue",
          "[session]") {
  auto past = support::leased() + fact(FileAttached{turn(2)}).with(kNotes.data) +
              fact(queued_with(turn(2), {kFacts[1]})).with("second");
  CHECK(given(past).session().queue.front().files->size() == 1);
  CHECK(given(past).session().turn->files->empty());
  past = past + fact(TurnFinished{turn(1), {}}).by_report(1, 1) + TurnStarted{turn(2), kToken};
  const AttachedFiles files = given(past).session().turn->files;
  REQUIRE(files.size() == 1);
  const auto returned = given(past + TurnReturned{turn(2)});
  CHECK(returned.session().queue.front().files == files);
  const auto again = given(past + TurnReturned{turn(2)} + TurnStarted{turn(2), kToken});
  CHECK(again.session().turn->files == files);
}

TEST_CASE("a prompt that is added to a turn has its files, also in the turn that goes on",
          "[session]") {
  const auto after =
      given(support::running(false))
          .when(prompt_with({kNotes}, "And this."))
          .then(fact(FileAttached{turn(1)}).with(kNotes.data),
                fact(PromptInjected{turn(1), {}, std::vector{kFacts[1]}}).with("And this."));
  const InjectedPrompts& injected = after.session().turn->injected;
  REQUIRE(injected.size() == 1);
  CHECK(injected.front().files->size() == 1);
  CHECK(injected.front().bytes == 9);
  const Position file = injected.front().files->front().file;
  auto continued = after;
  continued.fold(TurnContinued{turn(1), 0});
  REQUIRE(continued.session().turn->files->size() == 1);
  CHECK(continued.session().turn->files->front().file == file);
  // All files of a turn have room in one frame.
  const PromptFile text{"a.txt", std::string(kPromptFilesBytesMax - 3, 'x')};
  const auto refused = after.when(prompt_with({text})).outcome();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text.find("that the turn has already") != std::string::npos);
}

TEST_CASE("a file is erased only once an agent does not need it", "[session]") {
  const auto past = support::leased() + fact(FileAttached{turn(2)}).with(kNotes.data) +
                    fact(queued_with(turn(2), {kFacts[1]})).with("second");
  const StreamVersion file{5};
  const VersionRanges it{{file, file}};
  given(past).when(EraseContent{it}).then_rejected(RejectionCode::content_in_use);
  given(past + TurnInterrupted{turn(2), EndReason::user, {}})
      .when(EraseContent{it})
      .then(ContentErased{it});
}

TEST_CASE("a turn whose file is lost fails, and says so", "[session]") {
  const auto past =
      given(support::idle() + fact(FileAttached{turn(2)}).with(kNotes.data) +
            fact(queued_with(turn(2), {kFacts[1]})).with("second") + TurnStarted{turn(2), kToken});
  const Position lost = past.session().turn->files->front().file;
  const auto decided = past.when(GiveUpContent{lost}).outcome();
  REQUIRE(decided);
  REQUIRE_FALSE(decided->empty());
  const auto* failed = decided->front().event.as<TurnFailed>();
  REQUIRE(failed);
  CHECK(failed->subtype == "prompt_lost");
}

TEST_CASE("files without their prompt, or a prompt without its files, are impossible",
          "[session]") {
  CHECK_FALSE(given(support::idle(), fact(FileAttached{turn(2)}).with("x"),
                    fact(TurnQueued{turn(2)}).with("y"))
                  .is_consistent());
  CHECK_FALSE(given(support::idle(), fact(queued_with(turn(2))).with("y")).is_consistent());
}

TEST_CASE("a prompt is shown with its files", "[session]") {
  CHECK(prompt_text("Look.", {}) == "Look.");
  CHECK(prompt_text("Look.", {{"shot.png", "image/png", 83'499}}) ==
        "Look. [with shot.png (image/png, 83 KB)]");
  CHECK(prompt_text("", kFacts) ==
        "[with shot.png (image/png, 13 bytes), notes.md (text/plain, 7 bytes)]");
}

}  // namespace
}  // namespace domain
