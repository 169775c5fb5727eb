// Paces the reports of text that is still being said: at most once a second, or every 16 KiB. What
// a crash can lose of unfinished text is thereby bounded, and so is what it costs to record it.
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
  // The finished block is reported instead, or the text was withdrawn.
  void drop();
  // What is due now; empty if nothing is. Each text is taken once.
  std::string take_due(base::Time now);
  // All that was not taken yet.
  std::string take_rest();
  // Set while something waits to be taken.
  std::optional<base::Time> deadline() const { return deadline_; }

 private:
  std::string waiting_;
  std::optional<base::Time> deadline_;
};

}  // namespace engines
