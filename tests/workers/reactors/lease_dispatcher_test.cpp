// The dispatcher of leases: a lease ends only when its holder is surely gone, directives arrive in
// order and are repeated until obeyed, and lost texts never become empty prompts.
#include "workers/reactors/lease_dispatcher.hpp"

#include "tests/support/driven_loop.hpp"
#include "tests/support/told_lease_locks.hpp"
#include "tests/support/under_way.hpp"

namespace workers {
namespace {

using base::Duration;
using std::chrono::seconds;
using support::as_command;
using support::DrivenLoop;
using support::kSession;
using support::kWorker;
using support::LastingStores;

const bus::PeerId kPeer = "the worker's connection";

class WorkersSocket final : public bus::ServerSocket {
 public:
  bus::ZmqSocket* poll_handle() const override { return nullptr; }
  std::optional<bus::Incoming> receive() override { return std::nullopt; }
  bool send(const bus::PeerId&, base::Bytes frame) override {
    if (is_full) return false;
    sent.push_back(std::get<bus::Notice>(*bus::decode_frame(frame)));
    return true;
  }

  // Returns everything sent under the verb since the last call for it.
  template <class Body>
  std::vector<Body> take(std::string_view verb) {
    std::vector<Body> bodies;
    for (const bus::Notice& notice : sent) {
      if (notice.verb == verb) bodies.push_back(*bus::from_body<Body>(notice.body));
    }
    std::erase_if(sent, [&](const bus::Notice& notice) { return notice.verb == verb; });
    return bodies;
  }

  std::vector<bus::Notice> sent;
  bool is_full = false;
};

// Reads contents from the log, unless the test makes it fail.
class Contents final : public ContentLoader {
 public:
  Contents(eventlog::BlockStore& log, eventlog::StreamIndex& index)
      : log_(log), index_(index), loader_(log, index) {}
  void request(Position position) override { loader_.request(position); }
  std::optional<ContentOutcome> poll() override {
    auto outcome = loader_.poll();
    if (outcome && is_broken) {
      outcome->event = base::failure(base::ErrorCode::io, "the disk is gone");
    }
    if (outcome && outcome->event && lost.contains(outcome->event->envelope.type)) {
      outcome->event->content.reset();  // as after a salvage
    }
    return outcome;
  }

  void request_spoken(SpokenWanted wanted) override { loader_.request_spoken(std::move(wanted)); }
  std::optional<SpokenOutcome> poll_spoken() override {
    REQUIRE(index_.catch_up(log_, log_.tail()));
    auto outcome = loader_.poll_spoken();
    if (outcome && is_index_behind) {
      outcome->text = base::failure(base::ErrorCode::busy, "the stream index is behind");
    }
    return outcome;
  }

  bool is_broken = false;
  bool is_index_behind = false;
  std::set<std::string> lost;  // event types whose texts the log has lost

 private:
  eventlog::BlockStore& log_;
  eventlog::StreamIndex& index_;
  InlineContentLoader loader_;
};

struct DispatcherLife {
  explicit DispatcherLife(LastingStores& disk, CommandLoopOptions options = {})
      : loop(disk.store, *disk.rows, std::move(options)),
        index(*disk.rows),
        dispatcher(loop.worker, socket, locks, own_contents(disk), random,
                   streams.of<domain::SessionStream>(), {}) {}

