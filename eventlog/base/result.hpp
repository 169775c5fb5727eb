// Result<T> returns an operating failure (disk, socket, child process, bad bytes). No exception
// crosses a module boundary; a refusal of a command is a domain::Rejection instead.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace base {

enum class ErrorCode {
  invalid,       // malformed bytes or arguments
  too_large,     // over a named limit
  not_found,     // the thing asked for does not exist
  conflict,      // somebody else was first
  in_use,        // owned by another process
  unreachable,   // no peer answers
  timeout,       // the answer did not come in time
  io,            // the operating system or the store refused
  damaged,       // bytes of the log or of a copy that do not prove themselves
  rows_damaged,  // derived rows cannot be read; they can be rebuilt
  wrong_log,     // another log, another epoch, or a newer format
  refused,       // policy, limit or permission
  busy,          // try again later
};

struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string text;   // what is wrong, and what to do or what is accepted
  std::string where;  // the file, endpoint, field or position it is about; may be empty
};

template <class T, class E = Error>
using Result = tl::expected<T, E>;

// Returns an Error that converts to the error of any Result.
inline tl::unexpected<Error> failure(ErrorCode code, std::string text, std::string where = {}) {
  return tl::unexpected<Error>(Error{code, std::move(text), std::move(where)});
}

// Returns "text (where)", or the text alone if there is no place.
inline std::string describe(const Error& error) {
  return error.where.empty() ? error.text : error.text + " (" + error.where + ")";
}

}  // namespace base
