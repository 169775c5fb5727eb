// `steno conv policy`: what holds for a conversation by the settings that are in the file.
#include "eventlog/domain/conversation/chat_type.hpp"
#include "eventlog/domain/conversation/policy.hpp"
#include "eventlog/domain/conversation/state.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/json/json.hpp"
#include "workers/operations/conversing.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using projections::ConversationShown;

std::optional<domain::ChatType> chat_type_of(const ConversationShown& one) {
  return domain::parse_chat_type(domain::field_of(one.entry, "chatType"));
}

domain::SendDecision sending_of(const domain::ConversationPolicy& policy,
                                const ConversationShown& one) {
  domain::SendSubject subject;
  subject.setting = domain::parse_send_action(domain::field_of(one.entry, "sendPolicy"));
  subject.key = one.key;
  subject.channels = {one.last_route.channel};
  subject.chat_type = chat_type_of(one);
  return domain::resolve_send(policy.send, subject);
}

domain::QueueSettings queue_of(const domain::ConversationPolicy& policy,
                               const ConversationShown& one) {
  domain::QueueLayers layers;
  layers.conversation = domain::queue_choices(one.entry);
  const auto of_channel = policy.queue_by_channel.find(one.last_route.channel);
  if (of_channel != policy.queue_by_channel.end()) layers.channel = of_channel->second;
  layers.global = policy.queue;
  return domain::queue_settings(layers);
}

domain::ResetPolicy resets_of(const domain::ConversationPolicy& policy,
                              const ConversationShown& one) {
  const auto type = chat_type_of(one);
  const bool is_group = type == domain::ChatType::group || type == domain::ChatType::channel;
  const auto kind = domain::reset_type(one.key, is_group, domain::is_in_thread(one.key, {}));
  return domain::reset_policy(policy.resets, kind, one.last_route.channel);
}

std::string resets_text(const domain::ResetPolicy& resets, const std::string& zone) {
  std::string text;
  if (resets.mode == domain::ResetMode::daily) {
    text = "daily at " + std::to_string(resets.at_hour) + ":00 " + zone;
  }
  if (resets.idle_minutes) {
    text += std::string(text.empty() ? "" : ", and ") + "after " +
            duration_text(std::chrono::minutes(*resets.idle_minutes)) + " without a message";
  }
  return text.empty() ? "by hand only" : text;
}

}  // namespace

Outcome<int> conversation_policy(const Config& config, const ConversationArguments& arguments) {
  if (config.tables_fault) return fail(*config.tables_fault);
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const workers::Caller& caller = (*connection)->caller();
  const auto named = workers::named_conversation(caller, arguments.key);
  if (!named) return fail(named.error());
  const auto one = (*connection)->run(workers::find_conversation(caller, *named));
  if (!one) return tl::unexpected(one.error());
  const domain::ConversationPolicy& policy = config.conversations.policy;
  const domain::SendDecision sends = sending_of(policy, *one);
  const domain::QueueSettings queue = queue_of(policy, *one);
  const domain::ResetPolicy resets = resets_of(policy, *one);
  if (config.output != OutputFormat::table) {
    workers::JsonObject object;
    object.add("key", one->key)
        .add("send", std::string(base::enum_name(sends.action)))
        .add("why", sends.why)
        .add("queue", queue)
        .add("reset", std::string(base::enum_name(resets.mode)))
        .add("zone", policy.zone)
        .add("at_hour", resets.at_hour)
        .add("idle_minutes", resets.idle_minutes);
    print(object.text() + "\n");
    return kExitOk;
  }
  print(one->key + "\n");
  print("  send    " + std::string(base::enum_name(sends.action)) + ": " +
        workers::safe_line(sends.why) + "\n");
  print("  queue   " + std::string(base::enum_name(queue.mode)) + ", " +
        duration_text(queue.debounce) + " of silence, at most " + std::to_string(queue.cap) +
        ", then " + std::string(base::enum_name(queue.drop)) + "\n");
  print("  resets  " + resets_text(resets, policy.zone) + "\n");
  return kExitOk;
}

}  // namespace steno
