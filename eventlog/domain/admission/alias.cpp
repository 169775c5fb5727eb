// A keyed Feistel network over 40 bits, written in base 32. It is a permutation, so no two numbers
// share an alias, and an alias can be turned back into its number.
#include "eventlog/domain/admission/alias.hpp"

namespace domain {
namespace {

constexpr std::string_view kAlphabet =
    "0123456789abcdefghjkmnpqrstvwxyz";  // 32 characters, none easily confused
constexpr int kHalfBits = 20;
constexpr std::uint64_t kHalf = (std::uint64_t{1} << kHalfBits) - 1;
constexpr int kRounds = 4;

// The finalizer of SplitMix64: each bit of the result depends on all bits.
std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
  return bits ^ (bits >> 31);
}

std::uint64_t key_of(SessionId first) {
  std::uint64_t key = 0;
  for (const char c : first.bytes) key = mix(key ^ static_cast<unsigned char>(c));
  return key;
}

std::uint64_t round(std::uint64_t key, int number, std::uint64_t half) {
  return mix(key + static_cast<std::uint64_t>(number + 1) * 0x9E3779B97F4A7C15 + half) & kHalf;
}

}  // namespace

// A Feistel network can be undone: each round changes one half and keeps the other.
std::string alias_of(SessionId first, std::int64_t number) {
  const std::uint64_t key = key_of(first);
  std::uint64_t left = static_cast<std::uint64_t>(number) >> kHalfBits & kHalf;
  std::uint64_t right = static_cast<std::uint64_t>(number) & kHalf;
  for (int i = 0; i < kRounds; ++i) {
    const std::uint64_t mixed = left ^ round(key, i, right);
    left = right;
    right = mixed;
  }
  std::uint64_t bits = left << kHalfBits | right;
  std::string alias;
  for (std::size_t i = 0; i < kAliasChars; ++i, bits >>= 5) alias += kAlphabet[bits & 31];
  return alias;
}

bool has_alias_form(std::string_view text) {
  return text.size() == kAliasChars && text.find_first_not_of(kAlphabet) == std::string_view::npos;
}

std::optional<std::int64_t> alias_number(SessionId first, std::string_view alias) {
  if (alias.size() != kAliasChars) return std::nullopt;
  std::uint64_t bits = 0;
  for (std::size_t i = kAliasChars; i-- > 0;) {
    const std::size_t value = kAlphabet.find(alias[i]);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 5 | value;
  }
  const std::uint64_t key = key_of(first);
  std::uint64_t left = bits >> kHalfBits;
  std::uint64_t right = bits & kHalf;
  for (int i = kRounds; i-- > 0;) {
    const std::uint64_t mixed = right ^ round(key, i, left);
    right = left;
    left = mixed;
  }
  return static_cast<std::int64_t>(left << kHalfBits | right);
}

}  // namespace domain
