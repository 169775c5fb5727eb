// The hooks that are asked before an agent is given a prompt: at the start of its process, and
// about the prompt itself. The host asks them, since not every agent can, and what they make of a
// prompt must be known before the agent reads it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workers/engines/ask.hpp"
#include "workers/engines/engine_launch.hpp"
#include "workers/protocol/commands.hpp"

namespace workers {

// A prompt behind its hooks.
struct SteppedPrompt {
  std::string text;  // as the agent is to get it
  bool is_blocked = false;
  std::string reason{};  // why, if it is blocked
};

// Which of the prompts that an agent process is given.
struct PromptPlace {
  base::TurnId turn;
  std::size_t number = 0;  // 0: that of the turn itself; others were added to it

  bool operator==(const PromptPlace&) const = default;
};

// What hooks are told of the process.
struct StartFacts {
  const domain::SessionSpec& spec;
  bool is_resumed = false;
};

// The most of a prompt that hooks can be told; a longer one is blocked.
constexpr std::size_t kSteppedPromptMax = std::size_t{8} << 20;

// The prompts of one agent process, one after the other. Used by one thread.
class PromptSteps {
 public:
  PromptSteps() = default;
  explicit PromptSteps(std::vector<domain::HookPoint> points) : points_(std::move(points)) {}

  // Returns the step to be asked next, before this prompt can be given; none: there is none, or an
  // answer is awaited. Of the turn's files, hooks are told the names, types and sizes of those that
  // go with the prompt.
  std::optional<engines::Ask> next(const PromptPlace& place, const std::string& prompt,
                                   const StartFacts& facts,
                                   std::span<const DirectedFile> files = {});
  bool is_awaiting() const { return is_awaiting_; }
  // Forgets the step that was asked, whose answer does not come any more.
  void drop() { is_awaiting_ = false; }
  // Takes the answer to a step of these. `text` as engines::Answer has it.
  void take(domain::HookPoint point, bool is_granted, const std::string& text);
  // Returns the prompt once nothing is awaited; none before. Call next() first.
  std::optional<SteppedPrompt> ready(const PromptPlace& place, const std::string& prompt);

 private:
  bool has(domain::HookPoint point) const;

  std::vector<domain::HookPoint> points_;
  bool is_start_asked_ = false;
  bool is_awaiting_ = false;
  std::string context_;  // that the next prompt brings the model
  PromptPlace asked_;    // the last prompt that was asked about
  bool is_granted_ = true;
  std::string reason_;
  std::optional<std::string> changed_;  // what the prompt has become
};

}  // namespace workers
