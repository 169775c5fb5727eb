// Each text stands for one value: what libsodium reads beyond that is refused here.
#include "eventlog/base/text_bytes.hpp"

#include <sodium.h>

namespace base {
namespace {

const unsigned char* bytes_of(ByteView in) {
  return reinterpret_cast<const unsigned char*>(in.data());
}
unsigned char* bytes_of(Bytes& out) {
  return reinterpret_cast<unsigned char*>(out.data());
}

constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;

}  // namespace

std::string to_base64(ByteView bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes_of(bytes), bytes.size(), kVariant);
  text.pop_back();  // the NUL that libsodium writes
  return text;
}

std::optional<Bytes> from_base64(std::string_view text) {
  Bytes bytes(text.size() / 4 * 3, '\0');
  std::size_t size = 0;
  const char* end = nullptr;
  const int code = sodium_base642bin(bytes_of(bytes), bytes.size(), text.data(), text.size(),
                                     nullptr, &size, &end, kVariant);
  if (code != 0 || end != text.data() + text.size()) return std::nullopt;
  bytes.resize(size);
  // libsodium reads some texts that it would not write.
  if (to_base64(bytes) != text) return std::nullopt;
  return bytes;
}

std::string to_hex(ByteView bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes_of(bytes), bytes.size());
  text.pop_back();  // the NUL that libsodium writes
  return text;
}

std::optional<Bytes> from_hex(std::string_view text, std::size_t size) {
  if (text.size() != 2 * size) return std::nullopt;
  Bytes bytes(size, '\0');
  std::size_t read = 0;
  const char* end = nullptr;
  const int code =
      sodium_hex2bin(bytes_of(bytes), size, text.data(), text.size(), nullptr, &read, &end);
  if (code != 0 || read != size || end != text.data() + text.size()) return std::nullopt;
  return bytes;
}

}  // namespace base
