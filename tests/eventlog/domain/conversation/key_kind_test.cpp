// The kind and the parts of keys in all forms.
#include "eventlog/domain/conversation/key_kind.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

TEST_CASE("a key says what it is of", "[conversation][R271][R281]") {
  using enum KeyKind;
  const std::pair<const char*, KeyParts> keys[] = {
      {"agent:a:main", {main, main, "a", "", "", "", ""}},
      {"Main", {main, main, "", "", "", "", ""}},
      {"agent:a:dm:+1", {dm, dm, "a", "", "", "+1", ""}},
      {"agent:a:x:dm:1", {dm, dm, "a", "x", "", "1", ""}},
      {"agent:a:x:w:dm:1", {dm, dm, "a", "x", "w", "1", ""}},
      {"agent:a:x:dm:b:group:c", {dm, dm, "a", "x", "", "b:group:c", ""}},
      {"agent:a:x:group:dm:1", {group, group, "a", "x", "", "dm:1", ""}},
      {"agent:a:slack-c1", {group, group, "a", "slack", "", "c1", ""}},
      {"agent:a:x:channel:c", {channel, channel, "a", "x", "", "c", ""}},
      {"agent:a:x:channel:c:thread:1", {thread, channel, "a", "x", "", "c", "1"}},
      {"agent:a:x:group:c:thread:1:topic:2", {topic, group, "a", "x", "", "c", "2"}},
      {"agent:a:main:thread:1", {thread, main, "a", "", "", "", "1"}},
      {"agent:a:subagent:1:thread:2", {subagent, subagent, "a", "", "", "1:thread:2", ""}},
      {"agent:a:openai-user:u", {openai, openai, "a", "", "", "u", ""}},
      {"agent:a:openai:u", {openai, openai, "a", "", "", "u", ""}},
      {"agent:a:cron:j", {cron, cron, "a", "", "", "j", ""}},
      {"wizard-1-2", {wizard, wizard, "", "", "", "1-2", ""}},
      {"node-1", {node, node, "", "", "", "1", ""}},
      {"hook:1", {hook, hook, "", "", "", "1", ""}},
      {"global", {global, global, "", "", "", "", ""}},
      {"unknown", {unknown, unknown, "", "", "", "", ""}},
      {"agent:a:global", {other, other, "a", "", "", "", ""}},
      {"agent:a:group:1", {other, other, "a", "", "", "", ""}},
      {"agent:a:x:w:group:1", {other, other, "a", "", "", "", ""}},
      {"agent:a:my-work", {other, other, "a", "", "", "", ""}},
      {"agent:a", {}},
      {"cron:", {}},
      {"node-", {}},
      {"", {}},
      {":::", {}},
  };
  for (const auto& [key, parts] : keys) {
    CAPTURE(key);
    CHECK(parse_key_parts(key) == parts);
  }
  CHECK(parse_key_parts("agent:a:desk", " Desk ").kind == main);
}

TEST_CASE("a long key with many threads is read", "[conversation]") {
  std::string key = "agent:a:x:group:c";
  for (int i = 0; i < 100'000; ++i) key += ":thread:" + std::to_string(i);
  CHECK(parse_key_parts(key).thread == "99999");
  CHECK(parse_key_parts(key).id == "c");
}

TEST_CASE("a group's key keeps the thread in its id", "[conversation][R280]") {
  CHECK(parse_group_key("agent:a:telegram-777:topic:5") ==
        GroupKey{"telegram", ChatType::group, "777:topic:5"});
  CHECK(parse_group_key("agent:a:cron:group:5") == std::nullopt);
  CHECK(parse_group_key("x:group:") == std::nullopt);
}

}  // namespace
}  // namespace domain
