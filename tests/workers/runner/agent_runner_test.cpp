// The worker's agents: directives are obeyed once and in order, reports are kept until durable and
// sent in bounded messages, and agents end with their lease.
#include "workers/runner/agent_runner.hpp"

#include <set>

#include "bus/ports.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/session_samples.hpp"
#include "workers/runner/worker_link.hpp"

namespace workers {
namespace {

using base::Duration;
using support::kSession;
using support::turn;

// An agent as the test sees it, and the events that it will produce.
struct Agent {
  std::vector<std::string> written;
  std::vector<processes::ProcessEvent> says;
  bool is_reading = true;
  bool is_stdin_closed = false;
  bool is_terminated = false;
  bool is_deaf = false;  // its stdin is closed
};

class Process final : public processes::AgentProcess {
 public:
  explicit Process(Agent& agent) : agent_(agent) {}
  base::Result<void> write(base::ByteView bytes) override {
    if (agent_.is_deaf) return base::failure(base::ErrorCode::unreachable, "closed");
    agent_.written.emplace_back(bytes);
    return {};
  }
  void close_stdin() override { agent_.is_stdin_closed = true; }
  void terminate(std::chrono::milliseconds) override { agent_.is_terminated = true; }
  void kill() override {}
  void set_reading(bool is_reading) override { agent_.is_reading = is_reading; }
  std::vector<processes::PollWish> poll_wishes() const override { return {}; }
  void pump(Duration) override {}
  std::vector<processes::ProcessEvent> take_events() override {
    return std::exchange(agent_.says, {});
  }

 private:
  Agent& agent_;
};

constexpr std::string_view kTaskBegins = "a task begins";
constexpr std::string_view kLimitIsMet = "the provider refuses the first turn";
constexpr std::string_view kNothing = "a line that is worth no report";
constexpr std::string_view kTaskEnds = "the task has ended";
constexpr std::string_view kOwnTurnBegins = "a turn of its own begins";
constexpr std::string_view kAsks = "may I, and will you";
constexpr std::string_view kWithdraws = "never mind";
constexpr auto kOwnTurn = support::turn(50);

// Writes each turn as its id, behind what its prompt has before "do it". Reports a line that is a
// turn's id as its result, and others as output.
class Codec final : public engines::Engine {
 public:
  engines::LaunchPlan plan() const override { return {}; }
  engines::Output handle(const engines::Input& input) override {
    engines::Output out;
    if (const auto* begun = std::get_if<engines::BeginTurn>(&input.step)) {
      out.writes = begun->prompt.substr(0, begun->prompt.find("do it")) + begun->turn.text() +
                   said(begun->files);
    } else if (const auto* added = std::get_if<engines::AddPrompt>(&input.step)) {
      out.writes = "inject " + added->prompt + said(added->files);
    } else if (const auto* interrupt = std::get_if<engines::Interrupt>(&input.step)) {
      out.writes = "interrupt " + interrupt->turn.text();
    } else if (const auto* answer = std::get_if<engines::Answer>(&input.step)) {
      out.writes =
          (answer->is_granted ? "granted " : "not granted ") + answer->ask.id + ": " + answer->text;
    } else if (const auto* came = std::get_if<engines::FrameCame>(&input.step)) {
      take(came->frame, out);
    }
    out.state.has_tasks = has_tasks_;
    return out;
  }

 private:
  static std::string said(const std::vector<engines::PromptFile>& files) {
    std::string text;
    for (const engines::PromptFile& file : files) {
      text += " " + file.name + ":" + file.media_type + ":" + file.data;
    }
    return text;
  }

  void take(const base::Bytes& line, engines::Output& out) {
    if (const auto of = base::TurnId::parse(line)) {
      domain::ReportTurnResult result;
      result.turn = *of;
      out.reports.emplace_back(result);
    } else if (line == kTaskBegins || line == kTaskEnds) {
      has_tasks_ = line == kTaskBegins;
      out.reports.emplace_back(domain::ReportTasksChanged{has_tasks_ ? 1 : 0, ""});
    } else if (line == kAsks) {
      out.asks = {{"1", engines::AskKind::permission, "Bash", "call", "{}"},
                  {"2", engines::AskKind::request, "fs/read", "", "{}"}};
    } else if (line == kWithdraws) {
      out.withdrawn = {"1"};
    } else if (line == kLimitIsMet) {
      domain::ReportTurnResult refused;
      refused.turn = turn(1);
      refused.is_error = true;
      refused.api_status = 429;
      out.reports.emplace_back(refused);
    } else if (line == kOwnTurnBegins) {
      domain::ReportOwnTurnStarted own;
      own.turn = kOwnTurn;
      out.reports.emplace_back(own);
    } else if (line != kNothing) {
      out.reports.emplace_back(domain::ReportOutput{{}, domain::OutputKind::text, line});
    }
  }

  bool has_tasks_ = false;
};

struct EngineWorld final : AgentLauncher {
  explicit EngineWorld(AgentRunnerOptions options = {}) : worker(*this, options) {}

  base::Result<LaunchedAgent> launch(const DirectiveBody&) override {
    agents.emplace_back();
    return LaunchedAgent{std::make_unique<Codec>(), std::make_unique<Process>(agents.back()),
                         answers_of_others};
  }
  void clean_up(base::SessionId session) override { cleaned_up.push_back(session); }

