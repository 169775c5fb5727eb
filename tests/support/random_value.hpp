// Random values of any struct with `fields`, made from a seed, to be carried by the codec.
#pragma once

#include "eventlog/base/msgpack_bin.hpp"
#include "eventlog/base/random.hpp"
#include "eventlog/domain/accepted_commands.hpp"

namespace support {

// Fills a struct field by field. Used by one thread; `random` outlives it.
class RandomValue {
 public:
  // With `every`, no field is left at its default, for samples that show all fields.
  RandomValue(base::Random& random, bool every) : random_(random), every_(every) {}

  template <base::detail::HasFields T>
  void fill(T& value) {
    T::fields([&](const char*, auto member) {
      if (every_ || random_.chance(80)) fill(value.*member);
    });
  }
  void fill(bool& value) { value = every_ || random_.chance(50); }
  void fill(std::string& value) { value = text(); }
  void fill(base::Binary& value) { value.bytes = text(); }
  void fill(base::RawValue& value) { base::encode_to(value.encoded, text()); }
  void fill(base::Time& value) { value.us = positive(); }
  void fill(base::Duration& value) { value = base::Duration{positive()}; }
  template <class T>
  requires std::is_integral_v<T>
  void fill(T& value) { value = static_cast<T>(integer()); }
  template <class T>
  requires std::is_enum_v<T>
  void fill(T& value) {
    const std::size_t count = std::size(base::EnumNames<T>::kNames);
    const std::size_t lowest = every_ && count > 1 ? 1 : 0;
    value = static_cast<T>(lowest + random_.below(count - lowest));
  }
  template <class Tag>
  void fill(base::StrongInteger<Tag>& value) {
    value.value = positive();
  }
  template <class Tag>
  void fill(base::Id<Tag>& value) {
    fill(value.bytes);
  }
  template <std::size_t N>
  void fill(std::array<char, N>& value) {
    for (char& c : value) c = static_cast<char>(random_.next());
    value[0] = static_cast<char>(1 + random_.below(127));
  }
  template <class T>
  void fill(std::optional<T>& value) {
    if (every_ || random_.chance(50)) fill(value.emplace());
  }
  void fill(domain::AcceptedCommands& commands) {
    std::vector<domain::AcceptedCommand> values;
    fill(values);
    for (const domain::AcceptedCommand& value : values) commands.remember(value);
  }
  template <class T>
  void fill(base::Sparse<T>& value) {
    T filled{};
    fill(filled);
    value = std::move(filled);
  }
  template <class T>
  void fill(base::Boxed<T>& value) {
    if (every_ || random_.chance(50)) fill(value.emplace());
  }
  template <class T>
  void fill(std::vector<T>& values) {
    values.resize((every_ ? 1 : 0) + random_.below(4));
    for (T& value : values) fill(value);
  }
  template <class T>
  void fill(std::set<T>& values) {
    for (std::uint64_t left = (every_ ? 1 : 0) + random_.below(4); left > 0; --left) {
      T value{};
      fill(value);
      values.insert(std::move(value));
    }
  }
  template <class K, class V>
  void fill(std::map<K, V>& values) {
    for (std::uint64_t left = (every_ ? 1 : 0) + random_.below(4); left > 0; --left) {
      K key{};
      fill(key);
      fill(values[key]);
    }
  }

 private:
  // Returns a number of any magnitude below 2^53, never 0.
  std::int64_t positive() {
    const std::uint64_t bits = 1 + random_.below(52);
    return static_cast<std::int64_t>(1 + random_.below((std::uint64_t{1} << bits)));
  }
  std::int64_t integer() { return !every_ && random_.chance(30) ? -positive() : positive(); }

  std::string text() {
    if (!every_ && random_.chance(10)) return std::string("\xFF\0\xC3", 3);  // not UTF-8
    if (random_.chance(10)) return "grüße, 世界";
    std::string value;
    const std::uint64_t size = 1 + random_.below(random_.chance(10) ? 400 : 20);
    for (std::uint64_t i = 0; i < size; ++i) {
      value.push_back(static_cast<char>('a' + random_.below(26)));
    }
    return value;
  }

  base::Random& random_;
  const bool every_;
};

}  // namespace support
