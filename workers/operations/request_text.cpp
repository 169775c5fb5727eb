// Steps over texts, and counts the brackets between them.
#include "workers/operations/request_text.hpp"

#include <algorithm>
#include <charconv>

namespace workers {
namespace {

constexpr std::size_t kIdBytesMax = 1024;  // a longer one is none

// Returns the code unit of the escape \uXXXX at that place; 0: there is no such escape.
unsigned unit_at(std::string_view text, std::size_t at) {
  unsigned unit = 0;
  if (text.size() < 6 || at > text.size() - 6 || text[at] != '\\' || text[at + 1] != 'u') return 0;
  const char* const end = text.data() + at + 6;
  return std::from_chars(text.data() + at + 2, end, unit, 16).ptr == end ? unit : 0;
}

bool is_high(unsigned unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
bool is_low(unsigned unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

// Returns the place behind the text that begins at `at`; npos: it does not end.
std::size_t end_of_text(std::string_view json, std::size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '"') return at + 1;
    if (json[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

Json id_of(std::string_view token) {
  if (token.size() > kIdBytesMax) return nullptr;
  const Json id = Json::parse(without_lone_surrogates(token), nullptr, false);
  return id.is_string() || id.is_number() ? id : Json();
}

}  // namespace

std::string without_lone_surrogates(std::string_view json) {
  std::string text(json);
  for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) {
    const unsigned unit = unit_at(text, at);
    if (is_high(unit) && is_low(unit_at(text, at + 6))) {
      at += 12;
    } else if (is_high(unit) || is_low(unit)) {
      text.replace(at, 6, "\\ufffd");
      at += 6;
    } else {
      at += 2;
    }
  }
  return text;
}

Json request_id(std::string_view json) {
  int depth = 0;
  bool is_name = false;  // the next text is the name of a field of the request
  bool is_id = false;    // the next value is its id
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    const bool is_within = depth == 1;
    if (c == '"') {
      const std::size_t end = end_of_text(json, at);
      if (end == std::string_view::npos) return nullptr;
      const std::string_view token = json.substr(at, end - at);
      if (is_within && is_id) return id_of(token);
      is_id = is_within && is_name && token == "\"id\"";
      is_name = false;
      at = end - 1;
    } else if (c == '{' || c == '[') {
      if (depth == 0 && c == '[') return nullptr;
      is_name = depth++ == 0;
      is_id = false;
    } else if (c == '}' || c == ']') {
      if (--depth <= 0) return nullptr;
    } else if (is_within && c == ',') {
      is_name = true;
      is_id = false;
    } else if (is_within && is_id && (c == '-' || (c >= '0' && c <= '9'))) {
      return id_of(
          json.substr(at, std::min(json.find_first_of(",} \t\r\n", at) - at, kIdBytesMax + 1)));
    }
  }
  return nullptr;
}

}  // namespace workers
