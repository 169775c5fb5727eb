// The client commands against a real server with a real worker and scripted agents.
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/child_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using nlohmann::json;
using support::ChildProgram;
using support::Stdin;
using support::Stdout;
using Arguments = std::vector<std::string>;

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

// A server in a folder of its own, stopped at the end of the test.
class Served {
 public:
  Served() : server_(command({"serve"}), environment()) {
    const bool is_ready = server_.wait_until(
        [](const ChildProgram& server) { return server.out().find("ready") != std::string::npos; });
    INFO(server_.err());
    REQUIRE(is_ready);
  }
  ~Served() {
    server_.signal(SIGTERM);
    server_.wait();
  }

  // The folder in which sessions work; removed with the server.
  const std::string& folder() const { return folder_.path(); }
  ChildProgram start(const Arguments& arguments, Stdin in = Stdin::at_end,
                     Stdout out = Stdout::pipe) const {
    return {command(arguments), environment(), in, out};
  }
  Ran steno(const Arguments& arguments, const std::string& input = {}) const {
    ChildProgram program = start(arguments, input.empty() ? Stdin::at_end : Stdin::open);
    if (!input.empty()) {
      program.write(input);
      program.close_stdin();
    }
    Ran ran;
    ran.code = program.wait();
    ran.out = program.out();
    ran.err = program.err();
    INFO(ran.err);
    return ran;
  }
  json ask(Arguments arguments) const {
    arguments.insert(arguments.end(), {"-o", "json"});
    const Ran ran = steno(arguments);
    INFO("err: " << ran.err);
    REQUIRE(ran.code == 0);
    return json::parse(ran.out);
  }
  std::string spawn(Arguments arguments) const {
    arguments.insert(arguments.begin(), "spawn");
    return ask(arguments).at("alias");
  }
  // Asks for the session's row again and again until `is_so`; returns the row.
  json wait_for(const std::string& reference, const std::function<bool(const json&)>& is_so) const {
    const auto deadline = std::chrono::steady_clock::now() + support::kProgramDeadline;
    while (true) {
      json row = ask({"show", reference}).at("session");
      if (is_so(row)) return row;
      INFO(row.dump());
      REQUIRE(std::chrono::steady_clock::now() < deadline);
    }
  }

