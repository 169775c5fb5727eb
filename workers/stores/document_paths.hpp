// Where the documents keep their files: the index of an agent's conversations and its transcripts.
// `export` writes there and `import` looks there. Names are made, nothing is opened. An id from
// outside becomes one part of a path, so it never leads out of its folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace workers {

// The folders that paths begin with; both absolute.
struct DocumentRoots {
  std::string state;  // has agents/<id>/sessions below it
  std::string home;   // what "~" means
};

// The folder of an agent's index and transcripts. An agent's id is made normal first.
std::string documents_folder(const DocumentRoots& roots, std::string_view agent);

// The index of an agent. `store` is the setting: empty, or a path in which "{agentId}" is replaced
// and "~" means the home. A relative one is below the state's folder. The result is normal.
std::string index_path(const DocumentRoots& roots, std::string_view store, std::string_view agent);

// <session>.jsonl, or <session>-topic-<topic>.jsonl for a topic of a group.
std::string transcript_path(const DocumentRoots& roots, std::string_view agent,
                            std::string_view session,
                            std::optional<std::string_view> topic = std::nullopt);

// The file that the index's entry names, else the transcript's. A relative name is below the
// agent's folder. Whether such a file may be read is for the caller to decide.
std::string transcript_file(const DocumentRoots& roots, std::string_view agent,
                            std::string_view session, std::string_view entry_file);

}  // namespace workers
