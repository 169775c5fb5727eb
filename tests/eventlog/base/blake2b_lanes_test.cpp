// Hashing several inputs at once gives the hash of each alone, in every width that the processor
// has.
#include "eventlog/base/blake2b_lanes.hpp"

#include <algorithm>
#include <deque>

#include "tests/support/catch.hpp"

namespace base {
namespace {

// Compares blake2b_each() with blake2b(), in every number of lanes that this processor has.
void check_each(const std::vector<HashInput>& inputs) {
  std::vector<Hash> expected;
  for (const HashInput& input : inputs) {
    expected.push_back(input.salt == nullptr ? blake2b(input.bytes)
                                             : blake2b(input.bytes, *input.salt));
  }
  for (const int lanes : {1, 4, 8}) {
    if (lanes > hash_lanes()) continue;
    INFO(inputs.size() << " inputs in " << lanes << " lanes");
    std::vector<Hash> hashes(3);
    blake2b_each(inputs, hashes, lanes);
    CHECK(hashes == expected);
  }
}

TEST_CASE("it is said which ways of hashing are not tried here", "[base]") {
  if (hash_lanes() < 8) WARN("this processor has " << hash_lanes() << " lanes, not 8");
  CHECK(hash_lanes() >= 1);
}

TEST_CASE("many hashes at once are those of each", "[base]") {
  check_each({});
  check_each({{"", nullptr}});
  SeededRandom random(1);
  std::deque<Bytes> texts;
  std::deque<Salt> salts;
  SECTION("whatever the length, with and without a key") {
    for (std::size_t length = 0; length <= 520; ++length) {
      texts.emplace_back(length, static_cast<char>('a' + length % 26));
      salts.push_back(make_salt(random));
      check_each({{texts.back(), nullptr}});
      check_each({{texts.back(), &salts.back()}});
    }
  }
  SECTION("of other lengths together") {
    for (int turn = 0; turn < 100; ++turn) {
      std::vector<HashInput> inputs;
      const std::size_t count = random.next() % 40;
      for (std::size_t i = 0; i < count; ++i) {
        Bytes& text = texts.emplace_back();
        for (std::size_t words = random.next() % (random.next() % 8 == 0 ? 2000 : 60); words > 0;
             --words) {
          append_u64(text, random.next());
        }
        text.resize(text.size() - std::min<std::size_t>(text.size(), random.next() % 8));
        salts.push_back(make_salt(random));
        inputs.push_back({text, random.next() % 2 == 0 ? &salts.back() : nullptr});
      }
      check_each(inputs);
    }
  }
}

}  // namespace
}  // namespace base
