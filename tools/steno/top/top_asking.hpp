// The questions and commands of `top` to the server.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/steno/config/config.hpp"
#include "tools/steno/top/top_state.hpp"
#include "workers/operations/caller.hpp"

namespace steno {

template <class T>
using Asking = workers::Task<workers::Outcome<T>>;

struct TopWanted {
  std::string agent;                   // empty: all
  TopFacts known;                      // what has not changed is not asked for again
  std::vector<base::SessionId> shown;  // whose last lines are wanted
  base::SessionId output;              // whose output is shown; unset: none
  base::Position output_at;            // of the session's last event that it has
};

struct TopAnswer {
  TopFacts facts;
  std::optional<TextPage> output;  // of `wanted.output`, if there is more of it
};

// The caller outlives the tasks.
Asking<TopAnswer> ask_all(const workers::Caller& caller, TopWanted wanted);

// The outcome of an act.
struct TopDone {
  std::string said;
  std::vector<workers::AskShown> requests{};
  std::optional<TextPage> output{};
};
// `caller`: of the row's agent.
Asking<TopDone> carry_out(const workers::Caller& caller, const Config& config, TopAction action,
                          projections::SessionRow row);

}  // namespace steno
