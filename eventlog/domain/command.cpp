// Finds the aggregate of a command by the variant that holds it, and calls that aggregate's
// functions.
#include "eventlog/domain/command.hpp"

#include "eventlog/base/check.hpp"
#include "eventlog/domain/erasing.hpp"

namespace domain {
namespace {

// Calls `use(one)` with the command as its own struct.
template <class Use>
auto visit_one(const Command& command, Use&& use) {
  return std::visit([&](const auto& own) { return std::visit(use, own); }, command);
}

template <class Own, class... A>
constexpr std::string_view pattern_of(base::Types<A...>) {
  static_assert((std::same_as<Own, typename A::Command> || ...), "of a listed aggregate");
  std::string_view pattern;
  ((std::same_as<Own, typename A::Command> ? void(pattern = A::kPattern) : void()), ...);
  return pattern;
}

template <class One, class... A>
constexpr bool is_of_clients(base::Types<A...>) {
  return (base::kContains<One, typename A::ClientCommands> || ...);
}

template <class C>
constexpr bool kIsLarge = false;
template <class C>
requires requires {
  C::kIsLarge;
}
constexpr bool kIsLarge<C> = C::kIsLarge;

// The clients' commands of a list, found by their type's name.
template <class List>
struct ByType;
template <class... One>
struct ByType<base::Types<One...>> {
  static bool decode(std::string_view type, base::ByteView fields, base::Result<Command>& result) {
    return (decode_one<One>(type, fields, result) || ...);
  }
  static bool is_large(std::string_view type) {
    return ((type == One::kType && kIsLarge<One>) || ...);
  }
  static void add_names(std::string& all) {
    ((all += (all.empty() ? "" : ", ") + std::string(One::kType)), ...);
  }

 private:
  template <class C>
  static bool decode_one(std::string_view type, base::ByteView fields,
                         base::Result<Command>& result) {
    if (type != C::kType) return false;
    auto decoded = base::decode<C>(fields);
    if (decoded) {
      result = Command(std::move(*decoded));
    } else {
      result = tl::unexpected(decoded.error());
    }
    return true;
  }
};

template <class A>
void complete_if(const StreamRef& stream, StreamVersion through, std::optional<Command>& command) {
  if constexpr (kHasTexts<A>) {
    static_assert(HoldsTexts<typename A::State>, "its state says what can be erased: erasing.hpp");
    static_assert(base::kIsAlternative<CompleteErasure, typename A::Command>,
                  "an aggregate with texts takes CompleteErasure");
    if (stream.is<A>()) command = typename A::Command(CompleteErasure{through});
  }
}

template <class... A>
std::optional<Command> completion_in(base::Types<A...>, const StreamRef& stream,
                                     StreamVersion through) {
  std::optional<Command> command;
  (complete_if<A>(stream, through, command), ...);
  return command;
}

template <class... A>
base::Result<Command> decode_of(std::string_view type, base::ByteView fields, base::Types<A...>) {
  base::Result<Command> result;
  if ((ByType<typename A::ClientCommands>::decode(type, fields, result) || ...)) return result;
  std::string names;
  (ByType<typename A::ClientCommands>::add_names(names), ...);
  return base::failure(base::ErrorCode::invalid,
                       "unknown type '" + std::string(type) + "'; known are " + names, "type");
}

template <class... A>
bool is_large_of(std::string_view type, base::Types<A...>) {
  return (ByType<typename A::ClientCommands>::is_large(type) || ...);
}

}  // namespace

std::string_view type_name(const Command& command) {
  return visit_one(command, [](const auto& c) { return std::string_view(c.kType); });
}

CommandClass class_of(const Command& command) {
  return visit_one(command, []<class C>(const C&) {
    if constexpr (requires { C::kClass; }) {
      return C::kClass;
    } else {
      return CommandClass::asked;
    }
  });
}

bool opens_stream(const Command& command) {
  return visit_one(command, []<class C>(const C&) {
    return requires {
      C::kOpens;
    };
  });
}

std::optional<CommandId> follows(const Command& command) {
  return visit_one(command, [](const auto& c) -> std::optional<CommandId> {
    if constexpr (requires { c.follows(); }) return c.follows();
    return std::nullopt;
  });
}

bool is_clients(const Command& command) {
  return visit_one(command, []<class C>(const C&) { return is_of_clients<C>(AskedAggregates{}); });
}

bool is_keyed(const Command& command) {
  return visit_one(command, []<class C>(const C&) {
    return requires(const C& c) {
      c.key();
    };
  });
}

std::optional<StreamRef> target_of(const Command& command, std::string_view agent, SessionId id) {
  StreamRef target;
  target.pattern =
      std::visit([]<class Own>(const Own&) { return pattern_of<Own>(AskedAggregates{}); }, command);
  const std::string_view pattern = target.pattern;
  if (pattern.find("{agent}") != std::string_view::npos) {
    if (!is_agent_name(agent)) return std::nullopt;
    target.agent = agent;
  }
  if (pattern.find("{id}") == std::string_view::npos) return target;
  target.id = visit_one(command, [&](const auto& c) {
    if constexpr (requires { c.key(); }) return keyed_id(pattern, target.agent, c.key());
    return id;
  });
  return target;
}

std::optional<Command> completion_of(const StreamRef& stream, StreamVersion through) {
  return completion_in(Aggregates{}, stream, through);
}

Reads reads_of(const Command& command, const StreamRef& target) {
  Reads further;
  std::visit([&](const auto& own) { reads(own, target, further); }, command);
  return further;
}

Reads further_reads_of(const Command& command, const StreamRef& target, const States& states) {
  Reads further;
  std::visit(
      [&](const auto& own) {
        if constexpr (requires { reads_further(own, target, states, further); }) {
          reads_further(own, target, states, further);
        }
      },
      command);
  return further;
}

Decided decide_on(const Command& command, const States& states, const Context& context) {
  return std::visit([&](const auto& own) { return decide(own, states, context); }, command);
}

Reply reply_to(const Command& command, const StreamState& state) {
  return std::visit(
      [&](const auto& own, const auto& s) -> Reply {
        if constexpr (requires { reply(s, own); }) return reply(s, own);
        CHECK(false);  // the state is of the command's own aggregate
        return {};
      },
      command, state);
}

std::optional<AcceptedCommand> accepted_before(const StreamState& state, const CommandId& command) {
  return std::visit(
      [&](const auto& s) -> std::optional<AcceptedCommand> {
        if constexpr (requires { known_command(s, command); }) return known_command(s, command);
        return std::nullopt;
      },
      state);
}

bool may_be_large(std::string_view type) {
  return is_large_of(type, AskedAggregates{});
}

base::Result<Command> decode_client_command(std::string_view type, base::ByteView fields) {
  return decode_of(type, fields, AskedAggregates{});
}

Bytes encode_client_command(const Command& command) {
  return visit_one(command, []<class C>(const C& c) {
    if constexpr (is_of_clients<C>(AskedAggregates{})) return base::encode(c);
    CHECK(false);  // a command of the server itself does not travel
    return Bytes();
  });
}

}  // namespace domain
