// Names of streams, levels and agents, ids and endpoints.
#include "bus/endpoint.hpp"
#include "eventlog/domain/outbox/route.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "workers/protocol/feed_levels.hpp"

// Every input is tried as each of them.
void fuzz::run(ByteView in) {
  if (const auto id = base::SessionId::parse(in)) {
    require(base::parse_id(id->text()) == id->bytes, "an id is said as it was");
  }
  if (const auto stream = domain::parse_stream(in)) {
    if (stream->is<domain::SessionStream>()) {
      const auto name = domain::session_stream(stream->agent, stream->id);
      require(domain::parse_stream(name) == stream, "a session's stream has that name");
    } else if (stream->is<domain::RegistryStream>()) {
      require(domain::registry_stream(stream->agent) == in, "a registry's stream has that name");
    }
    if (!stream->agent.empty()) {
      require(domain::is_agent_name(stream->agent), "a stream is an agent's");
      require(workers::is_level(workers::agent_level(stream->agent)), "an agent has a level");
    }
  }
  if (workers::is_level(in)) {
    require(in.size() <= bus::kTopicBytesMax, "a level can be subscribed to");
  }
  if (const auto route = domain::parse_route(in)) {
    const std::string account = route->account.empty() ? "" : route->account + "|";
    require(route->channel + "|" + account + route->target == in, "a route is all of its text");
  }
  const auto endpoint = bus::parse_endpoint(in);
  if (!endpoint) {
    require(!endpoint.error().text.empty(), "an error says what is wrong");
    return;
  }
  require(endpoint->address == in && endpoint->path.size() <= bus::kSocketPathBytesMax &&
              endpoint->path.starts_with('/') && endpoint->path.find('\0') == std::string::npos,
          "an endpoint is a path that a socket can have");
}
