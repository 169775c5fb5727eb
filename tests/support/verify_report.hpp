// Checks of a log's verification report.
#pragma once

#include "eventlog/proof/verify.hpp"
#include "tests/support/catch.hpp"

namespace support {

inline void check_only_problem(const eventlog::VerifyReport& report, base::Position position,
                               const std::string& text,
                               base::ErrorCode code = base::ErrorCode::damaged) {
  for (const auto& problem : report.problems) {
    UNSCOPED_INFO(problem.position.value << ": " << problem.text);
  }
  REQUIRE(report.problems.size() == 1);
  CHECK(report.problems[0].position == position);
  CHECK_THAT(report.problems[0].text, Catch::Contains(text));
  CHECK(report.problems[0].code == code);
}

}  // namespace support