 private:
  Arguments command(const Arguments& arguments) const {
    Arguments all{STENO_PROGRAM, "--home", folder_.file("h")};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  Arguments environment() const {
    return {"PATH=/usr/bin:/bin",
            "HOME=" + folder_.path(),
            "STENO_ENGINE=scripted",
            std::string("STENO_CLAUDE_PROGRAM=") + STENO_SCRIPTED_AGENT,
            std::string("STENO_SCRIPTED_PROGRAM=") + STENO_SCRIPTED_AGENT,
            std::string("STENO_KEEPER_PROGRAM=") + STENO_KEEPER,
            "STENO_WORKDIR=" + folder_.path()};
  }

  support::TemporaryFolder folder_;
  ChildProgram server_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_waiting(const json& row) {
  return row.at("waiting_for_input");
}

TEST_CASE("run prints what the agent says and ends with the session", "[tools]") {
  const Served served;
  const Ran ran = served.steno({"run", "[tools 1] [say hello there]"});
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out == "hello there\n");
  CHECK(contains(ran.err, "🔧 "));
  CHECK(contains(ran.err, "completed after "));

  const Ran from_stdin = served.steno({"run", "-"}, "[say from\nstdin]\n");
  CHECK(from_stdin.code == 0);
  CHECK(contains(from_stdin.out, "from"));

  // More text than an event of the feed carries.
  const Ran big = served.steno({"run", "[big 100000]"});
  CHECK(big.code == 0);
  CHECK(big.out.size() == 100'001);

  const Ran failed = served.steno({"run", "[error]"});
  CHECK(failed.code == 1);
  CHECK(contains(failed.err, "turn failed (api_error, HTTP 400)"));
  CHECK(served.steno({"run", "[crash]"}).code == 1);
  CHECK(served.steno({"run", ""}).code == 2);
  CHECK(served.steno({"run", "--workdir", "/nowhere/at/all", "p"}).code == 3);
}

TEST_CASE("on a terminal, text comes as it is said, and nothing in it is obeyed", "[tools]") {
  const Served served;
  // The text takes longer than the second after which unfinished text is recorded.
  ChildProgram slow =
      served.start({"run", "[words 8] [delay 600]"}, Stdin::at_end, Stdout::terminal);
  REQUIRE(slow.wait_until([](const ChildProgram& p) { return contains(p.out(), "word0"); }));
  CHECK_FALSE(contains(slow.out(), "word7"));
  CHECK(slow.wait() == 0);
  CHECK(slow.out() == "word0 word1 word2 word3 word4 word5 word6 word7\r\n");

  ChildProgram evil = served.start({"run", "[say a\x1b[2Jb]"}, Stdin::at_end, Stdout::terminal);
  CHECK(evil.wait() == 0);
  CHECK(contains(evil.out(), "a\\x1b[2J"));
  CHECK_FALSE(contains(evil.out(), "\x1b"));
}

TEST_CASE("run prints JSON for programs", "[tools][R004]") {
  const Served served;
  const Ran one = served.steno({"run", "-o", "json", "[say hello]"});
  CHECK(one.code == 0);
  CHECK(json::parse(one.out).at("session").at("status") == "completed");
  CHECK(json::parse(one.out).at("answer") == "hello");
  CHECK(json::parse(one.out).at("denied").empty());
  CHECK(json::parse(one.out).at("seen_cost_usd") ==
        json::parse(one.out).at("session").at("cost_usd"));
  const Ran denied =
      served.steno({"run", "-o", "json", "--approvals", "deny", "[tools 1] [ask] [say sorry]"});
  CHECK(denied.code == 5);
  CHECK(json::parse(denied.out).at("answer") == "sorry");
  CHECK(json::parse(denied.out).at("denied") == json{"Bash"});
  const Ran lines = served.steno({"run", "-o", "jsonl", "[say hello]"});
  CHECK(lines.code == 0);
  CHECK(contains(lines.out, R"("type":"OutputRecorded")"));
  CHECK(contains(lines.out, R"("type":"SessionClosed")"));
  CHECK(contains(lines.out, R"("content":"hello")"));
}

TEST_CASE("a multi-turn run takes a prompt from each line of stdin, and closes at its end",
          "[tools]") {
  const Served served;
  const Ran ran = served.steno({"run", "--multi-turn", "[say one]"}, "[say two]\n\n[say three]\n");
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out == "one\ntwo\nthree\n");
  CHECK(contains(ran.err, "completed"));
}

TEST_CASE("Ctrl-C interrupts the turn, and twice kills the session", "[tools]") {
  const Served served;
  ChildProgram once = served.start({"run", "[hang]"});
  REQUIRE(once.wait_until([](const ChildProgram& p) { return contains(p.err(), "session "); }));
  once.signal(SIGINT);
  const int code = once.wait();
  INFO(once.err());
  CHECK(code == 130);
  CHECK(contains(once.err(), "interrupting the session's only turn"));

  ChildProgram twice =
      served.start({"run", "--multi-turn", "--name", "twice", "[hang]"}, Stdin::open);
  REQUIRE(twice.wait_until([](const ChildProgram& p) { return contains(p.err(), "session "); }));
  twice.signal(SIGINT);
  const bool is_told =
      twice.wait_until([](const ChildProgram& p) { return contains(p.err(), "Ctrl-C again"); });
  INFO(twice.err());
  REQUIRE(is_told);
  twice.signal(SIGINT);
  CHECK(twice.wait() == 130);
  CHECK(served.ask({"show", "twice"}).at("session").at("status") == "killed");
}

bool is_row_live(const json& row) {
  return row.at("status") == "running";
}

TEST_CASE("the first Ctrl-C never kills, also a session that waits", "[tools]") {
  const Served served;
  ChildProgram run =
      served.start({"run", "--multi-turn", "--name", "waits", "[say hello]"}, Stdin::open);
  REQUIRE(run.wait_until([](const ChildProgram& p) { return contains(p.err(), "session "); }));
  served.wait_for("waits", is_waiting);
  run.signal(SIGINT);
  const auto is_told = [](const ChildProgram& p) { return contains(p.err(), "Ctrl-C again"); };
  REQUIRE(run.wait_until(is_told));
  CHECK(is_row_live(served.ask({"show", "waits"}).at("session")));
  run.write("[say more]\n");
  REQUIRE(run.wait_until([](const ChildProgram& p) { return contains(p.out(), "more\n"); }));
  run.close_stdin();
  CHECK(run.wait() == 0);
}

TEST_CASE("Ctrl-backslash leaves a session at work", "[tools]") {
  const Served served;
  ChildProgram run = served.start({"run", "--name", "left", "[hang]"});
  REQUIRE(run.wait_until([](const ChildProgram& p) { return contains(p.err(), "session "); }));
  served.wait_for("left", [](const json& row) { return row.at("turn").is_string(); });
  run.signal(SIGQUIT);
  CHECK(run.wait() == 0);
  CHECK(contains(run.err(), "the session goes on: steno output "));
  CHECK(is_row_live(served.ask({"show", "left"}).at("session")));
}

TEST_CASE("what is said reaches a pipe piece by piece", "[tools]") {
  const Served served;
  ChildProgram run = served.start({"run", "--name", "slow", "[words 40] [delay 100]"});
  CHECK(run.wait_until([](const ChildProgram& p) { return contains(p.out(), "word3"); }));
  CHECK(is_row_live(served.ask({"show", "slow"}).at("session")));
  const Ran killed = served.steno({"kill", "slow"});
  CHECK(killed.code == 0);
  run.wait();
}

TEST_CASE("what was said before is in the pipe while a session is followed", "[tools]") {
  const Served served;
  const std::string alias = served.spawn({"--multi-turn", "[say first]"});
  served.wait_for(alias, is_waiting);
  ChildProgram follower = served.start({"output", alias, "--follow"});
  CHECK(follower.wait_until([](const ChildProgram& p) { return contains(p.out(), "first\n"); }));
  follower.signal(SIGTERM);
  follower.wait();
}

TEST_CASE("a prompt without a visible character is refused everywhere", "[tools]") {
  const Served served;
  CHECK(served.steno({"run", " \n\t"}).code == 2);
  CHECK(served.steno({"spawn", "\u00A0\u200B"}).code == 2);
  CHECK(served.steno({"run", "-"}, "  \n \n").code == 2);
  const Ran binary = served.steno({"spawn", "-"}, std::string("\x7F"
                                                              "ELF\0\xFF",
                                                              6));
  CHECK(binary.code == 2);
  CHECK(contains(binary.err, "is not text"));
  CHECK(served.steno({"chat", "/claude \u200B"}).code == 2);
  CHECK(served.steno({"schedule", "add", "s", "--every", "1h", " "}).code == 2);
  CHECK(served.ask({"ls"}).at("sessions").empty());
}

TEST_CASE("a name looks the same to Steno if it looks the same to people", "[tools]") {
  const Served served;
  served.spawn({"--multi-turn", "--name", "Cafe\u0301", "[say hi]"});
  CHECK(served.steno({"spawn", "--name", "Caf\u00E9", "[say hi]"}).code == 4);
  CHECK(served.steno({"show", "Cafe\u0301"}).code == 0);
  CHECK(served.steno({"show", "Caf\u00E9"}).code == 0);
  const Ran refused = served.steno({"spawn", "--name", "@me", "[say hi]"});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "does not begin with @"));
}

