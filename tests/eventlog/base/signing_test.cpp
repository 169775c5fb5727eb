// Signatures match the published Ed25519 vectors, and belong to one message and one key.
#include "eventlog/base/signing.hpp"

#include "eventlog/base/text_bytes.hpp"
#include "tests/support/catch.hpp"

namespace base {
namespace {

SigningKey::Seed seed_of(std::string_view hex) {
  SigningKey::Seed seed{};
  for (std::size_t i = 0; i < seed.size(); ++i) {
    seed[i] = static_cast<char>(std::stoi(std::string(hex.substr(2 * i, 2)), nullptr, 16));
  }
  return seed;
}

// RFC 8032, 7.1, TEST 2.
TEST_CASE("signatures are Ed25519", "[base]") {
  const SigningKey key(seed_of("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"));
  CHECK(to_hex({key.public_key().data(), 32}) ==
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  const Signature signature = key.sign("\x72");
  CHECK(to_hex({signature.data(), 64}) ==
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  CHECK(is_signed_by(key.public_key(), "\x72", signature));
}

TEST_CASE("a signature is of one message and one key", "[base]") {
  SeededRandom random(1);
  const SigningKey key(SigningKey::make_seed(random));
  const SigningKey other(SigningKey::make_seed(random));
  CHECK(key.public_key() != other.public_key());
  Signature signature = key.sign("message");
  CHECK(is_signed_by(key.public_key(), "message", signature));
  CHECK_FALSE(is_signed_by(key.public_key(), "messagf", signature));
  CHECK_FALSE(is_signed_by(other.public_key(), "message", signature));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    Signature changed = signature;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    CHECK_FALSE(is_signed_by(key.public_key(), "message", changed));
  }
}

TEST_CASE("a fingerprint is short and of one key", "[base]") {
  const SigningKey key(seed_of("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"));
  const std::string text = fingerprint(key.public_key());
  CHECK(text.size() == 39);
  CHECK(text == fingerprint(key.public_key()));
  PublicKey changed = key.public_key();
  changed[31] = static_cast<char>(changed[31] ^ 1);
  CHECK(text != fingerprint(changed));
}

}  // namespace
}  // namespace base