  std::unique_ptr<ContentLoader> own_contents(LastingStores& disk) {
    auto made = std::make_unique<Contents>(disk.store, index);
    contents = made.get();
    return made;
  }
  void restore(const domain::SessionState& state) {
    streams.restore(support::under_way(state));
    dispatcher.restore(support::under_way(state));
  }
  void settle() {
    // A text that is requested in one round arrives in the next.
    for (int quiet = 0; quiet < 3; ++quiet) {
      loop.settle();
      bool has_worked = dispatcher.do_work(cycle());
      for (; told < loop.events.size(); ++told) {
        has_worked = true;
        streams.fold(loop.events[told]);
        dispatcher.on_durable(loop.events[told]);
      }
      has_worked |= loop.answer_reactors();
      if (has_worked) quiet = -1;
    }
  }
  Cycle cycle() { return {now, now, Duration{now.us}, loop.sequencer.durable(), true, flight}; }
  void advance(Duration by) {
    now = now + by;
    settle();
  }
  template <class Body>
  void hear(std::string_view verb, const Body& body) {
    dispatcher.on_worker(kPeer, bus::Notice{std::string(verb), bus::to_body(body)}, now);
    settle();
  }
  void register_worker() { hear(kVerbRegister, RegisterBody{kWorker, 77, {}}); }
  // Starts a session whose turn runs under a lease of the worker; returns the directive for it.
  DirectiveBody lease(bool is_multi_turn = true) {
    register_worker();
    REQUIRE(loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn(is_multi_turn))));
    settle();
    const auto directives = socket.take<DirectiveBody>(kVerbDirective);
    REQUIRE(directives.size() == 1);
    CHECK(directives[0].turn->prompt == "work on it");
    CHECK(directives[0].spec == support::sample_spec(is_multi_turn));
    return directives[0];
  }
  std::int64_t count(std::string_view type) const {
    return std::count_if(loop.events.begin(), loop.events.end(),
                         [&](const auto& event) { return event.envelope.type == type; });
  }

  base::Time now{1'000'000'000};
  base::SeededRandom random{3};
  FlightRecorder flight;
  WorkersSocket socket;
  support::ToldLeaseLocks locks;
  DrivenLoop loop;
  eventlog::StreamIndex index;
  StreamsUnderWay streams;
  Contents* contents = nullptr;  // the dispatcher's
  LeaseDispatcher dispatcher;
  std::size_t told = 0;
};

TEST_CASE("a lease is expired only when nobody holds its session", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  life.lease();
  life.locks.is_worker_held = false;
  for (int i = 0; i < 20; ++i) life.advance(seconds(1));
  CHECK(life.count("LeaseExpired") == 0);
  life.locks.is_held = false;
  life.advance(seconds(1));
  CHECK(life.count("LeaseExpired") == 1);
}

TEST_CASE("under each lease an agent is started as its session was opened", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const DirectiveBody first = life.lease();
  life.locks.is_worker_held = life.locks.is_held = false;
  life.advance(seconds(1));
  REQUIRE(life.count("LeaseExpired") == 1);
  life.locks.is_worker_held = true;
  life.register_worker();
  REQUIRE(life.loop.ask(
      DrivenLoop::message(1, 2, support::as_command(domain::SendPrompt{"go on", false}))));
  life.settle();
  const auto again = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(!again.empty());
  CHECK(again.back().token > first.token);
  CHECK(again.back().spec == first.spec);
  CHECK(again.back().system_prompt == first.system_prompt);
  CHECK(again.back().turn->prompt == "go on");
}

TEST_CASE("an agent that lost its transcript begins anew, and is told what was said",
          "[workers][C19]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const DirectiveBody first = life.lease();
  std::int64_t sequence = 0;
  const auto report = [&](base::FencingToken token, domain::Report r) {
    ReportsBody body{first.session, first.agent, token, {}};
    body.reports.push_back(encode_report(++sequence, std::move(r)));
    life.hear(kVerbReports, body);
  };
  const base::TurnId turn = first.turn->turn;
  report(first.token, domain::ReportInitialized{"own", "m", "1"});
  report(first.token, domain::ReportOutput{turn, domain::OutputKind::text, "I did.", "", "m-1"});
  domain::ReportTurnResult result;
  result.turn = turn;
  report(first.token, result);
  report(first.token, domain::ReportAgentExited{0, 0, "", true, true, turn});
  REQUIRE(life.count("LeaseReleased") == 1);
  REQUIRE(life.loop.ask(
      DrivenLoop::message(1, 2, support::as_command(domain::SendPrompt{"go on", false}))));
  life.settle();
  const auto resuming = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(!resuming.empty());
  CHECK(resuming.back().resume_agent_session == "own");
  CHECK(resuming.back().turn->prompt == "go on");

  life.contents->is_index_behind = true;
  sequence = 0;
  const base::FencingToken second = resuming.back().token;
  const base::TurnId next = resuming.back().turn->turn;
  report(second, domain::ReportAgentSessionLost{"No conversation found"});
  report(second, domain::ReportAgentExited{1, 0, "", false, false, next});
  CHECK(life.count("TurnReturned") == 1);
  CHECK(life.socket.take<DirectiveBody>(kVerbDirective).empty());  // it is not yet known
  life.contents->is_index_behind = false;
  life.advance(seconds(1));
  const auto anew = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(!anew.empty());
  CHECK(anew.back().token > second);
  CHECK(anew.back().resume_agent_session.empty());
  CHECK(anew.back().turn->turn == next);
  CHECK(anew.back().turn->prompt.find("User: work on it\nYou: I did.\n") != std::string::npos);
  CHECK(anew.back().turn->prompt.ends_with("</conversation>\n\ngo on"));
}

TEST_CASE("a prompt that an answer has overtaken is given to the next agent", "[workers][R057]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const DirectiveBody first = life.lease(false);
  std::int64_t sequence = 0;
  const auto report = [&](domain::Report r) {
    ReportsBody body{first.session, first.agent, first.token, {}};
    body.reports.push_back(encode_report(++sequence, std::move(r)));
    life.hear(kVerbReports, body);
  };
  const base::TurnId turn = first.turn->turn;
  report(domain::ReportInitialized{"own", "m", "1"});
  for (int i = 2; i <= 3; ++i) {
    REQUIRE(life.loop.ask(DrivenLoop::message(
        1, i, support::as_command(domain::SendPrompt{"more " + std::to_string(i), false}))));
  }
  life.settle();
  const auto added = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(!added.empty());
  CHECK(added.back().turn->turn == turn);
  CHECK(added.back().turn->prompt == first.turn->prompt);
  CHECK(added.back().turn->injected == std::vector<std::string>{"more 2", "more 3"});

  domain::ReportTurnResult result;
  result.turn = turn;
  report(result);
  CHECK(life.count("TurnContinued") == 1);
  report(domain::ReportAgentExited{0, 0, "", false, true, turn});
  life.settle();
  const auto rest = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(!rest.empty());
  CHECK(rest.back().token > first.token);
  CHECK(rest.back().resume_agent_session == "own");
  CHECK(rest.back().turn->turn == turn);
  CHECK(rest.back().turn->prompt == "more 2");
  CHECK(rest.back().turn->injected == std::vector<std::string>{"more 3"});
}

TEST_CASE("an agent is given files from the record, with the prompt that has them", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const DirectiveBody first = life.lease(false);
  CHECK(first.turn->files.empty());
  domain::SendPrompt send{"more", false};
  send.files = {{"shot.txt", "\x89PNG\r\n\x1a\n"}, {"notes", "text"}};
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 2, support::as_command(send))));
  life.settle();
  const std::vector<DirectedFile> files = {{1, "shot.txt", "image/png", "\x89PNG\r\n\x1a\n"},
                                           {1, "notes", "text/plain", "text"}};
  const auto added = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(!added.empty());
  CHECK(added.back().turn->injected == std::vector<std::string>{"more"});
  CHECK(added.back().turn->files == files);
}

