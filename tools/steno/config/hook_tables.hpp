// The tables [[hooks]] of the configuration file, each a hook.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/result.hpp"
#include "tools/steno/config/config_file.hpp"
#include "workers/hooks/hook.hpp"

namespace steno {

struct ConfigKey;

constexpr std::string_view kHooksTables = "hooks";

// A hook as the file has it.
struct HookTableRow {
  workers::Hook hook;
  std::string url_file;  // of a URL and perhaps a secret; empty: there is none
};

// Reads what the file says in these tables, in its order; settings of others are passed over.
// `path` is the file's, `user_home` the meaning of "~/". Errors `invalid`, with place and key: an
// unknown key, a value that is not accepted, a hook without a name, a point or a way to ask it, or
// with two.
base::Result<std::vector<HookTableRow>> read_hook_tables(const std::vector<FileSetting>& settings,
                                                         const std::string& path,
                                                         const std::string& user_home);

// Returns the keys of a table, named "hooks.name" and so on.
const std::vector<ConfigKey>& hook_keys();

}  // namespace steno
