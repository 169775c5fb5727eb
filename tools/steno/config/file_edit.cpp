// toml++ says where a value stands. Each way to change the text is tried until one gives a file
// that says the same as before but for the key, so that no change of the text is believed unread.
#include "tools/steno/config/file_edit.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <toml++/toml.h>

#include "tools/steno/config/config_file.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The lines of a text, each with its end.
std::vector<std::string> lines_with_ends(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

bool is_bare(std::string_view name) {
  return !name.empty() && name.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                              "WXYZ0123456789_-") == std::string_view::npos;
}

std::string dotted(const KeyPath& names) {
  std::string text;
  for (const std::string& name : names) {
    text.append(text.empty() ? "" : ".").append(is_bare(name) ? name : toml_string(name));
  }
  return text;
}

// Returns the byte of a line at which a column stands; columns count characters from 1.
std::size_t byte_at(std::string_view line, std::size_t column) {
  std::size_t at = line.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  for (std::size_t passed = 1; passed < column && at < line.size(); ++passed) {
    ++at;
    while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80) ++at;
  }
  return at;
}

// What a change can lean on: numbers of lines from 0.
struct EditPlace {
  std::optional<std::pair<toml::source_position, toml::source_position>> value;
  std::size_t behind = 0;  // the line behind the last key of its table; 0: it has none
  std::size_t header = 0;  // the line behind the table's header; 0: there is none
  std::size_t first_header = 0;
  std::size_t behind_outermost = 0;  // the line behind the last key outside tables; 0: none
};

// Returns the line behind the last value that stands in the table itself.
std::size_t behind_keys(const toml::table& table) {
  std::size_t behind = 0;
  for (const auto& [key, node] : table) {
    const toml::table* inner = node.as_table();
    const bool is_apart = (inner != nullptr && !inner->is_inline()) || node.is_array_of_tables();
    if (!is_apart) behind = std::max<std::size_t>(behind, node.source().end.line);
  }
  return behind;
}

EditPlace find_place(const toml::table& root, const KeyPath& key,
                     const std::vector<std::string>& lines) {
  EditPlace place;
  place.behind_outermost = behind_keys(root);
  place.first_header = lines.size();
  for (std::size_t i = place.behind_outermost; i < lines.size(); ++i) {
    const std::size_t first = lines[i].find_first_not_of(" \t");
    if (first == std::string::npos || lines[i][first] != '[') continue;
    place.first_header = i;
    break;
  }
  // Comments directly above a header belong to it.
  while (place.first_header > 0 && place.first_header < lines.size() &&
         lines[place.first_header - 1].starts_with('#')) {
    --place.first_header;
  }
  const toml::table* table = &root;
  for (std::size_t i = 0; i + 1 < key.size() && table != nullptr; ++i) {
    const toml::node* below = table->get(key[i]);
    table = below == nullptr ? nullptr : below->as_table();
  }
  if (table == nullptr) return place;
  place.behind = behind_keys(*table);
  if (table != &root) place.header = table->source().begin.line;
  if (const toml::node* node = table->get(key.back()); node != nullptr) {
    place.value.emplace(node->source().begin, node->source().end);
  }
  return place;
}

// True if the settings are the same, wherever they stand.
bool is_same(const FileSetting& a, const FileSetting& b) {
  return a.table == b.table && a.key == b.key && a.kind == b.kind && a.text == b.text &&
         a.list == b.list;
}

bool is_key(const FileSetting& setting, const KeyPath& key) {
  return setting.key == key.back() && setting.table == KeyPath(key.begin(), key.end() - 1);
}

// A table in which the key stands. It can come with the key.
bool is_around(const FileSetting& setting, const KeyPath& key) {
  KeyPath whole = setting.table;
  whole.push_back(setting.key);
  return setting.kind == FileValueKind::table && whole.size() < key.size() &&
         std::equal(whole.begin(), whole.end(), key.begin());
}

// True if `after` says what `before` says, but for the key, which it has as `value`, or not at all.
bool is_meant(const std::vector<FileSetting>& before, std::string_view after, const KeyPath& key,
              const std::optional<FileSetting>& value) {
  const auto parsed = parse_config(after, "");
  if (!parsed) return false;
  const auto has = [](const std::vector<FileSetting>& all, const FileSetting& one) {
    return std::any_of(all.begin(), all.end(),
                       [&](const FileSetting& other) { return is_same(one, other); });
  };
  std::size_t found = 0;
  for (const FileSetting& setting : *parsed) {
    if (is_key(setting, key)) {
      if (!value || setting.kind != value->kind || setting.text != value->text) return false;
      ++found;
    } else if (!has(before, setting) && !is_around(setting, key)) {
      return false;
    }
  }
  for (const FileSetting& setting : before) {
    const bool can_go = is_key(setting, key) || is_around(setting, key);
    if (!can_go && !has(*parsed, setting)) return false;
  }
  return found == (value ? 1U : 0U);
}

