// By the edit distance.
#include "tools/steno/text/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace steno {

std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string nearest_word(std::string_view word, std::span<const std::string> known) {
  std::string nearest;
  std::size_t apart = kLettersApartMax + 1;
  for (const std::string& one : known) {
    const std::size_t letters = letters_apart(word, one);
    if (letters >= apart || 2 * letters > word.size()) continue;
    apart = letters;
    nearest = one;
  }
  return nearest;
}

}  // namespace steno
