#include "workers/levels.hpp"

#include "eventlog/session/stream_name.hpp"
#include "tests/support/session_samples.hpp"

namespace workers {
namespace {

using support::kSession;

std::vector<std::string> levels_of_stream(std::string stream) {
  session::Envelope envelope;
  envelope.stream = std::move(stream);
  return levels_of(envelope);
}

TEST_CASE("an event is published for all, for its agent and for its session", "[workers]") {
  const auto of_session = levels_of_stream(session::session_stream("main", kSession));
  CHECK(of_session ==
        std::vector<std::string>{"all/", "agent/main/", session_level("main", kSession)});
  CHECK(levels_of_stream(session::registry_stream("main")) ==
        std::vector<std::string>{"all/", "agent/main/"});
  CHECK(levels_of_stream(std::string(session::kAdmissionStream)) ==
        std::vector<std::string>{"all/"});
  for (const std::string& level : of_session) CHECK(is_level(level));
}

}  // namespace
}  // namespace workers
