// Sends requests through bus::Client on the caller's thread, polling its socket and Ctrl-C
// together.
#include "tools/steno/connection/connection.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "bus/poller.hpp"
#include "bus/zmq_sockets.hpp"
#include "tools/steno/connection/found_server.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/text/composed_text.hpp"

namespace steno {
namespace {

constexpr base::Duration kGoneToldAfter = std::chrono::seconds(1);
constexpr base::Duration kBusyAskAgain = std::chrono::milliseconds(100);

// Returns the name of the user whom the process runs as, which works without a terminal, too.
std::string actor() {
  std::array<char, 4096> texts{};
  passwd entry{};
  passwd* found = nullptr;
  const uid_t uid = ::getuid();
  ::getpwuid_r(uid, &entry, texts.data(), texts.size(), &found);
  return found != nullptr && *found->pw_name != '\0' ? std::string(found->pw_name)
                                                     : "uid " + std::to_string(uid);
}

}  // namespace

Outcome<std::unique_ptr<Connection>> Connection::open(const Config& config) {
  const FoundServer found = find_server(config);
  Config there = config;
  there.run_folder = found.run_folder;
  auto endpoints = endpoints_of(there);
  if (!endpoints) return fail(endpoints.error());
  if (const auto listener = workers::probe_listener(endpoints->command); !listener) {
    base::Error error = listener.error();
    if (error.code == base::ErrorCode::unreachable) error.text = unreachable_text(config, found);
    return fail(error);
  }
  std::unique_ptr<Connection> connection(new Connection(config, std::move(*endpoints)));
  const std::string& endpoint = connection->endpoints_.command;
  auto socket = bus::connect_client(connection->context_, endpoint);
  if (!socket) return fail(socket.error());
  connection->socket_ = std::move(*socket);
  workers::ServerClientOptions options;
  options.name = "steno";
  options.endpoint = endpoint;
  connection->client_.emplace(*connection->socket_, connection->clock_, connection->random_,
                              options);
  return connection;
}

void Connection::take_interrupts() {
  if (interrupts_ == nullptr) interrupts_ = std::make_unique<Interrupts>();
}

Outcome<bool> Connection::wait(base::Duration time) {
  flush();
  std::array<bus::PollItem, 1> items{};
  if (interrupts_ != nullptr) items[0].fd = interrupts_->fd();
  if (auto ok = bus::poll(items, time); !ok) return fail(ok.error());
  if (interrupts_ == nullptr || !interrupts_->take()) return true;
  return fail(kExitInterrupted, "stopped waiting; the server goes on with it");
}

Outcome<bool> Connection::wait_for(const base::CommandId& id,
                                   const std::function<bool()>& is_there) {
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
    if (is_there()) return true;
    std::array<bus::PollItem, 2> items{bus::PollItem::of(client_->socket()), {}};
    items[0].wants_write = client_->wants_write();
    if (interrupts_ != nullptr) items[1].fd = interrupts_->fd();
    base::Duration timer = client_->next_timer();
    if (!is_told) timer = std::min(timer, tell_at);
    flush();
    const auto waited = bus::poll(items, timer - now);
    if (!waited) return fail(waited.error());
    if (interrupts_ != nullptr && interrupts_->take()) {
      client_->forget(id);
      return fail(kExitInterrupted, "interrupted; whether the server did it is not known");
    }
  }
}

Outcome<base::Position> Connection::command_server(const domain::ServerCommand& command) {
  const base::CommandId id = fresh_command_id();
  const base::Duration until = clock_.boot() + config_.timeout;
  const auto send = [&] {
    return answer_of<workers::ServerCommandReplyBody>(
        workers::kVerbCommand, client_->command(id, actor(), command, config_.timeout));
  };
  auto answer = send();
  // A copy may be in progress, and can finish within the time-out.
  while (!answer && answer.error().exit_code == kExitBusy && clock_.boot() < until) {
    if (auto waited = wait(kBusyAskAgain); !waited) return tl::unexpected(waited.error());
    answer = send();
  }
  if (!answer) return tl::unexpected(answer.error());
  return answer->position;
}

Outcome<base::Position> Connection::command_outbox(const domain::OutboxCommand& command) {
  const auto answer = answer_of<workers::OutboxReplyBody>(
      workers::kVerbCommand,
      client_->command(fresh_command_id(), actor(), {}, {}, command, config_.timeout));
  if (!answer) return tl::unexpected(answer.error());
  return answer->position;
}

Outcome<workers::SchedulesReplyBody> Connection::command_schedules(
    const domain::SchedulesCommand& command) {
  return answer_of<workers::SchedulesReplyBody>(
      workers::kVerbCommand,
      client_->command(fresh_command_id(), actor(), {}, {}, command, config_.timeout));
}

Outcome<workers::CommandReplyBody> Connection::command(const base::CommandId& id,
                                                       base::SessionId session,
                                                       const std::string& agent,
                                                       const domain::Command& command) {
  return answer_of<workers::CommandReplyBody>(
      workers::kVerbCommand,
      client_->command(id, actor(), agent, session, command, config_.timeout));
}

Outcome<workers::ShowAnswer> Connection::find(const std::string& reference, bool with_texts) {
  workers::QueryBody query;
  query.agent = config_.agent;
  query.reference = reference;
  query.wants_texts = with_texts;
  if (reference == "@self" || reference == "@parent") {
    const char* self = std::getenv("STENO_SESSION");
    if (self == nullptr || *self == '\0') {
      return fail(kExitUsage, reference +
                                  " is known only to the agent of a session, by its "
                                  "variable STENO_SESSION; name the session");
    }
    query.reference = self;
    if (reference == "@parent") {
      const auto own = ask<workers::ShowAnswer>(workers::kVerbShow, query);
      if (!own) return tl::unexpected(own.error());
      const base::SessionId parent = own->session.descriptor.parent;
      if (!parent.is_set()) {
        return fail(kExitNotFound, "session " + own->session.alias + " has no parent");
      }
      query.reference = parent.text();
    }
  }
  auto shown = ask<workers::ShowAnswer>(workers::kVerbShow, query);
  if (shown || shown.error().exit_code != kExitNotFound) return shown;
  // A name is kept composed, and a Mac's file names are not.
  const std::string composed = workers::composed_text(query.reference);
  if (composed == query.reference) return shown;
  query.reference = composed;
  return ask<workers::ShowAnswer>(workers::kVerbShow, query);
}

tl::unexpected<Failure> Connection::fail_unanswered(std::string_view verb,
                                                    const workers::Unanswered& why) {
  if (const auto* error = std::get_if<base::Error>(&why)) return fail(*error);
  if (const auto* reply = std::get_if<bus::Reply>(&why)) return fail(*reply);
  return fail(kExitFailed, "the server's answer to '" + std::string(verb) +
                               "' is not understood: " +
                               base::describe(std::get<workers::BadAnswer>(why).error));
}

}  // namespace steno
