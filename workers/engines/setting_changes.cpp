// Compares settings by their rows.
#include "workers/engines/setting_changes.hpp"

#include <algorithm>
#include <iterator>

#include "eventlog/domain/session/spec_settings.hpp"

namespace engines {

std::vector<std::string> differing_settings(const std::vector<std::string>& keys,
                                            const domain::SessionSpec& told,
                                            const domain::SessionSpec& wanted) {
  std::vector<std::string> changed;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(changed), [&](const std::string& key) {
    const domain::SpecSetting* setting = domain::find_spec_setting(key);
    return setting != nullptr && !domain::has_same_setting(*setting, told, wanted);
  });
  return changed;
}

}  // namespace engines
