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
// A session refuses more than 1,000 waiting turns, one of which its spawning has queued.
constexpr std::size_t kPromptsOfSession = 990;
constexpr std::size_t kSessionsInUse = 64;
constexpr std::size_t kSpawnsOutstanding = 64;
constexpr std::int64_t kEventsOfStart = 2;  // EpochStarted, ServerStarted
constexpr std::int64_t kEventsOfSpawn = 4;  // opened, turn queued, name claimed, admitted

const std::string& any_prompt() {
  static const std::string kPrompt(kPromptBytes, 'p');
  return kPrompt;
}

session::ClientCommand spawn_command() {
  session::Spawn spawn;
  spawn.spec.engine = kEngine;
  spawn.spec.workdir = kWorkdir;
  spawn.spec.is_multi_turn = true;
  spawn.prompt = any_prompt();
  return spawn;
}

session::ClientCommand prompt_command() {
  session::SendPrompt send;
  send.prompt = any_prompt();
  return send;
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
  return load;
}

base::Result<bool> StenoLoad::make_room(std::size_t prompts) {
  while (room_ < prompts) {
    const std::size_t missing = (prompts - room_) / kPromptsOfSession + 1;
    if (auto ok = spawn(std::min(missing, kSpawnsOutstanding)); !ok) return ok;
  }
  while (targets_.size() < kSessionsInUse) {
    if (auto ok = spawn(kSessionsInUse - targets_.size()); !ok) return ok;
  }
  return true;
}

base::Result<bool> StenoLoad::spawn(std::size_t count) {
  for (std::size_t slot = 0; slot < count; ++slot) {
    const Target target{base::SessionId::make(bench_.clock().wall(), bench_.random()),
                        kPromptsOfSession};
    if (auto ok = send(slot, target.session, spawn_command()); !ok) return ok;
    targets_.push_back(target);
    room_ += target.room;
  }
  std::vector<std::size_t> done;
  const Nanoseconds deadline = now() + kRequestMax;
  while (done.size() < count) {
    if (auto ok = advance(done); !ok) return ok;
    if (now() > deadline) return base::failure(base::ErrorCode::timeout, "spawning takes too long");
    if (done.size() < count) {
      if (auto ok = wait(-1); !ok) return ok;
    }
  }
  expected_position_ += static_cast<std::int64_t>(count) * (kEventsOfSpawn - 1);
  return true;
}

base::Result<bool> StenoLoad::start(std::size_t slot) {
  if (room_ == 0) {
    return base::failure(base::ErrorCode::too_large, "the benchmark made too few sessions");
  }
  next_target_ = (next_target_ + 1) % std::min(kSessionsInUse, targets_.size());
  if (targets_[next_target_].room == 0) {
    // All in use have had equally many, so the spare ones take over, one by one.
    targets_[next_target_] = targets_.back();
    targets_.pop_back();
  }
  Target& target = targets_[next_target_];
  --target.room;
  --room_;
  return send(slot, target.session, prompt_command());
}

base::Result<bool> StenoLoad::send(std::size_t slot, base::SessionId session,
                                   const session::ClientCommand& command) {
  workers::CommandBody body = workers::encode_command(command);
  body.session = session;
  body.agent = kAgent;
  body.actor = kActor;
  base::RawValue encoded = bus::to_body(body);
  Connection& connection = connections_[slot % connections_.size()];
  if (ids_.size() <= slot) ids_.resize(slot + 1);
  ids_[slot] = base::CommandId::make(bench_.clock().wall(), bench_.random());
  if (request_bytes_ == 0 && std::holds_alternative<session::SendPrompt>(command)) {
    request_bytes_ =
        bus::encode_frame(bus::Request{ids_[slot], std::string(workers::kVerbCommand), encoded})
            .size();
  }
  const auto started =
      connection.client->start(ids_[slot], workers::kVerbCommand, std::move(encoded), kRequestMax);
  if (!started) return tl::unexpected(started.error());
  connection.slots.push_back(slot);
  return true;
}

base::Result<bool> StenoLoad::advance(std::vector<std::size_t>& done) {
  for (Connection& connection : connections_) {
    const int heard = connection.client->do_work(bench_.clock().boot());
    if (heard == 0 && !has_waited_long_) continue;
    std::optional<base::Error> failed;
    std::erase_if(connection.slots, [&](std::size_t slot) {
      const auto outcome = connection.client->take(ids_[slot]);
      if (!outcome) return false;
      const auto finished =
          *outcome ? finish(**outcome) : base::Result<bool>(tl::unexpected(outcome->error()));
      if (!finished) failed = finished.error();
      done.push_back(slot);
      return true;
    });
    if (failed) return tl::unexpected(*failed);
  }
  has_waited_long_ = false;
  return true;
}

base::Result<bool> StenoLoad::finish(const bus::Reply& reply) {
  if (reply.status != bus::ReplyStatus::ok) {
    return base::failure(base::ErrorCode::refused, "a command was refused: " + reply.text,
                         reply.code);
  }
  const auto body = bus::from_body<workers::CommandReplyBody>(reply.body);
  if (!body) return tl::unexpected(body.error());
  if (body->is_repeated) return base::failure(base::ErrorCode::conflict, "not a new command");
  if (reply_bytes_ == 0) reply_bytes_ = bus::encode_frame(reply).size();
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
  const std::int64_t expected = kEventsOfStart + expected_position_;
  if (last_position_ == expected) return true;
  return base::failure(base::ErrorCode::damaged,
                       fmt::format("accepted commands should have brought the log to position {}, "
                                   "but it is at {}",
                                   expected, last_position_));
}

std::int64_t StenoLoad::resend_count() const {
  std::int64_t count = 0;
  for (const Connection& connection : connections_) count += connection.client->resend_count();
  return count;
}

}  // namespace benchmarks
