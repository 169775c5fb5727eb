// Archives that were trimmed off lie one behind the other; the last one ends where the log begins.
#include "tools/steno/client/log_beginning.hpp"

namespace steno {

Outcome<workers::ArchiveRow> archived_beginning(Connection& connection) {
  const auto answer =
      connection.ask<workers::ArchivesAnswer>(workers::kVerbArchives, workers::QueryBody{});
  if (!answer) return tl::unexpected(answer.error());
  workers::ArchiveRow last;
  for (const workers::ArchiveRow& row : answer->archives) {
    if (row.is_trimmed && row.through > last.through) last = row;
  }
  return last;
}

std::string beginning_text(const workers::ArchiveRow& archive) {
  return "the log begins at position " + std::to_string(archive.through.next().value) +
         "; what was before is in the archive " + archive.name + " in " + archive.folder;
}

}  // namespace steno
