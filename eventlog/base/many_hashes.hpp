// BLAKE2b-256 of many inputs at once, one in each lane of the processor's vectors, which takes
// AVX-512 or AVX2; where there is neither, one after the other. For who follows a log's chain.
#pragma once

#include <vector>

#include "eventlog/base/hash.hpp"

namespace base {

struct HashInput {
  ByteView bytes;              // valid during the call
  const Salt* salt = nullptr;  // it is keyed with that; null: without a key
};

// How many inputs this processor hashes at once: 8, 4 or 1.
int hash_lanes();

// Into `hashes`, what blake2b() gives for each input. `lanes`: hash_lanes() or fewer of 8, 4 and 1.
void blake2b_each(const std::vector<HashInput>& inputs, std::vector<Hash>& hashes,
                  int lanes = hash_lanes());

}  // namespace base
