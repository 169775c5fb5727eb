// Changes a small file of the user's as one step: whoever reads it finds it as before or as after.
#pragma once

#include <functional>
#include <string>

#include "eventlog/base/result.hpp"

namespace steno {

// Gives `change` the file's bytes, none if it is missing, and puts what it returns in their place,
// on disk. The file keeps its permissions; a new one is the user's alone. A link is followed, so
// that the file it names is changed. False: the bytes are the same as before. Errors: those of
// `change`; busy: another process is changing it; too_large; io, refused: it cannot be read or
// written, or is a link to a file that is not there.
base::Result<bool> change_file(
    const std::string& path,
    const std::function<base::Result<std::string>(const std::string&)>& change);

// Returns the file's bytes; empty if it is missing. Errors: too_large; io.
base::Result<std::string> bytes_of_file(const std::string& path);

}  // namespace steno
