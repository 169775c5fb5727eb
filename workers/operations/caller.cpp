// Fills in who asks, and what was asked.
#include "workers/operations/caller.hpp"

#include <utility>

namespace workers {

base::SessionId session_of(const Caller& caller) {
  return base::SessionId::parse(caller.self).value_or(base::SessionId{});
}

base::CommandId command_id(const Caller& caller) {
  return caller.identity ? caller.identity->id : caller.server.fresh_id();
}

Task<Outcome<CommandReplyBody>> send_command(const Caller& caller, base::CommandId id,
                                             base::SessionId session, const std::string& agent,
                                             const domain::Command& command) {
  CommandBody body = encode_command(command);
  body.session = session;
  body.agent = agent;
  body.actor = caller.actor;
  if (caller.identity && caller.identity->id == id) body.asked = caller.identity->asked;
  return caller.server.command<CommandReplyBody>(id, body);
}

base::Time start_before(const Caller& caller) {
  const base::Duration within = caller.defaults.start_within;
  return within.count() > 0 ? caller.server.clock().wall() + within : base::Time{};
}

}  // namespace workers
