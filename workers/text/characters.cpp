// Clusters are those of utf8proc.
#include "workers/text/characters.hpp"

#include <utf8proc.h>

#include <algorithm>

namespace workers {
namespace {

// Walks over a text, a character at a time.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) { read(); }

  // Returns the bytes up to the end of the next character; those before it, if there is none.
  std::size_t next() {
    if (bytes_ == 0) return at_;
    for (;;) {
      const utf8proc_int32_t before = code_;
      at_ += bytes_;
      read();
      if (bytes_ == 0) return at_;
      const bool is_text = before >= 0 && code_ >= 0;
      if (!is_text || utf8proc_grapheme_break_stateful(before, code_, &state_)) return at_;
    }
  }
  bool is_at_end() const { return bytes_ == 0; }

 private:
  void read() {
    const std::string_view rest = text_.substr(at_);
    bytes_ = 0;
    if (rest.empty()) return;
    const auto count = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(rest.data()),
                                        static_cast<utf8proc_ssize_t>(rest.size()), &code_);
    if (count <= 0) code_ = -1;
    bytes_ = count <= 0 ? 1 : static_cast<std::size_t>(count);
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t bytes_ = 0;  // of the code point at `at_`; 0: the text is at its end
  utf8proc_int32_t code_ = -1;
  utf8proc_int32_t state_ = 0;
};

// Returns the bytes up to behind the last `mark` in the second half of the text; 0: there is none.
std::size_t behind_last(std::string_view text, std::string_view mark) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string_view::npos || at + mark.size() <= text.size() / 2) return 0;
  return at + mark.size();
}

}  // namespace

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (Walk walk(text); !walk.is_at_end(); ++count) walk.next();
  return count;
}

std::size_t bytes_of(std::string_view text, std::size_t characters) {
  Walk walk(text);
  std::size_t bytes = 0;
  for (; characters > 0 && !walk.is_at_end(); --characters) bytes = walk.next();
  return bytes;
}

std::string first_characters(std::string_view text, std::size_t characters) {
  const std::size_t bytes = bytes_of(text, characters);
  return std::string(text.substr(0, bytes)) + (bytes < text.size() ? "…" : "");
}

std::string last_characters(std::string_view text, std::size_t characters) {
  const std::size_t count = characters_in(text);
  if (count <= characters) return std::string(text);
  return "…" + std::string(text.substr(bytes_of(text, count - characters)));
}

std::size_t piece_of(std::string_view text, std::size_t characters) {
  const std::size_t bytes = bytes_of(text, std::max<std::size_t>(characters, 1));
  if (bytes == text.size()) return bytes;
  const std::string_view piece = text.substr(0, bytes);
  for (const std::string_view mark : {"\n\n", "\n", " "}) {
    if (const std::size_t end = behind_last(piece, mark); end > 0) return end;
  }
  return bytes;
}

}  // namespace workers
