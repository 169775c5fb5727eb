// Paths of the documents' files, and the peer's vectors of them.
#include "workers/stores/document_paths.hpp"

#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/vectors.hpp"

namespace workers {
namespace {

using Json = nlohmann::json;

const DocumentRoots kRoots{"/srv/state", "/home/u"};

// Keys are the business of the domain.
const std::set<std::string> kOthers = {"account_id.normalize",
                                       "agent_id.normalize",
                                       "group.display_name",
                                       "group.parse",
                                       "key.agent_of",
                                       "key.bucket",
                                       "key.canonical",
                                       "key.explicit_agent_main",
                                       "key.from_message",
                                       "key.group_from_message",
                                       "key.is_acp",
                                       "key.is_subagent",
                                       "key.list_kind",
                                       "key.looks_like",
                                       "key.main_of_config",
                                       "key.parse",
                                       "key.peer",
                                       "key.thread",
                                       "key.thread_parent",
                                       "key.to_request",
                                       "key.to_store",
                                       "key.tool_kind"};

std::string text(const Json& given, const char* name) {
  const auto found = given.find(name);
  return found == given.end() || found->is_null() ? std::string() : found->get<std::string>();
}

std::string path_of(const std::string& op, const Json& given) {
  const std::string agent = text(given, "agentId");
  if (op == "store.path") return index_path(kRoots, text(given, "store"), agent);
  const std::string session = text(given, "sessionId");
  if (op == "transcript.file") {
    return transcript_file(kRoots, agent, session, text(given, "sessionFile"));
  }
  REQUIRE(op == "transcript.path");
  const auto topic = given.find("topicId");
  if (topic == given.end()) return transcript_path(kRoots, agent, session);
  const std::string word = topic->is_string() ? topic->get<std::string>() : topic->dump();
  return transcript_path(kRoots, agent, session, word);
}

TEST_CASE("files of the documents lie where the peer has them", "[stores][R085][R087][R088]") {
  std::size_t tried = 0;
  for (const Json& vector : support::read_vectors("keys")) {
    const auto op = vector.at("op").get<std::string>();
    if (kOthers.count(op) != 0) continue;
    INFO(vector.at("id") << " " << op << " " << vector.at("given"));
    CHECK(path_of(op, vector.at("given")) == support::expected(vector).get<std::string>());
    ++tried;
  }
  CHECK(tried == 12);
}

TEST_CASE("no id leads out of its agent's folder", "[stores][R086]") {
  const std::string folder = "/srv/state/agents/main/sessions/";
  CHECK(documents_folder(kRoots, "../..") + "/" == folder);
  CHECK(transcript_path(kRoots, "", "../../x", "a/b c") ==
        folder + "..%2F..%2Fx-topic-a%2Fb%20c.jsonl");
  CHECK(transcript_path(kRoots, "", std::string_view("a\0b", 3)) == folder + "a%00b.jsonl");
  CHECK(transcript_path(kRoots, "", "é") == folder + "%C3%A9.jsonl");
}

TEST_CASE("a setting's path is made whole", "[stores][R139]") {
  CHECK(index_path(kRoots, "~", "ops") == "/home/u");
  CHECK(index_path(kRoots, " ~/{agentId}/{agentId}.json ", "Ops") == "/home/u/ops/ops.json");
  CHECK(index_path(kRoots, "~x/s.json", "ops") == "/srv/state/~x/s.json");
  CHECK(index_path(kRoots, "s.json", "ops") == "/srv/state/s.json");
  CHECK(index_path(kRoots, "  ", "ops") == "/srv/state/agents/ops/sessions/sessions.json");
  CHECK(transcript_file(kRoots, "ops", "s", "t.jsonl") == "/srv/state/agents/ops/sessions/t.jsonl");
}

}  // namespace
}  // namespace workers
