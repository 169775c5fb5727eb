// Over the operations that all surfaces share.
#include "tools/steno/client/session_acts.hpp"

#include <utility>

#include "tools/steno/client/attention_text.hpp"
#include "workers/operations/ending.hpp"
#include "workers/operations/session_text.hpp"

namespace steno {

using workers::CommandReplyBody;

base::Time start_before_flag(const Config& config, const workers::Caller& caller) {
  const bool is_told = is_flag(config, "start_within");
  return is_told ? workers::start_before(caller) : base::Time{};
}

domain::SendPrompt said_prompt(const Config& config, const workers::Caller& caller,
                               std::string prompt) {
  domain::SendPrompt send{std::move(prompt), false};
  send.start_before = start_before_flag(config, caller);
  if (is_flag(config, "channel")) send.channel = config.channel;
  send.is_echoed = true;
  return send;
}

std::string paused_text(const CommandReplyBody& reply) {
  if (reply.pause == domain::EndReason::none) return {};
  return ", which is paused " + workers::pause_text(reply.pause, reply.alias, reply.paused_until);
}

std::string sent_text(const std::string& session, const CommandReplyBody& reply) {
  const bool is_injected = reply.injected_into.is_set();
  return (is_injected ? "added to the turn of " : "queued for ") + session + paused_text(reply);
}

Doing send_prompt(const workers::Caller& caller, base::CommandId id, projections::SessionRow row,
                  domain::SendPrompt prompt) {
  const domain::Command command = std::move(prompt);
  auto reply = co_await workers::send_command(caller, id, row.session, row.agent, command);
  if (!reply) co_return tl::unexpected(reply.error());
  std::string line = sent_text(row.alias, *reply);
  co_return Done{std::move(row), *reply, std::move(line)};
}

Doing interrupt_turn(const workers::Caller& caller, projections::SessionRow row) {
  auto reply = co_await workers::interrupt_session(caller, row);
  if (!reply) co_return tl::unexpected(reply.error());
  std::string line = "interrupting " + row.alias;
  co_return Done{std::move(row), *reply, std::move(line)};
}

Doing go_on(const workers::Caller& caller, projections::SessionRow row) {
  const domain::Command command = domain::ContinueSession{};
  const base::CommandId id = caller.server.fresh_id();
  auto reply = co_await workers::send_command(caller, id, row.session, row.agent, command);
  if (!reply) co_return tl::unexpected(reply.error());
  std::string line = row.pause == domain::EndReason::none
                         ? row.alias + " is not paused"
                         : row.alias + " goes on with " + std::to_string(row.turns_waiting) +
                               (row.turns_waiting == 1 ? " prompt" : " prompts");
  co_return Done{std::move(row), *reply, std::move(line)};
}

Doing dismiss_need(const workers::Caller& caller, projections::SessionRow row) {
  if (row.attention == domain::Attention::none) {
    std::string none = row.alias + " needs nobody";
    co_return Done{std::move(row), {}, std::move(none)};
  }
  const domain::Command command = domain::DismissAttention{row.attention};
  const base::CommandId id = caller.server.fresh_id();
  auto reply = co_await workers::send_command(caller, id, row.session, row.agent, command);
  if (!reply) co_return tl::unexpected(reply.error());
  std::string line = row.alias + ": " + attention_text(row) + ", dismissed";
  co_return Done{std::move(row), *reply, std::move(line)};
}

Doing kill_now(const workers::Caller& caller, projections::SessionRow row) {
  auto killed = co_await workers::kill_session(caller, row);
  if (!killed) co_return tl::unexpected(killed.error());
  std::string line = std::move(killed->line);
  co_return Done{std::move(row), killed->reply, std::move(line)};
}

}  // namespace steno
