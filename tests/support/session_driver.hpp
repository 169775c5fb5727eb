// A small world of sessions that makes random commands, decides them and keeps the accepted ones,
// like the command loop but without a log. It is the source of histories for the properties of
// evolve and decide. One seed gives one history.
#pragma once

#include <algorithm>
#include <list>
#include <map>

#include "eventlog/base/random.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "tests/support/session_samples.hpp"

namespace support {

class SessionDriver {
 public:
  explicit SessionDriver(std::uint64_t seed) : random_(seed) {
    limits_.max_sessions = 4;
    limits_.queue_max = 3;
    limits_.daily_budget.value = seed % 4 == 0 ? 2'000'000 : 1'000'000'000'000;
    limits_.total_daily_budget.value = 1'000'000'000'000;
    limits_.sinks.fill(true);
    limits_.told_per_minute = seed % 2 == 0 ? 3 : 0;
    limits_.has_request_hooks = seed % 3 == 0;
    state(registry());
    state(admission());
  }

  struct Stream {
    domain::StreamState state;
    std::vector<domain::RecordedEvent> events;
  };
  const std::map<std::string, Stream>& streams() const { return streams_; }
  std::int64_t accepted() const { return accepted_; }
  std::int64_t rejected() const { return rejected_; }

  // The command of one step, to be sent again.
  struct Sent {
    base::SessionId session;
    base::CommandId id;
    Command command;
    bool is_accepted = false;
    std::size_t events = 0;
  };

  // Makes and sends one random command.
  Sent step() {
    Sent sent{choose_session(), next_id(), {}, false, 0};
    sent.command = choose_command(sent.session);
    send(sent);
    return sent;
  }

  // Decides and folds; a client's command that was accepted before changes nothing.
  void send(Sent& sent) {
    const bool is_clients = domain::is_clients(sent.command);
    auto& own = state(stream_of(sent.session));
    sent.events = 0;
    sent.is_accepted = is_clients && std::get<domain::SessionState>(own).commands.find(sent.id);
    if (sent.is_accepted) return;
    Context context = context_of(session_ref("main", sent.session), sent.id);
    context.limits = limits_;
    context.version = version_of(stream_of(sent.session));
    context.head = position_;
    context.now = now();
    context.wall = now();
    const domain::Reads further = domain::reads_of(sent.command, context.target);
    domain::States states(own);
    for (const std::string& stream : further.streams()) states.add(stream, state(stream));
    std::list<domain::Reads> rounds;  // `states` points to their names
    for (std::size_t named = 0, known = 1; named != known;) {
      known = named;
      rounds.push_back(domain::further_reads_of(sent.command, context.target, states));
      const auto& names = rounds.back().streams();
      for (std::size_t i = known; i < names.size(); ++i) states.add(names[i], state(names[i]));
      named = std::max(known, names.size());
    }
    const auto decision = domain::decide_on(sent.command, states, context);
    sent.is_accepted = decision.has_value();
    ++(decision ? accepted_ : rejected_);
    if (!decision) return;
    for (const Emitted& e : *decision) {
      record(FoldedStreams::name_of(context.target, e.stream), sent, e);
    }
    sent.events = decision->size();
  }

  static std::string stream_of(base::SessionId id) { return domain::session_stream("main", id); }
  static std::string registry() { return domain::registry_stream("main"); }
  static std::string admission() { return std::string(domain::kAdmissionStream); }

 private:
  domain::StreamState& state(const std::string& stream) {
    const auto [at, is_new] = streams_.try_emplace(stream);
    if (is_new) at->second.state = *domain::initial_state(stream);
    return at->second.state;
  }

  base::StreamVersion version_of(const std::string& name) {
    return {static_cast<std::int64_t>(streams_.at(name).events.size())};
  }

  void record(const std::string& name, const Sent& sent, const Emitted& emitted) {
    const Event& event = emitted.event;
    Stream& stream = streams_.at(name);
    domain::RecordedEvent recorded;
    recorded.event = event;
    domain::Envelope& e = recorded.envelope;
    e.log_time = now();
    e.position = position_ = position_.next();
    e.stream = name;
    e.version = version_of(name).next();
    e.type = event.type();
    if (!emitted.content.text.empty()) e.content = domain::ContentProof{{}, 1};
    e.command = sent.id;
    e.actor_kind =
        domain::is_clients(sent.command) ? domain::ActorKind::client : domain::ActorKind::server;
    if (const auto* r = domain::command_if<domain::LeaseReport>(sent.command)) {
      e.actor_kind = domain::ActorKind::worker;
      e.token = r->token;
      e.report_sequence = r->sequence;
    }
    evolve(stream.state, e, event);
    stream.events.push_back(std::move(recorded));
  }