TEST_CASE("a denied tool call looks denied wherever it is shown, and run exits with 5", "[tools]") {
  const Served served;
  const std::string denied = "✗ Bash — echo 0: denied: Denied: this tool call needs an approval";
  const Ran ran = served.steno(
      {"run", "--name", "asking", "--approvals", "deny", "[tools 1] [ask] [say sorry]"});
  INFO(ran.err);
  CHECK(ran.code == 5);
  CHECK(ran.out == "sorry\n");
  CHECK(contains(ran.err, denied));
  CHECK(contains(ran.err, "for lack of permission"));
  CHECK(contains(ran.err, "\n  ✗ Bash — echo 0\n"));
  CHECK(contains(served.steno({"output", "asking"}).out, denied));
  const std::string watched = served.steno({"watch", "asking", "--from", "start", "-n", "20"}).out;
  CHECK(contains(watched, "✗ turn="));
  CHECK(contains(watched, "error=true denied=true"));

  const json items = served.ask({"output", "asking"}).at("items");
  const auto result = std::find_if(items.begin(), items.end(), [](const json& item) {
    return item.at("kind") == "tool_result";
  });
  REQUIRE(result != items.end());
  CHECK(result->at("denied") == true);
  CHECK(result->at("error") == true);
  CHECK(items.at(0).at("kind") == "prompt");
  CHECK(items.at(1).at("kind") == "tool_call");
  CHECK(items.at(1).at("call") == result->at("call"));
  CHECK(items.back().at("kind") == "said");

  served.spawn({"--name", "sent", "--multi-turn", "--approvals", "deny", "[say hi]"});
  const Ran sent = served.steno({"send", "sent", "--wait", "[tools 1] [ask]"});
  CHECK(sent.code == 5);
  CHECK(contains(sent.err, "steno close "));
  CHECK(contains(sent.err, " --allow-tool "));
  CHECK(served.steno({"send", "sent", "--wait", "[tools 1]"}).code == 0);
}

