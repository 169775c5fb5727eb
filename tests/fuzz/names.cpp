// Short texts from outside: names of streams, levels and agents, ids, endpoints, timings, and
// prompts, of which names are made.
#include "bus/endpoint.hpp"
#include "eventlog/base/bytes.hpp"
#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/outbox/route.hpp"
#include "eventlog/domain/prompt_files.hpp"
#include "eventlog/domain/schedules/timing.hpp"
#include "eventlog/domain/session/session_name.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/fixed_time_zones.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace {

// A schedule is due behind the time that was asked about, if it is due at all.
void fuzz_timing(base::ByteView in) {
  const support::FixedTimeZones zones({1'774'746'000'000'000}, {1'792'890'000'000'000});
  const base::Time after{1'774'700'000'000'000};
  for (const auto kind :
       {domain::ScheduleKind::at, domain::ScheduleKind::every, domain::ScheduleKind::cron}) {
    const auto timing = domain::parse_timing(kind, in);
    if (!timing) {
      fuzz::require(!timing.error().empty(), "an error says what is wrong");
      continue;
    }
    const auto due = domain::next_due(*timing, zones.kZone, zones, after, after);
    fuzz::require(!due || *due > after, "a schedule is due behind the time that was asked about");
  }
}

// Characters are said as they were, and a name that is made can be read.
void fuzz_prompt(base::ByteView in) {
  fuzz::require(base::is_utf8(domain::name_from_prompt(in)), "a name is text");
  const bool is_text = base::is_utf8(in) && in.find('\0') == base::ByteView::npos;
  fuzz::require(is_text || domain::prompt_fault(in), "a prompt is text");
  fuzz::require(domain::media_type_of(in) != domain::kTextType || is_text, "a text is text");
  fuzz::require(!domain::check_file({"a", std::string(in)}) || !domain::media_type_of(in) ||
                    static_cast<std::int64_t>(in.size()) > domain::kImageBytesMax,
                "a file whose type is known can be sent");
  if (!is_text) return;
  std::string said;
  for (base::ByteView rest = in; !rest.empty();) {
    domain::append_code_point(said, domain::take_code_point(rest));
  }
  fuzz::require(said == in, "characters are said as they were");
}

}  // namespace

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
    require(domain::route_text(*route) == in, "a route is all of its text");
  }
  fuzz_timing(in);
  fuzz_prompt(in);
  const auto endpoint = bus::parse_endpoint(in);
  if (!endpoint) {
    require(!endpoint.error().text.empty(), "an error says what is wrong");
    return;
  }
  require(endpoint->address == in && endpoint->path.size() <= bus::kSocketPathBytesMax &&
              endpoint->path.starts_with('/') && endpoint->path.find('\0') == std::string::npos,
          "an endpoint is a path that a socket can have");
}
