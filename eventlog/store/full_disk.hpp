// The advice that every error text about a full disk ends with.
#pragma once

#include <string_view>

namespace eventlog {

constexpr std::string_view kMakeRoom =
    "; make room on that disk (df -h shows how full it is), then restart what stopped: everything "
    "acknowledged is kept";

}  // namespace eventlog
