// The variant of all commands, and the questions that every aggregate answers about its own.
#pragma once

#include <optional>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/decision.hpp"

namespace domain {

namespace detail {
template <class Aggregate>
concept TakesCommands = requires {
  typename Aggregate::Command;
};

template <class A>
struct AskedOf {
  using Aggregates = base::Types<>;
  using Commands = base::Types<>;
  using Replies = base::Types<>;
};
template <TakesCommands A>
struct AskedOf<A> {
  using Aggregates = base::Types<A>;
  using Commands = base::Types<typename A::Command>;
  using Replies = base::Types<typename A::Reply>;
};

template <class List>
struct AskedOfAll;
template <class... A>
struct AskedOfAll<base::Types<A...>> {
  using Aggregates = base::Joined<typename AskedOf<A>::Aggregates...>;
  using Commands = base::Joined<typename AskedOf<A>::Commands...>;
  using Replies = base::Joined<typename AskedOf<A>::Replies...>;
};
}  // namespace detail

// The aggregates that take commands.
using AskedAggregates = detail::AskedOfAll<Aggregates>::Aggregates;

// A variant of the aggregates' own variants.
using Command = base::VariantOf<detail::AskedOfAll<Aggregates>::Commands>;
using Reply = base::VariantOf<detail::AskedOfAll<Aggregates>::Replies>;

// Returns the command as its own struct; null if it is another one.
template <class One>
const One* command_if(const Command& command) {
  return std::visit(
      []<class Own>(const Own& own) -> const One* {
        if constexpr (base::kIsAlternative<One, Own>) return std::get_if<One>(&own);
        return nullptr;
      },
      command);
}

std::string_view type_name(const Command& command);
CommandClass class_of(const Command& command);
// True if the command's stream begins with it.
bool opens_stream(const Command& command);
// Returns the id of the command that this one is about, which must be decided first; none if there
// is none.
std::optional<CommandId> follows(const Command& command);
// True if a client can send it.
bool is_clients(const Command& command);

// True if the command names its stream by a key: whoever knows the key finds the stream, and two
// that open it open the same.
bool is_keyed(const Command& command);
// Returns the stream that the command is for, by its key if it has one, else by `id`; none if its
// aggregate's streams have an agent's name and `agent` is not a valid one.
std::optional<StreamRef> target_of(const Command& command, std::string_view agent, SessionId id);

// Returns the CompleteErasure of that stream; none if its aggregate has no texts.
std::optional<Command> completion_of(const StreamRef& stream, StreamVersion through);

Reads reads_of(const Command& command, const StreamRef& target);
// `states` has the target's and those that reads_of() named. Returns further streams that the
// command reads or writes. It can name more once it sees their states, so it is asked again until
// it names nothing new.
Reads further_reads_of(const Command& command, const StreamRef& target, const States& states);
Decided decide_on(const Command& command, const States& states, const Context& context);
// `state` is that of the command's target, after the command.
Reply reply_to(const Command& command, const StreamState& state);
// Returns the client's command that was accepted under that id; none if it is new.
std::optional<AcceptedCommand> accepted_before(const StreamState& state, const CommandId& command);

// True if a client's command of that type can have a large body; false for an unknown type.
bool may_be_large(std::string_view type);
// Decodes a client's command of that type from the bytes of its fields. Error invalid: the type is
// unknown, or the bytes do not fit its fields.
base::Result<Command> decode_client_command(std::string_view type, base::ByteView fields);
// Encodes the fields of a client's command.
Bytes encode_client_command(const Command& command);

}  // namespace domain
