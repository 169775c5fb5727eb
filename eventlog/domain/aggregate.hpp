// An aggregate describes itself in a struct:
//
//   State         the sum of its events; State::inconsistent is the position of the first event
//                 that is impossible in it, or 0
//   Events        base::Types of its events
//   kPattern      the form of its streams' names, with {agent} and {id} in place of the values
//   kStateSchema  from kFirstSchema on; it grows with any change of what the fold of recorded
//                 events gives, and stored states of another schema are void. That makes a log
//                 whose beginning was archived unreadable without its archives, so a new field
//                 keeps its default under all events of earlier releases, and the schema stays
//   kResidency    see below
//   kNoun         "session": how people are told of one of its streams
//
// It can also have, as static members:
//
//   kIsReadAtStart                true: a server that starts has its state at hand, if a stream of
//                                 the same agent is under way
//   is_under_way(state)           true while the server has work with the stream, from its first
//                                 event on; once it is false, it stays so. A server that starts
//                                 meanwhile has the state, and its reactors are told of it
//   UnderWay, under_way(state)    the part of the state that reactors need meanwhile; without them
//                                 it is the whole state. `evolve` folds it, too
//   needs_events_from(part)       position of the first event whose text can be asked for again
//                                 while the stream is under way: none from there on is archived
//
// An aggregate that takes commands also has:
//
//   Command         the variant of all its commands
//   ClientCommands  base::Types of those that clients can send
//   Reply           a struct with fields: the news of the state for the client
//
// Four functions belong to it. `reads` names the further streams that a command reads or writes. If
// only the states of these tell of more, `reads_further` names those. `decide` decides a command.
// `reply` makes the reply. `known_command`, which stands beside State, finds a client's command
// that was accepted before.
#pragma once

#include <cstdint>
#include <string_view>

#include "eventlog/base/result.hpp"
#include "eventlog/base/type_list.hpp"

namespace domain {

// When a server holds the states of its streams in memory.
enum class Residency {
  on_demand,    // while they are in use
  with_server,  // from the server's start to its end
};

// Commands of one class share a queue. A command's struct can have:
//
//   kClass     its class; without it, `asked`
//   kOpens     true: its stream begins with it
//   kIsLarge   true: its body can hold texts or long lists, and be larger than a few KiB
//   follows()  the id of the command that it is about
//   key()      the key of its stream, which is then named by it (keyed_id) and not by an id
enum class CommandClass {
  control,   // kill, interrupt, and the server's own commands for a session
  asked,     // other requests of clients: spawn, prompts, close, erase
  reported,  // workers' reports, and what must not overtake them: deadlines, ends of leases
  recorded,  // facts about the server itself; there is always room for them
};
constexpr std::size_t kCommandClasses = 4;

struct Context;
struct Envelope;
class Event;
class Decision;
struct Rejection;
struct StreamRef;
class Reads;
class States;

using Decided = base::Result<Decision, Rejection>;

}  // namespace domain
