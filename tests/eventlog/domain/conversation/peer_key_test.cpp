// Keys of messages, where senders choose their own names.
#include "eventlog/domain/conversation/peer_key.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

const std::vector<IdentityLink> kLinks = {{" ", {"telegram:1"}},
                                          {"Ada", {" Telegram:1 ", "imsg:+15550100", "plain"}},
                                          {"Bob", {"telegram:1"}}};

TEST_CASE("one person has one key on all channels that its link names", "[conversation]") {
  CHECK(linked_name(kLinks, "telegram", "1") == "ada");
  CHECK(linked_name(kLinks, " TELEGRAM ", " telegram:1 ") == "ada");
  CHECK(linked_name(kLinks, "imessage", "+15550100") == "ada");
  CHECK(linked_name(kLinks, "slack", "Plain") == "ada");
  CHECK(linked_name(kLinks, "", "telegram:1") == "ada");
  CHECK(linked_name(kLinks, "telegram", "") == std::nullopt);
  const PeerSettings scoped{DmScope::per_peer, kLinks};
  CHECK(peer_session_key({"main", "telegram", "", {ChatType::dm, "1"}}, scoped) ==
        "agent:main:dm:ada");
  CHECK(peer_session_key({"main", "telegram", "", {ChatType::dm, "1"}}, {DmScope::main, kLinks}) ==
        "agent:main:main");
}

TEST_CASE("a sender that calls itself by another channel's id is not that person",
          "[conversation]") {
  CHECK(linked_name(kLinks, "webchat", "telegram:1") == std::nullopt);
  CHECK(linked_name(kLinks, "webchat", "1") == std::nullopt);
}

TEST_CASE("no id makes an empty part of a key", "[conversation]") {
  const PeerSettings scoped{DmScope::per_account_channel_peer, {}, " Desk "};
  CHECK(peer_session_key({"", " : ", " ", {ChatType::dm, " A::b: "}}, scoped) ==
        "agent:main:unknown:default:dm:a:b");
  CHECK(peer_session_key({"a", "x", "", {ChatType::dm, ":"}}, scoped) == "agent:a:desk");
  CHECK(peer_session_key({"a", "X", "", {ChatType::group, "::"}}, scoped) ==
        "agent:a:x:group:unknown");
  CHECK(thread_session_key("agent:a:main", " : ", "p") == ThreadKey{"agent:a:main", std::nullopt});
  CHECK(thread_session_key("agent:a:main", " T1 ", "p") ==
        ThreadKey{"agent:a:main:thread:t1", "p"});
}

TEST_CASE("a group is found in its sender's name", "[conversation]") {
  CHECK(group_of_sender({"IMSG:Group:5", {}, ""}) == GroupKey{"imessage", ChatType::group, "5"});
  CHECK(group_of_sender({"slack:c1", ChatType::channel, "x"}) ==
        GroupKey{"slack", ChatType::channel, "c1"});
  CHECK(group_of_sender({"5@G.US", {}, " "}) == GroupKey{"whatsapp", ChatType::group, "5@g.us"});
  CHECK(group_of_sender({"slack:group:", {}, ""}) == std::nullopt);
  CHECK(group_of_sender({" ", ChatType::group, "slack"}) == std::nullopt);
  CHECK(group_of_sender({"slack:dm:5", {}, ""}) == std::nullopt);
}

TEST_CASE("a sender is counted under its number, else under its id", "[conversation]") {
  const auto bucket = [](std::string from, std::string provider = {}) {
    return sender_bucket({std::move(from), {}, std::move(provider)}, KeyScope::per_sender);
  };
  CHECK(bucket("whatsapp:+1 (555) 01-00") == "+15550100");
  CHECK(bucket("15550100") == "+15550100");
  CHECK(bucket("15550100", "discord") == "15550100");
  CHECK(bucket("discord:5") == "discord:5");
  CHECK(bucket("Ada") == "ada");
  CHECK(bucket("+") == "+");
  CHECK(bucket(" ") == "unknown");
  CHECK(sender_bucket({"x:group:1", {}, "x"}, KeyScope::global) == "global");
}

TEST_CASE("a message of a person goes to the main conversation of its agent",
          "[conversation][R279]") {
  CHECK(sender_session_key({"+1", {}, ""}, {KeyScope::per_sender, "desk", "Ops"}) ==
        "agent:ops:desk");
  CHECK(sender_session_key({"slack:channel:C", {}, ""}, {KeyScope::per_sender, "desk", "Ops"}) ==
        "agent:ops:slack:channel:c");
  CHECK(sender_session_key({"slack:channel:C", {}, ""}, {KeyScope::global, "desk", "Ops"}) ==
        "global");
}

}  // namespace
}  // namespace domain
