// A step is asked about once a life, and its answer is recorded once; what is over is forgotten.
#include "workers/reactors/hooks.hpp"

#include "tests/support/driven_loop.hpp"
#include "tests/support/under_way.hpp"

namespace workers {
namespace {

using domain::AskVerdict;
using domain::HookPoint;
using support::DrivenLoop;
using support::LastingStores;

// Works on the caller's thread.
class InlineSideWork final : public SideWork {
 public:
  std::unique_ptr<Lane> make_lane(const char*) override { return make_inline_lane(); }
  std::unique_ptr<ContentLoader> make_content_loader(const SideStores&) override { return nullptr; }
  std::unique_ptr<UpkeepPort> make_upkeep_port(UpkeepJobs) override { return nullptr; }
  std::unique_ptr<Notifier> make_notifier(const SideStores&) override { return nullptr; }
};

Hook at(HookPoint point) {
  Hook hook;
  hook.name = "gate";
  hook.points = {point};
  hook.builtin = BuiltinHook::deny;
  return hook;
}

class HooksLife {
 public:
  explicit HooksLife(LastingStores& disk, std::vector<Hook> hooks, std::uint64_t seed = 5)
      : loop(disk.store, *disk.rows, {}, seed), table_(std::move(hooks)), index_(*disk.rows) {
    HookOptions options;
    options.table = &table_;
    options.ask = [this](const HookStep& step) {
      asked.push_back(step);
      return answer;
    };
    InlineSideWork side_work;
    reactor.emplace(loop.worker, random_, streams_.of<domain::SessionStream>(),
                    std::make_unique<InlineContentLoader>(disk.store, index_), side_work,
                    std::move(options));
  }

  void settle() {
    for (int i = 0; i < 8; ++i) {
      loop.settle();
      loop.answer_reactors();
      for (; told_ < loop.events.size(); ++told_) {
        streams_.fold(loop.events[told_]);
        reactor->on_durable(loop.events[told_]);
      }
      reactor->do_work({{1}, {1}, base::Duration{1}, loop.sequencer.durable(), true, flight_});
    }
  }
  void take_over(const domain::SessionState& state) {
    streams_.restore(support::under_way(state));
    reactor->restore(support::under_way(state));
    settle();
  }
  template <class C>
  void send(C command) {
    REQUIRE(loop.ask(DrivenLoop::message(1, ++commands_, support::as_command(std::move(command)))));
  }
  // Opens session 1, whose agent has begun its first turn.
  void open() {
    REQUIRE(loop.ask(DrivenLoop::message(1, ++commands_, DrivenLoop::spawn(true))));
    send(domain::GrantLease{support::kWorker});
    send(domain::LeaseReport{{1}, 1, domain::ReportAgentStarted{77, 88}});
  }
  void raise(domain::AskKind kind, HookPoint point) {
    send(domain::LeaseReport{
        {1}, 2, domain::ReportAskRaised{1, kind, {}, "Bash", "call", "{\"input\":{}}", point}});
  }
  std::vector<domain::AskAnswered> answers() const {
    std::vector<domain::AskAnswered> found;
    for (const auto& event : loop.events) {
      if (const auto* one = event.event.as<domain::AskAnswered>()) found.push_back(*one);
    }
    return found;
  }

  DrivenLoop loop;
  StepOutcome answer{AskVerdict::granted, {}, {}};
  std::vector<HookStep> asked;
  std::optional<Hooks> reactor;

 private:
  const HookTable table_;
  eventlog::StreamIndex index_;
  base::SeededRandom random_{9};
  StreamsUnderWay streams_;
  FlightRecorder flight_;
  std::size_t told_ = 0;
  int commands_ = 0;
};

TEST_CASE("hooks are told of a step with its text, and their answer is recorded", "[workers]") {
  LastingStores disk;
  HooksLife life(disk, {at(HookPoint::pre_tool_use)});
  life.answer = {AskVerdict::denied, "no", {{"gate", domain::HookOutcome::blocked, {}, {}}}};
  life.open();
  life.raise(domain::AskKind::step, HookPoint::pre_tool_use);
  life.settle();
  REQUIRE(life.asked.size() == 1);
  const HookStep& step = life.asked.front();
  CHECK(step.text == "{\"input\":{}}");
  CHECK(step.tool == "Bash");
  CHECK(step.workdir == support::sample_spec(true).workdir);
  CHECK(step.point == HookPoint::pre_tool_use);
  REQUIRE(life.answers().size() == 1);
  CHECK(life.answers().front() == domain::AskAnswered{1, AskVerdict::denied, domain::AskBasis::hook,
                                                      0, HookPoint::pre_tool_use});
}

TEST_CASE("a step goes on where there is no hook", "[workers]") {
  LastingStores disk;
  HooksLife life(disk, {});
  life.open();
  life.raise(domain::AskKind::step, HookPoint::pre_tool_use);
  life.settle();
  CHECK(life.asked.empty());
  REQUIRE(life.answers().size() == 1);
  CHECK(life.answers().front().verdict == AskVerdict::granted);
}

TEST_CASE("a request is left to people unless a hook decides", "[workers]") {
  LastingStores disk;
  HooksLife life(disk, {at(HookPoint::permission_request)});
  life.answer = {AskVerdict::none, {}, {}};
  life.open();
  life.raise(domain::AskKind::approval, HookPoint::none);
  life.settle();
  CHECK(life.asked.size() == 1);
  CHECK(life.asked.front().point == HookPoint::permission_request);
  CHECK(life.answers().empty());
}

TEST_CASE("a request that is over is not answered any more", "[workers]") {
  LastingStores disk;
  HooksLife life(disk, {at(HookPoint::pre_tool_use)});
  life.open();
  life.raise(domain::AskKind::step, HookPoint::pre_tool_use);
  life.send(domain::LeaseReport{{1}, 3, domain::ReportAskClosed{1, true}});
  life.settle();
  CHECK(life.answers().empty());
}

TEST_CASE("the next server asks about a step that has no answer", "[workers]") {
  LastingStores disk;
  domain::SessionState state;
  {
    HooksLife life(disk, {at(HookPoint::pre_tool_use)});
    life.open();
    life.raise(domain::AskKind::step, HookPoint::pre_tool_use);
    // The reactor is not told.
    for (const auto& event : life.loop.events) {
      if (domain::parse_stream(event.envelope.stream)->is<domain::SessionStream>()) {
        domain::evolve(state, event.envelope, event.event);
      }
    }
  }
  HooksLife next(disk, {at(HookPoint::pre_tool_use)}, 6);
  next.take_over(state);
  REQUIRE(next.asked.size() == 1);
  REQUIRE(next.answers().size() == 1);
  CHECK(next.answers().front().verdict == AskVerdict::granted);
}

}  // namespace
}  // namespace workers