  std::int64_t answers_of_others = 0;

  static DirectiveBody directive(std::int64_t number, int of_turn, std::int64_t token = 1) {
    DirectiveBody body;
    body.session = kSession;
    body.agent = "main";
    body.token = {token};
    body.turn = DirectedTurn{turn(of_turn), "do it", false};
    body.number = number;
    return body;
  }
  void direct(const DirectiveBody& body) {
    worker.on_directive(body, now);
    worker.do_work(now);
  }
  void says(std::size_t agent, processes::ProcessEvent event) {
    agents[agent].says.push_back(std::move(event));
    worker.do_work(now);
  }
  void says_lines(int count) {
    for (int i = 0; i < count; ++i)
      says(0, processes::Frame{"a line", processes::FrameEnding::whole});
  }
  // Lets the time pass after which reports are sent again.
  void let_resend() {
    now += AgentRunnerOptions{}.resend_after + Duration{1};
    worker.do_work(now);
  }
  // Returns the sequences of the reports that are to be sent now.
  std::vector<std::int64_t> sent() {
    std::vector<std::int64_t> sequences;
    while (const auto body = worker.take_reports()) {
      for (const auto& report : body->reports) sequences.push_back(report.sequence);
    }
    return sequences;
  }

  support::ManualClock clock;
  Duration& now = clock.now;
  std::deque<Agent> agents;
  std::vector<base::SessionId> cleaned_up;
  AgentRunner worker;
};

using Sequences = std::vector<std::int64_t>;

TEST_CASE("a directive that was overtaken is not obeyed", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(5, 1));
  auto older = EngineWorld::directive(4, 1);
  older.end = LeaseEnd::kill;
  w.direct(older);
  REQUIRE(w.agents.size() == 1);
  CHECK_FALSE(w.agents[0].is_terminated);
  CHECK(w.worker.held().at(0).directive == 5);
}

TEST_CASE("a directive that is sent again gives the prompt once", "[workers]") {
  EngineWorld w;
  for (std::int64_t number = 1; number <= 3; ++number) w.direct(EngineWorld::directive(number, 1));
  w.direct(EngineWorld::directive(4, 2));
  REQUIRE(w.agents.size() == 1);
  CHECK(w.agents[0].written == std::vector<std::string>{turn(1).text(), turn(2).text()});
}

TEST_CASE("a prompt that is added to the turn is given once, and not behind its result",
          "[workers][R057]") {
  EngineWorld w;
  auto body = EngineWorld::directive(1, 1);
  body.turn->injected = {"one"};
  w.direct(body);
  body.number = 2;
  body.turn->injected = {"one", "two"};
  w.direct(body);
  w.direct(body);
  const std::vector<std::string> expected = {turn(1).text(), "inject one", "inject two"};
  CHECK(w.agents[0].written == expected);
  w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
  body.number = 3;
  body.turn->injected.emplace_back("three");
  w.direct(body);
  CHECK(w.agents[0].written == expected);
  const auto sent = w.worker.take_reports();
  REQUIRE(sent);
  const auto report = decode_report(sent->reports.back());
  REQUIRE(report);
  CHECK(std::get<domain::ReportTurnResult>(*report).injected == 2);
}

TEST_CASE("each prompt of a turn is given with its own files, once", "[workers]") {
  EngineWorld w;
  auto body = EngineWorld::directive(1, 1);
  body.turn->files = {{0, "a.png", "image/png", "A"}, {0, "b.txt", "text/plain", "B"}};
  w.direct(body);
  w.direct(body);
  body.number = 2;
  body.turn->injected = {"one", "two"};
  body.turn->files.push_back({2, "c.txt", "text/plain", "C"});
  w.direct(body);
  CHECK(w.agents[0].written ==
        std::vector<std::string>{turn(1).text() + " a.png:image/png:A b.txt:text/plain:B",
                                 "inject one", "inject two c.txt:text/plain:C"});
}

TEST_CASE("what an agent asks is answered at once, where nobody is to be asked", "[workers]") {
  EngineWorld w;
  auto body = EngineWorld::directive(1, 1);
  body.spec.approvals = domain::Approvals::deny;
  w.direct(body);
  w.says(0, processes::Frame{std::string(kAsks), processes::FrameEnding::whole});
  REQUIRE(w.agents[0].written.size() == 3);
  CHECK(w.agents[0].written[1].starts_with("not granted 1: Denied: this tool call needs"));
  CHECK(w.agents[0].written[2] == "not granted 2: this host does not answer requests of that kind");
}

// An agent that has asked for an approval, which was reported.
DirectiveBody begin_asking(EngineWorld& w) {
  auto body = EngineWorld::directive(1, 1);
  w.direct(body);
  w.says(0, processes::Frame{std::string(kAsks), processes::FrameEnding::whole});
  return body;
}

std::vector<domain::Report> sent_reports(EngineWorld& w) {
  std::vector<domain::Report> reports;
  while (const auto sent = w.worker.take_reports()) {
    for (const SequencedReport& report : sent->reports) reports.push_back(*decode_report(report));
  }
  return reports;
}

TEST_CASE("what an agent asks is reported, and waits for the directive with its answer",
          "[workers]") {
  EngineWorld w;
  auto body = begin_asking(w);
  // What a host carries out is answered at once.
  REQUIRE(w.agents[0].written.size() == 2);
  CHECK(w.agents[0].written[1].starts_with("not granted 2: "));
  CHECK(sent_reports(w) ==
        std::vector<domain::Report>{domain::ReportAskRaised{
            1, domain::AskKind::approval, {}, "Bash", "call", "{\"input\":{}}"}});
  body.number = 2;
  body.answers = {{7, true, ""}, {1, false, ""}};
  w.direct(body);
  REQUIRE(w.agents[0].written.size() == 3);
  CHECK(w.agents[0].written[2].starts_with("not granted 1: Denied: this was not carried out"));
  CHECK(sent_reports(w) == std::vector<domain::Report>{domain::ReportAskClosed{1}});
  // The next directive can still have it.
  body.number = 3;
  w.direct(body);
  CHECK(w.agents[0].written.size() == 3);
  CHECK(sent_reports(w).empty());
}

TEST_CASE("an answer that the agent does not read is not told", "[workers]") {
  EngineWorld w;
  auto body = begin_asking(w);
  sent_reports(w);
  w.agents[0].is_deaf = true;
  body.number = 2;
  body.answers = {{1, true, ""}};
  w.direct(body);
  CHECK(sent_reports(w).empty());
}

TEST_CASE("an ask that is withdrawn is answered by nobody", "[workers]") {
  EngineWorld w;
  auto body = begin_asking(w);
  w.says(0, processes::Frame{std::string(kWithdraws), processes::FrameEnding::whole});
  const auto reports = sent_reports(w);
  REQUIRE(reports.size() == 2);
  CHECK(reports[1] == domain::Report(domain::ReportAskClosed{1, true}));
  body.number = 2;
  body.answers = {{1, true, ""}};
  w.direct(body);
  CHECK(w.agents[0].written.size() == 2);
}

TEST_CASE("an agent that waits for an answer is not silent, and is not waited for", "[workers]") {
  EngineWorld w;
  begin_asking(w);
  sent_reports(w);
  w.now += std::chrono::hours(1);
  w.worker.do_work(w.now);
  // What is not acknowledged is sent again; nothing is new.
  for (const domain::Report& report : sent_reports(w)) {
    CHECK(std::holds_alternative<domain::ReportAskRaised>(report));
  }
  w.worker.end_all(w.now + std::chrono::seconds(10));
  w.worker.do_work(w.now);
  CHECK(w.agents[0].is_terminated);
}

TEST_CASE("a turn of the agent's own is interrupted once, and only while it runs", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  auto body = EngineWorld::directive(2, 1);
  body.own_turn_to_end = kOwnTurn;
  w.direct(body);
  CHECK(w.agents[0].written == std::vector<std::string>{turn(1).text()});
  w.says(0, processes::Frame{std::string(kOwnTurnBegins), processes::FrameEnding::whole});
  for (body.number = 3; body.number <= 4; ++body.number) w.direct(body);
  CHECK(w.agents[0].written ==
        std::vector<std::string>{turn(1).text(), "interrupt " + kOwnTurn.text()});
}

TEST_CASE("the agent's own turn and one that waits are interrupted once each", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
  w.says(0, processes::Frame{std::string(kOwnTurnBegins), processes::FrameEnding::whole});
  auto body = EngineWorld::directive(2, 2);
  body.own_turn_to_end = kOwnTurn;
  body.turn->is_interrupted = true;
  const std::vector<std::string> expected = {turn(1).text(), "interrupt " + kOwnTurn.text(),
                                             turn(2).text(), "interrupt " + turn(2).text()};
  for (; body.number <= 4; ++body.number) {
    w.direct(body);
    CHECK(w.agents[0].written == expected);
  }
  w.says(0, processes::Frame{kOwnTurn.text(), processes::FrameEnding::whole});
  w.says(0, processes::Frame{turn(2).text(), processes::FrameEnding::whole});
  w.direct(body);
  CHECK(w.agents[0].written == expected);
}

TEST_CASE("a turn that has its result is not interrupted any more", "[workers]") {
  EngineWorld w;
  auto body = EngineWorld::directive(1, 1);
  w.direct(body);
  w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
  body.number = 2;
  body.turn->is_interrupted = true;
  w.direct(body);
  CHECK(w.agents[0].written == std::vector<std::string>{turn(1).text()});
}

// Returns the types of the reports that are to be sent now, and acknowledges them.
std::vector<std::string> types(EngineWorld& w) {
  std::vector<std::string> types;
  while (const auto body = w.worker.take_reports()) {
    for (const auto& report : body->reports) types.push_back(report.type);
    w.worker.on_ack({body->session, body->token, body->reports.back().sequence});
  }
  return types;
}

using Types = std::vector<std::string>;
const std::string kSilenceType(domain::AgentSilenceReported::kType);

TEST_CASE("an agent that says nothing while it works is reported once", "[workers][R065]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  CHECK(w.worker.deadline() == w.now + std::chrono::seconds(15));
  w.now += std::chrono::seconds(14);
  w.worker.do_work(w.now);
  CHECK(types(w).empty());
  w.now += std::chrono::seconds(1);
  w.worker.do_work(w.now);
  CHECK(types(w) == Types{kSilenceType});
  w.now += std::chrono::minutes(5);
  w.worker.do_work(w.now);
  CHECK(types(w).empty());
}

TEST_CASE("any line ends an agent's silence, even one that is not recorded",
          "[workers][R017][R065]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  const auto be_silent = [&] {
    w.now += std::chrono::seconds(15);
    w.worker.do_work(w.now);
    CHECK(types(w) == Types{kSilenceType});
  };
  be_silent();
  w.says(0, processes::Frame{std::string(kNothing), processes::FrameEnding::whole});
  CHECK(types(w) == Types{kSilenceType});
  w.says(0, processes::Frame{std::string(kNothing), processes::FrameEnding::whole});
  CHECK(types(w).empty());
  be_silent();
  w.says_lines(1);
  CHECK(types(w) == Types{"Output"});
}

