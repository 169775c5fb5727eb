// Calls libsodium for Ed25519; its types stay in this file.
#include "eventlog/base/signing.hpp"

#include <sodium/crypto_sign_ed25519.h>

#include "eventlog/base/hash.hpp"
#include "eventlog/base/sodium_bytes.hpp"
#include "eventlog/base/text_bytes.hpp"

namespace base {

SigningKey::SigningKey(const Seed& seed) {
  static_assert(crypto_sign_ed25519_PUBLICKEYBYTES == sizeof(PublicKey));
  static_assert(crypto_sign_ed25519_SECRETKEYBYTES == sizeof secret_);
  static_assert(crypto_sign_ed25519_SEEDBYTES == sizeof(Seed));
  crypto_sign_ed25519_seed_keypair(octets(public_.data()), octets(secret_.data()),
                                   octets(seed.data()));
}

SigningKey::Seed SigningKey::make_seed(Random& random) {
  Bytes bytes;
  while (bytes.size() < sizeof(Seed)) append_u64(bytes, random.next());
  Seed seed{};
  bytes.copy(seed.data(), seed.size());
  return seed;
}

Signature SigningKey::sign(ByteView message) const {
  static_assert(crypto_sign_ed25519_BYTES == sizeof(Signature));
  Signature signature{};
  crypto_sign_ed25519_detached(octets(signature.data()), nullptr, octets(message.data()),
                               message.size(), octets(secret_.data()));
  return signature;
}

bool is_signed_by(const PublicKey& key, ByteView message, const Signature& signature) {
  return crypto_sign_ed25519_verify_detached(octets(signature.data()), octets(message.data()),
                                             message.size(), octets(key.data())) == 0;
}

std::string fingerprint(const PublicKey& key) {
  const Hash hash = blake2b({key.data(), key.size()});
  const std::string digits = to_hex(view(hash).substr(0, 16));
  std::string text;
  for (std::size_t at = 0; at < digits.size(); at += 4) {
    if (at > 0) text += '-';
    text += digits.substr(at, 4);
  }
  return text;
}

}  // namespace base
