// A byte string that is always msgpack `bin`, even if it happens to be UTF-8, so that readers in
// other languages see one type.
#pragma once

#include "eventlog/base/msgpack.hpp"

namespace base {

struct Binary {
  Bytes bytes;

  bool operator==(const Binary&) const = default;
  // Found by fields.hpp through argument-dependent lookup.
  friend void write(MsgpackWriter& out, const Binary& value) { out.binary(value.bytes); }
  friend bool read(MsgpackReader& in, Binary& value) {
    ByteView view;
    if (!in.binary(view)) return false;
    value.bytes.assign(view);
    return true;
  }
};

// As Binary, but a view of bytes that must outlive it. It can only be read.
struct BinaryView {
  ByteView bytes;

  bool operator==(const BinaryView&) const = default;
  friend bool read(MsgpackReader& in, BinaryView& value) { return in.binary(value.bytes); }
};

}  // namespace base
