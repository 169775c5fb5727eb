// Maps every error, rejection and reply in a switch without a default, so that a new one must be
// mapped.
#include "workers/client/refusal.hpp"

#include <utility>

namespace workers {

OperationError error_of(base::ErrorCode code) {
  using base::ErrorCode;
  switch (code) {
    case ErrorCode::invalid:
      return OperationError::usage;
    case ErrorCode::not_found:
      return OperationError::not_found;
    case ErrorCode::conflict:
      return OperationError::conflict;
    case ErrorCode::too_large:
    case ErrorCode::refused:
      return OperationError::refused;
    case ErrorCode::unreachable:
      return OperationError::unreachable;
    case ErrorCode::timeout:
      return OperationError::timeout;
    case ErrorCode::damaged:
      return OperationError::damaged;
    case ErrorCode::in_use:
    case ErrorCode::wrong_log:
      return OperationError::wrong_log;
    case ErrorCode::busy:
      return OperationError::busy;
    case ErrorCode::rows_damaged:
    case ErrorCode::io:
      break;
  }
  return OperationError::failed;
}

OperationError error_of(domain::RejectionCode code) {
  using domain::RejectionCode;
  switch (code) {
    case RejectionCode::invalid:
      return OperationError::usage;
    case RejectionCode::not_found:
      return OperationError::not_found;
    case RejectionCode::already_exists:
    case RejectionCode::id_reused:
    case RejectionCode::id_too_old:
    case RejectionCode::version_conflict:
    case RejectionCode::session_ended:
    case RejectionCode::not_accepting:
    case RejectionCode::turn_not_running:
    case RejectionCode::source_live:
    case RejectionCode::not_resumable:
    case RejectionCode::stale_token:
    case RejectionCode::report_gap:
    case RejectionCode::content_in_use:
    case RejectionCode::ask_over:
      return OperationError::conflict;
    case RejectionCode::session_limit:
    case RejectionCode::limit_reached:
    case RejectionCode::refused:
      return OperationError::refused;
    case RejectionCode::over_budget:
      return OperationError::over_budget;
    case RejectionCode::deadline_passed:
      return OperationError::timeout;
    case RejectionCode::lease_held:
    case RejectionCode::in_progress:
    case RejectionCode::unavailable:
    case RejectionCode::busy:
      return OperationError::busy;
    case RejectionCode::inconsistent:
      break;
  }
  return OperationError::failed;
}

OperationError error_of(bus::ReplyError code) {
  using bus::ReplyError;
  switch (code) {
    case ReplyError::invalid:
      return OperationError::usage;
    case ReplyError::not_found:
      return OperationError::not_found;
    case ReplyError::already_exists:
    case ReplyError::id_reused:
      return OperationError::conflict;
    case ReplyError::protocol:
    case ReplyError::too_large:
    case ReplyError::limit_reached:
    case ReplyError::refused:
      return OperationError::refused;
    case ReplyError::timeout:
      return OperationError::timeout;
    case ReplyError::damaged:
      return OperationError::damaged;
    case ReplyError::wrong_log:
      return OperationError::wrong_log;
    case ReplyError::busy:
    case ReplyError::unavailable:
      return OperationError::busy;
    // Faults of the client itself, and everything unclassified.
    case ReplyError::hello_first:
    case ReplyError::bad_frame:
    case ReplyError::failed:
      break;
  }
  return OperationError::failed;
}

OperationError error_of_reply(std::string_view code) {
  if (const auto rejection = base::parse_enum<domain::RejectionCode>(code)) {
    return error_of(*rejection);
  }
  const auto error = base::parse_enum<bus::ReplyError>(code);
  return error ? error_of(*error) : OperationError::failed;
}

tl::unexpected<Refusal> refuse(OperationError error, std::string text) {
  return tl::unexpected(Refusal{error, std::move(text)});
}

tl::unexpected<Refusal> refuse(const base::Error& error) {
  return refuse(error_of(error.code), base::describe(error));
}

tl::unexpected<Refusal> refuse(std::string_view verb, const Unanswered& why) {
  if (const auto* error = std::get_if<base::Error>(&why)) return refuse(*error);
  if (const auto* reply = std::get_if<bus::Reply>(&why)) {
    return tl::unexpected(Refusal{error_of_reply(reply->code),
                                  reply->text.empty() ? reply->code : reply->text, reply->code});
  }
  return refuse(OperationError::failed,
                "the server's answer to '" + std::string(verb) +
                    "' is not understood: " + base::describe(std::get<BadAnswer>(why).error));
}

}  // namespace workers
