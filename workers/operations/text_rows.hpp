// The text of a list, as far as its reader has room for it.
#pragma once

#include <string>

#include "workers/operations/text_bounds.hpp"

namespace workers {

class TextRows {
 public:
  explicit TextRows(Reader reader)
      : characters_left_(characters_max(reader) - kNoteMax),
        rows_left_(reader == Reader::person ? kChatRowsMax : std::size_t(-1)) {}

  // False: there was no room for it, and none is left for others.
  bool add(const std::string& row) {
    const std::string more = (text_.empty() ? "" : "\n\n") + row;
    const std::size_t characters = characters_of(more);
    if (rows_left_ == 0 || characters > characters_left_) {
      rows_left_ = 0;
      return false;
    }
    --rows_left_;
    ++count_;
    characters_left_ -= characters;
    text_ += more;
    return true;
  }
  const std::string& text() const { return text_; }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::size_t kChatRowsMax = 10;  // a screen of a phone, scrolled a few times
  static constexpr std::size_t kNoteMax = 200;     // what is said behind the rows

  std::size_t characters_left_;
  std::size_t rows_left_;
  std::size_t count_ = 0;
  std::string text_;
};

}  // namespace workers
