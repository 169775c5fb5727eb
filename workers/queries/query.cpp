// The folders of archives that a text names are few, so that the text stays short.
#include "workers/queries/query.hpp"

#include <filesystem>

namespace workers {
namespace {

constexpr std::size_t kArchivesShownMax = 3;  // archives whose folders a text names

}  // namespace

ArchivedBeginning ArchivedBeginning::of(const domain::ServerState& state) {
  if (state.trimmed.value == 0) return {};
  return {state.trimmed, state.archives};
}

std::string ArchivedBeginning::text() const {
  if (through.value == 0) return {};
  std::string text = "events 1 to " + std::to_string(through.value) + " were archived";
  std::size_t shown = 0;
  for (const auto& [name, archive] : archives) {
    if (archive.through.value == 0) continue;
    if (++shown > kArchivesShownMax) return text + "; steno archive list says where";
    text += "; " + std::to_string(archive.first.value) + " to " +
            std::to_string(archive.through.value) + " are in archive " + name + ", in " +
            archive.folder;
    std::error_code error;
    if (std::filesystem::exists(archive.folder, error)) continue;
    text +=
        ", which is not there; if it was moved, name its folder in the server's setting "
        "archive_folders";
  }
  return text;
}

}  // namespace workers
