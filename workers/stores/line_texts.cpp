// A mark is 01, 'q', 'e' or 'r', a number and 01. The byte 01 stands in no line that is JSON.
// Behind the number of an 'e' are ':' and the forms of those escapes that JSON.stringify would
// write otherwise, in their order: how many bytes of the text come before, if any, and a form.
#include "workers/stores/line_texts.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace workers {
namespace {

constexpr char kMark = '\x01';

// Forms of escapes. They say how a character is written, and not which one it is.
constexpr char kSlash = '/';                            // "\/"
constexpr char kHalf = 'x';                             // half a character, with its four digits
constexpr std::string_view kUnit = "abcdefghijklmnop";  // "\u…", by which digits are upper case

struct Place {
  std::size_t at = 0;
  std::size_t size = 0;
  std::size_t text = 0;
};

std::size_t character_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Writes the text as JSON.stringify does, without the quotes.
void write_plain(std::string_view text, std::string& out) {
  const std::string quoted = line_string(text);
  out.append(quoted, 1, quoted.size() - 2);
}

unsigned unit_of(std::string_view digits) {
  unsigned unit = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  return unit;
}

char form_of(std::string_view digits) {
  std::size_t upper = 0;
  for (const char c : digits) upper = upper * 2 + (c >= 'A' && c <= 'F' ? 1 : 0);
  return kUnit[upper];
}

// Returns the forms of the string's escapes; `text` is what it says.
std::string forms_of(std::string_view source, std::string_view text) {
  std::string forms;
  std::size_t before = 0;
  const auto note = [&](std::string_view form) {
    if (before > 0) forms += std::to_string(std::exchange(before, 0));
    forms += form;
  };
  source.remove_prefix(1);
  while (source.size() > 1 && !text.empty()) {
    const std::string_view digits = source.substr(0, 2) == "\\u" ? source.substr(2, 4) : "";
    std::string plain;
    write_plain(text.substr(0, 1), plain);
    std::size_t taken = source.front() == '\\' ? 2 : 1;
    std::size_t said = 1;
    if (source.starts_with("\\/")) {
      note({&kSlash, 1});
    } else if (digits.empty() || source.starts_with(plain)) {
      taken = std::max(taken, digits.empty() ? 1 : plain.size());
      ++before;
    } else {
      said = character_bytes(text.front());
      taken = said == 4 ? 12 : 6;
      const bool is_half = said != 4 && unit_of(digits) >= 0xD800 && unit_of(digits) < 0xE000;
      std::string form = is_half ? kHalf + std::string(digits) : std::string(1, form_of(digits));
      if (said == 4) form += form_of(source.substr(std::min<std::size_t>(8, source.size()), 4));
      note(form);
    }
    source.remove_prefix(std::min(taken, source.size()));
    text.remove_prefix(std::min(said, text.size()));
  }
  return forms;
}

void write_unit(unsigned unit, char form, std::string& out) {
  constexpr std::string_view kLower = "0123456789abcdef";
  constexpr std::string_view kUpper = "0123456789ABCDEF";
  const std::size_t upper = kUnit.find(form);
  out += "\\u";
  for (int at = 3; at >= 0; --at) {
    const bool is_upper = (upper >> at & 1) != 0;
    out += (is_upper ? kUpper : kLower)[unit >> (4 * at) & 15];
  }
}

unsigned code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  constexpr unsigned kMasks[] = {0x7F, 0x1F, 0x0F, 0x07};
  unsigned point = first & kMasks[character.size() - 1];
  for (const char c : character.substr(1)) {
    point = point << 6 | (static_cast<unsigned char>(c) & 0x3F);
  }
  return point;
}

// Returns the string that forms_of() was given.
std::string string_with_forms(std::string_view text, std::string_view forms) {
  std::string out = "\"";
  while (!forms.empty()) {
    std::size_t before = 0;
    const auto number = std::from_chars(forms.data(), forms.data() + forms.size(), before);
    forms.remove_prefix(static_cast<std::size_t>(number.ptr - forms.data()));
    before = std::min(before, text.size());
    write_plain(text.substr(0, before), out);
    text.remove_prefix(before);
    if (forms.empty() || text.empty()) break;
    const std::string_view character = text.substr(0, character_bytes(text.front()));
    text.remove_prefix(character.size());
    const char form = forms.front();
    forms.remove_prefix(1);
    if (form == kSlash) {
      out += "\\/";
    } else if (form == kHalf) {
      out.append("\\u").append(forms.substr(0, 4));
      forms.remove_prefix(std::min<std::size_t>(4, forms.size()));
    } else if (character.size() < 4) {
      write_unit(code_point(character), form, out);
    } else {
      const unsigned rest = code_point(character) - 0x10000;
      write_unit(0xD800 + (rest >> 10), form, out);
      write_unit(0xDC00 + (rest & 0x3FF), forms.empty() ? kUnit.front() : forms.front(), out);
      forms.remove_prefix(std::min<std::size_t>(1, forms.size()));
    }
  }
  write_plain(text, out);
  return out + '"';
}

