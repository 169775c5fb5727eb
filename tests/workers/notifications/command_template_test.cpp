// Values take the places of names in the words of a sink's command; no shell is involved.
#include "workers/notifications/command_template.hpp"

#include "tests/support/catch.hpp"
#include "workers/notifications/sink_options.hpp"

namespace workers {
namespace {

using Words = std::vector<std::string>;

std::map<std::string, std::string> values(const std::string& channel) {
  auto values = route_values(channel);
  values["text"] = "a 'b' $(c)";
  return values;
}

TEST_CASE("the builtin command sends to channel, account and target", "[workers][R082]") {
  CHECK(fill_template(builtin_channel_command(), values("telegram|bot|12|34")) ==
        Words{"openclaw", "message", "send", "--channel", "telegram", "--account", "bot",
              "--target", "12|34", "--message", "a 'b' $(c)"});
  CHECK(fill_template(builtin_channel_command(), values("telegram|1234")) ==
        Words{"openclaw", "message", "send", "--channel", "telegram", "--target", "1234",
              "--message", "a 'b' $(c)"});
  CHECK(fill_template(builtin_channel_command(), values("telegram|1234|thread:55")) ==
        Words{"openclaw", "message", "send", "--channel", "telegram", "--target", "1234",
              "--thread-id", "55", "--message", "a 'b' $(c)"});
}

TEST_CASE("the builtin command of a system event has its text", "[workers][R083]") {
  CHECK(fill_template(builtin_system_command(), values("unknown")) ==
        Words{"openclaw", "system", "event", "--text", "a 'b' $(c)", "--mode", "now"});
}

TEST_CASE("names stand anywhere in a word, and braces that are no names for themselves",
          "[workers]") {
  CHECK(fill_template({"say", "[{channel}] {text}!", "{", "}"}, values("telegram|1234")) ==
        Words{"say", "[telegram] a 'b' $(c)!", "{", "}"});
}

TEST_CASE("an empty value takes its option with it, and nothing else", "[workers]") {
  CHECK(fill_template({"say", "--account", "{account}", "x"}, values("a|b")) == Words{"say", "x"});
  CHECK(fill_template({"say", "account", "{account}"}, values("a|b")) == Words{"say", "account"});
  CHECK(fill_template({"--say", "{account}"}, values("a|b")) == Words{"--say"});
}

TEST_CASE("an argument ends before no NUL", "[workers]") {
  CHECK(fill_template({"say", "{text}"}, {{"text", std::string("a\0b", 3)}}) == Words{"say", "ab"});
}

TEST_CASE("a template that does not parse says what is known", "[workers]") {
  CHECK(check_template({"say", "{text} {channel} {account} {target} {title}"}));
  CHECK(check_template({"say", "{not closed"}));
  CHECK_FALSE(check_template({}));
  const auto unknown = check_template({"say", "{texts}"});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().text.find("{texts}") != std::string::npos);
  CHECK(unknown.error().text.find("{text}") != std::string::npos);
}

}  // namespace
}  // namespace workers
