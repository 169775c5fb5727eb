// The parts of an ask are JSON already.
#include "workers/engines/ask.hpp"

#include <nlohmann/json.hpp>

#include "eventlog/base/json_depth.hpp"

namespace engines {
namespace {

using Json = nlohmann::json;

Json read(base::ByteView text) {
  const bool is_deep = base::json_depth(text) > base::kJsonDepthMax;
  return is_deep ? Json() : Json::parse(text, nullptr, false);
}

bool is_of_subagent(const Json& ask) {
  return ask.contains("context") && ask["context"].contains("agent_id");
}

}  // namespace

base::Bytes ask_text(const Ask& ask) {
  base::Bytes text = "{\"input\":";
  text += ask.details.empty() ? base::Bytes("{}") : ask.details;
  if (!ask.context.empty()) text.append(",\"context\":").append(ask.context);
  return text += '}';
}

bool asks_for_same(base::ByteView text, base::ByteView other) {
  const Json one = read(text);
  const Json two = read(other);
  return one.is_object() && two.is_object() && one.contains("input") && two.contains("input") &&
         one["input"] == two["input"] && is_of_subagent(one) == is_of_subagent(two);
}

}  // namespace engines
