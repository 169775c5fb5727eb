// Paces the reports of unfinished text: at most once a second, or every 16 KiB. This bounds both
// the unfinished text that a crash can lose and the cost of recording it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "eventlog/base/time.hpp"

namespace engines {

constexpr base::Duration kPartialOutputInterval = std::chrono::seconds(1);
constexpr std::size_t kPartialOutputBytes = std::size_t{16} * 1024;

class PartialOutput {
 public:
  void add(std::string_view text, base::Time now);
  // Drops the text: its finished block is reported instead, or it was withdrawn.
  void drop();
  // Returns the text that is due now; empty: none. Each text is taken once.
  std::string take_due(base::Time now);
  // Returns all text that was not taken yet.
  std::string take_rest();
  // Set while text waits to be taken.
  std::optional<base::Time> deadline() const { return deadline_; }

 private:
  std::string waiting_;
  std::optional<base::Time> deadline_;
};

}  // namespace engines
