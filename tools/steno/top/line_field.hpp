// A line that is typed, by whole characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "tools/steno/top/key.hpp"

namespace steno {

// Longer prompts come from files. A character that does not fit is dropped, and the line is cut.
constexpr std::size_t kFieldBytesMax = std::size_t{64} << 10;

class LineField {
 public:
  LineField() = default;
  explicit LineField(std::string text) : text_(std::move(text)), cursor_(text_.size()) {}

  // True: the key has edited the line.
  bool press(const PressedKey& key);
  const std::string& text() const { return text_; }
  // True: characters were dropped, and the line has not been empty since.
  bool is_cut() const { return is_cut_; }

  // The part of the line around the cursor that fits so many columns, safe for a terminal.
  struct Shown {
    std::string text;
    std::size_t cursor = 0;  // column in it
  };
  Shown shown(std::size_t columns_max) const;

 private:
  void insert(std::string_view text);
  // Byte at which the character before the cursor begins.
  std::size_t before() const;

  std::string text_;
  std::size_t cursor_ = 0;  // in bytes
  bool is_cut_ = false;
};

}  // namespace steno
