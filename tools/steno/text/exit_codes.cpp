// Maps every error in a switch without a default, so that a new one must be mapped.
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

int exit_code_of(workers::OperationError error) {
  using workers::OperationError;
  switch (error) {
    case OperationError::usage:
      return kExitUsage;
    case OperationError::not_found:
      return kExitNotFound;
    case OperationError::conflict:
      return kExitConflict;
    case OperationError::refused:
      return kExitRefused;
    case OperationError::unreachable:
      return kExitUnreachable;
    case OperationError::timeout:
      return kExitTimeout;
    case OperationError::over_budget:
      return kExitBudget;
    case OperationError::damaged:
      return kExitDamaged;
    case OperationError::wrong_log:
      return kExitWrongLog;
    case OperationError::busy:
      return kExitBusy;
    case OperationError::failed:
      break;
  }
  return kExitFailed;
}

int exit_code_of(base::ErrorCode code) {
  return exit_code_of(workers::error_of(code));
}

workers::OperationError error_of_exit(int code) {
  for (const std::string_view name : base::EnumNames<workers::OperationError>::kNames) {
    const auto error = *base::parse_enum<workers::OperationError>(name);
    if (exit_code_of(error) == code) return error;
  }
  return workers::OperationError::failed;
}

int print_failure(std::string_view program, const base::Error& error) {
  const int code = exit_code_of(error.code);
  fmt::print(stderr, "{}\n", error_line(program, code, base::describe(error)));
  return code;
}

}  // namespace steno
