// The command line of the executable as users and scripts meet it, without a server.
#include <algorithm>
#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/child_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

Ran run(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  support::ChildProgram program(command, environment);
  Ran ran;
  ran.code = program.wait();
  ran.out = program.out();
  ran.err = program.err();
  return ran;
}

Ran steno(std::vector<std::string> arguments, const std::string& home) {
  arguments.insert(arguments.begin(), STENO_PROGRAM);
  return run(arguments, {"PATH=/usr/bin:/bin", "HOME=" + home});
}

Ran steno(const std::vector<std::string>& arguments) {
  const support::TemporaryFolder home;
  return steno(arguments, home.path());
}

bool is_one_line(const std::string& text) {
  return !text.empty() && std::count(text.begin(), text.end(), '\n') == 1 && text.back() == '\n';
}

TEST_CASE("wrong usage exits with 2 and says so on one line", "[tools]") {
  using Arguments = std::vector<std::string>;
  const auto arguments = GENERATE(
      Arguments{}, Arguments{"unknown"}, Arguments{"ls", "--unknown"}, Arguments{"run"},
      Arguments{"run", "a", "b"}, Arguments{"show"}, Arguments{"ls", "-n", "many"},
      Arguments{"ls", "-n", "0"}, Arguments{"ls", "--status", "odd"}, Arguments{"-o", "xml", "ls"},
      Arguments{"--max-sessions", "0", "config"}, Arguments{"run", "--budget-usd", "-1", "p"},
      Arguments{"run", "--max-turns", "x", "p"}, Arguments{"output", "ref", "-n", "3", "--all"},
      Arguments{"ls", "ls"});
  const Ran ran = steno(arguments);
  INFO("out: " << ran.out << " err: " << ran.err);
  CHECK(ran.code == 2);
  CHECK(ran.out.empty());
  CHECK(is_one_line(ran.err));
}

// The dynamic loader prints a program's libraries instead of running it.
bool loads(const std::string& program, const std::string& library) {
  const Ran ran = run({program}, {"LD_TRACE_LOADED_OBJECTS=1"});
  REQUIRE(ran.out.find("libzmq") != std::string::npos);
  return ran.out.find(library) != std::string::npos;
}

// RocksDB is a part of the program that calls it, and brings this library.
TEST_CASE("a client starts without the log's database", "[tools]") {
  CHECK_FALSE(loads(STENO_PROGRAM, "libzstd"));
  CHECK(loads(STENO_PROGRAM "-server", "libzstd"));
}

TEST_CASE("what opens a log names the program that is missing", "[tools]") {
  const support::TemporaryFolder folder;
  const std::string alone = folder.file("steno");
  std::filesystem::copy_file(STENO_PROGRAM, alone);
  const std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "HOME=" + folder.path()};
  const Ran ran = run({alone, "doctor"}, environment);
  CHECK(ran.code == 1);
  CHECK(is_one_line(ran.err));
  const std::string folder_name = std::filesystem::canonical(folder.path()).string();
  CHECK(ran.err.find(folder_name + "/steno-server: No such file") != std::string::npos);
  CHECK(run({alone, "doctor", "-o", "json"}, environment).err.starts_with("{\"error\":"));
  CHECK(run({alone, "version"}, environment).code == 0);
}

TEST_CASE("a link to the program finds what lies beside the program", "[tools]") {
  const support::TemporaryFolder folder;
  const std::string link = folder.file("link");
  std::filesystem::create_symlink(STENO_PROGRAM, link);
  const std::string data = folder.file("data");
  const Ran ran = run({link, "replay", "verify", data}, {"HOME=" + folder.path()});
  const Ran direct = run({STENO_PROGRAM, "replay", "verify", data}, {"HOME=" + folder.path()});
  CHECK(ran.code == direct.code);
  CHECK(ran.err == direct.err);
  CHECK(ran.err.find(data) != std::string::npos);
}

