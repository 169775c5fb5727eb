// The cursor over msgpack bytes, walked as the input says.
#include "eventlog/base/msgpack.hpp"

#include "tests/fuzz/fuzz.hpp"

namespace {

using base::ByteView;
using base::MsgpackKind;
using base::MsgpackReader;
using fuzz::require;

// Reads one value by the call for its kind, and writes it to `out`. Floats and extensions, which
// nobody writes, are copied as they are.
bool copy(MsgpackReader& in, base::MsgpackWriter& out) {
  ByteView bytes;
  std::size_t count = 0;
  std::int64_t integer = 0;
  bool boolean = false;
  switch (in.peek()) {
    case MsgpackKind::nil:
      out.nil();
      return in.nil();
    case MsgpackKind::boolean:
      if (!in.boolean(boolean)) return false;
      out.boolean(boolean);
      return true;
    case MsgpackKind::integer:
      if (!in.integer(integer)) return false;
      out.integer(integer);
      return true;
    case MsgpackKind::text:
      if (!in.text(bytes)) return false;
      out.text(bytes);
      return true;
    case MsgpackKind::binary:
      if (!in.binary(bytes)) return false;
      out.binary(bytes);
      return true;
    case MsgpackKind::array:
    case MsgpackKind::map: {
      const bool is_map = in.peek() == MsgpackKind::map;
      if (is_map ? !in.map(count) : !in.array(count)) return false;
      is_map ? out.map(count) : out.array(count);
      for (std::size_t i = 0; i < (is_map ? 2 * count : count); ++i) {
        if (!copy(in, out)) return false;
      }
      return true;
    }
    case MsgpackKind::other:
      if (!in.value(bytes)) return false;
      out.raw(bytes);
      return true;
    case MsgpackKind::end:
      break;
  }
  return in.skip();
}

}  // namespace

namespace fuzz {

void run(ByteView in) {
  MsgpackReader stepping(in);
  ByteView value;
  if (!stepping.value(value)) {
    require(stepping.failed(), "a read that fails leaves the cursor failed");
    require(stepping.peek() == MsgpackKind::end && !stepping.skip(), "and it stays so");
    return;
  }
  require(value.data() == in.data() && value.size() <= in.size(), "a value lies in the input");
  // Skipping is bounded in depth, so a value that was skipped can be walked too.
  MsgpackReader reading(value);
  Bytes copied;
  base::MsgpackWriter writer(copied);
  if (!copy(reading, writer)) return;  // an integer is too large
  require(reading.at_end(), "walking and stepping over end at the same byte");
  MsgpackReader again(copied);
  Bytes twice;
  base::MsgpackWriter twice_writer(twice);
  require(copy(again, twice_writer) && again.at_end() && twice == copied,
          "what the writer says is read as it was");
}

}  // namespace fuzz
