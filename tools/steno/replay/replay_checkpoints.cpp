// Parses and prints checkpoints, and reads those of the derived rows without changing them.
#include "tools/steno/replay/replay_checkpoints.hpp"

#include <algorithm>
#include <charconv>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/folder/data_layout.hpp"
#include "eventlog/log/stream_index.hpp"
#include "projections/projections.hpp"

namespace steno {
namespace {

using eventlog::Checkpoint;
using eventlog::Witness;

template <std::size_t Size>
bool parse_hex(std::string_view text, std::array<char, Size>& bytes) {
  const auto parsed = base::from_hex(text, Size);
  if (parsed) parsed->copy(bytes.data(), Size);
  return parsed.has_value();
}

bool parse_number(std::string_view text, std::int64_t& number) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end && number > 0;
}

// Removes and returns the text before the separator, or all of it if there is none.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return piece;
}

}  // namespace

std::string checkpoint_text(const Checkpoint& checkpoint) {
  return checkpoint.log.text() + "/" + std::to_string(checkpoint.epoch.counter) + "-" +
         base::to_hex(checkpoint.epoch.random) + "/" + std::to_string(checkpoint.position.value) +
         "/" + base::to_hex(checkpoint.hash);
}

std::optional<Checkpoint> parse_checkpoint(const std::string& text) {
  Checkpoint checkpoint;
  std::string_view rest = text;
  const auto log = base::LogId::parse(take(rest, '/'));
  if (!log) return std::nullopt;
  checkpoint.log = *log;
  const bool is_whole = parse_number(take(rest, '-'), checkpoint.epoch.counter) &&
                        parse_hex(take(rest, '/'), checkpoint.epoch.random) &&
                        parse_number(take(rest, '/'), checkpoint.position.value) &&
                        parse_hex(rest, checkpoint.hash);
  return is_whole ? std::optional(checkpoint) : std::nullopt;
}

std::vector<Witness> read_witnesses(const std::string& folder) {
  const eventlog::LogFolder names{folder};
  std::vector<Witness> witnesses;
  if (const auto rows = eventlog::open_rocksdb_key_value_view(names.index())) {
    const auto reached = eventlog::StreamIndex(**rows).checkpoint();
    if (reached && reached->position.value > 0) witnesses.push_back({"the stream index", *reached});
  }
  if (const auto rows = eventlog::open_rocksdb_key_value_view(names.views())) {
    for (const auto& projection : projections::all_projections()) {
      const auto stored = projections::read_checkpoint(**rows, projection->name());
      if (!stored || !*stored) continue;
      witnesses.push_back(
          {"the projection " + std::string(projection->name()), (*stored)->checkpoint});
    }
  }
  std::sort(witnesses.begin(), witnesses.end(), [](const Witness& a, const Witness& b) {
    return a.checkpoint.position < b.checkpoint.position;
  });
  return witnesses;
}

}  // namespace steno
