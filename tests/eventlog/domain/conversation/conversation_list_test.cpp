// Lists of conversations: conditions, order and size.
#include "eventlog/domain/conversation/conversation_list.hpp"

#include <limits>

#include "tests/support/catch.hpp"

namespace domain {
namespace {

ConversationRow row(std::string key, std::int64_t updated_us = 0) {
  ConversationRow row;
  row.key = std::move(key);
  row.updated = Time{updated_us};
  return row;
}

std::string keys(const std::vector<ConversationRow>& rows) {
  std::string keys;
  for (const ConversationRow& row : rows) keys += row.key + " ";
  return keys;
}

TEST_CASE("rows of the same time stay in order, and the limit comes last", "[conversation][R291]") {
  const std::vector<ConversationRow> rows = {row("b", 1), row("a", 1), row("c", 2)};
  ListFilter filter;
  CHECK(keys(listed(rows, filter, {})) == "c b a ");
  filter.limit = 2;
  CHECK(keys(listed(rows, filter, {})) == "c b ");
  filter.limit = -3;
  CHECK(keys(listed(rows, filter, {})) == "c ");
}

TEST_CASE("a list is of an agent, of kinds, of a scope and of labels", "[conversation][R291]") {
  std::vector<ConversationRow> rows = {row("agent:ops:main"), row("agent:main:x"), row("global"),
                                       row("unknown")};
  rows[1].kind = ToolKind::cron;
  rows[1].labels = {"work", "Näher"};
  rows[0].scope = "main";
  const auto with = [&](auto&& set) {
    ListFilter filter;
    filter.includes_global = true;
    set(filter);
    return keys(listed(rows, filter, {}));
  };
  CHECK(with([](ListFilter& filter) { filter.agent = " OPS "; }) == "agent:ops:main ");
  CHECK(with([](ListFilter& filter) { filter.kinds = {ToolKind::cron}; }) == "agent:main:x ");
  CHECK(with([](ListFilter& filter) { filter.scope = "main"; }) == "agent:ops:main ");
  CHECK(with([](ListFilter& filter) { filter.label = "work"; }) == "agent:main:x ");
  CHECK(with([](ListFilter& filter) { filter.search = "NÄHER"; }) == "agent:main:x ");
  CHECK(with([](ListFilter& filter) { filter.spawned_by = "agent:main:main"; }).empty());
  CHECK(with([](ListFilter&) {}) == "agent:ops:main agent:main:x global ");
}

TEST_CASE("any number of minutes is a window", "[conversation]") {
  const std::vector<ConversationRow> rows = {row("a", 0), row("b", 60'000'000)};
  ListFilter filter;
  filter.active_minutes = std::numeric_limits<std::int64_t>::max();
  CHECK(listed(rows, filter, Time{120'000'000}).size() == 2);
  filter.active_minutes = std::numeric_limits<std::int64_t>::min();
  CHECK(keys(listed(rows, filter, Time{120'000'000})) == "b ");
}

TEST_CASE("a row has the name of its group only if it is one", "[conversation][R280]") {
  CHECK(row_name({" N ", "l", "", "agent:main:slack:group:x", "", "", "", ""}) == "N");
  CHECK(row_name({"", "l", "", "agent:main:discord:group:dev", "", "", "", ""}) == "discord:g-dev");
  CHECK(row_name({"", "l", "o", "agent:main:main", "whatsapp", "", "", ""}) == "l");
  CHECK(row_name({"", "", "o", "agent:main:main", "", "", "", ""}) == "o");
  CHECK(row_name({"", "", "", "agent:main:main", "", "", "", ""}).empty());
}

TEST_CASE("a list that is too long loses its first items, and never the last", "[conversation]") {
  const std::vector<std::size_t> bytes = {3, 3, 3};
  CHECK(cap_bytes(bytes, 12) == CappedList{1, 9});
  CHECK(cap_bytes(bytes, 0) == CappedList{2, 5});
  CHECK(cap_bytes({}, 0) == CappedList{0, 2});
}

TEST_CASE("a row's tokens are the total where there is one", "[conversation]") {
  CHECK(shown_tokens(0, 1, 2) == 0);
  CHECK(shown_tokens(std::nullopt, 1, 2) == 3);
}

}  // namespace
}  // namespace domain
