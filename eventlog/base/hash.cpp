// Calls libsodium for BLAKE2b and xxHash for XXH3; their types stay in this file.
#include "eventlog/base/hash.hpp"

#include <sodium/core.h>
#include <sodium/crypto_generichash.h>
#include <xxhash.h>

#include "eventlog/base/check.hpp"
#include "eventlog/base/sodium_bytes.hpp"

namespace base {
namespace {

// Without it libsodium hashes with its slowest code, whatever the processor can do.
[[maybe_unused]] const bool kIsSodiumReady = sodium_init() >= 0;

}  // namespace

Hash blake2b(ByteView in) {
  Hash hash{};
  crypto_generichash(octets(hash.data()), hash.size(), octets(in.data()), in.size(), nullptr, 0);
  return hash;
}

Hash blake2b(ByteView in, const Salt& salt) {
  Hash hash{};
  crypto_generichash(octets(hash.data()), hash.size(), octets(in.data()), in.size(),
                     octets(salt.data()), salt.size());
  return hash;
}

Salt make_salt(Random& random) {
  Bytes bytes;
  append_u64(bytes, random.next());
  append_u64(bytes, random.next());
  Salt salt{};
  bytes.copy(salt.data(), salt.size());
  return salt;
}

std::uint64_t xxh3(ByteView in) {
  return XXH3_64bits(in.data(), in.size());
}

Blake2bStream::Blake2bStream() {
  static_assert(sizeof(crypto_generichash_state) <= sizeof state_);
  crypto_generichash_init(reinterpret_cast<crypto_generichash_state*>(state_.data()), nullptr, 0,
                          sizeof(Hash));
}

void Blake2bStream::add(ByteView part) {
  Bytes length;
  append_u64(length, part.size());
  auto* state = reinterpret_cast<crypto_generichash_state*>(state_.data());
  crypto_generichash_update(state, octets(length.data()), length.size());
  crypto_generichash_update(state, octets(part.data()), part.size());
}

Hash Blake2bStream::finish() {
  Hash hash{};
  crypto_generichash_final(reinterpret_cast<crypto_generichash_state*>(state_.data()),
                           octets(hash.data()), hash.size());
  return hash;
}

}  // namespace base
