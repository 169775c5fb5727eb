// Redraws the line with a carriage return, and clears what is left of a longer one.
#include "tools/steno/text/progress_line.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

namespace steno {

ProgressLine::ProgressLine(std::FILE* err, std::string_view label)
    : err_(err), label_(label), is_terminal_(::isatty(::fileno(err)) == 1) {}

void ProgressLine::show(base::Position reached, base::Position end) {
  if (!is_terminal_) return;
  const std::int64_t percent = end.value > 0 ? reached.value * 100 / end.value : 100;
  fmt::print(err_, "\r{} {}% ({} of {} events)\x1b[K", label_, std::min<std::int64_t>(percent, 100),
             reached.value, end.value);
  std::fflush(err_);
  is_shown_ = true;
}

void ProgressLine::show_count(base::Position reached) {
  constexpr std::int64_t kStep = 10'000;
  if (!is_terminal_ || reached.value - shown_count_ < kStep) return;
  shown_count_ = reached.value;
  fmt::print(err_, "\r{} {} events\x1b[K", label_, reached.value);
  std::fflush(err_);
  is_shown_ = true;
}

void ProgressLine::show_share(std::int64_t per_mille) {
  const std::int64_t percent = per_mille / 10;
  if (!is_terminal_ || percent == shown_percent_) return;
  shown_percent_ = percent;
  fmt::print(err_, "\r{} {}%\x1b[K", label_, percent);
  std::fflush(err_);
  is_shown_ = true;
}

void ProgressLine::clear() {
  if (!is_shown_) return;
  fmt::print(err_, "\r\x1b[K");
  std::fflush(err_);
  is_shown_ = false;
}

}  // namespace steno
