// The queue's policy answers the vectors of tests/vectors/queue.json.
#include <map>

#include "eventlog/domain/conversation/queue_directive.hpp"
#include "eventlog/domain/conversation/queued_prompt.hpp"
#include "eventlog/domain/conversation/short_duration.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/vectors.hpp"

namespace domain {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

template <class Value>
json name_or_null(const std::optional<Value>& value) {
  return value ? json(base::enum_name(*value)) : json(nullptr);
}

std::string text_at(const json& object, const char* key) {
  return object.contains(key) ? object.at(key).get<std::string>() : std::string();
}

// A number in the settings, without its fraction.
std::optional<std::int64_t> number_at(const json& object, const char* key) {
  if (!object.contains(key) || !object.at(key).is_number()) return std::nullopt;
  return static_cast<std::int64_t>(object.at(key).get<double>());
}

QueueChoices choices_at(const json& object, const std::array<const char*, 4>& keys) {
  QueueChoices choices;
  choices.mode = parse_queue_mode(text_at(object, keys[0]));
  if (const auto ms = number_at(object, keys[1])) choices.debounce = milliseconds(*ms);
  choices.cap = number_at(object, keys[2]);
  choices.drop = parse_queue_drop(text_at(object, keys[3]));
  return choices;
}

QueueSettings settings_of(const json& given) {
  const json config = given.value("config", json::object());
  const std::string channel = small_letters(trimmed(text_at(given, "channel")));
  QueueLayers layers;
  layers.conversation = choices_at(given.value("entry", json::object()),
                                   {"queueMode", "queueDebounceMs", "queueCap", "queueDrop"});
  layers.inlined.mode = parse_queue_mode(text_at(given, "inlineMode"));
  const json by_channel = config.value("byChannel", json::object());
  layers.channel.mode = parse_queue_mode(text_at(by_channel, channel.c_str()));
  const json debounces = config.value("debounceMsByChannel", json::object());
  if (const auto ms = number_at(debounces, channel.c_str())) {
    layers.channel.debounce = milliseconds(*ms);
  }
  layers.global = choices_at(config, {"mode", "debounceMs", "cap", "drop"});
  return queue_settings(layers);
}

json shown(const QueueSettings& settings) {
  return {{"mode", base::enum_name(settings.mode)},
          {"debounceMs", settings.debounce / milliseconds(1)},
          {"cap", settings.cap},
          {"dropPolicy", base::enum_name(settings.drop)}};
}

json run_duration(const json& given) {
  const std::map<std::string, base::Duration> units = {{"ms", milliseconds(1)},
                                                       {"s", std::chrono::seconds(1)},
                                                       {"m", std::chrono::minutes(1)},
                                                       {"h", std::chrono::hours(1)},
                                                       {"d", std::chrono::hours(24)}};
  const auto duration =
      parse_short_duration(text_at(given, "value"), units.at(given.value("unit", "ms")));
  return duration ? json(*duration / milliseconds(1)) : json("invalid");
}

json run_directive(const json& given) {
  const QueueDirective directive = parse_queue_directive(text_at(given, "text"));
  const QueueChoices& choices = directive.choices;
  json answer = {
      {"cleaned", directive.rest},
      {"hasDirective", directive.is_present},
      {"queueReset", directive.is_reset},
      {"hasOptions", directive.debounce_word || directive.cap_word || directive.drop_word}};
  if (choices.mode) answer["queueMode"] = base::enum_name(*choices.mode);
  if (choices.debounce) answer["debounceMs"] = *choices.debounce / milliseconds(1);
  if (choices.cap) answer["cap"] = *choices.cap;
  if (choices.drop) answer["dropPolicy"] = base::enum_name(*choices.drop);
  if (directive.mode_word) answer["rawMode"] = *directive.mode_word;
  if (directive.debounce_word) answer["rawDebounce"] = *directive.debounce_word;
  if (directive.cap_word) answer["rawCap"] = *directive.cap_word;
  if (directive.drop_word) answer["rawDrop"] = *directive.drop_word;
  return answer;
}

json run_directive_reply(const json& given) {
  const QueueDirective directive = parse_queue_directive(text_at(given, "text"));
  const QueueReply kind = reply_kind(directive);
  if (kind == QueueReply::none) return nullptr;
  const QueueSettings settings = settings_of(given);
  json answer = {{"kind", base::enum_name(kind)}};
  if (kind == QueueReply::faults) {
    for (const QueueOption option : faults(directive)) {
      answer["about"].push_back(base::enum_name(option));
    }
    return answer;
  }
  answer["about"] = {"mode", "debounce", "cap", "drop"};
  const std::string words = reply_text(directive, settings);
  for (const std::string name : answer["about"]) {
    const std::size_t begin = words.find(name + ' ') + name.size() + 1;
    answer["settings"][name] = words.substr(begin, words.find_first_of(",\n", begin) - begin);
  }
  return answer;
}

QueuedMessage message_of(const json& item, std::int64_t number) {
  QueuedMessage message;
  message.at = Position{number};
  message.id = text_at(item, "messageId");
  message.route = {text_at(item, "channel"), text_at(item, "to"), text_at(item, "account"), {}};
  if (item.contains("thread")) {
    const json& thread = item.at("thread");
    message.route.thread = thread.is_string() ? thread.get<std::string>() : thread.dump();
  }
  const std::string text = text_at(item, "text");
  message.text_bytes = static_cast<std::int64_t>(text.size());
  return message;
}

const json& item_at(const json& given, Position at) {
  return given.at("items").at(static_cast<std::size_t>(at.value) - 1);
}

json shown_turn(const json& given, const NextTurn& turn) {
  std::vector<std::string> texts;
  for (const Position at : turn.messages) texts.push_back(text_at(item_at(given, at), "text"));
  std::vector<std::string> latest;
  for (const Position at : turn.overflow.latest) {
    latest.push_back(text_at(item_at(given, at), "text"));
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const std::vector<std::string_view> latest_views(latest.begin(), latest.end());
  json answer = {{"prompt", queued_prompt(turn, views, latest_views)}};
  if (!turn.route.channel.empty()) answer["channel"] = turn.route.channel;
  if (!turn.route.to.empty()) answer["to"] = turn.route.to;
  if (!turn.route.account.empty()) answer["account"] = turn.route.account;
  if (!turn.route.thread.empty()) {
    answer["thread"] = item_at(given, turn.messages.front()).at("thread");
  }
  const json& last = item_at(given, turn.settings_from);
  if (last.contains("model")) answer["model"] = last.at("model");
  return answer;
}

json run_queue(const json& given) {
  QueueLayers layers;
  layers.global = choices_at(given, {"mode", "debounceMs", "cap", "drop"});
  const QueueSettings settings = queue_settings(layers);
  const std::map<std::string, QueueDedupe> dedupes = {{"message-id", QueueDedupe::message_id},
                                                      {"prompt", QueueDedupe::text},
                                                      {"none", QueueDedupe::none}};
  MessageQueue queue;
  json accepted = json::array();
  for (const json& item : given.at("items")) {
    const auto number = static_cast<std::int64_t>(accepted.size()) + 1;
    const QueuedMessage message = message_of(item, number);
    Position same_text;
    for (const QueuedMessage& waiting : queue.waiting) {
      const bool is_same = text_at(item_at(given, waiting.at), "text") == text_at(item, "text");
      if (is_same) same_text = waiting.at;
    }
    const Admission admission = accept(queue, message, settings,
                                       dedupes.at(given.value("dedupe", "message-id")), same_text);
    admit(queue, message, admission);
    accepted.push_back(admission.outcome == AdmissionOutcome::queued);
  }
  json answer = {{"accepted", accepted}, {"depth", queue.waiting.size()}, {"turns", json::array()}};
  for (;;) {
    const NextTurn turn = next_turn(queue, settings, Time{} + kQueueDebounceMax);
    if (turn.shape == TurnShape::none) return answer;
    answer["turns"].push_back(shown_turn(given, turn));
    take(queue, turn);
  }
}

json run(const std::string& operation, const json& given) {
  if (operation == "duration.parse") return run_duration(given);
  if (operation == "queue.mode") return name_or_null(parse_queue_mode(text_at(given, "value")));
  if (operation == "queue.drop") return name_or_null(parse_queue_drop(text_at(given, "value")));
  if (operation == "queue.settings") return shown(settings_of(given));
  if (operation == "queue.summary_line") return summary_line(text_at(given, "text"));
  if (operation == "queue.directive") return run_directive(given);
  if (operation == "queue.directive_reply") return run_directive_reply(given);
  if (operation == "queue.run") return run_queue(given);
  return "an operation that this test does not know: " + operation;
}

TEST_CASE("the queue's policy answers every vector", "[conversation][R098]") {
  std::size_t count = 0;
  for (const json& vector : support::read_vectors("queue")) {
    INFO(vector.at("id") << ' ' << vector.at("given"));
    CHECK(run(vector.at("op"), vector.at("given")) == support::expected(vector));
    ++count;
  }
  CHECK(count > 0);
}

}  // namespace
}  // namespace domain
