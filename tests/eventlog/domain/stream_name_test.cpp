// Names of streams and agents are parsed strictly: nothing else passes for one.
#include "eventlog/domain/stream_name.hpp"

#include "eventlog/domain/evolve.hpp"
#include "tests/support/given_when_then.hpp"

namespace domain {
namespace {

const auto kId = support::numbered<SessionId>(5);

TEST_CASE("a stream's name says what it is of", "[session]") {
  CHECK(parse_stream(session_stream("main", kId)) ==
        StreamRef{SessionStream::kPattern, "main", kId});
  CHECK(parse_stream(registry_stream("main")) == StreamRef{RegistryStream::kPattern, "main", {}});
  CHECK(parse_stream("$admission") == StreamRef{AdmissionStream::kPattern, {}, {}});
  CHECK(parse_stream("$server") == StreamRef{ServerStream::kPattern, {}, {}});
}

TEST_CASE("nothing else is the name of a stream", "[session]") {
  for (const std::string& name :
       {std::string(), std::string("main"), std::string("main/"), std::string("main/session"),
        std::string("main/session/"), std::string("main/session/xyz"),
        "main/session/" + kId.text() + "0", std::string("Main/registry"),
        std::string("main/registry/"), std::string("/registry"), std::string("$other"),
        std::string("a b/registry")}) {
    INFO(name);
    CHECK_FALSE(parse_stream(name));
    CHECK_FALSE(initial_state(name));
  }
}

TEST_CASE("an agent's name is 1 to 64 plain characters", "[session]") {
  CHECK(is_agent_name("a"));
  CHECK(is_agent_name("7.b_c-d"));
  CHECK(is_agent_name(std::string(64, 'a')));
  CHECK_FALSE(is_agent_name(std::string(65, 'a')));
  CHECK_FALSE(is_agent_name(""));
  CHECK_FALSE(is_agent_name(".a"));
  CHECK_FALSE(is_agent_name("-a"));
  CHECK_FALSE(is_agent_name("A"));
  CHECK_FALSE(is_agent_name("a/b"));
  CHECK_FALSE(is_agent_name("a\n"));
}

TEST_CASE("a stream begins in the empty state of its kind", "[session]") {
  CHECK((*initial_state(session_stream("main", kId)) == StreamState(SessionState{})));
  CHECK((*initial_state(registry_stream("main")) == StreamState(RegistryState{})));
  CHECK((*initial_state("$admission") == StreamState(AdmissionState{})));
  CHECK((*initial_state("$server") == StreamState(ServerState{})));
}

}  // namespace
}  // namespace domain
