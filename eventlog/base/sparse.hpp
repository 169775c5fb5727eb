// A value that most owners leave at its default: it takes a pointer, and memory of its own only
// once it was given another value. It is encoded as the value itself. A moved-from one is at its
// default.
#pragma once

#include <concepts>
#include <memory>
#include <utility>

#include "eventlog/base/fields.hpp"

namespace base {

template <class T>
class Sparse {
 public:
  Sparse() = default;
  template <class U>
  requires std::convertible_to<U&&, T> &&
      (!std::same_as<std::remove_cvref_t<U>, Sparse>)Sparse(U&& value) {
    set(T(std::forward<U>(value)));
  }
  Sparse(const Sparse& other) { copy(other); }
  Sparse(Sparse&&) noexcept = default;
  Sparse& operator=(const Sparse& other) {
    if (this != &other) copy(other);
    return *this;
  }
  Sparse& operator=(Sparse&&) noexcept = default;
  ~Sparse() = default;

  const T& get() const& {
    static const T kDefault{};
    return value_ ? *value_ : kDefault;
  }
  T get() && { return value_ ? std::move(*value_) : T{}; }
  const T& operator*() const& { return get(); }
  T operator*() && { return std::move(*this).get(); }
  const T* operator->() const { return &get(); }
  operator const T&() const& { return get(); }

  // Returns the value, to be changed in place. If that leaves it at its default, it keeps its
  // memory.
  T& edit() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }
  void reset() { value_.reset(); }

  bool operator==(const Sparse& other) const {
    return (!value_ && !other.value_) || get() == other.get();
  }
  template <class U>
  requires(!std::same_as<U, Sparse> &&
           requires(const T& value, const U& one) { value == one; }) bool
  operator==(const U& other) const {
    return get() == other;
  }

 private:
  static bool is_default(const T& value) { return value == Sparse().get(); }
  void copy(const Sparse& other) {
    if (other.value_) {
      set(*other.value_);
    } else {
      reset();
    }
  }
  void set(T value) {
    if (is_default(value)) {
      reset();
    } else {
      value_ = std::make_unique<T>(std::move(value));
    }
  }

  std::unique_ptr<T> value_;  // null: at its default
};

// Returns the value of a field, sparse or not, for code that treats all fields alike.
template <class T>
const T& value_of(const T& field) {
  return field;
}
template <class T>
const T& value_of(const Sparse<T>& field) {
  return *field;
}

// As for std::optional in fields.hpp, whose templates find these by argument-dependent lookup.
template <class T>
void write(MsgpackWriter& out, const Sparse<T>& value) {
  detail::write(out, *value);
}
template <class T>
bool read_field(MsgpackReader& in, ByteView name, Sparse<T>& field, detail::BadField* bad) {
  T value{};
  if (!detail::read_field(in, name, value, bad)) return false;
  field = std::move(value);
  return true;
}

}  // namespace base
