// Copies, moves and compares an event by what it holds.
#include "eventlog/domain/event.hpp"

#include "eventlog/base/check.hpp"

namespace domain {

Event::Event(const Event& other) {
  if (other.type_ == nullptr) return;
  other.type_->copy(fact_, other.fact_);
  type_ = other.type_;
}

Event::Event(Event&& other) noexcept : type_(other.type_) {
  if (type_ != nullptr) type_->move(fact_, other.fact_);
}

Event& Event::operator=(const Event& other) {
  if (this != &other) *this = Event(other);
  return *this;
}

Event& Event::operator=(Event&& other) noexcept {
  if (this == &other) return *this;
  clear();
  if (other.type_ != nullptr) other.type_->move(fact_, other.fact_);
  type_ = other.type_;
  return *this;
}

void Event::require_type(const detail::EventType* type) const {
  CHECK(type_ == type);
}

bool Event::operator==(const Event& other) const {
  return type_ == other.type_ && (type_ == nullptr || type_->equal(fact_, other.fact_));
}

}  // namespace domain
