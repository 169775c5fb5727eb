// The head file: two slots, each with a checksum; the newer whole one counts.
#include "eventlog/store/head_file.hpp"

#include "tests/fuzz/values.hpp"

namespace {

constexpr std::size_t kSlotBytes = 4096;

base::Bytes build(fuzz::Source& source) {
  base::Bytes body;
  fuzz::make_value<eventlog::HeadSlot>(source, body);
  fuzz::damage(source, body);
  base::Bytes slot;
  base::append_u32(slot, static_cast<std::uint32_t>(body.size() + (source.byte() == 255)));
  slot.append(body);
  base::append_u64(slot, base::xxh3(body) + (source.byte() == 255));
  slot.resize(kSlotBytes, '\0');
  return slot;
}

}  // namespace

// The first byte chooses: 0 a file as it comes, 1 two slots that the rest describes, most of them
// whole.
void fuzz::run(ByteView in) {
  Source source(in);
  const bool is_built = source.byte() % 2 == 1;
  const Bytes file = is_built ? build(source) + build(source) : Bytes(source.rest());
  const auto newest = eventlog::parse_head_file(file);
  if (!newest) return;
  const Bytes slot = eventlog::encode_head_slot(*newest);
  require(eventlog::parse_head_file(slot) == newest, "decode(encode(decode(x))) is the same slot");
  Bytes flipped = slot;
  const std::size_t bit = base::xxh3(slot) % (8 * slot.size());
  flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
  require(!eventlog::parse_head_file(flipped), "one bit that is flipped is found");
  const Bytes file_of_both = Bytes(kSlotBytes, '\0') + slot;
  require(eventlog::parse_head_file(file_of_both) == newest, "the whole slot of the two counts");
}
