// Whoever can write into a folder above can write the file. So it is looked for only where the
// folders are one person's, and everything in it is checked before any of it is used.
#include "tools/steno/config/project_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tools/steno/config/config.hpp"
#include "tools/steno/config/given_setting.hpp"
#include "tools/steno/config/whole_file.hpp"
#include "tools/steno/text/nearest.hpp"

namespace steno {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Result;

constexpr std::size_t kProjectBytesMax = 1 << 20;  // nobody writes more by hand
constexpr std::string_view kDefaults = "defaults";
constexpr std::string_view kTemplates = "templates";

bool is_there(const fs::path& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0;
}

bool is_of_version_control(const fs::path& folder) {
  static constexpr const char* kNames[] = {".git", ".hg", ".jj", ".svn"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](const char* name) { return is_there(folder / name); });
}

std::string table_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ".") + name;
  return "[" + text + "]";
}

std::string_view foreign_text(const WholeFile& file) {
  if (file.owner != ::geteuid() && file.owner != 0) return "belongs to another user";
  constexpr mode_t kWrittenByOthers = 022;
  return (file.mode & kWrittenByOthers) == 0 ? "" : "can be written by others (chmod go-w)";
}

bool is_known_key(const std::vector<std::string>& known, const std::string& key) {
  return std::find(known.begin(), known.end(), key) != known.end();
}

// A key of the settings file says what belongs to whoever runs the server.
std::string not_of_projects(const std::string& key) {
  const auto& keys = config_keys();
  const bool is_own =
      std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& one) { return one.name == key; });
  return is_own || key == kEnginesTable || key == kHooksTables || key == kConversationsTable
             ? key + " is for your own settings file only (steno config path)"
             : std::string();
}

class ProjectFileCheck {
 public:
  ProjectFileCheck(const std::string& path, const std::vector<std::string>& known)
      : path_(path), known_(known) {}

  Result<void> check(const FileSetting& setting) const {
    const auto& table = setting.table;
    const bool is_table = setting.kind == FileValueKind::table;
    if (table.empty()) {
      if (is_table && (setting.key == kDefaults || setting.key == kTemplates)) return {};
      return fault(setting, outermost(setting.key));
    }
    if (table.front() == kTemplates && table.size() == 1) {
      if (is_table && is_name(setting.key)) return {};
      return fault(setting, "'" + setting.key +
                                "' is no template; accepted are tables [templates.NAME], with "
                                "names of a-z A-Z 0-9 . _ -");
    }
    const std::size_t depth = table.front() == kTemplates ? 2 : 1;
    if (table.size() != depth) return {};  // what it stands in was refused
    const bool is_in_defaults = table.front() == kDefaults;
    if (is_known_key(known_, setting.key) && !(is_in_defaults && setting.key == "prompt"))
      return {};
    if (const std::string text = not_of_projects(setting.key); !text.empty()) {
      return fault(setting, text);
    }
    return unknown_key(setting.key, table_text(table), known_, where(setting));
  }

 private:
  static bool is_name(const std::string& name) {
    const auto is_part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '_' || c == '-';
    };
    return !name.empty() && std::all_of(name.begin(), name.end(), is_part);
  }

  std::string outermost(const std::string& key) const {
    if (is_known_key(known_, key)) return key + " belongs into [defaults] or [templates.NAME]";
    const std::string own = not_of_projects(key);
    return own.empty() ? "unknown key '" + key + "'; known are [defaults] and [templates.NAME]"
                       : own;
  }

  std::string where(const FileSetting& setting) const {
    return path_ + " line " + std::to_string(setting.line);
  }
  tl::unexpected<base::Error> fault(const FileSetting& setting, std::string text) const {
    return base::failure(ErrorCode::invalid, std::move(text), where(setting));
  }

  const std::string& path_;
  const std::vector<std::string>& known_;
};

}  // namespace

std::string find_project_file(const std::string& folder, const std::string& user_home,
                              std::string& looked_up_to) {
  std::error_code failed;
  const fs::path begin = fs::weakly_canonical(folder, failed);
  const fs::path home = user_home.empty() ? fs::path() : fs::weakly_canonical(user_home, failed);
  fs::path found;
  for (fs::path at = begin;; at = at.parent_path()) {
    if (found.empty() && is_there(at / kProjectFile)) found = at / kProjectFile;
    looked_up_to = at.string();
    if (at == home || is_of_version_control(at)) return found.string();
    if (at == at.parent_path()) break;
  }
  looked_up_to = begin.string();
  return found.parent_path() == begin ? found.string() : std::string();
}

Result<ProjectFile> read_project_file(const std::string& path,
                                      const std::vector<std::string>& known) {
  auto whole = read_whole_file(path, kProjectBytesMax);
  if (!whole) return tl::unexpected(whole.error());
  ProjectFile file;
  file.path = path;
  file.foreign = foreign_text(*whole);
  file.bytes = std::move(whole->bytes);
  auto settings = parse_config(file.bytes, path);
  if (!settings) return tl::unexpected(settings.error());
  file.settings = std::move(*settings);
  const ProjectFileCheck check(path, known);
  for (const FileSetting& setting : file.settings) {
    if (auto ok = check.check(setting); !ok) return tl::unexpected(ok.error());
  }
  return file;
}

std::vector<std::string> templates_of(const ProjectFile& file) {
  std::vector<std::string> names;
  for (const FileSetting& setting : file.settings) {
    if (setting.table.size() == 1 && setting.table.front() == kTemplates) {
      names.push_back(setting.key);
    }
  }
  return names;
}

Result<std::vector<FileSetting>> settings_of(const ProjectFile& file,
                                             const std::string& template_name) {
  const std::vector<std::string> names = templates_of(file);
  if (!template_name.empty() && !is_known_key(names, template_name)) {
    const std::string meant = nearest_word(template_name, names);
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return base::failure(ErrorCode::not_found,
                         "there is no template '" + template_name + "'; " +
                             (!meant.empty() ? "did you mean " + meant + "?"
                              : all.empty()  ? "the file has none"
                                             : "there are " + all),
                         file.path);
  }
  const std::vector<std::string> chosen = {std::string(kTemplates), template_name};
  std::vector<FileSetting> all;
  for (const bool is_template : {false, true}) {
    for (const FileSetting& setting : file.settings) {
      const bool is_in = is_template ? setting.table == chosen
                                     : setting.table == std::vector{std::string(kDefaults)};
      if (!is_in) continue;
      std::erase_if(all, [&](const FileSetting& one) { return one.key == setting.key; });
      all.push_back(setting);
    }
  }
  return all;
}

}  // namespace steno
