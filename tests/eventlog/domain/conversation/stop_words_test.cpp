// Messages that stop a conversation.
#include "eventlog/domain/conversation/stop_words.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

TEST_CASE("a bare word stops, in any case and with white space around it", "[conversation]") {
  for (const char* text : {"stop", "ESC", "\nabort\n", "\u3000wait", "Exit\t", "INTERRUPT"}) {
    INFO(text);
    CHECK(is_stop_word(text));
    CHECK(is_stop_request(text, true));
    CHECK_FALSE(is_stop_request(text, false));
  }
  CHECK(is_stop_request(" /Stop\n", true));
}

TEST_CASE("any other word beside it makes a message of it", "[conversation]") {
  for (const char* text : {"", " ", "stop.", "stop stop", "/stop now", "//stop", "/abort", "s top",
                           "stop\xFF", "ѕtop", "stopp", "/ stop"}) {
    INFO(text);
    CHECK_FALSE(is_stop_request(text, true));
  }
  // The command is none of the bare words.
  CHECK_FALSE(is_stop_word("/stop"));
  CHECK_FALSE(is_stop_request(std::string(1'000'000, 's'), true));
}

}  // namespace
}  // namespace domain
