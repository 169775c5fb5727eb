// A boxed value behaves as a value; its bytes are those of an optional one.
#include "eventlog/base/boxed_optional.hpp"

#include "tests/support/catch.hpp"

namespace base {
namespace {

struct Part {
  std::int64_t number = 0;
  std::string text;

  bool operator==(const Part&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("number", &Part::number);
    visit("text", &Part::text);
  }
};

template <template <class> class Held>
struct Owner {
  std::int64_t before = 0;
  Held<Part> part;

  bool operator==(const Owner&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("before", &Owner::before);
    visit("part", &Owner::part);
  }
};

TEST_CASE("a boxed value is copied, compared and taken out as a value", "[eventlog]") {
  Boxed<Part> empty;
  Boxed<Part> one = Part{1, "one"};
  Boxed<Part> copy = one;
  CHECK((copy == one));
  copy->number = 2;
  CHECK(one->number == 1);
  CHECK((copy != one));
  CHECK((empty != one));
  CHECK((empty == Boxed<Part>()));
  const Boxed<Part> taken = std::move(copy);
  CHECK(taken->number == 2);
  one = taken;
  CHECK((one == taken));
  one.reset();
  CHECK_FALSE(one);
  CHECK((one == empty));
}

TEST_CASE("in bytes a boxed value is what an optional one is", "[eventlog]") {
  const Owner<std::optional> with{7, Part{1, "one"}};
  const Owner<std::optional> without{7, std::nullopt};
  CHECK(encode(Owner<Boxed>{7, Part{1, "one"}}) == encode(with));
  CHECK(encode(Owner<Boxed>{7, {}}) == encode(without));
  CHECK((decode<Owner<Boxed>>(encode(with)).value() == Owner<Boxed>{7, Part{1, "one"}}));
  CHECK((decode<Owner<Boxed>>(encode(without)).value() == Owner<Boxed>{7, {}}));
}

TEST_CASE("bytes that do not fit a boxed value are named as those of its fields", "[eventlog]") {
  Bytes bytes;
  MsgpackWriter out(bytes);
  out.map(1);
  out.text("part");
  out.map(1);
  out.text("number");
  out.text("many");
  const auto owner = decode<Owner<Boxed>>(bytes);
  REQUIRE_FALSE(owner);
  CHECK(owner.error().where == "part.number");
  CHECK(owner.error().text == decode<Owner<std::optional>>(bytes).error().text);
}

}  // namespace
}  // namespace base
