// What the replay commands have in common: how a failure is told, and progress.
#pragma once

#include <cstdio>
#include <string_view>

#include "eventlog/base/result.hpp"
#include "eventlog/base/strong.hpp"
#include "tools/steno/exit_codes.hpp"

namespace steno {

// Prints "steno: <error>" and returns its exit code.
int fail(std::FILE* err, const base::Error& error);

// One line on a terminal, written over and over; nothing where `err` is none.
class ProgressLine {
 public:
  // `label` must outlive it.
  ProgressLine(std::FILE* err, std::string_view label);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(base::Position reached, base::Position end);
  void clear();

 private:
  std::FILE* const err_;
  const std::string_view label_;
  const bool is_terminal_;
  bool is_shown_ = false;
};

}  // namespace steno
