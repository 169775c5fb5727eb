// A descent over the grammar that writes each value as JSON while it reads it.
#include "workers/stores/json5.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/json_depth.hpp"
#include "eventlog/domain/characters.hpp"
#include "workers/stores/line_texts.hpp"

namespace workers {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Blanks of more than one byte: NBSP, line and paragraph separator, BOM.
constexpr std::string_view kWideBlanks[] = {"\xC2\xA0", "\xE2\x80\xA8", "\xE2\x80\xA9",
                                            "\xEF\xBB\xBF"};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json5Members object() {
    Json5Members all;
    skip();
    if (!take('{')) {
      fail("it is no object");
    } else {
      members(all);
    }
    all.fault = fault_;
    if (!fault_.empty()) {
      const auto upto = text_.substr(0, std::min(at_, text_.size()));
      all.line = 1 + static_cast<std::size_t>(std::count(upto.begin(), upto.end(), '\n'));
    }
    return all;
  }

 private:
  void members(Json5Members& all) {
    all.read_bytes = at_;
    while (true) {
      skip();
      if (take('}')) break;
      auto name = member_name();
      if (!name) return;
      std::string value;
      if (!member_value(value)) return;
      all.members.emplace_back(std::move(*name), std::move(value));
      all.read_bytes = at_;
      skip();
      if (take(',')) continue;
      if (take('}')) break;
      return fail("a comma or } is missing");
    }
    all.read_bytes = at_;
    skip();
    if (at_ < text_.size()) fail("something stands behind its end");
  }

