// Finds the transcripts of an agents' folder in the documents' form, and reads its indexes.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"
#include "workers/stores/transcript_source.hpp"

namespace workers {

// `path` has agents/<id> below it, or is the folder of one agent. Of each agent both places of the
// index are read: sessions/sessions.json and sessions.json. Errors: not_found: `path` is neither;
// those of base::list_files for agents/. What cannot be read below it is a fault.
base::Result<TranscriptSources> find_document_transcripts(const std::string& path);

}  // namespace workers