TEST_CASE("an answer to an agent brings it no files that it has", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  life.register_worker();
  domain::Spawn spawn = *domain::command_if<domain::Spawn>(DrivenLoop::spawn(false));
  spawn.files = {{"notes", "text"}};
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 1, support::as_command(spawn))));
  life.settle();
  const auto given = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(given.size() == 1);
  CHECK(given[0].turn->files.size() == 1);
  const auto asked = [&](domain::HookPoint point) {
    static std::int64_t number = 0;
    ++number;
    ReportsBody body{given[0].session, given[0].agent, given[0].token, {}};
    const auto kind =
        point == domain::HookPoint::none ? domain::AskKind::approval : domain::AskKind::step;
    body.reports.push_back(encode_report(
        number,
        domain::ReportAskRaised{number, kind, given[0].turn->turn, "Bash", "call", "{}", point}));
    life.hear(kVerbReports, body);
  };
  // The host asks this one, before the prompt.
  asked(domain::HookPoint::user_prompt_submit);
  REQUIRE(life.loop.ask(
      DrivenLoop::message(1, 2, support::as_command(domain::SendPrompt{"more", false}))));
  life.settle();
  const auto added = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(!added.empty());
  CHECK(added.back().turn->files.size() == 1);
  asked(domain::HookPoint::none);
  REQUIRE(life.loop.ask(DrivenLoop::message(
      1, 3, support::as_command(domain::AnswerAsk{2, domain::AskVerdict::granted, {}}))));
  life.settle();
  const auto answered = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(!answered.empty());
  CHECK(answered.back().answers.size() == 1);
  CHECK(answered.back().turn->prompt == given[0].turn->prompt);
  CHECK(answered.back().turn->files.empty());
}

