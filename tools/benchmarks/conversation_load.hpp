// Conversations at Steno's server as a load. Each request gives one of them, drawn at random,
// another display name (PatchConversation). That appends one event.
#pragma once

#include <memory>
#include <string>

#include "eventlog/base/random.hpp"
#include "tools/benchmarks/command_load.hpp"

namespace benchmarks {

// Labels of conversations; each is the label of one in a hundred.
constexpr std::size_t kConversationLabels = 100;

// Every store has the conversation of that number under this key.
std::string conversation_key(std::size_t number);
std::string conversation_label(std::size_t number);

class ConversationLoad final : public CommandLoad {
 public:
  // The server has so many conversations, or they are opened by open_all().
  static base::Result<std::unique_ptr<ConversationLoad>> connect(Workbench& bench,
                                                                 const StenoServer& server,
                                                                 std::size_t conversations);
  // Opens each by a message that is a directive, so that nothing waits for an agent.
  base::Result<void> open_all();

  base::Result<void> start(std::size_t slot) override;

 private:
  ConversationLoad(Workbench& bench, std::size_t conversations)
      : CommandLoad(bench), conversations_(conversations) {}
  base::Result<void> finish(std::size_t slot, const bus::Reply& reply) override;

  const std::size_t conversations_;
  base::SeededRandom drawn_{1};
  std::size_t opened_ = 0;
  bool is_opening_ = false;
  std::int64_t changes_ = 0;  // so far, so that each name is a new one
};

}  // namespace benchmarks
