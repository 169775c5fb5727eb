// Texts of sessions that queries look up in the log: prompts, and names made from prompts.
#pragma once

#include <optional>
#include <string>

#include "workers/queries/query.hpp"

namespace workers {

// Returns the text of the event's content; empty: it has none, or it was erased.
base::Result<std::string> text_at(const QuerySources& sources, Position position);

// Names a row that was given no name: by the name that was made, or else by the alias.
void name_row(const QuerySources& sources, projections::SessionRow& row);

// Returns the session that the body's reference means, named.
base::Result<projections::SessionRow> resolve(const QuerySources& sources, const QueryBody& body);

}  // namespace workers
