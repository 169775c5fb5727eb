// Counts of everything that happened in a world: a run that reached nothing proved nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace simulation {

class Counts {
 public:
  std::int64_t& operator[](std::string_view name) {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? by_name_[std::string(name)] : found->second;
  }
  std::int64_t of(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? 0 : found->second;
  }
  void add(const Counts& other) {
    for (const auto& [name, count] : other.by_name_) by_name_[name] += count;
  }
  const std::map<std::string, std::int64_t, std::less<>>& all() const { return by_name_; }

  bool operator==(const Counts&) const = default;

 private:
  std::map<std::string, std::int64_t, std::less<>> by_name_;
};

// "accepted 12, rejected 3, …"
inline std::string describe(const Counts& counts) {
  std::string text;
  for (const auto& [name, count] : counts.all()) {
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
  }
  return text;
}

}  // namespace simulation
