// A duty cycle: commit and answer what the last one decided, receive, decide, commit again, then
// the reactors, queries and feed.
#include "workers/server/server.hpp"

#include <algorithm>
#include <utility>

#include "eventlog/base/check.hpp"
#include "eventlog/base/mutant.hpp"
#include "eventlog/base/rare_branches.hpp"
#include "eventlog/base/release.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "workers/protocol/earlier_names.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/queries/queries.hpp"
#include "workers/server/older_requests.hpp"

namespace workers {
namespace {

// The most values in one frame. A client's longest sensible list is the versions of an erasure; a
// worker lists each of its leases with nine values.
constexpr std::size_t kClientItemsMax = 65'536;
constexpr std::size_t kWorkerItemsMax = 262'144;
constexpr std::size_t kParkedMax = 1024;                  // queries that wait for a position
constexpr std::size_t kQueriesMax = 1024;                 // queries that wait for their answer
constexpr std::size_t kPeerQueriesMax = kQueriesMax / 8;  // of one peer, parked ones included
// While nobody asks, projections are told of new events at most this often, so that a row which
// changes many times is written once. A query never waits for it, but can have that much to fold.
constexpr base::Duration kViewsInterval = std::chrono::milliseconds(200);
constexpr base::Duration kViewsRetry = std::chrono::seconds(1);       // after one that failed
constexpr base::Duration kSilenceInterval = std::chrono::seconds(1);  // between looks at the peers

bus::LogEpoch bus_epoch(const eventlog::Epoch& epoch) {
  return {epoch.counter, epoch.random};
}

bus::Welcome welcome(const eventlog::LogTail& tail, base::ServerId incarnation) {
  bus::Welcome w;
  w.server = incarnation;
  w.log = tail.log;
  w.epoch = bus_epoch(tail.epoch);
  w.release = base::release();
  w.head = tail.position;
  return w;
}

CommandLoopOptions with_key(const ServerOptions& options) {
  CommandLoopOptions commands = options.commands;
  commands.has_key = !options.reactors.key.empty();
  return commands;
}

bus::Welcome welcome_of_worker(const ServerOptions& options, base::ServerId incarnation) {
  bus::Welcome w = welcome(options.tail, incarnation);
  w.silence_max = options.reactors.leases.worker_silence_max;
  return w;
}

bus::Reply accepted(const bus::RequestKey& request, const Accepted& outcome) {
  return std::visit(
      [&]<class Reply>(const Reply& reply) {
        return bus::ok_reply(request, bus::to_body(CommandReplyOf<Reply>{reply, outcome.position,
                                                                         outcome.is_repeated}));
      },
      outcome.reply);
}

}  // namespace

Server::Server(const ServerPorts& ports, const ServerOptions& options,
               projections::Takeover&& takeover, const SideStores& stores, SideWork& side_work)
    : ports_(ports),
      options_(options),
      incarnation_(base::ServerId::make(ports.clock.wall(), ports.random)),
      log_clock_(ports.clock, options.tail.time),
      sequencer_(options.tail, ports.committer, ports.random),
      commands_(sequencer_, ports.loader, with_key(options)),
      feed_(
          ports.feed_socket,
          {{options.tail.log, bus_epoch(options.tail.epoch)}, incarnation_, options.tail.position}),
      clients_(ports.command_socket, welcome(options.tail, incarnation_), kClientItemsMax),
      workers_(ports.worker_socket, welcome_of_worker(options, incarnation_), kWorkerItemsMax),
      subscribers_(clients_, *options.reactors.hooks.table,
                   options.reactors.hooks.programs.subscribers, ports.random),
      reactors_(make_reactors(
          {commands_, ports.random, streams_, ports.locks, ports.worker_socket, stores, side_work},
          options.reactors)),
      started_(ports.clock.boot()) {
  for (auto& [stream, loaded] : takeover.shared) commands_.adopt(stream, std::move(loaded));
  commands_.know_agents(std::move(takeover.agents));
  // Reactors keep what they need of each stream. The states themselves are freed here.
  const auto under_way = std::exchange(takeover.under_way, {});
  for (const projections::StreamUnderWay& stream : under_way) {
    streams_.restore(stream);
    for (const auto& reactor : reactors_) reactor->restore(stream);
  }
}

void Server::drain() {
  for (const auto& reactor : reactors_) reactor->drain();
}

std::vector<int> Server::wake_fds() const {
  std::vector<int> fds{subscribers_.wake_fd()};
  for (const auto& reactor : reactors_) {
    const std::vector<int> its = reactor->wake_fds();
    fds.insert(fds.end(), its.begin(), its.end());
  }
  return fds;
}

bool Server::do_work() {
  thread_.check();
  if (failure_) return false;
  boot_ = ports_.clock.boot();
  now_ = log_clock_.now();
  const base::Time wall = ports_.clock.wall();
  duty_.begin(boot_);

  const bool is_first = !is_ready();
  if (is_first) start();
  // The last cycle's decisions go first, so that they are committed while more is received.
  bool has_worked = commit() || is_first;
  if (failure_) return true;
  has_worked |= receive_frames();
  forget_silent_peers();
  const Position tail_before = sequencer_.tail();
  has_worked |= commands_.do_work(now_, wall, ports_.clock.boot());
  commands_.date_answers(ports_.clock.boot());
  if (sequencer_.tail() != tail_before) {
    flight_.add(boot_, FlightKind::appended, sequencer_.tail().value);
    flight_.add(boot_, FlightKind::decided, static_cast<std::int64_t>(commands_.waiting()));
  }
  has_worked |= commit();
  if (failure_) return true;
  const Cycle cycle{now_, wall, boot_, sequencer_.durable(), has_taken_over(), flight_};
  for (const auto& reactor : reactors_) has_worked |= reactor->do_work(cycle);
  has_worked |= subscribers_.do_work(boot_, wall);
  has_worked |= send_query_answers();
  has_worked |= feed_.do_work(boot_) > 0;
  duty_.end(has_worked);
  return has_worked;
}

bool Server::commit() {
  const Position durable_before = sequencer_.durable();
  bool has_worked = sequencer_.do_work();
  if (sequencer_.durable() > durable_before) durable_at_ = ports_.clock.boot();
  if (sequencer_.failure()) {
    failure_ = sequencer_.failure();
    flight_.add(boot_, FlightKind::failed, 0);
    return true;
  }
  has_worked |= publish_durable();
  has_worked |= send_answers();
  return has_worked;
}

void Server::start() {
  domain::StartServer start;
  start.incarnation = incarnation_;
  start.writer_term = sequencer_.log().writer_term;
  start.release = base::release();
  if (options_.tail.position.value == 0) start.new_epoch = options_.tail.epoch.counter;
  CommandMessage message;
  message.id = base::CommandId::make(now_, ports_.random);
  message.actor_kind = domain::ActorKind::server;
  message.actor = "server";
  message.command = domain::ServerCommand(std::move(start));
  commands_.submit({}, std::move(message));
  const Position before = sequencer_.tail();
  commands_.do_work(now_, ports_.clock.wall(), boot_);
  started_at_ = sequencer_.tail();
  CHECK(started_at_ > before);  // the server's own stream was taken over, and nothing else waits
  for (const auto& reactor : reactors_) {
    reactor->begin(started_at_, sequencer_.log().writer_term);
  }
}

// Called after receiving: a peer that was not heard because the server itself stood still is not
// silent.
void Server::forget_silent_peers() {
  if (boot_ < silence_due_) return;
  silence_due_ = boot_ + kSilenceInterval;
  clients_.peers().forget_silent(boot_);
  workers_.peers().forget_silent(boot_);
}

bool Server::receive_frames() {
  bool has_received = false;
  is_flight_told_ = false;
  // Workers first: their reports free places, and a kill must not wait for a prompt.
  while (auto frame = workers_.receive(boot_)) {
    has_received = true;
    flight_.add(boot_, FlightKind::frame, 1);
    if (auto* notice = std::get_if<bus::Notice>(&frame->message)) {
      for (const auto& reactor : reactors_) reactor->on_worker(frame->peer->id, *notice, now_);
    } else if (const auto* request = std::get_if<bus::Request>(&frame->message)) {
      workers_.reply(frame->peer->id,
                     bus::error_reply(request->key(), bus::ReplyError::refused,
                                      "this endpoint takes the notices of workers; requests go to "
                                      "the command endpoint"));
    }
  }
  while (auto frame = clients_.receive(boot_)) {
    has_received = true;
    flight_.add(boot_, FlightKind::frame, 0);
    if (auto* request = std::get_if<bus::Request>(&frame->message)) {
      take_request(*frame->peer, *request);
    }
  }
  return has_received || workers_.has_waiting() || clients_.has_waiting();
}

void Server::take_request(const bus::Peer& peer, const bus::Request& request) {
  auto asked = understand(peer, request, reactors_,
                          [&](std::size_t bytes) { return commands_.check_room(peer.id, bytes); });
  if (!asked) {
    clients_.reply(peer.id, asked.error());
    return;
  }
  std::visit([&](auto& one) { take(peer, request, std::move(one)); }, *asked);
}

void Server::take(const bus::Peer& peer, const bus::Request& request, StatusWanted) {
  clients_.reply(peer.id, bus::ok_reply(request.key(), bus::to_body(status())));
}

// At most once a cycle, because the answer is long.
void Server::take(const bus::Peer& peer, const bus::Request& request, FlightWanted) {
  if (std::exchange(is_flight_told_, true)) {
    clients_.reply(peer.id, bus::error_reply(request.key(), bus::ReplyError::busy,
                                             "the flight recorder was just told; ask again"));
    return;
  }
  clients_.reply(peer.id,
                 bus::ok_reply(request.key(), bus::to_body(FlightAnswer{flight_.entries()})));
}

void Server::take(const bus::Peer& peer, const bus::Request& request, ListWanted wanted) {
  base::RawValue answer = wanted.reactor->answer(commands_.durable());
  if (knows_earlier_names_only(peer.hello)) {
    answer = in_earlier_names(request.verb, std::move(answer));
  }
  clients_.reply(peer.id, bus::ok_reply(request.key(), std::move(answer)));
}

void Server::take(const bus::Peer& peer, const bus::Request& request, StepWanted wanted) {
  subscribers_.take(peer, request.key(), std::move(wanted.body), boot_);
}

void Server::take(const bus::Peer& peer, const bus::Request& request, Submission submission) {
  Waiting waiting{peer.id, request.key(), boot_, std::move(submission.older_verb), {}};
  if (auto* own = std::get_if<domain::ServerCommand>(&submission.message.command)) {
    for (const auto& reactor : reactors_) reactor->prepare(*own);
    waiting.command = std::make_unique<domain::ServerCommand>(*own);
  }
  const std::uint64_t number = ++next_ticket_;
  waiting_.emplace(number, std::move(waiting));
  commands_.submit({this, number}, std::move(submission.message));
}

void Server::take(const bus::Peer& peer, const bus::Request& request, Question question) {
  Query query{peer.id,
              request.key(),
              request.verb,
              request.body,
              sequencer_.durable(),
              ArchivedBeginning::of(commands_.durable().of<domain::ServerStream>())};
  query.has_earlier_names = knows_earlier_names_only(peer.hello);
  if (const auto out = queries_of_.find(peer.id);
      out != queries_of_.end() && out->second >= kPeerQueriesMax) {
    clients_.reply(peer.id, bus::error_reply(request.key(), bus::ReplyError::busy,
                                             std::to_string(out->second) +
                                                 " queries of this connection wait; try again in a "
                                                 "moment"));
    return;
  }
  if (question.at_least > query.durable) {
    if (parked_.size() >= kParkedMax) {
      clients_.reply(peer.id, bus::error_reply(request.key(), bus::ReplyError::busy,
                                               "too many queries wait for a position"));
      return;
    }
    base::rare(base::Rare::query_parked);
    ++queries_of_[peer.id];
    parked_.push_back({std::move(query), question.at_least, boot_ + question.wait});
    return;
  }
  if (queries_out_ >= kQueriesMax) {
    clients_.reply(peer.id, bus::error_reply(request.key(), bus::ReplyError::busy,
                                             "too many queries wait; try again in a moment"));
    return;
  }
  ++queries_out_;
  ++queries_of_[peer.id];
  ports_.queries.submit(std::move(query));
}

void Server::drop_query_of(const bus::PeerId& peer) {
  const auto out = queries_of_.find(peer);
  CHECK(out != queries_of_.end());
  if (--out->second == 0) queries_of_.erase(out);
}

bool Server::publish_durable() {
  auto events = sequencer_.take_durable();
  for (eventlog::SequencedEvent& event : events) {
    commands_.on_durable(event.recorded);
    streams_.fold(event.recorded);
    for (const auto& reactor : reactors_) reactor->on_durable(event.recorded);
    const auto levels = levels_of(event.recorded.envelope);
    if (feed_.is_heard(levels)) {
      const bool is_later = !is_earlier_event(event.recorded.envelope.type);
      feed_.publish(to_feed_event(event.recorded, std::move(event.facts)), levels, is_later);
    } else {
      feed_.pass(event.recorded.envelope.position, levels);
    }
  }
  if (!events.empty()) {
    flight_.add(boot_, FlightKind::durable, sequencer_.durable().value);
    clients_.set_head(sequencer_.durable());
    workers_.set_head(sequencer_.durable());
  }
  return !events.empty();
}

void Server::on_answer(std::uint64_t number, const CommandAnswer& answer) {
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) return;
  const Waiting asked = std::move(found->second);
  waiting_.erase(found);
  if (asked.command) {
    for (const auto& reactor : reactors_) reactor->on_decided(*asked.command, answer.outcome);
  }
  if (!asked.older_verb.empty()) {
    clients_.reply(asked.peer, older_reply(asked.older_verb, asked.request, answer.outcome));
  } else if (answer.outcome) {
    clients_.reply(asked.peer, accepted(asked.request, *answer.outcome));
  } else {
    clients_.reply(asked.peer, rejected(asked.request, answer.outcome.error()));
  }
  // A refusal can rest on events that were durable before it was decided.
  answered_.push_back(
      {asked.received, answer.taken, answer.appended, std::max(answer.appended, durable_at_)});
}

