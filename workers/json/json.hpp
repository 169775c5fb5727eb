// JSON, on one line, for programs that read the output of `steno`. Structs show all their fields,
// also those at their default, so that readers need not know the defaults.
//
//   ids          "01890a5d-ac96-774b-bcce-b302099a8057", null where unset
//   Time         "2026-11-20T15:42:07.123456Z", null where 0
//   NanoUsd      dollars as an exact decimal number, under the field's name and "_usd"
//   enums        their names
//   other bytes  {"hex": "…"}, beyond 64 bytes {"base64": "…"}
#pragma once

#include <string>
#include <string_view>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/msgpack_bin.hpp"
#include "eventlog/base/sparse.hpp"
#include "eventlog/base/time_text.hpp"
#include "eventlog/base/usd_text.hpp"

namespace workers {

// Returns one msgpack value as JSON. Binaries of 16 bytes are ids. "null": the bytes are not
// msgpack.
std::string msgpack_to_json(base::ByteView encoded);

std::string json_string(std::string_view utf8);
std::string json_bytes(base::ByteView bytes);
// Returns a text as a JSON string, or as bytes if it is not UTF-8.
std::string json_text(std::string_view text);
// The same where only a string is allowed, such as a field's name.
std::string json_name(std::string_view text);

inline std::string to_json(const std::string& value) {
  return json_text(value);
}
inline std::string to_json(std::string_view value) {
  return json_text(value);
}
inline std::string to_json(const char* value) {
  return json_text(value);
}
inline std::string to_json(bool value) {
  return value ? "true" : "false";
}
template <class T>
requires std::is_integral_v<T> std::string to_json(T value) {
  return std::to_string(value);
}
template <class T>
requires std::is_enum_v<T> std::string to_json(T value) {
  return json_string(base::enum_name(value));
}
template <class Tag>
std::string to_json(const base::StrongInteger<Tag>& value) {
  return std::to_string(value.value);
}
inline std::string to_json(base::NanoUsd value) {
  return exact_usd_text(value);
}
inline std::string to_json(base::Time value) {
  return value.us == 0 ? "null" : json_string(time_text(value));
}
inline std::string to_json(base::Duration value) {
  return std::to_string(value.count());
}
template <class Tag>
std::string to_json(const base::Id<Tag>& value) {
  return value.is_set() ? json_string(value.text()) : "null";
}
template <std::size_t N>
std::string to_json(const std::array<char, N>& value) {
  return json_bytes({value.data(), N});
}
inline std::string to_json(const base::Binary& value) {
  return json_bytes(value.bytes);
}
inline std::string to_json(const base::RawValue& value) {
  return msgpack_to_json(value.encoded);
}
template <base::detail::HasFields T>
std::string to_json(const T& value);
template <class T>
std::string to_json(const std::optional<T>& value);
template <class T>
std::string to_json(const base::Sparse<T>& value);
template <class T>
std::string to_json(const std::vector<T>& values);
template <class T>
std::string to_json(const std::set<T>& values);
template <class K, class V>
std::string to_json(const std::map<K, V>& values);

// Builds an object field by field.
class JsonObject {
 public:
  template <class T>
  JsonObject& add(std::string_view name, const T& value) {
    std::string full(name);
    if constexpr (is_money<T>()) full += "_usd";
    return add_raw(full, to_json(value));
  }
  JsonObject& add_raw(std::string_view name, std::string_view json) {
    if (!text_.empty()) text_ += ',';
    text_ += json_name(name);
    text_ += ':';
    text_ += json;
    return *this;
  }
  // Adds the fields of another object, "{…}".
  JsonObject& add_fields(std::string_view object) {
    const std::string_view fields = object.substr(1, object.size() - 2);
    if (!text_.empty() && !fields.empty()) text_ += ',';
    text_ += fields;
    return *this;
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  template <class T>
  static constexpr bool is_money() {
    return std::is_same_v<T, base::NanoUsd> ||
           std::is_same_v<T, std::map<std::string, base::NanoUsd>>;
  }

  std::string text_;
};

template <base::detail::HasFields T>
std::string to_json(const T& value) {
  JsonObject object;
  T::fields([&](const char* name, auto member) { object.add(name, value.*member); });
  return object.text();
}
template <class T>
std::string to_json(const base::Sparse<T>& value) {
  return to_json(*value);
}
template <class T>
std::string to_json(const std::optional<T>& value) {
  return value ? to_json(*value) : "null";
}

namespace detail {
template <class Values>
std::string json_array(const Values& values) {
  std::string text;
  for (const auto& value : values) {
    text += text.empty() ? '[' : ',';
    text += to_json(value);
  }
  return text.empty() ? "[]" : text + "]";
}
}  // namespace detail

template <class T>
std::string to_json(const std::vector<T>& values) {
  return detail::json_array(values);
}
template <class T>
std::string to_json(const std::set<T>& values) {
  return detail::json_array(values);
}
template <class K, class V>
std::string to_json(const std::map<K, V>& values) {
  std::string text;
  for (const auto& [key, value] : values) {
    const std::string name = to_json(key);
    text += text.empty() ? '{' : ',';
    // A name in JSON must be a string.
    text += name.starts_with('"') ? name : json_string(name);
    text += ':';
    text += to_json(value);
  }
  return text.empty() ? "{}" : text + "}";
}

}  // namespace workers
