// Fields and items are found by simdjson's on-demand parser, which checks nested values only when
// they are read.
#include "workers/engines/json_text.hpp"

#include <simdjson.h>

#include <charconv>
#include <cmath>

#include "eventlog/base/msgpack.hpp"

namespace engines {
namespace {

using base::ByteView;
namespace ondemand = simdjson::ondemand;

// Every value lies inside a JsonLine's buffer, and the parser can read this far behind it.
constexpr std::size_t kPadding = simdjson::SIMDJSON_PADDING;

simdjson::padded_string_view padded(ByteView text) {
  return simdjson::padded_string_view(text.data(), text.size(), text.size() + kPadding);
}

ByteView trimmed(ByteView text) {
  const auto last = text.find_last_not_of(" \t\r\n");
  return last == ByteView::npos ? ByteView{} : text.substr(0, last + 1);
}

// Finds the value's whole text. Steps over an object or array.
bool source_of(ondemand::value value, ByteView& source) {
  ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  ByteView raw;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    if (object.raw_json().get(raw) != simdjson::SUCCESS) return false;
  } else if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    if (array.raw_json().get(raw) != simdjson::SUCCESS) return false;
  } else {
    raw = value.raw_json_token();
  }
  source = trimmed(raw);
  return true;
}

using Fields = std::vector<std::pair<std::string, JsonValue>>;

bool read_fields(ByteView text, Fields& fields) {
  ondemand::parser parser;
  ondemand::document document;
  if (parser.iterate(padded(text)).get(document) != simdjson::SUCCESS) return false;
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return false;
  for (auto each : object) {
    ondemand::field field;
    if (std::move(each).get(field) != simdjson::SUCCESS) return false;
    // A name that cannot be read is not one that is asked for.
    ByteView key;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) key = {};
    ByteView source;
    if (!source_of(field.value(), source)) return false;
    fields.emplace_back(std::string(key), JsonValue(source));
  }
  const char* rest = nullptr;
  return document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
}

// Replaces halves of surrogate pairs, which JavaScript can send, by U+FFFD, which is as long.
std::string without_lone_surrogates(ByteView token) {
  std::string out(token);
  const auto unit_at = [&](std::size_t at) {
    unsigned unit = 0;
    if (at + 6 > out.size() || out[at] != '\\' || out[at + 1] != 'u') return unit;
    std::from_chars(out.data() + at + 2, out.data() + at + 6, unit, 16);
    return unit;
  };
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (out[at] != '\\') continue;
    const unsigned unit = unit_at(at);
    const unsigned next = unit_at(at + 6);
    if (unit >= 0xD800 && unit < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
      at += 11;
    } else if (unit >= 0xD800 && unit < 0xE000) {
      out.replace(at + 2, 4, "fffd");
      at += 5;
    } else {
      ++at;
    }
  }
  return out;
}

std::optional<std::string> unescaped(ByteView token) {
  ondemand::parser parser;
  ondemand::document document;
  if (parser.iterate(padded(token)).get(document) != simdjson::SUCCESS) return std::nullopt;
  ByteView text;
  if (document.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

// A number out of a double's range is read as infinite, of its sign, or as 0.
double number_of(ByteView source) {
  double value = 0;
  const auto read = std::from_chars(source.data(), source.data() + source.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  const auto exponent = source.find_first_of("eE");
  const bool is_small =
      exponent == ByteView::npos ? source.starts_with('0') : source.substr(exponent + 1, 1) == "-";
  if (is_small) return 0;
  return source.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
}

std::int64_t bounded(double value) {
  constexpr auto kMax = static_cast<double>(base::kIntegerLimit - 1);
  return value > 0 ? static_cast<std::int64_t>(std::min(value, kMax)) : 0;
}

}  // namespace

std::string JsonValue::text() const {
  if (!is_text() || source_.size() < 2) return {};
  if (source_.find('\\') == ByteView::npos) {
    return std::string(source_.substr(1, source_.size() - 2));
  }
  if (auto text = unescaped(source_)) return *text;
  std::string repaired = without_lone_surrogates(source_);
  const std::size_t size = repaired.size();
  repaired.append(kPadding, ' ');
  return unescaped(ByteView(repaired).substr(0, size)).value_or(std::string());
}

base::Bytes JsonValue::clean_source() const {
  if (source_.find("\\u") == ByteView::npos) return base::Bytes(source_);
  return without_lone_surrogates(source_);
}

std::int64_t JsonValue::count() const {
  return bounded(number_of(source_));
}

std::int64_t JsonValue::billionths() const {
  return bounded(std::round(number_of(source_) * 1e9));
}

double JsonValue::number() const {
  return number_of(source_);
}

JsonObject JsonValue::object() const {
  JsonObject object;
  if (source_.starts_with('{') && !read_fields(source_, object.fields_)) object.fields_.clear();
  return object;
}

std::vector<JsonValue> JsonValue::items() const {
  std::vector<JsonValue> items;
  if (!source_.starts_with('[')) return items;
  ondemand::parser parser;
  ondemand::document document;
  if (parser.iterate(padded(source_)).get(document) != simdjson::SUCCESS) return items;
  ondemand::array array;
  if (document.get_array().get(array) != simdjson::SUCCESS) return items;
  for (auto each : array) {
    ByteView source;
    if (each.error() != simdjson::SUCCESS) return items;
    ondemand::value value = each.value_unsafe();
    if (!source_of(value, source)) return items;
    items.emplace_back(source);
  }
  return items;
}

JsonValue JsonObject::operator[](std::string_view key) const {
  for (const auto& [name, value] : fields_) {
    if (name == key) return value;
  }
  return {};
}

JsonLine::JsonLine(ByteView line) : padded_(line), size_(line.size()) {
  padded_.append(kPadding, ' ');
}

std::optional<JsonObject> JsonLine::object() const {
  JsonObject object;
  if (!read_fields(ByteView(padded_).substr(0, size_), object.fields_)) return std::nullopt;
  return object;
}

}  // namespace engines
