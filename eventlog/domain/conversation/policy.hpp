// What a server's settings say of all conversations.
#pragma once

#include <map>
#include <string>

#include "eventlog/domain/conversation/lanes_state.hpp"
#include "eventlog/domain/conversation/queue_settings.hpp"
#include "eventlog/domain/conversation/reset_policy.hpp"
#include "eventlog/domain/conversation/send_policy.hpp"

namespace domain {

struct ConversationPolicy {
  SendPolicy send;
  ResetSettings resets;
  QueueChoices queue;
  std::map<std::string, QueueChoices> queue_by_channel;
  LaneLimits lanes = kLaneLimits;
  std::string zone = "UTC";  // of the hour of daily resets
  // A thread begins with a copy of what was said in the conversation above it.
  bool forks_threads = false;

  bool operator==(const ConversationPolicy&) const = default;
};

}  // namespace domain
