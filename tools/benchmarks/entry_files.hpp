// The documents' own way to keep conversations: one JSON file, sessions.json, has the entries of
// all. An update takes the lock file, writes the whole file anew and durably, and appends a synced
// line of JSON to another file.
#pragma once

#include <memory>
#include <string>

#include "tools/benchmarks/embedded_load.hpp"

namespace benchmarks {

constexpr const char* kEntryFile = "sessions.json";

// Returns the entry of the conversation of that number, as JSON.
std::string entry_text(std::size_t number);

// Writes the file with the entries of so many conversations. Each request changes one of them,
// drawn at random; nothing is read. Several at once are carried out one after another.
base::Result<std::unique_ptr<EmbeddedLoad>> open_entry_files(const std::string& folder,
                                                             std::size_t conversations);

}  // namespace benchmarks
