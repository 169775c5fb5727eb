// The one table of all settings outside tables of the file: how each is parsed and shown.
#pragma once

#include <functional>

#include "tools/steno/config/given_setting.hpp"

namespace steno {

struct Key {
  ConfigKey key;
  KeyKind kind;
  // Returns false if the value is not accepted.
  std::function<bool(Config&, const Given&)> set;
  std::function<std::string(const Config&)> show;
};

// In the order in which they are set: a default can depend on the keys before it.
const std::vector<Key>& keys();

}  // namespace steno