TEST_CASE("a turn whose file is lost is not given to an agent", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const DirectiveBody first = life.lease(false);
  life.contents->lost = {"FileAttached"};
  domain::SendPrompt send{"more", false};
  send.files = {{"notes", "text"}};
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 2, support::as_command(send))));
  life.settle();
  CHECK(life.count("TurnFailed") == 1);
  for (const DirectiveBody& directive : life.socket.take<DirectiveBody>(kVerbDirective)) {
    CHECK((!directive.turn || directive.turn->injected.empty()));
  }
}

TEST_CASE("a holder that comes back while its lease is taken is not directed", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const DirectiveBody before = life.lease();
  life.locks.is_worker_held = life.locks.is_held = false;
  life.now = life.now + seconds(1);
  life.dispatcher.do_work(life.cycle());  // requests the expiry of the lease
  life.locks.is_worker_held = true;
  const RegisterBody back{kWorker, 77, {}};
  life.dispatcher.on_worker(kPeer, bus::Notice{std::string(kVerbRegister), bus::to_body(back)},
                            life.now);
  for (int i = 0; i < 3; ++i) life.dispatcher.do_work(life.cycle());
  CHECK(life.socket.take<DirectiveBody>(kVerbDirective).empty());
  life.settle();
  CHECK(life.count("LeaseExpired") == 1);
  for (const DirectiveBody& after : life.socket.take<DirectiveBody>(kVerbDirective)) {
    CHECK(after.token > before.token);
  }
}

TEST_CASE("a worker whose queue is full keeps its leases until it must have noticed", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const DirectiveBody before = life.lease();
  life.locks.is_held = false;  // directive in flight, agent not started
  life.socket.is_full = true;
  life.hear(kVerbHeartbeat, HeartbeatBody{});
  life.advance(seconds(2));
  life.hear(kVerbHeartbeat, HeartbeatBody{});  // it has not obeyed and must be directed again
  life.advance(std::chrono::milliseconds(200));
  life.socket.is_full = false;
  const base::WorkerId other = support::numbered<base::WorkerId>(7);
  life.dispatcher.on_worker(
      "other", bus::Notice{std::string(kVerbRegister), bus::to_body(RegisterBody{other, 78, {}})},
      life.now);
  for (int i = 0; i < 5; ++i) life.advance(seconds(1));
  CHECK(life.count("LeaseExpired") == 0);
  const auto again = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(again.size() == 1);  // as soon as there was room
  CHECK(again[0].token == before.token);

  // After a long silence of the first worker, the other one can have the session.
  const bus::Notice beat{std::string(kVerbHeartbeat), bus::to_body(HeartbeatBody{})};
  for (int i = 0; i < 12; ++i) {
    life.dispatcher.on_worker("other", beat, life.now);
    life.advance(seconds(1));
  }
  CHECK(life.count("LeaseExpired") == 1);
}

TEST_CASE("a worker that leaves is granted no lease", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  life.register_worker();
  life.hear(kVerbHeartbeat, HeartbeatBody{{}, true});
  const auto answers = life.socket.take<HeartbeatBody>(kVerbHeartbeat);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].is_leaving);
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  life.settle();
  CHECK(life.count("LeaseGranted") == 0);
  life.register_worker();  // another life of it
  CHECK(life.count("LeaseGranted") == 1);
}

TEST_CASE("what did not fit a worker's queue is told when there is room", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  life.lease();
  life.socket.is_full = true;
  const RegisterBody body{kWorker, 77, {{support::numbered<base::SessionId>(9), "main", {1}, 0}}};
  life.hear(kVerbRegister, body);
  life.advance(seconds(1));
  life.socket.is_full = false;
  life.advance(seconds(1));
  const auto acks = life.socket.take<ReportAckBody>(kVerbReportAck);
  REQUIRE(acks.size() == 2);
  CHECK(std::any_of(acks.begin(), acks.end(), [](const auto& ack) { return ack.lost; }));
  CHECK(std::any_of(acks.begin(), acks.end(), [](const auto& ack) { return ack.resend; }));
  CHECK(life.socket.take<DirectiveBody>(kVerbDirective).size() == 1);
}

