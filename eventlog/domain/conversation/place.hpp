// Where the answers to a message are heard, as notifications name places (outbox/route.hpp).
#pragma once

#include <string>

#include "eventlog/domain/conversation/message_queue.hpp"

namespace domain {

// Returns "telegram|bot|1234|thread:55"; empty: no answer can be sent there.
std::string place_of(const MessageRoute& route);

}  // namespace domain