  // A step takes a microsecond.
  base::Time now() const { return {1'000'000 + commands_}; }

  base::CommandId next_id() { return numbered<base::CommandId>(++commands_); }

  // Usually chooses a live session, so that its history goes on; sometimes an ended or a new one.
  base::SessionId choose_session() {
    const auto& live = std::get<domain::AdmissionState>(state(admission())).live;
    if (live.empty() || random_.chance(15)) {
      return numbered<base::SessionId>(static_cast<int>(1 + random_.below(40)));
    }
    return std::next(live.begin(), static_cast<std::ptrdiff_t>(random_.below(live.size())))->first;
  }

  Command choose_command(base::SessionId id) {
    const auto& s = std::get<domain::SessionState>(state(stream_of(id)));
    const bool is_import = s.imported->lines > 0 || s.status == domain::SessionStatus::none;
    if (is_import && random_.chance(10)) return import(s);
    if (s.status == domain::SessionStatus::none || random_.chance(3)) return spawn();
    if (s.erasure > s.erasure_completed && random_.chance(50)) {
      return as_command(domain::SessionCommand(domain::CompleteErasure{s.erasure}));
    }
    if (random_.chance(5)) return erase(id);
    if (s.lease && random_.chance(60)) return report(s);
    switch (random_.below(15)) {
      case 14:
        return answer(s);
      case 12:
        return as_command(domain::SetForeground{"telegram|1234", random_.chance(50)});
      case 13:
        return as_command(domain::MarkSeen{"telegram|1234", position_});
      case 10:
        return as_command(
            domain::PassDeadline{static_cast<domain::DeadlineKind>(random_.below(8))});
      case 11:
        if (random_.chance(20)) return label();
        if (random_.chance(20)) {
          return as_command(domain::RenameSession{random_.chance(50) ? "one" : "two"});
        }
        return random_.chance(50) ? as_command(domain::DismissAttention{}) : change();
      case 0:
        return as_command(domain::KillSession{});
      case 1:
        if (s.pause != domain::EndReason::none) return as_command(domain::ContinueSession{});
        return as_command(domain::CloseSession{});
      case 2:
      case 3:
        return as_command(domain::InterruptTurn{some_turn(s)});
      case 4:
        return as_command(
            domain::ExpireLease{some_token(s), random_.chance(50) ? some_turn(s) : base::TurnId{}});
      case 5:
      case 6:
      case 7:
        return as_command(
            domain::GrantLease{numbered<base::WorkerId>(static_cast<int>(1 + random_.below(3)))});
      default: {
        domain::SendPrompt send{"again",
                                random_.chance(30),
                                {},
                                random_.chance(20) ? now() + base::Duration{9} : base::Time{}};
        if (random_.chance(20)) send.files = {{"a.txt", "notes"}};
        return as_command(std::move(send));
      }
    }
  }

  Command label() {
    const std::string one = random_.chance(50) ? "urgent" : "nightly";
    const bool is_taken = random_.chance(40);
    return as_command(is_taken ? domain::LabelSession{{}, {one}} : domain::LabelSession{{one}, {}});
  }

  Command change() {
    domain::ChangeSettings c{{"permission_mode", "run_timeout", "approval_timeout"}, {}};
    if (random_.chance(50)) c.keys.emplace_back("idle_timeout");
    if (random_.chance(10)) c.keys.emplace_back("workdir");
    domain::SessionSpec& spec = c.spec.edit();
    spec.permission_mode = static_cast<domain::PermissionMode>(random_.below(4));
    if (random_.chance(50)) spec.run_timeout = base::Duration{1};
    if (random_.chance(50)) spec.idle_timeout = base::Duration{1};
    if (random_.chance(50)) spec.approval_timeout = base::Duration{1};
    return as_command(std::move(c));
  }

  // Usually of one that waits; sometimes of one that is over, or was never asked.
  Command answer(const domain::SessionState& s) {
    domain::AnswerAsk c;
    c.ask = static_cast<std::int64_t>(random_.below(4));
    if (!s.asks->empty() && random_.chance(80)) {
      c.ask = (*s.asks)[random_.below(s.asks->size())].ask;
    }
    c.verdict = static_cast<domain::AskVerdict>(random_.below(3));
    if (random_.chance(50)) c.text = "[\"yes\"]";
    if (!s.unheard->empty() && random_.chance(30)) {
      const domain::UnheardAnswer& earlier = s.unheard->front();
      return as_command(
          domain::AnswerAsEarlier{c.ask, earlier.ask, earlier.has_text ? c.text : ""});
    }
    if (random_.chance(60)) return as_command(std::move(c));
    return as_command(domain::ConcludeHooks{
        c.ask, c.verdict, c.text, {{"hook", domain::HookOutcome::changed, base::Duration{5}, ""}}});
  }

