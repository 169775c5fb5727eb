// Shows the progress of long work to people at a terminal.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "eventlog/base/strong_integer.hpp"

namespace steno {

// One line on a terminal, overwritten each time. Prints nothing if `err` is not a terminal.
class ProgressLine {
 public:
  // `label` must outlive the object.
  ProgressLine(std::FILE* err, std::string_view label);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(base::Position reached, base::Position end);
  // For work whose total is unknown.
  void show_count(base::Position reached);
  // For work that is not counted in events; in thousandths of the whole.
  void show_share(std::int64_t per_mille);
  void clear();

 private:
  std::FILE* const err_;
  const std::string_view label_;
  const bool is_terminal_;
  bool is_shown_ = false;
  std::int64_t shown_percent_ = -1;
  std::int64_t shown_count_ = 0;
};

}  // namespace steno