TEST_CASE("a session can be listed, shown, read and killed", "[tools][R025]") {
  const Served served;
  const std::string alias = served.spawn({"--multi-turn", "--name", "first", "[say hello]"});
  served.wait_for(alias, is_waiting);
  CHECK(contains(served.steno({"ls"}).out, alias));
  CHECK(served.ask({"ls", "--status", "running"}).at("sessions").size() == 1);
  CHECK(served.ask({"ls", "--status", "completed"}).at("sessions").empty());
  CHECK(served.ask({"ls", "--agent", "other"}).at("sessions").empty());
  CHECK(contains(served.steno({"show", "first"}).out, "running, waiting"));
  CHECK(contains(served.steno({"output", "first"}).out, "hello\n"));
  CHECK(served.steno({"show", "absent"}).code == 3);
  CHECK(served.steno({"kill", "absent"}).code == 3);

  CHECK(served.steno({"kill", alias}).out == "killed\n");
  const Ran again = served.steno({"kill", alias});
  CHECK(again.code == 0);
  CHECK(again.out == "already killed\n");
  CHECK(served.steno({"send", alias, "more"}).code == 4);
  CHECK(served.steno({"interrupt", alias}).code == 4);
}

TEST_CASE("output can be asked for by kind", "[tools]") {
  Served served;
  const Arguments run{"run", "--name", "kinds", "--multi-turn", "[tools 1] [say one]"};
  REQUIRE(served.steno(run, "[say two]\n").code == 0);
  const auto kinds_of = [&](const Arguments& wanted) {
    Arguments arguments{"output", "kinds"};
    arguments.insert(arguments.end(), wanted.begin(), wanted.end());
    const json answer = served.ask(arguments);
    std::string kinds;
    for (const json& item : answer.at("items")) {
      kinds += (kinds.empty() ? "" : " ") + item.at("kind").get<std::string>();
    }
    return kinds;
  };
  CHECK(kinds_of({"--kind", "said"}) == "said said");
  CHECK(kinds_of({"--kind", "prompt", "--kind", "tool_call"}) == "prompt tool_call prompt");
  CHECK(kinds_of({"--kind", "subagent"}).empty());
  CHECK(kinds_of({"--kind", "said", "-n", "1"}) == "said");
  CHECK(served.steno({"output", "kinds", "--kind", "said"}).out == "one\ntwo\n");
  CHECK(served.steno({"output", "kinds", "--kind", "words"}).code == 2);
  CHECK(served.steno({"output", "kinds", "--kind", "said", "--follow"}).code == 2);
}

TEST_CASE("the last 200 blocks are printed unless more are asked for", "[tools][R058]") {
  Served served;
  std::string prompts;
  for (int i = 1; i < 205; ++i) prompts += "[say block" + std::to_string(i) + "]\n";
  REQUIRE(served.steno({"run", "--name", "long", "--multi-turn", "[say block0]"}, prompts).code ==
          0);
  const json last = served.ask({"output", "long", "--kind", "said"}).at("items");
  REQUIRE(last.size() == 200);
  CHECK(last.front().at("text") == "block5");
  CHECK(served.ask({"output", "long", "--kind", "said", "--all"}).at("items").size() == 205);
}

