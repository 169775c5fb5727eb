// Puts commands into the bodies of the wire; the sending is bus::Client's.
#include "workers/client/server_client.hpp"

#include "eventlog/base/release.hpp"
#include "workers/protocol/earlier_names.hpp"

namespace workers {
namespace {

bus::ClientOptions bus_options(const ServerClientOptions& options) {
  bus::ClientOptions wanted;
  wanted.hello.role = options.role;
  wanted.hello.name = options.name;
  wanted.hello.scope = options.scope;
  wanted.hello.release = base::release();
  wanted.hello.features = {std::string(kFeatureNames)};
  wanted.endpoint = options.endpoint;
  return wanted;
}

}  // namespace

ServerClient::ServerClient(bus::ClientSocket& socket, base::Clock& clock, base::Random& random,
                           const ServerClientOptions& options)
    : clock_(clock), random_(random), client_(socket, clock, random, bus_options(options)) {}

base::Result<base::CommandId> ServerClient::command(
    const base::CommandId& id, const std::string& actor, const std::string& agent,
    base::SessionId session, const domain::Command& command, base::Duration timeout) {
  CommandBody body = encode_command(command);
  body.session = session;
  body.agent = agent;
  body.actor = actor;
  return client_.start(id, kVerbCommand, bus::to_body(body), timeout);
}

base::Result<base::CommandId> ServerClient::command(const base::CommandId& id,
                                                    const std::string& actor,
                                                    const domain::ServerCommand& command,
                                                    base::Duration timeout) {
  CommandBody body = encode_command(command);
  body.actor = actor;
  return client_.start(id, kVerbCommand, bus::to_body(body), timeout);
}

std::optional<Answered<bus::Reply>> ServerClient::take_reply(const base::CommandId& id) {
  auto outcome = client_.take(id);
  if (!outcome) return std::nullopt;
  if (!*outcome) return tl::unexpected(Unanswered(std::move(outcome->error())));
  if ((*outcome)->status != bus::ReplyStatus::ok) {
    return tl::unexpected(Unanswered(std::move(**outcome)));
  }
  return std::move(**outcome);
}

}  // namespace workers
