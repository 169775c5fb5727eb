// One session in groups of fields, as `show` prints it for people.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/time.hpp"
#include "workers/protocol/queries.hpp"

namespace steno {

// How the sessions are called that a session's details name.
struct Relatives {
  std::string resumed_from;
  std::string parent;
};

// Returns a title for each group, and a line for each field that has a value. `hooks_not_asked`:
// those that the session does without, each in words. `now`: wall time. `has_color`: titles are
// bold.
std::string show_text(const workers::ShowAnswer& answer, const Relatives& relatives,
                      const std::vector<std::string>& hooks_not_asked, base::Time now,
                      bool has_color);

}  // namespace steno
