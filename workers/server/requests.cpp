// Reads a request by its verb, and asks once who may ask for it.
#include "workers/server/requests.hpp"

#include <algorithm>
#include <utility>

#include "eventlog/base/mutant.hpp"
#include "eventlog/domain/text_limits.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/protocol/earlier_names.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/queries/queries.hpp"
#include "workers/server/older_requests.hpp"
#include "workers/server/principal.hpp"

namespace workers {
namespace {

using Understood = base::Result<Asked, bus::Reply>;

// Only a spawn, a prompt or an erasure has a larger body; they wait in one class.
constexpr std::size_t kLargeBodyBytes = CommandLoop::kSmallBytes;
constexpr base::Duration kParkMax = std::chrono::seconds(60);  // the most that an asker can wait

class Understanding {
 public:
  Understanding(const bus::Peer& peer, const bus::Request& request,
                std::span<const std::unique_ptr<Reactor>> reactors, const RoomCheck& room)
      : peer_(peer),
        request_(request),
        principal_(principal_of(peer)),
        reactors_(reactors),
        room_(room) {}

  Understood run() {
    if (request_.verb == kVerbCommand) return command();
    const bool is_step = request_.verb == kVerbHookStep;
    const std::size_t bytes_max = is_step ? kHookStepBytesMax : kLargeBodyBytes;
    if (bytes() > bytes_max) {
      return refuse(bus::ReplyError::too_large,
                    "the body of '" + request_.verb.substr(0, domain::kFactBytesMax) + "' has " +
                        std::to_string(bytes()) + " bytes, of " + std::to_string(bytes_max) +
                        " at most");
    }
    if (is_step) return step();
    if (request_.verb == kVerbStatus) return permitted(Reach::server, StatusWanted{});
    if (request_.verb == kVerbFlight) return permitted(Reach::server, FlightWanted{});
    if (is_older_verb(request_.verb)) return older();
    for (const auto& reactor : reactors_) {
      const bool is_its = !reactor->verb().empty() && reactor->verb() == request_.verb;
      if (is_its) return permitted(Reach::all_agents, ListWanted{reactor.get()});
    }
    if (find_query(request_.verb) == nullptr) return unknown();
    return request_.verb == bus::kReadVerb ? read() : query();
  }

 private:
  std::size_t bytes() const { return request_.body.encoded.size(); }

  Understood refuse(bus::ReplyError code, const std::string& text) const {
    return tl::unexpected(bus::error_reply(request_.key(), code, text));
  }
  Understood reject(domain::Rejection rejection) const {
    return tl::unexpected(rejected(request_.key(), std::move(rejection)));
  }
  Understood reject(const base::Error& error) const {
    return reject({domain::RejectionCode::invalid, base::describe(error)});
  }

  Understood permitted(Reach reach, Asked asked, const std::string& agent = {}) const {
    if (const auto why = why_not(principal_, reach, agent)) {
      return refuse(bus::ReplyError::refused, *why);
    }
    return asked;
  }

  Understood unknown() const {
    std::string known(kVerbCommand);
    const auto add = [&](std::string_view verb) {
      if (!verb.empty()) known.append(", ").append(verb);
    };
    for (const QueryKind* kind : query_kinds()) add(kind->verb);
    for (const std::string_view own : {kVerbHookStep, kVerbStatus, kVerbFlight}) add(own);
    for (const auto& reactor : reactors_) add(reactor->verb());
    return refuse(bus::ReplyError::invalid, "unknown verb '" +
                                                request_.verb.substr(0, domain::kFactBytesMax) +
                                                "'; known are " + known);
  }

  Understood step() const {
    if (peer_.hello.role != bus::Role::hook) {
      return refuse(bus::ReplyError::refused,
                    "steps are for subscribers: say hello with the role 'hook', and with the "
                    "subscriber's name");
    }
    auto body = bus::from_body<HookStepBody>(request_.body);
    if (!body) return refuse(bus::ReplyError::invalid, base::describe(body.error()));
    return permitted(Reach::all_agents, StepWanted{std::move(*body)});
  }

