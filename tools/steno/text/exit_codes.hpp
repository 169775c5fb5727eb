// The exit codes of `steno`, the same for every subcommand, and the mapping from errors to them.
#pragma once

#include <string_view>

#include "eventlog/base/result.hpp"
#include "workers/client/refusal.hpp"

namespace steno {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,
  kExitUsage = 2,
  kExitNotFound = 3,
  kExitConflict = 4,
  kExitRefused = 5,  // permission, limit, policy
  kExitUnreachable = 6,
  kExitTimeout = 7,
  kExitBudget = 8,
  kExitDamaged = 9,    // something that was acknowledged is missing from the log
  kExitTornTail = 10,  // the log ends in a torn block; nothing acknowledged is missing
  kExitWrongLog = 11,  // newer format, foreign epoch, in use, not writable
  kExitOutput = 74,    // stdout cannot be written, whatever the command did; EX_IOERR
  kExitBusy = 75,      // try again; EX_TEMPFAIL of sysexits.h
  kExitInterrupted = 130,
};

// Returns the code's name, which programs read beside the number: "not_found" for 3.
std::string_view exit_code_name(int code);

int exit_code_of(workers::OperationError error);
int exit_code_of(base::ErrorCode code);
// Returns the error of that exit code; of one that is the command line's alone, `failed`.
workers::OperationError error_of_exit(int code);

// What helps with a damaged log, whoever finds it so.
constexpr std::string_view kDamageAdvice =
    "`steno replay verify` names what is missing; then `steno restore` a backup, or `steno replay "
    "salvage --to NEW` keeps what is proved";

// Prints to stderr why `program` cannot go on, and returns the exit code.
int print_failure(std::string_view program, const base::Error& error);

}  // namespace steno
