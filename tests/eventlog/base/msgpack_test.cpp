// Encoding and decoding of structs: values survive, unknown fields are kept, faults name their
// field. Hostile bytes cost neither a crash nor memory out of proportion.
#include "eventlog/base/msgpack.hpp"

#include <limits>
#include <utility>

#include "eventlog/base/fields.hpp"
#include "eventlog/base/random.hpp"
#include "tests/support/catch.hpp"

namespace {

enum class Colour { red, green, blue };
enum class Unnamed : std::uint8_t { one, two };
enum class Overnamed { one };

}  // namespace

template <>
struct base::EnumNames<Colour> {
  static constexpr std::string_view kNames[] = {"red", "green", "blue"};
};
template <>
struct base::EnumNames<Unnamed> {
  static constexpr std::string_view kNames[] = {"one"};
};
template <>
struct base::EnumNames<Overnamed> {
  static constexpr std::string_view kNames[] = {"one", "two"};
};

namespace {

using base::Bytes;
using base::MsgpackReader;
using base::MsgpackWriter;

struct Inner {
  std::int64_t number = 0;
  bool operator==(const Inner&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("number", &Inner::number);
  }
};

struct Outer {
  std::string text;
  bool flag = false;
  base::SessionId id;
  std::optional<Inner> inner;
  std::vector<Inner> list;
  std::map<std::string, std::int64_t> table;
  bool operator==(const Outer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("text", &Outer::text);
    visit("flag", &Outer::flag);
    visit("id", &Outer::id);
    visit("inner", &Outer::inner);
    visit("list", &Outer::list);
    visit("table", &Outer::table);
  }
};

struct Wide {
  std::vector<Outer> list;
  bool operator==(const Wide&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("list", &Wide::list);
  }
};

TEST_CASE("an enumerator without a name, or a name without one, does not compile", "[base]") {
  STATIC_REQUIRE(base::are_names_whole<Colour>());
  STATIC_REQUIRE_FALSE(base::are_names_whole<Unnamed>());
  STATIC_REQUIRE_FALSE(base::are_names_whole<Overnamed>());
  CHECK(base::enum_name(Colour::blue) == "blue");
}

TEST_CASE("integers of every width come back as they were", "[base]") {
  for (std::int64_t magnitude = 1; magnitude < base::kIntegerLimit / 2; magnitude *= 2) {
    for (std::int64_t value : {magnitude - 1, magnitude, -magnitude, -magnitude - 1}) {
      Bytes bytes;
      MsgpackWriter(bytes).integer(value);
      std::int64_t back = 0;
      REQUIRE(MsgpackReader(bytes).integer(back));
      REQUIRE(back == value);
    }
  }
}

TEST_CASE("an integer of 2^53 or more is refused", "[base]") {
  Bytes bytes("\xCF\x00\x20\x00\x00\x00\x00\x00\x00", 9);
  std::int64_t value = 0;
  CHECK_FALSE(MsgpackReader(bytes).integer(value));
  bytes[1] = '\xFF';
  CHECK_FALSE(MsgpackReader(bytes).integer(value));
}

TEST_CASE("a struct comes back as it was, and its defaults take no bytes", "[base]") {
  base::SeededRandom random(1);
  Outer outer{"grüße", true, base::SessionId::make({1}, random), Inner{7}, {{1}, {}}, {{"a", -5}}};
  const Bytes bytes = base::encode(outer);
  const auto back = base::decode<Outer>(bytes);
  REQUIRE(back);
  CHECK(*back == outer);
  CHECK(base::encode(Outer{}) == Bytes("\x80"));
}

TEST_CASE("text that is not UTF-8 is carried as binary", "[base]") {
  const Outer outer{"\xFF\xFE broken", false, {}, {}, {}, {}};
  const Bytes bytes = base::encode(outer);
  CHECK(bytes.find('\xC4') != Bytes::npos);
  CHECK(base::decode<Outer>(bytes)->text == outer.text);
}

TEST_CASE("unknown fields are kept when asked for, and written again", "[base]") {
  Bytes bytes;
  MsgpackWriter writer(bytes);
  writer.map(2);
  writer.text("later");
  writer.array(1);
  writer.nil();
  writer.text("flag");
  writer.boolean(true);
  base::ExtraFields extra;
  const auto outer = base::decode<Outer>(bytes, &extra);
  REQUIRE(outer);
  CHECK(outer->flag);
  REQUIRE(extra.size() == 1);
  Bytes again;
  base::encode_to(again, *outer, extra);
  base::ExtraFields extra_again;
  REQUIRE(base::decode<Outer>(again, &extra_again));
  CHECK(extra_again == extra);
}

TEST_CASE("fields are found in any order, and by names in longer forms than need be", "[base]") {
  using std::string_literals::operator""s;
  Bytes bytes = "\x84"s;
  bytes += "\xD9\x05inner"s + "\x81"s + "\xDA\x00\x06number"s + "\x07"s;
  bytes += "\xA5later"s + "\xC0"s;
  bytes += "\xDB\x00\x00\x00\x04"s + "flag"s + "\xC3"s;
  bytes += "\xA4text"s + "\xA3yes"s;
  Outer expected;
  expected.inner = Inner{7};
  expected.flag = true;
  expected.text = "yes";
  base::ExtraFields extra;
  const auto outer = base::decode<Outer>(bytes, &extra);
  REQUIRE(outer);
  CHECK(*outer == expected);
  CHECK(extra == base::ExtraFields{{"later", "\xC0"s}});
}

TEST_CASE("a field of the wrong kind is named under a name in a longer form too", "[base]") {
  const auto outer = base::decode<Outer>(
      "\x81\xD9\x04"
      "flag\x07");
  REQUIRE_FALSE(outer);
  CHECK(outer.error().where == "flag");
}

TEST_CASE("a field of the wrong kind is named", "[base]") {
  Bytes bytes;
  MsgpackWriter writer(bytes);
  writer.map(1);
  writer.text("flag");
  writer.text("yes");
  const auto outer = base::decode<Outer>(bytes);
  REQUIRE_FALSE(outer);
  CHECK(outer.error().where == "flag");
  CHECK(outer.error().text == "field is of the wrong kind; accepted is true or false");
}

TEST_CASE("a field of the wrong kind is named with the structs around it", "[base]") {
  Bytes bytes;
  MsgpackWriter writer(bytes);
  writer.map(1);
  writer.text("inner");
  writer.map(1);
  writer.text("number");
  writer.text("seven");
  const auto outer = base::decode<Outer>(bytes);
  REQUIRE_FALSE(outer);
  CHECK(outer.error().where == "inner.number");
  CHECK(outer.error().text == "field is of the wrong kind; accepted is a whole number");
}

TEST_CASE("random and damaged bytes never do harm", "[base]") {
  base::SeededRandom random(42);
  const Bytes good = base::encode(Outer{
      "some text", true, base::SessionId::make({1}, random), Inner{7}, {{1}, {2}}, {{"k", 1}}});
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = good;
    const std::uint64_t flips = 1 + random.below(4);
    for (std::uint64_t i = 0; i < flips; ++i) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    }
    bytes.resize(random.below(bytes.size() + 1));
    const auto decoded = base::decode<Outer>(bytes);
    if (decoded) REQUIRE(base::decode<Outer>(base::encode(*decoded)) == *decoded);
  }
}

