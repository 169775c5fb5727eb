// Converts msgpack to JSON with a reader that is bounded in depth, and escapes all control
// characters.
#include "workers/json/json.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "eventlog/base/text_bytes.hpp"

namespace workers {
namespace {

using base::Bytes;
using base::ByteView;
using base::MsgpackKind;
using base::MsgpackReader;

constexpr std::size_t kHexBytesMax =
    64;  // enough for digests and random bits; longer bytes are data

// Returns the shortest text that reads back as the same number; JSON has no infinities.
std::string float_text(double value) {
  if (!std::isfinite(value)) return "null";
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc{} ? std::string(text, end) : "null";
}

// Converts values that only a later or foreign writer makes: floats, extensions, large integers.
std::string other_value(ByteView raw) {
  const auto type = static_cast<unsigned char>(raw.front());
  if (type == 0xCA) return float_text(std::bit_cast<float>(base::read_u32(raw.substr(1))));
  if (type == 0xCB) return float_text(std::bit_cast<double>(base::read_u64(raw.substr(1))));
  if (type == 0xCF) return std::to_string(base::read_u64(raw.substr(1)));
  if (type == 0xD3) {
    return std::to_string(static_cast<std::int64_t>(base::read_u64(raw.substr(1))));
  }
  return json_bytes(raw);
}

bool write_value(MsgpackReader& in, int depth, std::string& out);

bool write_array(MsgpackReader& in, int depth, std::string& out) {
  std::size_t count = 0;
  if (!in.array(count)) return false;
  out += '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    if (!write_value(in, depth + 1, out)) return false;
  }
  out += ']';
  return true;
}

// Returns a map's key as a JSON name, which must be a text. Other keys become one text of their
// bytes: nested maps as keys would have to be escaped once for each level, and grow each time.
std::string name_of(ByteView raw) {
  MsgpackReader reader(raw);
  ByteView name;
  std::int64_t number = 0;
  if (reader.peek() == MsgpackKind::text && reader.text(name)) return json_name(name);
  if (reader.peek() == MsgpackKind::integer && reader.integer(number)) {
    return json_string(std::to_string(number));
  }
  return json_string(json_bytes(raw));
}

bool write_map(MsgpackReader& in, int depth, std::string& out) {
  std::size_t count = 0;
  if (!in.map(count)) return false;
  out += '{';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    ByteView name;
    if (!in.value(name)) return false;
    out += name_of(name);
    out += ':';
    if (!write_value(in, depth + 1, out)) return false;
  }
  out += '}';
  return true;
}

bool write_value(MsgpackReader& in, int depth, std::string& out) {
  if (depth > MsgpackReader::kDepthMax) return false;
  ByteView raw;
  switch (in.peek()) {
    case MsgpackKind::array:
      return write_array(in, depth, out);
    case MsgpackKind::map:
      return write_map(in, depth, out);
    case MsgpackKind::end:
      return false;
    default:
      break;
  }
  const MsgpackKind kind = in.peek();
  if (!in.value(raw)) return false;
  MsgpackReader one(raw);
  ByteView bytes;
  std::int64_t integer = 0;
  bool boolean = false;
  if (kind == MsgpackKind::nil) {
    out += "null";
  } else if (kind == MsgpackKind::text && one.text(bytes)) {
    out += json_text(bytes);
  } else if (kind == MsgpackKind::boolean && one.boolean(boolean)) {
    out += boolean ? "true" : "false";
  } else if (kind == MsgpackKind::integer && one.integer(integer)) {
    out += std::to_string(integer);
  } else if (kind == MsgpackKind::binary && one.binary(bytes)) {
    const auto id = bytes.size() == sizeof(base::IdBytes);
    base::IdBytes id_bytes{};
    if (id) bytes.copy(id_bytes.data(), id_bytes.size());
    out += id ? json_string(base::id_text(id_bytes)) : json_bytes(bytes);
  } else {
    out += other_value(raw);
  }
  return true;
}

std::string unicode_escape(unsigned code) {
  char escape[8];
  std::snprintf(escape, sizeof escape, "\\u%04x", code);
  return escape;
}

}  // namespace

std::string msgpack_to_json(ByteView encoded) {
  MsgpackReader reader(encoded);
  std::string out;
  return write_value(reader, 0, out) && reader.at_end() ? out : "null";
}

std::string json_string(std::string_view utf8) {
  std::string out = "\"";
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const char c = utf8[i];
    const auto byte = static_cast<unsigned char>(c);
    const auto next = static_cast<unsigned char>(i + 1 < utf8.size() ? utf8[i + 1] : 0);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += unicode_escape(byte);
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      // A terminal would obey these C1 controls if the JSON were shown on one.
      out += unicode_escape(next);
      ++i;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string json_bytes(ByteView bytes) {
  const bool is_short = bytes.size() <= kHexBytesMax;
  return is_short ? "{\"hex\":\"" + base::to_hex(bytes) + "\"}"
                  : "{\"base64\":\"" + base::to_base64(bytes) + "\"}";
}

std::string json_text(std::string_view text) {
  return base::is_utf8(text) ? json_string(text) : json_bytes(text);
}

std::string json_name(std::string_view text) {
  return json_string(base::is_utf8(text) ? std::string(text) : json_bytes(text));
}

}  // namespace workers