TEST_CASE("a worker that is silent keeps its leases while there is no other", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  life.lease();
  life.locks.is_held = GENERATE(true, false);  // while stopped, its agents can end
  for (int i = 0; i < 60; ++i) life.advance(seconds(1));
  StatusAnswer status;
  life.dispatcher.describe(status);
  CHECK(status.workers == 0);
  CHECK(life.count("LeaseExpired") == 0);
}

TEST_CASE("a directive that a worker has not obeyed is sent again", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const auto directive = life.lease();
  const HeartbeatBody idle;
  const HeartbeatBody obedient{{{kSession, "main", directive.token, directive.number}}};
  life.advance(seconds(2));
  life.hear(kVerbHeartbeat, obedient);
  CHECK(life.socket.take<DirectiveBody>(kVerbDirective).empty());
  life.hear(kVerbHeartbeat, idle);
  const auto again = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(again.size() == 1);
  CHECK(again[0].number > directive.number);
  CHECK(again[0].turn == directive.turn);
  // The repeated directive can still be in flight.
  life.hear(kVerbHeartbeat, obedient);
  CHECK(life.socket.take<DirectiveBody>(kVerbDirective).empty());
}

TEST_CASE("the directives of a new server are newer than those of the one before", "[workers]") {
  LastingStores disk;
  std::int64_t last = 0;
  {
    DispatcherLife life(disk);
    life.dispatcher.begin({}, 1);
    last = life.lease().number;
    REQUIRE(life.loop.ask(DrivenLoop::message(1, 2, as_command(domain::CloseSession{}))));
    life.settle();
    for (const auto& each : life.socket.take<DirectiveBody>(kVerbDirective)) {
      CHECK(each.number > last);
      last = each.number;
    }
  }
  DispatcherLife life(disk);  // with a clock that begins anew
  life.dispatcher.begin({}, 2);
  const std::string stream = domain::session_stream("main", kSession);
  auto streams = support::fold_all(disk.store);
  life.restore(std::get<domain::SessionState>(streams.at(stream).state));
  life.register_worker();
  const auto directives = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(directives.size() == 1);
  CHECK(directives[0].number > last);
}

TEST_CASE("a session that rested when the server began gets a lease with its next prompt",
          "[workers]") {
  LastingStores disk;
  {
    DispatcherLife life(disk);
    const DirectiveBody first = life.lease();
    domain::ReportTurnResult result;
    result.turn = first.turn->turn;
    std::int64_t sequence = 0;
    ReportsBody body{first.session, first.agent, first.token, {}};
    body.reports.push_back(encode_report(++sequence, domain::ReportInitialized{"own", "m", "1"}));
    body.reports.push_back(encode_report(++sequence, result));
    body.reports.push_back(encode_report(
        ++sequence, domain::ReportAgentExited{0, 0, "", true, true, first.turn->turn}));
    life.hear(kVerbReports, body);
    REQUIRE(life.count("LeaseReleased") == 1);
  }
  DispatcherLife life(disk);
  life.dispatcher.begin({}, 2);
  auto streams = support::fold_all(disk.store);
  const std::string stream = domain::session_stream("main", kSession);
  life.restore(std::get<domain::SessionState>(streams.at(stream).state));
  life.register_worker();
  CHECK(life.count("LeaseGranted") == 0);
  REQUIRE(life.loop.ask(
      DrivenLoop::message(1, 2, support::as_command(domain::SendPrompt{"go on", false}))));
  life.settle();
  CHECK(life.count("LeaseGranted") == 1);
  const auto directives = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(directives.size() == 1);
  CHECK(directives[0].turn->prompt == "go on");
}

// Ends the agent of the directive, with its turn.
void end_agent(DispatcherLife& life, const DirectiveBody& directive) {
  domain::ReportTurnResult result;
  result.turn = directive.turn->turn;
  ReportsBody body{directive.session, directive.agent, directive.token, {}};
  body.reports.push_back(encode_report(1, domain::ReportInitialized{"own", "m", "1"}));
  body.reports.push_back(encode_report(2, result));
  body.reports.push_back(
      encode_report(3, domain::ReportAgentExited{0, 0, "", true, true, directive.turn->turn}));
  life.hear(kVerbReports, body);
}

