// What clients ask for, understood apart from the server: a request and its peer in, what is to be
// done out, or the reply that refuses it. Pure but for the reactors' names.
#pragma once

#include <functional>
#include <span>
#include <variant>

#include "bus/peers.hpp"
#include "workers/commands/command_loop.hpp"
#include "workers/protocol/hook_steps.hpp"
#include "workers/reactors/reactor.hpp"

namespace workers {

// A command to decide.
struct Submission {
  CommandMessage message;
  std::string older_verb{};  // the verb, if the request has the form of an older release
};

// A query, whose body the query service reads.
struct Question {
  Position at_least;       // it waits until the log has reached that; 0: it does not wait
  base::Duration wait{0};  // for so long at most
};

struct StatusWanted {};
struct FlightWanted {};
// The list that a reactor keeps.
struct ListWanted {
  const Reactor* reactor = nullptr;
};

// A step that a subscriber wants, and its answer to the last one.
struct StepWanted {
  HookStepBody body;
};

using Asked =
    std::variant<Submission, Question, StatusWanted, FlightWanted, ListWanted, StepWanted>;

// Returns why there is no room for a command's body of so many bytes; none: there is.
using RoomCheck = std::function<std::optional<domain::Rejection>(std::size_t bytes)>;

base::Result<Asked, bus::Reply> understand(const bus::Peer& peer, const bus::Request& request,
                                           std::span<const std::unique_ptr<Reactor>> reactors,
                                           const RoomCheck& room);

// Returns the reply that refuses a command.
bus::Reply rejected(const bus::RequestKey& request, domain::Rejection rejection);

}  // namespace workers
