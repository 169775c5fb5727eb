// The levels of the feed: an event's levels, and the streams of a level, agree.
#include "workers/protocol/feed_levels.hpp"

#include <algorithm>

#include "eventlog/domain/stream_name.hpp"
#include "tests/support/session_samples.hpp"

namespace workers {
namespace {

using support::kSession;

std::vector<std::string> levels_of_stream(std::string stream) {
  domain::Envelope envelope;
  envelope.stream = std::move(stream);
  return levels_of(envelope);
}

TEST_CASE("an event is published for all, for its agent and for its session",
          "[workers][R004][R019]") {
  const auto of_session = levels_of_stream(domain::session_stream("main", kSession));
  CHECK(of_session ==
        std::vector<std::string>{"all/", "agent/main/", session_level("main", kSession)});
  CHECK(levels_of_stream(domain::registry_stream("main")) ==
        std::vector<std::string>{"all/", "agent/main/"});
  CHECK(levels_of_stream(std::string(domain::kAdmissionStream)) ==
        std::vector<std::string>{"all/"});
  for (const std::string& level : of_session) CHECK(is_level(level));
}

TEST_CASE("a level holds the streams whose events are published on it", "[workers]") {
  const std::string of_session = domain::session_stream("main", kSession);
  std::vector<std::string> levels = levels_of_stream(of_session);
  for (const auto& level : levels_of_stream(domain::session_stream("mainly", support::kSource))) {
    levels.push_back(level);
  }
  for (const std::string& stream :
       {of_session, domain::session_stream("mainly", support::kSource),
        domain::session_stream("main", support::kSource), domain::registry_stream("main"),
        domain::registry_stream("mainly"), std::string(domain::kAdmissionStream)}) {
    const auto published = levels_of_stream(stream);
    for (const std::string& level : levels) {
      INFO(stream << " on " << level);
      const bool is_there = std::count(published.begin(), published.end(), level) > 0;
      CHECK(LevelStreams(level).contains(stream) == is_there);
    }
  }
  CHECK(LevelStreams(levels.back()).only() == domain::session_stream("mainly", support::kSource));
  CHECK(LevelStreams("agent/main/").only().empty());
}

TEST_CASE("whatever has not the form of a level is none", "[workers]") {
  for (const char* text :
       {"", "/", "agent", "agent/", "agent//", "agent/main", "session/", "session//",
        "session/main/", "session/main/1/", "counter/main/", "all"}) {
    INFO(text);
    CHECK_FALSE(is_level(text));
    CHECK(agent_of_level(text).empty());
  }
}

}  // namespace
}  // namespace workers
