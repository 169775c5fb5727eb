// The directive /queue in a text.
#include "eventlog/domain/conversation/queue_directive.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

TEST_CASE("a directive is found in any case, behind white space of any kind", "[conversation]") {
  for (const char* text : {"/QUEUE Steer", "\u3000/queue steer", "\n/queue : steer", "/queue:steer",
                           "/queue\tSTEERING "}) {
    INFO(text);
    const QueueDirective directive = parse_queue_directive(text);
    CHECK(directive.choices.mode == QueueMode::steer);
    CHECK(directive.rest.empty());
  }
  for (const char* text : {"/queues steer", "/queue-steer", "//queue steer", "é/queue",
                           "/queue\xFF", "/queu", "`/queue`"}) {
    INFO(text);
    CHECK_FALSE(parse_queue_directive(text).is_present);
    CHECK(parse_queue_directive(text).rest == text);
  }
}

TEST_CASE("only the first directive is taken off a text", "[conversation]") {
  const auto directive = parse_queue_directive("one /queue cap:3 two\n/queue steer é");
  CHECK(directive.rest == "one two /queue steer é");
  CHECK(directive.choices.cap == 3);
  CHECK_FALSE(directive.choices.mode);
}

TEST_CASE("a text without a directive keeps its lines", "[conversation]") {
  CHECK(parse_queue_directive(" a\n\n  b \n").rest == "a\n\n  b");
}

TEST_CASE("of a part that comes twice the last one counts", "[conversation]") {
  const auto directive = parse_queue_directive("/queue cap:x cap:4 steer collect Drop=OLD");
  CHECK(directive.choices.cap == 4);
  CHECK(directive.choices.mode == QueueMode::collect);
  CHECK(directive.choices.drop == QueueDrop::old);
  CHECK(faults(directive).empty());
  CHECK(faults(parse_queue_directive("/queue cap:4 cap:x")) == std::vector{QueueOption::cap});
}

TEST_CASE("an option whose value says nothing is a fault", "[conversation]") {
  for (const char* text :
       {"/queue cap:", "/queue cap:0.9", "/queue cap:-1", "/queue cap:1e3", "/queue cap:1001",
        "/queue cap:2.", "/queue cap:2.x", "/queue cap:99999999999999999999", "/queue debounce:25h",
        "/queue debounce:2s:3", "/queue debounce=", "/queue drop:", "/queue drop:steer"}) {
    INFO(text);
    const auto directive = parse_queue_directive(text);
    CHECK(faults(directive).size() == 1);
    CHECK(reply_kind(directive) == QueueReply::faults);
    CHECK_FALSE(reply_text(directive, {}).empty());
    CHECK(directive.rest.empty());
  }
  CHECK(parse_queue_directive("/queue cap:2.9").choices.cap == 2);
  CHECK(parse_queue_directive("/queue debounce:0").choices.debounce == base::Duration{0});
  const auto all = parse_queue_directive("/queue debounce:x cap:y drop:z");
  CHECK(reply_text(all, {}).find("'y' is no cap") != std::string::npos);
}

TEST_CASE("a directive that names nothing asks for the settings", "[conversation]") {
  CHECK(reply_kind(parse_queue_directive("no directive")) == QueueReply::none);
  CHECK(reply_text(parse_queue_directive("no directive"), {}).empty());
  CHECK(reply_kind(parse_queue_directive("/queue zzz")) == QueueReply::status);
  CHECK(parse_queue_directive("/queue zzz").rest == "zzz");
  CHECK(reply_kind(parse_queue_directive("/queue steer")) == QueueReply::none);
  CHECK(reply_kind(parse_queue_directive("/queue CLEAR")) == QueueReply::none);
  CHECK(parse_queue_directive("/queue steer reset collect").is_reset);
  CHECK(parse_queue_directive("/queue steer reset collect").rest == "collect");
}

TEST_CASE("a fault quotes no more of a text than a line", "[conversation]") {
  const auto directive = parse_queue_directive("/queue cap:" + std::string(100'000, '9'));
  CHECK(reply_text(directive, {}).size() < 400);
}

}  // namespace
}  // namespace domain