TEST_CASE("lists and output are printed as far back as they are asked for", "[tools][R058][R059]") {
  const Served served;
  const std::string alias = served.spawn({"--multi-turn", "[say one]"});
  CHECK(served.steno({"send", alias, "--wait", "[say two]"}).code == 0);
  CHECK(served.steno({"send", alias, "--wait", "[say three]"}).code == 0);
  CHECK(served.ask({"output", alias}).at("items").size() == 6);
  CHECK(served.ask({"output", alias, "-n", "2"}).at("items").size() == 3);
  CHECK(served.ask({"output", alias, "--all"}).at("items").size() == 6);
  CHECK(served.ask({"output", alias, "-n", "5000"}).at("items").size() == 6);
  CHECK(contains(served.steno({"output", alias, "-n", "1"}).out, "three\n"));
  CHECK_FALSE(contains(served.steno({"output", alias, "-n", "1"}).out, "two\n"));

  const std::string later = served.spawn({"--multi-turn", "[say hello]"});
  const Ran first = served.steno({"ls", "-n", "1"});
  CHECK((contains(first.out, later) && !contains(first.out, alias)));
  CHECK(contains(first.err, "1 of 2; more with -n, all with --all"));
  const Ran all = served.steno({"ls", "--all"});
  CHECK((contains(all.out, later) && contains(all.out, alias) && !contains(all.err, " of 2")));
  CHECK(served.ask({"ls", "--all"}).at("sessions").size() == 2);
  CHECK(served.ask({"ls", "-n", "1"}).at("total") == 2);
}

TEST_CASE("a session is sent prompts, interrupted and closed", "[tools]") {
  const Served served;
  const std::string alias = served.spawn({"--multi-turn", "[say hello]"});
  served.wait_for(alias, is_waiting);
  CHECK(served.steno({"interrupt", alias}).code == 4);  // no turn runs
  const Ran waited = served.steno({"send", alias, "--wait", "[say again]"});
  CHECK(waited.code == 0);
  CHECK(waited.out == "again\n");
  CHECK(served.steno({"send", alias, "[hang]"}).code == 0);
  served.wait_for(alias, [](const json& row) { return row.at("turn").is_string(); });
  CHECK(served.steno({"interrupt", alias}).code == 0);
  served.wait_for(alias, is_waiting);
  CHECK(served.steno({"send", alias, "--wait", "[say fine]"}).out == "fine\n");
  CHECK(served.steno({"close", alias}).code == 0);
  served.wait_for(alias, [](const json& row) { return row.at("status") == "completed"; });
  CHECK(served.steno({"close", alias}).out == "already completed\n");
}

TEST_CASE("an ended session is resumed and forked", "[tools][R053]") {
  const Served served;
  REQUIRE(served.steno({"run", "--name", "source", "[say hello]"}).code == 0);
  const Ran resumed =
      served.steno({"resume", "source", "--name", "more", "--follow", "[say more]"});
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  CHECK(resumed.out == "more\n");
  const json fork = served.ask({"resume", "source", "--fork", "--name", "branch"});
  const json row = served.wait_for("branch", [](const json& r) { return r.at("fork"); });
  CHECK(row.at("session") == fork.at("session"));
  CHECK(row.at("resumed_from").is_string());

  // Another session goes on with the agent's session, and its agent is slow to end.
  const auto third = served.ask({"resume", "more", "--name", "third", "[deaf] [hang]"});
  served.wait_for("third",
                  [](const json& r) { return r.at("turn").is_string() && r.at("pid") > 0; });
  CHECK(contains(served.steno({"resume", "source", "[say early]"}).err,
                 third.at("alias").get<std::string>()));
  CHECK(served.steno({"kill", "third"}).code == 0);
  const Ran after = served.steno({"resume", "source", "--follow", "[say after]"});
  INFO(after.err);
  CHECK(after.code == 0);
  CHECK(after.out == "after\n");
}

