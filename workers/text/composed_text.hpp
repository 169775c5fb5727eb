// One form for texts that look the same: keyboards and file systems write "é" as one character or
// as two.
#pragma once

#include <string>
#include <string_view>

namespace workers {

// Returns the text in Unicode's normal form C; text that is not UTF-8 as it is.
std::string composed_text(std::string_view text);

}  // namespace workers
