// Rows are read a page at a time and hashed in the order of their keys.
#include "projections/fold/digest.hpp"

namespace projections {

Result<base::Hash> digest(eventlog::ReadableRows& rows, std::string_view projection) {
  const Bytes prefix = Bytes(projection) + '/';
  base::Blake2bStream stream;
  Bytes next = prefix;
  for (;;) {
    auto page = rows.scan(prefix, next, kRowsPage);
    if (!page) return tl::unexpected(page.error());
    for (const eventlog::KeyValue& row : *page) {
      stream.add(ByteView(row.key).substr(prefix.size()));
      stream.add(row.value);
    }
    if (page->size() < kRowsPage) return stream.finish();
    next = page->back().key + '\0';
  }
}

}  // namespace projections
