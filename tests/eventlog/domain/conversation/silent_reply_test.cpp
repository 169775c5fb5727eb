// Replies that are sent, and those that are not.
#include "eventlog/domain/conversation/silent_reply.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

TEST_CASE("a token within a reply, or within a word of any script, silences nothing",
          "[conversation]") {
  for (const char* text : {"I said NO_REPLY to her", "éNO_REPLY", "NO_REPLYé",
                           "antwortet NO_REPLY 好的", "NO_REPL", "ok NO_REPLY1", "", " "}) {
    INFO(text);
    CHECK_FALSE(is_silent(text));
  }
  for (const char* text : {"\nNO_REPLY\n", "**NO_REPLY**", "NO_REPLY NO_REPLY", "NO_REPLY 好的",
                           "xNO_REPLY NO_REPLY", "ok NO_REPLY…"}) {
    INFO(text);
    CHECK(is_silent(text));
  }
  CHECK_FALSE(is_silent("anything", ""));
  CHECK(is_silent("[hush]x", "[hush]"));
}

TEST_CASE("what is not sent has a reason", "[conversation][N13]") {
  const auto fate = [](std::optional<std::string> text) {
    return normal_reply({std::move(text), false}).fate;
  };
  CHECK(fate(std::nullopt) == ReplyFate::empty);
  CHECK(fate("\n\u3000") == ReplyFate::empty);
  CHECK(fate("done. NO_REPLY") == ReplyFate::silent);
  CHECK(fate("HEARTBEAT_OK") == ReplyFate::heartbeat);
  CHECK(fate("**HEARTBEAT_OK**") == ReplyFate::heartbeat);
  CHECK(fate("<b>HEARTBEAT_OK</b>&nbsp;") == ReplyFate::heartbeat);
  CHECK(fate("no_reply") == ReplyFate::sent);
}

TEST_CASE("attachments are sent whatever the text says", "[conversation]") {
  for (const char* text : {"", " ", "NO_REPLY", "HEARTBEAT_OK", "<i>HEARTBEAT_OK</i>"}) {
    INFO(text);
    CHECK(normal_reply({text, true}, {"[bot]"}) == NormalReply{ReplyFate::sent, ""});
  }
  CHECK(normal_reply({std::nullopt, true}, {"[bot]"}) ==
        NormalReply{ReplyFate::sent, std::nullopt});
}

TEST_CASE("a heartbeat's token is taken off the ends only", "[conversation]") {
  const auto text = [](const char* said, bool strips = true) {
    return normal_reply({said, false}, {"", kSilentToken, strips}).text;
  };
  CHECK(text("HEARTBEAT_OK hello") == "hello");
  CHECK(text("one\ntwo HEARTBEAT_OK") == "one two");
  CHECK(text("<code>HEARTBEAT_OK</code> all good") == "all good");
  CHECK(text("say HEARTBEAT_OK then") == "say HEARTBEAT_OK then");
  CHECK(text("HEARTBEAT_OK hello", false) == "HEARTBEAT_OK hello");
  CHECK(text(" a\n b ") == " a\n b ");
}

TEST_CASE("a prefix stands before a text once", "[conversation]") {
  const auto text = [](const char* said) { return normal_reply({said, false}, {"[bot]"}).text; };
  CHECK(text("hi") == "[bot] hi");
  CHECK(text("[bot] hi") == "[bot] hi");
  CHECK(text("HEARTBEAT_OK hi") == "[bot] hi");
}

}  // namespace
}  // namespace domain
