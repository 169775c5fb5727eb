// Stop words and silent replies answer their vectors of tests/vectors/replies.json.
#include <set>

#include "eventlog/domain/conversation/message_queue.hpp"
#include "eventlog/domain/conversation/silent_reply.hpp"
#include "eventlog/domain/conversation/stop_words.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/vectors.hpp"

namespace domain {
namespace {

using nlohmann::json;

// Operations of the tests of chunks.
const std::set<std::string> kOthers = {
    "chunk.limit",     "chunk.text",     "chunk.channel_default", "chunk.mode",    "chunk.lines",
    "chunk.text_mode", "chunk.markdown", "chunk.markdown_mode",   "chunk.discord", "chunk.draft"};

std::string text_at(const json& object, const char* key) {
  return object.contains(key) && object.at(key).is_string() ? object.at(key).get<std::string>()
                                                            : std::string();
}

json run_abort(const json& given) {
  MessageQueue queue;
  for (std::int64_t at = 1; at <= given.value("queued", 0); ++at) {
    QueuedMessage message;
    message.at = Position{at};
    admit(queue, message, {});
  }
  const bool stops = is_stop_request(text_at(given, "text"), given.value("authorized", true));
  if (stops) clear(queue);
  json answer = {{"stops", stops}, {"marked_aborted", stops ? json(true) : json(nullptr)}};
  answer["queue_left"] = queue.waiting.size();
  return answer;
}

json run_normalize(const json& given) {
  const json& reply = given.at("reply");
  AgentReply said;
  if (reply.contains("text") && reply.at("text").is_string()) said.text = text_at(reply, "text");
  const auto has = [&](const char* key) { return reply.contains(key) && !reply.at(key).empty(); };
  said.has_attachment =
      !text_at(reply, "mediaUrl").empty() || has("mediaUrls") || has("channelData");
  const std::string prefix = text_at(given, "prefix");
  const std::string token = text_at(given, "token");
  ReplyForm form;
  form.prefix = prefix;
  if (!token.empty()) form.silent_token = token;
  const NormalReply normal = normal_reply(said, form);
  if (normal.fate != ReplyFate::sent) return {{"dropped", base::enum_name(normal.fate)}};
  json answer = reply;
  answer["text"] = normal.text ? json(*normal.text) : json(nullptr);
  return answer;
}

json run(const std::string& operation, const json& given) {
  const std::string text = text_at(given, "text");
  if (operation == "abort.word") return is_stop_word(text);
  if (operation == "abort.message") return run_abort(given);
  if (operation == "silent.is") {
    return given.contains("token") ? is_silent(text, text_at(given, "token")) : is_silent(text);
  }
  if (operation == "reply.normalize") return run_normalize(given);
  return "an operation that this test does not know: " + operation;
}

TEST_CASE("stop words and silent replies answer every vector", "[conversation]") {
  std::size_t count = 0;
  for (const json& vector : support::read_vectors("replies")) {
    if (kOthers.contains(vector.at("op"))) continue;
    INFO(vector.at("id") << ' ' << vector.at("given"));
    CHECK(run(vector.at("op"), vector.at("given")) == support::expected(vector));
    ++count;
  }
  CHECK(count > 0);
}

}  // namespace
}  // namespace domain
