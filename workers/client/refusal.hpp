// The reasons why something that a client asked for was not done, whatever surface it came by. Each
// surface has a table from these errors to its own codes.
#pragma once

#include <string>
#include <string_view>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/result.hpp"
#include "workers/client/server_client.hpp"

namespace workers {

enum class OperationError {
  failed,       // everything that is none of the others
  usage,        // the request is wrong in itself
  not_found,    // what it names is not there
  conflict,     // it does not fit the state of what it names
  refused,      // permission, limit, policy
  unreachable,  // no server answers
  timeout,      // the answer did not come in time
  over_budget,  // the money is spent
  damaged,      // something that was acknowledged is missing from the log
  wrong_log,    // another log, or one of a newer format
  busy,         // try again
};

struct Refusal {
  OperationError error = OperationError::failed;
  std::string text;    // what is wrong, and what to do, for people and models
  std::string code{};  // of the server's reply, such as "session_limit"; empty: it was none
};

template <class T>
using Outcome = base::Result<T, Refusal>;

OperationError error_of(base::ErrorCode code);
OperationError error_of(domain::RejectionCode code);
OperationError error_of(bus::ReplyError code);
// Returns the error for a reply that is not ok. `code` is a rejection's name or an error reply's
// code; an unknown one is `failed`.
OperationError error_of_reply(std::string_view code);

tl::unexpected<Refusal> refuse(OperationError error, std::string text);
tl::unexpected<Refusal> refuse(const base::Error& error);
// The refusal for a request that has no answer, or one that says no.
tl::unexpected<Refusal> refuse(std::string_view verb, const Unanswered& why);

}  // namespace workers

// As programs read them.
template <>
struct base::EnumNames<workers::OperationError> {
  static constexpr std::string_view kNames[] = {"failed",  "usage",     "not_found", "conflict",
                                                "refused", "no_server", "timeout",   "budget",
                                                "damaged", "wrong_log", "busy"};
};
