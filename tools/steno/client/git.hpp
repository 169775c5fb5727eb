// Asks git about a repository, as whoever runs this process would in its folder. Variables by which
// an outer git, such as one with a hook, means its own repository do not count.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/time.hpp"
#include "tools/steno/text/failure.hpp"

namespace steno {

struct GitUse {
  base::Duration limit = std::chrono::minutes(2);
  std::size_t output_max = std::size_t{64} << 20;  // bytes; more is a failure
  std::vector<std::string> environment{};          // as processes::environment_with() has it
};

struct GitAnswer {
  int exit_code = 0;
  std::string output;  // without blanks and line ends at its end
  std::string errors;  // what it says of them, in English
};

// Returns the variables that are taken from git's environment.
std::vector<std::string> outer_git_variables();

// Any exit code is an answer. Failures: there is no git, it cannot be started in the folder, or it
// does not end.
Outcome<GitAnswer> ask_git(const std::string& folder, const std::vector<std::string>& words,
                           const GitUse& use = {});
// Returns what it prints. An exit code other than 0 is a failure: `what`, and git's words for why.
Outcome<std::string> tell_git(const std::string& folder, const std::vector<std::string>& words,
                              const std::string& what, const GitUse& use = {});

struct Repository {
  std::string root;    // of the working tree that the folder is in
  std::string prefix;  // from there to the folder: "", or "a/b/"
  std::string
      common;  // the folder that all working trees of the repository share: "/srv/shop/.git"
};

// Failures: as ask_git(); not_found, if the folder is not there, or in no working tree.
Outcome<Repository> repository_of(const std::string& folder);

// Returns the folder that people know the repository by: "/srv/shop" for "/srv/shop/.git".
std::string home_of(const std::string& common);

// Returns the commit that HEAD is at; empty: there is none.
Outcome<std::string> head_of(const std::string& folder);

}  // namespace steno
