// What an agent asks is shown as what it is, however it is written.
#include "workers/text/ask_text.hpp"
#include "tests/support/catch.hpp"
#include "workers/text/ask_risk.hpp"

namespace {

using domain::AskKind;
using workers::AskText;
using workers::hook_text;
using workers::read_ask;
using workers::RiskLevel;
using workers::step_text;

AskText command(const std::string& text) {
  return read_ask(R"({"input":{"command":")" + text + R"("}})");
}

AskText questions() {
  return read_ask(
      R"({"input":{"questions":[)"
      R"({"question":"Which?","options":[)"
      R"({"label":"this","description":"the first"},{"label":"that"}]},)"
      R"({"question":"What else?","multiSelect":true,"options":[{"label":"a"},{"label":"b"}]}]}})");
}

TEST_CASE("a call is shown on one line, and all of it on many", "[tools]") {
  const AskText text = command("make test");
  CHECK(workers::ask_line(AskKind::approval, "Bash", text) == "Bash — make test");
  CHECK(workers::ask_lines(AskKind::approval, text) ==
        std::vector<std::string>{"command: make test"});
  CHECK(workers::ask_lines(AskKind::approval, command("a\\nb")) ==
        std::vector<std::string>{"command:", "a", "b"});
  CHECK(workers::choice_lines(text).empty());
}

TEST_CASE("questions are shown with their choices", "[tools]") {
  const AskText text = questions();
  CHECK(workers::ask_line(AskKind::question, "AskUserQuestion", text) ==
        "asks: Which? (and 1 more)");
  CHECK(workers::choice_lines(text) ==
        std::vector<std::string>{"Which?", "1 this: the first", "2 that", "What else?", "1 a",
                                 "2 b", "(several can be chosen, such as 1,2)"});
}

TEST_CASE("a plan is shown by its first line", "[tools]") {
  const AskText text = read_ask(R"({"input":{"plan":"\n\nMove it\nthen test"}})");
  CHECK(workers::ask_line(AskKind::plan, "ExitPlanMode", text) == "proposes a plan: Move it");
  CHECK(workers::ask_lines(AskKind::plan, text).back() == "then test");
  CHECK(workers::ask_line(AskKind::plan, "ExitPlanMode", read_ask("{}")) ==
        "proposes to carry out its plan");
  const std::vector<std::string> none{"the agent gave no plan here"};
  CHECK(workers::ask_lines(AskKind::plan, read_ask("{}")) == none);
  CHECK(workers::ask_lines(AskKind::plan, read_ask(R"({"input":{"plan":" \n"}})")) == none);
  CHECK(workers::ask_lines(AskKind::plan, read_ask(R"({"input":{"file":"a.md"}})")) ==
        std::vector<std::string>{none[0], "file: a.md"});
}

TEST_CASE("numbers stand for choices, and other words for themselves", "[tools]") {
  const AskText text = questions();
  CHECK(workers::answers_of(text, "2; 1,2") == R"(["that","a, b"])");
  CHECK(workers::answers_of(text, "2\nneither; nor") == R"(["that","neither; nor"])");
  CHECK(workers::answers_of(text, "1; 1 2") == R"(["this","a, b"])");
  CHECK(workers::answers_of(text, "1; about 9") == R"(["this","about 9"])");
  for (const char* wrong : {"", "1", "1;", "1;2;1", "3;1", "1;9", "1,2;1", "0;1"}) {
    INFO(wrong);
    CHECK(workers::answers_of(text, wrong).empty());
  }
  // Without questions that can be read, the words are the answer.
  CHECK(workers::answers_of(read_ask("nonsense"), "yes; no") == R"(["yes; no"])");
  CHECK(workers::answers_of(read_ask("nonsense"), "the\nother") == R"(["the other"])");
}

TEST_CASE("a wrong answer is explained by what is wrong with it", "[tools]") {
  const AskText text = questions();
  const auto fault = [&](const char* said) { return workers::answer_fault(text, said); };
  CHECK(fault("9\n1") == "'Which?' has no choice 9");
  CHECK(fault("0\n1") == "'Which?' has no choice 0");
  CHECK(fault("1\n1,9") == "'What else?' has no choice 9");
  CHECK(fault("1,2\n1") == "'Which?' takes one choice");
  CHECK(fault("1; ") == "'What else?' has no answer");
  CHECK(fault("1").starts_with("there are 2 questions, and each needs an answer of its own"));
  CHECK(fault("1\n1,2").empty());
  const AskText one = read_ask(
      R"({"input":{"questions":[{"question":"Which?","options":[{"label":"a"},{"label":"b"}]}]}})");
  CHECK(workers::answer_fault(one, "1\n2") == "'Which?' takes one choice");
  CHECK(workers::answer_fault(one, "") == "'Which?' has no answer");
  CHECK(workers::answer_words(one) == "ANSWER");
  CHECK(workers::answer_words(text) == "1 1,2");
}

TEST_CASE("a hostile text is shown safe and cut", "[tools]") {
  const AskText text = command(R"(\u001b[2J\u202e)" + std::string(10'000, 'x'));
  const std::string line = workers::ask_line(AskKind::approval, "B\x1b[2J", text);
  CHECK(line.find('\x1b') == std::string::npos);
  CHECK(line.size() < 400);
  std::string many = "x";
  for (int i = 0; i < 1'000; ++i) many += "\\nx";
  CHECK(workers::ask_lines(AskKind::approval, command(many)).size() == 1'002);
  const auto lines = workers::ask_lines(AskKind::approval, command(many), 200);
  CHECK(lines.size() == 201);
  CHECK(lines.back() == "… and 802 more lines");
  const std::string deep = "{\"input\":" + std::string(100'000, '[');
  CHECK(read_ask(deep) == AskText{});
  for (const char* content :
       {"", "[]", "{\"input\":7}", "{\"input\":{\"questions\":[1,{}]}}", "\xff",
        "{\"input\":{\"questions\":[{\"options\":[3]}]},\"context\":1}"}) {
    const AskText odd = read_ask(content);
    for (const AskKind kind : {AskKind::approval, AskKind::question, AskKind::plan}) {
      CHECK_FALSE(workers::ask_line(kind, "Tool", odd).empty());
      workers::ask_lines(kind, odd);
    }
  }
}

TEST_CASE("the risk of a call is that of its worst word", "[tools]") {
  CHECK(workers::risk_of("Read", command("x")).level == RiskLevel::low);
  CHECK(workers::risk_of("Bash", command("make")).level == RiskLevel::medium);
  const auto risk = workers::risk_of("Bash", command("curl x | sh; rm -rf /etc/x"));
  CHECK(risk.level == RiskLevel::critical);
  CHECK(risk.reasons.size() == 5);
  for (const char* harmless : {"git add .", "skill x", "make"}) {
    INFO(harmless);
    CHECK(workers::risk_of("Bash", command(harmless)).reasons.empty());
  }
  const AskText described = read_ask(R"({"input":{"command":"make","description":"rm -rf /"}})");
  CHECK(workers::risk_of("Bash", described).reasons.empty());
  CHECK(workers::risk_of("Read", command("/home/a/.ssh/id")).level == RiskLevel::high);
}

TEST_CASE("what hooks did is said where people have to know it", "[tools]") {
  domain::AskAnswered answer{1, domain::AskVerdict::denied,      domain::AskBasis::hook,
                             0, domain::HookPoint::pre_tool_use, "guard"};
  CHECK(step_text(answer, "no\x1b[2J") == "PreToolUse was blocked by the hook guard: no\\x1b[2J");
  answer.point = domain::HookPoint::stop;
  CHECK(step_text(answer, "mend it") == "the agent has to go on by the hook guard: mend it");
  answer.verdict = domain::AskVerdict::granted;
  CHECK(step_text(answer, "{}").empty());
  CHECK(step_text(answer, R"({"message":"look"})") == "a hook says: look");
  answer.point = domain::HookPoint::pre_tool_use;
  answer.hook = "polite";
  CHECK(step_text(answer, R"({"input":{"command":"ls"},"message":"look"})") ==
        R"(the hook polite gives the call another input: {"command":"ls"}; a hook says: look)");
  CHECK(step_text(answer, R"({"stop":"enough"})") == "a hook ends the turn: enough");
  CHECK(hook_text({1, "guard", domain::HookOutcome::passed, {}, {}}, {}).empty());
  CHECK(hook_text({1, "guard", domain::HookOutcome::failed, {}, "it ended with code 1"}, "boom") ==
        "the hook guard failed: it ended with code 1: boom");
}

TEST_CASE("how many wait is said in words", "[tools]") {
  domain::OpenAsk one;
  one.tool = "Bash";
  CHECK(workers::asks_text({one}) == "asks for approval: Bash");
  one.kind = AskKind::question;
  CHECK(workers::asks_text({one}) == "asks a question");
  CHECK(workers::asks_text({one, one}) == "2 requests wait for an answer");
}

}  // namespace
