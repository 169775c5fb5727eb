// Joins titles, texts and summaries.
#include "eventlog/domain/conversation/queued_prompt.hpp"

#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

constexpr std::string_view kEllipsis = "…";

std::string overflow_text(const QueueOverflow& overflow, std::span<const std::string_view> latest) {
  std::string text = "[Queue overflow] Dropped " + std::to_string(overflow.dropped) +
                     (overflow.dropped == 1 ? " message" : " messages") + " due to cap.";
  if (!latest.empty()) text += "\nSummary:";
  for (const std::string_view one : latest) {
    const std::string line = summary_line(one);
    text += "\n- " + (line.empty() ? "(no text)" : line);
  }
  return text;
}

std::string collected_text(const QueueOverflow& overflow, std::span<const std::string_view> texts,
                           std::span<const std::string_view> latest) {
  std::string text = "[Queued messages while agent was busy]";
  if (overflow.dropped > 0) text += "\n\n" + overflow_text(overflow, latest);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    text += "\n\n---\nQueued #" + std::to_string(i + 1);
    // White space before a text can be the indent of its first line; behind it, it says nothing.
    const std::string_view core = trimmed(texts[i]);
    if (core.empty()) continue;
    text += '\n';
    text.append(texts[i].data(), core.data() + core.size());
  }
  return text;
}

}  // namespace

std::string summary_line(std::string_view text) {
  std::string line = one_line(text, kSummaryBytesMax);
  if (first_shown(line, kSummaryCharacters, kSummaryBytesMax).size() == line.size()) return line;
  const std::string_view cut =
      first_shown(line, kSummaryCharacters - 1, kSummaryBytesMax - kEllipsis.size());
  return std::string(trimmed(cut)) + std::string(kEllipsis);
}

std::string queued_prompt(const NextTurn& turn, std::span<const std::string_view> texts,
                          std::span<const std::string_view> latest) {
  switch (turn.shape) {
    case TurnShape::none:
      break;
    case TurnShape::single:
      if (!texts.empty()) return std::string(texts.front());
      break;
    case TurnShape::collected:
      return collected_text(turn.overflow, texts, latest);
    case TurnShape::overflow:
      return overflow_text(turn.overflow, latest);
  }
  return {};
}

}  // namespace domain
