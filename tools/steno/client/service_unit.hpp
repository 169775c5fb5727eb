// The text of the systemd unit, which the build makes of tools/install/steno.service.in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steno {

// With @STENO_PROGRAM_FILE@, @STENO_SERVE@ and @STENO_PATH@ where the program, the command and the
// assignment of PATH belong.
std::string_view unit_template();

// Returns the unit that runs the command with that PATH. Words can hold any bytes but line ends.
std::string unit_text(const std::vector<std::string>& command, const std::string& path);

}  // namespace steno
