// The two hashes of Steno: BLAKE2b-256 (RFC 7693, libsodium) against deliberate changes, XXH3-64
// against accidents.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/random.hpp"

namespace base {

using Hash = std::array<char, 32>;
using Salt = std::array<char, 16>;

inline ByteView view(const Hash& hash) {
  return {hash.data(), hash.size()};
}

Hash blake2b(ByteView in);
// Keyed with the salt: without the salt a short text cannot be guessed from its digest.
Hash blake2b(ByteView in, const Salt& salt);
Salt make_salt(Random& random);
std::uint64_t xxh3(ByteView in);

// BLAKE2b over a sequence of parts. Each part is preceded by its length, so that no two sequences
// collide by moving a boundary.
class Blake2bStream {
 public:
  Blake2bStream();
  void add(ByteView part);
  Hash finish();

 private:
  alignas(64) std::array<unsigned char, 384> state_;
};

}  // namespace base
