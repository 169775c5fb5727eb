// Finds the commit that HEAD was at in a moment. A diff begins there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "tools/steno/client/git.hpp"

namespace steno {

enum class DiffBaseFrom {
  reflog,   // git has noted when HEAD was moved
  date,     // git has not: the last commit of before, as commits are dated
  nothing,  // there was no commit
};

struct DiffBase {
  std::string object;  // a commit, or the empty tree
  DiffBaseFrom from = DiffBaseFrom::reflog;
};

// `at`: wall time. What moved HEAD in the same second counts as before.
Outcome<DiffBase> diff_base(const std::string& root, base::Time at);

// Returns where HEAD was in that second of Unix time, by lines "COMMIT HEAD@{SECOND}", the newest
// first; none: they begin later.
std::optional<std::string> head_at(std::string_view reflog, std::int64_t second);

// A file that differs.
struct DiffFile {
  std::string path;
  std::string status;      // git's letter: A, M, D, T, U
  std::int64_t added = 0;  // lines; -1: it is no text
  std::int64_t removed = 0;

  bool operator==(const DiffFile&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("path", &DiffFile::path);
    visit("status", &DiffFile::status);
    visit("added", &DiffFile::added);
    visit("removed", &DiffFile::removed);
  }
};

// Reads what `git diff --raw --numstat -z --no-renames` prints. What is none of it is left out.
std::vector<DiffFile> diff_files(std::string_view printed);

}  // namespace steno

template <>
struct base::EnumNames<steno::DiffBaseFrom> {
  static constexpr std::string_view kNames[] = {"reflog", "date", "nothing"};
};