TEST_CASE("an agent without a turn, or that is not read, is not silent", "[workers][R065]") {
  AgentRunnerOptions options;
  options.idle_max = Duration{0};
  EngineWorld w(options);
  w.direct(EngineWorld::directive(1, 1));
  w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
  CHECK(types(w).size() == 1);
  w.now += std::chrono::minutes(5);
  w.worker.do_work(w.now);
  CHECK(types(w).empty());
}

TEST_CASE("a newer lease's agent starts when the older one's has ended", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1, 1));
  w.direct(EngineWorld::directive(2, 2, 2));
  w.worker.do_work(w.now);
  REQUIRE(w.agents.size() == 1);
  CHECK(w.agents[0].is_terminated);
  w.says(0, processes::ProcessExited{0, 15, 0, ""});
  w.worker.do_work(w.now);
  REQUIRE(w.agents.size() == 2);
  CHECK(w.agents[1].written == std::vector<std::string>{turn(2).text()});
  CHECK(w.sent().empty());  // the worker has lost the older lease
}

TEST_CASE("reports are kept until they are durable", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.says_lines(4);
  CHECK(w.sent() == Sequences{1, 2, 3, 4});
  CHECK(w.sent().empty());
  w.let_resend();
  CHECK(w.sent() == Sequences{1, 2, 3, 4});
  w.worker.on_ack({kSession, {1}, 1, false, false});
  w.let_resend();
  CHECK(w.sent() == Sequences{2, 3, 4});
  w.worker.on_ack({kSession, {1}, 2, true, false});
  CHECK(w.sent() == Sequences{3, 4});
  CHECK(w.worker.unacked_bytes() > 0);
  w.worker.on_ack({kSession, {1}, 4, false, false});
  w.let_resend();
  CHECK(w.sent().empty());
  CHECK(w.worker.unacked_bytes() == 0);
}

