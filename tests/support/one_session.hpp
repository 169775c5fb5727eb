// The session of a log that needs only one.
#pragma once

#include <string>

#include "eventlog/base/ids.hpp"

namespace support {

inline const std::string kOnlySession = "01890a5d-ac96-774b-bcce-b302099a8057";
inline const std::string kStream = "main/session/" + kOnlySession;

}  // namespace support
