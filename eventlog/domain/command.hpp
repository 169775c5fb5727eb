// Every command there is, and what each aggregate says of its own.
#pragma once

#include <optional>

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

// Those that take commands.
using AskedAggregates = detail::AskedOfAll<Aggregates>::Aggregates;

// A variant of the aggregates' own.
using Command = base::VariantOf<detail::AskedOfAll<Aggregates>::Commands>;
using Reply = base::VariantOf<detail::AskedOfAll<Aggregates>::Replies>;

// The command as its own struct; null: it is another one.
template <class One>
const One* command_if(const Command& command) {
  return std::visit(
      [](const auto& own) {
        return std::visit(
            []<class C>(const C& c) -> const One* {
              if constexpr (std::same_as<C, One>) return &c;
              return nullptr;
            },
            own);
      },
      command);
}

std::string_view type_name(const Command& command);
CommandClass class_of(const Command& command);
// Its stream begins with it.
bool opens_stream(const Command& command);
// The command that it is about, and that has to be decided before it.
std::optional<CommandId> follows(const Command& command);
// A client may send it.
bool is_clients(const Command& command);

// The stream that it is for; none: the agent's name, where the aggregate has one, is not one.
std::optional<StreamRef> target_of(const Command& command, std::string_view agent, SessionId id);
std::string stream_of(const StreamRef& target);

Reads reads_of(const Command& command, const StreamRef& target);
Decided decide_on(const Command& command, const States& states, const Context& context);
// `state`: of its target, after it.
Reply reply_to(const Command& command, const StreamState& state);
// The client's command that was accepted under that id; none: it is new.
std::optional<AcceptedCommand> accepted_before(const StreamState& state, const CommandId& command);

// A client's command of that type may have a large body. False for an unknown type.
bool may_be_large(std::string_view type);
// A client's command of that type, from the bytes of its fields. Error invalid: there is no such
// type, or the bytes are not of its fields.
base::Result<Command> decode_client_command(std::string_view type, base::ByteView fields);
// The fields of a client's command.
Bytes encode_client_command(const Command& command);

}  // namespace domain
