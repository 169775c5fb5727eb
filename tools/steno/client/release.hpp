// The origin of this program. The build writes the values.
#pragma once

#include <string>

namespace steno {

struct Release {
  std::string release;
  std::string commit;  // of the project's version control; empty: it was built without one
  std::string build;   // the kind: Release, Debug
  std::string compiler;
};

Release release();

}  // namespace steno
