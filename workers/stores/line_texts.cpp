// A mark is 01, 'q' or 'r', a number and 01. The byte 01 stands in no line that is JSON.
#include "workers/stores/line_texts.hpp"

#include <algorithm>
#include <charconv>

namespace workers {
namespace {

constexpr char kMark = '\x01';
// Shorter ones are not worth a mark.
constexpr std::size_t kAlsoMin = 64;

std::string mark_of(std::size_t index, bool is_quoted) {
  return kMark + std::string(is_quoted ? "q" : "r") + std::to_string(index + 1) + kMark;
}

struct Place {
  std::size_t at = 0;
  std::size_t size = 0;
  std::size_t text = 0;
};

// Finds further places that have the same string: agents write results twice.
void find_again(std::string_view line, std::string_view source, std::size_t text,
                std::vector<Place>& places) {
  if (source.size() < kAlsoMin) return;
  const std::size_t first = places.back().at;
  for (std::size_t at = line.find(source); at != std::string_view::npos;
       at = line.find(source, at + source.size())) {
    if (at != first) places.push_back({at, source.size(), text});
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
    const LineText& one = texts[i];
    const bool is_inside = one.source.data() >= line.data() &&
                           one.source.data() + one.source.size() <= line.data() + line.size();
    const bool is_same =
        one.is_quoted ? line_string(one.text) == one.source : one.text == one.source;
    if (!is_inside || !is_same) continue;
    places.push_back(
        {static_cast<std::size_t>(one.source.data() - line.data()), one.source.size(), i});
    if (one.is_quoted) find_again(line, one.source, i, places);
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.at < b.at; });
  std::string rest;
  std::size_t from = 0;
  for (const Place& place : places) {
    if (place.at < from) continue;
    rest += line.substr(from, place.at - from);
    rest += mark_of(place.text, texts[place.text].is_quoted);
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
    std::size_t number = 0;
    if (mark.size() > 1) std::from_chars(mark.data() + 1, mark.data() + mark.size(), number);
    const bool is_there = number >= 1 && number <= texts.size() && texts[number - 1] != nullptr;
    const bool is_quoted = mark.starts_with('q');
    if (!is_there) {
      line += is_quoted ? "\"\"" : "{}";
    } else {
      line += is_quoted ? line_string(*texts[number - 1]) : *texts[number - 1];
    }
    rest.remove_prefix(end + 1);
  }
}

}  // namespace workers
