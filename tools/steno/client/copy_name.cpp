// A copy has a name of an agent's form.
#include "tools/steno/client/copy_name.hpp"

#include <filesystem>

#include "eventlog/domain/stream_ref.hpp"

namespace steno {

Outcome<std::string> name_of_copy(const std::string& what, const std::string& given,
                                  const std::string& folder) {
  if (!given.empty()) return given;
  std::string name = std::filesystem::path(folder).filename().string();
  if (domain::is_agent_name(name)) return name;
  return fail(kExitUsage, what + " is named by 1 to 64 of a-z 0-9 . _ -, and its folder '" + name +
                              "' is not; give it a name by --name");
}

}  // namespace steno
