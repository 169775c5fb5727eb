// The texts that lists show of a transcript: its first user text, its last one, and its last items.
// The lines are decoded already, whatever their form was; lines that are no messages are left out.
// Those who read say how many lines they give. Source: details 2.6, R289.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/fields.hpp"

namespace domain {

// A piece of a message: a text, a call of a tool, a picture.
struct TranscriptPart {
  std::string type;  // "text", "toolcall", "image"; as it is written
  std::string text;
  std::string tool;  // that is called

  bool operator==(const TranscriptPart&) const = default;
};

struct TranscriptLine {
  std::string role;  // as it is written
  std::vector<TranscriptPart> parts;
  std::string tool;  // whose result the message is

  bool operator==(const TranscriptLine&) const = default;
};

using TranscriptLines = std::span<const TranscriptLine>;

// A list's row looks at so many lines of a file, with those that are no messages.
constexpr std::size_t kFirstLinesMax = 10;
constexpr std::size_t kLastLinesMax = 20;

// None: nobody has said anything in these lines.
std::optional<std::string> first_user_text(TranscriptLines lines);
// The last text of a user or of the assistant.
std::optional<std::string> last_text(TranscriptLines lines);

enum class PreviewRole : std::uint8_t { user, assistant, system, tool, other };

struct PreviewItem {
  PreviewRole role = PreviewRole::other;
  std::string text;

  bool operator==(const PreviewItem&) const = default;
};

struct PreviewLimits {
  std::int64_t items = 12;        // from 1 to 50; others count as the nearest
  std::int64_t characters = 240;  // of each item, from 20 to 2,000; likewise
};

// Returns the last items, oldest first.
std::vector<PreviewItem> preview_of(TranscriptLines lines, const PreviewLimits& limits = {});

// Returns a user's text without the envelope that a channel has put before it:
// "[WhatsApp +15550100 2026-01-13T07:45Z] ".
std::string_view without_envelope(std::string_view text);

}  // namespace domain

template <>
struct base::EnumNames<domain::PreviewRole> {
  static constexpr std::string_view kNames[] = {"user", "assistant", "system", "tool", "other"};
};
