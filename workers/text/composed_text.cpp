// Asks utf8proc, whose answer is freed with free().
#include "workers/text/composed_text.hpp"

#include <utf8proc.h>

#include <cstdlib>

namespace workers {

std::string composed_text(std::string_view text) {
  utf8proc_uint8_t* out = nullptr;
  const utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &out,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  std::string composed(text);
  if (bytes >= 0)
    composed.assign(reinterpret_cast<const char*>(out), static_cast<std::size_t>(bytes));
  std::free(out);
  return composed;
}

}  // namespace workers
