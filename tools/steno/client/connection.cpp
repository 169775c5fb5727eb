// Sends requests through bus::Client on the caller's thread, polling its socket and Ctrl-C
// together.
#include "tools/steno/client/connection.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "bus/endpoint.hpp"
#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "eventlog/base/file_lock.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/units.hpp"

namespace steno {
namespace {

constexpr base::Duration kGoneToldAfter = std::chrono::seconds(1);
constexpr base::Duration kAskAgain = std::chrono::milliseconds(100);

std::string how_to_serve(const Config& config) {
  return config.home.empty() ? "steno serve" : "steno --home " + config.home + " serve";
}

std::string actor() {
  std::array<char, 256> name{};
  const bool is_known = ::getlogin_r(name.data(), name.size()) == 0 && name[0] != '\0';
  return is_known ? std::string(name.data()) : "uid " + std::to_string(::getuid());
}

}  // namespace

base::Result<bool> probe_listener(const std::string& endpoint) {
  const auto parsed = bus::parse_endpoint(endpoint);
  if (!parsed) return tl::unexpected(parsed.error());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  parsed->path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return base::failure(base::ErrorCode::io, std::strerror(errno), parsed->path);
  const int connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  ::close(fd);
  if (connected == 0) return true;
  const bool is_forbidden = error == EACCES || error == EPERM;
  return base::failure(
      is_forbidden ? base::ErrorCode::refused : base::ErrorCode::unreachable,
      is_forbidden ? "no permission to use the server's socket" : "no server listens here",
      parsed->path);
}

Outcome<std::unique_ptr<Connection>> Connection::open(const Config& config) {
  auto endpoints = endpoints_of(config);
  if (!endpoints) return fail(endpoints.error());
  if (const auto listener = probe_listener(endpoints->command); !listener) {
    base::Error error = listener.error();
    if (error.code == base::ErrorCode::unreachable) {
      error.text += "; start it with `" + how_to_serve(config) + "`";
    }
    return fail(error);
  }
  std::unique_ptr<Connection> connection(new Connection(config, std::move(*endpoints)));
  const std::string& endpoint = connection->endpoints_.command;
  auto socket = bus::connect_client(connection->context_, endpoint);
  if (!socket) return fail(socket.error());
  connection->socket_ = std::move(*socket);
  bus::ClientOptions options;
  options.hello.role = bus::Role::client;
  options.hello.name = "steno";
  options.hello.release = STENO_RELEASE;
  options.endpoint = endpoint;
  connection->client_ = std::make_unique<bus::Client>(*connection->socket_, connection->clock_,
                                                      connection->random_, options);
  return connection;
}

void Connection::take_interrupts() {
  if (interrupts_ == nullptr) interrupts_ = std::make_unique<Interrupts>();
}

Outcome<bool> Connection::wait(base::Duration time) {
  std::vector<bus::PollItem> items{bus::PollItem::of(interrupts_->fd())};
  if (auto ok = bus::poll(items, time); !ok) return fail(ok.error());
  if (!interrupts_->take()) return true;
  return fail(kExitInterrupted, "stopped waiting; the server goes on with it");
}

bool Connection::is_server_gone() const {
  const auto endpoint = bus::parse_endpoint(endpoints_.command);
  return endpoint && !base::is_locked(endpoint->path + ".lock").value_or(true);
}

Outcome<bus::Reply> Connection::request(const base::CommandId& id, std::string_view verb,
                                        base::RawValue body) {
  const auto started = client_->start(id, verb, std::move(body), config_.timeout);
  if (!started) return fail(started.error());
  const base::Duration tell_at = clock_.boot() + kGoneToldAfter;
  bool is_told = false;
  while (true) {
    const base::Duration now = clock_.boot();
    if (!is_told && now >= tell_at) {
      is_told = true;
      if (is_server_gone()) {
        remark("steno: the server has ended; waiting " + exact_duration_text(config_.timeout) +
               " for another one, Ctrl-C gives up");
      }
    }
    client_->do_work(now);
    if (auto outcome = client_->take(id)) {
      if (!*outcome) return fail(outcome->error());
      if ((*outcome)->status != bus::ReplyStatus::ok) return fail(**outcome);
      return std::move(**outcome);
    }
    std::array<bus::PollItem, 2> items{bus::PollItem::of(client_->socket()), {}};
    items[0].wants_write = client_->wants_write();
    if (interrupts_ != nullptr) items[1].fd = interrupts_->fd();
    base::Duration timer = client_->next_timer();
    if (!is_told) timer = std::min(timer, tell_at);
    const auto waited = bus::poll(items, timer - now);
    if (!waited) return fail(waited.error());
    if (interrupts_ != nullptr && interrupts_->take()) {
      client_->forget(id);
      return fail(kExitInterrupted, "interrupted; whether the server did it is not known");
    }
  }
}

Outcome<base::Position> Connection::command_server(const domain::ServerCommand& command) {
  workers::CommandBody body = workers::encode_command(command);
  body.actor = actor();
  const base::CommandId id = fresh_command_id();
  const base::Duration until = clock_.boot() + config_.timeout;
  auto reply = request(id, workers::kVerbCommand, bus::to_body(body));
  // A copy may be in progress, and can finish within the time-out.
  while (!reply && reply.error().exit_code == kExitBusy && clock_.boot() < until) {
    if (auto waited = wait(kAskAgain); !waited) return tl::unexpected(waited.error());
    reply = request(id, workers::kVerbCommand, bus::to_body(body));
  }
  if (!reply) return tl::unexpected(reply.error());
  const auto answer = bus::from_body<workers::ServerCommandReplyBody>(reply->body);
  if (!answer) return bad_answer(workers::kVerbCommand, answer.error());
  return answer->position;
}

Outcome<workers::CommandReplyBody> Connection::command(const base::CommandId& id,
                                                       base::SessionId session,
                                                       const std::string& agent,
                                                       const domain::Command& command) {
  workers::CommandBody body = workers::encode_command(command);
  body.session = session;
  body.agent = agent;
  body.actor = actor();
  const auto reply = request(id, workers::kVerbCommand, bus::to_body(body));
  if (!reply) return tl::unexpected(reply.error());
  auto answer = bus::from_body<workers::CommandReplyBody>(reply->body);
  if (!answer) return bad_answer(workers::kVerbCommand, answer.error());
  return std::move(*answer);
}

Outcome<workers::ShowAnswer> Connection::find(const std::string& reference, bool with_texts) {
  workers::QueryBody query;
  query.agent = config_.agent;
  query.reference = reference;
  query.wants_texts = with_texts;
  return ask<workers::ShowAnswer>(workers::kVerbShow, query);
}

tl::unexpected<Failure> Connection::bad_answer(std::string_view verb, const base::Error& error) {
  return fail(kExitFailed, "the server's answer to '" + std::string(verb) +
                               "' is not understood: " + base::describe(error));
}

}  // namespace steno
