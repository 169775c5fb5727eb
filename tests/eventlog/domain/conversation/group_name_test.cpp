// Names of groups that channels give.
#include "eventlog/domain/conversation/group_name.hpp"

#include "tests/support/catch.hpp"

namespace domain {
namespace {

GroupNaming subject(std::string text) {
  return {"whatsapp", "", "", std::move(text), "7@g.us", "whatsapp:group:7@g.us"};
}

TEST_CASE("a group is shown by its channel and what is known of it", "[conversation][R280]") {
  CHECK(group_display_name(subject("")) == "whatsapp:g-7@g.us");
  CHECK(group_display_name({" ", "", "", "", "", "x:group:5"}) == "group:g-x-group-5");
  CHECK(group_display_name({"", "", "", "", "", ""}) == "group");
  CHECK(group_display_name({"slack", " ", "My Team", "", "", ""}) == "slack:g-my-team");
  CHECK(group_display_name({"slack", "##x", "", "", "", ""}) == "slack:##x");
}

TEST_CASE("a subject becomes one word", "[conversation][R280]") {
  CHECK(group_display_name(subject(" A -- b\n/c.. ")) == "whatsapp:g-a-b-c");
  CHECK(group_display_name(subject("##Ops")) == "whatsapp:g-ops");
  CHECK(group_display_name(subject("@all")) == "whatsapp:@all");
  CHECK(group_display_name(subject("a#b")) == "whatsapp:a#b");
  CHECK(group_display_name(subject("#")) == "whatsapp");
  CHECK(group_display_name(subject("日本")) == "whatsapp");
  CHECK(group_display_name(subject("Käse\xFF")) == "whatsapp:g-k-se");
}

}  // namespace
}  // namespace domain