  std::optional<std::string> member_name() {
    if (peek() == '"' || peek() == '\'') return string();
    std::string name;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\') {
        ++at_;
        if (!take('u') || !append_unit(name)) return fail_name();
      } else if (is_name_start(c) || (!name.empty() && is_digit(c))) {
        name += c;
        ++at_;
      } else {
        break;
      }
    }
    if (name.empty()) return fail_name();
    return name;
  }
  std::optional<std::string> fail_name() {
    fail("a member's name is expected");
    return std::nullopt;
  }

  bool member_value(std::string& out) {
    skip();
    if (!take(':')) {
      fail("a colon is missing");
      return false;
    }
    return value(out);
  }

  bool value(std::string& out) {
    skip();
    if (++depth_ > base::kJsonDepthMax) {
      fail("it is nested too deeply");
      return false;
    }
    const char c = peek();
    bool is_read = false;
    if (c == '{') {
      is_read = nested_object(out);
    } else if (c == '[') {
      is_read = array(out);
    } else if (c == '"' || c == '\'') {
      const auto text = string();
      if (text) out += line_string(*text);
      is_read = text.has_value();
    } else if (is_name_start(c)) {
      is_read = word(out);
    } else {
      is_read = number(out);
    }
    --depth_;
    return is_read;
  }

  bool nested_object(std::string& out) {
    take('{');
    out += '{';
    for (bool is_first = true;; is_first = false) {
      skip();
      if (take('}')) break;
      const auto name = member_name();
      if (!name) return false;
      if (!is_first) out += ',';
      out += line_string(*name) + ":";
      if (!member_value(out)) return false;
      skip();
      if (take(',')) continue;
      if (take('}')) break;
      fail("a comma or } is missing");
      return false;
    }
    out += '}';
    return true;
  }

  bool array(std::string& out) {
    take('[');
    out += '[';
    for (bool is_first = true;; is_first = false) {
      skip();
      if (take(']')) break;
      if (!is_first) out += ',';
      if (!value(out)) return false;
      skip();
      if (take(',')) continue;
      if (take(']')) break;
      fail("a comma or ] is missing");
      return false;
    }
    out += ']';
    return true;
  }

  bool word(std::string& out) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_name_start(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "false" || word == "null") {
      out += word;
    } else if (word == "Infinity" || word == "NaN") {
      out += "null";
    } else {
      at_ = begin;
      fail("'" + std::string(word.substr(0, 20)) + "' is no value");
      return false;
    }
    return true;
  }

  bool number(std::string& out) {
    const bool is_negative = peek() == '-';
    if (peek() == '-' || peek() == '+') ++at_;
    if (is_name_start(peek())) return word(out);
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return hex_number(out, is_negative);
    std::string whole = digits();
    std::string fraction;
    if (take('.')) {
      fraction = digits();
      if (whole.empty() && fraction.empty()) return fail_number();
    } else if (whole.empty()) {
      return fail_number();
    }
    std::string exponent;
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      exponent = "e";
      if (peek() == '-' || peek() == '+') exponent += text_[at_++];
      const std::string power = digits();
      if (power.empty()) return fail_number();
      exponent += power;
    }
    if (whole.size() > 1 && whole.front() == '0') return fail_number();
    out += is_negative ? "-" : "";
    out += whole.empty() ? "0" : whole;
    if (!fraction.empty()) out += "." + fraction;
    out += exponent;
    return true;
  }
  bool hex_number(std::string& out, bool is_negative) {
    at_ += 2;
    std::uint64_t number = 0;
    const std::size_t begin = at_;
    for (; hex_value(peek()) >= 0; ++at_) {
      number = number * 16 + static_cast<std::uint64_t>(hex_value(peek()));
    }
    if (at_ == begin || at_ - begin > 15) return fail_number();
    out += (is_negative ? "-" : "") + std::to_string(number);
    return true;
  }
  bool fail_number() {
    fail("a value is expected");
    return false;
  }
  std::string digits() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::optional<std::string> string() {
    const char quote = text_[at_++];
    std::string out;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == quote) return out;
      if (c == '\n' || c == '\r') break;
      if (c != '\\') {
        out += c;
      } else if (!escaped(out)) {
        return std::nullopt;
      }
    }
    fail("a string has no end");
    return std::nullopt;
  }

  // Reads what stands behind a backslash.
  bool escaped(std::string& out) {
    const char c = peek();
    ++at_;
    switch (c) {
      case 'b':
        out += '\b';
        return true;
      case 'f':
        out += '\f';
        return true;
      case 'n':
        out += '\n';
        return true;
      case 'r':
        out += '\r';
        return true;
      case 't':
        out += '\t';
        return true;
      case 'v':
        out += '\v';
        return true;
      case '0':
        out += '\0';
        return true;
      case 'x': {
        const int high = hex_value(peek());
        const int low = hex_value(peek(1));
        if (high < 0 || low < 0) return fail_escape();
        at_ += 2;
        domain::append_code_point(out, static_cast<char32_t>(high * 16 + low));
        return true;
      }
      case 'u':
        return append_unit(out) || fail_escape();
      case '\r':
        take('\n');
        return true;
      case '\n':
        return true;
      default:
        break;
    }
    if (is_digit(c)) return fail_escape();
    const std::string_view rest = text_.substr(at_ - 1);
    // A line that goes on behind one of the two further ends of lines.
    if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      at_ += 2;
      return true;
    }
    out += c;
    return true;
  }
  bool fail_escape() {
    fail("an escape is wrong");
    return false;
  }

  std::optional<char32_t> unit() {
    char32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const int digit = hex_value(peek(i));
      if (digit < 0) return std::nullopt;
      value = value * 16 + static_cast<char32_t>(digit);
    }
    at_ += 4;
    return value;
  }
  // A half of a pair without the other one becomes U+FFFD.
  bool append_unit(std::string& out) {
    const auto first = unit();
    if (!first) return false;
    const bool is_high = *first >= 0xD800 && *first < 0xDC00;
    const bool is_low = *first >= 0xDC00 && *first < 0xE000;
    if (is_high && text_.substr(std::min(at_, text_.size())).starts_with("\\u")) {
      const std::size_t before = at_;
      at_ += 2;
      const auto second = unit();
      if (second && *second >= 0xDC00 && *second < 0xE000) {
        domain::append_code_point(out, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00));
        return true;
      }
      at_ = before;
    }
    domain::append_code_point(out, is_high || is_low ? 0xFFFD : *first);
    return true;
  }

  void skip() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      const char c = rest.front();
      const auto wide = std::find_if(std::begin(kWideBlanks), std::end(kWideBlanks),
                                     [&](std::string_view one) { return rest.starts_with(one); });
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
        ++at_;
      } else if (wide != std::end(kWideBlanks)) {
        at_ += wide->size();
      } else if (rest.starts_with("//")) {
        at_ += std::min(rest.find('\n'), rest.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = rest.find("*/", 2);
        if (end == std::string_view::npos) {
          at_ = text_.size();
          return;
        }
        at_ += end + 2;
      } else {
        return;
      }
    }
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void fail(std::string why) {
    if (fault_.empty()) fault_ = at_ >= text_.size() ? "it ends too early: " + why : std::move(why);
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string fault_;
};

}  // namespace

Json5Members read_json5_object(std::string_view text) {
  return Reader(text).object();
}

}  // namespace workers
