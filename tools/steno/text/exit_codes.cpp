// Maps every error, rejection and reply in a switch without a default, so that a new one must be
// mapped.
#include "tools/steno/text/exit_codes.hpp"

#include <fmt/core.h>

#include "tools/steno/text/error_line.hpp"

namespace steno {
namespace {

struct NamedCode {
  int exit;
  std::string_view name;
};

constexpr NamedCode kNames[] = {
    {kExitOk, "ok"},
    {kExitFailed, "failed"},
    {kExitUsage, "usage"},
    {kExitNotFound, "not_found"},
    {kExitConflict, "conflict"},
    {kExitRefused, "refused"},
    {kExitUnreachable, "no_server"},
    {kExitTimeout, "timeout"},
    {kExitBudget, "budget"},
    {kExitDamaged, "damaged"},
    {kExitTornTail, "torn_tail"},
    {kExitWrongLog, "wrong_log"},
    {kExitOutput, "output"},
    {kExitBusy, "busy"},
    {kExitInterrupted, "interrupted"},
};

}  // namespace

std::string_view exit_code_name(int code) {
  for (const NamedCode& known : kNames) {
    if (known.exit == code) return known.name;
  }
  return "failed";
}

int exit_code_of(base::ErrorCode code) {
  using base::ErrorCode;
  switch (code) {
    case ErrorCode::invalid:
      return kExitUsage;
    case ErrorCode::not_found:
      return kExitNotFound;
    case ErrorCode::conflict:
      return kExitConflict;
    case ErrorCode::too_large:
    case ErrorCode::refused:
      return kExitRefused;
    case ErrorCode::unreachable:
      return kExitUnreachable;
    case ErrorCode::timeout:
      return kExitTimeout;
    case ErrorCode::damaged:
      return kExitDamaged;
    case ErrorCode::in_use:
    case ErrorCode::wrong_log:
      return kExitWrongLog;
    case ErrorCode::busy:
      return kExitBusy;
    case ErrorCode::rows_damaged:
    case ErrorCode::io:
      break;
  }
  return kExitFailed;
}

int exit_code_of(domain::RejectionCode code) {
  using domain::RejectionCode;
  switch (code) {
    case RejectionCode::invalid:
      return kExitUsage;
    case RejectionCode::not_found:
      return kExitNotFound;
    case RejectionCode::already_exists:
    case RejectionCode::id_reused:
    case RejectionCode::version_conflict:
    case RejectionCode::session_ended:
    case RejectionCode::not_accepting:
    case RejectionCode::turn_not_running:
    case RejectionCode::source_live:
    case RejectionCode::not_resumable:
    case RejectionCode::stale_token:
    case RejectionCode::report_gap:
    case RejectionCode::content_in_use:
      return kExitConflict;
    case RejectionCode::session_limit:
    case RejectionCode::limit_reached:
    case RejectionCode::refused:
      return kExitRefused;
    case RejectionCode::over_budget:
      return kExitBudget;
    case RejectionCode::deadline_passed:
      return kExitTimeout;
    case RejectionCode::lease_held:
    case RejectionCode::in_progress:
    case RejectionCode::unavailable:
    case RejectionCode::busy:
      return kExitBusy;
    case RejectionCode::inconsistent:
      break;
  }
  return kExitFailed;
}

int exit_code_of(bus::ReplyError code) {
  using bus::ReplyError;
  switch (code) {
    case ReplyError::invalid:
      return kExitUsage;
    case ReplyError::not_found:
      return kExitNotFound;
    case ReplyError::already_exists:
    case ReplyError::id_reused:
      return kExitConflict;
    case ReplyError::protocol:
    case ReplyError::too_large:
    case ReplyError::limit_reached:
    case ReplyError::refused:
      return kExitRefused;
    case ReplyError::timeout:
      return kExitTimeout;
    case ReplyError::damaged:
      return kExitDamaged;
    case ReplyError::wrong_log:
      return kExitWrongLog;
    case ReplyError::busy:
    case ReplyError::unavailable:
      return kExitBusy;
    // Faults of the client itself, and everything unclassified.
    case ReplyError::hello_first:
    case ReplyError::bad_frame:
    case ReplyError::failed:
      break;
  }
  return kExitFailed;
}

int exit_code_of_reply(std::string_view code) {
  if (const auto rejection = base::parse_enum<domain::RejectionCode>(code)) {
    return exit_code_of(*rejection);
  }
  const auto error = base::parse_enum<bus::ReplyError>(code);
  return error ? exit_code_of(*error) : kExitFailed;
}

int print_failure(std::string_view program, const base::Error& error) {
  const int code = exit_code_of(error.code);
  fmt::print(stderr, "{}\n", error_line(program, code, base::describe(error)));
  return code;
}

}  // namespace steno