TEST_CASE("nesting deeper than the bound is refused", "[base]") {
  const Bytes deep(1000, '\x91');
  CHECK_FALSE(MsgpackReader(deep).skip());
}

TEST_CASE("a list takes no more memory than its bytes warrant", "[base]") {
  // An empty map takes one byte, yet it decodes to a whole Inner.
  const auto listing = [](std::size_t items) {
    Bytes bytes;
    MsgpackWriter writer(bytes);
    writer.map(1);
    writer.text("list");
    writer.array(items);
    return bytes + Bytes(items, '\x80');
  };
  const auto fits = base::decode<Outer>(listing(1000));
  REQUIRE(fits);
  CHECK(fits->list.size() == 1000);
  const auto refused = base::decode<Wide>(listing(1'000'000));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().where == "list");
  Wide real;
  for (int i = 0; i < 10'000; ++i) real.list.push_back({"text", true, {}, {}, {{i}}, {}});
  CHECK(base::decode<Wide>(base::encode(real)) == real);
}

TEST_CASE("of a field that comes twice the last one counts", "[base]") {
  Outer first;
  first.list = {{1}, {2}};
  first.inner = Inner{7};
  first.table = {{"a", 1}};
  Outer second;
  second.list = {{3}};
  second.inner = Inner{0};
  second.table = {{"b", 2}};
  Bytes bytes = base::encode(first);
  const Bytes more = base::encode(second);
  bytes[0] = static_cast<char>(bytes[0] + (more[0] & 0x0F));
  const auto both = base::decode<Outer>(bytes + more.substr(1));
  REQUIRE(both);
  CHECK(*both == second);
}

// A struct of any number of fields, named "00" to "79".
template <std::size_t Index>
struct Numbered {
  std::int64_t value = 0;
  static constexpr char kFieldName[] = {'0' + Index / 10, '0' + Index % 10, '\0'};
};
template <class Indexes>
struct ManyFields;
template <std::size_t... Index>
struct ManyFields<std::index_sequence<Index...>> : Numbered<Index>... {
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    (visit(Numbered<Index>::kFieldName, &Numbered<Index>::value), ...);
  }
};

TEST_CASE("a struct can have more fields than a word has bits", "[base]") {
  using Many = ManyFields<std::make_index_sequence<80>>;
  Many value;
  value.Numbered<0>::value = 1;
  value.Numbered<63>::value = 2;
  value.Numbered<64>::value = 3;
  value.Numbered<79>::value = 4;
  const Bytes bytes = base::encode(value);
  CHECK(bytes ==
        "\x84\xA2"
        "00\x01\xA2"
        "63\x02\xA2"
        "64\x03\xA2"
        "79\x04");
  const auto read = base::decode<Many>(bytes);
  REQUIRE(read);
  CHECK(base::encode(*read) == bytes);
}

TEST_CASE("only well-formed UTF-8 counts as such", "[base]") {
  CHECK(base::is_utf8("plain"));
  CHECK(base::is_utf8("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
  CHECK_FALSE(base::is_utf8("\xC0\x80"));          // overlong
  CHECK_FALSE(base::is_utf8("\xED\xA0\x80"));      // surrogate
  CHECK_FALSE(base::is_utf8("\xF4\x90\x80\x80"));  // above U+10FFFF
  CHECK_FALSE(base::is_utf8("\xE2\x82"));          // cut short
}

TEST_CASE("an id is read back from its text, and nothing else is", "[base]") {
  base::SeededRandom random(3);
  const auto id = base::SessionId::make({1'700'000'000'000'000}, random);
  CHECK(base::SessionId::parse(id.text()) == id);
  CHECK(id.text()[14] == '7');
  CHECK_FALSE(base::SessionId::parse("not-an-id"));
  CHECK_FALSE(base::SessionId::parse(id.text() + "0"));
}

}  // namespace