TEST_CASE("a prompt that waits for a place is started when one is free, also by a new server",
          "[workers][R026]") {
  CommandLoopOptions options;
  options.limits.max_sessions = 1;
  LastingStores disk;
  DirectiveBody other;
  {
    DispatcherLife life(disk, options);
    end_agent(life, life.lease());
    REQUIRE(life.loop.ask(DrivenLoop::message(2, 2, DrivenLoop::spawn(true))));
    life.settle();
    other = life.socket.take<DirectiveBody>(kVerbDirective).at(0);
    CHECK_FALSE(life.loop.ask(DrivenLoop::message(3, 3, DrivenLoop::spawn(true))));
    REQUIRE(life.loop.ask(
        DrivenLoop::message(1, 4, support::as_command(domain::SendPrompt{"go on", false}))));
    life.advance(seconds(1));
    CHECK(life.count("PlaceAwaited") == 1);
    CHECK(life.count("LeaseGranted") == 2);
  }
  DispatcherLife life(disk, options);
  life.dispatcher.begin({}, 2);
  for (const auto& [name, stream] : support::fold_all(disk.store)) {
    const auto* session = std::get_if<domain::SessionState>(&stream.state);
    if (session != nullptr) life.restore(*session);
  }
  life.register_worker();
  CHECK(life.count("LeaseGranted") == 0);
  end_agent(life, other);
  const auto directives = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE_FALSE(directives.empty());
  CHECK(directives.back().session == kSession);
  CHECK(directives.back().turn->prompt == "go on");
}

TEST_CASE("a new server waits for a holder that may still come", "[workers]") {
  const auto expired_after = [](bool is_only) {
    LastingStores disk;
    DispatcherLife(disk).lease();
    DispatcherLife life(disk);
    auto streams = support::fold_all(disk.store);
    const std::string stream = domain::session_stream("main", kSession);
    life.restore(std::get<domain::SessionState>(streams.at(stream).state));
    life.locks.is_held = false;  // directive in flight, agent not started
    life.locks.is_only = is_only;
    life.settle();
    const base::WorkerId other = support::numbered<base::WorkerId>(7);
    life.dispatcher.on_worker(
        "other", bus::Notice{std::string(kVerbRegister), bus::to_body(RegisterBody{other, 78, {}})},
        life.now);
    int waited = 0;
    const bus::Notice beat{std::string(kVerbHeartbeat), bus::to_body(HeartbeatBody{})};
    for (; life.count("LeaseExpired") == 0 && waited < 60; ++waited) {
      life.dispatcher.on_worker("other", beat, life.now);
      life.advance(seconds(1));
    }
    return waited;
  };
  CHECK(expired_after(true) == 1);    // at once: the holder is surely gone
  CHECK(expired_after(false) == 11);  // it may live, and has noticed by then that nobody answers
}

TEST_CASE("a report after a missing one is asked for again, not acknowledged", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const auto directive = life.lease();
  const auto send = [&](std::int64_t sequence) {
    const auto report = encode_report(sequence, domain::ReportAgentStarted{77, 1});
    life.hear(kVerbReports, ReportsBody{kSession, "main", directive.token, {report}});
    return life.socket.take<ReportAckBody>(kVerbReportAck);
  };
  CHECK(send(2) == std::vector<ReportAckBody>{{kSession, directive.token, 0, true, false}});
  CHECK(life.count("AgentStarted") == 0);
  CHECK(send(1) == std::vector<ReportAckBody>{{kSession, directive.token, 1, false, false}});
  CHECK(send(1) == std::vector<ReportAckBody>{{kSession, directive.token, 1, false, false}});
  CHECK(send(2) == std::vector<ReportAckBody>{{kSession, directive.token, 2, false, false}});
  CHECK(life.count("AgentStarted") == 2);
}

