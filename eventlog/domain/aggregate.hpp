// An aggregate describes itself in a struct:
//
//   State         the sum of its events; State::inconsistent is the position of the first event
//                 that is impossible in it, or 0
//   Events        base::Types of its events
//   kPattern      the form of its streams' names; {agent} and {id} stand for the values in them
//   kStateSchema  from kFirstSchema on; it grows with any change of State's fields or of evolve,
//                 and stored states of another schema are void
//   kResidency    see below
//
// An aggregate that takes commands has these, too:
//
//   Command         the std::variant of all its commands
//   ClientCommands  base::Types of those that clients may send
//   Reply           a struct with fields: the news of the state for the client
//
// Four functions belong to it. `reads` names the further streams that a command reads or writes.
// `decide` decides a command. `reply` makes the reply. `known_command` finds a client's command
// that was accepted before; it stands beside State.
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

// Commands of one class wait for their turn together. A command's struct may have:
//
//   kClass     its class; without, it is `asked`
//   kOpens     true: its stream begins with it
//   kIsLarge   true: its body may hold texts or long lists, and be larger than a few KiB
//   follows()  the id of the command that it is about
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
