#include "tools/benchmarks/steno_load.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "workers/protocol.hpp"

namespace benchmarks {
namespace {

constexpr std::string_view kAgent = "bench";
constexpr std::string_view kActor = "bench";
constexpr std::string_view kEngine = "scripted";
constexpr std::string_view kWorkdir = "/home/user/project";
constexpr base::Duration kRequestMax = std::chrono::seconds(15);
constexpr base::Duration kWaitMax = std::chrono::seconds(1);
constexpr std::size_t kSessions = 512;
constexpr std::size_t kSpawnsOutstanding = 64;
constexpr std::int64_t kEventsOfStart = 2;  // EpochStarted, ServerStarted
constexpr std::int64_t kEventsOfSpawn = 4;  // opened, turn queued, name claimed, admitted

const std::string& any_prompt() {
  static const std::string kPrompt(kPromptBytes, 'p');
  return kPrompt;
}

// What a frame has beside its body.
std::size_t request_frame_bytes() {
  static const std::size_t kBytes =
      bus::encode_frame(bus::Request{{}, std::string(workers::kVerbCommand), {}}).size();
  return kBytes;
}
std::size_t reply_frame_bytes() {
  static const std::size_t kBytes = bus::encode_frame(bus::Reply{}).size();
  return kBytes;
}

session::ClientCommand spawn_command() {
  session::Spawn spawn;
  spawn.spec.engine = kEngine;
  spawn.spec.workdir = kWorkdir;
  spawn.spec.is_multi_turn = true;
  spawn.prompt = any_prompt();
  return spawn;
}

}  // namespace

base::Result<std::unique_ptr<StenoLoad>> StenoLoad::connect(Workbench& bench,
                                                            const StenoServer& server,
                                                            std::size_t connections) {
  std::unique_ptr<StenoLoad> load(new StenoLoad(bench));
  for (std::size_t i = 0; i < connections; ++i) {
    auto socket = bus::connect_client(bench.context(), server.command_endpoint());
    if (!socket) return tl::unexpected(socket.error());
    Connection& connection = load->connections_.emplace_back();
    connection.socket = std::move(*socket);
    bus::ClientOptions options;
    options.hello.role = bus::Role::client;
    options.hello.name = kActor;
    options.hello.release = STENO_RELEASE;
    options.endpoint = server.command_endpoint();
    connection.client =
        std::make_unique<bus::Client>(*connection.socket, bench.clock(), bench.random(), options);
  }
  if (auto ok = load->spawn_sessions(); !ok) return tl::unexpected(ok.error());
  return load;
}

base::Result<bool> StenoLoad::spawn_sessions() {
  std::vector<std::size_t> done;
  while (sessions_.size() < kSessions) {
    done.clear();
    for (std::size_t slot = 0; slot < kSpawnsOutstanding; ++slot) {
      sessions_.push_back(base::SessionId::make(bench_.clock().wall(), bench_.random()));
      if (auto ok = send(slot, sessions_.size() - 1, spawn_command()); !ok) return ok;
    }
    while (done.size() < kSpawnsOutstanding) {
      const std::size_t before = done.size();
      if (auto ok = advance(done); !ok) return ok;
      if (done.size() > before) continue;
      if (auto ok = wait(-1); !ok) return ok;
    }
  }
  expected_position_ = kEventsOfStart + static_cast<std::int64_t>(kSessions) * kEventsOfSpawn;
  requests_ = request_bytes_ = reply_bytes_ = 0;
  return true;
}

base::Result<bool> StenoLoad::start(std::size_t slot) {
  was_prompt_ = !was_prompt_ || queued_.empty();
  if (was_prompt_) {
    next_session_ = (next_session_ + 1) % sessions_.size();
    return send(slot, next_session_, session::SendPrompt{any_prompt(), false});
  }
  const QueuedTurn oldest = queued_.front();
  queued_.pop_front();
  return send(slot, oldest.session, session::InterruptTurn{oldest.turn});
}

base::Result<bool> StenoLoad::send(std::size_t slot, std::size_t session,
                                   const session::ClientCommand& command) {
  workers::CommandBody body = workers::encode_command(command);
  body.session = sessions_[session];
  body.agent = kAgent;
  body.actor = kActor;
  base::RawValue encoded = bus::to_body(body);
  const auto id = base::CommandId::make(bench_.clock().wall(), bench_.random());
  request_bytes_ += encoded.encoded.size() + request_frame_bytes();
  ++requests_;
  Connection& connection = connections_[slot % connections_.size()];
  const auto started =
      connection.client->start(id, workers::kVerbCommand, std::move(encoded), kRequestMax);
  if (!started) return tl::unexpected(started.error());
  if (asked_.size() <= slot) asked_.resize(slot + 1);
  asked_[slot] = {id, session, std::holds_alternative<session::SendPrompt>(command)};
  connection.slots.push_back(slot);
  return true;
}

base::Result<bool> StenoLoad::advance(std::vector<std::size_t>& done) {
  for (Connection& connection : connections_) {
    const int heard = connection.client->do_work(bench_.clock().boot());
    if (heard == 0 && !has_waited_long_) continue;
    std::optional<base::Error> failed;
    std::erase_if(connection.slots, [&](std::size_t slot) {
      const auto outcome = connection.client->take(asked_[slot].id);
      if (!outcome) return false;
      const auto finished = *outcome ? finish(asked_[slot], **outcome)
                                     : base::Result<bool>(tl::unexpected(outcome->error()));
      if (!finished) failed = finished.error();
      done.push_back(slot);
      return true;
    });
    if (failed) return tl::unexpected(*failed);
  }
  has_waited_long_ = false;
  return true;
}

base::Result<bool> StenoLoad::finish(const Asked& asked, const bus::Reply& reply) {
  if (reply.status != bus::ReplyStatus::ok) {
    return base::failure(base::ErrorCode::refused, "a command was refused: " + reply.text,
                         reply.code);
  }
  const auto body = bus::from_body<workers::CommandReplyBody>(reply.body);
  if (!body) return tl::unexpected(body.error());
  if (body->is_repeated) return base::failure(base::ErrorCode::conflict, "not a new command");
  if (asked.is_prompt) queued_.push_back({asked.session, {asked.id.bytes}});
  reply_bytes_ += reply.body.encoded.size() + reply_frame_bytes();
  last_position_ = std::max(last_position_, body->position.value);
  ++expected_position_;
  return true;
}

base::Result<bool> StenoLoad::wait(int timer_fd) {
  base::Duration next = kWaitMax;
  std::vector<bus::PollItem> items;
  for (const Connection& connection : connections_) {
    items.push_back(bus::PollItem::of(*connection.socket));
    items.back().wants_write = connection.client->wants_write();
    next = std::min(next, connection.client->next_timer() - bench_.clock().boot());
  }
  if (timer_fd >= 0) items.push_back(bus::PollItem::of(timer_fd));
  const auto ready = bus::poll(items, next);
  if (!ready) return tl::unexpected(ready.error());
  has_waited_long_ = *ready == 0;
  return true;
}

base::Result<bool> StenoLoad::check_appended() const {
  if (last_position_ == expected_position_) return true;
  return base::failure(base::ErrorCode::damaged,
                       fmt::format("accepted commands should have brought the log to position {}, "
                                   "but it is at {}",
                                   expected_position_, last_position_));
}

std::int64_t StenoLoad::resend_count() const {
  std::int64_t count = 0;
  for (const Connection& connection : connections_) count += connection.client->resend_count();
  return count;
}

}  // namespace benchmarks
