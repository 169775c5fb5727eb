// MessagePack. Short values are written here, others with msgpack-cxx. Reading uses a cursor of our
// own that never allocates, never recurses deeper than kDepthMax and never reads past the end of
// its input.
#pragma once

#include <cstdint>
#include <limits>

#include "eventlog/base/bytes.hpp"

namespace base {

// Exclusive bound of the magnitude of every integer on the wire: numbers of every language can hold
// it.
constexpr std::int64_t kIntegerLimit = std::int64_t{1} << 53;

// Appends values to a byte string that it does not own and that must outlive it.
class MsgpackWriter {
 public:
  explicit MsgpackWriter(Bytes& out) : out_(out) {}

  void map(std::size_t pairs);
  void array(std::size_t items);
  void text(ByteView value);  // must be UTF-8; the caller has checked
  void binary(ByteView value);
  void integer(std::int64_t value);  // |value| < kIntegerLimit, CHECKed
  void boolean(bool value);
  void nil();
  void raw(ByteView encoded) { out_.append(encoded); }  // bytes that already are msgpack

 private:
  void longer_map(std::size_t pairs);
  void longer_text(ByteView value);
  void longer_binary(ByteView value);
  void longer_integer(std::int64_t value);

  Bytes& out_;
};

enum class MsgpackKind { nil, boolean, integer, text, binary, array, map, other, end };

// A cursor over one byte string, which must outlive it and the views it returns. A read returns
// false when the next value is of another kind or cut short; then every later read also fails.
class MsgpackReader {
 public:
  static constexpr int kDepthMax = 32;  // deeper than anything that Steno writes
  static constexpr std::size_t kListBytesFree = 64 << 10;
  static constexpr std::size_t kListBytesFactor = 16;

  // `items_max` bounds the values that skip() and value() step over in total, including those
  // within lists and maps. That also bounds the time of a reader that only looks for an end.
  explicit MsgpackReader(ByteView in,
                         std::size_t items_max = std::numeric_limits<std::size_t>::max())
      : at_(in.data()),
        end_(in.data() + in.size()),
        affordable_(kListBytesFree + kListBytesFactor * in.size()),
        items_left_(items_max) {}

  MsgpackKind peek() const;
  bool is_nil_next() const { return type() == 0xC0; }
  bool is_binary_next() const { return type() >= 0xC4 && type() <= 0xC6; }
  bool map(std::size_t& pairs);
  bool array(std::size_t& items);
  bool text(ByteView& value);
  // Steps over the next value if it is this text of up to 31 bytes, in the shortest form. Returns
  // false for another value, or for the same text in another form; it then stays the next one.
  bool skip_text(ByteView expected);
  bool binary(ByteView& value);
  bool integer(std::int64_t& value);  // refuses magnitudes of kIntegerLimit and above
  bool boolean(bool& value);
  bool nil();
  bool skip();                // any one value, with everything in it
  bool value(ByteView& raw);  // the encoded bytes of the next value, stepping over it

  // Call before keeping each item of a list: returns false if `bytes` more are not affordable. An
  // item of a hundred bytes in memory can be a single byte of input. So lists are limited to
  // kListBytesFree plus kListBytesFactor times the input, which is beyond every list of real items.
  bool afford(std::size_t bytes);

  bool at_end() const { return at_ == end_ && !failed_; }
  bool failed() const { return failed_; }
  // True if the cursor failed because more than `items_max` values came.
  bool has_too_many_items() const { return failed_ && items_left_ == 0; }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  bool fail() {
    failed_ = true;
    end_ = at_;  // so that nothing more can be read
    return false;
  }
  // Returns the type byte of the next value; at the end, one that no value has.
  unsigned char type() const { return at_ == end_ ? 0xC1 : static_cast<unsigned char>(*at_); }
  bool length(unsigned bytes, std::size_t& value);
  [[gnu::always_inline]] bool span(std::size_t size, ByteView& value) {
    if (left() < size) return fail();
    value = {at_, size};
    at_ += size;
    return true;
  }
  bool longer_map(std::size_t& pairs);
  bool longer_text(ByteView& value);
  bool longer_binary(ByteView& value);
  bool longer_integer(std::int64_t& value);
  bool skip(int depth);

  const char* at_;
  const char* end_;
  std::size_t affordable_;
  std::size_t items_left_;
  bool failed_ = false;
};

// The forms of most values are inlined here: small maps and numbers, short texts and ids.

inline void MsgpackWriter::map(std::size_t pairs) {
  pairs < 0x10 ? out_.push_back(static_cast<char>(0x80 | pairs)) : longer_map(pairs);
}

[[gnu::always_inline]] inline void MsgpackWriter::text(ByteView value) {
  if (value.size() >= 0x20) return longer_text(value);
  out_.push_back(static_cast<char>(0xA0 | value.size()));
  out_.append(value);
}

inline void MsgpackWriter::binary(ByteView value) {
  if (value.size() > 0xFF) return longer_binary(value);
  const char head[] = {'\xC4', static_cast<char>(value.size())};
  out_.append(head, sizeof head);
  out_.append(value);
}

inline void MsgpackWriter::integer(std::int64_t value) {
  value >= 0 && value < 0x80 ? out_.push_back(static_cast<char>(value)) : longer_integer(value);
}

[[gnu::always_inline]] inline bool MsgpackReader::map(std::size_t& pairs) {
  const unsigned char fixmap = type();
  if ((fixmap & 0xF0) != 0x80) return longer_map(pairs);
  pairs = fixmap & 0x0F;
  ++at_;
  return true;
}

[[gnu::always_inline]] inline bool MsgpackReader::text(ByteView& value) {
  const unsigned char fixstr = type();
  if ((fixstr & 0xE0) != 0xA0) return longer_text(value);
  ++at_;
  return span(fixstr & 0x1F, value);
}

[[gnu::always_inline]] inline bool MsgpackReader::skip_text(ByteView expected) {
  const std::size_t size = expected.size();
  if (size > 0x1F || left() <= size || type() != (0xA0 | size) ||
      __builtin_memcmp(at_ + 1, expected.data(), size) != 0) {
    return false;
  }
  at_ += 1 + size;
  return true;
}

[[gnu::always_inline]] inline bool MsgpackReader::binary(ByteView& value) {
  constexpr unsigned char kBin8 = 0xC4;
  if (type() != kBin8 || left() < 2) return longer_binary(value);
  const auto size = static_cast<unsigned char>(at_[1]);
  at_ += 2;
  return span(size, value);
}

[[gnu::always_inline]] inline bool MsgpackReader::integer(std::int64_t& value) {
  const unsigned char first = type();
  if (first <= 0x7F) {
    value = first;
    ++at_;
    return true;
  }
  const unsigned uint = first - 0xCCu;  // 0 to 3: of 1, 2, 4 or 8 bytes
  if (uint > 3 || left() < 1 + sizeof(std::uint64_t)) return longer_integer(value);
  const unsigned bytes = 1u << uint;
  const std::uint64_t number = read_u64({at_ + 1, sizeof number}) >> (64 - 8 * bytes);
  if (number >= static_cast<std::uint64_t>(kIntegerLimit)) return fail();
  value = static_cast<std::int64_t>(number);
  at_ += 1 + bytes;
  return true;
}

}  // namespace base