TEST_CASE("an unknown command is named, with what may be meant and what there is", "[tools]") {
  CHECK(steno({"unknown"}).err.find("unknown command 'unknown'; see `steno --help`") !=
        std::string::npos);
  CHECK(steno({"spwan", "x"}).err.find("did you mean steno spawn?") != std::string::npos);
  const auto told = [](const std::vector<std::string>& arguments) {
    const Ran ran = steno(arguments);
    CHECK(ran.code == 2);
    return ran.err;
  };
  using Catch::Contains;
  CHECK_THAT(told({"schedule", "resume", "nightly"}),
             Contains("unknown command 'schedule resume'; there are add, ls, rm, run, log, show") &&
                 Contains("see `steno schedule --help`"));
  CHECK_THAT(told({"schedule", "pasue", "nightly"}),
             Contains("did you mean steno schedule pause? There are add,"));
  CHECK_THAT(told({"notify", "rety", "1"}), Contains("did you mean steno notify retry?"));
  CHECK_THAT(told({"archive", "lst"}), Contains("did you mean steno archive list?"));
  CHECK_THAT(told({"replay", "verfy"}), Contains("did you mean steno replay verify?"));
  CHECK_THAT(told({"run", "--modle", "x", "y"}),
             Contains("unknown option '--modle'; did you mean --model?") &&
                 Contains("see `steno run --help`"));
}

TEST_CASE("a channel that is no place is refused wherever one is said", "[tools]") {
  using Arguments = std::vector<std::string>;
  const std::string channel = GENERATE("telegram|", "telegram||1", "|1");
  for (Arguments arguments :
       {Arguments{"run", "x"}, Arguments{"spawn", "x"}, Arguments{"send", "x", "y"},
        Arguments{"resume", "x"}, Arguments{"schedule", "add", "x", "--every", "1d", "y"},
        Arguments{"foreground", "x"}, Arguments{"chat", "/claude x"}}) {
    arguments.insert(arguments.end(), {"--channel", channel});
    const Ran ran = steno(arguments);
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK_THAT(ran.err, Catch::Contains("telegram|1234"));
  }
}

TEST_CASE("a prompt that looks like an option goes behind two dashes, as the error says",
          "[tools]") {
  const Ran refused = steno({"run", "-v is broken"});
  CHECK(refused.code == 2);
  CHECK(refused.err.find("unknown option '-v is broken'") != std::string::npos);
  CHECK(refused.err.find("steno run -- ") != std::string::npos);
  CHECK(steno({"run", "--", "-v is broken"}).code == 6);
}

TEST_CASE("an unquoted prompt is shown in its quotes", "[tools]") {
  const auto told = [](const std::vector<std::string>& arguments) {
    const Ran ran = steno(arguments);
    CHECK(ran.code == 2);
    return ran.err;
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
  };
  CHECK(contains(told({"run", "fix", "the", "failing", "test"}),
                 "quote the prompt: steno run 'fix the failing test'"));
  CHECK(contains(told({"send", "nightly", "now", "the", "docs"}),
                 "quote the prompt: steno send nightly 'now the docs'"));
  CHECK(contains(told({"run", "do", "it", "--nosuch"}), "unknown option '--nosuch'"));
  CHECK(contains(told({"ls", "here"}), "steno ls does not expect 'here'"));
}

TEST_CASE("a wrong value and a wrong number of options are told with what is accepted", "[tools]") {
  const auto told = [](const std::vector<std::string>& arguments) {
    const Ran ran = steno(arguments);
    CHECK(ran.code == 2);
    return ran.err.substr(0, ran.err.find("; see `"));
  };
  CHECK(told({"output", "blog", "--turn", "x"}) == "steno: --turn takes a whole number, not 'x'");
  CHECK(told({"ls", "-n", "x"}) == "steno: -n takes a whole number from 1 to 1000000, not 'x'");
  CHECK(told({"ls", "--limit=0"}) ==
        "steno: --limit takes a whole number from 1 to 1000000, not '0'");
  CHECK(told({"run", "--max-turns", "1.5", "hi"}) ==
        "steno: --max-turns takes a whole number that is at least 0, not '1.5'");
  CHECK(told({"run", "--name", "x", "--name", "y", "hi"}) == "steno: say --name once only");
  CHECK(told({"ls", "--name"}) == "steno: --name needs a value behind it");
  CHECK(told({"ls", "--all=x"}) == "steno: --all takes no value, and has 'x'");
  CHECK(told({"ls", "--all", "-n", "9"}) == "steno: -n excludes --all: say only one of them");
  CHECK(told({"schedule", "add", "x", "hi"}) == "steno: say one of --at,--every,--cron");
  CHECK(told({"schedule", "add", "x", "hi", "--at", "1", "--every", "2"}) ==
        "steno: say only one of --at,--every,--cron");
  CHECK(told({"schedule", "edit", "x", "--at", "1", "--every", "2"}) ==
        "steno: say only one of --at,--every,--cron");
  // Other words of the parser stay.
  CHECK(told({"help", "--to", "/tmp"}) == "steno: --to requires --man");
  CHECK(told({"show"}) == "steno: REF is required");
}

