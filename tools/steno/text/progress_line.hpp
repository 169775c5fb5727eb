// How far long work has come, for people at a terminal.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "eventlog/base/strong.hpp"

namespace steno {

// One line on a terminal, written over and over; nothing where `err` is none.
class ProgressLine {
 public:
  // `label` must outlive it.
  ProgressLine(std::FILE* err, std::string_view label);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(base::Position reached, base::Position end);
  // While it is not known how many there are.
  void show_count(base::Position reached);
  // Of work that is not counted in events.
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
