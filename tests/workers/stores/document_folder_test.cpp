// Both places of the index are read, and transcripts are found by it.
#include "workers/stores/document_folder.hpp"

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workers/stores/claude_folder.hpp"

namespace workers {
namespace {

struct State {
  support::TemporaryFolder folder;

  void write(const std::string& path, const std::string& text) {
    const std::string whole = folder.path() + "/" + path;
    std::filesystem::create_directories(std::filesystem::path(whole).parent_path());
    std::ofstream(whole, std::ios::binary) << text;
  }
  TranscriptSources find() {
    auto found = find_document_transcripts(folder.path());
    REQUIRE(found);
    return std::move(*found);
  }
};

const TranscriptSource* find_named(const TranscriptSources& all, const std::string& name) {
  for (const TranscriptSource& one : all.transcripts) {
    if (one.path.ends_with("/" + name)) return &one;
  }
  return nullptr;
}

TEST_CASE("transcripts are found with their entries in both places", "[stores][R085][R272]") {
  State state;
  state.write("agents/Main/sessions/sessions.json",
              "{'agent:main:main': {sessionId: 'a', displayName: 'Home', sdkSessionId: "
              "'8edf90df-c794-4db8-9d3e-6355094b0297'}}");
  state.write("agents/codex/sessions.json", "{k: {id: 'b', label: 'old'}}");
  state.write("agents/Main/sessions/a.jsonl", "");
  state.write("agents/codex/sessions/b.jsonl", "");
  state.write("agents/codex/sessions/c.jsonl", "");
  state.write("agents/codex/sessions/b.jsonl.deleted.2026", "");
  const TranscriptSources all = state.find();
  CHECK(all.transcripts.size() == 3);
  CHECK(all.faults.empty());
  CHECK(all.others.size() == 1);
  const TranscriptSource* home = find_named(all, "a.jsonl");
  REQUIRE(home != nullptr);
  CHECK(home->agent == "main");
  CHECK(home->title == "Home");
  CHECK(home->agent_session == "8edf90df-c794-4db8-9d3e-6355094b0297");
  CHECK(home->entries ==
        std::vector<std::string>{R"({"key":"agent:main:main","entry":{"sessionId":"a",)"
                                 R"("displayName":"Home",)"
                                 R"("sdkSessionId":"8edf90df-c794-4db8-9d3e-6355094b0297"}})"});
  CHECK(find_named(all, "b.jsonl")->title == "old");
  CHECK(find_named(all, "c.jsonl")->entries.empty());
  CHECK(find_named(all, "b.jsonl")->session != find_named(all, "c.jsonl")->session);
}

TEST_CASE("a topic of a group has an entry of its own", "[stores][R088]") {
  State state;
  state.write("agents/main/sessions/sessions.json",
              "{'g': {sessionId: 'a', label: 'all'}, 'g:topic:7': {sessionId: 'a', label: 'one'},"
              " 'g:topic:8': {sessionId: 'a', label: 'two'}}");
  state.write("agents/main/sessions/a.jsonl", "");
  state.write("agents/main/sessions/a-topic-7.jsonl", "");
  state.write("agents/main/sessions/a-topic-8.jsonl", "");
  const TranscriptSources all = state.find();
  CHECK(find_named(all, "a.jsonl")->title == "all");
  CHECK(find_named(all, "a-topic-7.jsonl")->title == "one");
  CHECK(find_named(all, "a-topic-8.jsonl")->title == "two");
  CHECK(all.faults.empty());
}

TEST_CASE("all entries that name a transcript go with it", "[stores]") {
  State state;
  state.write("agents/main/sessions/sessions.json",
              "{k: {sessionId: 'a', label: 'one'}, l: {sessionId: 'a'},"
              " m: {sessionId: 'x', sessionFile: '/old/home/a.jsonl'}}");
  state.write("agents/main/sessions.json", "{k: {sessionId: 'a', label: 'other'}}");
  state.write("agents/main/sessions/a.jsonl", "");
  const TranscriptSources all = state.find();
  CHECK(find_named(all, "a.jsonl")->entries.size() == 3);
  REQUIRE(all.faults.size() == 1);
  CHECK(all.faults[0].text.find("'k' says something else") != std::string::npos);
}

TEST_CASE("an index of document C's form is read", "[stores][R243]") {
  State state;
  state.write("agents/main/sessions/sessions.json",
              R"({"sessions": {"k": {"id": "a", "label": "one", "status": "ended"},)"
              R"( "l": {"status": "active"}}})");
  state.write("agents/main/sessions/a.jsonl", "");
  const TranscriptSources all = state.find();
  CHECK(find_named(all, "a.jsonl")->title == "one");
  REQUIRE(all.faults.size() == 1);
  CHECK(all.faults[0].text.find("'l' names no session") != std::string::npos);
}

TEST_CASE("an agent's session that is no UUID is none", "[stores]") {
  State state;
  state.write("agents/main/sessions/sessions.json",
              "{k: {sessionId: 'a', sdkSessionId: '../../x'}, l: {sessionId: 'b', sdkSessionId: "
              "'@foreground'}}");
  state.write("agents/main/sessions/a.jsonl", "");
  state.write("agents/main/sessions/b.jsonl", "");
  const TranscriptSources all = state.find();
  CHECK(find_named(all, "a.jsonl")->agent_session.empty());
  CHECK(find_named(all, "b.jsonl")->agent_session.empty());
  CHECK(all.faults.size() == 2);
}

TEST_CASE("what cannot be listed or followed is named", "[stores]") {
  const std::string id = "8edf90df-c794-4db8-9d3e-6355094b0297";
  State state;
  const std::string root = state.folder.path();
  state.write("p/" + id + ".jsonl", "");
  std::filesystem::create_symlink(root + "/p", root + "/linked");
  std::filesystem::create_symlink(root + "/p/" + id + ".jsonl", root + "/p/other.jsonl");
  const auto claude = find_claude_transcripts(root, "main");
  REQUIRE(claude);
  CHECK(claude->transcripts.size() == 1);
  CHECK(claude->faults.size() == 2);
  state.write("agents/main/sessions/a.jsonl", "");
  state.write("agents/main/sessions/a.json", "{}");
  std::filesystem::create_directories(root + "/agents/main/sessions/sessions.json");
  std::filesystem::create_symlink(root + "/p", root + "/agents/linked");
  std::filesystem::create_symlink(root + "/p", root + "/agents/main/sessions/b.jsonl");
  std::filesystem::create_directories(root + "/agents/file");
  std::ofstream(root + "/agents/file/sessions") << "no folder";
  const TranscriptSources all = state.find();
  CHECK(all.transcripts.size() == 1);
  CHECK(all.others.size() == 1);
  CHECK(all.faults.size() == 4);
}

TEST_CASE("a folder that is neither of agents nor of one is refused", "[stores]") {
  State state;
  state.write("agents/main/sessions/a.jsonl", "");
  CHECK(find_document_transcripts(state.folder.path() + "/agents/main"));
  const auto wrong = find_document_transcripts(state.folder.path() + "/agents");
  REQUIRE(!wrong);
  CHECK(wrong.error().text.find("no agents/ below it") != std::string::npos);
}

TEST_CASE("what an index cannot say is named", "[stores][R252]") {
  State state;
  state.write("agents/main/sessions/sessions.json",
              "{\n'a': {sessionId: 'a'},\n'b': {label: 'x'},\n'c': {sess");
  state.write("agents/main/sessions/other.jsonl", "");
  const TranscriptSources all = state.find();
  REQUIRE(all.faults.size() == 3);
  CHECK(all.faults[0].line == 4);
  CHECK(all.faults[0].text.find("2 entries were read") != std::string::npos);
  CHECK(all.faults[1].text.find("'b' names no session") != std::string::npos);
  CHECK(all.faults[2].text.find("'a' names a transcript that is not there") != std::string::npos);
  CHECK(all.transcripts.size() == 1);
}

TEST_CASE("Claude Code's transcripts are found with those of subagents", "[stores]") {
  const std::string id = "8edf90df-c794-4db8-9d3e-6355094b0297";
  State state;
  state.write("-srv-p/" + id + ".jsonl", "");
  state.write("-srv-p/" + id + "/subagents/agent-a1.jsonl", "");
  state.write("-srv-p/agent-b2.jsonl", "{\"sessionId\":\"" + id + "\"}\n");
  state.write("-srv-p/notes.jsonl", "");
  state.write("-srv-p/" + id + "/tool-results/x.txt", "");
  const auto all = find_claude_transcripts(state.folder.path(), "main");
  REQUIRE(all);
  REQUIRE(all->transcripts.size() == 3);
  CHECK(all->others.size() == 1);
  const TranscriptSource& parent = all->transcripts.front();
  CHECK(parent.agent_session == id);
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(all->transcripts[i].parent == parent.session);
    CHECK(all->transcripts[i].is_of_subagent);
  }
  CHECK(find_claude_transcripts(parent.path, "main")->transcripts.size() == 1);
  CHECK(find_claude_transcripts(state.folder.path() + "/none", "main").error().code ==
        base::ErrorCode::not_found);
  CHECK(claude_project("/tmp/t/my.work_1") == "-tmp-t-my-work-1");
}

}  // namespace
}  // namespace workers
