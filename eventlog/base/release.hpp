// The release of this program, such as "0.1.0". One source of the build holds it, so a program of
// another release differs in that object alone.
#pragma once

#include <string>

namespace base {

std::string release();

}  // namespace base
