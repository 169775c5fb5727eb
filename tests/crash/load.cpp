// Random sessions are spawned, prompted, interrupted, closed and killed over several connections.
// The first connection is too hasty to wait for every answer, so some outcomes stay unknown.
#include "tests/crash/load.hpp"

#include <algorithm>
#include <cstdlib>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"

namespace crash {
namespace {

using base::ErrorCode;
using base::failure;

constexpr std::size_t kConnections = 4;
constexpr std::size_t kAwaitedMax = 5;   // in flight on one connection
constexpr std::size_t kTargetsMax = 12;  // each has an agent and its child
constexpr std::size_t kEndedMax = 20;
// Longer than any server here needs to come back, so the command gets an outcome in the end.
constexpr Duration kPatience = std::chrono::seconds(60);
// Shorter than that, so that some commands have an unknown outcome.
constexpr Duration kHaste = std::chrono::milliseconds(60);

// Time between two fillings of the connections, when no number of answers is awaited.
constexpr Duration kSendAgain = std::chrono::milliseconds(20);
constexpr Duration kLookAgain = std::chrono::milliseconds(10);

// True for a rejection that a correct server can give to commands chosen without knowing its state.
bool is_fair(const std::string& code) {
  static const std::set<std::string> kFair = {"not_found",     "session_limit", "session_ended",
                                              "not_accepting", "source_live",   "turn_not_running",
                                              "not_resumable", "limit_reached", "lease_held"};
  return kFair.contains(code);
}

bus::ClientOptions client_options(const std::string& endpoint) {
  bus::ClientOptions options;
  options.hello.name = "load";
  options.endpoint = endpoint;
  options.retry_after = std::chrono::milliseconds(200);
  options.silence_max = std::chrono::seconds(2);
  return options;
}

}  // namespace

Load::Load(const std::string& endpoint, const std::string& workdir, base::Random& random)
    : workdir_(workdir), random_(random) {
  for (std::size_t i = 0; i <= kConnections; ++i) {
    auto socket = bus::connect_client(context_, endpoint);
    if (!socket) std::abort();
    Connection connection;
    connection.socket = std::move(*socket);
    connection.client = std::make_unique<bus::Client>(*connection.socket, clock_, random_,
                                                      client_options(endpoint));
    connection.patience = i == 0 ? kHaste : kPatience;
    connections_.push_back(std::move(connection));
  }
}

Result<bool> Load::drive(std::int64_t answers, Duration limit) {
  const std::int64_t wanted = answers_ + answers;
  const Duration deadline = clock_.boot() + limit;
  while (answers_ < wanted) {
    if (clock_.boot() > deadline) {
      return failure(ErrorCode::timeout, "waited for " + std::to_string(answers) +
                                             " answers, and " + std::to_string(wanted - answers_) +
                                             " of them did not come");
    }
    fill();
    pump(std::chrono::milliseconds(20));
  }
  return true;
}

void Load::drive_for(Duration time) {
  const Duration end = clock_.boot() + time;
  for (Duration next = clock_.boot(); clock_.boot() < end;) {
    if (clock_.boot() >= next) {
      fill();
      next = clock_.boot() + kSendAgain;
    }
    pump(std::min(next, end) - clock_.boot());
  }
}

void Load::fill() {
  for (std::size_t i = 0; i < kConnections; ++i) {
    while (connections_[i].awaited.size() < kAwaitedMax) send_next(connections_[i]);
  }
}

Result<bool> Load::settle(Duration limit) {
  const Duration deadline = clock_.boot() + limit;
  while (has_awaited()) {
    if (clock_.boot() > deadline) {
      return failure(ErrorCode::timeout, "waited for the outcome of every command");
    }
    pump(std::chrono::milliseconds(20));
  }
  return true;
}

Result<bool> Load::wait_until(const std::string& what, Duration limit,
                              const std::function<Result<bool>()>& is_reached) {
  const Duration deadline = clock_.boot() + limit;
  for (;;) {
    const auto reached = is_reached();
    if (!reached || *reached) return reached;
    if (clock_.boot() > deadline) return failure(ErrorCode::timeout, "waited for " + what);
    pump(kLookAgain);
  }
}

bool Load::has_awaited() const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [](const Connection& c) { return !c.awaited.empty(); });
}

