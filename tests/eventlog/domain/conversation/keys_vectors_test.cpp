// The peer's vectors of session keys, through the product's functions.
#include <map>
#include <set>

#include "eventlog/domain/conversation/group_name.hpp"
#include "eventlog/domain/conversation/key_listing.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/peer_key.hpp"
#include "eventlog/domain/conversation/routing.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/vectors.hpp"

namespace domain {
namespace {

using Json = nlohmann::json;
using Answer = Json (*)(const Json& given);

// Paths of files are the business of workers/stores.
const std::set<std::string> kOthers = {"store.path", "transcript.path", "transcript.file"};

std::string text(const Json& given, const char* name) {
  const auto found = given.find(name);
  return found == given.end() || found->is_null() ? std::string() : found->get<std::string>();
}

Json or_null(const std::optional<std::string>& value) {
  return value ? Json(*value) : Json();
}

std::vector<AgentEntry> agents(const Json& given) {
  std::vector<AgentEntry> all;
  for (const Json& agent : given.value("agents", Json::array())) {
    all.push_back({text(agent, "id"), agent.value("default", false)});
  }
  return all;
}

KeySettings settings(const Json& given) {
  KeySettings all;
  all.scope = base::parse_enum<KeyScope>(text(given, "scope")).value_or(KeyScope::per_sender);
  all.main_key = text(given, "mainKey");
  all.agent = given.contains("agentId") ? text(given, "agentId") : default_agent(agents(given));
  return all;
}

Sender sender(const Json& given) {
  return {text(given, "from"), parse_chat_type(text(given, "chatType")), text(given, "provider")};
}

Json parsed(const Json& given) {
  const auto key = parse_session_key(text(given, "key"));
  return key ? Json{{"agentId", key->agent}, {"rest", key->rest}} : Json();
}

Json stored(const Json& given) {
  const std::string key = text(given, "requestKey");
  if (key.empty()) return main_session_key(settings(given));
  return or_null(canonical_key(key, settings(given)));
}

Json of_peer(const Json& given) {
  PeerSettings scope;
  scope.dm_scope = base::parse_enum<DmScope>(text(given, "dmScope")).value_or(DmScope::main);
  scope.main_key = text(given, "mainKey");
  const Json links = given.value("identityLinks", Json::object());
  for (const auto& [name, ids] : links.items()) {
    scope.identity_links.push_back({name, ids});
  }
  const auto kind = parse_chat_type(text(given, "peerKind")).value_or(ChatType::dm);
  return peer_session_key({text(given, "agentId"),
                           text(given, "channel"),
                           text(given, "accountId"),
                           {kind, text(given, "peerId")}},
                          scope);
}

Json of_thread(const Json& given) {
  const std::string parent = text(given, "parent");
  const ThreadKey key = thread_session_key(text(given, "base"), text(given, "threadId"),
                                           parent.empty() ? std::nullopt : std::optional(parent),
                                           given.value("suffix", true));
  return {{"key", key.key}, {"parent", or_null(key.parent)}};
}

Json group_of_message(const Json& given) {
  const auto group = group_of_sender(sender(given));
  if (!group) return {};
  return {{"key", format_group_key(*group)},
          {"channel", group->channel},
          {"id", group->id},
          {"chatType", base::enum_name(group->type)}};
}

Json group_of_key(const Json& given) {
  const auto group = parse_group_key(text(given, "key"));
  if (!group) return {};
  return {{"channel", group->channel}, {"kind", base::enum_name(group->type)}, {"id", group->id}};
}

Json display_name(const Json& given) {
  return group_display_name({text(given, "provider"), text(given, "groupChannel"),
                             text(given, "space"), text(given, "subject"), text(given, "id"),
                             text(given, "key")});
}

Json kind_for_tools(const Json& given) {
  const auto listed = base::parse_enum<ListKind>(text(given, "gatewayKind"));
  return base::enum_name(
      tool_kind(text(given, "key"), settings(given), listed.value_or(ListKind::direct)));
}

Json kind_of_row(const Json& given) {
  return base::enum_name(list_kind(text(given, "key"), parse_chat_type(text(given, "chatType"))));
}

Json looks(const Json& given) {
  const std::string value = text(given, "value");
  const bool is_id = looks_like_session_id(value);
  const bool is_key = looks_like_session_key(value);
  return {{"session_id", is_id}, {"key", is_key}, {"try_as_session_id", is_id || !is_key}};
}

const std::map<std::string, Answer> kAnswers = {
    {"account_id.normalize",
     [](const Json& g) -> Json { return normal_account_id(text(g, "value")); }},
    {"agent_id.normalize", [](const Json& g) -> Json { return normal_agent_id(text(g, "value")); }},
    {"group.display_name", display_name},
    {"group.parse", group_of_key},
    {"key.agent_of", [](const Json& g) -> Json { return agent_of_key(text(g, "key")); }},
    {"key.bucket",
     [](const Json& g) -> Json { return sender_bucket(sender(g), settings(g).scope); }},
    {"key.canonical",
     [](const Json& g) { return or_null(canonical_key(text(g, "key"), settings(g))); }},
    {"key.explicit_agent_main",
     [](const Json& g) -> Json {
       // A blank id names no agent.
       const std::string id = text(g, "agentId");
       return key_word(id).empty() ? Json() : Json(main_session_key(id, text(g, "mainKey")));
     }},
    {"key.from_message",
     [](const Json& g) -> Json { return sender_session_key(sender(g), settings(g)); }},
    {"key.group_from_message", group_of_message},
    {"key.is_acp",
     [](const Json& g) -> Json { return parse_key_parts(text(g, "key")).kind == KeyKind::acp; }},
    {"key.is_subagent",
     [](const Json& g) -> Json {
       return parse_key_parts(text(g, "key")).kind == KeyKind::subagent;
     }},
    {"key.list_kind", kind_of_row},
    {"key.looks_like", looks},
    {"key.main_of_config", [](const Json& g) -> Json { return main_session_key(settings(g)); }},
    {"key.parse", parsed},
    {"key.peer", of_peer},
    {"key.thread", of_thread},
    {"key.thread_parent", [](const Json& g) { return or_null(thread_parent(text(g, "key"))); }},
    {"key.to_request", [](const Json& g) -> Json { return request_key(text(g, "key")); }},
    {"key.to_store", stored},
    {"key.tool_kind", kind_for_tools},
};

TEST_CASE("session keys are those of the peer", "[conversation][R125][R271][R279][R280]") {
  std::size_t tried = 0;
  for (const Json& vector : support::read_vectors("keys")) {
    const auto op = vector.at("op").get<std::string>();
    if (kOthers.count(op) != 0) continue;
    INFO(vector.at("id") << " " << op << " " << vector.at("given"));
    REQUIRE(kAnswers.count(op) == 1);
    CHECK(kAnswers.at(op)(vector.at("given")) == support::expected(vector));
    ++tried;
  }
  CHECK(tried == 116);
}

}  // namespace
}  // namespace domain
