// Keys that users give, in forms that the peer's vectors do not have.
#include "eventlog/domain/conversation/session_key.hpp"

#include "eventlog/domain/conversation/key_kind.hpp"
#include "eventlog/domain/stream_ref.hpp"
#include "tests/support/catch.hpp"

namespace domain {
namespace {

const KeySettings kSettings{KeyScope::per_sender, "Work", "Ops"};

std::string canonical(std::string_view text) {
  return canonical_key(text, kSettings).value_or("none");
}

TEST_CASE("each form of a key has one canonical form, which stays as it is",
          "[conversation][R271]") {
  const std::pair<const char*, const char*> forms[] = {
      {"AGENT:Ops:Main", "agent:ops:work"},
      {"agent:ops:WORK", "agent:ops:work"},
      {"agent::ops::work", "agent:ops:work"},
      {" agent : Ops Team! : x ", "agent:ops-team:x"},
      {"Discord:Group:9", "agent:ops:discord:group:9"},
      {"Çelik", "agent:ops:çelik"},
      {"Main:Thread:5", "agent:ops:work:thread:5"},
      {"agent:ops:main:x", "agent:ops:main:x"},
      {"hook:7", "agent:ops:hook:7"},
      {"agent", "agent:ops:agent"},
      {"GLOBAL", "global"},
      {"agent:ops:global", "agent:ops:global"},
      {"agent:a:agent:b:c", "agent:a:agent:b:c"},
      {"\xFF", "agent:ops:\xFF"},
  };
  for (const auto& [given, expected] : forms) {
    CHECK(canonical(given) == expected);
    CHECK(canonical(expected) == expected);
  }
}

TEST_CASE("a text that lacks a part of a key is none", "[conversation]") {
  for (const char* text :
       {"", " \t\n", ":", " : : ", "agent:", "agent:x", "agent:x:", "Agent::x: "}) {
    CHECK(canonical(text) == "none");
    CHECK(session_key_fault(text));
  }
  CHECK(session_key_fault("a\nb"));
  CHECK(session_key_fault("a\xFF"));
  CHECK(session_key_fault(std::string(kSessionKeyBytesMax + 1, 'x')));
  CHECK_FALSE(session_key_fault(std::string(kSessionKeyBytesMax, 'x')));
  CHECK_FALSE(session_key_fault("agent:main:main"));
}

TEST_CASE("a key of a channel and a dash is a group's", "[conversation][R280]") {
  CHECK(canonical("telegram-777") == "agent:ops:telegram:group:777");
  CHECK(canonical("agent:a:Telegram--100:topic:5") == "agent:a:telegram:group:-100:topic:5");
  CHECK(canonical("agent:a:nextcloud-talk-x-y") == "agent:a:nextcloud-talk:group:x-y");
  for (const char* name :
       {"work-project", "telegram", "telegram-", "telegram-7:x", "telegram-:topic:5", "node-1"}) {
    CHECK(canonical(name) == "agent:ops:" + std::string(name));
  }
}

TEST_CASE("the main conversation is the global one where that is the scope", "[conversation]") {
  const KeySettings global{KeyScope::global, "work", "ops"};
  CHECK(canonical_key("agent:alpha:main", global) == "global");
  CHECK(canonical_key("work", global) == "global");
  CHECK(canonical_key("x", global) == "agent:ops:x");
}

TEST_CASE("a normal id of an agent is an agent's name", "[conversation][R125]") {
  for (const char* id :
       {"_x", "-", "__", "a.b", "..", "/../x", "É", "a\xFF", " B-", "\0",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx!"}) {
    const std::string normal = normal_agent_id(id);
    CAPTURE(normal);
    CHECK(is_agent_name(normal));
    CHECK(normal_agent_id(normal) == normal);
  }
  CHECK(normal_agent_id("_x") == "x");
  CHECK(normal_agent_id("B-") == "b-");
  CHECK(normal_account_id("日本") == "default");
  CHECK(agent_of_key(" AGENT:Ops Team:x") == "ops-team");
}

TEST_CASE("a thread's parent is a key", "[conversation][R120]") {
  CHECK(thread_parent("agent:main:thread:5") == std::nullopt);
  CHECK(thread_parent(":thread:5") == std::nullopt);
  CHECK(thread_parent("agent:main:x:thread:") == std::nullopt);
  CHECK(thread_parent("agent:main:x:thread:thread:5") == "agent:main:x:thread");
  CHECK(thread_parent("main:Topic:5") == "main");
}

}  // namespace
}  // namespace domain