void Load::pump(Duration limit) {
  work();
  wait(limit);
}

void Load::work() {
  const Duration now = clock_.boot();
  for (Connection& connection : connections_) {
    connection.client->do_work(now);
    take_outcomes(connection);
  }
}

// Waits until something arrives or a client has work, for at most `limit`.
void Load::wait(Duration limit) {
  const Duration now = clock_.boot();
  std::vector<bus::PollItem> items;
  for (Connection& connection : connections_) {
    limit = std::min(limit, connection.client->next_timer() - now);
    items.push_back(bus::PollItem::of(*connection.socket));
    items.back().wants_write = connection.client->wants_write();
  }
  if (!bus::poll(items, limit)) fault_ = "the sockets could not be polled";
}

void Load::take_outcomes(Connection& connection) {
  for (auto at = connection.awaited.begin(); at != connection.awaited.end();) {
    SentCommand& sent = sent_[*at];
    const auto outcome = connection.client->take(sent.id);
    if (!outcome) {
      ++at;
      continue;
    }
    note(sent, *outcome);
    at = connection.awaited.erase(at);
  }
}

void Load::note(SentCommand& sent, const Result<bus::Reply>& outcome) {
  if (!outcome) {
    sent.outcome = Outcome::unknown;
    sent.code = base::describe(outcome.error());
    return;
  }
  ++answers_;
  if (outcome->status != bus::ReplyStatus::ok) {
    sent.outcome = Outcome::rejected;
    sent.code = outcome->code;
    if ((domain::command_if<domain::Spawn>(sent.command) != nullptr)) drop(sent.session);
    if (outcome->status == bus::ReplyStatus::error || !is_fair(outcome->code)) {
      fault_ =
          "command " + sent.id.text() + " was answered " + outcome->code + ": " + outcome->text;
    }
    return;
  }
  auto reply = bus::from_body<workers::CommandReplyBody>(outcome->body);
  if (!reply) {
    fault_ = base::describe(reply.error());
    return;
  }
  for (Target& target : targets_) target.is_known |= target.session == sent.session;
  sent.outcome = Outcome::accepted;
  sent.reply = std::move(*reply);
}

Result<bus::Reply> Load::request(base::CommandId id, std::string_view verb, base::RawValue body,
                                 Duration limit) {
  bus::Client& client = *connections_.back().client;
  if (auto started = client.start(id, verb, std::move(body), limit); !started) {
    return tl::unexpected(started.error());
  }
  for (;;) {
    work();
    if (auto outcome = client.take(id)) return std::move(*outcome);
    wait(limit);
  }
}

base::RawValue Load::body_of(const SentCommand& sent) const {
  workers::CommandBody body = workers::encode_command(sent.command);
  body.session = sent.session;
  body.agent = "main";
  body.actor = "load";
  return bus::to_body(body);
}

Result<SentCommand> Load::ask(base::CommandId id, base::SessionId session,
                              const domain::Command& command, Duration limit) {
  SentCommand sent{id, session, command, Outcome::awaited, {}, {}};
  const auto reply = request(id, workers::kVerbCommand, body_of(sent), limit);
  if (!reply) return tl::unexpected(reply.error());
  note(sent, reply);
  ++retried_;
  return sent;
}

// ---- what is sent ----

void Load::send_next(Connection& connection) {
  SentCommand next = choose();
  const auto started =
      connection.client->start(next.id, workers::kVerbCommand, body_of(next), connection.patience);
  if (!started) {
    fault_ = base::describe(started.error());
    return;
  }
  connection.awaited.insert(sent_.size());
  sent_.push_back(std::move(next));
}