TEST_CASE("a lease's last report is sent again, whatever others are acknowledged", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  DirectiveBody other = EngineWorld::directive(1, 1);
  other.session = support::numbered<base::SessionId>(2);
  w.direct(other);
  w.says_lines(2);
  std::int64_t heard = 0;
  const auto step = [&] {
    w.says(1, processes::Frame{"a line", processes::FrameEnding::whole});
    Sequences again;
    while (const auto body = w.worker.take_reports()) {
      for (const auto& report : body->reports) {
        if (body->session == kSession) again.push_back(report.sequence);
      }
      if (body->session == other.session) heard = body->reports.back().sequence;
    }
    w.worker.on_ack({other.session, other.token, heard});
    return again;
  };
  CHECK(step() == Sequences{1, 2});
  ReportAckBody refused{kSession, {1}, 1};
  Duration wait = AgentRunnerOptions{}.resend_after;
  SECTION("when the server says so") {
    wait = refused.resend_after = std::chrono::milliseconds(200);
    w.worker.on_ack(refused);
    CHECK(w.worker.deadline() == w.now + wait);
  }
  SECTION("when the server says nothing") {
    w.worker.on_ack(refused);
  }
  for (const Duration until = w.now + wait; w.now < until; w.now += std::chrono::milliseconds(50)) {
    CHECK(step().empty());
  }
  w.now += Duration{1};
  CHECK(step() == Sequences{2});
  w.worker.on_ack({kSession, {1}, 2});
  w.let_resend();
  CHECK(step().empty());
}

TEST_CASE("while a report of a lease waits to be sent again, none behind it is sent", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.says_lines(3);
  CHECK(w.sent() == Sequences{1, 2, 3});
  ReportAckBody refused{kSession, {1}, 0, true};
  refused.resend_after = std::chrono::milliseconds(200);
  w.worker.on_ack(refused);
  w.worker.on_ack({kSession, {1}, 0, true});
  w.says_lines(1);
  CHECK(w.sent().empty());
  w.now += refused.resend_after;
  w.worker.do_work(w.now);
  CHECK(w.sent() == Sequences{1, 2, 3, 4});
}

TEST_CASE("the last reports of an agent that has ended are kept, too", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.says(0, processes::ProcessExited{0, 0, 0, ""});
  CHECK(w.sent() == Sequences{1});
  w.worker.do_work(w.now);
  w.let_resend();
  CHECK(w.sent() == Sequences{1});
  CHECK(w.worker.held().size() == 1);
  w.worker.on_ack({kSession, {1}, 1, false, false});
  w.worker.do_work(w.now);
  CHECK(w.worker.held().empty());
}

