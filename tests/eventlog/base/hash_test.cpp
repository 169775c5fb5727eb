// Hashes match the published test values, so that other implementations can check a log.
#include "eventlog/base/hash.hpp"

#include <set>

#include "eventlog/base/text_bytes.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::Blake2bStream;
using base::to_hex;
using base::view;

TEST_CASE("BLAKE2b-256 gives the values that others give", "[base]") {
  CHECK(to_hex(view(base::blake2b(""))) ==
        "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  CHECK(to_hex(view(base::blake2b("abc"))) ==
        "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST_CASE("a digest that is keyed depends on its salt", "[base]") {
  const base::Salt one{'1'};
  const base::Salt two{'2'};
  CHECK(base::blake2b("text", one) == base::blake2b("text", one));
  CHECK(base::blake2b("text", one) != base::blake2b("text", two));
  CHECK(base::blake2b("text", base::Salt{}) != base::blake2b("text"));
}

TEST_CASE("a stream's digest depends on where its parts end", "[base]") {
  const auto digest = [](std::initializer_list<base::ByteView> parts) {
    Blake2bStream stream;
    for (const auto part : parts) stream.add(part);
    return stream.finish();
  };
  CHECK(digest({"ab", "c"}) == digest({"ab", "c"}));
  CHECK(digest({"ab", "c"}) != digest({"a", "bc"}));
  CHECK(digest({"abc"}) != digest({"abc", ""}));
  CHECK(digest({}) != digest({""}));
}

TEST_CASE("XXH3-64 gives the value that others give", "[base]") {
  CHECK(base::xxh3("") == 0x2D06800538D394C2u);
}

TEST_CASE("seeded randomness repeats, the system's does not", "[base]") {
  base::SeededRandom a(7);
  base::SeededRandom b(7);
  for (int i = 0; i < 100; ++i) REQUIRE(a.next() == b.next());
  base::SystemRandom system;
  CHECK(base::make_salt(system) != base::make_salt(system));
  std::set<std::uint64_t> drawn;
  for (int i = 0; i < 1000; ++i) drawn.insert(system.next());
  CHECK(drawn.size() == 1000);
  for (int i = 0; i < 1000; ++i) REQUIRE(a.below(3) < 3);
}

}  // namespace
