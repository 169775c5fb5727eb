// Damages real files: removes, cuts, flips and rolls back, also exactly at the end of a record in
// RocksDB's logs, where a cut is hardest to notice.
#include "tests/crash/damage.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "eventlog/base/bytes.hpp"

namespace crash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHarmNames[kHarms] = {"emptied",           "removed",
                                            "cut in half",       "cut at a record",
                                            "first bit flipped", "middle bit flipped",
                                            "last bit flipped",  "tail zeroed",
                                            "rolled back",       "rolled far back"};
constexpr std::size_t kTailBytes = 4096;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Writes a new file: the old one can be a hard link that other folders share.
void write(const fs::path& path, const std::string& bytes) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

// Returns the end of the last record that ends in the first three quarters.
std::size_t record_end(const std::string& bytes) {
  std::size_t end = 0;
  for (const std::size_t at : record_ends(bytes)) {
    if (at <= bytes.size() * 3 / 4) end = at;
  }
  return end;
}

bool is_log_of_records(const std::string& name) {
  return name.ends_with(".log") || name.find("MANIFEST") != std::string::npos;
}

std::string harmed(const Damage& damage, std::string bytes) {
  const std::size_t size = bytes.size();
  const auto flip = [&](std::size_t at) { bytes[at] = static_cast<char>(bytes[at] ^ 0x20); };
  switch (damage.harm) {
    case Harm::emptied:
      return {};
    case Harm::cut_in_half:
      return bytes.substr(0, size / 2);
    case Harm::cut_at_record:
      return bytes.substr(0, is_log_of_records(damage.file)
                                 ? record_end(bytes)
                                 : size * 3 / 4 / kTailBytes * kTailBytes);
    case Harm::first_bit_flipped:
      if (size > 0) flip(0);
      return bytes;
    case Harm::middle_bit_flipped:
      if (size > 0) flip(size / 2);
      return bytes;
    case Harm::last_bit_flipped:
      if (size > 0) flip(size - 1);
      return bytes;
    case Harm::tail_zeroed: {
      const std::size_t zeroed = std::min(kTailBytes, size / 2);
      return bytes.substr(0, size - zeroed) + std::string(zeroed, '\0');
    }
    default:
      return bytes;
  }
}

}  // namespace

std::vector<std::size_t> record_ends(const std::string& bytes) {
  constexpr std::size_t kBlock = 32 << 10;
  constexpr std::size_t kHeader = 7;
  std::vector<std::size_t> ends;
  std::size_t at = 0;
  while (at + kHeader <= bytes.size()) {
    if (kBlock - at % kBlock < kHeader) at += kBlock - at % kBlock;
    if (at + kHeader > bytes.size()) break;
    const auto size = static_cast<unsigned char>(bytes[at + 4]) +
                      256U * static_cast<unsigned char>(bytes[at + 5]);
    const int type = bytes[at + 6];
    if (type == 0) break;
    at += kHeader + size;
    if ((type == 1 || type == 4) && at < bytes.size()) ends.push_back(at);
  }
  return ends;
}

std::string describe(const std::vector<Damage>& damages) {
  std::string text;
  for (const Damage& damage : damages) {
    text += (text.empty() ? "" : ", ") + damage.file + " " +
            kHarmNames[static_cast<std::size_t>(damage.harm)];
  }
  return text;
}

std::vector<std::string> files_of_log(const std::string& folder) {
  std::vector<std::string> files{"head"};
  for (const auto& entry : fs::directory_iterator(folder + "/log")) {
    files.push_back("log/" + entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void copy_folder(const std::string& from, const std::string& to) {
  fs::create_directories(to + "/log");
  fs::permissions(to, fs::perms::owner_all);
  for (const std::string& file : files_of_log(from)) {
    const fs::path source = fs::path(from) / file;
    if (file.ends_with(".sst")) {
      fs::create_hard_link(source, fs::path(to) / file);
    } else if (fs::exists(source)) {
      fs::copy_file(source, fs::path(to) / file);
    }
  }
}

bool inflict(const Damage& damage, const Copies& copies, const std::string& folder) {
  const fs::path path = fs::path(folder) / damage.file;
  const std::string before = read(path);
  if (damage.harm == Harm::removed) return fs::remove(path);
  const bool is_far = damage.harm == Harm::rolled_far_back;
  if (is_far || damage.harm == Harm::rolled_back) {
    const fs::path older = fs::path(is_far ? copies.long_before : copies.before) / damage.file;
    if (!fs::exists(older) || read(older) == before) return false;
    write(path, read(older));
    return true;
  }
  const std::string after = harmed(damage, before);
  if (after == before) return false;
  write(path, after);
  return true;
}

std::vector<std::vector<Damage>> single_damages(const std::vector<std::string>& files) {
  std::vector<std::vector<Damage>> all;
  for (const std::string& file : files) {
    for (std::size_t harm = 0; harm < kHarms; ++harm) {
      all.push_back({{file, static_cast<Harm>(harm)}});
    }
  }
  return all;
}

std::vector<Damage> random_damages(const std::vector<std::string>& files, base::Random& random) {
  std::vector<std::string> chosen = files;
  for (std::size_t i = chosen.size(); i > 1; --i)
    std::swap(chosen[i - 1], chosen[random.next() % i]);
  chosen.resize(2 + random.next() % (files.size() - 2));
  // A few files are chosen more often than many: much damage leaves nothing to find.
  if (random.next() % 4 != 0)
    chosen.resize(std::min<std::size_t>(chosen.size(), 2 + random.next() % 2));
  std::vector<Damage> damages;
  for (const std::string& file : chosen) {
    damages.push_back({file, static_cast<Harm>(random.next() % kHarms)});
  }
  return damages;
}

std::vector<std::vector<Damage>> numbered_damages(const std::vector<std::string>& files,
                                                  std::uint64_t first, std::size_t count) {
  const auto singles = single_damages(files);
  std::vector<std::vector<Damage>> all;
  for (std::uint64_t number = first; number < first + count; ++number) {
    base::SeededRandom random(number);
    all.push_back(number <= singles.size() ? singles[number - 1] : random_damages(files, random));
  }
  return all;
}

}  // namespace crash
