// Frames of Claude Code 2.1.329 that no recording holds.
#include "workers/engines/claude/claude_frames.hpp"

#include "tests/support/catch.hpp"

namespace engines {
namespace {

domain::ModelFellBack fallback_of(std::string_view subtype, std::string_view trigger) {
  const Frame frame = read_frame(
      std::string(R"({"type":"system","subtype":")")
          .append(subtype)
          .append(R"(","trigger":")")
          .append(trigger)
          .append(R"(","original_model":"claude-opus-5-5","fallback_model":"claude-sonnet-4-5",)")
          .append(R"("content":"Switched to Sonnet 4.5"})"));
  const auto* notice = std::get_if<Notice>(&frame);
  REQUIRE(notice != nullptr);
  return std::get<domain::ModelFellBack>(*notice);
}

TEST_CASE("another model than the session's is told with what it takes the place of",
          "[workers][R313]") {
  using domain::ModelFellBack;
  CHECK(fallback_of("model_fallback", "overloaded") ==
        ModelFellBack{{}, "claude-opus-5-5", "claude-sonnet-4-5", "overloaded"});
  CHECK(fallback_of("model_refusal_fallback", "refusal") ==
        ModelFellBack{{}, "claude-opus-5-5", "claude-sonnet-4-5", "refusal"});
}

}  // namespace
}  // namespace engines