TEST_CASE("watch prints every event once and in order", "[tools]") {
  const Served served;
  REQUIRE(served.steno({"run", "--name", "seen", "[say hello]"}).code == 0);
  const Ran all =
      served.steno({"watch", "--all-agents", "--from", "start", "-n", "8", "-o", "jsonl"});
  CHECK(all.code == 0);
  std::stringstream lines(all.out);
  std::int64_t expected = 1;
  for (std::string line; std::getline(lines, line); ++expected) {
    CHECK(json::parse(line).at("position") == expected);
  }
  CHECK(expected == 9);
  const Ran one = served.steno({"watch", "seen", "--from", "start", "-n", "2"});
  CHECK(contains(one.out, "SessionOpened"));
  CHECK(contains(one.out, "TurnQueued"));

  ChildProgram live = served.start({"watch"});
  const bool has_seen = live.wait_until([&](const ChildProgram& p) {
    if (contains(p.out(), "SessionClosed")) return true;
    if (contains(p.out(), "SessionOpened")) return false;
    served.steno({"run", "[say hello]"});
    return false;
  });
  INFO(live.out() << live.err());
  REQUIRE(has_seen);
  live.signal(SIGINT);
  CHECK(live.wait() == 130);
}

TEST_CASE("the output of a running session can be followed", "[tools][R080]") {
  const Served served;
  const std::string alias = served.spawn({"--multi-turn", "[say first]"});
  served.wait_for(alias, is_waiting);
  ChildProgram follower = served.start({"output", alias, "--follow"});
  REQUIRE(follower.wait_until([](const ChildProgram& p) { return contains(p.err(), "---"); }));
  CHECK(served.steno({"send", alias, "[say second]", "--wait"}).code == 0);
  CHECK(served.steno({"close", alias}).code == 0);
  CHECK(follower.wait() == 0);
  CHECK(contains(follower.out(), "first\n"));
  CHECK(contains(follower.out(), "second\n"));
}

TEST_CASE("text from outside in a table is safe, and no name holds such", "[tools]") {
  const Served served;
  const Ran refused = served.steno({"spawn", "--name", "evil\x1b[2J", "[say hello]"});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "control characters"));
  CHECK(refused.err.find('\x1b') == std::string::npos);
  const std::string folder = served.folder() + "/evil\x1b[2J";
  REQUIRE(std::filesystem::create_directory(folder));
  const std::string alias = served.spawn({"--workdir", folder, "[say hello]"});
  for (const Arguments& table : {Arguments{"ls"}, Arguments{"show", alias}}) {
    const Ran shown = served.steno(table);
    CHECK(contains(shown.out, "evil"));
    CHECK(shown.out.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("stats add up, and the doctor finds a healthy server", "[tools]") {
  const Served served;
  REQUIRE(served.steno({"run", "[cost 0.25]"}).code == 0);
  const json stats = served.ask({"stats"});
  CHECK(stats.at("totals").at("completed") == 1);
  CHECK(stats.at("totals").at("cost_usd") == 0.25);
  CHECK(contains(served.steno({"stats"}).out, "$0.2500"));
  const Ran doctor = served.steno({"doctor"});
  INFO(doctor.out);
  CHECK(contains(doctor.out, "ok  server"));
  CHECK(contains(doctor.out, "ok  workers"));
}

TEST_CASE("the session limit is refused with 5", "[tools]") {
  const Served served;
  for (int i = 0; i < 5; ++i) served.spawn({"--multi-turn", "[say hello]"});
  const Ran refused = served.steno({"spawn", "one more"});
  CHECK(refused.code == 5);
  CHECK(contains(refused.err, "max_sessions"));
  // One that waits makes room at no loss.
  const json rows = served.ask({"ls"}).at("sessions");
  for (const json& row : rows) served.wait_for(row.at("alias"), is_waiting);
  const std::string oldest = rows.back().at("alias");
  const Ran hinted = served.steno({"spawn", "one more"});
  CHECK(contains(hinted.err, "waits for a prompt since "));
  CHECK(contains(hinted.err, ": steno close "));
}

}  // namespace
