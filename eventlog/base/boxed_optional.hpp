// A value that most owners lack: like std::optional, but allocated apart, so that an owner without
// one is only a pointer larger. It is encoded as an optional. A moved-from one has no value.
#pragma once

#include <memory>

#include "eventlog/base/fields.hpp"

namespace base {

template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~Boxed() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  T& emplace() { return *(value_ = std::make_unique<T>()); }
  void reset() { value_.reset(); }

  bool operator==(const Boxed& other) const {
    return has_value() && other.has_value() ? **this == *other : has_value() == other.has_value();
  }

 private:
  std::unique_ptr<T> value_;
};

// As for std::optional in fields.hpp, whose templates find these by argument-dependent lookup.
template <class T>
void write(MsgpackWriter& out, const Boxed<T>& boxed) {
  boxed ? detail::write(out, *boxed) : out.nil();
}
template <class T>
bool read_field(MsgpackReader& in, ByteView name, Boxed<T>& field, detail::BadField* bad) {
  field.reset();
  if (in.is_nil_next()) return in.nil();
  return detail::read_field(in, name, field.emplace(), bad);
}

}  // namespace base
