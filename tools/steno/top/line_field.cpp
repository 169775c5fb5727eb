// The cursor stands between characters as a reader sees them.
#include "tools/steno/top/line_field.hpp"

#include "workers/text/characters.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {

using workers::bytes_of;
using workers::characters_in;
using workers::columns_of;
using workers::safe_line;

std::size_t LineField::before() const {
  const std::string_view head = std::string_view(text_).substr(0, cursor_);
  const std::size_t characters = characters_in(head);
  return characters == 0 ? 0 : bytes_of(head, characters - 1);
}

void LineField::insert(std::string_view text) {
  if (text_.size() + text.size() > kFieldBytesMax) {
    is_cut_ = true;
    return;
  }
  text_.insert(cursor_, text);
  cursor_ += text.size();
}

bool LineField::press(const PressedKey& key) {
  const std::string_view rest = std::string_view(text_).substr(cursor_);
  const auto erase_from = [&](std::size_t begin) {
    text_.erase(begin, cursor_ - begin);
    cursor_ = begin;
    is_cut_ = is_cut_ && !text_.empty();
  };
  switch (key.name) {
    case KeyName::character:
      insert(key.text);
      return true;
    case KeyName::left:
      cursor_ = before();
      return true;
    case KeyName::right:
      cursor_ += bytes_of(rest, 1);
      return true;
    case KeyName::home:
      cursor_ = 0;
      return true;
    case KeyName::end:
      cursor_ = text_.size();
      return true;
    case KeyName::backspace:
      erase_from(before());
      return true;
    case KeyName::erase_line:
      erase_from(0);
      return true;
    case KeyName::erase_word: {
      std::size_t begin = cursor_;
      while (begin > 0 && text_[begin - 1] == ' ') --begin;
      while (begin > 0 && text_[begin - 1] != ' ') --begin;
      erase_from(begin);
      return true;
    }
    default:
      return false;
  }
}

LineField::Shown LineField::shown(std::size_t columns_max) const {
  if (columns_max == 0) return {};
  std::string_view head = std::string_view(text_).substr(0, cursor_);
  // Many times what the columns show.
  const std::size_t most = 16 * columns_max;
  if (head.size() > most) head.remove_prefix(head.size() - most);
  std::string safe = safe_line(head);
  while (columns_of(safe) >= columns_max) {
    head.remove_prefix(bytes_of(head, 1));
    safe = safe_line(head);
  }
  const std::size_t cursor = columns_of(safe);
  const std::string_view behind = std::string_view(text_).substr(cursor_);
  return {safe + workers::safe_head(behind, columns_max - cursor), cursor};
}

}  // namespace steno
