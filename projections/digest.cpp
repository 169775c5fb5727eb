#include "projections/digest.hpp"

namespace projections {

Result<base::Hash> digest(eventlog::KeyValueStore& store, std::string_view projection) {
  base::Blake2bStream stream;
  auto walked =
      for_each_row(RowReader(store, projection), {}, {}, [&](const Bytes& key, const Bytes& value) {
        stream.add(key);
        stream.add(value);
        return true;
      });
  if (!walked) return tl::unexpected(walked.error());
  return stream.finish();
}

}  // namespace projections
