// Reads the file with toml++, and turns its errors into values with a line number.
#include "tools/steno/config/config_file.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include <toml++/toml.h>

namespace steno {
namespace {

// Returns the shortest decimal text, without an exponent, that reads back as the same number.
std::string decimal_text(double value) {
  std::array<char, 512> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return error == std::errc{} ? std::string(text.data(), end) : std::string("?");
}

bool read_list(const toml::array& array, std::vector<std::string>& list) {
  for (const toml::node& item : array) {
    const auto text = item.value_exact<std::string>();
    if (!text) return false;
    list.push_back(*text);
  }
  return true;
}

FileSetting to_setting(std::vector<std::string> table, std::string key, const toml::node& node) {
  FileSetting setting;
  setting.table = std::move(table);
  setting.key = std::move(key);
  setting.line = static_cast<std::int64_t>(node.source().begin.line);
  if (const auto text = node.value_exact<std::string>()) {
    setting.kind = FileValueKind::text;
    setting.text = *text;
  } else if (const auto integer = node.value_exact<std::int64_t>()) {
    setting.kind = FileValueKind::integer;
    setting.text = std::to_string(*integer);
  } else if (const auto decimal = node.value_exact<double>()) {
    setting.kind = FileValueKind::decimal;
    setting.text = decimal_text(*decimal);
  } else if (const auto boolean = node.value_exact<bool>()) {
    setting.kind = FileValueKind::boolean;
    setting.text = *boolean ? "true" : "false";
  } else if (const toml::array* array = node.as_array();
             array != nullptr && !array->is_array_of_tables() && read_list(*array, setting.list)) {
    setting.kind = FileValueKind::list;
  } else if (node.is_table()) {
    setting.kind = FileValueKind::table;
  } else if (node.is_array_of_tables()) {
    setting.kind = FileValueKind::tables;
  }
  return setting;
}

void add_settings(const toml::table& table, std::vector<std::string>& path,
                  std::vector<FileSetting>& settings);

// A table of an array stands below the array's name and its own number, from 0.
void add_tables(const toml::array& array, std::vector<std::string>& path,
                std::vector<FileSetting>& settings) {
  for (std::size_t i = 0; i < array.size(); ++i) {
    const toml::table* table = array[i].as_table();
    settings.push_back(to_setting(path, std::to_string(i), array[i]));
    if (table == nullptr) continue;
    path.push_back(std::to_string(i));
    add_settings(*table, path, settings);
    path.pop_back();
  }
}

// Adds what the table holds, in the order of the names. `path` are the names that lead to it.
void add_settings(const toml::table& table, std::vector<std::string>& path,
                  std::vector<FileSetting>& settings) {
  for (const auto& [key, node] : table) {
    settings.push_back(to_setting(path, std::string(key.str()), node));
    const toml::array* array = node.as_array();
    path.emplace_back(key.str());
    if (const toml::table* inner = node.as_table()) {
      add_settings(*inner, path, settings);
    } else if (array != nullptr && array->is_array_of_tables()) {
      add_tables(*array, path, settings);
    }
    path.pop_back();
  }
}

}  // namespace

base::Result<std::vector<FileSetting>> parse_config(std::string_view text,
                                                    const std::string& path) {
  try {
    std::vector<FileSetting> settings;
    const toml::table table = toml::parse(text);
    std::vector<std::string> outermost;
    add_settings(table, outermost, settings);
    return settings;
  } catch (const toml::parse_error& error) {
    return base::failure(base::ErrorCode::invalid,
                         "the configuration is not TOML: " + std::string(error.description()),
                         path + " line " + std::to_string(error.source().begin.line));
  }
}

base::Result<std::vector<FileSetting>> read_config_file(const std::string& path) {
  const auto failed = [&path] {
    const auto code = errno == ENOENT ? base::ErrorCode::not_found : base::ErrorCode::io;
    return base::failure(
        code, std::string("cannot read the configuration: ") + std::strerror(errno), path);
  };
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return failed();
  errno = EISDIR;
  if (S_ISDIR(status.st_mode)) return failed();
  std::ifstream in(path, std::ios::binary);
  if (!in) return failed();
  std::stringstream text;
  text << in.rdbuf();
  return parse_config(text.str(), path);
}

}  // namespace steno
