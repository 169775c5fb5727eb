// What to do about a disk that is full, for whoever says that it is.
#pragma once

#include <string_view>

namespace eventlog {

constexpr std::string_view kMakeRoom =
    "; make room on that disk (df -h shows how full it is), then start again what stopped: what "
    "was "
    "acknowledged is kept";

}  // namespace eventlog