TEST_CASE("what an agent had to itself goes when its session is over, not before", "[workers]") {
  const auto end = GENERATE(LeaseEnd::none, LeaseEnd::close, LeaseEnd::kill);
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  auto last = EngineWorld::directive(2, 1);
  last.end = end;
  w.direct(last);
  w.says(0, processes::ProcessExited{0, 0, 0, ""});
  CHECK(w.sent() == Sequences{1});
  w.worker.do_work(w.now);
  CHECK(w.cleaned_up.empty());
  w.worker.on_ack({kSession, {1}, 1, false, false});
  w.worker.do_work(w.now);
  CHECK(w.worker.held().empty());
  const std::vector<base::SessionId> all{kSession};
  CHECK(w.cleaned_up == (end == LeaseEnd::none ? std::vector<base::SessionId>() : all));
}

TEST_CASE("reports go out in messages of bounded size", "[workers]") {
  AgentRunnerOptions options;
  options.batch_bytes_max = 1000;
  EngineWorld w(options);
  w.direct(EngineWorld::directive(1, 1));
  for (int i = 0; i < 20; ++i) {
    // A single report can exceed the bound; it then goes alone.
    w.says(0,
           processes::Frame{std::string(i == 10 ? 5000 : 200, 'x'), processes::FrameEnding::whole});
  }
  std::int64_t next = 1;
  while (const auto body = w.worker.take_reports()) {
    std::size_t bytes = 0;
    for (const auto& report : body->reports) {
      CHECK(report.sequence == next++);
      bytes += report.body.encoded.size();
    }
    CHECK((bytes <= 1000 || body->reports.size() == 1));
  }
  CHECK(next == 21);
}

TEST_CASE("an agent whose lease is over is ended and not heard any more", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.worker.on_ack({kSession, {1}, 0, false, true});
  w.worker.do_work(w.now);
  CHECK(w.agents[0].is_terminated);
  w.says_lines(3);
  CHECK(w.sent().empty());
  CHECK(w.worker.held().empty());
  w.says(0, processes::ProcessExited{0, 15, 0, ""});
  CHECK(w.sent().empty());
}

TEST_CASE("an agent that does not end with its stdin is ended after the grace", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  auto closing = EngineWorld::directive(2, 1);
  closing.end = LeaseEnd::close;
  w.direct(closing);
  CHECK(w.agents[0].is_stdin_closed);
  w.now += std::chrono::seconds(29);
  w.worker.do_work(w.now);
  CHECK_FALSE(w.agents[0].is_terminated);
  w.now += std::chrono::seconds(2);
  w.worker.do_work(w.now);
  CHECK(w.agents[0].is_terminated);
}

// Returns the last report that is to be sent, which must be the agent's exit.
domain::ReportAgentExited exit_of(EngineWorld& w) {
  std::optional<SequencedReport> last;
  while (const auto body = w.worker.take_reports()) last = body->reports.back();
  REQUIRE(last);
  const auto report = decode_report(*last);
  REQUIRE(report);
  REQUIRE(std::holds_alternative<domain::ReportAgentExited>(*report));
  return std::get<domain::ReportAgentExited>(*report);
}

TEST_CASE("that others use the agent session is reported first, and told with the next prompt",
          "[workers][C19]") {
  EngineWorld w;
  w.answers_of_others = 2;
  DirectiveBody first = EngineWorld::directive(1, 1);
  first.resume_agent_session = "theirs";
  first.last_message = "last";
  first.turn->prompt = "/compact do it";  // a command of the agent stands alone
  w.direct(first);
  const auto body = w.worker.take_reports();
  REQUIRE(body);
  const auto report = decode_report(body->reports.front());
  REQUIRE(report);
  CHECK(*report == domain::Report(domain::AgentSessionShared{turn(1), "theirs", "last", 2}));
  w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
  w.direct(EngineWorld::directive(2, 2));
  w.says(0, processes::Frame{turn(2).text(), processes::FrameEnding::whole});
  w.direct(EngineWorld::directive(3, 3));
  REQUIRE(w.agents[0].written.size() == 3);
  CHECK(w.agents[0].written[0] == "/compact " + turn(1).text());
  CHECK(w.agents[0].written[1].find("Somebody else") != std::string::npos);
  CHECK(w.agents[0].written[2] == turn(3).text());
}

TEST_CASE("an agent is heard if each of its lines could be read", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  const bool is_whole = GENERATE(true, false);
  const auto ending = is_whole ? processes::FrameEnding::whole : processes::FrameEnding::cut_short;
  w.says(0, processes::Frame{"a line", ending});
  w.says(0, processes::ProcessExited{0, 0, 0, ""});
  CHECK(exit_of(w).is_heard == is_whole);
}

