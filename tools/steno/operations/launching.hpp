// What is launched for a user who writes and has no live session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/steno/operations/opening.hpp"

namespace steno {

// A launched session, and what its caller is told of it.
struct Launched {
  Spawned spawned;
  domain::Spawn wanted;
  std::string resumed;  // how the answer names the session that it goes on with; empty: none
  std::vector<std::string> notes;  // what the caller would not expect
};

// Returns the user whom "@connector/user/channel" means; none: it means another session.
std::optional<domain::Descriptor> user_named(std::string_view reference);

// Something that is said to a user.
struct SaidToUser {
  std::string reference;  // "@connector/user/channel"
  std::string message;
  base::Time start_before{};  // when it is too late to start the prompt; 0: never
  std::string channel{};      // where its sender reads; empty: not known
  bool is_program = false;    // what it launches is held to a Grant
};

// Goes on with the user's newest session that can be resumed, else opens one. `missing`: why no
// live session of theirs was found. Failure: `missing`, if the reference means no user.
Outcome<Launched> launch_for(Connection& connection, const SaidToUser& said,
                             const Failure& missing);

}  // namespace steno
