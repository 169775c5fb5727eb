// The peer's vectors of delivery contexts, through the product's functions.
#include <map>
#include <set>

#include "eventlog/domain/conversation/delivery.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/vectors.hpp"

namespace domain {
namespace {

using Json = nlohmann::json;
using Answer = Json (*)(const Json& given);

// Judged wrong: the peer takes digits only for a thread, so that a thread of Slack, whose id is a
// time with a point, stays in the target. No channel knows such a target.
const std::set<std::string> kFaults = {"delivery-061"};

std::string text(const Json& given, const char* name) {
  const auto found = given.find(name);
  return found != given.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json or_null(const std::string& value) {
  return value.empty() ? Json() : Json(value);
}

void read_thread(const Json& given, const char* name, DeliveryContext& context) {
  const Json thread = given.value(name, Json());
  context.is_thread_number = thread.is_number();
  context.thread = thread.is_number() ? std::to_string(static_cast<std::int64_t>(double(thread)))
                                      : text(given, name);
}

DeliveryContext context(const Json& given, const char* name) {
  const Json of = given.value(name, Json());
  if (!of.is_object()) return {};
  DeliveryContext context{
      text(of, "channel"), text(of, "to"), text(of, "accountId"), {}, false, {}};
  read_thread(of, "threadId", context);
  return context;
}

DeliveryFields fields(const Json& entry) {
  DeliveryFields fields;
  fields.context = context(entry, "deliveryContext");
  fields.last = {text(entry, "lastChannel"),
                 text(entry, "lastTo"),
                 text(entry, "lastAccountId"),
                 {},
                 false,
                 {}};
  read_thread(entry, "lastThreadId", fields.last);
  fields.channel = text(entry, "channel");
  return fields;
}

Json thread_of(const DeliveryContext& context) {
  return context.is_thread_number ? Json(std::stoll(context.thread)) : or_null(context.thread);
}

Json without_nulls(Json object) {
  for (auto at = object.begin(); at != object.end();) {
    at = at->is_null() ? object.erase(at) : std::next(at);
  }
  return object;
}

Json shown(const DeliveryContext& context) {
  if (is_unknown(context)) return Json();
  return without_nulls({{"channel", or_null(context.channel)},
                        {"to", or_null(context.to)},
                        {"accountId", or_null(context.account)},
                        {"threadId", thread_of(context)}});
}

Json stored(const Json& given) {
  const DeliveryFields of = normal_fields(fields(given.value("entry", Json::object())));
  return without_nulls({{"deliveryContext", shown(of.context)},
                        {"lastChannel", or_null(of.last.channel)},
                        {"lastTo", or_null(of.last.to)},
                        {"lastAccountId", or_null(of.last.account)},
                        {"lastThreadId", thread_of(of.last)}});
}

Json key(const Json& given) {
  const auto key = delivery_key(context(given, "context"));
  return key ? Json(*key) : Json();
}

Json of_key(const Json& given) {
  const auto of = delivery_of_key(text(given, "key"));
  if (!of) return Json();
  return {{"channel", of->channel}, {"to", of->to}, {"threadId", thread_of(*of)}};
}

const std::map<std::string, Answer> kAnswers = {
    {"delivery.normalize",
     [](const Json& given) { return shown(normal_delivery(context(given, "context"))); }},
    {"delivery.merge",
     [](const Json& given) {
       return shown(merged_delivery(context(given, "primary"), context(given, "fallback")));
     }},
    {"delivery.key", key},
    {"delivery.of_entry",
     [](const Json& given) {
       return shown(delivery_of(fields(given.value("entry", Json::object()))));
     }},
    {"delivery.entry_fields", stored},
    {"channel.normalize",
     [](const Json& given) { return or_null(channel_word(text(given, "value"))); }},
    {"announce.target_of_key", of_key}};

TEST_CASE("delivery contexts are as the peer has them, or as ruled",
          "[conversation][R104][R282][R283][R284]") {
  for (const Json& vector : support::read_vectors("delivery")) {
    if (kFaults.contains(vector.at("id"))) continue;
    INFO(vector.at("id"));
    CHECK(kAnswers.at(vector.at("op"))(vector.at("given")) == support::expected(vector));
  }
}

}  // namespace
}  // namespace domain
