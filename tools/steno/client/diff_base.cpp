// Git's own reflog has noted it, also for sessions that others opened.
#include "tools/steno/client/diff_base.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

namespace steno {
namespace {

constexpr std::int64_t kUsPerSecond = 1'000'000;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns the part before the mark, and takes it and the mark from the front of `rest`.
std::string_view take_until(std::string_view& rest, char mark) {
  const std::size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

}  // namespace

std::optional<std::string> head_at(std::string_view reflog, std::int64_t second) {
  constexpr std::string_view kBegin = "HEAD@{";
  while (!reflog.empty()) {
    std::string_view line = take_until(reflog, '\n');
    const std::string_view commit = take_until(line, ' ');
    if (!line.starts_with(kBegin) || !line.ends_with('}')) continue;
    line.remove_prefix(kBegin.size());
    line.remove_suffix(1);
    const auto moved = number_in(line);
    if (moved && *moved <= second) return std::string(commit);
  }
  return std::nullopt;
}

Outcome<DiffBase> diff_base(const std::string& root, base::Time at) {
  const std::int64_t second = at.us / kUsPerSecond;
  // Without a commit, and where no reflog is kept, git fails.
  const auto reflog = ask_git(root, {"reflog", "show", "--date=unix", "--format=%H %gd", "HEAD"});
  if (!reflog) return tl::unexpected(reflog.error());
  if (auto commit = head_at(reflog->output, second)) {
    return DiffBase{std::move(*commit), DiffBaseFrom::reflog};
  }
  const auto dated =
      ask_git(root, {"rev-list", "-1", "--min-age=" + std::to_string(second), "HEAD"});
  if (!dated) return tl::unexpected(dated.error());
  if (dated->exit_code == 0 && !dated->output.empty()) {
    return DiffBase{dated->output, DiffBaseFrom::date};
  }
  auto nothing =
      tell_git(root, {"hash-object", "-t", "tree", "/dev/null"}, "what is new cannot be told");
  if (!nothing) return tl::unexpected(nothing.error());
  return DiffBase{std::move(*nothing), DiffBaseFrom::nothing};
}

std::vector<DiffFile> diff_files(std::string_view printed) {
  std::vector<DiffFile> files;
  std::map<std::string, std::size_t, std::less<>> places;  // by path
  while (!printed.empty()) {
    std::string_view record = take_until(printed, '\0');
    if (record.starts_with(':')) {
      const std::size_t status = record.rfind(' ');
      if (status == std::string_view::npos) continue;
      const std::string path(take_until(printed, '\0'));
      places.insert_or_assign(path, files.size());
      files.push_back({path, std::string(record.substr(status + 1, 1))});
      continue;
    }
    const auto added = take_until(record, '\t');
    const auto removed = take_until(record, '\t');
    const auto place = places.find(record);
    if (place == places.end()) continue;
    DiffFile& file = files[place->second];
    file.added = number_in(added).value_or(-1);
    file.removed = number_in(removed).value_or(-1);
  }
  return files;
}

}  // namespace steno
