// Paths are made absolute and words are split here, whoever gave them.
#include "tools/steno/config/given_setting.hpp"

#include <algorithm>

#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/config/command_words.hpp"
#include "tools/steno/text/nearest.hpp"

namespace steno {
namespace {

constexpr std::string_view kFilePathAccepted = "an absolute path, or one that begins with ~/";

}  // namespace

bool fits(KeyKind key, FileValueKind value) {
  switch (key) {
    case KeyKind::integer:
      return value == FileValueKind::integer;
    case KeyKind::money:
      return value == FileValueKind::integer || value == FileValueKind::decimal;
    case KeyKind::boolean:
      return value == FileValueKind::boolean;
    case KeyKind::words:
      return value == FileValueKind::text || value == FileValueKind::list;
    case KeyKind::text:
    case KeyKind::path:
      break;
  }
  return value == FileValueKind::text;
}

Given given_in_file(const FileSetting& setting, const std::string& path, std::string user_home) {
  Given given;
  given.text = setting.text;
  given.list = setting.list;
  given.kind = setting.kind;
  given.source = SettingSource::file;
  given.where = path + " line " + std::to_string(setting.line);
  given.user_home = std::move(user_home);
  return given;
}

tl::unexpected<base::Error> wrong_kind(const std::string& name, const ConfigKey& key, KeyKind kind,
                                       const std::string& where) {
  const auto accepted = kind == KeyKind::path ? kFilePathAccepted : key.accepted;
  const bool is_quoted = kind == KeyKind::text || kind == KeyKind::path;
  return base::failure(base::ErrorCode::invalid,
                       name + " is of the wrong kind; accepted is " + std::string(accepted) +
                           (is_quoted ? " in quotes" : ""),
                       where);
}

tl::unexpected<base::Error> not_accepted(const std::string& name, std::string_view accepted,
                                         KeyKind kind, const Given& given) {
  const bool is_file_path = kind == KeyKind::path && given.source == SettingSource::file;
  const std::string shown = given.kind == FileValueKind::list ? join_words(given.list) : given.text;
  return base::failure(base::ErrorCode::invalid,
                       name + " = '" + shown + "' is not accepted; accepted: " +
                           std::string(is_file_path ? kFilePathAccepted : accepted),
                       given.where);
}

tl::unexpected<base::Error> unknown_key(const std::string& key, const std::string& in,
                                        const std::vector<std::string>& known,
                                        const std::string& where) {
  std::string text;
  for (const std::string& one : known) text += (text.empty() ? "" : ", ") + one;
  const std::string meant = nearest_word(key, known);
  return base::failure(base::ErrorCode::invalid,
                       "unknown key '" + key + "' in " + in + "; " +
                           (meant.empty() ? "known are " + text : "did you mean " + meant + "?"),
                       where);
}

bool is_variable_name(std::string_view text) {
  const auto is_part = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && (text.front() < '0' || text.front() > '9') &&
         std::all_of(text.begin(), text.end(), is_part);
}

std::optional<std::string> resolve_path(const Given& given, const std::string& text) {
  if (text.empty() || text.find('\0') != std::string::npos) return std::nullopt;
  std::string path = text;
  if (path == "~" || path.starts_with("~/")) {
    if (given.user_home.empty()) return std::nullopt;
    path = given.user_home + path.substr(1);
  }
  if (path.front() != '/') {
    if (given.relative_to.empty()) return std::nullopt;
    path = given.relative_to + "/" + path;
  }
  return normal_path(path);
}

std::optional<std::vector<std::string>> words_of(const Given& given) {
  return given.kind == FileValueKind::list ? std::optional(given.list) : split_words(given.text);
}

std::optional<std::vector<std::string>> program_of(const Given& given) {
  auto words = words_of(given);
  if (!words || words->empty() || words->front().empty()) return std::nullopt;
  if (words->front().find('/') != std::string::npos) {
    auto path = resolve_path(given, words->front());
    if (!path) return std::nullopt;
    words->front() = std::move(*path);
  }
  return words;
}

}  // namespace steno
