// The file is replaced as a whole, so that a reader sees the old list or the new one.
#include "eventlog/proof/erased_after_copy.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "eventlog/base/fields.hpp"
#include "eventlog/domain/erasable.hpp"

namespace eventlog {

Result<LaterErasures> read_later_erasures(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return LaterErasures{};
  std::ifstream file(path, std::ios::binary);
  const base::Bytes bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return base::failure(base::ErrorCode::io, "cannot be read", path);
  auto later = base::decode<LaterErasures>(bytes);
  if (!later) {
    return base::failure(base::ErrorCode::damaged, base::describe(later.error()), path);
  }
  for (LaterErasure& erasure : later->erasures) {
    erasure.events = domain::normalized(std::move(erasure.events));
  }
  return later;
}

Result<void> add_later_erasures(const std::string& path, const std::vector<LaterErasure>& more,
                                Disk& disk) {
  auto later = read_later_erasures(path);
  if (!later) return tl::unexpected(later.error());
  const LaterErasures before = *later;
  for (const LaterErasure& erasure : more) {
    const auto known =
        std::find_if(later->erasures.begin(), later->erasures.end(),
                     [&](const LaterErasure& one) { return one.stream == erasure.stream; });
    if (known == later->erasures.end()) {
      later->erasures.push_back(erasure);
    } else {
      known->events = domain::united(known->events, erasure.events);
    }
  }
  if (later->erasures.empty()) return {};
  if (*later != before) {
    if (auto ok = write_whole(disk, path, base::encode(*later)); !ok) return ok;
  }
  // The folder is synced even if the file is already right: its writer may have been killed before.
  return disk.sync_folder(std::filesystem::path(path).parent_path().string());
}

LaterErasures unrecorded(const LaterErasures& later,
                         const std::map<std::string, base::StreamVersion>& versions,
                         const std::map<std::string, domain::VersionRanges>& recorded) {
  std::map<std::string, domain::VersionRanges> found;
  for (const LaterErasure& erasure : later.erasures) {
    if (!domain::can_be_erased(erasure.stream)) continue;
    const auto last = versions.find(erasure.stream);
    if (last == versions.end()) continue;
    const domain::VersionRanges beyond{
        {base::StreamVersion{1 - base::kIntegerLimit}, base::StreamVersion{0}},
        {last->second.next(), base::StreamVersion{base::kIntegerLimit}}};
    domain::VersionRanges events = domain::without(erasure.events, beyond);
    if (const auto known = recorded.find(erasure.stream); known != recorded.end()) {
      events = domain::without(events, known->second);
    }
    if (events.empty()) continue;
    domain::VersionRanges& all = found[erasure.stream];
    all = domain::united(all, events);
  }
  LaterErasures left;
  for (auto& [stream, events] : found) left.erasures.push_back({stream, std::move(events)});
  return left;
}

}  // namespace eventlog
