// The state of a FaultyDisk: durable bytes and names, faults to come, and the result of a loss of
// power. For faulty_disk.cpp, which holds the mutex in every call.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "tests/support/faulty_disk.hpp"

namespace support {

constexpr std::size_t kSectorBytes = 512;
constexpr std::int64_t kNever = -1;

// A range of a file before it was overwritten.
struct Before {
  std::size_t offset = 0;
  base::Bytes bytes;
};

struct FileState {
  std::size_t size = 0;
  std::size_t synced = 0;             // this many bytes are durable,
  std::optional<std::size_t> doomed;  // but none from here on: a sync of them failed
  std::vector<Before> overwritten;    // since the last sync, below `synced`
  std::vector<Before> doomed_overwritten;
};

// A change of names that is undone unless its folder is synced.
struct NameChange {
  std::string folder;
  std::string path;   // the name made, or removed: no `from` and a grave
  std::string from;   // of a rename
  std::string grave;  // the file that had the name before
  bool is_made = false;
};

// Returns the form of a folder's name that is used here, without RocksDB's doubled slashes.
inline std::string folder_name(const std::filesystem::path& path) {
  std::string name = path.lexically_normal().string();
  if (name.ends_with('/')) name.pop_back();
  return name;
}

inline base::Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_at(const std::string& path, std::size_t offset, base::ByteView bytes) {
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(offset));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class FaultyDisk::Model {
 public:
  Model(std::uint64_t seed, std::string graveyard)
      : random_(seed), graveyard_(std::move(graveyard)) {
    std::filesystem::create_directories(graveyard_);
  }

  // Counts one operation. False: it fails and must have no effect.
  bool step(const std::string& what) {
    ++operations;
    if (operations == crash_at) has_crashed = true;
    if (has_crashed) note(what);
    return !has_crashed;
  }
  void note(const std::string& what) {
    if (fault.empty()) fault = what;
  }
  static tl::unexpected<base::Error> failed(const std::string& what) {
    return base::failure(base::ErrorCode::io, "the disk of the test failed", what);
  }

  FileState& state(FileId id) { return files_[id]; }
  FileState& state_of(const std::string& path) {
    const auto [found, is_new] = files_.try_emplace(id_of(path));
    if (is_new) found->second.size = found->second.synced = std::filesystem::file_size(path);
    return found->second;
  }
  void forget(FileId id) { files_[id] = {}; }

  void change(NameChange change) {
    change.folder = folder_name(std::filesystem::path(change.path).parent_path());
    changes_.push_back(std::move(change));
  }
  std::string bury(const std::string& path) {
    const std::string grave = graveyard_ + "/" + std::to_string(++graves_);
    std::filesystem::rename(path, grave);
    return grave;
  }
  void sync_names(const std::string& path) {
    const std::string folder = folder_name(path);
    std::vector<std::string> removed;  // for ever
    std::erase_if(changes_, [&](const NameChange& change) {
      if (change.folder != folder) return false;
      if (!change.grave.empty()) std::filesystem::remove_all(change.grave);
      if (!change.is_made && change.from.empty()) removed.push_back(change.path);
      return true;
    });
    // The content of a removed folder goes with it, however little of it was synced.
    for (const std::string& gone : removed) {
      if (!std::filesystem::exists(gone)) sync_names(gone);
    }
  }

  // Returns how many bytes of a write are done; fewer than `size`: it then fails.
  std::size_t admit(std::size_t size, const std::string& what) {
    ++writes;
    if (!step(what)) return operations == crash_at ? random_.below(size + 1) : 0;
    std::size_t part = size;
    if (writes == failing_write) part = size / 2;
    if (space) {
      part = std::min<std::size_t>(part, static_cast<std::size_t>(*space));
      *space -= static_cast<std::int64_t>(part);
    }
    if (part < size) note(what);
    return part;
  }
  base::Result<void> outcome(std::size_t wanted, std::size_t done, const std::string& what) {
    if (done == wanted || has_crashed) return {};
    if (space) return base::failure(base::ErrorCode::busy, "no space left", what);
    return failed(what);
  }

  base::Result<void> sync_file(FileState& file, const std::string& what, const Doing& doing) {
    ++syncs;
    if (!step(what)) return {};
    if (syncs == failing_sync) {
      note(what);
      file.doomed = std::min(file.doomed.value_or(file.synced), file.synced);
      std::move(file.overwritten.begin(), file.overwritten.end(),
                std::back_inserter(file.doomed_overwritten));
      file.overwritten.clear();
      return failed(what);
    }
    if (is_ignoring_syncs) return {};
    if (!doing()) return failed(what);
    file.synced = file.size;
    file.overwritten.clear();
    return {};
  }

  void lose_names(PowerLoss how) {
    const std::size_t kept =
        how == PowerLoss::tears ? random_.below(changes_.size() + 1) : std::size_t{0};
    for (std::size_t i = changes_.size(); i-- > kept;) {
      const NameChange& change = changes_[i];
      if (change.is_made) {
        std::filesystem::remove_all(change.path);
      } else if (!change.from.empty()) {
        std::filesystem::rename(change.path, change.from);
      }
      if (!change.grave.empty()) std::filesystem::rename(change.grave, change.path);
    }
    changes_.clear();
    std::filesystem::remove_all(graveyard_);
    std::filesystem::create_directories(graveyard_);
  }

  void lose_bytes(const std::string& path, FileState& file, PowerLoss how) {
    const bool tears = how == PowerLoss::tears;
    restore(path, file.overwritten, tears);
    restore(path, file.doomed_overwritten, false);
    std::size_t size = file.synced;
    if (tears && file.size > size) size += random_.below(file.size - size + 1);
    if (tears && random_.chance(50)) blank(path, file.synced, size);
    if (file.doomed) size = std::min(size, *file.doomed);
    std::filesystem::resize_file(path, size);
    file = {size, size, std::nullopt, {}, {}};
  }

  // Drops bytes that are only in the page cache: those of a failed sync.
  void drop_cache(const std::string& path, FileState& file) {
    restore(path, file.doomed_overwritten, false);
    if (file.doomed) std::filesystem::resize_file(path, std::min(file.size, *file.doomed));
    file = {};
    file.size = file.synced = std::filesystem::file_size(path);
  }

  void cut_power(PowerLoss how) {
    lose_names(how);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(graveyard_).parent_path())) {
      if (!entry.is_regular_file()) continue;
      const auto found = files_.find(id_of(entry.path().string()));
      if (found != files_.end()) lose_bytes(entry.path().string(), found->second, how);
    }
  }

  mutable std::mutex mutex;
  std::int64_t operations = 0;
  std::int64_t writes = 0;
  std::int64_t syncs = 0;
  std::int64_t crash_at = kNever;
  std::int64_t failing_write = kNever;
  std::int64_t failing_sync = kNever;
  std::optional<std::int64_t> space;
  bool is_ignoring_syncs = false;
  bool has_crashed = false;
  std::string fault;

 private:
  // Restores old bytes sector by sector, later changes first. A disk that keeps a later change
  // never shows the bytes from before an earlier one.
  void restore(const std::string& path, const std::vector<Before>& all, bool tears) {
    std::set<std::size_t> kept;
    for (auto before = all.rbegin(); before != all.rend(); ++before) {
      for (std::size_t at = 0; at < before->bytes.size(); at += kSectorBytes) {
        const std::size_t sector = (before->offset + at) / kSectorBytes;
        const bool is_kept = tears && (kept.contains(sector) || random_.chance(50));
        if (is_kept) kept.insert(sector);
        if (is_kept) continue;
        write_at(path, before->offset + at, base::ByteView(before->bytes).substr(at, kSectorBytes));
      }
    }
  }
  // Zeroes random sectors between `from` and `to`: only their length has reached the disk.
  void blank(const std::string& path, std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; at += kSectorBytes) {
      if (random_.chance(50))
        write_at(path, at, base::Bytes(std::min(kSectorBytes, to - at), '\0'));
    }
  }

  base::SeededRandom random_;
  const std::string graveyard_;
  std::int64_t graves_ = 0;
  std::map<FileId, FileState> files_;
  std::vector<NameChange> changes_;  // in order
};

}  // namespace support
