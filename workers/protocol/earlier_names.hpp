// Answers for command lines of releases that did not know all of today's names. A name that such a
// client does not know makes the whole answer unreadable to it, so the nearest one that it knows
// takes its place. Events of types that it does not know are left out of what it reads.
#pragma once

#include <string_view>

#include "bus/frames.hpp"
#include "eventlog/domain/command.hpp"

namespace workers {

// The feature that clients say in `hello` which know the names of this release.
constexpr std::string_view kFeatureNames = "names-2";

// True for a client that says that it is of some release of Steno, and not that feature. Clients of
// other authors take any name.
bool knows_earlier_names_only(const bus::Hello& hello);

// Returns the body of the answer to this verb in the names of 563ac3c5, the first release, and
// without events of other types; as it is, if it has no names.
base::RawValue in_earlier_names(std::string_view verb, base::RawValue answer);

// True if 563ac3c5 knew events of this type.
bool is_earlier_event(std::string_view type);

// What an agent asked for was denied at once for such a client, which cannot answer.
void mean_as_earlier(domain::Command& command);

}  // namespace workers
