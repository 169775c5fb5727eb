// A small world of sessions that makes random commands, decides them and keeps what was accepted,
// as the command loop does but without a log: the source of histories for the properties of evolve
// and decide. One seed, one history.
#pragma once

#include <map>

#include "eventlog/base/random.hpp"
#include "eventlog/facts/evolve.hpp"
#include "eventlog/facts/stream_name.hpp"
#include "tests/support/session_samples.hpp"

namespace support {

class SessionDriver {
 public:
  explicit SessionDriver(std::uint64_t seed) : random_(seed) {
    limits_.max_sessions = 4;
    limits_.queue_max = 3;
    state(registry());
    state(admission());
  }

  struct Stream {
    session::StreamState state;
    std::vector<session::RecordedEvent> events;
  };
  const std::map<std::string, Stream>& streams() const { return streams_; }
  std::int64_t accepted() const { return accepted_; }
  std::int64_t rejected() const { return rejected_; }

  // What one step sent, to send it again.
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
    const bool is_clients = std::holds_alternative<session::ClientCommand>(sent.command);
    auto& own = state(stream_of(sent.session));
    sent.events = 0;
    sent.is_accepted = is_clients && std::get<session::SessionState>(own).commands.find(sent.id);
    if (sent.is_accepted) return;
    const DecisionContext context{sent.session, "main", sent.id, limits_,
                                  version_of(stream_of(sent.session))};
    std::string source;
    if (const auto* client = std::get_if<session::ClientCommand>(&sent.command)) {
      const auto* spawn = std::get_if<session::Spawn>(client);
      if (spawn != nullptr && spawn->resume.is_set()) source = stream_of(spawn->resume);
    }
    const auto decision = session::decide(
        {std::get<session::SessionState>(own), std::get<session::RegistryState>(state(registry())),
         std::get<session::AdmissionState>(state(admission())),
         source.empty() ? nullptr : &std::get<session::SessionState>(state(source))},
        sent.command, context);
    sent.is_accepted = decision.has_value();
    ++(decision ? accepted_ : rejected_);
    if (!decision) return;
    for (const Emitted& e : *decision) {
      const std::string names[] = {stream_of(sent.session), registry(), admission(), source};
      record(names[static_cast<int>(e.role)], sent, e);
    }
    sent.events = decision->size();
  }

  static std::string stream_of(base::SessionId id) { return session::session_stream("main", id); }
  static std::string registry() { return session::registry_stream("main"); }
  static std::string admission() { return std::string(session::kAdmissionStream); }

 private:
  session::StreamState& state(const std::string& stream) {
    const auto [at, is_new] = streams_.try_emplace(stream);
    if (is_new) at->second.state = *session::initial_state(stream);
    return at->second.state;
  }

  base::StreamVersion version_of(const std::string& name) {
    return {static_cast<std::int64_t>(streams_.at(name).events.size())};
  }

  void record(const std::string& name, const Sent& sent, const Emitted& emitted) {
    const Event& event = emitted.event;
    Stream& stream = streams_.at(name);
    session::RecordedEvent recorded;
    recorded.event = event;
    session::Envelope& e = recorded.envelope;
    e.position = position_ = position_.next();
    e.stream = name;
    e.version = version_of(name).next();
    e.type = session::type_name(event);
    if (!emitted.content.text.empty()) e.content = session::ContentProof{{}, 1};
    e.command = sent.id;
    e.actor_kind = std::holds_alternative<session::ClientCommand>(sent.command)
                       ? session::ActorKind::client
                       : session::ActorKind::server;
    if (const auto* r = std::get_if<session::LeaseReport>(&sent.command)) {
      e.actor_kind = session::ActorKind::worker;
      e.token = r->token;
      e.report_sequence = r->sequence;
    }
    evolve(stream.state, e, event);
    stream.events.push_back(std::move(recorded));
  }

  base::CommandId next_id() { return numbered<base::CommandId>(++commands_); }

  // Mostly a live session, so that its history goes on; else any, ended ones and new ones too.
  base::SessionId choose_session() {
    const auto& live = std::get<session::AdmissionState>(state(admission())).live;
    if (live.empty() || random_.chance(15)) {
      return numbered<base::SessionId>(static_cast<int>(1 + random_.below(40)));
    }
    return std::next(live.begin(), static_cast<std::ptrdiff_t>(random_.below(live.size())))->first;
  }

