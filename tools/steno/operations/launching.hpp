// What is launched for a user who writes and has no live session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/steno/operations/opening.hpp"
#include "tools/steno/operations/operation.hpp"

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

// The user says something, and `missing` is why no live session of theirs was found. Goes on with
// their newest session that can be resumed, else opens one. `start_before`: when it is too late to
// start the prompt; 0: never. Failure: `missing`, if the reference means no user.
Outcome<Launched> launch_for(const Caller& caller, const std::string& reference,
                             const Failure& missing, const std::string& message,
                             base::Time start_before);

}  // namespace steno
