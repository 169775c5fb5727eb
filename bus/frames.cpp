// One table of kinds, in the order of the variant's alternatives, drives encoding and decoding.
// Each body is checked for faults once its fields are read.
#include "bus/frames.hpp"

#include <algorithm>

namespace bus {
namespace {

constexpr std::string_view kKinds[] = {"hello", "welcome", "request", "reply", "notice"};
static_assert(std::size(kKinds) == std::variant_size_v<Frame>);

constexpr base::ErrorCode kInvalid = base::ErrorCode::invalid;

// Returns the fault in a body as text, or an empty text.
std::string fault(const Hello& hello) {
  if (hello.protocol_lowest < 1 || hello.protocol_highest < hello.protocol_lowest) {
    return "protocol_lowest must be at least 1 and protocol_highest no less than it";
  }
  if (hello.features.size() > kFeaturesMax) return "more than 64 features";
  const auto is_long = [](const std::string& text) { return text.size() > kPeerTextBytesMax; };
  if (is_long(hello.name) || is_long(hello.scope) || is_long(hello.release) ||
      std::any_of(hello.features.begin(), hello.features.end(), is_long)) {
    return "name, scope, release and features are at most 256 bytes each";
  }
  return {};
}
std::string fault(const Welcome& welcome) {
  return welcome.protocol < 1 ? "protocol must be at least 1" : "";
}
std::string fault_of_verb(const std::string& verb) {
  return verb.empty() || verb.size() > kVerbBytesMax ? "verb must have 1 to 64 bytes" : "";
}
std::string fault(const Request& request) {
  return request.id.is_set() ? fault_of_verb(request.verb) : "id must be 16 bytes, not all zero";
}
std::string fault(const Reply&) {
  return {};
}
std::string fault(const Notice& notice) {
  return fault_of_verb(notice.verb);
}

template <class Body>
Result<Frame> decode_body(std::string_view kind, ByteView raw) {
  auto body = base::decode<Body>(raw);
  const std::string prefix = "frame '" + std::string(kind) + "': ";
  if (!body) return base::failure(kInvalid, prefix + body.error().text, body.error().where);
  if (std::string text = fault(*body); !text.empty()) return base::failure(kInvalid, prefix + text);
  return Frame(std::move(*body));
}

template <std::size_t... Index>
Result<Frame> decode_kind(std::string_view kind, ByteView raw, std::index_sequence<Index...>) {
  Result<Frame> result = base::failure(
      kInvalid, "unknown kind of frame; accepted are hello, welcome, request, reply, notice",
      base::is_utf8(kind) ? std::string(kind.substr(0, kVerbBytesMax)) : "not text");
  ((kKinds[Index] == kind
        ? void(result = decode_body<std::variant_alternative_t<Index, Frame>>(kind, raw))
        : void()),
   ...);
  return result;
}

}  // namespace

std::string_view frame_kind(const Frame& frame) {
  return kKinds[frame.index()];
}

Bytes encode_frame(const Frame& frame) {
  Bytes out;
  out.reserve(base::kEncodedBytesUsual);
  base::MsgpackWriter writer(out);
  writer.array(2);
  writer.text(frame_kind(frame));
  std::visit([&out](const auto& body) { base::encode_to(out, body); }, frame);
  return out;
}

Result<Frame> decode_frame(ByteView bytes, std::size_t items_max) {
  if (bytes.size() > kFrameBytesMax) {
    return base::failure(base::ErrorCode::too_large,
                         "frame of " + std::to_string(bytes.size()) + " bytes; at most " +
                             std::to_string(kFrameBytesMax) + " are accepted");
  }
  base::MsgpackReader reader(bytes, items_max);
  std::size_t items = 0;
  ByteView kind;
  ByteView body;
  if (!reader.array(items) || items != 2 || !reader.text(kind) || !reader.value(body) ||
      !reader.at_end()) {
    if (reader.has_too_many_items()) {
      return base::failure(base::ErrorCode::too_large,
                           "more than " + std::to_string(items_max) +
                               " values in one frame, those within lists and maps included; send "
                               "fewer at once");
    }
    return base::failure(kInvalid,
                         "not a frame: a msgpack array of two is accepted, kind and map of fields");
  }
  return decode_kind(kind, body, std::make_index_sequence<std::variant_size_v<Frame>>());
}

Result<std::int64_t> choose_protocol(const Hello& hello) {
  const std::int64_t lowest = std::max(hello.protocol_lowest, kProtocolLowest);
  const std::int64_t highest = std::min(hello.protocol_highest, kProtocolHighest);
  if (lowest <= highest) return highest;
  return base::failure(base::ErrorCode::refused,
                       "peer speaks protocol " + std::to_string(hello.protocol_lowest) + " to " +
                           std::to_string(hello.protocol_highest) + ", accepted are " +
                           std::to_string(kProtocolLowest) + " to " +
                           std::to_string(kProtocolHighest) + "; use releases next to each other");
}

Reply ok_reply(const RequestKey& request, base::RawValue body) {
  return {request.id, ReplyStatus::ok, "", "", std::move(body), request.ask};
}

Reply error_reply(const RequestKey& request, ReplyError code, std::string text) {
  return {request.id, ReplyStatus::error, std::string(base::enum_name(code)), std::move(text),
          {},         request.ask};
}

bool is_error(const Reply& reply, ReplyError code) {
  return reply.status == ReplyStatus::error && reply.code == base::enum_name(code);
}

base::ByteView fields_of(const base::RawValue& body) {
  constexpr base::ByteView kNil = "\xC0";
  constexpr base::ByteView kNoFields = "\x80";
  const bool is_left_out = body.encoded.empty() || body.encoded == kNil;
  return is_left_out ? kNoFields : base::ByteView(body.encoded);
}

}  // namespace bus
