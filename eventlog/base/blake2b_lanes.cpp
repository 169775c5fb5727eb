// BLAKE2b in the lanes of vector registers. A lane that is done takes the next input, so inputs of
// any length are mixed.
#include "eventlog/base/blake2b_lanes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace base {
namespace {

#if defined(__x86_64__)

// BLAKE2b as in RFC 7693, sections 2.6, 2.7, 3.1 and 3.2. Everything below is compiled once for
// each kind of vector. That holds only if it is inlined into the function that names the kind.
constexpr std::size_t kBlockBytes = 128;
constexpr std::size_t kBlockWords = 16;
constexpr std::size_t kStateWords = 8;
constexpr std::size_t kRounds = 12;
// With fewer inputs the empty lanes cost more than the others save.
constexpr std::size_t kWorthwhileInputs = 3;
constexpr std::array<std::uint64_t, kStateWords> kIv = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
constexpr std::size_t kSigma[10][kBlockWords] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

template <std::size_t kLanes>
struct VectorOf {
  using Type [[gnu::vector_size(kLanes * sizeof(std::uint64_t))]] = std::uint64_t;
};
template <std::size_t kLanes>
using Vector = typename VectorOf<kLanes>::Type;

// The input of the compression function: a word of all lanes lies together.
template <std::size_t kLanes>
struct alignas(64) Compression {
  std::uint64_t state[kStateWords][kLanes];
  std::uint64_t length[kLanes];      // bytes up to the block's end, the key's block included
  std::uint64_t final_flag[kLanes];  // all bits, or none
  const char* block[kLanes];         // kBlockBytes
};

template <int kBits, class Word>
[[gnu::always_inline]] inline void rotate(Word& word) {
  word = (word >> kBits) | (word << (64 - kBits));
}

template <class Word>
[[gnu::always_inline]] inline void mix(Word& a, Word& b, Word& c, Word& d, const Word& x,
                                       const Word& y) {
  a += b + x;
  d ^= a;
  rotate<32>(d);
  c += d;
  b ^= c;
  rotate<24>(b);
  a += b + y;
  d ^= a;
  rotate<16>(d);
  c += d;
  b ^= c;
  rotate<63>(b);
}

template <std::size_t kRound, class Word>
[[gnu::always_inline]] inline void mix_round(Word* v, const Word* words) {
  constexpr const std::size_t* kAt = kSigma[kRound % 10];
  mix(v[0], v[4], v[8], v[12], words[kAt[0]], words[kAt[1]]);
  mix(v[1], v[5], v[9], v[13], words[kAt[2]], words[kAt[3]]);
  mix(v[2], v[6], v[10], v[14], words[kAt[4]], words[kAt[5]]);
  mix(v[3], v[7], v[11], v[15], words[kAt[6]], words[kAt[7]]);
  mix(v[0], v[5], v[10], v[15], words[kAt[8]], words[kAt[9]]);
  mix(v[1], v[6], v[11], v[12], words[kAt[10]], words[kAt[11]]);
  mix(v[2], v[7], v[8], v[13], words[kAt[12]], words[kAt[13]]);
  mix(v[3], v[4], v[9], v[14], words[kAt[14]], words[kAt[15]]);
}

template <class Word, std::size_t... kRound>
[[gnu::always_inline]] inline void mix_all(Word* v, const Word* words,
                                           std::index_sequence<kRound...> /*rounds*/) {
  (mix_round<kRound>(v, words), ...);
}

template <std::size_t kLanes>
[[gnu::always_inline]] inline void compress(Compression<kLanes>& in) {
  using Word = Vector<kLanes>;
  alignas(64) std::uint64_t across[kBlockWords][kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t i = 0; i < kBlockWords; ++i) {
      std::memcpy(&across[i][lane], in.block[lane] + i * sizeof(std::uint64_t),
                  sizeof(std::uint64_t));
    }
  }
  Word words[kBlockWords];
  std::memcpy(words, across, sizeof words);
  Word v[2 * kStateWords];
  std::memcpy(v, in.state, sizeof in.state);
  for (std::size_t i = 0; i < kStateWords; ++i) v[kStateWords + i] = Word{} + kIv[i];
  Word word;
  std::memcpy(&word, in.length, sizeof word);
  v[12] ^= word;
  std::memcpy(&word, in.final_flag, sizeof word);
  v[14] ^= word;
  mix_all(v, words, std::make_index_sequence<kRounds>());
  for (std::size_t i = 0; i < kStateWords; ++i) {
    std::memcpy(&word, in.state[i], sizeof word);
    word ^= v[i] ^ v[kStateWords + i];
    std::memcpy(in.state[i], &word, sizeof word);
  }
}

[[gnu::target("avx512f,avx512vl")]] void compress_lanes(Compression<8>& in) {
  compress(in);
}
[[gnu::target("avx2")]] void compress_lanes(Compression<4>& in) {
  compress(in);
}

