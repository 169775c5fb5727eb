// Finds the transcripts that Claude Code keeps in its folder of projects.
#pragma once

#include <string>
#include <string_view>

#include "eventlog/base/result.hpp"
#include "workers/stores/transcript_source.hpp"

namespace workers {

// `path` is such a folder, a folder of one project, or one transcript; they become sessions of
// `agent`. Nothing is opened but a subagent's, whose first line can name its session. Errors: those
// of base::list_files for `path`; a folder below it that cannot be listed is a fault.
base::Result<TranscriptSources> find_claude_transcripts(const std::string& path,
                                                        const std::string& agent);

// Returns the folder of projects of whoever runs this process: ~/.claude/projects, or below
// CLAUDE_CONFIG_DIR.
std::string claude_projects_folder();
// Returns the name of the folder in it that has the sessions of that working folder.
std::string claude_project(std::string_view workdir);

}  // namespace workers
