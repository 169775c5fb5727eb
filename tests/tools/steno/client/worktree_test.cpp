// Names of worktrees, and what is said of unsaved work.
#include "tools/steno/client/worktree.hpp"

#include "tests/support/catch.hpp"

namespace steno {
namespace {

TEST_CASE("a worktree's name is fit for a branch and a folder", "[tools]") {
  for (const char* good : {"login", "a", "Fix_2", "v1.2-rc", "4fzk2q9x"}) {
    CHECK(worktree_name_fault(good).empty());
  }
  for (const std::string& bad :
       {std::string(), std::string("a/b"), std::string(".."), std::string("a..b"),
        std::string("-x"), std::string(".x"), std::string("x."), std::string("x.lock"),
        std::string("a b"), std::string("a\n"), std::string("ü"), std::string(65, 'x'),
        std::string("a*")}) {
    CHECK_FALSE(worktree_name_fault(bad).empty());
  }
}

TEST_CASE("any text can be made a name, or none is left of it", "[tools]") {
  CHECK(worktree_name_like("fix-login-page") == "fix-login-page");
  CHECK(worktree_name_like("Fix the login!") == "Fix-the-login");
  CHECK(worktree_name_like("--a//b..c.") == "a-b.-c");
  CHECK(worktree_name_like("été") == "t");
  CHECK(worktree_name_like("…").empty());
  CHECK(worktree_name_like("x.lock").empty());
  CHECK(worktree_name_like({}).empty());
  CHECK(worktree_name_like(std::string(100, 'x')).size() == 64);
}

TEST_CASE("unsaved work is told, and what cannot be told counts as unsaved", "[tools]") {
  CHECK(unsaved_text({}).empty());
  CHECK_FALSE(UnsavedWork{}.has_any());
  CHECK(unsaved_text({1, 0, {}}) == "1 file that is not committed");
  CHECK(unsaved_text({2, 1, {}}) == "2 files that are not committed, 1 commit on no other branch");
  CHECK(unsaved_text({0, 2, {}}) == "2 commits on no other branch");
  const UnsavedWork unknown{0, 0, "its repository is gone"};
  CHECK(unknown.has_any());
  CHECK(unsaved_text(unknown) == "its repository is gone");
}

TEST_CASE("a folder is in a worktree if it is that, or below", "[tools]") {
  const Worktree worktree{"login", "/data/worktrees/shop-1/login", {}, {}, {}};
  CHECK(is_in(worktree, "/data/worktrees/shop-1/login"));
  CHECK(is_in(worktree, "/data/worktrees/shop-1/login/api"));
  CHECK_FALSE(is_in(worktree, "/data/worktrees/shop-1/login-2"));
  CHECK_FALSE(is_in(worktree, "/data"));
}

}  // namespace
}  // namespace steno
