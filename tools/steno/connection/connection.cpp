// Drives the client on the caller's thread, polling its socket and Ctrl-C together.
#include "tools/steno/connection/connection.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "bus/zmq_sockets.hpp"
#include "tools/steno/connection/caller.hpp"
#include "tools/steno/connection/found_server.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/nearest.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/operations/finding.hpp"

namespace steno {
namespace {

constexpr base::Duration kGoneToldAfter = std::chrono::seconds(1);
constexpr base::Duration kBusyAskAgain = std::chrono::milliseconds(100);
constexpr std::int64_t kNamesMax = 200;  // as many as one answer has

}  // namespace

Outcome<std::unique_ptr<Connection>> Connection::open(const Config& config,
                                                      const SaidHello& hello) {
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
  options.name = hello.name;
  options.role = hello.role;
  options.endpoint = endpoint;
  connection->client_.emplace(*connection->socket_, connection->clock_, connection->random_,
                              options);
  connection->tasks_.emplace(*connection->client_, connection->clock_, config.timeout);
  connection->caller_.emplace(caller_of(config, *connection->tasks_));
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

Outcome<bool> Connection::work(std::span<bus::PollItem> others, base::Duration wait_max) {
  std::vector<bus::PollItem> items(others.begin(), others.end());
  if (!tasks_->is_idle()) {
    const base::Duration now = clock_.boot();
    if (tasks_->do_work(now) > 0) return true;
    items.push_back(bus::PollItem::of(client_->socket()));
    items.back().wants_write = client_->wants_write();
    wait_max = std::min(tasks_->next_timer() - now, wait_max);
  }
  if (interrupts_ != nullptr) items.push_back(bus::PollItem::of(interrupts_->fd()));
  flush();
  if (const auto waited = bus::poll(items, wait_max); !waited) return fail(waited.error());
  std::copy_n(items.begin(), others.size(), others.begin());
  return false;
}

Connection::Waited Connection::begin_wait() {
  return {clock_.boot() + kGoneToldAfter};
}

Outcome<bool> Connection::wait_for_task(Waited& waited) {
  if (!waited.is_told && clock_.boot() >= waited.tell_at) {
    waited.is_told = true;
    if (is_server_gone()) {
      remark("steno: the server has ended; waiting " + exact_duration_text(config_.timeout) +
             " for another one, Ctrl-C gives up");
    }
  }
  const base::Duration until_told =
      waited.is_told ? base::Duration::max() : waited.tell_at - clock_.boot();
  auto worked = work({}, until_told);
  if (!worked) return worked;
  if (*worked) waited = begin_wait();
  if (interrupts_ != nullptr && interrupts_->take()) {
    return fail(kExitInterrupted, "interrupted; whether the server did it is not known");
  }
  return true;
}

Outcome<base::Position> Connection::command_server(const domain::ServerCommand& command) {
  const base::CommandId id = fresh_command_id();
  const base::Duration until = clock_.boot() + config_.timeout;
  const auto body = workers::encode_command(command);
  auto answer = send<workers::ServerCommandReplyBody>(id, body);
  // A copy may be in progress, and can finish within the time-out.
  while (!answer && answer.error().exit_code == kExitBusy && clock_.boot() < until) {
    if (auto waited = wait(kBusyAskAgain); !waited) return tl::unexpected(waited.error());
    answer = send<workers::ServerCommandReplyBody>(id, body);
  }
  if (!answer) return tl::unexpected(answer.error());
  return answer->position;
}

Outcome<base::Position> Connection::command_outbox(const domain::OutboxCommand& command) {
  const auto answer =
      send<workers::OutboxReplyBody>(fresh_command_id(), workers::encode_command(command));
  if (!answer) return tl::unexpected(answer.error());
  return answer->position;
}

Outcome<workers::RulesReplyBody> Connection::command_rules(const domain::RulesCommand& command) {
  return send<workers::RulesReplyBody>(fresh_command_id(), workers::encode_command(command));
}

Outcome<workers::ConversationReplyBody> Connection::command_conversation(
    const std::string& agent, const domain::ConversationCommand& command) {
  workers::CommandBody body = workers::encode_command(command);
  body.agent = agent;
  return send<workers::ConversationReplyBody>(fresh_command_id(), std::move(body));
}

Outcome<workers::SchedulesReplyBody> Connection::command_schedules(
    const domain::SchedulesCommand& command) {
  return send<workers::SchedulesReplyBody>(fresh_command_id(), workers::encode_command(command));
}

Outcome<workers::CommandReplyBody> Connection::command(const base::CommandId& id,
                                                       base::SessionId session,
                                                       const std::string& agent,
                                                       const domain::Command& command) {
  return run(workers::send_command(*caller_, id, session, agent, command));
}

Outcome<workers::ShowAnswer> Connection::find(const std::string& reference, bool with_texts) {
  return named(reference, run(workers::find_session(*caller_, reference, with_texts)));
}

std::string Connection::meant_text(const std::string& reference) {
  if (config_.output != OutputFormat::table) return {};
  workers::QueryBody query;
  query.agent = config_.agent;
  query.limit = kNamesMax;
  const auto page = ask<workers::ListAnswer>(workers::kVerbList, query);
  std::vector<std::string> names;
  for (std::size_t i = 0; page && i < page->sessions.size(); ++i) {
    names.push_back(page->sessions[i].name);
    names.push_back(page->sessions[i].alias);
  }
  const std::string meant = nearest_word(reference, names);
  return meant.empty() ? meant : "; did you mean " + meant + "?";
}

}  // namespace steno
