// Who reads a setting, which says where it counts, and what sees a change of it.
#pragma once

#include <string_view>

namespace steno {

enum class SettingReader {
  every_command,    // to find the server, and to print
  session_openers,  // whatever opens a session says it to the server
  server,           // at its start
};

// Returns the reader of a setting, or of a key of the file's tables. What the list of settings does
// not have is the server's.
SettingReader reader_of(std::string_view key);

}  // namespace steno
