// A session's output, read in pages.
#pragma once

#include <string>

#include "workers/operations/caller.hpp"
#include "workers/protocol/queries.hpp"

namespace workers {

// Asks for the page that begins with the `blocks`th last block that the agent said; −1: with the
// first item. If the answer has more, ask for the next page after its `through`. `has_ends`: the
// ends of all turns are items, too, here and below.
Task<Outcome<OutputAnswer>> first_output_page(const Caller& caller, const std::string& reference,
                                              std::int64_t blocks, bool has_ends = false);
// Asks for the next page of everything after a position.
Task<Outcome<OutputAnswer>> next_output_page(const Caller& caller, const std::string& reference,
                                             base::Position after, bool has_ends = false);
// Asks for the next page of the session's outline: where turns begin and end, without texts.
Task<Outcome<OutputAnswer>> output_outline(const Caller& caller, const std::string& reference,
                                           base::Position after);

}  // namespace workers
