// Sealed variants of two alternatives, which are compiled here as any template is.
#include "eventlog/base/sealed_variant.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace {
using Two = base::SealedVariant<base::Types<int, std::string>>;
}  // namespace

namespace base {
namespace {

TEST_CASE("a sealed variant is used as a variant is", "[base]") {
  CHECK(std::get<int>(Two()) == 0);
  const Two text = std::string("a text that is too long to be inside");
  CHECK(std::holds_alternative<std::string>(text));
  CHECK(std::get_if<int>(&text) == nullptr);
  CHECK(std::visit([](const auto& held) { return sizeof held; }, text) == sizeof(std::string));
  CHECK(kIsAlternative<int, Two>);
  CHECK_FALSE(kIsAlternative<char, Two>);
  CHECK_FALSE(std::is_convertible_v<std::vector<int>, Two>);
}

TEST_CASE("a sealed variant is copied, moved and compared by what it holds", "[base]") {
  const Two text = std::string("a text that is too long to be inside");
  Two copy = text;
  CHECK(copy == text);
  Two moved = std::move(copy);
  CHECK(moved == text);
  copy = 7;
  CHECK(std::get<int>(copy) == 7);
  CHECK_FALSE(copy == moved);
  copy = moved;
  CHECK(copy == text);
  moved = Two(7);
  CHECK(std::get<int>(moved) == 7);
}

}  // namespace
}  // namespace base
