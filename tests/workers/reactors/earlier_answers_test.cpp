// An answer that no agent process heard is given to the next one that asks for the same, once.
#include "workers/reactors/earlier_answers.hpp"

#include "tests/support/driven_loop.hpp"
#include "tests/support/under_way.hpp"

namespace workers {
namespace {

using domain::AskVerdict;
using support::DrivenLoop;
using support::LastingStores;

class Life {
 public:
  explicit Life(LastingStores& disk, std::uint64_t seed = 5)
      : loop(disk.store, *disk.rows, {}, seed),
        index_(*disk.rows),
        reactor(loop.worker, random_, streams_.of<domain::SessionStream>(),
                std::make_unique<InlineContentLoader>(disk.store, index_)) {}

  // `is_told`: the reactor is told of what has happened since.
  void settle(bool is_told = true) {
    for (int i = 0; i < 8; ++i) {
      loop.settle();
      loop.answer_reactors();
      for (; told_ < loop.events.size(); ++told_) {
        streams_.fold(loop.events[told_]);
        if (is_told) reactor.on_durable(loop.events[told_]);
      }
      if (!is_told) continue;
      reactor.do_work({{1}, {1}, base::Duration{1}, loop.sequencer.durable(), true, flight_});
    }
  }
  void take_over(const domain::SessionState& state) {
    streams_.restore(support::under_way(state));
    reactor.restore(support::under_way(state));
    settle();
  }
  template <class C>
  void send(C command) {
    REQUIRE(loop.ask(DrivenLoop::message(1, ++commands_, support::as_command(std::move(command)))));
  }
  void report(domain::Report report) {
    send(domain::LeaseReport{{lease_}, ++reports_, std::move(report)});
  }
  // Opens session 1, whose agent has begun its first turn.
  void open() {
    REQUIRE(loop.ask(DrivenLoop::message(1, ++commands_, DrivenLoop::spawn(true))));
    begin();
  }
  void begin() {
    ++lease_;
    reports_ = 0;
    send(domain::GrantLease{support::kWorker});
    report(domain::ReportAgentStarted{77, 88});
  }
  void raise(std::string input) {
    report(domain::ReportAskRaised{reports_,
                                   domain::AskKind::approval,
                                   {},
                                   "Bash",
                                   "call",
                                   "{\"input\":" + std::move(input) + "}"});
  }
  // The agent ends without having heard, and the next one is given a prompt.
  void lose_agent() {
    domain::ReportAgentExited exited;
    exited.exit_code = 1;
    exited.has_run = true;
    report(std::move(exited));
    domain::SendPrompt more;
    more.prompt = "go on";
    send(std::move(more));
    send(domain::ContinueSession{});
    begin();
  }
  std::vector<domain::AskAnswered> answers() const {
    std::vector<domain::AskAnswered> found;
    for (const auto& event : loop.events) {
      const auto* one = event.event.as<domain::AskAnswered>();
      if (one != nullptr && one->basis == domain::AskBasis::earlier) found.push_back(*one);
    }
    return found;
  }
  domain::SessionState state() const {
    domain::SessionState state;
    for (const auto& event : loop.events) {
      if (!domain::parse_stream(event.envelope.stream)->is<domain::SessionStream>()) continue;
      domain::evolve(state, event.envelope, event.event);
    }
    return state;
  }

  DrivenLoop loop;

 private:
  eventlog::StreamIndex index_;
  base::SeededRandom random_{9};
  StreamsUnderWay streams_;
  FlightRecorder flight_;
  std::size_t told_ = 0;
  int commands_ = 0;
  std::int64_t lease_ = 0;
  std::int64_t reports_ = 0;

 public:
  EarlierAnswers reactor;
};

TEST_CASE("an answer that no process heard is given to the next that asks the same", "[workers]") {
  LastingStores disk;
  Life life(disk);
  life.open();
  life.raise("{\"command\":\"make\",\"timeout\":5}");
  life.send(domain::AnswerAsk{1, AskVerdict::denied, "use make test"});
  life.lose_agent();
  life.raise("{\"command\":\"make clean\"}");
  life.settle();
  CHECK(life.answers().empty());
  // The order of the keys says nothing.
  life.raise("{\"timeout\":5,\"command\":\"make\"}");
  life.settle();
  REQUIRE(life.answers().size() == 1);
  domain::AskAnswered same{3, AskVerdict::denied, domain::AskBasis::earlier};
  same.earlier = 1;
  CHECK(life.answers().front() == same);
  CHECK(life.state().asks->back().has_text);
  life.raise("{\"command\":\"make\",\"timeout\":5}");
  life.settle();
  CHECK(life.answers().size() == 1);
}

TEST_CASE("two that ask the same have one earlier answer each", "[workers]") {
  LastingStores disk;
  Life life(disk);
  life.open();
  life.raise("{}");
  life.raise("{}");
  life.send(domain::AnswerAsk{1, AskVerdict::granted, {}});
  life.send(domain::AnswerAsk{2, AskVerdict::denied, "no"});
  life.lose_agent();
  life.raise("{}");
  life.raise("{}");
  life.settle();
  REQUIRE(life.answers().size() == 2);
  CHECK(life.answers().front().earlier == 1);
  CHECK(life.answers().back().earlier == 2);
  CHECK(life.state().unheard->empty());
}

TEST_CASE("the next server gives the answer that this one has not", "[workers]") {
  LastingStores disk;
  domain::SessionState state;
  {
    Life life(disk);
    life.open();
    life.raise("{}");
    life.send(domain::AnswerAsk{1, AskVerdict::granted, {}});
    life.lose_agent();
    life.raise("{}");
    life.settle(false);
    REQUIRE(life.answers().empty());
    state = life.state();
  }
  Life next(disk, 6);
  next.take_over(state);
  REQUIRE(next.answers().size() == 1);
  CHECK(next.answers().front().verdict == AskVerdict::granted);
}

}  // namespace
}  // namespace workers
