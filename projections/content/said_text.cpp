// JSON is not parsed: its strings are unescaped in place, whatever is around them, so that texts
// that were cut off or only look like JSON are searched as well.
#include "projections/content/said_text.hpp"

#include <algorithm>

#include "eventlog/base/bytes.hpp"
#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/session/events.hpp"

namespace projections {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Returns how many bytes the character at the start of the text has, which must not be empty;
// 0: it is not UTF-8.
std::size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return bytes <= text.size() && base::is_utf8(text.substr(0, bytes)) ? bytes : 0;
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::string_view beginning(std::string_view text) {
  if (text.size() <= kSaidBytesMax) return text;
  std::size_t end = kSaidBytesMax;
  for (int back = 0; back < 3 && is_continuation(text[end]); ++back) --end;
  return text.substr(0, end);
}

std::optional<char32_t> hex_value(std::string_view digits) {
  char32_t value = 0;
  if (digits.size() < 4) return std::nullopt;
  for (const char c : digits.substr(0, 4)) {
    const bool is_digit = c >= '0' && c <= '9';
    const char lower = static_cast<char>(c | 0x20);
    if (!is_digit && (lower < 'a' || lower > 'f')) return std::nullopt;
    value = value * 16 + static_cast<char32_t>(is_digit ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

// Appends the character of a \u escape at the start of the text, or of a pair of them. Returns
// their length.
std::size_t append_code(std::string& to, std::string_view text) {
  const auto code = hex_value(text.substr(2));
  if (!code) {
    to += ' ';
    return 2;
  }
  const bool is_high = *code >= 0xD800 && *code < 0xDC00;
  const bool is_low = *code >= 0xDC00 && *code < 0xE000;
  if (!is_high && !is_low) {
    domain::append_code_point(to, *code);
    return 6;
  }
  const bool has_pair = is_high && text.substr(6).starts_with("\\u");
  const auto low = has_pair ? hex_value(text.substr(8)) : std::nullopt;
  if (!low || *low < 0xDC00 || *low >= 0xE000) {
    to += kReplacement;
    return 6;
  }
  domain::append_code_point(to, 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00));
  return 12;
}

// Appends what the escape at the start of the text stands for. Returns its length.
std::size_t append_unescaped(std::string& to, std::string_view text) {
  constexpr std::string_view kBlanks = "nrtbf";
  constexpr std::string_view kThemselves = "\"\\/";
  const char escaped = text.size() > 1 ? text[1] : '\0';
  if (escaped == 'u') return append_code(to, text);
  if (kBlanks.find(escaped) != std::string_view::npos) {
    to += ' ';
    return 2;
  }
  if (kThemselves.find(escaped) != std::string_view::npos) {
    to += escaped;
    return 2;
  }
  to += '\\';
  return 1;
}

// True for the start of a JSON string, object or array of these; "[INFO] C:\\new" is none.
bool looks_like_json(std::string_view text) {
  const auto next = [&](std::size_t from) {
    const std::size_t at = text.find_first_not_of(" \t\r\n", from);
    return at == std::string_view::npos ? text.size() : at;
  };
  const std::size_t first = next(0);
  if (first == text.size()) return false;
  const std::size_t second = next(first + 1);
  const char inner = second == text.size() ? '\0' : text[second];
  return text[first] == '"' || (text[first] == '{' && inner == '"') ||
         (text[first] == '[' && (inner == '"' || inner == '{' || inner == '['));
}

Said words(Speaker by, const domain::RecordedEvent& event, bool may_be_json = false) {
  Said said;
  said.by = by;
  if (event.content) said.text = said_text(event.content->text, may_be_json);
  return said;
}

Speaker speaker_of(domain::ImportedKind kind) {
  using domain::ImportedKind;
  if (kind == ImportedKind::prompt) return Speaker::user;
  const bool is_tools = kind == ImportedKind::tool_call || kind == ImportedKind::tool_result;
  return is_tools ? Speaker::tool : Speaker::assistant;
}

Said imported_words(const domain::MessageImported& message, const domain::RecordedEvent& event) {
  const Speaker by = speaker_of(message.kind);
  Said said = words(by, event, by == Speaker::tool);
  said.tool = message.tool;
  said.at = message.said;
  return said;
}

}  // namespace

std::string said_text(std::string_view text, bool may_be_json) {
  text = beginning(text);
  const bool is_json = may_be_json && looks_like_json(text);
  std::string said;
  said.reserve(text.size());
  while (!text.empty()) {
    if (is_json && text.front() == '\\') {
      text.remove_prefix(append_unescaped(said, text));
      continue;
    }
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) {
      said += kReplacement;
    } else {
      said += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  std::replace_if(
      said.begin(), said.end(),
      [](char c) { return c == '\0' || c == kMarkBegin || c == kMarkEnd; }, ' ');
  return said;
}

std::optional<Said> said_by(const domain::RecordedEvent& event) {
  const domain::Event& e = event.event;
  if (e.is<domain::TurnQueued>() || e.is<domain::PromptInjected>()) {
    return words(Speaker::user, event);
  }
  if (const auto* answer = e.as<domain::AskAnswered>()) {
    if (answer->basis != domain::AskBasis::person) return std::nullopt;
    return words(Speaker::user, event, true);
  }
  if (const auto* output = e.as<domain::OutputRecorded>()) {
    Said said = words(Speaker::assistant, event);
    said.block = output->block;
    return said;
  }
  if (const auto* partial = e.as<domain::PartialOutputRecorded>()) {
    Said said = words(Speaker::assistant, event);
    said.block = partial->block;
    said.is_partial = true;
    return said;
  }
  if (const auto* finished = e.as<domain::TurnFinished>()) {
    if (!finished->is_answer) return std::nullopt;  // its blocks have said it
    return words(Speaker::assistant, event);
  }
  if (e.is<domain::TurnFailed>()) return words(Speaker::assistant, event);
  if (const auto* call = e.as<domain::ToolCallStarted>()) {
    Said said = words(Speaker::tool, event, true);
    said.tool = call->tool;
    return said;
  }
  if (e.is<domain::ToolCallFinished>()) return words(Speaker::tool, event, true);
  if (const auto* message = e.as<domain::MessageImported>()) return imported_words(*message, event);
  return std::nullopt;
}

}  // namespace projections
