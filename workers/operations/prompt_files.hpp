// The files that callers send with a prompt.
#pragma once

#include <string>
#include <vector>

#include "workers/operations/caller.hpp"

namespace workers {

// A file as an operation is told of it: by its path on this machine, or itself.
struct SaidFile {
  std::string path;  // empty: it is here
  std::string name;
  std::string media_type;  // as the caller has it; empty: not said
  std::string data;        // base64

  bool operator==(const SaidFile&) const = default;
};

// Reads the file, whole. Fails for one that the server would refuse, that is no regular file, or
// that changes meanwhile.
Outcome<domain::PromptFile> read_prompt_file(const std::string& path);

// Fails for files that the server would refuse together.
Outcome<bool> check_prompt_files(const domain::PromptFiles& files);

// Returns what the caller says, read. A caller that belongs to a session cannot name paths: its
// agent would read files without a permission.
Outcome<domain::PromptFiles> prompt_files(const Caller& caller, const std::vector<SaidFile>& said);

}  // namespace workers
