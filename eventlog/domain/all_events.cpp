// Finds the place of an event's type by its tag.
#include "eventlog/domain/all_events.hpp"

#include "eventlog/base/check.hpp"

namespace domain {
namespace {

template <class... E>
constexpr auto table_of(base::Types<E...>) {
  return detail::TagTable<E...>{};
}
using Tags = decltype(table_of(AllEvents{}));

constexpr bool are_tags_apart() {
  for (std::size_t i = 0; i < Tags::kTypes; ++i) {
    if (Tags::find(Tags::kTags[i]) != i) return false;
  }
  return true;
}
static_assert(are_tags_apart(), "rename the new type of event: its tag is another one's");

}  // namespace

std::size_t index_of(const Event& event) {
  const std::size_t index = Tags::find(event.tag());
  CHECK(index < Tags::kTypes);  // it holds a fact of a listed type
  return index;
}

}  // namespace domain
