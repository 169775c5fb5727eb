// A request of an agent has one answer and one end.
#include "eventlog/domain/rules/rules.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/session/texts_needed.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::turn;

ReportAskRaised asks(std::int64_t request, AskKind kind = AskKind::approval) {
  return {request, kind, turn(1), "Bash", "call", "{\"input\":{\"command\":\"make\"}}"};
}

Fact raised(std::int64_t ask, AskKind kind = AskKind::approval) {
  return fact(AskRaised{ask, ask, kind, turn(1), "Bash", "call"})
      .with("{\"input\":{\"command\":\"make\"}}");
}

std::vector<Fact> asking(AskKind kind = AskKind::approval) {
  return support::running() + raised(1, kind).by_report(1, 3);
}

std::vector<Fact> answered(AskVerdict verdict, std::string text = {}) {
  return asking() + fact(AskAnswered{1, verdict, AskBasis::person}).with(std::move(text));
}

std::string rejection_of(const support::When& decided, RejectionCode code) {
  REQUIRE_FALSE(decided.outcome());
  CHECK(decided.outcome().error().code == code);
  return decided.outcome().error().text;
}

bool has(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

TEST_CASE("what an agent asks is on the record, and its session needs a person",
          "[session][R178]") {
  const auto world = given(support::running()).when(support::report(3, asks(1))).then(raised(1));
  CHECK(attention_of(world.session()) == Attention::asks);
  CHECK(world.session().asks_raised == 1);
}

TEST_CASE("an answer is recorded once, and the agent is to be told", "[session][R180][N01]") {
  const auto world =
      given(asking())
          .when(AnswerAsk{1, AskVerdict::denied, "use make test"})
          .then(fact(AskAnswered{1, AskVerdict::denied, AskBasis::person}).with("use make test"));
  CHECK(attention_of(world.session()) == Attention::none);
  const auto texts = texts_needed(world.session());
  REQUIRE(!texts.empty());
  CHECK(texts.back() == NeededText{TextRole::answer, world.session().asks->front().answer});
  const auto late = world.when(AnswerAsk{1, AskVerdict::granted, {}});
  CHECK(rejection_of(late, RejectionCode::ask_over).find("was denied at") != std::string::npos);
}

TEST_CASE("the agent that was told ends what it asked", "[session]") {
  const auto over = given(answered(AskVerdict::granted))
                        .when(support::report(4, ReportAskClosed{1}))
                        .then(AskClosed{1, AskEnd::told});
  CHECK(over.session().asks->empty());
  const auto late = over.when(AnswerAsk{1, AskVerdict::denied, {}});
  CHECK(rejection_of(late, RejectionCode::ask_over).find("the agent has been told") !=
        std::string::npos);
  CHECK(texts_needed(over.session()).back().role != TextRole::answer);
}

TEST_CASE("an answer to what is withdrawn says so", "[session]") {
  const auto over = given(asking())
                        .when(support::report(4, ReportAskClosed{1, true}))
                        .then(AskClosed{1, AskEnd::withdrawn});
  CHECK(attention_of(over.session()) == Attention::none);
  const auto late = over.when(AnswerAsk{1, AskVerdict::granted, {}});
  CHECK(rejection_of(late, RejectionCode::ask_over)
            .find("is over without an answer: the agent did not wait") != std::string::npos);
}

TEST_CASE("what was never asked cannot be answered", "[session]") {
  given(asking())
      .when(AnswerAsk{2, AskVerdict::granted, {}})
      .then_rejected(RejectionCode::not_found);
  given(asking())
      .when(AnswerAsk{-1, AskVerdict::granted, {}})
      .then_rejected(RejectionCode::not_found);
  given(asking()).when(AnswerAsk{1, AskVerdict::none, {}}).then_rejected(RejectionCode::invalid);
  given(asking())
      .when(AnswerAsk{1, AskVerdict::granted, std::string(kAnswerBytesMax + 1, 'x')})
      .then_rejected(RejectionCode::limit_reached);
}

TEST_CASE("an answer without a number hears what became of the last request", "[session]") {
  const AnswerAsk none{0, AskVerdict::granted, {}};
  CHECK(has(rejection_of(given(asking()).when(none), RejectionCode::ask_over),
            " asks for #1 now; steno approvals lists"));
  CHECK(has(rejection_of(given(support::running()).when(none), RejectionCode::ask_over),
            " asks for nothing now; steno approvals lists"));
  const auto gone = given(asking() + AskClosed{1, AskEnd::agent_gone} +
                          TurnInterrupted{turn(1), EndReason::agent_exited, {}});
  const std::string text = rejection_of(gone.when(none), RejectionCode::ask_over);
  CHECK(has(text,
            " asks for nothing now. Request 1, its last one, is over without an answer: the "
            "agent's process ended; steno send "));
  CHECK(has(text, " 'go on' has it go on"));
  const auto told = given(answered(AskVerdict::denied) + AskClosed{1, AskEnd::told});
  CHECK(has(rejection_of(told.when(none), RejectionCode::ask_over),
            "Request 1, its last one, was denied at "));
}

TEST_CASE("a late answer hears the word and the time that people use", "[session]") {
  const auto late = given(answered(AskVerdict::granted)).when(AnswerAsk{1, AskVerdict::denied, {}});
  const std::string text = rejection_of(late, RejectionCode::ask_over);
  CHECK(has(text, "was approved at "));
  CHECK_FALSE(has(text, "."));
}

TEST_CASE("a question is answered in words, or denied", "[session]") {
  given(asking(AskKind::question))
      .when(AnswerAsk{1, AskVerdict::granted, {}})
      .then_rejected(RejectionCode::invalid);
  given(asking(AskKind::question))
      .when(AnswerAsk{1, AskVerdict::denied, {}})
      .then(AskAnswered{1, AskVerdict::denied, AskBasis::person});
}

// Compares nothing: each pattern is about each call.
class AnyCall final : public CallMatcher {
 public:
  std::vector<CallPart> parts_of(const AskedCall& call) const override {
    return {{std::string(call.tool), std::string(call.text), true}};
  }
  bool matches(const std::string&, const CallPart&, const AskedCall&, bool) const override {
    return true;
  }
  std::string fault_of(const std::string&, bool) const override { return {}; }
};
const AnyCall kAnyCall;

TEST_CASE("a rule can deny a plan, and allows none", "[session][N05]") {
  const auto answers = [](AskKind kind, RuleVerdict verdict) {
    support::Given world =
        given(support::running(),
              fact(RuleAdded{1, {}, {}, "any", verdict}).on(std::string(kRulesStream)));
    world.context.calls = &kAnyCall;
    const auto decided = world.when(support::report(3, asks(1, kind)));
    REQUIRE(decided.outcome());
    return decided.outcome()->size() - 1;
  };
  CHECK(answers(AskKind::approval, RuleVerdict::allow) == 1);
  CHECK(answers(AskKind::plan, RuleVerdict::allow) == 0);
  CHECK(answers(AskKind::plan, RuleVerdict::ask) == 0);
  CHECK(answers(AskKind::plan, RuleVerdict::deny) == 1);
}

TEST_CASE("a call that an interrupt rejects lacks no permission", "[session]") {
  ReportToolCallFinished finished;
  finished.turn = turn(1);
  finished.call = "call";
  finished.is_error = finished.is_denied = true;
  finished.tool = "Bash";
  const auto tool_of = [&](const std::vector<Fact>& past) {
    const auto decided = given(past).when(support::report(4, finished));
    REQUIRE(decided.outcome());
    return decided.outcome()->front().event.get<ToolCallFinished>().tool;
  };
  CHECK(tool_of(asking()) == "Bash");
  const std::vector<Fact> interrupted = asking() + InterruptRequested{turn(1), EndReason::user};
  CHECK(tool_of(interrupted).empty());
  const auto told =
      given(interrupted).when(support::report(4, ToolCallDenied{turn(1), "c", "Bash"}));
  REQUIRE(told.outcome());
  CHECK(told.outcome()->front().event.is<ReportIgnored>());
}

ReportAgentExited exited() {
  ReportAgentExited exited;
  exited.exit_code = 1;
  return exited;
}

// Returns the end of the only request.
AskEnd end_of(const support::When& decided) {
  REQUIRE(decided.outcome());
  std::vector<AskEnd> ends;
  for (const Emitted& emitted : *decided.outcome()) {
    if (const auto* closed = emitted.event.as<AskClosed>()) ends.push_back(closed->end);
  }
  REQUIRE(ends.size() == 1);
  return ends.front();
}

TEST_CASE("what an agent asks ends with its process", "[session]") {
  const auto lost = ExpireLease{support::kToken, turn(1)};
  CHECK(end_of(given(asking()).when(lost)) == AskEnd::agent_gone);
  CHECK(end_of(given(asking()).when(support::report(4, exited()))) == AskEnd::agent_gone);
}

TEST_CASE("an answer that the agent can have heard is not kept", "[session]") {
  const auto world = given(answered(AskVerdict::granted));
  ExpireLease lost{support::kToken, turn(1)};
  lost.answered = world.session().asks->front().answer;
  CHECK(end_of(world.when(lost)) == AskEnd::agent_gone);
  CHECK(world.when(lost).after().session().unheard->empty());
  // Its worker was not given this one.
  lost.answered.value -= 1;
  CHECK(end_of(world.when(lost)) == AskEnd::unheard);
}

// Its agent process has ended, and not heard the answer. The next one asks something.
std::vector<Fact> asking_again(const std::vector<Fact>& before, const char* tool = "Bash") {
  return before + AskClosed{1, AskEnd::unheard} +
         TurnInterrupted{turn(1), EndReason::worker_lost, {}} + LeaseExpired{support::kToken} +
         TurnQueued{turn(2)} + LeaseGranted{support::kWorker, base::FencingToken{2}, {}} +
         TurnStarted{turn(2), base::FencingToken{2}} +
         fact(AskRaised{2, 1, AskKind::approval, turn(2), tool, "other"})
             .with("{\"input\":{\"command\":\"make\"}}")
             .by_report(2, 1);
}

TEST_CASE("an answer that no process heard is given to the next that asks the same",
          "[session][N01]") {
  const auto ended =
      given(answered(AskVerdict::denied, "use make test")).when(support::report(4, exited()));
  CHECK(end_of(ended) == AskEnd::unheard);
  const auto late = ended.after().when(AnswerAsk{1, AskVerdict::granted, {}});
  CHECK(rejection_of(late, RejectionCode::ask_over).find("the next one is") != std::string::npos);

  const auto next = given(asking_again(answered(AskVerdict::denied, "use make test")));
  AskAnswered same{2, AskVerdict::denied, AskBasis::earlier};
  same.earlier = 1;
  const auto given_again =
      next.when(AnswerAsEarlier{2, 1, "use make test"}).then(fact(same).with("use make test"));
  CHECK(given_again.session().unheard->empty());
  rejection_of(given_again.when(AnswerAsEarlier{2, 1, "use make test"}), RejectionCode::ask_over);
  // A text is not left out.
  rejection_of(next.when(AnswerAsEarlier{2, 1, {}}), RejectionCode::ask_over);
  // A person comes first.
  const auto by_person = next.when(AnswerAsk{2, AskVerdict::granted, {}})
                             .then(AskAnswered{2, AskVerdict::granted, AskBasis::person});
  rejection_of(by_person.when(AnswerAsEarlier{2, 1, "use make test"}), RejectionCode::ask_over);
}

TEST_CASE("an unheard answer is of its tool, and until a turn succeeds", "[session]") {
  const auto other = given(asking_again(answered(AskVerdict::granted), "Write"));
  rejection_of(other.when(AnswerAsEarlier{2, 1, {}}), RejectionCode::ask_over);
  const auto done = given(asking_again(answered(AskVerdict::granted)) + AskClosed{2, AskEnd::told} +
                          fact(TurnFinished{turn(2), {}}).by_report(2, 2));
  CHECK(done.session().unheard->empty());
}

TEST_CASE("nobody answers in time: the setting does", "[session][R184]") {
  const auto with_timeout = [](UnansweredAsk unanswered, AskKind kind) {
    std::vector<Fact> past = asking(kind);
    auto& spec = past.front().event.get<SessionOpened>().spec.edit();
    spec.approval_timeout = base::Duration{1};
    spec.unanswered = unanswered;
    return past;
  };
  const auto verdict_of = [](const support::When& decided) {
    REQUIRE(decided.outcome());
    REQUIRE(decided.outcome()->size() == 1);
    const auto& answer = decided.outcome()->front().event.get<AskAnswered>();
    CHECK(answer.basis == AskBasis::time_out);
    return answer.verdict;
  };
  const auto due = [](const std::vector<Fact>& past) {
    support::Given world = given(past);
    world.context.now = world.session().asks->front().since + base::Duration{1};
    return world.when(PassDeadline{DeadlineKind::ask});
  };
  CHECK(verdict_of(due(with_timeout(UnansweredAsk::deny, AskKind::approval))) ==
        AskVerdict::denied);
  CHECK(verdict_of(due(with_timeout(UnansweredAsk::approve, AskKind::approval))) ==
        AskVerdict::granted);
  // Nobody can answer a question for a person.
  CHECK(verdict_of(due(with_timeout(UnansweredAsk::approve, AskKind::question))) ==
        AskVerdict::denied);
  CHECK(next_deadline(lease_state(given(asking()).session())) == std::nullopt);
}

TEST_CASE("the time in which an agent waits for an answer is not its turn's", "[session][N02]") {
  std::vector<Fact> past = support::running();
  past.front().event.get<SessionOpened>().spec.edit().run_timeout = base::Duration{50};
  SessionState s = given(past).session();
  s.turn->started_at = Time{100};
  Envelope envelope;
  envelope.position = Position{99};
  const auto pass = [&](Time now, const Event& event) {
    envelope.log_time = now;
    envelope.position = envelope.position.next();
    evolve(s, envelope, event);
  };
  pass({110}, AskRaised{1, 1, AskKind::approval, turn(1), "Bash", "call"});
  pass({115}, AskRaised{2, 2, AskKind::approval, turn(1), "Bash", "call"});
  CHECK(next_deadline(lease_state(s)) == std::nullopt);
  pass({120}, AskAnswered{1, AskVerdict::granted, AskBasis::person});
  CHECK(next_deadline(lease_state(s)) == std::nullopt);
  pass({150}, AskAnswered{2, AskVerdict::granted, AskBasis::person});
  CHECK(next_deadline(lease_state(s)) == Deadline{DeadlineKind::run, Time{190}});
}

TEST_CASE("so many wait at once, and a further one is denied", "[session]") {
  std::vector<Fact> past = support::running();
  for (std::int64_t i = 1; i <= static_cast<std::int64_t>(kOpenAsksMax); ++i) {
    past.push_back(raised(i).by_report(1, 2 + i));
  }
  const auto more = static_cast<std::int64_t>(kOpenAsksMax) + 1;
  const support::When decided = given(past).when(support::report(2 + more, asks(more)));
  REQUIRE(decided.outcome());
  REQUIRE(decided.outcome()->size() == 2);
  CHECK(decided.outcome()->back().event.get<AskAnswered>() ==
        AskAnswered{more, AskVerdict::denied, AskBasis::full});
}

TEST_CASE("an answer whose text is lost denies", "[session]") {
  const auto world = given(answered(AskVerdict::granted, "{\"command\":\"true\"}"));
  const base::Position at = world.session().asks->front().answer;
  const auto after =
      world.when(GiveUpContent{at}).then(AskAnswered{1, AskVerdict::denied, AskBasis::text_lost});
  CHECK(after.session().asks->front().verdict == AskVerdict::denied);
  CHECK_FALSE(after.session().asks->front().has_text);
}

TEST_CASE("text that waits for an answer cannot be erased", "[session]") {
  const StreamVersion version = given(asking()).session().asks->front().version;
  given(asking())
      .when(EraseContent{{{version, version}}})
      .then_rejected(RejectionCode::content_in_use);
}

TEST_CASE("each thing that an agent asks is a need of its own", "[session]") {
  const auto dismissed = given(asking() + AttentionDismissed{}).session();
  CHECK(dismissed.is_dismissed);
  const auto again = given(asking() + AttentionDismissed{} + raised(2).by_report(1, 4)).session();
  CHECK_FALSE(again.is_dismissed);
}

ReportAskRaised step(std::int64_t request, HookPoint point = HookPoint::pre_tool_use) {
  return {request, AskKind::step, turn(1), "Bash", "call", "{}", point};
}

std::vector<Fact> stepping(HookPoint point = HookPoint::pre_tool_use) {
  return support::running() + fact(AskRaised{1, 1, AskKind::step, turn(1), "Bash", "call", point})
                                  .with("{}")
                                  .by_report(1, 3);
}

TEST_CASE("a step waits for hooks and needs no person", "[session]") {
  const auto world = given(support::running())
                         .when(support::report(3, step(1)))
                         .then(fact(AskRaised{1, 1, AskKind::step, turn(1), "Bash", "call",
                                              HookPoint::pre_tool_use})
                                   .with("{}"));
  CHECK(attention_of(world.session()) == Attention::none);
  CHECK(is_waiting(world.session().asks));
  const auto person = world.when(AnswerAsk{1, AskVerdict::granted, {}});
  CHECK(has(rejection_of(person, RejectionCode::ask_over), "is a step of its work"));
}

TEST_CASE("an answer to a step that is over hears that it was none for people", "[session]") {
  const auto over = given(stepping() + AskAnswered{1, AskVerdict::granted, AskBasis::hook} +
                          AskClosed{1, AskEnd::told} + raised(2).by_report(1, 4));
  const std::string text =
      rejection_of(over.when(AnswerAsk{1, AskVerdict::granted, {}}), RejectionCode::ask_over);
  CHECK(has(text, "was a step of its work, which rules and hooks look at, and is not for people"));
  CHECK(has(text, "it asks for #2 now"));
  CHECK_FALSE(has(text, "by a hook"));
}

TEST_CASE("what hooks answer is recorded with what each of them said, once", "[session]") {
  const ConcludeHooks conclusion{1,
                                 AskVerdict::denied,
                                 "no",
                                 {{"first", HookOutcome::passed, base::Duration{5}, {}},
                                  {"second", HookOutcome::blocked, base::Duration{6}, {}}}};
  const auto world =
      given(stepping())
          .when(conclusion)
          .then(HookRan{1, "first", HookOutcome::passed, base::Duration{5}, {}},
                HookRan{1, "second", HookOutcome::blocked, base::Duration{6}, {}},
                fact(AskAnswered{1, AskVerdict::denied, AskBasis::hook, 0, HookPoint::pre_tool_use})
                    .with("no"));
  CHECK_FALSE(is_waiting(world.session().asks));
  rejection_of(world.when(conclusion), RejectionCode::ask_over);
}

TEST_CASE("hooks that leave a request to people say only that they ran", "[session]") {
  const auto world =
      given(asking())
          .when(ConcludeHooks{1, AskVerdict::none, {}, {{"one", HookOutcome::passed, {}, {}}}})
          .then(HookRan{1, "one", HookOutcome::passed, {}, {}});
  CHECK(attention_of(world.session()) == Attention::asks);
  // They are asked once.
  rejection_of(world.when(ConcludeHooks{1, AskVerdict::granted, {}, {}}), RejectionCode::ask_over);
  world.when(AnswerAsk{1, AskVerdict::granted, {}})
      .then(AskAnswered{1, AskVerdict::granted, AskBasis::person});
}

TEST_CASE("the words of a hook that failed can be erased", "[session]") {
  const domain::HookRun run{"one", HookOutcome::failed, {}, "it ended with code 1", "boom"};
  given(stepping())
      .when(ConcludeHooks{1, AskVerdict::none, {}, {run}})
      .then(fact(HookRan{1, "one", HookOutcome::failed, {}, "it ended with code 1"}).with("boom"),
            AskAnswered{1, AskVerdict::granted, AskBasis::hook, 0, HookPoint::pre_tool_use});
}

TEST_CASE("a prompt that hooks block ends its turn, and not the session", "[session]") {
  ReportTurnResult blocked;
  blocked.turn = turn(1);
  blocked.is_error = true;
  blocked.subtype = kBlockedByHook;
  blocked.text = "no secrets";
  blocked.basis = CostBasis::reported;
  const auto world = given(support::running()).when(support::report(3, blocked));
  REQUIRE(world.outcome());
  CHECK(world.outcome()->front().event.is<TurnFailed>());
  for (const Emitted& emitted : *world.outcome()) {
    CHECK_FALSE(emitted.event.is<SessionClosed>());
    CHECK_FALSE(emitted.event.is<QueuePaused>());
  }
}

TEST_CASE("a step of nobody goes on", "[session]") {
  given(stepping())
      .when(ConcludeHooks{1, AskVerdict::none, {}, {}})
      .then(AskAnswered{1, AskVerdict::granted, AskBasis::hook, 0, HookPoint::pre_tool_use});
}

TEST_CASE("a prompt that hooks still hold was given to no agent", "[session]") {
  const auto lost = [](const std::vector<Fact>& facts) {
    ExpireLease expire;
    expire.token = base::FencingToken{1};
    expire.told = turn(1);
    const auto decided = given(facts).when(expire);
    REQUIRE(decided.outcome());
    return decided.outcome()->front().event;
  };
  CHECK(lost(stepping(HookPoint::user_prompt_submit)).is<TurnReturned>());
  CHECK(lost(stepping(HookPoint::session_start)).is<TurnReturned>());
  CHECK_FALSE(lost(stepping(HookPoint::pre_tool_use)).is<TurnReturned>());
}

}  // namespace
}  // namespace domain
