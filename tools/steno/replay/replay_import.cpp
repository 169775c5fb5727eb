// Checks each line against the chain and each content against its digest before it is appended, so
// that an import can only make a log that proves itself.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/copies/log_rebuild.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "tools/steno/replay/block_lines.hpp"
#include "tools/steno/replay/replay.hpp"
#include "tools/steno/replay/replay_checkpoints.hpp"
#include "tools/steno/replay/replay_report.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Position;
using base::Result;
using eventlog::Checkpoint;
using eventlog::SealedBlock;

class Import {
 public:
  // `size_bytes` is the size of all lines; 0: unknown.
  Import(const ReplayArguments& arguments, std::istream& in, std::int64_t size_bytes)
      : arguments_(arguments), in_(in), size_bytes_(size_bytes) {}

  Result<Checkpoint> run() {
    if (auto ok = read_head(); !ok) return tl::unexpected(ok.error());
    auto copy = eventlog::LogCopy::begin(arguments_.target);
    if (!copy) return tl::unexpected(copy.error());
    ProgressLine progress(arguments_.err, "import");
    while (!is_ended_) {
      if (auto ok = take_line(*copy); !ok) return tl::unexpected(ok.error());
      if (size_bytes_ > 0) {
        progress.show_share(read_bytes_ * 1000 / size_bytes_);
      } else {
        progress.show_count(next_.plus(-1));
      }
    }
    if (std::getline(in_, line_)) return wrong("there is more behind the end");
    const auto erased = eventlog::unrecorded(later_, versions_, recorded_);
    if (arguments_.is_exact && !erased.erasures.empty()) {
      if (auto ok = copy->note_erased(erased); !ok) return tl::unexpected(ok.error());
    }
    auto reached = copy->finish(random_);
    if (!reached || arguments_.is_exact) return reached;
    eventlog::NewEpoch epoch;
    epoch.counter = copy->last().epoch.counter + 1;
    epoch.writer_term = copy->last().writer_term;
    epoch.reason = "restored";
    epoch.versions = versions_;
    epoch.erased = erased;
    return copy->begin_epoch(epoch, random_);
  }

 private:
  Result<void> read_line() {
    ++number_;
    if (std::getline(in_, line_)) {
      read_bytes_ += static_cast<std::int64_t>(line_.size()) + 1;
      return {};
    }
    return wrong("the lines end here, and the end line is missing");
  }

  Result<void> read_head() {
    if (auto ok = read_line(); !ok) return ok;
    const nlohmann::json head = nlohmann::json::parse(line_, nullptr, false);
    const bool is_export = head.is_object() && head.contains("steno_export");
    if (!is_export) return wrong("this is not the output of steno replay export");
    if (head["steno_export"] != 1) return wrong("it was printed by a newer release");
    const nlohmann::json of = head.value("of", nlohmann::json::object());
    if (!of.is_object()) return wrong("this is not the output of steno replay export");
    if (of.value("with_content", nlohmann::json(true)) == true) return {};
    return wrong("it was exported without content, and cannot become a log again");
  }

  Result<void> take_line(eventlog::LogCopy& copy) {
    if (auto ok = read_line(); !ok) return ok;
    if (line_.starts_with("{\"end\"")) return take_end();
    const auto kind = lines_.read(line_);
    if (!kind) return wrong(kind.error().text);
    if (*kind == BlockLineReader::Kind::chunk) return {};
    if (*kind == BlockLineReader::Kind::erased) {
      later_.erasures.push_back(lines_.take_erased());
      return {};
    }
    const SealedBlock block = lines_.take_block();
    if (block.header.first != next_) {
      return wrong("the block begins at position " + std::to_string(block.header.first.value) +
                   ", but position " + std::to_string(next_.value) + " was expected");
    }
    if (block.header.previous != hash_) return wrong("the block does not follow the one before it");
    if (auto ok = check_events(block); !ok) return ok;
    hash_ = block.hash;
    next_ = block.header.last().next();
    return copy.append(block);
  }

  Result<void> take_end() {
    const nlohmann::json end = nlohmann::json::parse(line_, nullptr, false);
    is_ended_ = end.is_object() && end.contains("end") && end["end"].is_object() &&
                end["end"].value("position", nlohmann::json()) == next_.value - 1 &&
                end["end"].value("hash", nlohmann::json()) == base::to_hex(base::view(hash_));
    if (is_ended_) return {};
    return wrong("the end line does not match the lines before it");
  }