  domain::ReportAskRaised asked(std::int64_t request, base::TurnId turn) {
    const auto kind = static_cast<domain::AskKind>(random_.below(4));
    const bool is_step = kind == domain::AskKind::step;
    return {request,
            kind,
            turn,
            "Bash",
            "call",
            "{}",
            is_step ? domain::HookPoint::pre_tool_use : domain::HookPoint::none};
  }

  domain::ReportTasksChanged tasks_changed() {
    const auto tasks = static_cast<std::int64_t>(random_.below(3));
    return {tasks, "Wait.", random_.chance(20), tasks / 2};
  }

  // Sometimes of lines that are there, or behind some that are not.
  Command import(const domain::SessionState& s) {
    domain::ImportTranscript c;
    c.read = s.imported;
    c.from_bytes = c.read.bytes + (random_.chance(10) ? 1 : 0);
    c.read.bytes = c.from_bytes + static_cast<std::int64_t>(random_.below(20));
    c.read.lines += 1;
    c.read.agent_session = "agent-session-" + std::to_string(random_.below(6));
    c.engine = sample_spec(false).engine;
    c.workdir = "/srv";
    c.lines.push_back({{c.read.lines}, "{}", {}});
    c.lines.front().messages.push_back({{}, "What is new?"});
    return as_command(std::move(c));
  }

  Command spawn() {
    domain::Spawn c;
    c.spec = sample_spec(random_.chance(60));
    if (random_.chance(50)) c.spec.idle_timeout = base::Duration{1};
    if (random_.chance(50)) c.spec.run_timeout = base::Duration{1};
    if (random_.chance(50)) c.spec.repeated_calls_max = 2;
    c.spec.remind_after = base::Duration{1};
    if (random_.chance(50)) c.spec.restart_policy = domain::RestartPolicy::retry;
    if (random_.chance(50)) c.spec.approval_timeout = base::Duration{1};
    if (random_.chance(50)) c.spec.unanswered = domain::UnansweredAsk::approve;
    c.spec.hooks_must_answer = random_.chance(50);
    c.spec.mcp_must_connect = random_.chance(50);
    c.origin_channel = "telegram|1234";
    c.prompt = "work";
    if (random_.chance(20)) c.files = {{"a.txt", "notes"}, {"b.pdf", "%PDF-1"}};
    if (random_.chance(50)) c.name = random_.chance(50) ? "work" : "play";
    if (random_.chance(40)) {
      c.resume = choose_session();
      c.is_fork = random_.chance(40);
    }
    if (random_.chance(20)) c.caller = choose_session();
    return as_command(std::move(c));
  }

  Command erase(base::SessionId id) {
    if (random_.chance(30)) return as_command(domain::ExpireContent{});
    domain::EraseContent c;
    for (std::uint64_t i = random_.below(3); i > 0; --i) {
      const auto below = static_cast<std::uint64_t>(version_of(stream_of(id)).value) + 2;
      const auto first = static_cast<std::int64_t>(random_.below(below));
      c.events.push_back({{first}, {first + static_cast<std::int64_t>(random_.below(3))}});
    }
    return as_command(std::move(c));
  }

