// Conversations and their sessions as a server has them, without a log: commands are decided and
// folded, and every event is kept.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/place.hpp"
#include "eventlog/domain/conversation/policy.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "tests/support/session_samples.hpp"

namespace support {

inline const std::string kMain = "agent:main:main";
inline const std::string kGroup = "agent:main:telegram:group:42";

// The streams of one server, with every event that was decided.
class ConversationPlace {
 public:
  ConversationPlace() {
    policy.queue.debounce = std::chrono::seconds(1);
    context_.now = context_.wall = domain::Time{1'000'000'000};
  }

  template <class C>
  domain::Decided send_to(const domain::StreamRef& target, C command, domain::CommandId id) {
    Context context = context_of(target, id);
    context.now = now();
    context.wall = now();
    context.conversations = &policy;
    context.limits.max_sessions = 1'000;
    context.limits.sinks = sinks;
    if (file_engines) context.file_engines = *file_engines;
    context.head = domain::Position{position_};
    context.version = versions_[domain::stream_of(target)];
    const Command whole = as_command(std::move(command));
    domain::Decided decided = streams_.decide(whole, context);
    if (!decided) return decided;
    // As a server does, events of the target first.
    std::vector<Emitted> in_order(decided->begin(), decided->end());
    std::stable_partition(in_order.begin(), in_order.end(),
                          [](const Emitted& one) { return one.stream.empty(); });
    for (const Emitted& emitted : in_order) {
      domain::Envelope envelope;
      envelope.stream = emitted.stream.empty() ? domain::stream_of(target) : emitted.stream;
      envelope.position = domain::Position{++position_};
      domain::StreamVersion& version = versions_[envelope.stream];
      envelope.version = version = version.next();
      envelope.command = id;
      envelope.log_time = envelope.wall_time = now();
      envelope.actor_kind =
          domain::is_clients(whole) ? domain::ActorKind::client : domain::ActorKind::server;
      if (const auto* r = domain::command_if<domain::LeaseReport>(whole);
          r != nullptr && emitted.stream.empty()) {
        envelope.token = r->token;
        envelope.report_sequence = r->sequence;
      }
      if (!emitted.content.text.empty()) envelope.content.emplace();
      streams_.fold(target, emitted.stream, envelope, emitted.event);
      domain::RecordedEvent recorded;
      recorded.envelope = envelope;
      recorded.event = emitted.event;
      events.push_back(std::move(recorded));
    }
    REQUIRE(streams_.is_consistent());
    return decided;
  }
  template <class C>
  domain::Decided send(const std::string& key, C command) {
    command.session_key = key;
    return send_to(ref(key), std::move(command), fresh());
  }
  domain::Decided receive(const std::string& key, std::string text, std::string id = {}) {
    domain::ReceiveMessage message;
    message.spec = sample_spec(true);
    message.text = std::move(text);
    message.id = std::move(id);
    message.route.channel = "telegram";
    message.route.to = "42";
    return send(key, std::move(message));
  }
  // As the server does when the lanes say so.
  domain::Decided advance(const std::string& key) {
    return send_to(ref(key), domain::AdvanceConversation{}, fresh());
  }
  // Gives the run's prompt to its session.
  domain::Decided take(const std::string& key) {
    const domain::ConversationRun run = *conversation(key).run;
    const domain::CommandId id{run.run.bytes};
    if (!run.opens) {
      domain::SendPrompt more;
      more.prompt = "go on";
      more.place = domain::place_of(run.route);
      return send_to(session_ref_of(run.session), std::move(more), id);
    }
    domain::Spawn spawn;
    spawn.spec = *run.spec;
    spawn.prompt = "go";
    spawn.resume = run.resumes;
    spawn.origin_channel = domain::place_of(run.route);
    spawn.descriptor.conversation = key;
    return send_to(session_ref_of(run.session), std::move(spawn), id);
  }
  // The session's agent begins to work on the turn.
  void begin(const std::string& key) {
    const domain::StreamRef session = session_ref_of(conversation(key).run->session);
    if (streams_.get<domain::SessionStream>(domain::stream_of(session)).lease) return;
    const auto granted = send_to(session, domain::GrantLease{kWorker}, fresh());
    if (!granted) FAIL(granted.error().text);
    report(session, domain::ReportAgentStarted{77, 88});
    report(session, domain::ReportInitialized{"agent-" + session.id.text(), "model", "2.0"});
  }
  // The session's agent works on the turn, and ends it. `injected`: so many of the messages that
  // were added to the turn it was given.
  void finish(const std::string& key, std::int64_t injected = 0) {
    begin(key);
    domain::ReportTurnResult result;
    result.turn = conversation(key).run->run;
    result.basis = domain::CostBasis::reported;
    result.injected = injected;
    report(session_ref_of(conversation(key).run->session), std::move(result));
  }
  // Offers the session what came for the turn under way, as the server does.
  void steer(const std::string& key) {
    const domain::LaneWork work = lanes().works.at(domain::conversation_id("main", key));
    for (const domain::Steer& one : work.steers) {
      if (one.is_taken) continue;
      const auto taken = send_to(session_ref_of(work.run->session),
                                 domain::SteerTurn{"steer", one.message}, fresh());
      if (!taken) REQUIRE(send_to(ref(key), domain::SettleSteer{one.message}, fresh()));
    }
  }
  // Receives, begins, takes and finishes a message.
  void talk(const std::string& key, const std::string& text) {
    REQUIRE(receive(key, text));
    REQUIRE(advance(key));
    REQUIRE(conversation(key).run);
    REQUIRE(take(key));
    finish(key);
  }
  // Has the session end, and its agent with it.
  void close(domain::SessionId id) {
    const domain::StreamRef session = session_ref_of(id);
    REQUIRE(send_to(session, domain::CloseSession{}, fresh()));
    domain::ReportAgentExited exited;
    exited.has_run = exited.is_heard = true;
    if (this->session(id).lease) report(session, exited);
  }
  void report(const domain::StreamRef& session, domain::Report report) {
    const auto& state = streams_.get<domain::SessionStream>(domain::stream_of(session));
    REQUIRE(state.lease);
    REQUIRE(send_to(session,
                    domain::LeaseReport{state.lease->token, state.lease->report_sequence + 1,
                                        std::move(report)},
                    fresh()));
  }

  const domain::ConversationState& conversation(const std::string& key) const {
    return streams_.get<domain::ConversationStream>(domain::stream_of(ref(key)));
  }
  const domain::SessionState& session(domain::SessionId id) const {
    return streams_.get<domain::SessionStream>(domain::session_stream("main", id));
  }
  const domain::LanesState& lanes() const {
    return streams_.get<domain::LanesStream>(std::string(domain::kLanesStream));
  }
  static domain::StreamRef ref(const std::string& key) {
    return {domain::ConversationStream::kPattern, "main", domain::conversation_id("main", key)};
  }
  static domain::StreamRef session_ref_of(domain::SessionId id) { return session_ref("main", id); }
  domain::CommandId fresh() { return numbered<domain::CommandId>(++ids_); }
  domain::Time now() const { return context_.now; }
  void wait(base::Duration by) { context_.now = context_.now + by; }

  template <class E>
  std::vector<E> all() const {
    std::vector<E> found;
    for (const domain::RecordedEvent& one : events) {
      if (const auto* event = one.event.as<E>()) found.push_back(*event);
    }
    return found;
  }

  domain::ConversationPolicy policy;
  decltype(domain::Limits::sinks) sinks{};
  std::optional<std::span<const std::string>> file_engines;  // none: those of any test
  std::vector<domain::RecordedEvent> events;

 private:
  FoldedStreams streams_;
  std::map<std::string, domain::StreamVersion> versions_;
  Context context_;
  std::int64_t position_ = 0;
  int ids_ = 0;
};

}  // namespace support
