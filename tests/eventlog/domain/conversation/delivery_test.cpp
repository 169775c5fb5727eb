// Where answers go to, from several sources and from keys.
#include "eventlog/domain/conversation/delivery.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

DeliveryContext at(std::string channel, std::string to, std::string thread = {}) {
  return {std::move(channel), std::move(to), {}, std::move(thread), false, {}};
}

TEST_CASE("what was set comes before the last route, and both before what a message implies",
          "[conversation][R284]") {
  const DeliveryFields set{at("telegram", "1"), at("discord", "channel:9"), "slack"};
  CHECK(delivery_of(set) == at("telegram", "1"));
  CHECK(resolve_delivery(set, at("signal", "+1")) == at("telegram", "1"));
  const DeliveryFields last{{}, at("", "2"), " IMsg "};
  CHECK(delivery_of(last) == at("imessage", "2"));
  CHECK(resolve_delivery({}, at(" Signal ", " +1 ")) == at("signal", "+1"));
}

TEST_CASE("a message of another place adds nothing to what is known", "[conversation][R284]") {
  const DeliveryFields known{at("telegram", "1"), {}, {}};
  CHECK(resolve_delivery(known, at("telegram", "1", "7")) == at("telegram", "1", "7"));
  CHECK(resolve_delivery(known, at("telegram", "2", "7")) == at("telegram", "1"));
  DeliveryContext answered = at("telegram", "2");
  answered.reply_to = "m1";
  CHECK(merged_delivery(known.context, answered).reply_to.empty());
  answered.to = "1";
  CHECK(merged_delivery(known.context, answered).reply_to == "m1");
}

TEST_CASE("stored fields agree and stay as they are", "[conversation][R276]") {
  const DeliveryFields once = normal_fields({at(" Slack ", " c "), at("discord", "", " 5 "), ""});
  CHECK(once.context == at("slack", "c", "5"));
  CHECK(once.last == once.context);
  CHECK(normal_fields(once) == once);
}

TEST_CASE("a blank thread is none, also if it came as a number", "[conversation][R283]") {
  DeliveryContext context = at("slack", "c", " ");
  context.is_thread_number = true;
  CHECK(normal_delivery(context) == at("slack", "c"));
  CHECK(is_unknown(at(" ", "\t", "\xC2\xA0")));
  CHECK_FALSE(is_unknown(at("", "", "0")));
}

TEST_CASE("two places never have one key", "[conversation]") {
  CHECK(delivery_key(at("x", "a|b")) != delivery_key({"x", "a", "b", {}, false, {}}));
  CHECK(delivery_key(at("x", "a\\|b")) != delivery_key(at("x", "a|b")));
  CHECK(delivery_key(at("", "a")) == std::nullopt);
  CHECK(delivery_key(at("x", " ")) == std::nullopt);
}

TEST_CASE("a key of a group names a place", "[conversation]") {
  CHECK(delivery_of_key("agent:main:discord:group:dev") == at("discord", "channel:dev"));
  CHECK(delivery_of_key("agent:main:telegram:group:-100:topic:7") ==
        at("telegram", "group:-100", "7"));
  CHECK(delivery_of_key("agent:main:telegram-777") == at("telegram", "group:777"));
  CHECK(delivery_of_key("agent:main:slack:channel:c1:thread:12.34") ==
        at("slack", "channel:c1", "12.34"));
  CHECK(delivery_of_key("agent:main:myplugin:group:x") == at("myplugin", "x"));
  CHECK(delivery_of_key("slack:channel:c1") == at("slack", "channel:c1"));
  for (const char* key : {"agent:main:telegram:dm:7", "agent:main:subagent:group:1", "", "agent:x",
                          "agent:main:slack:group:", "global"}) {
    INFO(key);
    CHECK(delivery_of_key(key) == std::nullopt);
  }
}

}  // namespace
}  // namespace domain
