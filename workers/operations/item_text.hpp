// The items of a session's output as text for people.
#pragma once

#include <string>

#include "workers/protocol/queries.hpp"
#include "workers/text/tool_calls.hpp"

namespace workers {

class ItemText {
 public:
  // `is_for_terminal`: makes texts safe for one. `has_color`: dims thoughts, and shows the agent's
  // Markdown.
  ItemText(bool is_for_terminal, bool has_color)
      : is_for_terminal_(is_for_terminal), has_color_(has_color) {}

  // Returns the item's lines, each with its line feed; empty: nothing of it is shown. Without a
  // line feed at the end, a block that the agent is still writing goes on with the next item.
  std::string of(const OutputItem& item);
  // Returns the line feed that a block lacks which the agent is still writing.
  std::string end() { return std::exchange(is_mid_line_, false) ? "\n" : ""; }

 private:
  std::string of_whole(const OutputItem& item, const std::string& text);
  std::string prompt_lines(const OutputItem& item, const std::string& text) const;
  std::string lines(std::string_view text, const std::string& mark, bool is_dim = false) const;

  const bool is_for_terminal_;
  const bool has_color_;
  ToolCalls calls_;
  bool is_mid_line_ = false;
};

}  // namespace workers
