// Views of sessions whose lease states changed are looked at once a cycle: grant, then direct;
// locks are looked at every expiry_interval.
#include "workers/reactors/lease_dispatcher.hpp"

#include <algorithm>

#include "eventlog/base/mutant.hpp"
#include "eventlog/base/rare_branches.hpp"
#include "eventlog/domain/session/texts_needed.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/log/sequencer.hpp"
#include "workers/reactors/spoken_so_far.hpp"

namespace workers {
namespace {

using domain::LeaseState;

// A directive younger than this can still be in flight.
constexpr base::Duration kDirectiveGrace = std::chrono::seconds(1);

// A report that could not be decided, for want of room or because its stream could not be read, is
// sent again after this.
constexpr base::Duration kResendAfter = std::chrono::milliseconds(200);

// A directive's number is the writer term and, in this many low bits, a count. So no clock decides
// which of two servers' directives is newer.
constexpr int kDirectiveBits = 32;
static_assert(eventlog::kWriterTermMax < base::kIntegerLimit >> kDirectiveBits);

// A directive fits into one frame, with what is told of a lost conversation and 1 MiB for the rest.
static_assert(domain::kContentBytesMax + domain::kSystemPromptBytesMax + domain::kInjectedBytesMax +
                  domain::kPromptFilesBytesMax + static_cast<std::int64_t>(kSpokenBytesMax) +
                  (std::int64_t{1} << 20) <=
              static_cast<std::int64_t>(bus::kFrameBytesMax));

// Adds what a later acknowledgement of the same lease says.
void add(ReportAckBody& ack, const ReportAckBody& later) {
  ack.session = later.session;
  ack.token = later.token;
  ack.through = std::max(ack.through, later.through);
  ack.resend |= later.resend;
  ack.lost |= later.lost;
  ack.resend_after = std::max(ack.resend_after, later.resend_after);
}

// True if the event gives the worker something new to do beside ending the agent.
bool begins_something(const domain::Event& event) {
  return event.is<domain::LeaseGranted>() || event.is<domain::TurnStarted>() ||
         event.is<domain::PromptInjected>() || event.is<domain::InterruptRequested>() ||
         event.is<domain::AskAnswered>() || event.is<domain::SettingsChanged>();
}

// A directive carries answers of so many bytes at most, and at least one; the others come once the
// agent was given these.
constexpr auto kAnswersBytesMax = static_cast<std::size_t>(domain::kAnswerBytesMax);

// What is deferred has a number in the lease of the turn that goes on with it only.
bool is_of_other_turn(const LeaseState& s, const domain::OpenAsk& ask) {
  return ask.is_deferred && (!s.turn || *s.turn->deferred != ask.call);
}

template <class Texts>
std::vector<DirectedAnswer> directed_answers(const LeaseState& s, const Texts& texts) {
  std::vector<DirectedAnswer> answers;
  std::size_t bytes = 0;
  for (const domain::OpenAsk& ask : *s.asks) {
    if (ask.verdict == domain::AskVerdict::none || is_of_other_turn(s, ask)) continue;
    const std::string text = ask.has_text ? texts.at(ask.answer).text : std::string();
    bytes += text.size();
    if (!answers.empty() && bytes > kAnswersBytesMax) break;
    answers.push_back({ask.request, ask.verdict == domain::AskVerdict::granted, text});
  }
  return answers;
}

base::Position last_answer(const LeaseState& s) {
  base::Position last;
  for (const domain::OpenAsk& ask : *s.asks) last = std::max(last, ask.answer);
  return last;
}

// True if the agent was given the turn's prompt for certain: it asks for something in that turn. A
// step that its host asks comes before the prompt.
bool is_prompt_given(const LeaseState& s) {
  const domain::OpenAsks& asks = s.asks;
  return std::any_of(asks.begin(), asks.end(), [&](const domain::OpenAsk& ask) {
    const bool is_of_host = ask.point == domain::HookPoint::session_start ||
                            ask.point == domain::HookPoint::user_prompt_submit;
    return ask.turn == s.turn->turn && !is_of_host && !ask.is_deferred;
  });
}

std::int64_t deferred_request(const LeaseState& s) {
  for (const domain::OpenAsk& ask : *s.asks) {
    if (ask.is_deferred && ask.call == *s.turn->deferred) return ask.request;
  }
  return 0;
}

bool has_answers(const LeaseState& s) {
  const domain::OpenAsks& asks = s.asks;
  return std::any_of(asks.begin(), asks.end(), [](const domain::OpenAsk& ask) {
    return ask.verdict != domain::AskVerdict::none;
  });
}

// A completed session with tasks in the background is not to wait for them.
LeaseEnd end_of(const LeaseState& s) {
  if (s.status == domain::SessionStatus::killed || s.status == domain::SessionStatus::failed) {
    return LeaseEnd::kill;
  }
  if (s.status == domain::SessionStatus::completed) {
    return s.tasks > 0 ? LeaseEnd::kill : LeaseEnd::close;
  }
  return s.is_close_requested && !domain::has_work(s) ? LeaseEnd::close : LeaseEnd::none;
}

// True while the session has a lease or a prompt that waits; else there is nothing to do for it.
bool needs_view(const LeaseState& s) {
  return s.lease || !s.queue.empty();
}

// True if the agent has lost the session that it was opened to resume.
bool begins_anew(const LeaseState& s) {
  return s.lost_at.value > 0 && s.lease->resume_agent_session.empty();
}

void forget_agent_session(domain::SessionSpec& spec) {
  spec.resume_agent_session.reset();
  spec.resume_message.reset();
  spec.is_fork = false;
}

// Returns what a prompt's event says of its files.
std::vector<domain::FileFacts> files_of(const domain::Event& event) {
  if (const auto* queued = event.as<domain::TurnQueued>()) return queued->files;
  if (const auto* injected = event.as<domain::PromptInjected>()) return injected->files;
  return {};
}

base::CommandId report_id(const std::string& stream, const domain::LeaseReport& report) {
  base::Blake2bStream hash;
  hash.add(stream);
  base::Bytes place;
  base::append_u64(place, static_cast<std::uint64_t>(report.token.value));
  base::append_u64(place, static_cast<std::uint64_t>(report.sequence));
  hash.add(place);
  base::CommandId id;
  base::view(hash.finish()).copy(id.bytes.data(), id.bytes.size());
  return id;
}

template <class Body>
bus::Notice notice(std::string_view verb, const Body& body) {
  return {std::string(verb), bus::to_body(body)};
}

}  // namespace

LeaseDispatcher::LeaseDispatcher(CommandLoop& commands, bus::ServerSocket& socket,
                                 LeaseLocks& locks, std::unique_ptr<ContentLoader> contents,
                                 base::Random& random, const SessionsUnderWay& sessions,
                                 LeaseDispatcherOptions options, const HookTable& hooks)
    : commands_(commands),
      socket_(socket),
      locks_(locks),
      contents_(std::move(contents)),
      sessions_(sessions),
      options_(options),
      hooks_(hooks),
      outgoing_(commands, random, "dispatcher",
                [this](const Asked& asked, const auto& outcome) { on_answer(asked, outcome); }) {}

void LeaseDispatcher::begin(Position, std::int64_t writer_term) {
  if (!base::mutant(base::Mutant::directive_numbers_restart)) {
    directives_ = writer_term << kDirectiveBits;
  }
}

void LeaseDispatcher::restore(const projections::StreamUnderWay& stream) {
  if (!stream.stream.is<domain::SessionStream>()) return;
  const StreamKey key{stream.stream.id, stream.stream.agent};
  const auto& session = std::get<domain::SessionState>(stream.state);
  if (!session.descriptor->conversation.empty()) of_conversations_.insert(key);
  const LeaseState* known = sessions_.find(key);
  if (known == nullptr || !needs_view(*known)) return;
  View& view = views_[key];
  view.state = known;
  view.end = end_of(*known);
  // An earlier server can have told of it.
  if (known->turn) view.told = known->turn->turn;
  view.answered = last_answer(*known);
  dirty_.insert(key);
}

void LeaseDispatcher::on_durable(const domain::RecordedEvent& event) {
  if (event.envelope.stream == domain::kAdmissionStream) {
    // A place can be free now.
    const domain::AdmissionState& admission = commands_.of<domain::AdmissionStream>();
    for (const base::SessionId id : admission.awaiting) dirty_.insert({id, admission.live.at(id)});
  }
  const auto* changed = sessions_.changed();
  if (changed == nullptr) return;
  const auto& [key, state] = *changed;
  auto found = views_.find(key);
  const auto* opened = event.event.as<domain::SessionOpened>();
  if (opened != nullptr && !opened->descriptor->conversation.empty()) of_conversations_.insert(key);
  if (!domain::is_under_way(state)) of_conversations_.erase(key);
  if (!domain::is_under_way(state) || !needs_view(state)) {
    if (found != views_.end()) views_.erase(found);
    return;
  }
  if (found == views_.end()) found = views_.try_emplace(key).first;
  View& view = found->second;
  view.state = &state;
  if (!state.lease) {
    view.directed.reset();
    view.is_granted_here = false;
    view.told = {};
    view.answered = {};
  }
  view.last = event.envelope.position;
  if (!state.lease || state.turn) view.is_yielding = false;
  if (!state.turn && view.directed) {
    view.directed->prompts.clear();
    view.directed->conversation.reset();
  }
  if (event.event.is<domain::LeaseGranted>()) view.is_granted_here = true;
  const LeaseEnd end = end_of(state);
  const bool is_other_end = std::exchange(view.end, end) != end;
  const bool is_more_due = has_answers(state) || (state.turn && !state.turn->injected->empty());
  const bool is_next_answer = event.event.is<domain::AskClosed>() && is_more_due;
  if (begins_something(event.event) || is_next_answer || is_other_end) {
    view.is_directive_due = true;
  }
  dirty_.insert(key);
}

const bus::PeerId* LeaseDispatcher::peer_of(const base::WorkerId& worker) const {
  const auto found = workers_.find(worker);
  return found == workers_.end() ? nullptr : &found->second.peer;
}

void LeaseDispatcher::describe(StatusAnswer& status) const {
  status.workers = static_cast<std::int64_t>(workers_.size());
  for (const auto& [worker, peer] : workers_) status.worker_pids.push_back(peer.pid);
}

// Sends a notice. Returns false if the worker's queue is full, or the worker is gone, which its
// silence will show. The caller sends it again later. The worker keeps its leases, because it can
// still obey directives in flight.
bool LeaseDispatcher::send(const bus::PeerId& peer, const bus::Notice& message) {
  if (socket_.send(peer, bus::encode_frame(message))) return true;
  return false;
}

void LeaseDispatcher::on_worker(const bus::PeerId& peer, const bus::Notice& message,
                                base::Time now) {
  now_ = now;
  if (message.verb == kVerbRegister) {
    if (const auto body = bus::from_body<RegisterBody>(message.body)) {
      register_worker(peer, *body, now);
    }
    return;
  }
  const auto known = std::find_if(workers_.begin(), workers_.end(),
                                  [&](const auto& entry) { return entry.second.peer == peer; });
  if (known == workers_.end()) {
    base::rare(base::Rare::registration_renewed);
    send(peer, bus::Notice{std::string(kVerbRegisterAgain), {}});
    return;
  }
  known->second.last_heard = now;
  if (message.verb == kVerbHeartbeat) {
    const base::WorkerId worker = known->first;
    if (const auto body = bus::from_body<HeartbeatBody>(message.body)) {
      known->second.is_leaving = body->is_leaving;
      take_heartbeat(worker, *body);
    }
    send(peer, notice(kVerbHeartbeat, HeartbeatBody{{}, known->second.is_leaving}));
  } else if (message.verb == kVerbReports) {
    if (const auto body = bus::from_body<ReportsBody>(message.body)) take_reports(*body);
  }
}

void LeaseDispatcher::register_worker(const bus::PeerId& peer, const RegisterBody& body,
                                      base::Time now) {
  workers_[body.worker] = {peer, body.pid, now, body.is_leaving};
  for (const HeldLease& held : body.leases) {
    const auto found = views_.find(StreamKey{held.session, held.agent});
    const bool is_held = found != views_.end() && found->second.state->lease &&
                         found->second.state->lease->token == held.token;
    if (!is_held) {
      ack_of(held.session, held.token).lost = true;
    }
  }
  for (auto& [key, view] : views_) {
    dirty_.insert(key);
    if (!view.state->lease || view.state->lease->worker != body.worker) continue;
    view.is_directive_due = true;
    // The worker sends again from the last report that is durable.
    const domain::Lease& lease = *view.state->lease;
    ReportAckBody& ack = ack_of(key.id, lease.token);
    ack.through = std::max(ack.through, lease.report_sequence);
    ack.resend = true;
  }
  next_expiry_ = {};
}

void LeaseDispatcher::take_heartbeat(const base::WorkerId& worker, const HeartbeatBody& body) {
  std::map<std::pair<base::SessionId, base::FencingToken>, std::int64_t> obeyed;
  for (const HeldLease& held : body.leases) {
    obeyed[{held.session, held.token}] = held.directive;
  }
  for (auto& [key, view] : views_) {
    const auto& lease = view.state->lease;
    if (!lease || lease->worker != worker) continue;
    if (!view.directed || view.directed->number == 0) continue;
    if (now_ - view.directed->at < kDirectiveGrace) continue;
    const auto found = obeyed.find({key.id, lease->token});
    if (found != obeyed.end() && found->second == view.directed->number) continue;
    view.is_directive_due = true;
    dirty_.insert(key);
  }
}

void LeaseDispatcher::take_reports(const ReportsBody& body) {
  const StreamKey key{body.session, body.agent};
  const auto found = views_.find(key);
  if (found == views_.end()) {
    ack_of(body.session, body.token).lost = true;
    return;
  }
  for (const SequencedReport& encoded : body.reports) {
    auto report = decode_report(encoded);
    if (!report) {
      // The report is of a worker of a later release. It is recorded as a line that this release
      // does not understand, and the sequence goes on.
      report = domain::ReportAgentLine{domain::LineFault::unknown_kind,
                                       static_cast<std::int64_t>(encoded.body.encoded.size()),
                                       "report " + encoded.type + ": " + report.error().text};
    }
    submit_report(found->second,
                  domain::LeaseReport{body.token, encoded.sequence, std::move(*report)},
                  {key, body.token, encoded.sequence}, encoded.body.encoded.size());
  }
}

void LeaseDispatcher::submit(domain::SessionCommand command, const StreamKey& key) {
  outgoing_.send({key, {}, 0}, std::move(command), now_, key);
}

void LeaseDispatcher::submit_report(const View& view, domain::LeaseReport report, Asked asked,
                                    std::size_t bytes) {
  CommandMessage message;
  message.stream_id = asked.key.id;
  message.agent = asked.key.agent;
  message.id = report_id(domain::session_stream(message.agent, message.stream_id), report);
  message.actor_kind = domain::ActorKind::worker;
  message.token = report.token;
  message.report_sequence = report.sequence;
  message.actor = view.state->lease ? view.state->lease->worker.text() : "";
  message.command = domain::SessionCommand(std::move(report));
  message.bytes = bytes;
  outgoing_.send(std::move(asked), std::move(message));
}

void LeaseDispatcher::on_answer(const Asked& asked, const CommandOutcome& outcome) {
  const auto view = views_.find(asked.key);
  if (asked.sequence == 0) {
    if (view == views_.end()) return;
    view->second.is_granting = false;
    view->second.is_expiring = false;
    if (view->second.directed) view->second.directed->is_giving_up = false;
    // A refused command is tried again with the next look at the locks, so that it does not spin.
    (outcome ? dirty_ : unread_).insert(asked.key);
    return;
  }
  ReportAckBody& ack = ack_of(asked.key.id, asked.token);
  if (outcome) {
    ack.through = std::max(ack.through, asked.sequence);
    return;
  }
  using Code = domain::RejectionCode;
  const Code code = outcome.error().code;
  if (code == Code::stale_token || code == Code::not_found) {
    ack.lost = true;
  } else {
    ack.resend |= code == Code::report_gap;
    if (domain::is_undecided(code)) ack.resend_after = kResendAfter;
    if (view != views_.end() && view->second.state->lease &&
        view->second.state->lease->token == asked.token) {
      ack.through = std::max(ack.through, view->second.state->lease->report_sequence);
    }
  }
}

ReportAckBody& LeaseDispatcher::ack_of(base::SessionId session, base::FencingToken token) {
  return acks_.try_emplace({session, token}, ReportAckBody{session, token}).first->second;
}

// The view of a session, and the name of its worker, can be gone when its last report is
// acknowledged. Hence all workers are told; there is one a machine.
void LeaseDispatcher::send_acks() {
  for (const auto& [lease, ack] : std::exchange(acks_, {})) {
    bool is_sent = true;
    for (const auto& [id, worker] : workers_) {
      is_sent &= send(worker.peer, notice(kVerbReportAck, ack));
    }
    if (!is_sent) add(unsent_acks_[lease], ack);
  }
}

void LeaseDispatcher::take_up_unsent_acks() {
  for (const auto& [lease, unsent] : std::exchange(unsent_acks_, {})) add(acks_[lease], unsent);
}

bool LeaseDispatcher::do_work(const Cycle& cycle) {
  thread_.check();
  boot_ = cycle.boot;
  // Nobody was silent for as long as the clock was stepped.
  const base::Duration stepped = steps_.step(cycle);
  for (auto& [id, worker] : workers_) worker.last_heard = worker.last_heard + stepped;
  if (begun_at_) begun_at_ = *begun_at_ + stepped;
  if (!cycle.has_taken_over) return false;
  const base::Time now = cycle.now;
  now_ = now;
  if (!begun_at_) begun_at_ = now;
  take_contents();
  take_conversations();
  const bool is_due = now >= next_expiry_;
  if (is_due) take_up_unsent_acks();
  bool has_worked = !acks_.empty();
  send_acks();
  if (is_due) {
    next_expiry_ = now + options_.expiry_interval;
    forget_lost_workers();
    if (!is_holder_awaited()) {
      for (auto& [key, view] : views_) expire(key, view);
    }
    dirty_.merge(unread_);
    unread_.clear();
  }
  const bool is_missed = places_missed_ != commands_.places_missed();
  if (is_due || is_place_wanted_ || is_missed) free_places();
  for (const StreamKey& key : std::exchange(dirty_, {})) {
    const auto found = views_.find(key);
    if (found == views_.end()) continue;
    has_worked |= grant(key, found->second);
    has_worked |= send_directive(key, found->second);
  }
  if (has_worked) {
    cycle.flight.add(boot_, FlightKind::directed, static_cast<std::int64_t>(views_.size()));
  }
  return has_worked;
}

void LeaseDispatcher::forget_lost_workers() {
  std::erase_if(workers_, [&](const auto& entry) {
    const bool is_silent = now_ - entry.second.last_heard > options_.worker_silence_max;
    return is_silent || locks_.has_worker_ended(entry.second.pid);
  });
}

// Asks agents that are idle, the one that is so for longest first, to end for those that wait for a
// place. Those of conversations, which come back by themselves, come before others.
void LeaseDispatcher::free_places() {
  const auto& admission = commands_.of<domain::AdmissionStream>();
  const std::int64_t free = commands_.limits().max_sessions - domain::places_taken(admission);
  auto wanted = static_cast<std::int64_t>(admission.awaiting.size()) - free;
  const bool is_missed = places_missed_ != commands_.places_missed();
  places_missed_ = commands_.places_missed();
  const bool is_wanted = std::exchange(is_place_wanted_, false);
  if (is_wanted) ++wanted;
  // A new session takes no place from one that somebody keeps.
  std::int64_t for_new = is_missed && !is_wanted ? 1 : 0;
  if (wanted + for_new <= 0) return;
  struct Idle {
    bool is_kept;
    Position last;
    StreamKey key;
    auto operator<=>(const Idle&) const = default;
  };
  std::vector<Idle> idle;
  for (const auto& [key, view] : views_) {
    const LeaseState& s = *view.state;
    if (!s.lease || !domain::is_live(s.status)) continue;
    if (view.is_yielding) --wanted;
    const bool is_idle = !view.is_yielding && !domain::has_work(s) && s.tasks == 0 &&
                         !s.own_turn.is_set() && s.asks->empty();
    if (is_idle) idle.push_back({!of_conversations_.contains(key), view.last, key});
  }
  std::sort(idle.begin(), idle.end());
  wanted += for_new;
  for (const Idle& one : idle) {
    if (one.is_kept) wanted -= std::exchange(for_new, 0);
    if (wanted-- <= 0) return;
    View& view = views_.at(one.key);
    view.is_yielding = view.is_directive_due = true;
    dirty_.insert(one.key);
  }
}

// True if the session has a prompt that can be started, and a place to run in.
bool LeaseDispatcher::can_begin(const StreamKey& key, const LeaseState& s) const {
  if (s.queue.empty()) return false;
  if (s.pause != domain::EndReason::session_limit) return s.pause == domain::EndReason::none;
  return domain::has_place(commands_.of<domain::AdmissionStream>(), key.id,
                           commands_.limits().max_sessions);
}

bool LeaseDispatcher::grant(const StreamKey& key, View& view) {
  const LeaseState& s = *view.state;
  if (is_draining_) return false;  // queued prompts wait for the next server
  if (!domain::is_live(s.status) || s.lease || view.is_granting) return false;
  if (!can_begin(key, s)) return false;
  // A lease given to a worker that has ended would cost the session a turn that no agent was given.
  forget_lost_workers();
  // One worker a machine, or one that leaves and its successor.
  const auto free = std::find_if(workers_.begin(), workers_.end(),
                                 [](const auto& entry) { return !entry.second.is_leaving; });
  if (free == workers_.end()) return false;
  view.is_granting = true;
  submit(domain::GrantLease{free->first}, key);
  return true;
}

// True while a live worker that has not registered here can hold a lease and obey the previous
// server. Waits until a worker registers; then at most holder_wait, or until a registered worker is
// known to be the only one. After holder_wait an unregistered worker must have noticed that nobody
// answers.
bool LeaseDispatcher::is_holder_awaited() {
  if (!locks_.is_worker_alive()) return false;
  if (workers_.empty()) return true;
  if (now_ - *begun_at_ > options_.holder_wait) return false;
  if (base::mutant(base::Mutant::holder_not_awaited)) return false;
  return std::none_of(workers_.begin(), workers_.end(),
                      [&](const auto& entry) { return locks_.is_only_worker(entry.second.pid); });
}

void LeaseDispatcher::expire(const StreamKey& key, View& view) {
  const LeaseState& s = *view.state;
  if (!s.lease || view.is_expiring || peer_of(s.lease->worker) != nullptr) return;
  const bool is_held = locks_.is_session_held(key.id);
  if (is_held) return;
  base::rare(base::Rare::lease_expired);
  view.is_expiring = true;
  submit(domain::ExpireLease{s.lease->token, view.told, view.answered}, key);
}

void LeaseDispatcher::take_contents() {
  while (auto outcome = contents_->poll()) {
    const auto wanted = content_wanted_.find(outcome->position);
    if (wanted == content_wanted_.end()) continue;
    const StreamKey key = std::move(wanted->second);
    content_wanted_.erase(wanted);
    const auto found = views_.find(key);
    if (found == views_.end() || !found->second.directed) continue;
    // A prompt that could not be read must not reach the agent as an empty one: it is read again.
    (take_content(key, found->second, std::move(*outcome)) ? dirty_ : unread_).insert(key);
  }
}

// Returns false if the content could not be read.
bool LeaseDispatcher::take_content(const StreamKey& key, View& view, ContentOutcome outcome) {
  Directed& directed = *view.directed;
  directed.awaited.erase(outcome.position);
  if (!outcome.event) return false;
  std::string text;
  if (outcome.event->content) {
    text = std::move(outcome.event->content->text);
  } else if (outcome.event->envelope.content) {
    directed.is_giving_up = true;
    submit(domain::GiveUpContent{outcome.position}, key);
    return true;
  }
  if (outcome.position != view.state->opened) {
    directed.prompts[outcome.position] = {std::move(text), files_of(outcome.event->event)};
    return true;
  }
  auto* opened = outcome.event->event.as<domain::SessionOpened>();
  if (opened == nullptr) return false;
  directed.spec = std::move(opened->spec.edit());
  directed.system_prompt = std::move(text);
  return true;
}

// A conversation that cannot be read now is asked for again after a while.
void LeaseDispatcher::take_conversations() {
  while (auto outcome = contents_->poll_spoken()) {
    const auto wanted = spoken_wanted_.find({outcome->session, outcome->current});
    if (wanted == spoken_wanted_.end()) continue;
    const StreamKey key = std::move(wanted->second);
    spoken_wanted_.erase(wanted);
    const auto found = views_.find(key);
    if (found == views_.end() || !found->second.directed) continue;
    const auto& turn = found->second.state->turn;
    Directed& directed = *found->second.directed;
    directed.is_conversation_awaited = false;
    const bool is_of_turn = turn && turn->turn == outcome->current;
    if (is_of_turn && outcome->text) directed.conversation = std::move(*outcome->text);
    (outcome->text ? dirty_ : unread_).insert(key);
  }
}

// True when all content that the directive quotes is in memory; else it is requested.
bool LeaseDispatcher::has_contents(const StreamKey& key, View& view, LeaseEnd end) {
  const LeaseState& s = *view.state;
  Directed& directed = *view.directed;
  if (directed.is_giving_up) return false;
  const auto want = [&](base::Position position) {
    if (!directed.awaited.insert(position).second) return;
    content_wanted_[position] = key;
    contents_->request(position);
  };
  auto needed = domain::texts_needed(s);
  if (end != LeaseEnd::none) {
    std::erase_if(needed, [](const domain::NeededText& text) {
      return text.role != domain::TextRole::answer;
    });
  }
  std::erase_if(directed.prompts, [&](const auto& prompt) {
    return std::none_of(needed.begin(), needed.end(), [&](const domain::NeededText& text) {
      return text.position == prompt.first;
    });
  });
  for (const domain::NeededText& text : needed) {
    const bool is_there = text.role == domain::TextRole::opening
                              ? directed.spec.has_value()
                              : directed.prompts.contains(text.position);
    if (!is_there) want(text.position);
  }
  const bool is_told = end == LeaseEnd::none && is_told_what_was_lost(view);
  if (is_told && !directed.conversation && !directed.is_conversation_awaited) {
    directed.is_conversation_awaited = true;
    spoken_wanted_[{key.id, s.turn->turn}] = key;
    contents_->request_spoken({key.agent, key.id, std::max(s.lost_at, view.last), s.turn->turn});
  }
  return directed.awaited.empty() && (!is_told || directed.conversation);
}

// True if the turn's prompt comes behind what the record holds of the conversation.
bool LeaseDispatcher::is_told_what_was_lost(const View& view) {
  const LeaseState& s = *view.state;
  if (!s.turn || s.lost_at.value == 0) return false;
  const base::TurnId told = view.directed->told_with;
  return !told.is_set() || told == s.turn->turn;
}

// An agent is asked about all of its calls if a rule could forbid one, or have people asked: it
// asks of its own accord only about some.
std::vector<domain::HookPoint> LeaseDispatcher::hook_points(const StreamKey& key,
                                                            const domain::SessionSpec& spec) const {
  auto points = hooks_.points_of(key.agent, spec.engine);
  const auto call = domain::HookPoint::pre_tool_use;
  const bool is_guarded =
      hooks_.offers(spec.engine, call) &&
      domain::has_guards(commands_.of<domain::RulesStream>(), key.agent, key.id);
  if (is_guarded && std::find(points.begin(), points.end(), call) == points.end()) {
    points.push_back(call);
  }
  return points;
}

// All contents that the turn needs must be in memory. Files that the agent has are not sent again:
// there can be 20 MiB of them, with each answer.
DirectedTurn LeaseDispatcher::directed_turn(const LeaseState& s, const Directed& directed) {
  DirectedTurn turn{s.turn->turn, {}, s.turn->is_interrupt_requested};
  std::int64_t number = 0;
  const auto take = [&](base::Position prompt, const domain::AttachedFiles& files) {
    const DirectedText& text = directed.prompts.at(prompt);
    const bool has_files = number == 0 && is_prompt_given(s);
    for (std::size_t i = 0; !has_files && i < std::min(files.size(), text.files.size()); ++i) {
      const domain::FileFacts& facts = text.files[i];
      turn.files.push_back(
          {number, facts.name, facts.media_type, directed.prompts.at(files[i].file).text});
    }
    ++number;
    return text.text;
  };
  if (s.turn->deferred->empty()) {
    turn.prompt = take(s.turn->prompt, s.turn->files);
  } else {
    turn.deferred = s.turn->deferred;
    turn.deferred_request = deferred_request(s);
    ++number;
  }
  for (const domain::InjectedPrompt& one : *s.turn->injected) {
    turn.injected.push_back(take(one.prompt, one.files));
  }
  return turn;
}

bool LeaseDispatcher::send_directive(const StreamKey& key, View& view) {
  const LeaseState& s = *view.state;
  // A holder that comes back while its lease is taken must not begin a turn under it.
  if (!view.is_directive_due || !s.lease) return false;
  if (view.is_expiring && !base::mutant(base::Mutant::expiring_lease_directed)) return false;
  const bus::PeerId* peer = peer_of(s.lease->worker);
  if (peer == nullptr) return false;  // due again when the worker registers
  const bool is_told = view.directed && view.directed->number > 0;
  if (!is_told && view.is_granted_here && workers_.at(s.lease->worker).is_leaving) return false;
  if (!view.directed) view.directed = std::make_unique<Directed>();
  Directed& directed = *view.directed;
  DirectiveBody directive;
  directive.end = end_of(s);
  // A directive that ends the agent carries no other content than answers, and none if it ends it
  // now, so that the agent ends even if none can be read.
  const bool may_answer = directive.end != LeaseEnd::kill && has_answers(s);
  if (directive.end == LeaseEnd::none || may_answer) {
    if (!has_contents(key, view, directive.end)) return false;
    directive.answers = directed_answers(s, directed.prompts);
  }
  if (directive.end == LeaseEnd::none) {
    directive.spec = *directed.spec;
    domain::apply_changes(s.changed, directive.spec);
    directive.changes = s.changed->changes;
    directive.changed = domain::settings_to_tell(s.changed);
    if (s.lease->budget.value > 0) directive.spec.budget = s.lease->budget;
    directive.system_prompt = directed.system_prompt;
    if (s.turn) {
      directive.turn = directed_turn(s, directed);
      if (is_told_what_was_lost(view) && directive.turn->deferred.empty()) {
        directive.turn->prompt.insert(0, *directed.conversation);
        directed.told_with = s.turn->turn;
      }
    }
    if (s.is_own_turn_to_end) directive.own_turn_to_end = s.own_turn;
    if (begins_anew(s)) forget_agent_session(directive.spec);
    directive.hook_points = hook_points(key, directive.spec);
  }
  directive.session = key.id;
  directive.agent = key.agent;
  directive.token = s.lease->token;
  directive.resume_agent_session = s.lease->resume_agent_session;
  directive.last_message = s.lease->last_message;
  directive.is_place_wanted = view.is_yielding;
  directive.number = ++directives_;
  if (!send(*peer, notice(kVerbDirective, directive))) {
    unread_.insert(key);
    return false;
  }
  view.is_directive_due = false;
  if (directive.turn) view.told = directive.turn->turn;
  if (!directive.answers.empty()) view.answered = last_answer(s);
  directed.number = directives_;
  directed.at = now_;
  return true;
}

}  // namespace workers