bool Server::send_answers() {
  const auto answers = commands_.take_answers();
  for (const CommandAnswer& answer : answers) {
    if (answer.ticket.asker != nullptr)
      answer.ticket.asker->on_answer(answer.ticket.number, answer);
  }
  if (!answered_.empty()) {
    const base::Duration now = ports_.clock.boot();
    for (const CommandTimes& times : answered_) duty_.add(times, now);
    answered_.clear();
  }
  if (!answers.empty()) {
    flight_.add(boot_, FlightKind::answered, static_cast<std::int64_t>(answers.size()));
  }
  return !answers.empty();
}

bool Server::send_query_answers() {
  release_parked();
  bool has_worked = false;
  while (auto answer = ports_.queries.poll()) {
    has_worked = true;
    if (answer->reply.id.is_set()) {
      --queries_out_;
      drop_query_of(answer->peer);
      clients_.reply(answer->peer, answer->reply);
    } else {
      are_views_told_ = false;
    }
    if (answer->is_behind) {
      views_at_ = {};
      views_due_ = boot_ + kViewsRetry;
    }
  }
  // Keeps the projections close to the log even while nobody asks, or while digests are taken.
  if (!are_views_told_ && views_at_ < sequencer_.durable() && boot_ >= views_due_) {
    views_at_ = sequencer_.durable();
    views_due_ = boot_ + kViewsInterval;
    are_views_told_ = true;
    ports_.queries.submit(Query{{}, {}, {}, {}, views_at_});
  }
  return has_worked;
}

