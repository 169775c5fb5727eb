// Ids are UUIDs of version 7 that sort by time and by their bytes, and are read back strictly.
#include "eventlog/base/ids.hpp"

#include "eventlog/base/bytes.hpp"
#include "eventlog/base/text_bytes.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::SessionId;

TEST_CASE("ids sort by the time of their making", "[base]") {
  base::SeededRandom random(1);
  SessionId last;
  for (std::int64_t ms = 1'700'000'000'000; ms < 1'700'000'000'500; ++ms) {
    const auto id = SessionId::make({ms * 1000}, random);
    REQUIRE(id > last);
    REQUIRE(id.text() > last.text());
    last = id;
  }
}

TEST_CASE("ids sort as their bytes do", "[base]") {
  base::SeededRandom random(2);
  const auto any = [&] {
    SessionId id;
    // Most bytes are equal, so that the first difference often is in a later one.
    for (char& byte : id.bytes)
      byte = random.chance(80) ? '\x7F' : static_cast<char>(random.next());
    return id;
  };
  for (int i = 0; i < 1000; ++i) {
    const SessionId a = any();
    const SessionId b = any();
    REQUIRE((a <=> b) == (a.view() <=> b.view()));
    REQUIRE((a <=> a) == std::strong_ordering::equal);
  }
}

TEST_CASE("an id is a UUID of version 7 and its variant", "[base]") {
  base::SeededRandom random(2);
  for (int i = 0; i < 200; ++i) {
    const std::string text = SessionId::make({1'700'000'000'000'000 + i}, random).text();
    REQUIRE(text.size() == 36);
    REQUIRE(text[14] == '7');
    REQUIRE(std::string("89ab").find(text[19]) != std::string::npos);
  }
}

TEST_CASE("an id is read with and without dashes, in either case, and no other way", "[base]") {
  const std::string text = "01890a5d-ac96-774b-bcce-b302099a8057";
  const auto id = SessionId::parse(text);
  REQUIRE(id);
  CHECK(id->text() == text);
  CHECK(SessionId::parse("01890a5dac96774bbcceb302099a8057") == id);
  CHECK(SessionId::parse("01890A5D-AC96-774B-BCCE-B302099A8057") == id);
  for (const char* bad :
       {"", "01890a5d", "01890a5d-ac96-774b-bcce-b302099a805",
        "01890a5dac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a805g",
        "01890a5d_ac96_774b_bcce_b302099a8057", "{01890a5d-ac96-774b-bcce-b302099a8057}"}) {
    INFO(bad);
    CHECK_FALSE(SessionId::parse(bad));
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string bad = text;
    bad[i] = 'g';
    INFO(bad);
    CHECK_FALSE(SessionId::parse(bad));
  }
}

TEST_CASE("an id of zeros is no id", "[base]") {
  CHECK_FALSE(SessionId{}.is_set());
  CHECK(SessionId::parse("00000000-0000-0000-0000-000000000001")->is_set());
}

TEST_CASE("integers in keys sort as numbers and come back", "[base]") {
  base::Bytes last;
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{255}, std::uint64_t{256},
        std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    base::Bytes key;
    base::append_u64(key, value);
    CHECK(key.size() == 8);
    CHECK(base::read_u64(key) == value);
    CHECK((last.empty() || last < key));
    last = key;
  }
  base::Bytes small;
  base::append_u32(small, 0xDEADBEEF);
  CHECK(base::read_u32(small) == 0xDEADBEEF);
  CHECK(base::to_hex(small) == "deadbeef");
}

}  // namespace
