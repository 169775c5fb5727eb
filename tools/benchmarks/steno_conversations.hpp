// A server with conversations, and the folder of one with many of them, which several rows share.
#pragma once

#include <memory>
#include <string>

#include "tools/benchmarks/conversation_load.hpp"
#include "tools/benchmarks/measured.hpp"

namespace benchmarks {

constexpr std::size_t kFewConversations = 1'000;
constexpr std::size_t kUpdatesOutstanding = 64;
constexpr Nanoseconds kUpdatesWarmUp = std::chrono::milliseconds(300);
constexpr Nanoseconds kConversationsStartMax = std::chrono::minutes(5);

struct StenoConversations {
  std::unique_ptr<StenoServer> server;
  std::unique_ptr<ConversationLoad> load;
  Nanoseconds opened_in{0};
  Rounds rounds{};

  // Starts a server in that empty folder, opens so many conversations, waits until it lists them,
  // and runs updates for a moment.
  static base::Result<StenoConversations> open(Workbench& bench, const std::string& home,
                                               std::size_t count);
  // Measures one more round of updates.
  base::Result<void> run(Nanoseconds duration);
};

// How long rows measure each store, by turns.
struct UpdateTurns {
  int count = 0;
  Nanoseconds duration{0};
  int count_of_many = 0;  // for what is measured with many conversations
};
UpdateTurns update_turns(Workbench& bench);

struct ManyConversations {
  std::string home;  // of a server that has ended in order
  std::size_t count = 0;
  Nanoseconds opened_in{0};
  Rounds rounds;  // of updates, when all conversations were in memory
};

// Returns 100,000; 10,000 when the run is a quick one.
std::size_t many_conversations_count(Workbench& bench);
// Makes it at the first call.
const base::Result<ManyConversations>& many_conversations(Workbench& bench);

}  // namespace benchmarks
