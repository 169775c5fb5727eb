// Signatures (Ed25519, RFC 8032, libsodium): only the holder of the key can make them.
#pragma once

#include <array>
#include <string>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/random.hpp"

namespace base {

using PublicKey = std::array<char, 32>;
using Signature = std::array<char, 64>;

class SigningKey {
 public:
  using Seed = std::array<char, 32>;

  // The same seed gives the same key.
  explicit SigningKey(const Seed& seed);
  static Seed make_seed(Random& random);

  const PublicKey& public_key() const { return public_; }
  Signature sign(ByteView message) const;

 private:
  PublicKey public_{};
  std::array<char, 64> secret_{};
};

bool is_signed_by(const PublicKey& key, ByteView message, const Signature& signature);

// Returns a public key in short, for writing down and comparing: the first 16 bytes of its
// BLAKE2b-256, as 8 groups of 4 hexadecimal digits.
std::string fingerprint(const PublicKey& key);

}  // namespace base
