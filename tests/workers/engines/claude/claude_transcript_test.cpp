// The transcript tells what others have said in an agent session.
#include "workers/engines/claude/claude_transcript.hpp"

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using engines::count_answers_behind;

std::string line(const std::string& type, const std::string& id, const std::string& parent,
                 const std::string& message, const std::string& more = {}) {
  return R"({"parentUuid":")" + parent + R"(","isSidechain":false,"type":")" + type +
         R"(","message":)" + message + R"(,"uuid":")" + id + "\"" + more + "}\n";
}

std::string prompt(const std::string& id, const std::string& parent, const std::string& more = {}) {
  return line("user", id, parent, R"({"role":"user","content":"go on"})", more);
}

std::string answer(const std::string& id, const std::string& parent,
                   const std::string& model = "opus",
                   const std::string& block = R"({"type":"text","text":"yes"})") {
  return line("assistant", id, parent,
              R"({"role":"assistant","model":")" + model + R"(","id":"m-)" + id +
                  R"(","content":[)" + block + "]}");
}

std::string result(const std::string& id, const std::string& parent) {
  return line("user", id, parent,
              R"({"role":"user","content":[{"type":"tool_result","content":"ok"}]})");
}

const std::string kOurs = prompt("p1", "") + answer("a1", "p1");

TEST_CASE("answers to prompts behind the last message are another's", "[workers][C19]") {
  CHECK(count_answers_behind(kOurs, "a1") == 0);
  CHECK(count_answers_behind(kOurs + prompt("p2", "a1"), "a1") == 0);
  const std::string theirs = kOurs + prompt("p2", "a1") + answer("a2", "p2");
  CHECK(count_answers_behind(theirs, "a1") == 1);
  CHECK(count_answers_behind(theirs, "a2") == 0);
  CHECK(count_answers_behind(theirs + prompt("p3", "a2") + answer("a3", "p3"), "a1") == 2);
  // They began where this conversation had been before.
  CHECK(count_answers_behind(kOurs + prompt("p2", "x") + answer("a2", "p2"), "a1") == 1);
  // One answer, with a call and what came of it.
  const std::string call = R"({"type":"tool_use","id":"t","name":"Read","input":{}})";
  const std::string whole = theirs + answer("a3", "a2", "opus", call) + result("r", "a3");
  CHECK(count_answers_behind(whole, "a1") == 2);
}

TEST_CASE("what an agent writes by itself is no answer of another", "[workers]") {
  // The rest of the turn whose words were the last.
  CHECK(count_answers_behind(kOurs + result("r", "a1") + answer("a2", "r"), "a1") == 0);
  // Put in by the agent, thoughts alone, a subagent's, a notice of a task, a summary.
  CHECK(count_answers_behind(kOurs + prompt("p2", "a1") + answer("a2", "p2", "<synthetic>"),
                             "a1") == 0);
  CHECK(
      count_answers_behind(kOurs + prompt("p2", "a1") +
                               answer("a2", "p2", "opus", R"({"type":"thinking","thinking":"hm"})"),
                           "a1") == 0);
  std::string aside = prompt("p2", "a1") + answer("a2", "p2");
  for (std::size_t at; (at = aside.find("Sidechain\":false")) != std::string::npos;) {
    aside.replace(at, 16, "Sidechain\":true");
  }
  CHECK(count_answers_behind(kOurs + aside, "a1") == 0);
  const std::string notice =
      line("user", "p2", "a1", R"({"role":"user","content":"<task-notification>done"})");
  CHECK(count_answers_behind(kOurs + notice + answer("a2", "p2"), "a1") == 0);
  CHECK(count_answers_behind(
            kOurs + prompt("p2", "a1", R"(,"isCompactSummary":true)") + answer("a2", "p2"), "a1") ==
        0);
}

TEST_CASE("a transcript that cannot be understood tells nothing", "[workers]") {
  CHECK(count_answers_behind("", "a1") == 0);
  CHECK(count_answers_behind(kOurs + prompt("p2", "a1") + answer("a2", "p2"), "gone") == 0);
  CHECK(count_answers_behind(kOurs + prompt("p2", "a1") + answer("a2", "p2"), "") == 0);
  CHECK(count_answers_behind(kOurs + "{\"broken\n\n[1]\n{}\n\"text\"\n" + prompt("p2", "a1") +
                                 answer("a2", "p2") + "{\"uuid\":\"cut",
                             "a1") == 1);
  // A circle of parents ends.
  CHECK(count_answers_behind(kOurs + answer("a2", "a3") + answer("a3", "a2"), "a1") == 0);
}

TEST_CASE("the transcript is found in the agent's home, in the folder written last", "[workers]") {
  const support::TemporaryFolder home;
  const std::string projects = home.file(".claude/projects");
  for (const char* folder : {"/one", "/two"}) {
    std::filesystem::create_directories(projects + folder);
  }
  const std::string file = projects + "/two/old.jsonl";
  std::ofstream(file) << kOurs + prompt("p2", "a1") + answer("a2", "p2");
  engines::EngineSettings settings;
  settings.program = {"/opt/claude"};
  settings.home = home.path();
  engines::SessionLaunch session;
  CHECK(count_answers_of_others(settings, session) == 0);
  session.resume_agent_session = "old";
  session.last_message = "a1";
  CHECK(count_answers_of_others(settings, session) == 1);
  session.resume_agent_session = "other";
  CHECK(count_answers_of_others(settings, session) == 0);
  session.resume_agent_session = "../two/old";
  CHECK(count_answers_of_others(settings, session) == 0);
  // The session was moved to another working folder, and went on there.
  session.resume_agent_session = "old";
  std::ofstream(projects + "/one/old.jsonl") << kOurs;
  std::filesystem::last_write_time(
      projects + "/one/old.jsonl",
      std::filesystem::last_write_time(file) + std::chrono::seconds(5));
  CHECK(count_answers_of_others(settings, session) == 0);
}

}  // namespace