TEST_CASE("a worker that leaves gives turns under way time to end", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.worker.end_all(w.now + std::chrono::seconds(10));
  w.now += std::chrono::seconds(9);
  w.worker.do_work(w.now);
  CHECK_FALSE(w.agents[0].is_terminated);
  const bool is_done = GENERATE(true, false);
  if (is_done) {
    w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
    // The server may start the next turn before it knows; no agent is given it.
    w.direct(EngineWorld::directive(2, 2));
  } else {
    w.now += std::chrono::seconds(1);
  }
  w.worker.do_work(w.now);
  CHECK(w.agents[0].is_terminated);
  CHECK(w.agents[0].written == std::vector<std::string>{turn(1).text()});
  w.says(0, processes::ProcessExited{-1, 15, 0, ""});
  const auto exited = exit_of(w);
  CHECK(exited.is_stopped);
  CHECK(exited.given == turn(1));
  CHECK_FALSE(w.worker.is_idle());
  w.worker.on_ack({kSession, {1}, 3, false, false});
  w.worker.do_work(w.now);
  CHECK(w.worker.is_idle());
}

TEST_CASE("a worker that leaves begins no lease", "[workers]") {
  EngineWorld w;
  w.worker.end_all(w.now);
  w.direct(EngineWorld::directive(1, 1));
  CHECK(w.agents.empty());
  const auto exited = exit_of(w);
  CHECK(exited.is_stopped);
  CHECK_FALSE(exited.given.is_set());
}

TEST_CASE("an agent without work is ended after a while", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.now += std::chrono::minutes(20);
  w.worker.do_work(w.now);
  CHECK_FALSE(w.agents[0].is_stdin_closed);  // it is at work
  w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
  auto idle = EngineWorld::directive(2, 1);
  idle.turn.reset();
  w.direct(idle);
  w.now += std::chrono::minutes(14);
  w.worker.do_work(w.now);
  CHECK_FALSE(w.agents[0].is_stdin_closed);
  w.now += std::chrono::minutes(1);
  w.worker.do_work(w.now);
  CHECK(w.agents[0].is_stdin_closed);
  w.direct(EngineWorld::directive(3, 2));
  CHECK(w.agents[0].written == std::vector<std::string>{turn(1).text()});
  w.says(0, processes::ProcessExited{0, 0, 0, ""});
  const auto exited = exit_of(w);
  CHECK(exited.is_stopped);
  CHECK(exited.given == turn(1));
}

TEST_CASE("a line that is too long ends the turn with an error, and the agent", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.says(0, processes::Frame{"a long line", processes::FrameEnding::too_long});
  CHECK(w.agents[0].is_terminated);
  std::vector<domain::Report> reports;
  while (const auto body = w.worker.take_reports()) {
    for (const SequencedReport& each : body->reports) reports.push_back(*decode_report(each));
  }
  REQUIRE(reports.size() == 2);
  CHECK(std::get<domain::ReportAgentLine>(reports[0]).fault == domain::LineFault::too_long);
  const auto& result = std::get<domain::ReportTurnResult>(reports[1]);
  CHECK(result.turn == turn(1));
  CHECK(result.is_error);
  CHECK(result.subtype == "line_too_long");
}

TEST_CASE("output that has no frames any more ends the turn with an error, and the agent",
          "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.says(0, processes::Frame{"Hello: all", processes::FrameEnding::malformed});
  CHECK(w.agents[0].is_terminated);
  const auto sent = w.worker.take_reports();
  REQUIRE(sent);
  REQUIRE(sent->reports.size() == 2);
  CHECK(std::get<domain::ReportAgentLine>(*decode_report(sent->reports[0])).line == "Hello: all");
  const auto result = std::get<domain::ReportTurnResult>(*decode_report(sent->reports[1]));
  CHECK(result.turn == turn(1));
  CHECK(result.subtype == "frame_malformed");
}

TEST_CASE("a line that is too long between turns ends the agent alone", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
  w.sent();
  w.says(0, processes::Frame{"a long line", processes::FrameEnding::too_long});
  CHECK(w.agents[0].is_terminated);
  CHECK(w.sent() == Sequences{2});  // the line
}

// An agent with a task whose turn is answered; the server lets it end.
void begin_closing_with_task(EngineWorld& w) {
  w.direct(EngineWorld::directive(1, 1));
  w.says(0, processes::Frame{std::string(kTaskBegins), processes::FrameEnding::whole});
  w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
  auto closing = EngineWorld::directive(2, 1);
  closing.turn.reset();
  closing.end = LeaseEnd::close;
  w.direct(closing);
}

TEST_CASE("an agent that may end is left its tasks", "[workers]") {
  EngineWorld w;
  begin_closing_with_task(w);
  w.now += std::chrono::minutes(29);
  w.worker.do_work(w.now);
  CHECK_FALSE(w.agents[0].is_stdin_closed);
  w.says(0, processes::Frame{std::string(kTaskEnds), processes::FrameEnding::whole});
  w.worker.do_work(w.now);
  CHECK(w.agents[0].is_stdin_closed);
  CHECK_FALSE(w.agents[0].is_terminated);
}

