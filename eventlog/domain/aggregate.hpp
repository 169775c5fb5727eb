// What an aggregate says of itself. It is a struct of:
//
//   State         what its events add up to; its `inconsistent` is the position of the first event
//   that
//                 is impossible in it
//   Events        base::Types of them
//   kPattern      the names of its streams: {agent} and {id} stand for what tells one from another
//   kStateSchema  from kFirstSchema on; grows with any change of State's fields or of its evolve,
//                 and voids stored states
//   kResidency    see below
//
// and, if it can be asked for anything:
//
//   Command         the std::variant of all its commands
//   ClientCommands  base::Types of those that clients may send
//   Reply           what a client is told of the state after its command; a struct with fields
//
// with three functions beside its Command: `reads` names the further streams that a command reads
// or writes, `decide` decides it, `reply` makes the reply. `known_command`, beside its State, finds
// the clients' commands that were accepted before.
#pragma once

#include <cstdint>
#include <string_view>

#include "eventlog/base/result.hpp"
#include "eventlog/base/type_list.hpp"

namespace domain {

// When a server has the states of its streams in memory.
enum class Residency {
  on_demand,    // while somebody asks for them
  with_server,  // from its start to its end
};

// What waits for its turn together. Of itself a command may say: kClass, else it is `asked`;
// kOpens, that its stream begins with it; follows(), the id of the command that it is about.
enum class CommandClass {
  control,   // kill, interrupt, and what the server does with a session by itself
  asked,     // what clients ask otherwise: spawn, prompts, close, erase
  reported,  // what workers report, and that a worker is gone
  recorded,  // what the server found out about itself; there is always room for it
};
constexpr std::size_t kCommandClasses = 4;

struct Context;
struct Envelope;
struct Event;
struct Emitted;
struct Rejection;
struct StreamRef;
class Reads;
class States;

// Accepted. No events: what it asks for is on the record already.
using Decision = std::vector<Emitted>;
using Decided = base::Result<Decision, Rejection>;

}  // namespace domain