std::string insert_line(std::vector<std::string> lines, std::size_t at, const std::string& line,
                        const std::string& end) {
  if (at > 0 && at <= lines.size() && !lines[at - 1].ends_with('\n')) lines[at - 1] += end;
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(std::min(at, lines.size())), line + end);
  return joined_lines(lines);
}

std::string replace_value(std::vector<std::string> lines, const EditPlace& place,
                          const std::string& value) {
  const auto& [begin, end] = *place.value;
  std::string& first = lines[begin.line - 1];
  const std::string& last = lines[std::min<std::size_t>(end.line, lines.size()) - 1];
  first = first.substr(0, byte_at(first, begin.column)) + value +
          last.substr(byte_at(last, end.column));
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(begin.line),
              lines.begin() + static_cast<std::ptrdiff_t>(end.line));
  return joined_lines(lines);
}

// Returns the ways to bring a key into the text, the best one first.
std::vector<std::string> ways_to_set(const std::vector<std::string>& lines, const EditPlace& place,
                                     const KeyPath& key, const std::string& value) {
  if (place.value) return {replace_value(lines, place, value)};
  const bool has_returns = !lines.empty() && lines.front().ends_with("\r\n");
  const std::string end = has_returns ? "\r\n" : "\n";
  const KeyPath table(key.begin(), key.end() - 1);
  const std::string line = dotted({key.back()}) + " = " + value;
  std::vector<std::string> ways;
  if (place.behind > 0) ways.push_back(insert_line(lines, place.behind, line, end));
  if (table.empty()) {
    const bool is_apart = place.first_header < lines.size();
    ways.push_back(insert_line(lines, place.first_header, line + (is_apart ? end : ""), end));
    return ways;
  }
  if (place.header > 0) ways.push_back(insert_line(lines, place.header, line, end));
  const std::string header = "[" + dotted(table) + "]" + end + line;
  ways.push_back(insert_line(lines, lines.size(), (lines.empty() ? "" : end) + header, end));
  const std::size_t outermost =
      place.behind_outermost > 0 ? place.behind_outermost : place.first_header;
  ways.push_back(insert_line(lines, outermost, dotted(key) + " = " + value, end));
  return ways;
}

tl::unexpected<base::Error> only_by_hand(const KeyPath& key, const std::string& path) {
  return base::failure(ErrorCode::refused,
                       dotted(key) + " stands where only you can change it; edit the file", path);
}

}  // namespace

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted.append(1, '\\').append(1, c);
    } else if (code < 0x20 || code == 0x7f) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", code);
      quoted += escape.data();
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

Result<std::string> with_key(std::string_view text, const KeyPath& key, const std::string& value,
                             const std::string& path) {
  const auto before = parse_config(text, path);
  if (!before) return tl::unexpected(before.error());
  const auto wanted = parse_config("x = " + value, path);
  if (!wanted) return tl::unexpected(wanted.error());
  const std::vector<std::string> lines = lines_with_ends(text);
  const EditPlace place = find_place(toml::parse(text), key, lines);
  for (std::string& way : ways_to_set(lines, place, key, value)) {
    if (is_meant(*before, way, key, wanted->front())) return std::move(way);
  }
  return only_by_hand(key, path);
}

Result<std::optional<std::string>> without_key(std::string_view text, const KeyPath& key,
                                               const std::string& path) {
  const auto before = parse_config(text, path);
  if (!before) return tl::unexpected(before.error());
  std::vector<std::string> lines = lines_with_ends(text);
  const EditPlace place = find_place(toml::parse(text), key, lines);
  if (!place.value) return std::optional<std::string>();
  const auto& [begin, end] = *place.value;
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(begin.line) - 1,
              lines.begin() + static_cast<std::ptrdiff_t>(end.line));
  std::optional<std::string> after = joined_lines(lines);
  if (is_meant(*before, *after, key, std::nullopt)) return after;
  return only_by_hand(key, path);
}

}  // namespace steno
