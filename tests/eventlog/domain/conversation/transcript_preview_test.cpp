// The texts that lists show of a transcript.
#include "eventlog/domain/conversation/transcript_preview.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

using Lines = std::vector<TranscriptLine>;

TranscriptLine says(std::string role, std::string text) {
  return {std::move(role), {{"text", std::move(text), {}}}, {}};
}

std::string shown(TranscriptLine line, std::int64_t characters = 100) {
  const auto items = preview_of(Lines{std::move(line)}, {1, characters});
  return items.empty() ? "" : items.front().text;
}

TEST_CASE("the first and the last text are of people and their agent", "[conversation][R289]") {
  const Lines lines = {says("system", "s"), says("user", " "), says("User", " one "),
                       says("assistant", "two"), says("tool", "three")};
  CHECK(first_user_text(lines) == "one");
  CHECK(last_text(lines) == "two");
  CHECK(last_text({}) == std::nullopt);
  const Lines pictures = {{"user", {{"image", "alt", {}}, {"input_text", "look", {}}}, {}}};
  CHECK(first_user_text(pictures) == "look");
}

TEST_CASE("a message without a text is shown by its calls, else by what it brings",
          "[conversation]") {
  CHECK(shown({"assistant", {{"tool_use", "", "a"}, {"tool_use", "", " "}}, {}}) == "call a");
  CHECK(shown({"assistant", {{"", "", "a"}, {"", "", "b"}, {"", "", "c"}}, "d"}) == "call a, b +2");
  CHECK(shown({"user", {{"Image", "", {}}}, {}}) == "[image]");
  CHECK(shown({"user", {{"toolcall", "", {}}}, {}}).empty());
  CHECK(shown({"user", {}, {}}).empty());
}

TEST_CASE("an item without a text takes no place of another", "[conversation]") {
  const Lines lines = {says("user", "a"), says("assistant", "b"), says("user", " ")};
  CHECK(preview_of(lines, {2, 100}) ==
        std::vector<PreviewItem>{{PreviewRole::user, "a"}, {PreviewRole::assistant, "b"}});
  CHECK(preview_of(Lines(60, says("user", "a")), {100, 100}).size() == 50);
  CHECK(preview_of(lines, {-1, 100}).size() == 1);
}

TEST_CASE("a preview is cut between characters", "[conversation]") {
  const std::string flag = "🇩🇪";
  std::string flags;
  for (int i = 0; i < 21; ++i) flags += flag;
  CHECK(shown(says("user", flags), 20) == flags.substr(0, 17 * flag.size()) + "...");
  CHECK(shown(says("user", flags), 21) == flags);
}

TEST_CASE("the envelope of a user's message is not shown", "[conversation]") {
  CHECK(without_envelope("[Signal +1] hi") == "hi");
  CHECK(without_envelope("[Ann 2026-01-13 07:45] hi") == "hi");
  CHECK(without_envelope("[2026-01-13T07:45Zx] hi") == "[2026-01-13T07:45Zx] hi");
  CHECK(without_envelope("[todo] hi") == "[todo] hi");
  CHECK(without_envelope("[Signal") == "[Signal");
  CHECK(shown(says("user", "[Signal +1] ")).empty());
  CHECK(shown(says("assistant", "[Signal +1] hi")) == "[Signal +1] hi");
}

}  // namespace
}  // namespace domain
