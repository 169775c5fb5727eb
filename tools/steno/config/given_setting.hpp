// A value of a setting as somebody gave it, and how values of each kind are read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/steno/config/config.hpp"

namespace steno {

// A value as given, before it is parsed.
struct Given {
  std::string text;
  std::vector<std::string> list;  // of a list in the file
  FileValueKind kind = FileValueKind::text;
  SettingSource source = SettingSource::builtin;
  std::string where;
  std::string relative_to;  // base folder of relative paths; empty: they are refused
  std::string user_home;    // the meaning of "~/"; empty: it is refused
};

enum class KeyKind { text, path, integer, money, boolean, words };

// True if the file can give a setting of that kind by such a value. Durations are texts: a bare
// number in the file would lack a unit.
bool fits(KeyKind key, FileValueKind value);

// Returns a setting from the file as it was given; `user_home` is the meaning of "~/".
Given given_in_file(const FileSetting& setting, const std::string& path, std::string user_home);

// Errors `invalid` for a value of the wrong kind, and for one that is not accepted. `name` is the
// setting's as people are to read it.
tl::unexpected<base::Error> wrong_kind(const std::string& name, const ConfigKey& key, KeyKind kind,
                                       const std::string& where);
tl::unexpected<base::Error> not_accepted(const std::string& name, std::string_view accepted,
                                         KeyKind kind, const Given& given);

// Error `invalid` for a key that the table `in` does not have.
tl::unexpected<base::Error> unknown_key(const std::string& key, const std::string& in,
                                        const std::vector<std::string>& known,
                                        const std::string& where);

using workers::is_one_line;
// True for the name of a variable of an environment.
bool is_variable_name(std::string_view text);

// Each of these returns nothing if the value is not accepted.
std::optional<std::string> resolve_path(const Given& given, const std::string& text);
std::optional<std::vector<std::string>> words_of(const Given& given);
// A bare name is searched in the PATH. A path is made absolute, since it is used from other
// folders.
std::optional<std::vector<std::string>> program_of(const Given& given);

constexpr std::string_view kPathAccepted = "a path";
constexpr std::string_view kProgramAccepted =
    "a program with its arguments (a path in the file must be absolute or begin with ~/)";
constexpr std::string_view kVariablesAccepted =
    "names of variables such as GH_TOKEN, separated by blanks";

}  // namespace steno