TEST_CASE("a report that finds no room is refused with the time to send it again", "[workers]") {
  LastingStores disk;
  CommandLoopOptions options;
  options.inbox_max = 1;
  DispatcherLife life(disk, options);
  const auto directive = life.lease();
  ReportsBody body{kSession, "main", directive.token, {}};
  for (std::int64_t sequence = 1; sequence <= 2; ++sequence) {
    body.reports.push_back(encode_report(sequence, domain::ReportAgentStarted{77, 1}));
  }
  life.socket.take<ReportAckBody>(kVerbReportAck);
  life.hear(kVerbReports, body);
  const auto acks = life.socket.take<ReportAckBody>(kVerbReportAck);
  REQUIRE_FALSE(acks.empty());
  std::int64_t through = 0;
  Duration resend_after{0};
  for (const ReportAckBody& ack : acks) {
    through = std::max(through, ack.through);
    resend_after = std::max(resend_after, ack.resend_after);
    CHECK_FALSE(ack.lost);
  }
  CHECK(through == 1);
  CHECK(resend_after > Duration{0});
  body.reports.erase(body.reports.begin());
  life.hear(kVerbReports, body);
  CHECK(life.socket.take<ReportAckBody>(kVerbReportAck) ==
        std::vector<ReportAckBody>{{kSession, directive.token, 2}});
}

TEST_CASE("a prompt that cannot be read is read again, not given empty", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  life.contents->is_broken = true;
  life.register_worker();
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  for (int i = 0; i < 5; ++i) life.advance(seconds(1));
  CHECK(life.count("TurnStarted") == 1);
  CHECK(life.socket.take<DirectiveBody>(kVerbDirective).empty());
  life.contents->is_broken = false;
  for (int i = 0; i < 5; ++i) life.advance(seconds(1));
  const auto directives = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(directives.size() == 1);
  CHECK(directives[0].turn->prompt == "work on it");
}

TEST_CASE("a prompt whose text is lost is never given, and its turn ends", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  life.contents->lost = {"TurnQueued"};
  life.register_worker();
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 1, DrivenLoop::spawn())));
  REQUIRE(life.loop.ask(
      DrivenLoop::message(1, 2, support::as_command(domain::SendPrompt{"go on", false}))));
  for (int i = 0; i < 5; ++i) life.advance(seconds(1));
  CHECK(life.count("TurnFailed") == 2);
  CHECK(life.count("SessionClosed") == 0);
  for (const DirectiveBody& directive : life.socket.take<DirectiveBody>(kVerbDirective)) {
    CHECK_FALSE(directive.turn);
  }
  // A prompt that can be read is given again.
  life.contents->lost.clear();
  REQUIRE(life.loop.ask(
      DrivenLoop::message(1, 3, support::as_command(domain::SendPrompt{"once more", false}))));
  for (int i = 0; i < 5; ++i) life.advance(seconds(1));
  const auto directives = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(directives.size() == 1);
  CHECK(directives[0].turn->prompt == "once more");
}

TEST_CASE("an agent whose system prompt is lost is not started without it", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  life.contents->lost = {"SessionOpened"};
  life.register_worker();
  domain::Spawn spawn;
  spawn.spec = support::sample_spec(true);
  spawn.system_prompt = "Never delete anything.";
  spawn.prompt = "work on it";
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 1, as_command(spawn))));
  for (int i = 0; i < 5; ++i) life.advance(seconds(1));
  CHECK(life.count("TurnFailed") == 1);
  CHECK(life.count("SessionClosed") == 1);
  for (const DirectiveBody& directive : life.socket.take<DirectiveBody>(kVerbDirective)) {
    CHECK(directive.end == LeaseEnd::kill);
  }
}

TEST_CASE("an agent is told to end also while its session's texts cannot be read", "[workers]") {
  LastingStores disk;
  std::optional<DirectiveBody> before;
  {
    DispatcherLife life(disk);
    before = life.lease();
    REQUIRE(life.loop.ask(DrivenLoop::message(1, 2, as_command(domain::KillSession{}))));
  }
  // A new server has read none of the texts yet.
  DispatcherLife life(disk);
  life.contents->is_broken = true;
  auto streams = support::fold_all(disk.store);
  life.restore(
      std::get<domain::SessionState>(streams.at(domain::session_stream("main", kSession)).state));
  life.register_worker();
  const auto directives = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(directives.size() == 1);
  CHECK(directives[0].end == LeaseEnd::kill);
  CHECK(directives[0].token == before->token);
  CHECK(directives[0].spec == domain::SessionSpec{});
  CHECK(directives[0].system_prompt.empty());
  CHECK_FALSE(directives[0].turn);
}