void Server::release_parked() {
  const Position durable = sequencer_.durable();
  for (auto at = parked_.begin(); at != parked_.end();) {
    if (at->at_least <= durable) {
      if (queries_out_ >= kQueriesMax) {
        ++at;  // until an answer leaves room
        continue;
      }
      at->query.durable = durable;
      ++queries_out_;
      ports_.queries.submit(std::move(at->query));
    } else if (boot_ >= at->deadline) {
      drop_query_of(at->query.peer);
      clients_.reply(at->query.peer,
                     bus::error_reply(at->query.request, bus::ReplyError::timeout,
                                      "position " + std::to_string(at->at_least.value) +
                                          " was not reached in time; the log is at " +
                                          std::to_string(durable.value)));
    } else {
      ++at;
      continue;
    }
    at = parked_.erase(at);
  }
}

base::Duration Server::next_timer() const {
  base::Duration next = std::min(feed_.next_timer(), subscribers_.next_timer());
  for (const auto& reactor : reactors_) next = std::min(next, reactor->next_timer());
  if (!are_views_told_ && views_at_ < sequencer_.durable()) next = std::min(next, views_due_);
  for (const Parked& parked : parked_) next = std::min(next, parked.deadline);
  return next;
}

StatusAnswer Server::status() const {
  StatusAnswer s;
  s.incarnation = incarnation_;
  s.release = base::release();
  s.log = sequencer_.log().log;
  s.epoch = sequencer_.log().epoch.counter;
  s.writer_term = sequencer_.log().writer_term;
  s.durable = sequencer_.durable();
  s.tail = sequencer_.tail();
  s.uptime_us = (boot_ - started_).count();
  const domain::AdmissionState& admission = commands_.durable().of<domain::AdmissionStream>();
  s.live_sessions = static_cast<std::int64_t>(admission.live.size());
  s.parked_sessions = static_cast<std::int64_t>(admission.parked.size());
  s.inconsistent = admission.inconsistent;
  s.max_sessions = options_.commands.limits.max_sessions;
  s.daily_budget = options_.commands.limits.daily_budget;
  s.clients = static_cast<std::int64_t>(clients_.peers().count());
  s.agent_budget = options_.commands.limits.agent_budget;
  s.total_daily_budget = options_.commands.limits.total_daily_budget;
  s.prices = options_.prices;
  s.waiting_commands = static_cast<std::int64_t>(commands_.waiting());
  s.loaded_streams = static_cast<std::int64_t>(commands_.loaded_streams());
  s.key = options_.reactors.key;
  s.clock_lead = clock_lead();
  for (std::size_t target = 0; target < domain::kNotificationTargets; ++target) {
    if (!options_.commands.limits.sinks[target]) continue;
    s.sinks.emplace_back(base::enum_name(static_cast<domain::NotificationTarget>(target)));
  }
  for (const auto& reactor : reactors_) reactor->describe(s);
  s.stages = duty_.times();
  if (options_.facts) s.facts = options_.facts();
  return s;
}

}  // namespace workers