TEST_CASE("an agent whose tasks take too long is ended without them", "[workers]") {
  EngineWorld w;
  begin_closing_with_task(w);
  const auto due = w.worker.deadline();
  REQUIRE(due);
  CHECK(*due == w.now + std::chrono::minutes(30));
  w.now = *due;
  w.worker.do_work(w.now);
  CHECK(w.agents[0].is_terminated);
  std::vector<domain::Report> reports;
  while (const auto body = w.worker.take_reports()) {
    for (const SequencedReport& each : body->reports) reports.push_back(*decode_report(each));
  }
  CHECK(reports.back() == domain::Report(domain::ReportTasksChanged{0, "", true}));
  w.worker.do_work(w.now);
  CHECK(w.sent().empty());  // it is told once
}

TEST_CASE("what an agent does because of an ended task has no limit", "[workers]") {
  AgentRunnerOptions options;
  options.silence_max = Duration{0};
  EngineWorld w(options);
  begin_closing_with_task(w);
  w.now += std::chrono::minutes(29);
  w.says(0, processes::Frame{std::string(kOwnTurnBegins), processes::FrameEnding::whole});
  auto at_work = EngineWorld::directive(3, 1);
  at_work.turn.reset();
  w.direct(at_work);
  CHECK_FALSE(w.worker.deadline());
  w.now += std::chrono::minutes(5);
  w.worker.do_work(w.now);
  CHECK_FALSE(w.agents[0].is_terminated);
  // Another task is left its own time.
  w.says(0, processes::Frame{kOwnTurn.text(), processes::FrameEnding::whole});
  auto closing = EngineWorld::directive(4, 1);
  closing.turn.reset();
  closing.end = LeaseEnd::close;
  w.direct(closing);
  CHECK(w.worker.deadline() == w.now + std::chrono::minutes(30));
}

TEST_CASE("an agent whose tasks have no limit is left them", "[workers]") {
  AgentRunnerOptions options;
  options.task_wait = base::Duration{0};
  EngineWorld w(options);
  begin_closing_with_task(w);
  w.now += std::chrono::hours(1000);
  w.worker.do_work(w.now);
  CHECK_FALSE(w.agents[0].is_stdin_closed);
  CHECK_FALSE(w.worker.deadline());
}

TEST_CASE("an agent with tasks in the background is not without work", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.says(0, processes::Frame{std::string(kTaskBegins), processes::FrameEnding::whole});
  w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
  w.now += std::chrono::hours(5);
  w.worker.do_work(w.now);
  CHECK_FALSE(w.agents[0].is_stdin_closed);
  w.worker.end_all(w.now + std::chrono::seconds(10));
  w.worker.do_work(w.now);
  CHECK_FALSE(w.agents[0].is_terminated);
  w.now += std::chrono::seconds(10);
  w.worker.do_work(w.now);
  CHECK(w.agents[0].is_terminated);
}

TEST_CASE("a turn that the agent does not read any more counts as not given", "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.says(0, processes::Frame{turn(1).text(), processes::FrameEnding::whole});
  w.agents[0].is_deaf = true;
  w.direct(EngineWorld::directive(2, 2));
  w.agents[0].is_deaf = false;
  w.direct(EngineWorld::directive(3, 2));
  CHECK(w.agents[0].written == std::vector<std::string>{turn(1).text()});
  w.says(0, processes::ProcessExited{0, 0, 0, ""});
  const auto exited = exit_of(w);
  CHECK_FALSE(exited.is_stopped);
  CHECK(exited.given == turn(1));
}

// The server may start the turn again, and an agent passes over a prompt that it knows.
TEST_CASE("an agent ends whose turn the provider refused, and the next one is given it",
          "[workers]") {
  EngineWorld w;
  w.direct(EngineWorld::directive(1, 1));
  w.says(0, processes::Frame{std::string(kLimitIsMet), processes::FrameEnding::whole});
  w.worker.do_work(w.now);
  CHECK(w.agents[0].is_stdin_closed);
  w.direct(EngineWorld::directive(2, 1));
  CHECK(w.agents[0].written == std::vector<std::string>{turn(1).text()});
  w.says(0, processes::ProcessExited{1, 0, 0, ""});
  const auto exited = exit_of(w);
  CHECK_FALSE(exited.is_stopped);
  CHECK_FALSE(exited.given.is_set());
}

TEST_CASE("agents are not read while too many reports wait", "[workers]") {
  AgentRunnerOptions options;
  options.unacked_bytes_max = 500;
  EngineWorld w(options);
  w.direct(EngineWorld::directive(1, 1));
  w.says_lines(1);
  CHECK(w.agents[0].is_reading);
  w.says_lines(9);
  w.worker.do_work(w.now);
  CHECK_FALSE(w.agents[0].is_reading);
  CHECK(w.sent().size() == 10);  // none was dropped
  w.worker.on_ack({kSession, {1}, 10, false, false});
  w.worker.do_work(w.now);
  CHECK(w.agents[0].is_reading);
}

// Directs an agent for each of this many sessions; each of them outputs `lines` lines.
void direct_many(EngineWorld& w, int sessions, int lines) {
  for (int i = 0; i < sessions; ++i) {
    auto body = EngineWorld::directive(i + 1, 1);
    body.session = support::numbered<base::SessionId>(i + 1);
    w.direct(body);
  }
  for (int i = 0; i < sessions; ++i) {
    for (int line = 0; line < lines; ++line) {
      w.says(static_cast<std::size_t>(i),
             processes::Frame{"a line", processes::FrameEnding::whole});
    }
  }
}

