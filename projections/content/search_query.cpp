// One pass over blank-separated terms; a quote can hold blanks.
#include "projections/content/search_query.hpp"

#include <algorithm>
#include <utility>

#include "eventlog/base/bytes.hpp"

namespace projections {
namespace {

using base::ErrorCode;
using base::Result;

tl::unexpected<base::Error> refuse(std::string text) {
  return base::failure(ErrorCode::invalid, std::move(text));
}

// Control characters are in no word, and some would end the index's own query.
std::string without_controls(std::string_view text) {
  std::string clean(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return clean;
}

// A term, and whether it was written without quotes, so that it can be an operator.
struct Written {
  SearchTerm term;
  bool is_bare = true;

  bool is_operator(std::string_view word) const {
    return is_bare && !term.is_prefix && !term.is_excluded && term.text == word;
  }
};

class Reader {
 public:
  explicit Reader(std::string_view text) : left_(text) {}

  bool has_more() {
    while (!left_.empty() && left_.front() == ' ') left_.remove_prefix(1);
    return !left_.empty();
  }

  // Returns the next term; there must be one.
  Result<Written> next() {
    Written written;
    // Two dashes are those of a flag, such as --since.
    if (left_.front() == '-' && left_.size() > 1 && left_[1] != '-' && left_[1] != ' ') {
      written.term.is_excluded = true;
      left_.remove_prefix(1);
    }
    if (left_.front() == '"') {
      const std::size_t end = left_.find('"', 1);
      if (end == std::string_view::npos) {
        return refuse(
            "a quote is opened and not closed; close it, or leave it out if it is not to hold "
            "words together");
      }
      written.is_bare = false;
      take(end + 1, written);
      written.term.text = written.term.text.substr(1, end - 1);
      if (!left_.empty() && left_.front() == '*') {
        written.term.is_prefix = true;
        left_.remove_prefix(1);
      }
      return written;
    }
    std::size_t end = 0;
    while (end < left_.size() && left_[end] != ' ' && left_[end] != '"') ++end;
    take(end, written);
    if (written.term.text.size() > 1 && written.term.text.back() == '*') {
      written.term.is_prefix = true;
      written.term.text.pop_back();
    }
    return written;
  }

 private:
  void take(std::size_t bytes, Written& written) {
    written.term.text = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
  }

  std::string_view left_;
};

// True if one of its terms must be there.
bool has_wanted(const SearchGroup& group) {
  for (const SearchTerm& term : group) {
    if (!term.is_excluded) return true;
  }
  return false;
}

Result<void> check_group(const SearchGroup& group, bool is_last) {
  if (group.empty()) {
    return refuse(std::string("OR has no word ") + (is_last ? "after" : "before") +
                  " it; write a word there, or \"OR\" in quotes to look for that word");
  }
  if (has_wanted(group)) return {};
  return refuse("'-" + group.front().text +
                "' only excludes, and nothing says what to look for; add a word that must be "
                "there, or write \"-" +
                group.front().text + "\" in quotes if the dash is part of it");
}

}  // namespace

Result<std::vector<SearchGroup>> parse_search(std::string_view query) {
  if (query.size() > kSearchBytesMax) {
    return refuse("the query has " + std::to_string(query.size()) + " bytes, of " +
                  std::to_string(kSearchBytesMax) + " at most; look for some of its words");
  }
  if (!base::is_utf8(query)) {
    return refuse("the query is not UTF-8, as all texts are; write it in a UTF-8 locale");
  }
  std::vector<SearchGroup> groups(1);
  std::size_t terms = 0;
  bool is_next_excluded = false;
  const std::string clean = without_controls(query);
  Reader reader(clean);
  while (reader.has_more()) {
    auto written = reader.next();
    if (!written) return tl::unexpected(written.error());
    if (written->is_operator("AND") && !groups.back().empty() && !is_next_excluded) continue;
    if (written->is_operator("OR") && !is_next_excluded) {
      if (auto ok = check_group(groups.back(), false); !ok) return tl::unexpected(ok.error());
      groups.emplace_back();
      continue;
    }
    if (written->is_operator("NOT") && !is_next_excluded) {
      is_next_excluded = true;
      continue;
    }
    if (++terms > kSearchTermsMax) {
      return refuse("the query has more than " + std::to_string(kSearchTermsMax) +
                    " words and phrases; look for some of them");
    }
    written->term.is_excluded |= std::exchange(is_next_excluded, false);
    groups.back().push_back(std::move(written->term));
  }
  if (is_next_excluded) {
    return refuse(
        "NOT has no word after it; write the word that must not be there, or \"NOT\" in quotes to "
        "look for that word");
  }
  if (terms == 0 && groups.size() == 1) {
    return refuse("the query is empty; write a word that was said, such as steno search timeout");
  }
  if (auto ok = check_group(groups.back(), true); !ok) return tl::unexpected(ok.error());
  return groups;
}

}  // namespace projections
