// Each line of the list is a digest of the file's bytes and its path.
#include "tools/steno/config/trusted_files.hpp"

#include "eventlog/base/hash.hpp"
#include "eventlog/base/text_bytes.hpp"
#include "tools/steno/config/change_file.hpp"
#include "tools/steno/config/given_setting.hpp"
#include "tools/steno/config/sources.hpp"

namespace steno {
namespace {

constexpr std::size_t kTrustedMax = 1'000;  // files; the oldest gives way

std::string digest_of(const ProjectFile& file) {
  return base::to_hex(base::view(base::blake2b(file.bytes)));
}

std::vector<std::string> trust_lines(const std::string& bytes) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = bytes.find('\n', begin)) != std::string::npos; begin = end + 1) {
    lines.push_back(bytes.substr(begin, end - begin));
  }
  return lines;
}

bool is_about(const std::string& line, const ProjectFile& file) {
  const std::size_t blank = line.find(' ');
  return blank != std::string::npos && line.substr(blank + 1) == file.path;
}

}  // namespace

std::string trust_list_of(const Config& config) {
  constexpr const char* kName = "/trusted";
  if (!config.home.empty()) return config.home + kName;
  return xdg_folder(process_input({}), "XDG_CONFIG_HOME", "/.config") + "/steno" + kName;
}

Trust trust_in(const std::string& list, const ProjectFile& file) {
  const auto bytes = bytes_of_file(list);
  if (!bytes) return Trust::none;
  for (const std::string& line : trust_lines(*bytes)) {
    if (!is_about(line, file)) continue;
    return line == digest_of(file) + " " + file.path ? Trust::given : Trust::changed;
  }
  return Trust::none;
}

base::Result<bool> set_trust(const std::string& list, const ProjectFile& file, bool is_trusted) {
  if (!is_one_line(file.path)) {
    return base::failure(base::ErrorCode::invalid, "the path has control characters", file.path);
  }
  return change_file(list, [&](const std::string& before) -> base::Result<std::string> {
    std::vector<std::string> lines = trust_lines(before);
    std::erase_if(lines, [&](const std::string& line) { return is_about(line, file); });
    if (is_trusted) lines.push_back(digest_of(file) + " " + file.path);
    std::string after;
    const std::size_t first = lines.size() - std::min(lines.size(), kTrustedMax);
    for (std::size_t i = first; i < lines.size(); ++i) after += lines[i] + "\n";
    return after;
  });
}

}  // namespace steno
