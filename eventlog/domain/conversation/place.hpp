// Where the answers of a conversation are heard, as notifications name places (outbox/route.hpp).
#pragma once

#include <string>

#include "eventlog/domain/conversation/state.hpp"

namespace domain {

// Returns "telegram|bot|1234|thread:55"; empty: no answer can be sent there.
std::string place_of(const MessageRoute& route);
// Returns the place that hears of that session: the one that its run answers, else the one that the
// conversation was last heard from. Empty: none is known.
std::string place_of(const ConversationState& state, SessionId session);

}  // namespace domain
