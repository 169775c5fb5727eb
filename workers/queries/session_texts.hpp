// Texts of sessions that queries look up in the log and its archives: prompts, and names made from
// prompts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workers/queries/query.hpp"

namespace workers {

// Returns the text of the event's content; empty: it has none, it was erased, or it is in an
// archive that cannot be read.
base::Result<std::string> text_at(const QuerySources& sources, Position position);

// Returns the files that go with the prompt of a TurnQueued; none also if it cannot be read.
std::vector<domain::FileFacts> files_at(const QuerySources& sources, Position position);

// Names a row that was given no name: by the name that was made, or else by the alias. A session
// of a conversation at rest needs nobody.
void complete_row(const QuerySources& sources, projections::SessionRow& row);

// Returns the session that the body's reference means, named.
base::Result<projections::SessionRow> resolve(const QuerySources& sources, const QueryBody& body);

}  // namespace workers
