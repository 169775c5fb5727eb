// Finds texts in the tables of the search index (search_index.cpp).
#pragma once

#include "projections/content/found_texts.hpp"
#include "projections/content/sqlite.hpp"

namespace projections {

// Used by the thread that uses the database, outside of its batches. The database must outlive it.
class SearchFinder {
 public:
  static Result<SearchFinder> open(SqliteDatabase& database);

  // `indexed`: the position of the last event in the tables. Errors: as search_said.
  Result<FoundTexts> find(const SearchRequest& request, Position indexed);

 private:
  explicit SearchFinder(SqliteDatabase& database) : database_(&database) {}

  Result<void> check_words(const std::vector<SearchGroup>& groups);
  Result<std::vector<Position>> matches(const SearchRequest& request, const std::string& expression,
                                        FoundTexts& found);
  Result<FoundText> read_text(const std::string& expression, Position position);

  SqliteDatabase* database_;
  SqliteStatement since_;
  SqliteStatement text_;
};

}  // namespace projections
