// Rows in memory that cannot be written while `is_full`, nor read when their keys begin with
// `unreadable`.
#pragma once

#include <string>

#include "tests/support/forwarding_rows.hpp"

namespace support {

class FaultyRows final : public ForwardingRows {
 public:
  base::Result<bool> write(const eventlog::WriteBatch& batch) override {
    if (is_full) return base::failure(base::ErrorCode::io, "No space left on device");
    return ForwardingRows::write(batch);
  }
  base::Result<std::optional<base::Bytes>> get(base::ByteView key) override {
    if (!unreadable.empty() && key.starts_with(unreadable)) {
      return base::failure(base::ErrorCode::io, "Input/output error");
    }
    return ForwardingRows::get(key);
  }

  bool is_full = false;
  std::string unreadable;
};

}  // namespace support
