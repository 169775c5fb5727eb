// The failure of a client command: an exit code, and one line for people.
#pragma once

#include <string>

#include "eventlog/base/result.hpp"
#include "tools/steno/text/exit_codes.hpp"
#include "workers/client/refusal.hpp"

namespace steno {

struct Failure {
  int exit_code = kExitFailed;
  std::string text;
  std::string code{};  // of a reply that is not ok, such as "session_limit"; empty: it was none
};

template <class T>
using Outcome = base::Result<T, Failure>;

inline tl::unexpected<Failure> fail(int exit_code, std::string text) {
  return tl::unexpected(Failure{exit_code, std::move(text)});
}
inline tl::unexpected<Failure> fail(const base::Error& error) {
  return fail(exit_code_of(error.code), base::describe(error));
}
inline tl::unexpected<Failure> fail(const workers::Refusal& refusal) {
  return tl::unexpected(Failure{exit_code_of(refusal.error), refusal.text, refusal.code});
}

// The reverse.
inline workers::Refusal refusal_of(const Failure& failure) {
  return {error_of_exit(failure.exit_code), failure.text, failure.code};
}

}  // namespace steno
