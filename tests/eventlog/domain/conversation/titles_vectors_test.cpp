// The peer's vectors of titles, labels, previews and lists, through the product's functions.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "eventlog/domain/conversation/conversation_list.hpp"
#include "eventlog/domain/conversation/title.hpp"
#include "eventlog/domain/conversation/transcript_preview.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/vectors.hpp"

namespace domain {
namespace {

using Json = nlohmann::json;
using Answer = Json (*)(const Json& given);

// The forms of a transcript's lines are the business of those who import them.
const std::set<std::string> kOthers = {"transcript.messages"};

std::string text(const Json& given, const char* name) {
  const auto found = given.find(name);
  return found != given.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number(const Json& given, const char* name) {
  const Json found = given.value(name, Json());
  return found.is_number() ? static_cast<std::int64_t>(std::floor(double(found))) : 0;
}

std::optional<std::int64_t> optional_number(const Json& given, const char* name) {
  if (!given.value(name, Json()).is_number()) return std::nullopt;
  return number(given, name);
}

Time milliseconds(const Json& given, const char* name) {
  return {number(given, name) * 1'000};
}

Json or_null(const std::string& value) {
  return value.empty() ? Json() : Json(value);
}
Json or_null(const std::optional<std::string>& value) {
  return value ? Json(*value) : Json();
}

// ---- titles and labels ----

Json title(const Json& given) {
  const Json entry = given.value("entry", Json());
  if (!entry.is_object()) return Json();
  const std::string name = text(entry, "displayName");
  const std::string subject = text(entry, "subject");
  const std::string said = text(given, "firstUserMessage");
  const std::string id = text(entry, "sessionId");
  return or_null(title_of({name, subject, said, id, milliseconds(entry, "updatedAt")}));
}

Json label(const Json& given) {
  const Json value = given.value("value", Json());
  const std::string given_text = value.is_string() ? value.get<std::string>() : "";
  const ParsedLabel parsed =
      parse_label(value.is_string() ? std::optional<std::string_view>(given_text) : std::nullopt);
  if (parsed.fault == LabelFault::none) return {{"ok", true}, {"label", parsed.label}};
  return {{"ok", false}, {"why", base::enum_name(parsed.fault)}};
}

// ---- transcripts ----

TranscriptLine line_of(const Json& message) {
  TranscriptLine line;
  line.role = text(message, "role");
  line.tool = text(message, "toolName") + text(message, "tool_name");
  const Json content = message.value("content", Json());
  if (content.is_string()) line.parts.push_back({"text", content, {}});
  if (content.is_array()) {
    for (const Json& part : content) {
      if (!part.is_object()) continue;
      line.parts.push_back({text(part, "type"), text(part, "text"), text(part, "name")});
    }
  }
  return line;
}

using Lines = std::vector<TranscriptLine>;

// Reads as many lines as a list does: its first ones, its last ones, or all.
Lines lines_of(const Json& given, std::size_t first, std::size_t last) {
  const Json all = given.value("lines", Json::array());
  Lines lines;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= first || i + last < all.size() || !all[i].is_object()) continue;
    const Json message = all[i].contains("message") ? all[i].at("message") : all[i];
    if (message.is_object() && message.contains("role")) lines.push_back(line_of(message));
  }
  return lines;
}

constexpr std::size_t kAll = std::size_t{1} << 20;

Json preview(const Json& given) {
  PreviewLimits limits;
  limits.items = optional_number(given, "limit").value_or(limits.items);
  limits.characters = optional_number(given, "maxChars").value_or(limits.characters);
  Json items = Json::array();
  for (const PreviewItem& item : preview_of(lines_of(given, kAll, kAll), limits)) {
    items.push_back({{"role", base::enum_name(item.role)}, {"text", item.text}});
  }
  return items;
}

// ---- lists ----

ConversationRow row_of(const std::string& key, const Json& entry) {
  const Json origin = entry.value("origin", Json::object());
  const std::string name = text(entry, "displayName");
  const std::string origin_label = text(origin, "label");
  const std::string channel = text(entry, "channel");
  const std::string group_channel = text(entry, "groupChannel");
  const std::string space = text(entry, "space");
  ConversationRow row;
  row.key = key;
  row.session_id = text(entry, "sessionId");
  row.subject = text(entry, "subject");
  row.label = text(entry, "label");
  row.display_name =
      row_name({name, row.label, origin_label, key, channel, group_channel, space, row.subject});
  row.spawned_by = text(entry, "spawnedBy");
  DeliveryFields delivery;
  delivery.channel = channel;
  delivery.last = {text(entry, "lastChannel"),
                   text(entry, "lastTo"),
                   text(entry, "lastAccountId"),
                   text(entry, "lastThreadId"),
                   false,
                   {}};
  row.delivery = delivery_of(delivery);
  row.tokens = shown_tokens(optional_number(entry, "totalTokens"), number(entry, "inputTokens"),
                            number(entry, "outputTokens"));
  row.updated = milliseconds(entry, "updatedAt");
  return row;
}

ListFilter filter_of(const Json& options) {
  ListFilter filter;
  filter.agent = text(options, "agentId");
  filter.label = text(options, "label");
  filter.spawned_by = text(options, "spawnedBy");
  filter.search = text(options, "search");
  filter.active_minutes = optional_number(options, "activeMinutes");
  filter.limit = optional_number(options, "limit");
  filter.includes_global = options.value("includeGlobal", false);
  filter.includes_unknown = options.value("includeUnknown", false);
  return filter;
}

Json shown_delivery(const DeliveryContext& context) {
  Json shown = Json::object();
  if (!context.channel.empty()) shown["channel"] = context.channel;
  if (!context.to.empty()) shown["to"] = context.to;
  if (!context.account.empty()) shown["accountId"] = context.account;
  if (!context.thread.empty()) shown["threadId"] = context.thread;
  return shown.empty() ? Json() : shown;
}

Json column(const ConversationRow& row, const std::string& name, const Json& entry) {
  const std::map<std::string, Json> columns = {
      {"key", row.key},
      {"sessionId", row.session_id},
      {"label", or_null(row.label)},
      {"subject", or_null(row.subject)},
      {"displayName", or_null(row.display_name)},
      {"totalTokens", row.tokens},
      {"deliveryContext", shown_delivery(row.delivery)},
      {"lastChannel", or_null(row.delivery.channel)},
      {"lastTo", or_null(row.delivery.to)},
      {"lastAccountId", or_null(row.delivery.account)},
      {"kind", base::enum_name(list_kind(row.key, parse_chat_type(text(entry, "chatType"))))}};
  return columns.at(name);
}

Json rows(const Json& given) {
  const Json& store = given.at("store");
  std::vector<ConversationRow> all;
  for (const auto& [key, entry] : store.items()) all.push_back(row_of(key, entry));
  const Json show = given.value("show", Json::array({"key"}));
  Json shown = Json::array();
  for (const ConversationRow& row :
       listed(std::move(all), filter_of(given.at("options")), milliseconds(given, "now"))) {
    Json columns;
    for (const std::string name : show) columns[name] = column(row, name, store.at(row.key));
    shown.push_back(columns);
  }
  return {{"count", shown.size()}, {"rows", shown}};
}

Json capped(const Json& given) {
  const Json& items = given.at("items");
  std::vector<std::size_t> bytes;
  for (const Json& item : items) bytes.push_back(item.dump().size());
  const CappedList capped = cap_bytes(bytes, given.at("maxBytes"));
  Json kept = Json::array();
  for (std::size_t i = capped.first; i < items.size(); ++i) kept.push_back(items[i]);
  return {{"items", kept}, {"bytes", capped.bytes}};
}

const std::map<std::string, Answer> kAnswers = {
    {"title.derive", title},
    {"label.parse", label},
    {"transcript.first_user_text",
     [](const Json& given) {
       return or_null(first_user_text(lines_of(given, kFirstLinesMax, kAll)));
     }},
    {"transcript.last_text",
     [](const Json& given) { return or_null(last_text(lines_of(given, kAll, kLastLinesMax))); }},
    {"transcript.preview", preview},
    {"list.rows", rows},
    {"list.cap_bytes", capped}};

TEST_CASE("titles, labels, previews and lists are as the peer has them, or as ruled",
          "[conversation][R285][R289][R291]") {
  for (const Json& vector : support::read_vectors("titles")) {
    if (kOthers.contains(vector.at("op"))) continue;
    INFO(vector.at("id"));
    CHECK(kAnswers.at(vector.at("op"))(vector.at("given")) == support::expected(vector));
  }
}

}  // namespace
}  // namespace domain
