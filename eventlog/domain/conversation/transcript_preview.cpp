// A message without a text is shown by the tools that it calls, else by what it brings.
#include "eventlog/domain/conversation/transcript_preview.hpp"

#include <algorithm>
#include <array>

#include "eventlog/domain/conversation/key_text.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

constexpr std::size_t kToolsShownMax = 2;
// On average, of a character that is shown: an emoji of a family has 25.
constexpr std::size_t kCharacterBytes = 32;

// How channels write themselves at the head of an envelope.
constexpr std::array<std::string_view, 12> kEnvelopeHeads = {
    "WebChat ",     "WhatsApp ", "Telegram ", "Signal ", "Slack ", "Discord ",
    "Google Chat ", "iMessage ", "Teams ",    "Matrix ", "Zalo ",  "BlueBubbles "};

// The times in them: '0' stands for a digit.
constexpr std::string_view kEnvelopeTimes[] = {"0000-00-00T00:00Z", "0000-00-00 00:00"};

bool is_text_type(std::string_view type) {
  return type == "text" || type == "output_text" || type == "input_text";
}

bool is_call_type(std::string_view type) {
  return type == "toolcall" || type == "tool_call";
}

std::optional<std::string> text_of(const TranscriptLine& line) {
  for (const TranscriptPart& part : line.parts) {
    const std::string_view text = trimmed(part.text);
    if (is_text_type(part.type) && !text.empty()) return std::string(text);
  }
  return std::nullopt;
}

PreviewRole role_of(const TranscriptLine& line) {
  const bool is_call = std::any_of(line.parts.begin(), line.parts.end(), [](const auto& part) {
    return !part.tool.empty() || is_call_type(key_word(part.type));
  });
  if (is_call || !line.tool.empty()) return PreviewRole::tool;
  return base::parse_enum<PreviewRole>(key_word(line.role)).value_or(PreviewRole::other);
}

std::string shown_texts(const TranscriptLine& line) {
  std::string texts;
  for (const TranscriptPart& part : line.parts) {
    if (trimmed(part.text).empty()) continue;
    if (!texts.empty()) texts += '\n';
    texts += part.text;
  }
  return std::string(trimmed(texts));
}

// Returns "call read, write +1".
std::string shown_calls(const TranscriptLine& line) {
  std::string calls;
  std::size_t count = 0;
  const auto add = [&](std::string_view name) {
    name = trimmed(name);
    if (name.empty() || ++count > kToolsShownMax) return;
    calls.append(calls.empty() ? "call " : ", ").append(name);
  };
  for (const TranscriptPart& part : line.parts) add(part.tool);
  add(line.tool);
  if (count > kToolsShownMax) calls += " +" + std::to_string(count - kToolsShownMax);
  return calls;
}

// Returns "[image]".
std::string shown_medium(const TranscriptLine& line) {
  for (const TranscriptPart& part : line.parts) {
    const std::string type = key_word(part.type);
    if (!type.empty() && type != "text" && !is_call_type(type)) return "[" + type + "]";
  }
  return {};
}

std::string shown_of(const TranscriptLine& line, std::size_t characters) {
  std::string shown = shown_texts(line);
  if (shown.empty()) shown = shown_calls(line);
  if (shown.empty()) shown = shown_medium(line);
  const bool is_user = role_of(line) == PreviewRole::user;
  const std::string_view text = is_user ? without_envelope(shown) : std::string_view(shown);
  const std::size_t bytes_max = characters * kCharacterBytes;
  if (first_shown(text, characters, bytes_max).size() == text.size()) return std::string(text);
  constexpr std::string_view kCut = "...";
  return std::string(first_shown(text, characters - kCut.size(), bytes_max)).append(kCut);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// True if the form is found in the text, and no word goes on behind it.
bool has_form(std::string_view text, std::string_view form) {
  const auto fits = [](char c, char wanted) { return wanted == '0' ? is_digit(c) : c == wanted; };
  const auto goes_on = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (; text.size() >= form.size(); text.remove_prefix(1)) {
    const bool is_here = std::equal(form.begin(), form.end(), text.begin(),
                                    [&](char wanted, char c) { return fits(c, wanted); });
    if (is_here && (text.size() == form.size() || !goes_on(text[form.size()]))) return true;
  }
  return false;
}

bool is_envelope(std::string_view head) {
  return std::any_of(kEnvelopeHeads.begin(), kEnvelopeHeads.end(),
                     [&](std::string_view channel) { return head.starts_with(channel); }) ||
         std::any_of(std::begin(kEnvelopeTimes), std::end(kEnvelopeTimes),
                     [&](std::string_view form) { return has_form(head, form); });
}

}  // namespace

std::optional<std::string> first_user_text(TranscriptLines lines) {
  for (const TranscriptLine& line : lines) {
    if (key_word(line.role) != "user") continue;
    if (auto text = text_of(line)) return text;
  }
  return std::nullopt;
}

std::optional<std::string> last_text(TranscriptLines lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string role = key_word(line->role);
    if (role != "user" && role != "assistant") continue;
    if (auto text = text_of(*line)) return text;
  }
  return std::nullopt;
}

std::vector<PreviewItem> preview_of(TranscriptLines lines, const PreviewLimits& limits) {
  const auto items_max = static_cast<std::size_t>(std::clamp<std::int64_t>(limits.items, 1, 50));
  const auto characters =
      static_cast<std::size_t>(std::clamp<std::int64_t>(limits.characters, 20, 2'000));
  std::vector<PreviewItem> items;
  for (auto line = lines.rbegin(); line != lines.rend() && items.size() < items_max; ++line) {
    std::string text = shown_of(*line, characters);
    if (!text.empty()) items.push_back({role_of(*line), std::move(text)});
  }
  std::reverse(items.begin(), items.end());
  return items;
}

std::string_view without_envelope(std::string_view text) {
  const std::size_t end = text.find(']');
  if (!text.starts_with('[') || end == std::string_view::npos) return text;
  return is_envelope(text.substr(1, end - 1)) ? trimmed(text.substr(end + 1)) : text;
}

}  // namespace domain
