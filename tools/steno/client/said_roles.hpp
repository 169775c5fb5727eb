// Reads the roles that commands take.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/steno/text/failure.hpp"
#include "workers/protocol/queries.hpp"

namespace steno {

inline Outcome<std::set<workers::SaidBy>> parse_roles(const std::vector<std::string>& names) {
  std::set<workers::SaidBy> roles;
  for (const std::string& name : names) {
    const auto role = base::parse_enum<workers::SaidBy>(name);
    if (!role) {
      return fail(kExitUsage, "unknown role '" + name + "'; known are user, assistant, tool");
    }
    roles.insert(*role);
  }
  return roles;
}

}  // namespace steno