TEST_CASE("an agent with tasks is left them, or ended at once, as its session is closed",
          "[workers]") {
  const bool is_now = GENERATE(true, false);
  LastingStores disk;
  DispatcherLife life(disk);
  const auto directive = life.lease();
  domain::ReportTurnResult result;
  result.turn = directive.turn->turn;
  life.hear(kVerbReports,
            ReportsBody{kSession,
                        "main",
                        directive.token,
                        {encode_report(1, domain::ReportInitialized{"agent-session", "model", "1"}),
                         encode_report(2, domain::ReportTasksChanged{1, "Wait"}),
                         encode_report(3, result)}});
  CHECK(life.socket.take<DirectiveBody>(kVerbDirective).empty());
  REQUIRE(life.loop.ask(DrivenLoop::message(1, 2, as_command(domain::CloseSession{is_now}))));
  life.settle();
  const auto directives = life.socket.take<DirectiveBody>(kVerbDirective);
  REQUIRE(directives.size() == 1);
  CHECK(directives[0].end == (is_now ? LeaseEnd::kill : LeaseEnd::close));
}

TEST_CASE("a report of a later release is on the record, and the next one is taken", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const auto directive = life.lease();
  const SequencedReport unknown{1, "ReportOfLater", bus::to_body(HeartbeatBody{})};
  const auto known = encode_report(2, domain::ReportAgentStarted{77, 1});
  life.hear(kVerbReports, ReportsBody{kSession, "main", directive.token, {unknown, known}});
  CHECK(life.count("AgentLineRecorded") == 1);
  CHECK(life.count("AgentStarted") == 1);
  CHECK(life.socket.take<ReportAckBody>(kVerbReportAck).back() ==
        ReportAckBody{kSession, directive.token, 2, false, false});
}

TEST_CASE("what a report says at too great a length is cut where it becomes a fact", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const auto directive = life.lease();
  std::string model = "m";
  for (int i = 0; i < 1'000; ++i) model += "ö";  // byte 256 splits a character
  ReportsBody reports{directive.session, directive.agent, directive.token, {}};
  reports.reports.push_back(encode_report(1, domain::ReportAgentStarted{5, 6}));
  reports.reports.push_back(encode_report(
      2, domain::ReportInitialized{std::string(70'000, 's'), model, std::string(256, 'v')}));
  life.hear(kVerbReports, reports);
  const auto& event = life.loop.events.back().event;
  REQUIRE(event.is<domain::AgentInitialized>());
  const auto& recorded = event.get<domain::AgentInitialized>();
  CHECK(recorded.agent_session == std::string(256, 's'));
  CHECK(recorded.model == model.substr(0, 255));
  CHECK(recorded.agent_version == std::string(256, 'v'));
}

TEST_CASE("a worker that registers with a lease that is over hears so", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const auto directive = life.lease();
  const auto other = support::numbered<base::SessionId>(9);
  const HeldLease own{kSession, "main", directive.token, directive.number};
  life.hear(kVerbRegister, RegisterBody{kWorker, 77, {own, {other, "main", {1}, 1}}});
  const auto acks = life.socket.take<ReportAckBody>(kVerbReportAck);
  REQUIRE(acks.size() == 2);
  CHECK(acks[1] == ReportAckBody{other, {1}, 0, false, true});
  CHECK(acks[0] == ReportAckBody{kSession, directive.token, 0, true, false});
}

TEST_CASE("a report under a lease that is over is answered with its loss", "[workers]") {
  LastingStores disk;
  DispatcherLife life(disk);
  const auto directive = life.lease();
  const auto report = encode_report(1, domain::ReportAgentStarted{77, 1});
  life.hear(kVerbReports, ReportsBody{kSession, "main", directive.token.next(), {report}});
  const auto acks = life.socket.take<ReportAckBody>(kVerbReportAck);
  REQUIRE(acks.size() == 1);
  CHECK(acks[0].lost);
  CHECK(acks[0].through == 0);
  CHECK(life.count("AgentStarted") == 0);
}

}  // namespace
}  // namespace workers
