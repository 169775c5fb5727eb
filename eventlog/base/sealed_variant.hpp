// A variant of many alternatives whose special members are compiled once. Those of std::variant are
// compiled in each source that copies, moves or ends one, which takes seconds for fifty
// alternatives. For each list there is an `extern template class` beside the type, and a
// `template class` in its source.
#pragma once

#include <utility>

#include "eventlog/base/type_list.hpp"

namespace base {

template <class List>
class SealedVariant : public VariantOf<List> {
 public:
  using Variant = VariantOf<List>;

  SealedVariant() noexcept;
  SealedVariant(const SealedVariant& other);
  SealedVariant(SealedVariant&& other) noexcept;
  SealedVariant& operator=(const SealedVariant& other);
  SealedVariant& operator=(SealedVariant&& other) noexcept;
  ~SealedVariant();

  template <class A>
  requires kContains<A, List> SealedVariant(A alternative)
      : Variant(std::in_place_type<A>, std::move(alternative)) {}

  bool operator==(const SealedVariant& other) const;
};

template <class List>
SealedVariant<List>::SealedVariant() noexcept = default;
template <class List>
SealedVariant<List>::SealedVariant(const SealedVariant& other) = default;
template <class List>
SealedVariant<List>::SealedVariant(SealedVariant&& other) noexcept = default;
template <class List>
SealedVariant<List>& SealedVariant<List>::operator=(const SealedVariant& other) = default;
template <class List>
SealedVariant<List>& SealedVariant<List>::operator=(SealedVariant&& other) noexcept = default;
template <class List>
SealedVariant<List>::~SealedVariant() = default;
template <class List>
bool SealedVariant<List>::operator==(const SealedVariant& other) const {
  return static_cast<const Variant&>(*this) == static_cast<const Variant&>(other);
}

}  // namespace base