  // Proves contents, which are not part of the block's hash. Also collects stream versions and
  // recorded erasures, which the events appended after the import need.
  Result<void> check_events(const SealedBlock& block) {
    const auto view = eventlog::parse_block(block.facts);
    const auto content = base::decode<eventlog::ContentBlock>(block.content);
    if (!content && !block.content.empty()) return wrong("the content cannot be read");
    for (std::size_t i = 0; i < view->events.size(); ++i) {
      const auto envelope = domain::decode_envelope(view->events[i]);
      if (!envelope) continue;
      versions_[envelope->stream] = envelope->version;
      if (const auto event = domain::decode_facts(view->events[i])) note_erasure(*event);
      if (!content) continue;
      for (const auto& entry : content->entries) {
        if (entry.index != static_cast<std::int64_t>(i)) continue;
        if (is_proved(entry, *envelope, block.chunks)) continue;
        return wrong("the content of the event at position " +
                     std::to_string(block.header.first.value + entry.index) +
                     " does not match its digest");
      }
    }
    return {};
  }

  void note_erasure(const domain::RecordedEvent& event) {
    const auto* erased = event.event.as<domain::ContentErased>();
    if (erased == nullptr) return;
    domain::VersionRanges& all = recorded_[event.envelope.stream];
    all = domain::united(all, domain::normalized(erased->events));
  }

  static bool is_proved(const eventlog::StoredContent& entry, const domain::Envelope& envelope,
                        const std::vector<eventlog::Chunk>& chunks) {
    if (!envelope.content) return false;
    base::Bytes bytes = entry.content.bytes;
    for (std::int64_t i = 0; i < entry.chunks; ++i) {
      const base::Bytes key = eventlog::chunk_key(envelope.stream, envelope.content->digest,
                                                  static_cast<std::uint32_t>(i));
      const auto chunk = std::find_if(chunks.begin(), chunks.end(),
                                      [&](const eventlog::Chunk& one) { return one.key == key; });
      if (chunk == chunks.end()) return false;
      bytes += chunk->bytes;
    }
    const bool is_erased = bytes.empty() && entry.chunks == 0;
    return is_erased || base::blake2b(bytes, entry.salt) == envelope.content->digest;
  }

  tl::unexpected<base::Error> wrong(const std::string& what) const {
    return base::failure(ErrorCode::invalid, what, "line " + std::to_string(number_));
  }

  const ReplayArguments& arguments_;
  std::istream& in_;
  const std::int64_t size_bytes_;
  std::int64_t read_bytes_ = 0;
  base::SystemRandom random_;
  std::string line_;
  std::int64_t number_ = 0;
  BlockLineReader lines_;
  bool is_ended_ = false;
  Position next_{1};
  base::Hash hash_{};
  std::map<std::string, base::StreamVersion> versions_;
  std::map<std::string, domain::VersionRanges> recorded_;  // erasures, by stream
  eventlog::LaterErasures later_;
};

}  // namespace

int replay_import(const ReplayArguments& arguments) {
  if (arguments.target.empty()) {
    return fail(arguments.err, {ErrorCode::invalid, "give the new log's folder with --to", {}});
  }
  std::ifstream file;
  const bool is_stdin = arguments.file == "-";
  std::error_code ignored;
  if (!is_stdin && std::filesystem::is_directory(arguments.file, ignored)) {
    return fail(arguments.err,
                {ErrorCode::invalid,
                 "it is a folder; name a file of lines, as steno replay export prints them",
                 arguments.file});
  }
  if (!is_stdin) file.open(arguments.file, std::ios::binary);
  if (!is_stdin && !file) {
    return fail(arguments.err, {ErrorCode::not_found, "the file cannot be read", arguments.file});
  }
  // With stdio's buffer in between, each character would be read by a call of its own.
  if (is_stdin) std::ios::sync_with_stdio(false);
  const auto size = is_stdin ? 0 : std::filesystem::file_size(arguments.file, ignored);
  const auto size_bytes = ignored ? 0 : static_cast<std::int64_t>(size);
  const auto reached = Import(arguments, is_stdin ? std::cin : file, size_bytes).run();
  if (!reached) return fail(arguments.err, reached.error());
  if (arguments.is_json) {
    const nlohmann::json json = {{"position", reached->position.value},
                                 {"checkpoint", checkpoint_text(*reached)}};
    print_json_text(arguments.out, json);
  } else {
    fmt::print(arguments.out, "{:<12}{}\n{:<12}{}\n", "position", reached->position.value,
               "checkpoint", checkpoint_text(*reached));
  }
  return kExitOk;
}

}  // namespace steno
