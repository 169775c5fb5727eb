// The name under which lists show a group that nobody has named: its channel, and what the channel
// calls it, as in "discord:friends-of-openclaw#general" or "whatsapp:g-family".
#pragma once

#include <string>

namespace domain {

// Texts as the channel gives them; empty ones it does not give.
struct GroupNaming {
  std::string provider;
  std::string group_channel;  // "#general" or "general"
  std::string space;          // the guild or team that the channel is in
  std::string subject;
  std::string id;
  std::string key;  // the rest of the session key
};

// Letters and digits of ASCII, and "#@._+-", stay; others become a dash. Nothing stays: the name is
// the provider's alone.
std::string group_display_name(const GroupNaming& naming);

}  // namespace domain
