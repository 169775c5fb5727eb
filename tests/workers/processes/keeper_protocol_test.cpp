// Packets between worker and keeper survive encoding; any other bytes are an error.
#include "workers/processes/keeper_protocol.hpp"

#include "eventlog/base/random.hpp"
#include "tests/support/catch.hpp"

namespace processes {
namespace {

TEST_CASE("every command and report comes back as it was", "[workers]") {
  for (const KeeperCommand& command :
       {KeeperCommand(TerminateAgent{0}), KeeperCommand(TerminateAgent{5000}),
        KeeperCommand(KillTree{})}) {
    CHECK(decode_command(encode(command)).value() == command);
  }
  for (const KeeperReport& report :
       {KeeperReport(KeptStarted{1, 0}), KeeperReport(KeptStarted{32768, 123456789}),
        KeeperReport(KeptNotStarted{StartFailure::lock_held, "by another, so there"}),
        KeeperReport(KeptNotStarted{StartFailure::no_program, ""}),
        KeeperReport(KeptExited{0, 0, 0}), KeeperReport(KeptExited{-1, 9, 3})}) {
    CHECK(decode_report(encode(report)).value() == report);
  }
}

TEST_CASE("what is not a command or a report is an error", "[workers]") {
  for (const char* bytes : {"", " ", "kill ", "kill me", "terminate", "terminate ", "terminate x",
                            "terminate -1", "terminate 1 2", "terminate 99999999999999999999"}) {
    INFO(bytes);
    CHECK_FALSE(decode_command(bytes));
  }
  for (const char* bytes : {"", "started", "started 1", "started 0 1", "started 1 2 3", "exited 1",
                            "exited 1 2", "exited 1 2 3 4", "failed", "failed why text"}) {
    INFO(bytes);
    CHECK_FALSE(decode_report(bytes));
  }
}

TEST_CASE("random bytes never break the decoders", "[workers]") {
  base::SeededRandom random(11);
  const std::string_view words[] = {"started ", "exited ",    "failed ", "terminate ",
                                    "kill",     "lock_held ", "1",       " ",
                                    "-",        "99999999999"};
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    for (std::uint64_t parts = random.below(8); parts > 0; --parts) {
      if (random.below(3) == 0) {
        bytes.push_back(static_cast<char>(random.below(256)));
      } else {
        bytes += words[random.below(std::size(words))];
      }
    }
    if (const auto command = decode_command(bytes)) CHECK(decode_command(encode(*command)));
    if (const auto report = decode_report(bytes)) CHECK(decode_report(encode(*report)) == *report);
  }
}

}  // namespace
}  // namespace processes