  Command choose_command(base::SessionId id) {
    const auto& s = std::get<session::SessionState>(state(stream_of(id)));
    if (s.status == session::SessionStatus::none || random_.chance(3)) return spawn();
    if (s.erasure > s.erasure_completed && random_.chance(50)) {
      return as_command(session::CompleteErasure{s.erasure});
    }
    if (random_.chance(5)) return erase(id);
    if (s.lease && random_.chance(60)) return report(s);
    switch (random_.below(10)) {
      case 0:
        return as_command(session::KillSession{});
      case 1:
        return as_command(session::CloseSession{});
      case 2:
      case 3:
        return as_command(session::InterruptTurn{some_turn(s)});
      case 4:
        return as_command(session::ExpireLease{some_token(s)});
      case 5:
      case 6:
      case 7:
        return as_command(
            session::GrantLease{numbered<base::WorkerId>(static_cast<int>(1 + random_.below(3)))});
      default:
        return as_command(session::SendPrompt{"again", random_.chance(30)});
    }
  }

  Command spawn() {
    session::Spawn c;
    c.spec = sample_spec(random_.chance(60));
    c.prompt = "work";
    if (random_.chance(50)) c.name = random_.chance(50) ? "work" : "play";
    if (random_.chance(40)) {
      c.resume = choose_session();
      c.is_fork = random_.chance(40);
    }
    return as_command(std::move(c));
  }

  Command erase(base::SessionId id) {
    if (random_.chance(30)) return as_command(session::ExpireContent{});
    session::EraseContent c;
    for (std::uint64_t i = random_.below(3); i > 0; --i) {
      const auto below = static_cast<std::uint64_t>(version_of(stream_of(id)).value) + 2;
      const auto first = static_cast<std::int64_t>(random_.below(below));
      c.events.push_back({{first}, {first + static_cast<std::int64_t>(random_.below(3))}});
    }
    return as_command(std::move(c));
  }

  base::TurnId some_turn(const session::SessionState& s) {
    if (s.turn && random_.chance(70)) return s.turn->turn;
    if (!s.queue.empty()) return s.queue[random_.below(s.queue.size())].turn;
    return turn(12'345);
  }
  base::FencingToken some_token(const session::SessionState& s) {
    if (random_.chance(10)) return {std::max<std::int64_t>(0, s.last_token.value - 1)};
    return s.last_token;
  }

  Command report(const session::SessionState& s) {
    session::LeaseReport r{some_token(s), s.lease->report_sequence + 1, {}};
    if (random_.chance(10)) r.sequence += static_cast<std::int64_t>(random_.below(3)) - 1;
    const base::TurnId t = some_turn(s);
    session::ReportTurnResult result;
    result.turn = t;
    result.is_error = random_.chance(30);
    if (result.is_error && random_.chance(30)) result.subtype = "error_max_budget_usd";
    result.agent_total = {static_cast<std::int64_t>(random_.below(1'000'000))};
    result.usage.output_tokens = static_cast<std::int64_t>(random_.below(10'000));
    const std::string agent_session = "agent-session-" + std::to_string(random_.below(6));
    switch (random_.below(13)) {
      case 0:
        r.report = session::ReportStartFailed{"why"};
        break;
      case 1:
        r.report = session::ReportAgentExited{random_.chance(50) ? 0 : 1, 0, "tail"};
        break;
      case 2:
        r.report = session::ReportAgentStarted{77, 88};
        break;
      case 3:
        r.report = session::ReportPartialOutput{t, "par"};
        break;
      case 4:
        r.report = session::ReportToolCallStarted{t, "call", "tool", "{}"};
        break;
      case 5:
        r.report = session::ReportToolCallFinished{t, "call", false, "{}"};
        break;
      case 6:
        r.report = session::ReportAgentLine{session::LineFault::not_json, 3, "abc"};
        break;
      case 7:
      case 8:
        r.report = session::ReportOutput{t, session::OutputKind::text, "text"};
        break;
      case 9:
      case 10:
        r.report = result;
        break;
      default:
        r.report = session::ReportInitialized{agent_session, "model", "1"};
        break;
    }
    return r;
  }

  base::SeededRandom random_;
  session::Limits limits_;
  std::map<std::string, Stream> streams_;
  base::Position position_;
  int commands_ = 0;
  std::int64_t accepted_ = 0;
  std::int64_t rejected_ = 0;
};

}  // namespace support
