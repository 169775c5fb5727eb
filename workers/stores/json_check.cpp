// A recursive descent over the text, without a copy of it.
#include "workers/stores/json_check.hpp"

#include <algorithm>

namespace workers {
namespace {

class Check {
 public:
  explicit Check(std::string_view text) : rest_(text) {}

  bool is_value_alone() {
    if (!value()) return false;
    skip_blanks();
    return rest_.empty();
  }

 private:
  bool value() {
    skip_blanks();
    if (rest_.empty()) return false;
    switch (rest_.front()) {
      case '{':
        return list('}', [&] { return string() && mark(':') && value(); });
      case '[':
        return list(']', [&] { return value(); });
      case '"':
        return string();
      default:
        return word("true") || word("false") || word("null") || number();
    }
  }

  template <class Item>
  bool list(char end, const Item& item) {
    rest_.remove_prefix(1);
    if (mark(end)) return true;
    do {
      skip_blanks();
      if (!item()) return false;
    } while (mark(','));
    return mark(end);
  }

  bool string() {
    if (!take('"')) return false;
    while (true) {
      const auto end = std::find_if(rest_.begin(), rest_.end(), [](char c) {
        return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
      });
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.begin()));
      if (take('"')) return true;
      if (!take('\\') || !escape()) return false;
    }
  }

  bool escape() {
    if (!take('u')) {
      const bool is_known =
          !rest_.empty() && std::string_view("\"\\/bfnrt").find(rest_.front()) != rest_.npos;
      if (is_known) rest_.remove_prefix(1);
      return is_known;
    }
    const std::string_view digits = rest_.substr(0, 4);
    const bool is_unit =
        digits.size() == 4 && digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos;
    if (is_unit) rest_.remove_prefix(4);
    return is_unit;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return digits();
  }

  bool digits() {
    const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    rest_.remove_prefix(count);
    return count > 0;
  }

  bool word(std::string_view word) {
    const bool is_here = rest_.starts_with(word);
    if (is_here) rest_.remove_prefix(word.size());
    return is_here;
  }
  bool mark(char c) {
    skip_blanks();
    return take(c);
  }
  bool take(char c) {
    const bool is_here = rest_.starts_with(c);
    if (is_here) rest_.remove_prefix(1);
    return is_here;
  }
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  std::string_view rest_;
};

}  // namespace

bool is_json(std::string_view text) {
  return Check(text).is_value_alone();
}

}  // namespace workers
