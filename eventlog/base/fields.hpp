// A struct names its fields once, and is encoded, decoded and checked by that list:
//
//   struct TurnStarted {
//     TurnId turn;
//     template <class Visit>
//     static constexpr void fields(Visit&& visit) {
//       visit("turn", &TurnStarted::turn);
//     }
//   };
//
// On the wire it is a msgpack map of its fields in this order. A field that equals its default is
// left out. Unknown fields are skipped, or handed to a caller that asked to keep them.
#pragma once

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "eventlog/base/hash.hpp"
#include "eventlog/base/ids.hpp"
#include "eventlog/base/msgpack.hpp"
#include "eventlog/base/result.hpp"
#include "eventlog/base/strong_integer.hpp"
#include "eventlog/base/time.hpp"

namespace base {

// Specialise for an enum that appears in a field: the names of its values, in order, from value 0
// on.
template <class Enum>
struct EnumNames;

// True if an enumerator has that value: a compiler prints a value without one as a cast, "(Enum)7".
template <auto kValue>
consteval bool is_enumerator() {
  constexpr std::string_view kText = __PRETTY_FUNCTION__;
  const char behind = kText[kText.rfind(')') + 1];
  return behind < '0' || behind > '9';
}

// True if the table names every enumerator from value 0 on, and nothing else.
template <class Enum>
consteval bool are_names_whole() {
  constexpr std::size_t kCount = std::size(EnumNames<Enum>::kNames);
  return is_enumerator<static_cast<Enum>(kCount - 1)>() &&
         !is_enumerator<static_cast<Enum>(kCount)>();
}

template <class Enum>
std::string_view enum_name(Enum value) {
  static_assert(are_names_whole<Enum>(), "an enumerator was added and not named, or the reverse");
  return EnumNames<Enum>::kNames[static_cast<std::size_t>(value)];
}

template <class Enum>
std::optional<Enum> parse_enum(std::string_view name) {
  const auto& names = EnumNames<Enum>::kNames;
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

// Unknown fields as they came: each one's name and the msgpack bytes of its value.
using ExtraFields = std::vector<std::pair<std::string, Bytes>>;

// A value that is carried as encoded msgpack bytes.
struct RawValue {
  Bytes encoded;
  bool operator==(const RawValue&) const = default;
};

namespace detail {

template <class T>
concept HasFields = requires {
  T::fields([](const char*, auto) {});
};

template <HasFields T>
consteval std::size_t fields_count() {
  std::size_t count = 0;
  T::fields([&](const char*, auto) { ++count; });
  return count;
}

// ---- writing ----

inline void write(MsgpackWriter& out, const std::string& value) {
  is_utf8(value) ? out.text(value) : out.binary(value);
}
inline void write(MsgpackWriter& out, const RawValue& value) {
  out.raw(value.encoded);
}
inline void write(MsgpackWriter& out, bool value) {
  out.boolean(value);
}
template <class T>
requires std::is_integral_v<T>
void write(MsgpackWriter& out, T value) {
  out.integer(static_cast<std::int64_t>(value));
}
template <class T>
requires std::is_enum_v<T>
void write(MsgpackWriter& out, T value) {
  out.text(enum_name(value));
}
template <class Tag>
void write(MsgpackWriter& out, const StrongInteger<Tag>& value) {
  out.integer(value.value);
}
inline void write(MsgpackWriter& out, Time value) {
  out.integer(value.us);
}
inline void write(MsgpackWriter& out, Duration value) {
  out.integer(value.count());
}
template <class Tag>
void write(MsgpackWriter& out, const Id<Tag>& value) {
  out.binary(value.view());
}
template <std::size_t N>
void write(MsgpackWriter& out, const std::array<char, N>& value) {
  out.binary({value.data(), N});
}
template <HasFields T>
void write(MsgpackWriter& out, const T& value);
template <class T>
void write(MsgpackWriter& out, const std::optional<T>& value);
template <class T>
void write(MsgpackWriter& out, const std::vector<T>& values);
template <class T>
void write(MsgpackWriter& out, const std::set<T>& values);
template <class K, class V>
void write(MsgpackWriter& out, const std::map<K, V>& values);

// Marks visitors of fields: inlined, the length of each name is a constant.
#define STENO_INLINED __attribute__((always_inline))

// A bit for each field of T, in words of 64; most structs have one word.
template <HasFields T>
using FieldBits = std::array<std::uint64_t, (fields_count<T>() + 63) / 64>;

// Returns the fields that do not equal their default: bit N is set for the Nth.
template <HasFields T>
FieldBits<T> fields_to_write(const T& value) {
  [[maybe_unused]] static const T kDefault{};  // GCC does not see the use in the lambda
  FieldBits<T> present{};
  std::size_t index = 0;
  T::fields([&](const char*, auto member) STENO_INLINED {
    present[index / 64] |= std::uint64_t{!(value.*member == kDefault.*member)} << index % 64;
    ++index;
  });
  return present;
}

template <HasFields T>
void write_fields(MsgpackWriter& out, const T& value, const ExtraFields& extra) {
  const FieldBits<T> present = fields_to_write(value);
  std::size_t count = extra.size();
  for (const std::uint64_t word : present) count += static_cast<std::size_t>(std::popcount(word));
  out.map(count);
  std::size_t index = 0;
  T::fields([&](const char* name, auto member) STENO_INLINED {
    const bool is_present = (present[index / 64] >> index % 64 & 1) != 0;
    ++index;
    if (!is_present) return;
    out.text({name, __builtin_strlen(name)});
    write(out, value.*member);
  });
  for (const auto& [name, raw] : extra) {
    out.text(name);
    out.raw(raw);
  }
}
template <HasFields T>
void write(MsgpackWriter& out, const T& value) {
  write_fields(out, value, {});
}
template <class T>
void write(MsgpackWriter& out, const std::optional<T>& value) {
  value ? write(out, *value) : out.nil();
}
template <class T>
void write(MsgpackWriter& out, const std::vector<T>& values) {
  out.array(values.size());
  for (const T& value : values) write(out, value);
}
template <class T>
void write(MsgpackWriter& out, const std::set<T>& values) {
  out.array(values.size());
  for (const T& value : values) write(out, value);
}
template <class K, class V>
void write(MsgpackWriter& out, const std::map<K, V>& values) {
  out.map(values.size());
  for (const auto& [key, value] : values) {
    write(out, key);
    write(out, value);
  }
}

// ---- what a field accepts, in words ----

template <class T>
struct Accepts {
  static std::string text() { return "a whole number"; }
};
template <>
struct Accepts<std::string> {
  static std::string text() { return "a text"; }
};
template <>
struct Accepts<RawValue> {
  static std::string text() { return "any value"; }
};
template <>
struct Accepts<ByteView> : Accepts<std::string> {};
template <>
struct Accepts<bool> {
  static std::string text() { return "true or false"; }
};
template <class T>
requires std::is_enum_v<T>
struct Accepts<T> {
  static std::string text() {
    std::string all;
    for (const std::string_view name : EnumNames<T>::kNames) {
      all += (all.empty() ? "one of " : ", ") + std::string(name);
    }
    return all;
  }
};
template <std::size_t N>
struct Accepts<std::array<char, N>> {
  static std::string text() { return std::to_string(N) + " bytes"; }
};
template <class Tag>
struct Accepts<Id<Tag>> : Accepts<decltype(Id<Tag>::bytes)> {};
template <HasFields T>
struct Accepts<T> {
  static std::string text() { return "a map of named fields"; }
};
template <class T>
struct Accepts<std::optional<T>> : Accepts<T> {};
template <class T>
struct Accepts<std::vector<T>> {
  static std::string text() { return "a list, each item " + Accepts<T>::text(); }
};
template <class T>
struct Accepts<std::set<T>> : Accepts<std::vector<T>> {};
template <class K, class V>
struct Accepts<std::map<K, V>> {
  static std::string text() { return "a map, each value " + Accepts<V>::text(); }
};

// ---- reading: false when the next value does not fit ----

// The first field that did not fit; "spec.budget" if structs are nested.
struct BadField {
  std::string name;
  std::string accepted;
};

inline bool read(MsgpackReader& in, ByteView& value) {
  return in.is_binary_next() ? in.binary(value) : in.text(value);
}
inline bool read(MsgpackReader& in, std::string& value) {
  ByteView bytes;
  if (!read(in, bytes)) return false;
  value.clear();
  value.append(bytes);  // cheaper than assign(), which replaces within a text
  return true;
}
inline bool read(MsgpackReader& in, RawValue& value) {
  ByteView raw;
  if (!in.value(raw)) return false;
  value.encoded.assign(raw);
  return true;
}
inline bool read(MsgpackReader& in, bool& value) {
  return in.boolean(value);
}
template <class T>
requires std::is_integral_v<T> STENO_INLINED inline bool read(MsgpackReader& in, T& value) {
  std::int64_t wide = 0;
  if (!in.integer(wide) || !std::in_range<T>(wide)) return false;
  value = static_cast<T>(wide);
  return true;
}
template <class T>
requires std::is_enum_v<T>
bool read(MsgpackReader& in, T& value) {
  ByteView name;
  if (!in.text(name)) return false;
  const auto parsed = parse_enum<T>(name);
  if (parsed) value = *parsed;
  return parsed.has_value();
}
template <class Tag>
STENO_INLINED inline bool read(MsgpackReader& in, StrongInteger<Tag>& value) {
  return in.integer(value.value);
}
STENO_INLINED inline bool read(MsgpackReader& in, Time& value) {
  return in.integer(value.us);
}
inline bool read(MsgpackReader& in, Duration& value) {
  std::int64_t count = 0;
  if (!in.integer(count)) return false;
  value = Duration{count};
  return true;
}
template <std::size_t N>
STENO_INLINED inline bool read(MsgpackReader& in, std::array<char, N>& value) {
  ByteView bytes;
  if (!in.binary(bytes) || bytes.size() != N) return false;
  std::memcpy(value.data(), bytes.data(), N);
  return true;
}
template <class Tag>
STENO_INLINED inline bool read(MsgpackReader& in, Id<Tag>& value) {
  return read(in, value.bytes);
}
template <HasFields T>
bool read(MsgpackReader& in, T& value, ExtraFields* extra = nullptr, BadField* bad = nullptr);
template <class T>
bool read(MsgpackReader& in, std::optional<T>& value);
template <class T>
bool read(MsgpackReader& in, std::vector<T>& values);
template <class T>
bool read(MsgpackReader& in, std::set<T>& values);
template <class K, class V>
bool read(MsgpackReader& in, std::map<K, V>& values);

template <class Field>
[[gnu::cold, gnu::noinline]] bool describe_bad_field(ByteView name, BadField* bad) {
  if (bad == nullptr) return false;
  if (bad->name.empty()) {
    *bad = {std::string(name), Accepts<Field>::text()};
  } else {
    bad->name.insert(0, 1, '.').insert(0, name);
  }
  return false;
}
template <class Field>
STENO_INLINED inline bool read_field(MsgpackReader& in, ByteView name, Field& field,
                                     BadField* bad) {
  if constexpr (HasFields<Field>) {
    if (read(in, field, nullptr, bad)) return true;
  } else {
    if (read(in, field)) return true;
  }
  return describe_bad_field<Field>(name, bad);
}
template <class T>
bool read_field(MsgpackReader& in, ByteView name, std::optional<T>& field, BadField* bad) {
  field.reset();
  if (in.is_nil_next()) return in.nil();
  return read_field(in, name, field.emplace(), bad);
}
// Returns the field of the value. A struct that is read into another one has an overload of its
// own.
template <class T, class Member>
STENO_INLINED inline auto& field_of(T& value, Member member) {
  return value.*member;
}
// Reads the next pair, whose name was not written as Steno writes it, or is not known.
template <HasFields T>
[[gnu::cold, gnu::noinline]] bool read_other_pair(MsgpackReader& in, T& value, ExtraFields* extra,
                                                  BadField* bad) {
  ByteView name;
  if (!in.text(name)) return false;
  bool is_known = false;
  bool is_sound = true;
  T::fields([&](const char* candidate, auto member) {
    if (is_known || name != candidate) return;
    is_known = true;
    is_sound = read_field(in, name, field_of(value, member), bad);
  });
  if (is_known) return is_sound;
  ByteView raw;
  if (!in.value(raw)) return false;
  if (extra == nullptr) return true;
  if (!in.afford(sizeof(ExtraFields::value_type))) return false;
  extra->emplace_back(name, raw);
  return true;
}
template <HasFields T>
bool read(MsgpackReader& in, T& value, ExtraFields* extra, BadField* bad) {
  std::size_t pairs = 0;
  if (!in.map(pairs)) return false;
  while (pairs > 0) {
    // Fields come in the order in which they were written, so one walk reads them all. A name that
    // the rest of a walk does not know is looked up in another walk, from the first field on.
    const std::size_t before = pairs;
    bool is_sound = true;
    T::fields([&](const char* name, auto member) STENO_INLINED {
      if (pairs == 0 || !in.skip_text({name, __builtin_strlen(name)})) return;
      --pairs;
      if (read_field(in, {name, __builtin_strlen(name)}, field_of(value, member), bad)) [[likely]]
        return;
      is_sound = false;
      pairs = 0;
    });
    if (!is_sound) return false;
    if (pairs < before) continue;
    if (!read_other_pair(in, value, extra, bad)) return false;
    --pairs;
  }
  return true;
}
template <class T>
bool read(MsgpackReader& in, std::optional<T>& value) {
  value.reset();
  if (in.is_nil_next()) return in.nil();
  value.emplace();
  return read(in, *value);
}
template <class T>
bool read(MsgpackReader& in, std::vector<T>& values) {
  std::size_t items = 0;
  if (!in.array(items)) return false;
  values.clear();  // if a field comes twice, the last one counts
  for (std::size_t i = 0; i < items; ++i) {
    T value{};
    if (!in.afford(sizeof(T)) || !read(in, value)) return false;
    values.push_back(std::move(value));
  }
  return true;
}
template <class T>
bool read(MsgpackReader& in, std::set<T>& values) {
  std::size_t items = 0;
  if (!in.array(items)) return false;
  values.clear();
  for (std::size_t i = 0; i < items; ++i) {
    T value{};
    if (!in.afford(sizeof(T)) || !read(in, value)) return false;
    values.insert(std::move(value));
  }
  return true;
}
template <class K, class V>
bool read(MsgpackReader& in, std::map<K, V>& values) {
  std::size_t pairs = 0;
  if (!in.map(pairs)) return false;
  values.clear();
  for (std::size_t i = 0; i < pairs; ++i) {
    K key{};
    V value{};
    if (!in.afford(sizeof(K) + sizeof(V)) || !read(in, key) || !read(in, value)) return false;
    values.insert_or_assign(std::move(key), std::move(value));
  }
  return true;
}

}  // namespace detail

template <class T>
void encode_to(Bytes& out, const T& value) {
  MsgpackWriter writer(out);
  detail::write(writer, value);
}

// As above, with the unknown fields that were kept when the value was decoded.
template <class T>
void encode_to(Bytes& out, const T& value, const ExtraFields& extra) {
  MsgpackWriter writer(out);
  detail::write_fields(writer, value, extra);
}

// Room that is enough for most events, rows and messages: one allocation instead of repeated
// doubling.
constexpr std::size_t kEncodedBytesUsual = 256;

template <class T>
Bytes encode(const T& value) {
  Bytes out;
  out.reserve(kEncodedBytesUsual);
  encode_to(out, value);
  return out;
}

// Decodes exactly one map that fills `in`, into a value that has its defaults. The error names the
// field that does not fit, and what it accepts; the value is then partly read.
template <class T>
Result<void> decode_to(T& value, ByteView in, ExtraFields* extra = nullptr) {
  MsgpackReader reader(in);
  detail::BadField bad;
  if (!detail::read(reader, value, extra, &bad)) {
    return failure(ErrorCode::invalid,
                   bad.name.empty() ? "not a msgpack map of named fields"
                                    : "field is of the wrong kind; accepted is " + bad.accepted,
                   bad.name);
  }
  if (!reader.at_end()) return failure(ErrorCode::invalid, "bytes after the end of the map");
  return {};
}

template <class T>
Result<T> decode(ByteView in, ExtraFields* extra = nullptr) {
  T value{};
  if (auto ok = decode_to(value, in, extra); !ok) return tl::unexpected(std::move(ok.error()));
  return value;
}

}  // namespace base
