// Amounts, durations, times and command lines as people write them.
#include "tools/steno/text/units.hpp"

#include "eventlog/base/digits.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tools/steno/config/command_words.hpp"

// Every input is tried as each of them.
void fuzz::run(ByteView in) {
  if (const auto number = base::parse_digits(in)) {
    require(base::parse_digits(std::to_string(*number)) == number, "a number is read as written");
  }
  if (const auto amount = base::parse_usd(in)) {
    require(amount->value >= 0, "an amount is not negative");
    require(base::parse_usd(base::exact_usd_text(*amount)) == amount, "an amount is said exactly");
    require(!base::usd_text(*amount).empty(), "an amount can be shown");
  }
  if (const auto duration = steno::parse_duration(in)) {
    require(duration->count() >= 0, "a duration is not negative");
    require(steno::parse_duration(steno::exact_duration_text(*duration)) == duration,
            "a duration is said exactly");
    require(!steno::duration_text(*duration).empty(), "a duration can be shown");
  }
  if (const auto time = base::parse_time_text(in)) {
    const std::string text = base::time_text(*time);
    require(base::parse_time_text(text) == time, "a time is said exactly");
    require(base::parse_time_text(steno::short_time_text(*time)).has_value(), "and shortly");
  }
  if (const auto words = steno::split_words(in)) {
    const std::string joined = steno::join_words(*words);
    require(steno::split_words(joined) == words, "words that are joined are split as they were");
  }
}
