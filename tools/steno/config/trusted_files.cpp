// Each line of the list is a digest of the file's bytes, "+" and that of each file of MCP servers,
// and the path. Those files start programs.
#include "tools/steno/config/trusted_files.hpp"

#include <filesystem>

#include "eventlog/base/hash.hpp"
#include "eventlog/base/text_bytes.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/config/change_file.hpp"
#include "tools/steno/config/given_setting.hpp"
#include "tools/steno/config/sources.hpp"
#include "tools/steno/config/whole_file.hpp"

namespace steno {
namespace {

constexpr std::size_t kTrustedMax = 1'000;  // files; the oldest gives way

constexpr std::size_t kServersBytesMax = 1 << 20;
constexpr std::string_view kServersKey = "mcp_config";
constexpr std::string_view kNone = "none";  // as the setting, and for a file that is not there

std::string digest_of(const std::string& bytes) {
  return base::to_hex(base::view(base::blake2b(bytes)));
}

// Returns the path of the file that the setting names; none: it names none.
std::optional<std::string> servers_file(const FileSetting& setting, const std::string& path) {
  if (setting.key != kServersKey || setting.kind != FileValueKind::text || setting.text == kNone) {
    return std::nullopt;
  }
  Given given = given_in_file(setting, path, user_home());
  given.relative_to = std::filesystem::path(path).parent_path().string();
  return resolve_path(given, given.text);
}

std::vector<std::string> trust_lines(const std::string& bytes) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = bytes.find('\n', begin)) != std::string::npos; begin = end + 1) {
    lines.push_back(bytes.substr(begin, end - begin));
  }
  return lines;
}

bool is_about(const std::string& line, const std::string& path) {
  const std::size_t blank = line.find(' ');
  return blank != std::string::npos && line.substr(blank + 1) == path;
}

}  // namespace

std::string trust_list_of(const Config& config) {
  constexpr const char* kName = "/trusted";
  if (!config.home.empty()) return config.home + kName;
  return xdg_folder(process_input({}), "XDG_CONFIG_HOME", "/.config") + "/steno" + kName;
}

base::Result<std::string> trust_digest(const ProjectFile& file) {
  std::string digest = digest_of(file.bytes);
  for (const FileSetting& setting : file.settings) {
    const auto path = servers_file(setting, file.path);
    if (!path) continue;
    const auto servers = read_whole_file(*path, kServersBytesMax);
    const bool is_missing = !servers && servers.error().code == base::ErrorCode::not_found;
    if (!servers && !is_missing) return tl::unexpected(servers.error());
    digest += "+" + (is_missing ? std::string(kNone) : digest_of(servers->bytes));
  }
  return digest;
}

Trust trust_in(const std::string& list, const ProjectFile& file) {
  const auto bytes = bytes_of_file(list);
  if (!bytes) return Trust::none;
  for (const std::string& line : trust_lines(*bytes)) {
    if (!is_about(line, file.path)) continue;
    const auto digest = trust_digest(file);
    return digest && line == *digest + " " + file.path ? Trust::given : Trust::changed;
  }
  return Trust::none;
}

base::Result<bool> set_trust(const std::string& list, const std::string& path,
                             const std::string& digest) {
  if (!is_one_line(path)) {
    return base::failure(base::ErrorCode::invalid, "the path has control characters", path);
  }
  return change_file(list, [&](const std::string& before) -> base::Result<std::string> {
    std::vector<std::string> lines = trust_lines(before);
    std::erase_if(lines, [&](const std::string& line) { return is_about(line, path); });
    if (!digest.empty()) lines.push_back(digest + " " + path);
    std::string after;
    const std::size_t first = lines.size() - std::min(lines.size(), kTrustedMax);
    for (std::size_t i = first; i < lines.size(); ++i) after += lines[i] + "\n";
    return after;
  });
}

}  // namespace steno
