// Result<T> is how an operating failure (disk, socket, child process, bad bytes) is returned.
// No exception crosses a module boundary; a refusal of a command is a domain::Rejection instead.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace base {

enum class ErrorCode {
  invalid,       // bytes or arguments that are not what they should be
  too_large,     // over a named limit
  not_found,     // the thing asked for does not exist
  conflict,      // somebody else was first
  in_use,        // owned by another process
  unreachable,   // no peer answers
  timeout,       // the answer did not come in time
  io,            // the operating system or the store refused
  damaged,       // bytes of the log, or of a copy of it, that do not prove themselves
  rows_damaged,  // rows that were derived from the log cannot be read; they can be built anew
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

// An Error ready to be returned from a function that returns any Result.
inline tl::unexpected<Error> failure(ErrorCode code, std::string text, std::string where = {}) {
  return tl::unexpected<Error>(Error{code, std::move(text), std::move(where)});
}

// "text (where)", or the text alone where there is no place to name.
inline std::string describe(const Error& error) {
  return error.where.empty() ? error.text : error.text + " (" + error.where + ")";
}

}  // namespace base
