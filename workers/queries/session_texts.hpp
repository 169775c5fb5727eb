// Texts of sessions that queries look up in the log: names that were made from prompts, prompts.
#pragma once

#include <optional>
#include <string>

#include "workers/queries/query.hpp"

namespace workers {

// Of the event's content; empty: it has none, or it was erased.
base::Result<std::string> text_at(const QuerySources& sources, Position position);

// Where no name was given: the one that was made, or the alias when it is gone.
void name_row(const QuerySources& sources, projections::SessionRow& row);

// The session that the body's reference means, named.
base::Result<projections::SessionRow> resolve(const QuerySources& sources, const QueryBody& body);

}  // namespace workers