SentCommand Load::choose() {
  const std::uint64_t roll = random_.below(100);
  if (roll < 20 && !lingering_.empty()) {
    const base::SessionId session = lingering_.front();
    lingering_.pop_front();
    return {fresh_id(), session, domain::KillSession{}, Outcome::awaited, {}, {}};
  }
  if (targets_.empty() || (roll < 40 && targets_.size() < kTargetsMax)) return spawn({});
  if (roll < 46 && !ended_.empty()) {
    const base::SessionId resumed = ended_[random_.below(ended_.size())];
    return spawn(resumed);
  }
  SentCommand next;
  next.id = fresh_id();
  Target& target = choose_target();
  next.session = target.session;
  if (roll < 66 && target.is_multi_turn) {
    next.command = domain::SendPrompt{choose_prompt(), random_.chance(20)};
    target.last_turn = {next.id.bytes};
  } else if (roll < 76) {
    next.command = domain::InterruptTurn{target.last_turn};
  } else {
    if (roll < 88) {
      next.command = domain::KillSession{};
    } else {
      next.command = domain::CloseSession{};
    }
    drop(target.session);
  }
  return next;
}

SentCommand Load::spawn(base::SessionId resumed) {
  SentCommand next;
  next.id = fresh_id();
  next.session = base::SessionId{next.id.bytes};
  domain::Spawn spawn;
  spawn.spec.engine = "scripted";
  spawn.spec.workdir = workdir_;
  spawn.spec.is_multi_turn = random_.chance(50);
  spawn.prompt = choose_prompt();
  spawn.resume = resumed;
  spawn.is_fork = resumed.is_set() && random_.chance(50);
  next.command = spawn;
  targets_.push_back({next.session, spawn.spec.is_multi_turn, {next.id.bytes}, false});
  return next;
}

std::string Load::choose_prompt() {
  static constexpr const char* kPrompts[] = {
      "[say x]",
      "[say x] [child]",
      "[words 20] [delay 20] [child]",
      "[words 5] [delay 100]",
      "[tools 2] [child]",
      "[tools 3] [delay 50]",
      "[big 100000]",
      "[hang] [child]",
      "[deaf] [hang]",
      "[error] [child]",
      "[exit 3]",
      "[crash] [child]",
  };
  return kPrompts[random_.below(std::size(kPrompts))];
}

// Seldom chooses a target whose Spawn can still be in flight.
Load::Target& Load::choose_target() {
  Target* target = nullptr;
  for (int attempt = 0; attempt < 4; ++attempt) {
    target = &targets_[random_.below(targets_.size())];
    if (target->is_known) break;
  }
  return *target;
}

void Load::drop(base::SessionId session) {
  std::erase_if(targets_, [&](const Target& t) { return t.session == session; });
}

void Load::learn(const std::map<base::SessionId, domain::SessionState>& sessions) {
  std::erase_if(targets_, [&](const Target& t) {
    const auto found = sessions.find(t.session);
    return found == sessions.end() || !domain::is_live(found->second.status);
  });
  lingering_.clear();
  ended_.clear();
  // Latest sessions first: ids are ordered by time.
  for (auto at = sessions.rbegin(); at != sessions.rend(); ++at) {
    const auto& [id, state] = *at;
    const bool is_target = std::any_of(targets_.begin(), targets_.end(),
                                       [&](const Target& t) { return t.session == id; });
    if (domain::is_live(state.status)) {
      if (!is_target) lingering_.push_back(id);
    } else if (!state.agent_session.empty() && ended_.size() < kEndedMax) {
      ended_.push_back(id);
    }
  }
}

LoadCounts Load::counts() const {
  LoadCounts counts;
  for (const SentCommand& sent : sent_) {
    counts.accepted += sent.outcome == Outcome::accepted ? 1 : 0;
    counts.rejected += sent.outcome == Outcome::rejected ? 1 : 0;
    if (sent.outcome == Outcome::rejected) ++counts.rejected_as[sent.code];
    counts.unknown += sent.outcome == Outcome::unknown ? 1 : 0;
  }
  counts.retried = retried_;
  return counts;
}

}  // namespace crash