std::string mark_of(std::size_t index, const LineText& one) {
  const std::string number = std::to_string(index + 1);
  if (!one.is_quoted) return kMark + ("r" + number) + kMark;
  if (line_string(one.text) == one.source) return kMark + ("q" + number) + kMark;
  return kMark + ("e" + number + ":" + forms_of(one.source, one.text)) + kMark;
}

// Finds all strings of the line that are written as one of the texts: agents write results twice.
// A field's name is none, and neither are the words that say what a line is.
void find_again(std::string_view line, std::span<const LineText> texts,
                std::vector<Place>& places) {
  std::map<std::string_view, std::size_t> by_source;
  for (const Place& place : places) {
    if (texts[place.text].is_quoted) by_source.emplace(texts[place.text].source, place.text);
  }
  if (by_source.empty()) return;
  std::string_view name;
  for (std::size_t at = line.find('"'); at != line.npos; at = line.find('"', at)) {
    std::size_t end = at + 1;
    while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
    const std::string_view string = line.substr(at, end + 1 - at);
    const std::size_t behind = line.find_first_not_of(" \t", end + 1);
    const bool is_name = behind != line.npos && line[behind] == ':';
    const auto same = by_source.find(string);
    const bool is_kind = name == "\"type\"" || name == "\"role\"";
    if (!is_name && !is_kind && same != by_source.end()) {
      places.push_back({at, string.size(), same->second});
    }
    name = is_name ? string : std::string_view();
    at = end + 1;
    if (at >= line.size()) return;
  }
}

}  // namespace

std::string line_string(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) {
          out += c;
        } else {
          out += "\\u00";
          out += kDigits[static_cast<unsigned char>(c) >> 4];
          out += kDigits[static_cast<unsigned char>(c) & 15];
        }
    }
  }
  return out + '"';
}

std::string without_texts(std::string_view line, std::span<const LineText> texts) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view source = texts[i].source;
    const bool is_inside =
        source.data() >= line.data() && source.data() + source.size() <= line.data() + line.size();
    if (!is_inside) continue;
    places.push_back({static_cast<std::size_t>(source.data() - line.data()), source.size(), i});
  }
  find_again(line, texts, places);
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.at < b.at; });
  std::string rest;
  std::size_t from = 0;
  for (const Place& place : places) {
    if (place.at < from) continue;
    rest += line.substr(from, place.at - from);
    rest += mark_of(place.text, texts[place.text]);
    from = place.at + place.size;
  }
  return rest += line.substr(from);
}

std::string with_texts(std::string_view rest, std::span<const std::string* const> texts) {
  std::string line;
  while (true) {
    const std::size_t begin = rest.find(kMark);
    line += rest.substr(0, begin);
    const std::size_t end = begin == std::string_view::npos ? begin : rest.find(kMark, begin + 1);
    if (end == std::string_view::npos) return line;
    const std::string_view mark = rest.substr(begin + 1, end - begin - 1);
    rest.remove_prefix(end + 1);
    std::size_t number = 0;
    if (mark.size() > 1) std::from_chars(mark.data() + 1, mark.data() + mark.size(), number);
    const bool is_there = number >= 1 && number <= texts.size() && texts[number - 1] != nullptr;
    if (!is_there) {
      line += mark.starts_with('r') ? "{}" : "\"\"";
    } else if (mark.starts_with('q')) {
      line += line_string(*texts[number - 1]);
    } else if (mark.starts_with('e')) {
      const std::size_t colon = std::min(mark.find(':'), mark.size() - 1);
      line += string_with_forms(*texts[number - 1], mark.substr(colon + 1));
    } else {
      line += *texts[number - 1];
    }
  }
}

}  // namespace workers
