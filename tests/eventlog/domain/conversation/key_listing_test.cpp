// Kinds in lists, and keys told from session ids.
#include "eventlog/domain/conversation/key_listing.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

TEST_CASE("lists show what a conversation is by its chat type, else by its key",
          "[conversation][R291]") {
  CHECK(list_kind("agent:a:main", ChatType::channel) == ListKind::group);
  CHECK(list_kind("agent:a:x:channel:c:thread:1") == ListKind::group);
  CHECK(list_kind("agent:a:x:dm:b:group:c", ChatType::dm) == ListKind::direct);
  CHECK(tool_kind("agent:a:desk", {KeyScope::per_sender, "desk", "a"}, ListKind::group) ==
        ToolKind::main);
  CHECK(tool_kind("agent:a:cron:j", {}, ListKind::direct) == ToolKind::cron);
  CHECK(tool_kind("agent:a:hook:j", {}, ListKind::direct) == ToolKind::hook);
  CHECK(tool_kind("agent:a:x:group:g", {}, ListKind::direct) == ToolKind::group);
  CHECK(tool_kind("global", {}, ListKind::global) == ToolKind::other);
  CHECK(tool_kind("global", {KeyScope::global, "main", "a"}, ListKind::global) == ToolKind::main);
}

TEST_CASE("a key is told from a session id", "[conversation]") {
  CHECK(looks_like_session_id(" 123E4567-E89B-12D3-A456-426614174000 "));
  CHECK_FALSE(looks_like_session_id("123e4567-e89b-12d3-a456-42661417400"));
  CHECK_FALSE(looks_like_session_id("123e4567-e89b-12d3-a456-4266141740000"));
  CHECK_FALSE(looks_like_session_id("123e4567+e89b-12d3-a456-426614174000"));
  CHECK(looks_like_session_key("desk", "desk"));
  CHECK(looks_like_session_key("agent:x"));
  CHECK(looks_like_session_key("agent:x:my-work"));
  CHECK_FALSE(looks_like_session_key(""));
}

}  // namespace
}  // namespace domain
