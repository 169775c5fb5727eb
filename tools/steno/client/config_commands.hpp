// `steno config`: single settings, and changes of the settings file.
#pragma once

#include "tools/steno/client/own_commands.hpp"

namespace steno {

struct ConfigArguments {
  std::string key;  // of a table with dots: "engines.sandbox.program"
  std::string value;
};

// Prints the value that is in force, and where it comes from.
Outcome<int> config_get(const Config& config, const ConfigArguments& arguments);

// These work also where the file cannot be read, or is wrong.
Outcome<int> config_set(const ConfigInput& input, const ConfigArguments& arguments);
Outcome<int> config_unset(const ConfigInput& input, const ConfigArguments& arguments);
Outcome<int> config_path(const ConfigInput& input, const NoArguments&);

}  // namespace steno
