// Computes BLAKE2b-256 of many inputs at once, one in each lane of the processor's vectors. That
// needs AVX-512 or AVX2; without them it hashes one after the other. For readers that follow a
// log's chain.
#pragma once

#include <vector>

#include "eventlog/base/hash.hpp"

namespace base {

struct HashInput {
  ByteView bytes;              // valid during the call
  const Salt* salt = nullptr;  // the key; null: no key
};

// Returns how many inputs this processor hashes at once: 8, 4 or 1.
int hash_lanes();

// Sets `hashes` to the result of blake2b() for each input. `lanes` is hash_lanes(), or a lower one
// of 8, 4 and 1.
void blake2b_each(const std::vector<HashInput>& inputs, std::vector<Hash>& hashes,
                  int lanes = hash_lanes());

}  // namespace base
