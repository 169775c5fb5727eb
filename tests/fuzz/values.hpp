// The rules for every struct with `fields` that is read from bytes from outside.
#pragma once

#include <tuple>

#include "tests/fuzz/fuzz.hpp"
#include "tests/support/random_value.hpp"

namespace fuzz {

// Decodes a T, which must survive its own encoding; an error must say what is wrong.
template <class T>
base::Result<T> read_again(ByteView in) {
  auto value = base::decode<T>(in);
  if (!value) {
    require(!value.error().text.empty(), "an error says what is wrong");
    return value;
  }
  const Bytes bytes = base::encode(*value);
  T again{};
  const bool is_read = base::decode_to(again, bytes).has_value();
  require(is_read && again == *value, "decode(encode(decode(x))) is the same value");
  require(base::encode(again) == bytes, "one value has one encoding");
  return value;
}

// Makes a T from the source; `bytes` become its whole encoding.
template <class T>
T make_value(Source& source, Bytes& bytes) {
  T value;
  SourceRandom random(source);
  support::RandomValue(random, false).fill(value);
  bytes = base::encode(value);
  const auto read = base::decode<T>(bytes);
  require(read && *read == value, "decode(encode(v)) is v");
  return value;
}

// The first byte chooses one of the types and the form: the rest of the input as its bytes, or a
// value made from it, encoded and damaged. The bytes go to `use` with the type's default value.
template <class... Types, class Use>
void with_one_of(ByteView in, Use&& use) {
  Source source(in);
  const std::size_t choice = source.byte();
  const bool is_built = choice >= 128;
  std::size_t index = choice % 128 % sizeof...(Types);
  const auto one = [&]<class T>(T&& type) {
    if (index-- != 0) return;
    Bytes bytes;
    if (is_built) {
      make_value<std::remove_cvref_t<T>>(source, bytes);
      damage(source, bytes);
    } else {
      bytes = source.rest();
    }
    use(type, ByteView(bytes));
  };
  (one(Types{}), ...);
}

// Checks one of these types with read_again, which is enough for most.
template <class... Types>
void read_one_of(ByteView in) {
  with_one_of<Types...>(in, [](const auto& type, ByteView bytes) {
    read_again<std::remove_cvref_t<decltype(type)>>(bytes);
  });
}

}  // namespace fuzz
