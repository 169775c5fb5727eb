// Alternatives, words and exclusions are flat lists in parentheses, so that the expression is never
// deep.
#include "projections/content/search_expression.hpp"

namespace projections {
namespace {

// Returns a word or phrase in the query language of FTS5. Inside quotes nothing but a quote has a
// meaning there.
std::string quoted(const SearchTerm& term) {
  std::string text = "\"";
  for (const char c : term.text) text.append(c == '"' ? 2 : 1, c);
  return text + (term.is_prefix ? "\" *" : "\"");
}

}  // namespace

std::string joined(const std::vector<std::string>& parts, std::string_view by) {
  std::string all;
  for (const std::string& part : parts) all += std::string(all.empty() ? "(" : by) + part;
  return all + ")";
}

std::string expression_of(const std::vector<SearchGroup>& groups) {
  std::vector<std::string> alternatives;
  for (const SearchGroup& group : groups) {
    std::vector<std::string> wanted;
    std::vector<std::string> excluded;
    for (const SearchTerm& term : group) {
      (term.is_excluded ? excluded : wanted).push_back(quoted(term));
    }
    alternatives.push_back(joined(wanted, " AND ") +
                           (excluded.empty() ? "" : " NOT " + joined(excluded, " OR ")));
  }
  std::string all;
  for (const std::string& one : alternatives) all += (all.empty() ? "(" : " OR (") + one + ")";
  return all;
}

}  // namespace projections
