// A sparse value behaves as the value itself; its bytes are those of the value.
#include "eventlog/base/sparse.hpp"

#include "tests/support/catch.hpp"

namespace base {
namespace {

template <class Held>
struct Names {
  std::int64_t before = 0;
  Held names{};
  std::int64_t behind = 0;

  bool operator==(const Names&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("before", &Names::before);
    visit("names", &Names::names);
    visit("behind", &Names::behind);
  }
};
using Plain = Names<std::vector<std::string>>;
using Sparsely = Names<Sparse<std::vector<std::string>>>;

TEST_CASE("a sparse value is copied, compared and changed as a value", "[eventlog]") {
  Sparse<std::string> unset;
  Sparse<std::string> one = "one";
  Sparse<std::string> copy = one;
  CHECK((copy == one));
  copy.edit() += "s";
  CHECK((copy == "ones"));
  CHECK((one == std::string("one")));
  CHECK((copy != one));
  CHECK((unset != one));
  CHECK(unset->empty());
  const Sparse<std::string> taken = std::move(copy);
  CHECK((taken == "ones"));
  one = taken;
  CHECK((one == taken));
  const Sparse<std::string>& same = one;
  one = same;
  CHECK((one == "ones"));
  one.reset();
  CHECK((one == unset));
}

TEST_CASE("a sparse value that was edited back equals the default", "[eventlog]") {
  Sparse<std::string> edited = "one";
  edited.edit().clear();
  CHECK((edited == Sparse<std::string>()));
  CHECK((Sparse<std::string>() == edited));
  CHECK((Sparse<std::string>(edited) == ""));
}

TEST_CASE("in bytes a sparse value is the value", "[eventlog]") {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{}, std::vector<std::string>{"a", "b"}}) {
    CAPTURE(names.size());
    const Bytes bytes = encode(Plain{7, names, 8});
    CHECK(encode(Sparsely{7, names, 8}) == bytes);
    CHECK((decode<Sparsely>(bytes).value() == Sparsely{7, names, 8}));
  }
  Sparsely edited{7, {}, 8};
  edited.names.edit();
  CHECK(encode(edited) == encode(Plain{7, {}, 8}));
}

TEST_CASE("a sparse field that does not fit is refused as the value would be", "[eventlog]") {
  Bytes bytes = encode(Names<std::string>{7, "no list", 8});
  const auto sparse = decode<Sparsely>(bytes);
  const auto plain = decode<Plain>(bytes);
  REQUIRE_FALSE(sparse);
  REQUIRE_FALSE(plain);
  CHECK(sparse.error().text == plain.error().text);
}

}  // namespace
}  // namespace base
