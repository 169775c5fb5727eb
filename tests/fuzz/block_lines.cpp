// Lines of an export as an import reads them, and the parts of such a line.
#include "tools/steno/replay/block_lines.hpp"

#include <fmt/format.h>

#include "eventlog/base/text_bytes.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tools/steno/replay/replay_checkpoints.hpp"

namespace {

using fuzz::ByteView;
using fuzz::require;
using fuzz::Source;

void read_pieces(ByteView in) {
  if (const auto bytes = base::from_base64(in)) {
    require(base::to_base64(*bytes) == in, "base64 is said in one way");
  }
  if (const auto bytes = base::from_hex(in, in.size() / 2)) {
    require(bytes->size() * 2 == in.size(), "two digits are a byte");
  }
  if (const auto checkpoint = steno::parse_checkpoint(std::string(in))) {
    const std::string text = steno::checkpoint_text(*checkpoint);
    require(steno::parse_checkpoint(text) == checkpoint, "a checkpoint is said exactly");
  }
}

void read_line(const std::string& line) {
  steno::BlockLineReader reader;
  const auto kind = reader.read(line);
  if (kind && *kind == steno::BlockLineReader::Kind::erased) {
    const auto erased = reader.take_erased();
    steno::BlockLineReader other;
    require(other.read(steno::erased_line(erased)).has_value(), "an erasure is said and read");
    require(other.take_erased() == erased, "as the same");
    return;
  }
  if (!kind || *kind != steno::BlockLineReader::Kind::block) return;
  const auto block = reader.take_block();
  const auto again = steno::block_line(block);
  require(again.has_value(), "a block that was read can be said");
  steno::BlockLineReader other;
  require(other.read(*again).has_value(), "and read again");
  const auto same = other.take_block();
  require(same.facts == block.facts && same.content == block.content, "as the same");
}

// Adds a number of chunks, right or wrong, to some contents of the line.
void say_chunks(Source& source, std::string& line) {
  static constexpr std::string_view kContent = "\"content\":{";
  for (std::size_t at = line.find(kContent); at != std::string::npos;
       at = line.find(kContent, at)) {
    at += kContent.size();
    if (source.byte() % 4 != 3) continue;
    const std::uint64_t number = source.number() >> source.byte() % 64;
    const bool is_signed = source.byte() % 2 == 1;
    line.insert(at, fmt::format("\"chunks\":{}{},", is_signed ? "-" : "", number));
  }
}

}  // namespace

// After an odd first byte the rest describes facts and contents of a block, whose line is then
// damaged.
void fuzz::run(ByteView in) {
  Source source(in);
  if (source.byte() % 2 == 0) {
    const ByteView line = source.rest();
    read_pieces(line);
    read_line(std::string(line));
    return;
  }
  eventlog::BlockHeader header;
  header.first = {1 + source.byte()};
  header.log.bytes.fill(static_cast<char>(source.byte()));
  eventlog::BlockBuilder builder;
  const int events = 1 + source.byte() % 4;
  for (int i = 0; i < events; ++i) {
    builder.add(source.piece());
    if (source.byte() % 2 == 1) builder.add_content({}, Bytes(source.piece()));
  }
  auto line = steno::block_line(builder.seal(header));
  require(line.has_value(), "any events can be said");
  steno::BlockLineReader reader;
  require(reader.read(*line).has_value(), "and read");
  say_chunks(source, *line);
  damage(source, *line);
  read_line(*line);
}
