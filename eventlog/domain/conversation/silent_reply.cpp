// Finds the two tokens at the ends of a reply.
#include "eventlog/domain/conversation/silent_reply.hpp"

#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/conversation/shown_text.hpp"

namespace domain {
namespace {

constexpr std::string_view kHeartbeatToken = "HEARTBEAT_OK";

bool is_part_of_word(char32_t c) {
  return c == '_' || (c != 0xFFFD && is_word_char(c));
}

bool begins_in_word(std::string_view text) {
  return !text.empty() && is_part_of_word(take_any_code_point(text));
}

bool ends_in_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && (static_cast<unsigned char>(text[--begin]) & 0xC0u) == 0x80u) {
  }
  return begins_in_word(text.substr(begin));
}

bool has_words(std::string_view text) {
  while (!text.empty()) {
    if (is_part_of_word(take_any_code_point(text))) return true;
  }
  return false;
}

// Takes HEARTBEAT_OK off both ends, as often as it stands there. Returns true if it did.
bool take_heartbeats(std::string_view& text) {
  const std::size_t before = trimmed(text).size();
  for (bool has_changed = true; has_changed;) {
    text = trimmed(text);
    has_changed = true;
    if (text.starts_with(kHeartbeatToken)) {
      text.remove_prefix(kHeartbeatToken.size());
    } else if (text.ends_with(kHeartbeatToken)) {
      text.remove_suffix(kHeartbeatToken.size());
    } else {
      has_changed = false;
    }
  }
  return text.size() < before;
}

// Returns the text without tags, and without the marks of Markdown at its ends.
std::string without_markup(std::string_view text) {
  constexpr std::string_view kMarks = "*`~_";
  constexpr std::string_view kBlank = "&nbsp;";
  std::string plain;
  while (!text.empty()) {
    const std::size_t end = text.front() == '<' ? text.find('>') : std::string_view::npos;
    if (end != std::string_view::npos && end > 1) {
      plain += ' ';
      text.remove_prefix(end + 1);
    } else if (small_letters(text.substr(0, kBlank.size())) == kBlank) {
      plain += ' ';
      text.remove_prefix(kBlank.size());
    } else {
      plain += text.front();
      text.remove_prefix(1);
    }
  }
  const std::size_t first = plain.find_first_not_of(kMarks);
  if (first == std::string::npos) return {};
  return plain.substr(first, plain.find_last_not_of(kMarks) - first + 1);
}

// Returns the text without HEARTBEAT_OK at its ends, on one line; none if it stands at neither.
// Where it stands within markup, the rest loses its markup, too.
std::optional<std::string> without_heartbeat(std::string_view text) {
  if (text.find(kHeartbeatToken) == std::string_view::npos) return std::nullopt;
  std::string_view rest = text;
  const bool has_taken = take_heartbeats(rest);
  if (has_taken && !rest.empty()) return one_line(rest);
  const std::string plain = without_markup(trimmed(text));
  std::string_view plain_rest = plain;
  if (take_heartbeats(plain_rest)) return one_line(plain_rest);
  return has_taken ? std::optional<std::string>(std::string()) : std::nullopt;
}

}  // namespace

bool is_silent(std::string_view text, std::string_view token) {
  if (token.empty()) return false;
  const auto is_apart = [&](std::size_t at) {
    const bool is_glued_before = begins_in_word(token) && ends_in_word(text.substr(0, at));
    const bool is_glued_after =
        ends_in_word(token) && begins_in_word(text.substr(at + token.size()));
    return !is_glued_before && !is_glued_after;
  };
  text = trimmed(text);
  if (text.starts_with(token) && is_apart(0)) return true;
  const std::size_t last = text.rfind(token);
  return last != std::string_view::npos && is_apart(last) &&
         !has_words(text.substr(last + token.size()));
}

NormalReply normal_reply(const AgentReply& reply, const ReplyForm& form) {
  NormalReply normal{ReplyFate::sent, reply.text};
  const auto leave_out = [&](ReplyFate reason) -> NormalReply {
    if (reply.has_attachment) return {ReplyFate::sent, std::string()};
    return {reason, std::nullopt};
  };
  if (!reply.text) {
    if (!reply.has_attachment) normal.fate = ReplyFate::empty;
    return normal;
  }
  if (trimmed(*reply.text).empty()) return leave_out(ReplyFate::empty);
  if (is_silent(*reply.text, form.silent_token)) return leave_out(ReplyFate::silent);
  if (form.strips_heartbeat) {
    if (auto rest = without_heartbeat(*reply.text)) normal.text = std::move(*rest);
    if (normal.text->empty()) return leave_out(ReplyFate::heartbeat);
  }
  if (!form.prefix.empty() && !normal.text->starts_with(form.prefix)) {
    normal.text = std::string(form.prefix) + ' ' + *normal.text;
  }
  return normal;
}

}  // namespace domain