TEST_CASE("a flag that a command has no use for is refused with where it counts", "[tools]") {
  const auto told = [](const std::vector<std::string>& arguments) {
    const Ran ran = steno(arguments);
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK(is_one_line(ran.err));
    return ran.err;
  };
  CHECK(told({"run", "--max-sessions", "50", "x"}).find("read by steno serve only") !=
        std::string::npos);
  CHECK(told({"send", "a", "--permission-mode", "plan", "x"})
            .find("steno set REF --permission-mode") != std::string::npos);
  CHECK(told({"send", "a", "--budget-usd", "2", "x"}).find("steno resume REF --budget-usd") !=
        std::string::npos);
  CHECK(told({"set", "a", "--workdir", "/srv"}).find("steno resume REF --workdir") !=
        std::string::npos);
  CHECK(told({"--budget-usd", "1", "ls"}).find("where a session is opened") != std::string::npos);
  CHECK(told({"kill", "a", "--keep-workers"}).find("read by steno serve only") !=
        std::string::npos);
  for (const std::vector<std::string>& fine :
       std::vector<std::vector<std::string>>{{"--timeout", "1s", "ls"},
                                             {"--model", "m", "spawn", "x"},
                                             {"run", "--hooks-must-answer", "true", "x"},
                                             {"run", "--mcp-must-connect", "true", "x"},
                                             {"spawn", "--setting-sources", "user", "x"},
                                             {"foreground", "x", "--channel", "telegram|1"},
                                             {"send", "a", "--start-within", "1h", "x"}}) {
    CHECK(steno(fine).code == 6);
  }
}

TEST_CASE("a duration without a unit is refused with what is accepted", "[tools]") {
  const Ran ran = steno({"--keep-content-for", "30", "config"});
  CHECK(ran.code == 2);
  CHECK(ran.err.find("such as 30m") != std::string::npos);
}

TEST_CASE("output that cannot be written is said, with an exit code of its own", "[tools]") {
  const support::TemporaryFolder home;
  const std::string full = "exec " STENO_PROGRAM " config > /dev/full";
  const Ran ran = run({"/bin/sh", "-c", full}, {"PATH=/usr/bin:/bin", "HOME=" + home.path()});
  CHECK(ran.code == 74);
  CHECK(ran.err.find("stdout: No space left on device") != std::string::npos);
}

TEST_CASE("a notification is named by its number", "[tools]") {
  const Ran ran = steno({"notify", "retry", "abc"});
  CHECK(ran.code == 2);
  CHECK(ran.err.find("'abc' is no number of a notification; steno notify ls") != std::string::npos);
  CHECK(ran.err.size() < 200);
}

TEST_CASE("help shows groups, accepted values and defaults, and no types of the parser",
          "[tools]") {
  const std::string help = steno({"--help"}).out;
  for (const char* shown :
       {"\nSessions:\n", "\nServer:\n", "\nThe log:\n", "steno help settings"}) {
    INFO(shown);
    CHECK(help.find(shown) != std::string::npos);
  }
  const std::string settings = steno({"help", "settings"}).out;
  for (const char* shown : {"1 to 10000 [5]", "--timeout",
                            "claude or scripted, or the NAME of a table [engines.NAME] [claude]"}) {
    INFO(shown);
    CHECK(settings.find(shown) != std::string::npos);
  }
  CHECK(help.find("--max-sessions") == std::string::npos);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"run"}, {"erase"}, {"ls"}, {"output"}, {"watch"}, {"replay", "export"}}) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const std::string own = steno(arguments).out;
    INFO(own);
    CHECK(own.find("INT") == std::string::npos);
    CHECK(own.find("{false}") == std::string::npos);
  }
}

