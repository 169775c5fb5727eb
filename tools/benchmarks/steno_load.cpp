// Keeps queued turns by their prompts' ids, so that later requests can interrupt them.
#include "tools/benchmarks/steno_load.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"
#include "workers/protocol/commands.hpp"

namespace benchmarks {
namespace {

constexpr std::string_view kActor = "bench";
constexpr base::Duration kRequestMax = std::chrono::seconds(15);
constexpr base::Duration kWaitMax = std::chrono::seconds(1);
constexpr std::size_t kSpawnsOutstanding = 64;

const std::string& any_prompt() {
  static const std::string kPrompt(kPromptBytes, 'p');
  return kPrompt;
}

// Returns the size of a frame without its body.
std::size_t request_frame_bytes() {
  static const std::size_t kBytes =
      bus::encode_frame(bus::Request{{}, std::string(workers::kVerbCommand), {}}).size();
  return kBytes;
}
std::size_t reply_frame_bytes() {
  static const std::size_t kBytes = bus::encode_frame(bus::Reply{}).size();
  return kBytes;
}

}  // namespace

base::Result<std::unique_ptr<StenoLoad>> StenoLoad::connect(Workbench& bench,
                                                            const StenoServer& server,
                                                            StenoLoadOptions options) {
  std::unique_ptr<StenoLoad> load(new StenoLoad(bench, options.are_ended));
  for (std::size_t i = 0; i < options.connections; ++i) {
    auto socket = bus::connect_client(bench.context(), server.command_endpoint());
    if (!socket) return tl::unexpected(socket.error());
    Connection& connection = load->connections_.emplace_back();
    connection.socket = std::move(*socket);
    bus::ClientOptions client;
    client.hello.role = bus::Role::client;
    client.hello.name = kActor;
    client.hello.release = STENO_RELEASE;
    client.endpoint = server.command_endpoint();
    connection.client =
        std::make_unique<bus::Client>(*connection.socket, bench.clock(), bench.random(), client);
  }
  load->sessions_ = std::move(options.sessions);
  if (!load->sessions_.empty()) return load;
  if (auto ok = load->spawn_sessions(options.spawn_count); !ok) return tl::unexpected(ok.error());
  return load;
}

base::Result<void> StenoLoad::spawn_sessions(std::size_t count) {
  std::vector<std::size_t> done;
  while (sessions_.size() < count) {
    done.clear();
    const std::size_t batch = std::min(kSpawnsOutstanding, count - sessions_.size());
    for (std::size_t slot = 0; slot < batch; ++slot) {
      sessions_.push_back(base::SessionId::make(bench_.clock().wall(), bench_.random()));
      if (auto ok = send(slot, sessions_.size() - 1, spawn_command()); !ok) return ok;
    }
    while (done.size() < batch) {
      const std::size_t before = done.size();
      if (auto ok = advance(done); !ok) return ok;
      if (done.size() > before) continue;
      if (auto ok = wait(-1); !ok) return ok;
    }
  }
  requests_ = request_bytes_ = reply_bytes_ = 0;
  first_position_ = last_position_ = accepted_ = 0;
  return {};
}

base::Result<void> StenoLoad::start(std::size_t slot) {
  if (are_ended_) {
    next_session_ = (next_session_ + 1) % sessions_.size();
    return send(slot, next_session_, domain::KillSession{});
  }
  was_prompt_ = !was_prompt_ || queued_.empty();
  if (was_prompt_) {
    next_session_ = (next_session_ + 1) % sessions_.size();
    return send(slot, next_session_, domain::SendPrompt{any_prompt(), false});
  }
  const QueuedTurn oldest = queued_.front();
  queued_.pop_front();
  return send(slot, oldest.session, domain::InterruptTurn{oldest.turn});
}

base::Result<void> StenoLoad::send(std::size_t slot, std::size_t session,
                                   const domain::Command& command) {
  workers::CommandBody body = workers::encode_command(command);
  body.session = sessions_[session];
  body.agent = kLogAgent;
  body.actor = kActor;
  base::RawValue encoded = bus::to_body(body);
  // A new session has the id of the command that spawns it.
  const auto id = (domain::type_name(command) == domain::Spawn::kType)
                      ? base::CommandId{sessions_[session].bytes}
                      : base::CommandId::make(bench_.clock().wall(), bench_.random());
  request_bytes_ += encoded.encoded.size() + request_frame_bytes();
  ++requests_;
  Connection& connection = connections_[slot % connections_.size()];
  const auto started =
      connection.client->start(id, workers::kVerbCommand, std::move(encoded), kRequestMax);
  if (!started) return tl::unexpected(started.error());
  if (asked_.size() <= slot) asked_.resize(slot + 1);
  asked_[slot] = {id, session, (domain::type_name(command) == domain::SendPrompt::kType)};
  connection.slots.push_back(slot);
  return {};
}

base::Result<void> StenoLoad::advance(std::vector<std::size_t>& done) {
  for (Connection& connection : connections_) {
    const int heard = connection.client->do_work(bench_.clock().boot());
    if (heard == 0 && !has_waited_long_) continue;
    std::optional<base::Error> failed;
    std::erase_if(connection.slots, [&](std::size_t slot) {
      const auto outcome = connection.client->take(asked_[slot].id);
      if (!outcome) return false;
      const auto finished = *outcome ? finish(asked_[slot], **outcome)
                                     : base::Result<void>(tl::unexpected(outcome->error()));
      if (!finished) failed = finished.error();
      done.push_back(slot);
      return true;
    });
    if (failed) return tl::unexpected(*failed);
  }
  has_waited_long_ = false;
  return {};
}

base::Result<void> StenoLoad::finish(const Asked& asked, const bus::Reply& reply) {
  if (reply.status != bus::ReplyStatus::ok) {
    return base::failure(base::ErrorCode::refused, "a command was refused: " + reply.text,
                         reply.code);
  }
  const auto body = bus::from_body<workers::CommandReplyBody>(reply.body);
  if (!body) return tl::unexpected(body.error());
  if (body->is_repeated) return base::failure(base::ErrorCode::conflict, "not a new command");
  if (asked.is_prompt) queued_.push_back({asked.session, {asked.id.bytes}});
  reply_bytes_ += reply.body.encoded.size() + reply_frame_bytes();
  if (accepted_++ == 0) first_position_ = body->position.value;
  first_position_ = std::min(first_position_, body->position.value);
  last_position_ = std::max(last_position_, body->position.value);
  return {};
}

base::Result<void> StenoLoad::wait(int timer_fd) {
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
  return {};
}

base::Result<void> StenoLoad::check_appended() const {
  const std::int64_t appended = last_position_ - first_position_ + 1;
  if (accepted_ == appended) return {};
  return base::failure(
      base::ErrorCode::damaged,
      fmt::format("{} commands were accepted, but the log grew by {} events", accepted_, appended));
}

std::int64_t StenoLoad::resend_count() const {
  std::int64_t count = 0;
  for (const Connection& connection : connections_) count += connection.client->resend_count();
  return count;
}

}  // namespace benchmarks
