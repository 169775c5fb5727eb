// Remembers the served log in a file of the run folder, outside the disk that can be missing.
#include "tools/steno/serve/served_log.hpp"

#include <fstream>
#include <iterator>

#include "eventlog/store/disk.hpp"

namespace steno {
namespace {

std::string file_of(const ServedLog& served) {
  return served.run_folder + "/served-log";
}

// Reads "LOG-ID SPACE DATA-FOLDER NEWLINE". Empty: no log of this data folder is remembered.
std::string remembered(const ServedLog& served) {
  std::ifstream file(file_of(served), std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return {};
  return text.substr(space + 1) == served.data_folder + "\n" ? text.substr(0, space)
                                                             : std::string();
}

}  // namespace

base::Result<void> check_may_begin(const ServedLog& served) {
  if (served.is_expected) {
    return base::failure(
        base::ErrorCode::refused,
        "there is no log here, and --existing requires one. Mount the disk that it "
        "is on, or give its folder. To begin a new log, start without --existing",
        served.data_folder);
  }
  const std::string log = remembered(served);
  if (log.empty()) return {};
  return base::failure(base::ErrorCode::refused,
                       "there is no log here, but log " + log +
                           " was served from here before. Mount the disk that it is on, or put it "
                           "back. To begin a new log anyway, remove " +
                           file_of(served),
                       served.data_folder);
}

void remember_log(const ServedLog& served, base::LogId log) {
  static_cast<void>(eventlog::write_whole(eventlog::system_disk(), file_of(served),
                                          log.text() + " " + served.data_folder + "\n"));
}

}  // namespace steno
