// The longer forms of values, and skipping over any value. Skipping counts items and depth, so that
// hostile input is bounded in time and stack.
#include "eventlog/base/msgpack.hpp"

#include <msgpack/pack.hpp>

#include "eventlog/base/check.hpp"

namespace base {
namespace {

struct Sink {
  Bytes& out;
  void write(const char* data, std::size_t size) { out.append(data, size); }
};

msgpack::packer<Sink> packer(Sink& sink) {
  return msgpack::packer<Sink>(sink);
}

}  // namespace

void MsgpackWriter::longer_map(std::size_t pairs) {
  Sink sink{out_};
  packer(sink).pack_map(static_cast<std::uint32_t>(pairs));
}

void MsgpackWriter::array(std::size_t items) {
  Sink sink{out_};
  packer(sink).pack_array(static_cast<std::uint32_t>(items));
}

void MsgpackWriter::longer_text(ByteView value) {
  Sink sink{out_};
  const auto size = static_cast<std::uint32_t>(value.size());
  packer(sink).pack_str(size).pack_str_body(value.data(), size);
}

void MsgpackWriter::longer_binary(ByteView value) {
  Sink sink{out_};
  const auto size = static_cast<std::uint32_t>(value.size());
  packer(sink).pack_bin(size).pack_bin_body(value.data(), size);
}

void MsgpackWriter::longer_integer(std::int64_t value) {
  CHECK(value < kIntegerLimit && value > -kIntegerLimit);
  Sink sink{out_};
  packer(sink).pack_int64(value);
}

void MsgpackWriter::boolean(bool value) {
  Sink sink{out_};
  value ? packer(sink).pack_true() : packer(sink).pack_false();
}

void MsgpackWriter::nil() {
  Sink sink{out_};
  packer(sink).pack_nil();
}

// The type bytes below are those of the MessagePack specification, section "Formats".

MsgpackKind MsgpackReader::peek() const {
  if (at_ == end_) return MsgpackKind::end;
  const auto type = static_cast<unsigned char>(*at_);
  if (type <= 0x7F || type >= 0xE0) return MsgpackKind::integer;
  if (type <= 0x8F) return MsgpackKind::map;
  if (type <= 0x9F) return MsgpackKind::array;
  if (type <= 0xBF) return MsgpackKind::text;
  switch (type) {
    case 0xC0:
      return MsgpackKind::nil;
    case 0xC2:
    case 0xC3:
      return MsgpackKind::boolean;
    case 0xC4:
    case 0xC5:
    case 0xC6:
      return MsgpackKind::binary;
    case 0xD9:
    case 0xDA:
    case 0xDB:
      return MsgpackKind::text;
    case 0xDC:
    case 0xDD:
      return MsgpackKind::array;
    case 0xDE:
    case 0xDF:
      return MsgpackKind::map;
    default:
      return type >= 0xCC && type <= 0xD3 ? MsgpackKind::integer : MsgpackKind::other;
  }
}

bool MsgpackReader::length(unsigned bytes, std::size_t& value) {
  if (left() < bytes) return fail();
  value = 0;
  for (unsigned i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(*at_++);
  return true;
}

bool MsgpackReader::longer_map(std::size_t& pairs) {
  if (peek() != MsgpackKind::map) return fail();
  const auto type = static_cast<unsigned char>(*at_++);
  if (type <= 0x8F) {
    pairs = type & 0x0F;
    return true;
  }
  return length(type == 0xDE ? 2 : 4, pairs);
}

bool MsgpackReader::array(std::size_t& items) {
  if (peek() != MsgpackKind::array) return fail();
  const auto type = static_cast<unsigned char>(*at_++);
  if (type <= 0x9F) {
    items = type & 0x0F;
    return true;
  }
  return length(type == 0xDC ? 2 : 4, items);
}

bool MsgpackReader::longer_text(ByteView& value) {
  constexpr unsigned char kStr8 = 0xD9;
  if (type() == kStr8 && left() >= 2) {
    const auto size = static_cast<unsigned char>(at_[1]);
    at_ += 2;
    return span(size, value);
  }
  if (peek() != MsgpackKind::text) return fail();
  const auto type = static_cast<unsigned char>(*at_++);
  std::size_t size = type & 0x1F;
  if (type >= 0xD9 && !length(1u << (type - 0xD9), size)) return false;
  return span(size, value);
}

bool MsgpackReader::longer_binary(ByteView& value) {
  if (peek() != MsgpackKind::binary) return fail();
  const auto type = static_cast<unsigned char>(*at_++);
  std::size_t size = 0;
  return length(1u << (type - 0xC4), size) && span(size, value);
}

bool MsgpackReader::longer_integer(std::int64_t& value) {
  if (peek() != MsgpackKind::integer) return fail();
  const auto type = static_cast<unsigned char>(*at_++);
  if (type <= 0x7F) {
    value = type;
    return true;
  }
  if (type >= 0xE0) {
    value = std::int64_t{type} - 0x100;
    return true;
  }
  const bool is_signed = type >= 0xD0;
  const unsigned bytes = 1u << (type - (is_signed ? 0xD0 : 0xCC));
  const unsigned unused = 64 - 8 * bytes;
  std::uint64_t raw = 0;  // the value's bytes first, then zeros
  if (left() >= sizeof raw) {
    raw = read_u64({at_, sizeof raw});
  } else {
    if (left() < bytes) return fail();
    for (unsigned i = 0; i < bytes; ++i) {
      raw |= std::uint64_t{static_cast<unsigned char>(at_[i])} << (56 - 8 * i);
    }
  }
  at_ += bytes;
  if (is_signed) {
    value = static_cast<std::int64_t>(raw) >> unused;
  } else {
    raw >>= unused;
    if (raw >= static_cast<std::uint64_t>(kIntegerLimit)) return fail();
    value = static_cast<std::int64_t>(raw);
  }
  return value < kIntegerLimit && value > -kIntegerLimit ? true : fail();
}

bool MsgpackReader::boolean(bool& value) {
  if (peek() != MsgpackKind::boolean) return fail();
  value = static_cast<unsigned char>(*at_++) == 0xC3;
  return true;
}

bool MsgpackReader::nil() {
  if (peek() != MsgpackKind::nil) return fail();
  ++at_;
  return true;
}

bool MsgpackReader::afford(std::size_t bytes) {
  if (bytes > affordable_) return fail();
  affordable_ -= bytes;
  return true;
}

bool MsgpackReader::skip() {
  return skip(0);
}

bool MsgpackReader::skip(int depth) {
  if (depth > kDepthMax || items_left_ == 0) return fail();
  --items_left_;
  std::size_t count = 0;
  ByteView bytes;
  if (const unsigned char first = type(); first <= 0x7F || first >= 0xE0) {
    ++at_;
    return true;
  }
  switch (peek()) {
    case MsgpackKind::end:
      return fail();
    case MsgpackKind::text:
      return text(bytes);
    case MsgpackKind::binary:
      return binary(bytes);
    case MsgpackKind::array:
      if (!array(count)) return false;
      for (std::size_t i = 0; i < count; ++i) {
        if (!skip(depth + 1)) return false;
      }
      return true;
    case MsgpackKind::map:
      if (!map(count)) return false;
      for (std::size_t i = 0; i < 2 * count; ++i) {
        if (!skip(depth + 1)) return false;
      }
      return true;
    default:
      break;
  }
  const auto type = static_cast<unsigned char>(*at_++);
  std::size_t size = 0;
  if (type >= 0xCA && type <= 0xCB) {  // float 32, float 64
    size = type == 0xCA ? 4 : 8;
  } else if (type >= 0xCC && type <= 0xD3) {
    size = std::size_t{1} << ((type - 0xCC) & 3);
  } else if (type >= 0xD4 && type <= 0xD8) {  // fixext
    size = 1 + (std::size_t{1} << (type - 0xD4));
  } else if (type >= 0xC7 && type <= 0xC9) {  // ext
    if (!length(1u << (type - 0xC7), size)) return false;
    size += 1;
  } else if (type == 0xC1) {
    return fail();
  }
  return span(size, bytes);
}

bool MsgpackReader::value(ByteView& raw) {
  const char* start = at_;
  if (!skip()) return false;
  raw = {start, static_cast<std::size_t>(at_ - start)};
  return true;
}

}  // namespace base