TEST_CASE("an agent that fills its share is not read, and the others are", "[workers]") {
  AgentRunnerOptions options;
  options.unacked_bytes_max = 3000;
  EngineWorld w(options);
  direct_many(w, 3, 1);
  for (int i = 0; i < 20; ++i) w.says(1, processes::Frame{"a line", processes::FrameEnding::whole});
  CHECK(w.agents[0].is_reading);
  CHECK_FALSE(w.agents[1].is_reading);
  CHECK(w.agents[2].is_reading);
  CHECK(w.sent().size() == 23);
  w.worker.on_ack({support::numbered<base::SessionId>(2), {1}, 21, false, false});
  w.worker.do_work(w.now);
  CHECK(w.agents[1].is_reading);
}

TEST_CASE("agents that report much take turns", "[workers]") {
  AgentRunnerOptions options;
  options.batch_bytes_max = 1;
  EngineWorld w(options);
  direct_many(w, 3, 4);
  std::vector<base::SessionId> sessions;
  while (const auto body = w.worker.take_reports()) {
    CHECK(body->reports.size() == 1);
    sessions.push_back(body->session);
  }
  REQUIRE(sessions.size() == 12);
  for (std::size_t i = 3; i < sessions.size(); ++i) CHECK(sessions[i] == sessions[i - 3]);
  CHECK(std::set<base::SessionId>(sessions.begin(), sessions.end()).size() == 3);
}

TEST_CASE("so many reports of a lease are under way, and no more", "[workers]") {
  AgentRunnerOptions options;
  const bool is_counted = GENERATE(true, false);
  (is_counted ? options.batch_bytes_max : options.in_flight_bytes_max) = 200;
  if (is_counted) options.in_flight_max = 3;
  if (!is_counted) options.batch_bytes_max = 1;
  EngineWorld w(options);
  w.direct(EngineWorld::directive(1, 1));
  w.says_lines(8);
  const Sequences first = w.sent();
  REQUIRE(first == Sequences{1, 2, 3});
  CHECK(w.sent().empty());
  w.let_resend();
  CHECK(w.sent() == first);
  w.worker.on_ack({kSession, {1}, 2, false, false});
  CHECK(w.sent() == Sequences{4, 5});
  w.worker.on_ack({kSession, {1}, 3, true, false});
  auto taken = w.worker.take_reports();
  REQUIRE(taken);
  w.worker.put_back(*taken);
  CHECK(w.sent() == Sequences{4, 5, 6});
  w.worker.on_ack({kSession, {1}, 8, false, false});
  CHECK(w.worker.unacked_bytes() == 0);
}

// A socket to a server that says what the test wants and never receives anything.
class SilentServerSocket final : public bus::ClientSocket {
 public:
  bus::ZmqSocket* poll_handle() const override { return nullptr; }
  bool send(base::Bytes) override { return true; }
  std::optional<base::Bytes> receive() override {
    if (arrived.empty()) return std::nullopt;
    base::Bytes first = std::move(arrived.front());
    arrived.pop_front();
    return first;
  }
  void reconnect() override { ++reconnections; }

  std::deque<base::Bytes> arrived;
  int reconnections = 0;
};

TEST_CASE("a worker that hears nothing makes its connection anew", "[workers]") {
  EngineWorld w;
  SilentServerSocket socket;
  WorkerLink link(w.worker, {w.clock, socket}, support::kWorker, 1, {});
  socket.arrived.push_back(bus::encode_frame(bus::Welcome{}));
  for (int i = 0; i < 25; ++i, w.now += std::chrono::milliseconds(100)) link.do_work();
  CHECK(socket.reconnections == 0);
  for (int i = 0; i < 100; ++i, w.now += std::chrono::milliseconds(100)) link.do_work();
  CHECK(socket.reconnections >= 2);
  CHECK(socket.reconnections <= 4);
}

TEST_CASE("agents are ended when no server was heard for long", "[workers]") {
  EngineWorld w;
  SilentServerSocket socket;
  WorkerLink link(w.worker, {w.clock, socket}, support::kWorker, 1, {});
  const auto hear = [&](const bus::Frame& frame) {
    socket.arrived.push_back(bus::encode_frame(frame));
    link.do_work();
  };
  hear(bus::Welcome{});
  hear(bus::Notice{std::string(kVerbDirective), bus::to_body(EngineWorld::directive(1, 1))});
  REQUIRE(w.agents.size() == 1);
  const auto work_for = [&](std::chrono::minutes time) {
    for (const Duration end = w.now + time; w.now < end;) {
      w.now += std::chrono::seconds(1);
      link.do_work();
    }
  };
  work_for(std::chrono::minutes(29));
  CHECK_FALSE(w.agents[0].is_terminated);
  hear(bus::Notice{std::string(kVerbHeartbeat), {}});  // any frame of the server counts
  work_for(std::chrono::minutes(29));
  CHECK_FALSE(w.agents[0].is_terminated);
  // The time in which the machine slept does not count.
  w.now += std::chrono::hours(8);
  link.do_work();
  CHECK_FALSE(w.agents[0].is_terminated);
  work_for(std::chrono::minutes(2));
  CHECK(w.agents[0].is_terminated);
}

}  // namespace
}  // namespace workers
