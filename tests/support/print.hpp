// Values with `fields` as text, for the messages of failing tests. Fields at their default are left
// out, as in the encoded form.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/sparse.hpp"
#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/event.hpp"

namespace support {

template <base::detail::HasFields T>
std::string text_of(const T& value);
template <class T>
std::string text_of(const std::optional<T>& value);
template <class T>
std::string text_of(const std::vector<T>& values);

inline std::string text_of(const std::string& value) {
  return '"' + value.substr(0, 60) + '"';
}
inline std::string text_of(bool value) {
  return value ? "true" : "false";
}
template <class T>
requires std::is_integral_v<T> std::string text_of(T value) {
  return std::to_string(value);
}
template <class T>
requires std::is_enum_v<T> std::string text_of(T value) {
  return std::string(base::enum_name(value));
}
template <class Tag>
std::string text_of(const base::StrongInteger<Tag>& value) {
  return std::to_string(value.value);
}
inline std::string text_of(base::Time value) {
  return std::to_string(value.us);
}
inline std::string text_of(base::Duration value) {
  return std::to_string(value.count());
}
template <class Tag>
std::string text_of(const base::Id<Tag>& value) {
  return value.text();
}
template <std::size_t N>
std::string text_of(const std::array<char, N>& value) {
  return base::to_hex({value.data(), N});
}
inline std::string text_of(const base::RawValue& value) {
  return base::to_hex(value.encoded);
}
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "none";
}
template <class T>
std::string text_of(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text += text_of(value) + ' ';
  return text + ']';
}
template <class T>
std::string text_of(const std::map<std::string, T>& values) {
  std::string text = "[";
  for (const auto& [name, value] : values) text += name + ':' + text_of(value) + ' ';
  return text + ']';
}
template <class T>
std::string text_of(const base::Sparse<T>& value) {
  return text_of(*value);
}
template <base::detail::HasFields T>
std::string text_of(const T& value) {
  const T untouched{};
  std::string text = "{";
  T::fields([&](const char* name, auto member) {
    const std::string now = text_of(value.*member);
    if (now != text_of(untouched.*member)) text += std::string(name) + '=' + now + ' ';
  });
  return text + '}';
}
std::string text_of(const domain::Event& event);

}  // namespace support
