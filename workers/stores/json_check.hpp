// Says whether a text is JSON. Readers that take values out of it look at these alone.
#pragma once

#include <string_view>

namespace workers {

// True if the text is one value by the grammar of RFC 8259. An escape can stand for half a
// character, as JavaScript writes it, and a number can be beyond a double. `text` is UTF-8, and is
// nested no deeper than base::kJsonDepthMax.
bool is_json(std::string_view text);

}  // namespace workers