TEST_CASE("help exits with 0, names every command, and has examples", "[tools]") {
  const Ran help = steno({"--help"});
  CHECK(help.code == 0);
  for (const std::string command :
       {"run", "spawn", "ls", "show", "output", "send", "interrupt", "kill", "close", "resume",
        "stats", "watch", "doctor", "config", "version", "replay"}) {
    INFO(command);
    CHECK(help.out.find("\n  " + command + " ") != std::string::npos);
    const Ran own = steno({command, "--help"});
    CHECK(own.code == 0);
    if (command != "replay") CHECK(own.out.find("Examples:\n  ") != std::string::npos);
  }
}

TEST_CASE("help about a command is what the command itself says", "[tools]") {
  CHECK(steno({"help"}).out == steno({"--help"}).out);
  CHECK(steno({"help", "schedule", "add"}).out == steno({"schedule", "add", "--help"}).out);
  CHECK(steno({"help", "exit-codes"}).out.find("\n  6  no server runs here\n") !=
        std::string::npos);
  const Ran wrong = steno({"help", "aprove"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("did you mean approve?") != std::string::npos);
  CHECK(steno({"help", "exit-codes", "x"}).code == 2);
  CHECK(steno({"help", "ls", "-o", "json"}).code == 0);
}

TEST_CASE("without a server a command says how to start one, and exits with 6", "[tools]") {
  using Arguments = std::vector<std::string>;
  const auto arguments =
      GENERATE(Arguments{"ls"}, Arguments{"run", "prompt"}, Arguments{"spawn", "prompt"},
               Arguments{"show", "x"}, Arguments{"kill", "x"}, Arguments{"watch"},
               Arguments{"stats"}, Arguments{"output", "x"}, Arguments{"resume", "x"});
  const Ran ran = steno(arguments);
  INFO("err: " << ran.err);
  CHECK(ran.code == 6);
  CHECK(ran.out.empty());
  CHECK(is_one_line(ran.err));
  CHECK(ran.err.find("steno serve") != std::string::npos);
}

TEST_CASE("global flags are accepted before and after the command", "[tools]") {
  const support::TemporaryFolder home;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"-o", "json", "--agent", "ci", "config"},
        std::vector<std::string>{"config", "-o", "json", "--agent", "ci"}}) {
    const Ran ran = steno(arguments, home.path());
    CHECK(ran.code == 0);
    CHECK(ran.out.find(R"({"key":"agent","value":"ci","source":"flag","where":"--agent"})") !=
          std::string::npos);
  }
}

TEST_CASE("the doctor works without a server, and exits with 6", "[tools]") {
  const Ran ran = steno({"doctor"});
  CHECK(ran.code == 6);
  CHECK(ran.out.find("BAD server") != std::string::npos);
  CHECK(ran.out.find("steno serve") != std::string::npos);
}

TEST_CASE("a run folder whose path is too long for a socket is refused", "[tools]") {
  const Ran ran = steno({"--run-folder", "/" + std::string(200, 'r'), "ls"});
  CHECK(ran.code == 5);
  CHECK(ran.err.find("107 bytes") != std::string::npos);
}

TEST_CASE("the version is told", "[tools]") {
  CHECK(steno({"version"}).out.starts_with("steno "));
  CHECK(steno({"--version"}).out == steno({"version"}).out);
  const std::string all = steno({"version", "-o", "json"}).out;
  CHECK(all.starts_with("{\"release\":"));
  for (const char* field : {"commit", "log_format", "protocol", "build", "compiler"}) {
    INFO(field);
    CHECK(all.find("\"" + std::string(field) + "\":") != std::string::npos);
  }
}

}  // namespace
