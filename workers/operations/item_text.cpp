// Puts each kind of item into lines.
#include "workers/operations/item_text.hpp"

#include <utility>

#include "workers/text/amounts.hpp"
#include "workers/text/markdown_text.hpp"
#include "workers/text/terminal_text.hpp"

namespace workers {
namespace {

std::string erased_text(const OutputItem& item) {
  return "[erased " + short_time_text(item.erased_at) + " by " + safe_line(item.erased_by) + "]";
}

// Returns what is said of a turn that was cut off, or never begun.
std::string ended_text(domain::EndReason reason) {
  if (reason == domain::EndReason::expired) return "⌛ expired: it could not be started in time";
  return "⛔ interrupted (" + std::string(base::enum_name(reason)) + ")";
}

}  // namespace

std::string ItemText::of(const OutputItem& item) {
  const bool is_erased = item.erased_at.us != 0;
  const std::string kept = is_for_terminal_ ? safe_text(item.text) : item.text;
  std::string text = is_erased ? erased_text(item) : kept;
  if (item.type == domain::PartialOutputRecorded::kType) {
    is_mid_line_ = true;
    return text;
  }
  return end() + of_whole(item, text);
}

std::string ItemText::of_whole(const OutputItem& item, const std::string& text) {
  const bool is_erased = item.erased_at.us != 0;
  const std::string mark(item.parent.empty() ? "" : kSubagentMark);
  switch (item.kind) {
    case ItemKind::prompt:
      if (item.left_out > 0) {
        return "> [a prompt of " + std::to_string(item.left_out) +
               " bytes; steno output shows it whole]\n";
      }
      return prompt_lines(item, text);
    case ItemKind::said:
      if (!mark.empty()) return lines(text, mark);
      return (has_color_ && !is_erased ? styled_markdown(text) : text) + "\n";
    case ItemKind::thought:
      return lines(text, mark + "💭 ", true);
    case ItemKind::tool_call: {
      const std::string line = calls_.begin(item.call, item.tool, is_erased ? "" : item.text);
      return mark + line + (is_erased ? " " + text : "") + (item.is_cut_off ? " (cut off)" : "") +
             "\n";
    }
    case ItemKind::tool_result:
      return item.is_error ? mark + calls_.fail(item.call, item.is_denied, text) + "\n" : "";
    case ItemKind::failure:
      return "❌ " + text + "\n";
    case ItemKind::notice:
      return mark + "⚠ " + safe_line(text) + "\n";
    case ItemKind::ended:
      return ended_text(item.reason) + "\n";
  }
  return {};
}

// On a terminal each of its lines is marked; elsewhere programs find it as it was.
std::string ItemText::prompt_lines(const OutputItem& item, const std::string& text) const {
  const std::string prompt = domain::prompt_text(text, item.files);
  const std::string first = item.is_queued ? "(queued) > " : "> ";
  if (!is_for_terminal_ || prompt.empty()) return first + prompt + "\n";
  return first + lines(prompt, "> ").substr(2);
}

std::string ItemText::lines(std::string_view text, const std::string& mark, bool is_dim) const {
  std::string all;
  for (const std::string_view line : lines_of(text)) {
    const std::string marked = mark + std::string(line);
    all += (is_dim && has_color_ ? "\x1b[2m" + marked + "\x1b[22m" : marked) + "\n";
  }
  return all;
}

}  // namespace workers
