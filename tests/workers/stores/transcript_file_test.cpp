// A file is read in imports, from where the last one ended.
#include "workers/stores/transcript_file.hpp"

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workers/stores/line_texts.hpp"

namespace workers {
namespace {

using domain::ImportTranscript;
using domain::LineReading;

constexpr Time kLater{Time{}.us + 4'000'000'000'000'000};

std::string prompt(int number) {
  const std::string text = std::to_string(number);
  return R"({"type":"user","uuid":"u)" + text + R"(","cwd":"/srv","message":{"content":"prompt )" +
         text + "\"}}\n";
}

struct File {
  support::TemporaryFolder folder;
  std::string path = folder.path() + "/t.jsonl";

  void write(const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
};

struct Reading {
  std::vector<ImportTranscript> imports;
  std::vector<UnreadLine> unread;
};

Reading read_all(const std::string& path, domain::TranscriptImported before = {},
                 Time now = kLater) {
  TranscriptFileOptions options;
  options.now = now;
  TranscriptFile file(path, std::move(before), options);
  REQUIRE(file.open());
  Reading all;
  while (true) {
    auto next = file.next();
    REQUIRE(next);
    if (!*next) break;
    all.imports.push_back(std::move(**next));
  }
  all.unread = file.take_unread();
  return all;
}

std::string back(const Reading& all) {
  std::string text;
  for (const ImportTranscript& import : all.imports) {
    for (const domain::ImportedLine& line : import.lines) {
      std::vector<const std::string*> texts;
      for (const auto& message : line.messages) texts.push_back(&message.text);
      const bool is_read = line.facts.reading == LineReading::understood;
      text += is_read ? with_texts(line.text, texts) : line.text;
      if (!line.facts.goes_on && !line.facts.is_open) text += '\n';
    }
  }
  return text;
}

TEST_CASE("all bytes of a file are in its imports", "[stores]") {
  File file;
  std::string text;
  for (int i = 0; i < 1200; ++i) text += i % 100 == 7 ? "damage\n" : prompt(i);
  file.write(text + "\n" + "{\"half");
  const Reading all = read_all(file.path);
  CHECK(all.imports.size() > 2);
  CHECK(back(all) == text + "\n{\"half");
  CHECK(all.unread.size() == 13);
  CHECK(all.unread.front().line == 8);
  CHECK(all.unread.back().reading == LineReading::cut_short);
  CHECK(all.imports.back().read.lines == 1202);
  CHECK(all.imports.back().read.unread == 13);
  for (std::size_t i = 1; i < all.imports.size(); ++i) {
    CHECK(all.imports[i].from_bytes == all.imports[i - 1].read.bytes);
  }
}

TEST_CASE("an import goes on behind any of those before", "[stores]") {
  File file;
  std::string text;
  for (int i = 0; i < 900; ++i) text += prompt(i);
  file.write(text);
  const Reading all = read_all(file.path);
  for (const ImportTranscript& import : all.imports) {
    const Reading rest = read_all(file.path, import.read);
    CHECK(back(rest) == text.substr(static_cast<std::size_t>(import.read.bytes)));
    if (!rest.imports.empty()) CHECK(rest.imports.back().read == all.imports.back().read);
  }
}

TEST_CASE("a file that does not begin as it did is refused", "[stores]") {
  File file;
  file.write(prompt(1) + prompt(2));
  const domain::TranscriptImported before = read_all(file.path).imports.back().read;
  TranscriptFileOptions options;
  options.now = kLater;
  file.write(prompt(1) + prompt(3));
  CHECK(TranscriptFile(file.path, before, options).open().error().code ==
        base::ErrorCode::conflict);
  file.write(prompt(1));
  CHECK(TranscriptFile(file.path, before, options).open().error().code ==
        base::ErrorCode::conflict);
  CHECK(TranscriptFile(file.path + "x", {}, options).open().error().code == base::ErrorCode::io);
}

TEST_CASE("half a line is left while it may be written", "[stores]") {
  File file;
  file.write(prompt(1) + "{\"half");
  const Reading now = read_all(file.path, {}, base::SystemClock().wall());
  CHECK(back(now) == prompt(1));
  REQUIRE(now.unread.size() == 1);
  CHECK(now.unread.front().is_left);
}

TEST_CASE("an end of a line that comes later is no line", "[stores]") {
  File file;
  const std::string line = prompt(1);
  file.write(line.substr(0, line.size() - 1));
  Reading all = read_all(file.path);
  CHECK(all.imports.back().read.lines == 1);
  file.write(line + prompt(2));
  const Reading rest = read_all(file.path, all.imports.back().read);
  REQUIRE(rest.imports.size() == 1);
  CHECK(rest.imports.back().read.lines == 2);
  CHECK(rest.imports.back().lines.back().facts.line == 2);
  CHECK(back(all) + back(rest) == line + prompt(2));
  CHECK(rest.unread.empty());
}

TEST_CASE("the rest of a line that was taken as half is not a further one", "[stores]") {
  File file;
  file.write("{\"half");
  const Reading half = read_all(file.path);
  file.write("{\"half\":1}\n" + prompt(2));
  const Reading rest = read_all(file.path, half.imports.back().read);
  CHECK(rest.imports.back().read.lines == 2);
  CHECK(rest.imports.back().read.unread == 1);
  CHECK(back(half) + back(rest) == "{\"half\":1}\n" + prompt(2));
}

TEST_CASE("a long line that may be written waits for its end", "[stores]") {
  File file;
  const std::string line(domain::kImportedLineBytesMax + 100, 'a');
  file.write(line);
  const Reading now = read_all(file.path, {}, base::SystemClock().wall());
  CHECK(now.imports.back().read.bytes == static_cast<std::int64_t>(domain::kImportedLineBytesMax));
  file.write(line + "b\n");
  const Reading rest = read_all(file.path, now.imports.back().read);
  CHECK(rest.imports.back().read.lines == 1);
  CHECK(rest.unread.empty());
  CHECK(back(now) + back(rest) == line + "b\n");
}

TEST_CASE("use is counted once over imports that are far apart", "[stores]") {
  const auto said = [](int output) {
    return R"({"type":"assistant","uuid":"u","cwd":"/","message":{"id":"m1","model":"opus",)"
           R"("content":[{"type":"text","text":"a"}],"usage":{"output_tokens":)" +
           std::to_string(output) + "}}}\n";
  };
  File file;
  std::string text = said(5);
  for (int i = 0; i < 2000; ++i) text += prompt(i);
  REQUIRE(text.size() > 2 * domain::kTailBytesMax);
  file.write(text);
  const domain::TranscriptImported before = read_all(file.path).imports.back().read;
  file.write(text + said(7));
  const Reading rest = read_all(file.path, before);
  CHECK(rest.imports.back().lines.back().messages.front().facts.usage->output_tokens == 2);
}

TEST_CASE("a line that is too long is kept in pieces", "[stores]") {
  File file;
  const std::string line(domain::kImportedLineBytesMax * 2 + 100, 'a');
  const std::string text = prompt(1) + line + "\n" + prompt(2);
  file.write(text);
  const Reading all = read_all(file.path);
  CHECK(back(all) == text);
  REQUIRE(all.unread.size() == 1);
  CHECK(all.unread.front().line == 2);
  CHECK(all.unread.front().reading == LineReading::too_long);
  CHECK(all.imports.back().read.lines == 3);
  // Also when an import ends within it.
  for (const ImportTranscript& import : all.imports) {
    CHECK(back(read_all(file.path, import.read)) ==
          text.substr(static_cast<std::size_t>(import.read.bytes)));
  }
}

TEST_CASE("the entries of an index come first, once", "[stores]") {
  File file;
  file.write(prompt(1));
  TranscriptFileOptions options;
  options.now = kLater;
  options.entries = {"{\"key\":\"k\"}", "{\"key\":\"l\"}"};
  TranscriptFile first(file.path, {}, options);
  REQUIRE(first.open());
  const auto import = first.next();
  REQUIRE(import);
  REQUIRE(*import);
  CHECK((*import)->lines.size() == 3);
  CHECK((*import)->lines.front().facts.line == 0);
  CHECK((*import)->lines[0].text == options.entries[0]);
  CHECK((*import)->lines[1].text == options.entries[1]);
  CHECK((*import)->lines[1].facts.line == 0);
  CHECK((*import)->lines[2].facts.line == 1);
  TranscriptFile again(file.path, (*import)->read, options);
  REQUIRE(again.open());
  const auto nothing = again.next();
  REQUIRE(nothing);
  CHECK(!*nothing);
}

}  // namespace
}  // namespace workers
