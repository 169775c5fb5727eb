// Turns errno into an Error, in the words of the operating system.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "eventlog/base/result.hpp"

namespace processes {

// Returns a text such as "No such file or directory"; always English, because it goes into the log.
inline std::string errno_text(int number) {
  const char* text = strerrordesc_np(number);
  return text != nullptr ? text : "error " + std::to_string(number);
}

// Makes the error "<what>: <text of number>", with the code that callers can act on.
inline tl::unexpected<base::Error> system_failure(int number, std::string what,
                                                  std::string where = {}) {
  base::ErrorCode code = base::ErrorCode::io;
  if (number == ENOENT || number == ENOTDIR) code = base::ErrorCode::not_found;
  if (number == EACCES || number == EPERM) code = base::ErrorCode::refused;
  if (number == E2BIG) code = base::ErrorCode::too_large;
  return base::failure(code, std::move(what) + ": " + errno_text(number), std::move(where));
}

}  // namespace processes