  base::TurnId some_turn(const domain::SessionState& s) {
    if (s.own_turn.is_set() && random_.chance(40)) return s.own_turn;
    if (s.turn && random_.chance(70)) return s.turn->turn;
    if (!s.queue.empty()) return s.queue[random_.below(s.queue.size())].turn;
    return turn(12'345);
  }
  base::FencingToken some_token(const domain::SessionState& s) {
    if (random_.chance(10)) return {std::max<std::int64_t>(0, s.last_token.value - 1)};
    return s.last_token;
  }

  Command report(const domain::SessionState& s) {
    domain::LeaseReport r{some_token(s), s.lease->report_sequence + 1, {}};
    if (random_.chance(10)) r.sequence += static_cast<std::int64_t>(random_.below(3)) - 1;
    const base::TurnId t = some_turn(s);
    domain::ReportTurnResult result;
    result.turn = t;
    result.is_error = random_.chance(30);
    result.injected = static_cast<std::int64_t>(random_.below(4)) - 1;
    if (random_.chance(20)) result.deferred = "call";
    if (result.is_error && random_.chance(30)) result.subtype = "error_max_budget_usd";
    result.agent_total = {static_cast<std::int64_t>(random_.below(1'000'000))};
    result.usage.output_tokens = static_cast<std::int64_t>(random_.below(10'000));
    const std::string agent_session = "agent-session-" + std::to_string(random_.below(6));
    if (random_.chance(70)) {
      result.basis = domain::CostBasis::reported;
      result.spent = {{"model", result.usage, result.agent_total}};
      if (random_.chance(20))
        result.agent_base = {static_cast<std::int64_t>(random_.below(2'000'000))};
    }
    switch (random_.below(29)) {
      case 28:
      case 27:
        r.report = asked(r.sequence, t);
        break;
      case 26:
        r.report = domain::ReportAskClosed{
            s.asks->empty() ? 7 : (*s.asks)[random_.below(s.asks->size())].request,
            random_.chance(50)};
        break;
      case 25:
        r.report = domain::TranscriptWritesLost{t, "ENOSPC"};
        if (random_.chance(30)) {
          r.report = domain::AgentSessionShared{t, agent_session, "message", 2};
        }
        break;
      case 24:
        r.report = domain::ReportAgentNoted{t, "warning", std::string(domain::kHookNoVerdict),
                                            "call", "A hook did not answer."};
        break;
      case 23:
        r.report = domain::ToolCallDenied{t, "call", "tool"};
        break;
      case 22:
        r.report = random_.chance(50) ? domain::McpServersReported{{"docs: failed"}}
                                      : domain::McpServersReported{};
        if (random_.chance(30)) r.report = domain::SettingsTold{1, "no"};
        if (random_.chance(30)) r.report = domain::SlashCommandsReported{{"compact"}};
        break;
      case 21:
        r.report = domain::AgentSilenceReported{t, random_.chance(30)};
        break;
      case 16:
        r.report = domain::ModelCallRetried{t, 1, 10, base::Duration{500'000}, 529, "overloaded"};
        break;
      case 13:
        r.report = domain::ModelFellBack{t, "opus", "sonnet", "overloaded"};
        break;
      case 17:
        r.report =
            domain::RateLimitReported{t, "rejected", "five_hour", now() + base::Duration{9}, {}};
        break;
      case 19:
        r.report = domain::AgentStatusReported{t, "compacting", "plan", ""};
        break;
      case 20:
        r.report = domain::ReportAgentSessionLost{"No conversation found"};
        break;
      case 18:
        r.report = domain::ContextCompacted{t, true, 190'104, 2'876};
        break;
      case 15:
        r.report = tasks_changed();
        break;
      case 12:
        r.report = domain::ReportSpending{t, {{"model", result.usage, result.agent_total}}};
        break;
      case 0:
        r.report = domain::ReportStartFailed{"why"};
        break;
      case 1:
        r.report = domain::ReportAgentExited{
            random_.chance(50) ? 0 : 1, 0, "tail", random_.chance(20), random_.chance(60), t,
            random_.chance(50)};
        break;
      case 2:
        r.report = domain::ReportAgentStarted{77, 88};
        break;
      case 3:
        r.report = domain::ReportPartialOutput{t, "par"};
        break;
      case 4:
        r.report = domain::ReportToolCallStarted{
            t, "call", "tool", "{}", "", "", static_cast<std::int64_t>(random_.below(8))};
        break;
      case 5:
        r.report = domain::ReportToolCallFinished{t, "call", false, "{}"};
        break;
      case 6:
        r.report = domain::ReportAgentLine{domain::LineFault::not_json, 3, "abc"};
        break;
      case 7:
      case 8:
        r.report = domain::ReportOutput{t, domain::OutputKind::text, "text"};
        break;
      case 9:
      case 10:
        r.report = result;
        break;
      case 11:
        r.report = domain::ReportOwnTurnStarted{turn(static_cast<int>(700 + random_.below(3))),
                                                domain::OwnTurnCause::task, "task", t};
        break;
      default:
        r.report = domain::ReportInitialized{agent_session, "model", "1"};
        break;
    }
    return r;
  }

  base::SeededRandom random_;
  domain::Limits limits_;
  std::map<std::string, Stream> streams_;
  base::Position position_;
  int commands_ = 0;
  std::int64_t accepted_ = 0;
  std::int64_t rejected_ = 0;
};

}  // namespace support
