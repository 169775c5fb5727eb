#include "tools/steno/serve/served_log.hpp"

#include <fstream>
#include <iterator>

#include "eventlog/store/disk.hpp"

namespace steno {
namespace {

std::string file_of(const ServedLog& served) {
  return served.run_folder + "/served-log";
}

// LOG-ID SPACE DATA-FOLDER NEWLINE. Empty: none is remembered of this folder.
std::string remembered(const ServedLog& served) {
  std::ifstream file(file_of(served), std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return {};
  return text.substr(space + 1) == served.data_folder + "\n" ? text.substr(0, space)
                                                             : std::string();
}

}  // namespace

base::Result<bool> check_may_begin(const ServedLog& served) {
  if (served.is_expected) {
    return base::failure(base::ErrorCode::refused,
                         "there is no log here, and --existing says that there must be one; mount "
                         "the disk that it is on, give its folder, or start without --existing to "
                         "begin a new log",
                         served.data_folder);
  }
  const std::string log = remembered(served);
  if (log.empty()) return true;
  return base::failure(base::ErrorCode::refused,
                       "there is no log here, but log " + log +
                           " was served from here before; mount the disk that it is on, or put it "
                           "back. To begin a new log all the same, remove " +
                           file_of(served),
                       served.data_folder);
}

void remember_log(const ServedLog& served, base::LogId log) {
  static_cast<void>(eventlog::write_whole(eventlog::system_disk(), file_of(served),
                                          log.text() + " " + served.data_folder + "\n"));
}

}  // namespace steno
