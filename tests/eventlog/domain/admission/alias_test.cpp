// Aliases are short, unique for ever, and derived from a number, so that the admission state does
// not grow with ended sessions.
#include "eventlog/domain/admission/alias.hpp"

#include <set>

#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/evolve.hpp"
#include "tests/support/given_when_then.hpp"

namespace domain {
namespace {

using support::numbered;

TEST_CASE("each number has an alias of its own", "[eventlog]") {
  const auto first = numbered<SessionId>(1);
  std::set<std::string> aliases;
  std::set<std::string> beginnings;
  for (const std::int64_t begin : {std::int64_t{0}, std::int64_t{1} << 20, kAliasesMax - 10'000}) {
    for (std::int64_t number = begin; number < begin + 10'000; ++number) {
      const std::string alias = alias_of(first, number);
      REQUIRE(alias.size() == kAliasChars);
      REQUIRE(alias_number(first, alias) == number);
      aliases.insert(alias);
      if (begin == 0 && number < 100) beginnings.insert(alias.substr(0, 4));
    }
  }
  CHECK(aliases.size() == 30'000);
  CHECK(beginnings.size() > 98);  // four characters identify one session
  CHECK(alias_of(numbered<SessionId>(2), 0) != alias_of(first, 0));
}

TEST_CASE("what is no number's alias has no number", "[eventlog]") {
  for (const char* text : {"", "abc", "abcdefghi", "aaaaaaai", "AAAAAAAA", "alias 01"}) {
    CHECK_FALSE(alias_number(numbered<SessionId>(1), text));
  }
}

TEST_CASE("aliases and marks of names stay what they are, for they are in logs", "[eventlog]") {
  const auto first = numbered<SessionId>(1);
  CHECK(alias_of(first, 0) == "4gzejv1b");
  CHECK(alias_of(first, 1) == "azz4z2gk");
  CHECK(alias_of(first, (std::int64_t{1} << 20) + 5) == "12zjp8ct");
  CHECK(alias_of(first, kAliasesMax - 1) == "qz0qpg9s");
  CHECK(name_mark("") == 13680578);
  CHECK(name_mark("fix-bug") == 785802);
  CHECK(name_mark("a-name-of-more-words") == 11737217);
}

TEST_CASE("an alias is 8 characters of its alphabet, and nothing else has its form",
          "[eventlog][R013]") {
  CHECK(has_alias_form("0189zzzz"));
  CHECK(has_alias_form(alias_of(numbered<SessionId>(1), 7)));
  for (const char* text : {"", "0189zzz", "0189zzzz0", "0189zzzi", "i189zzzz", "0189ZZZZ"}) {
    INFO(text);
    CHECK_FALSE(has_alias_form(text));
  }
}

AdmissionState after_lives(int count, bool is_drawn) {
  AdmissionState state;
  Envelope envelope;
  for (int i = 1; i <= count; ++i) {
    envelope.position = Position{2 * i};
    SessionId id;
    id.bytes[0] = static_cast<char>(i >> 8);
    id.bytes[1] = static_cast<char>(i);
    id.bytes[15] = 1;
    const SessionId first = state.first.is_set() ? state.first : id;
    const std::string alias = is_drawn ? std::to_string(i) : alias_of(first, i - 1);
    evolve(state, envelope, SessionAdmitted{id, "main", alias});
    evolve(state, envelope, SessionReleased{id, false});
  }
  CHECK(state.inconsistent == Position{});
  return state;
}

TEST_CASE("what is known of admission does not grow with the sessions that have ended",
          "[eventlog][C16]") {
  CHECK(base::encode(after_lives(5000, false)).size() <
        base::encode(after_lives(1, false)).size() + 10);
  CHECK(after_lives(100, true).aliases.size() == 100);
}

TEST_CASE("an alias that is taken is impossible for another session", "[eventlog]") {
  AdmissionState state = after_lives(300, false);
  const std::string taken = alias_of(state.first, 17);
  evolve(state, Envelope{}, SessionAdmitted{numbered<SessionId>(1), "main", "drawn"});
  const AdmissionState before = state;
  Envelope envelope;
  envelope.position = Position{1000};
  for (const std::string& alias : {taken, std::string("drawn")}) {
    AdmissionState marked = before;
    evolve(marked, envelope, SessionAdmitted{numbered<SessionId>(2), "main", alias});
    CHECK(marked.inconsistent == Position{1000});
    marked.inconsistent = {};
    CHECK(marked == before);
  }
}

}  // namespace
}  // namespace domain