  // Decoding costs time in proportion to the body, so a large body without room is not decoded.
  Understood command() const {
    const bool is_large = bytes() > kLargeBodyBytes;
    if (is_large) {
      if (auto full = room_(bytes())) return reject(std::move(*full));
    }
    auto body = bus::from_body<CommandBody>(request_.body);
    if (!body) return reject(body.error());
    if (is_large && !domain::may_be_large(body->type)) {
      return reject(
          *domain::check_length("the body of '" + body->type + "'", bytes(), kLargeBodyBytes));
    }
    auto command = decode_command(*body);
    if (!command) return reject(command.error());
    // Otherwise the same Spawn for another session would be another command, and start a second
    // agent.
    if (domain::opens_stream(*command) && !domain::is_keyed(*command) &&
        body->session.bytes != request_.id.bytes) {
      return reject({base::ErrorCode::invalid,
                     "a new session has the id of the command that spawns it, here " +
                         request_.id.text() + ", not " + body->session.text(),
                     "session"});
    }
    // A command about the log as a whole has no agent, whatever agent its body names.
    const auto target = domain::target_of(*command, body->agent, body->session);
    const bool is_of_agent = target && !target->agent.empty();
    if (const auto why = why_not(principal_, is_of_agent ? Reach::agent : Reach::all_agents,
                                 is_of_agent ? target->agent : "")) {
      return reject({base::ErrorCode::refused, *why, "agent"});
    }
    Submission submission;
    CommandMessage& message = submission.message;
    message.digest = digest_of(*body, *command);
    if (knows_earlier_names_only(peer_.hello)) mean_as_earlier(*command);
    message.stream_id = body->session;
    message.agent = std::move(body->agent);
    message.actor = std::move(body->actor);
    message.expected_version = body->expected_version;
    message.deadline = body->deadline;
    message.correlation = body->correlation;
    message.traceparent = std::move(body->traceparent);
    message.command = std::move(*command);
    message.ask = request_.ask;
    return came_by(std::move(submission));
  }

  // A client of an older release sends its request again after `busy` under the same ask.
  Understood older() const {
    if (const auto why = why_not(principal_, Reach::all_agents)) {
      return refuse(bus::ReplyError::refused, *why);
    }
    auto command = older_command(request_.verb, request_.body);
    if (!command) return refuse(bus::ReplyError::invalid, base::describe(command.error()));
    Submission submission{{}, request_.verb};
    submission.message.digest = digest_of(request_.verb, request_.body);
    submission.message.command = std::move(*command);
    return came_by(std::move(submission));
  }

  Submission came_by(Submission submission) const {
    CommandMessage& message = submission.message;
    message.id = request_.id;
    message.actor_kind = domain::ActorKind::client;
    if (message.actor.empty()) message.actor = peer_.hello.name;
    const bool is_of_server = std::holds_alternative<domain::ServerCommand>(message.command);
    if (message.actor.empty() && is_of_server) message.actor = "client";
    message.bytes = bytes();
    message.asker = peer_.id;
    return submission;
  }

  // The query service tells what is wrong with a body that cannot be read.
  Understood query() const {
    const auto body = bus::from_body<QueryBody>(request_.body);
    if (!body) return Question{};
    return permitted(Reach::agent,
                     Question{body->at_least, std::clamp(body->wait, base::Duration{0}, kParkMax)},
                     body->agent);
  }

  Understood read() const {
    const auto body = bus::from_body<bus::ReadRequest>(request_.body);
    if (!body) return Question{};
    return permitted(Reach::agent, Question{}, agent_of_level(body->level));
  }

  const bus::Peer& peer_;
  const bus::Request& request_;
  const Principal principal_;
  const std::span<const std::unique_ptr<Reactor>> reactors_;
  const RoomCheck& room_;
};

}  // namespace

base::Result<Asked, bus::Reply> understand(const bus::Peer& peer, const bus::Request& request,
                                           std::span<const std::unique_ptr<Reactor>> reactors,
                                           const RoomCheck& room) {
  return Understanding(peer, request, reactors, room).run();
}

bus::Reply rejected(const bus::RequestKey& request, domain::Rejection rejection) {
  domain::cut_text(rejection.text, domain::kRefusalBytesMax);
  // The sender of an undecided command must not think that it did not happen.
  if (domain::is_undecided(rejection.code) && !base::mutant(base::Mutant::busy_is_refusal)) {
    return bus::error_reply(request,
                            rejection.code == domain::RejectionCode::busy
                                ? bus::ReplyError::busy
                                : bus::ReplyError::unavailable,
                            rejection.text);
  }
  return {request.id,
          bus::ReplyStatus::rejected,
          std::string(base::enum_name(rejection.code)),
          rejection.text,
          {},
          request.ask};
}

}  // namespace workers
