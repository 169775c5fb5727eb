// Contexts are merged field by field, since each source tells only what it knows.
#include "eventlog/domain/conversation/delivery.hpp"

#include "eventlog/domain/conversation/key_kind.hpp"
#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

bool can_agree(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() || one == other;
}

// True if both normal contexts can be of one place.
bool is_same_place(const DeliveryContext& one, const DeliveryContext& other) {
  return can_agree(one.channel, other.channel) && can_agree(one.to, other.to) &&
         can_agree(one.account, other.account) && can_agree(one.thread, other.thread);
}

void append_escaped(std::string& key, std::string_view part) {
  for (const char c : part) {
    if (c == '|' || c == '\\') key += '\\';
    key += c;
  }
}

}  // namespace

DeliveryContext normal_delivery(const DeliveryContext& context) {
  const std::string thread(trimmed(context.thread));
  return {channel_word(context.channel),
          std::string(trimmed(context.to)),
          std::string(trimmed(context.account)),
          thread,
          context.is_thread_number && !thread.empty(),
          std::string(trimmed(context.reply_to))};
}

bool is_unknown(const DeliveryContext& context) {
  return normal_delivery(context) == DeliveryContext();
}

DeliveryContext merged_delivery(const DeliveryContext& first, const DeliveryContext& second) {
  DeliveryContext merged = normal_delivery(first);
  const DeliveryContext other = normal_delivery(second);
  if (merged.reply_to.empty() && is_same_place(merged, other)) merged.reply_to = other.reply_to;
  if (merged.channel.empty()) merged.channel = other.channel;
  if (merged.to.empty()) merged.to = other.to;
  if (merged.account.empty()) merged.account = other.account;
  if (merged.thread.empty()) {
    merged.thread = other.thread;
    merged.is_thread_number = other.is_thread_number;
  }
  return merged;
}

std::optional<std::string> delivery_key(const DeliveryContext& context) {
  const DeliveryContext of = normal_delivery(context);
  if (of.channel.empty() || of.to.empty()) return std::nullopt;
  std::string key;
  append_escaped(key, of.channel);
  for (const std::string* part : {&of.to, &of.account, &of.thread}) {
    key += '|';
    append_escaped(key, *part);
  }
  return key;
}

DeliveryContext delivery_of(const DeliveryFields& fields) {
  DeliveryContext last = normal_delivery(fields.last);
  if (last.channel.empty()) last.channel = channel_word(fields.channel);
  return merged_delivery(fields.context, last);
}

DeliveryFields normal_fields(const DeliveryFields& fields) {
  const DeliveryContext of = delivery_of(fields);
  return {of, of, channel_word(fields.channel)};
}

DeliveryContext resolve_delivery(const DeliveryFields& fields, const DeliveryContext& implied) {
  const DeliveryContext known = delivery_of(fields);
  const bool is_elsewhere = !is_same_place(known, normal_delivery(implied));
  return is_elsewhere ? known : merged_delivery(known, implied);
}

std::optional<DeliveryContext> delivery_of_key(std::string_view key) {
  const auto group = parse_group_key(key);
  if (!group) return std::nullopt;
  DeliveryContext of;
  of.channel = channel_word(group->channel);
  of.to = group->id;
  for (const std::string_view mark : {":thread:", ":topic:"}) {
    const std::size_t at = of.to.rfind(mark);
    if (at == std::string::npos || at == 0) continue;
    const std::string thread = of.to.substr(at + mark.size());
    if (thread.empty() || thread.find(':') != std::string::npos) continue;
    of.thread = thread;
    of.to.resize(at);
    break;
  }
  // Both name a place by its channel, whatever it is a group of. Other channels are not known well
  // enough to say more than the id.
  const bool has_channels_only = of.channel == "discord" || of.channel == "slack";
  const ChatType type = has_channels_only ? ChatType::channel : group->type;
  if (is_channel_word(of.channel)) of.to = std::string(base::enum_name(type)) + ":" + of.to;
  return of;
}

}  // namespace domain