// Hashes the inputs in lanes; a lane that is done takes the next input, so lengths can differ.
template <std::size_t kLanes>
class LaneHasher {
 public:
  LaneHasher(const std::vector<HashInput>& inputs, std::vector<Hash>& hashes)
      : inputs_(inputs), hashes_(hashes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) work_.block[lane] = padded_[lane].data();
  }

  void run() {
    while (fill() > 0) {
      compress_lanes(work_);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (work_.final_flag[lane] != 0) finish(lane);
      }
    }
  }

 private:
  struct Lane {
    bool is_busy = false;
    bool is_key_next = false;
    std::size_t input = 0;
    std::size_t at = 0;  // where the unhashed rest of the input begins
  };

  // Gives each lane its next block. Returns the number of lanes that have one.
  std::size_t fill() {
    std::size_t busy = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (!lanes_[lane].is_busy && next_ < inputs_.size()) begin(lane);
      if (!lanes_[lane].is_busy) continue;
      give_block(lane);
      ++busy;
    }
    return busy;
  }

  void begin(std::size_t lane) {
    const HashInput& input = inputs_[next_];
    lanes_[lane] = {true, input.salt != nullptr, next_++, 0};
    for (std::size_t i = 0; i < kStateWords; ++i) work_.state[i][lane] = kIv[i];
    // The first word of the parameter block: one digest, no tree, the lengths of key and digest.
    const std::size_t key_bytes = input.salt == nullptr ? 0 : input.salt->size();
    work_.state[0][lane] ^= 0x01010000 | key_bytes << 8 | sizeof(Hash);
    work_.length[lane] = 0;
  }

  void give_block(std::size_t lane) {
    Lane& one = lanes_[lane];
    const HashInput& input = inputs_[one.input];
    if (one.is_key_next) {
      one.is_key_next = false;
      give_padded(lane, view_of(*input.salt));
      work_.length[lane] = kBlockBytes;
      work_.final_flag[lane] = input.bytes.empty() ? ~std::uint64_t{0} : 0;
      return;
    }
    const ByteView rest = input.bytes.substr(one.at);
    const std::size_t taken = std::min(rest.size(), kBlockBytes);
    if (taken == kBlockBytes) {
      work_.block[lane] = rest.data();
    } else {
      give_padded(lane, rest);
    }
    one.at += taken;
    work_.length[lane] += taken;
    work_.final_flag[lane] = taken == rest.size() ? ~std::uint64_t{0} : 0;
  }

  void give_padded(std::size_t lane, ByteView bytes) {
    auto& padded = padded_[lane];
    std::fill(std::copy(bytes.begin(), bytes.end(), padded.begin()), padded.end(), '\0');
    work_.block[lane] = padded.data();
  }

  void finish(std::size_t lane) {
    Lane& one = lanes_[lane];
    Hash& hash = hashes_[one.input];
    for (std::size_t i = 0; i < sizeof(Hash) / sizeof(std::uint64_t); ++i) {
      std::memcpy(hash.data() + i * sizeof(std::uint64_t), &work_.state[i][lane],
                  sizeof(std::uint64_t));
    }
    one.is_busy = false;
    work_.final_flag[lane] = 0;
    work_.block[lane] = padded_[lane].data();
  }

  static ByteView view_of(const Salt& salt) { return {salt.data(), salt.size()}; }

  const std::vector<HashInput>& inputs_;
  std::vector<Hash>& hashes_;
  std::size_t next_ = 0;  // the first input that no lane has taken
  std::array<Lane, kLanes> lanes_{};
  std::array<std::array<char, kBlockBytes>, kLanes> padded_{};  // the blocks that are not whole
  Compression<kLanes> work_{};
};

#endif

void blake2b_one_by_one(const std::vector<HashInput>& inputs, std::vector<Hash>& hashes) {
  std::transform(inputs.begin(), inputs.end(), hashes.begin(), [](const HashInput& input) {
    return input.salt == nullptr ? blake2b(input.bytes) : blake2b(input.bytes, *input.salt);
  });
}

}  // namespace

int hash_lanes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) return 8;
  if (__builtin_cpu_supports("avx2")) return 4;
#endif
  return 1;
}

void blake2b_each(const std::vector<HashInput>& inputs, std::vector<Hash>& hashes,
                  [[maybe_unused]] int lanes) {
  hashes.resize(inputs.size());
#if defined(__x86_64__)
  if (inputs.size() < kWorthwhileInputs) return blake2b_one_by_one(inputs, hashes);
  if (lanes == 8) return LaneHasher<8>(inputs, hashes).run();
  if (lanes == 4) return LaneHasher<4>(inputs, hashes).run();
#endif
  blake2b_one_by_one(inputs, hashes);
}

}  // namespace base
