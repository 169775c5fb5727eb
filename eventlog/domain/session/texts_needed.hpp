// The texts of the record that an agent needs for its work under way. Pure.
#pragma once

#include <vector>

#include "eventlog/domain/session/state.hpp"

namespace domain {

enum class TextRole {
  opening,  // the session's spec, and its system prompt
  file,     // of a prompt of the turn under way
  prompt,   // of the turn under way; the first one began it, and others were added since
  answer,   // to what the agent asked, which it has not heard yet
};

struct NeededText {
  TextRole role = TextRole::prompt;
  Position position;  // of the event that has the text as its content

  bool operator==(const NeededText&) const = default;
};

// Returns them in the order in which the agent is given them.
std::vector<NeededText> texts_needed(const SessionWork& state);

}  // namespace domain
