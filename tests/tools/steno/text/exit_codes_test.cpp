// Exit codes are part of the interface: the promised numbers, one for every error and rejection.
#include "tools/steno/text/exit_codes.hpp"

#include "tests/support/catch.hpp"

namespace {

using base::ErrorCode;
using domain::RejectionCode;
using steno::exit_code_of;

int exit_code_of(RejectionCode code) {
  return exit_code_of(workers::error_of(code));
}
int exit_code_of_reply(std::string_view code) {
  return exit_code_of(workers::error_of_reply(code));
}

TEST_CASE("exit codes are the numbers that are promised", "[tools]") {
  CHECK(steno::kExitOk == 0);
  CHECK(steno::kExitFailed == 1);
  CHECK(steno::kExitUsage == 2);
  CHECK(steno::kExitNotFound == 3);
  CHECK(steno::kExitConflict == 4);
  CHECK(steno::kExitRefused == 5);
  CHECK(steno::kExitUnreachable == 6);
  CHECK(steno::kExitTimeout == 7);
  CHECK(steno::kExitBudget == 8);
  CHECK(steno::kExitDamaged == 9);
  CHECK(steno::kExitTornTail == 10);
  CHECK(steno::kExitWrongLog == 11);
  CHECK(steno::kExitOutput == 74);
  CHECK(steno::kExitBusy == 75);
  CHECK(steno::kExitInterrupted == 130);
}

TEST_CASE("errors have exit codes", "[tools]") {
  CHECK(exit_code_of(ErrorCode::invalid) == 2);
  CHECK(exit_code_of(ErrorCode::too_large) == 5);
  CHECK(exit_code_of(ErrorCode::not_found) == 3);
  CHECK(exit_code_of(ErrorCode::conflict) == 4);
  CHECK(exit_code_of(ErrorCode::in_use) == 11);
  CHECK(exit_code_of(ErrorCode::unreachable) == 6);
  CHECK(exit_code_of(ErrorCode::timeout) == 7);
  CHECK(exit_code_of(ErrorCode::io) == 1);
  CHECK(exit_code_of(ErrorCode::damaged) == 9);
  CHECK(exit_code_of(ErrorCode::wrong_log) == 11);
  CHECK(exit_code_of(ErrorCode::refused) == 5);
  CHECK(exit_code_of(ErrorCode::busy) == 75);
}

TEST_CASE("rejections have exit codes, by their code and by its name", "[tools]") {
  CHECK(exit_code_of(RejectionCode::not_found) == 3);
  CHECK(exit_code_of(RejectionCode::session_limit) == 5);
  CHECK(exit_code_of(RejectionCode::session_ended) == 4);
  CHECK(exit_code_of(RejectionCode::unavailable) == 75);
  CHECK(exit_code_of(RejectionCode::busy) == 75);
  CHECK(exit_code_of(RejectionCode::deadline_passed) == 7);
  for (const std::string_view name : base::EnumNames<RejectionCode>::kNames) {
    INFO(name);
    const int code = exit_code_of(*base::parse_enum<RejectionCode>(name));
    CHECK(code != 0);
    CHECK(exit_code_of_reply(name) == code);
  }
}

TEST_CASE("codes of error replies have exit codes", "[tools]") {
  for (const std::string_view name : base::EnumNames<bus::ReplyError>::kNames) {
    INFO(name);
    CHECK(exit_code_of_reply(name) ==
          exit_code_of(workers::error_of(*base::parse_enum<bus::ReplyError>(name))));
  }
  CHECK(exit_code_of_reply("too_large") == 5);
  CHECK(exit_code_of_reply("busy") == 75);
  CHECK(exit_code_of_reply("protocol") == 5);
  CHECK(exit_code_of_reply("refused") == 5);
  CHECK(exit_code_of_reply("timeout") == 7);
  CHECK(exit_code_of_reply("damaged") == 9);
  CHECK(exit_code_of_reply("wrong_log") == 11);
  CHECK(exit_code_of_reply("bad_frame") == 1);
  CHECK(exit_code_of_reply("of a later release") == 1);
}

}  // namespace
