// Streams blocks in order and checks position and chain of each, so that an export has no holes.
#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/folder/open_log.hpp"
#include "tools/steno/replay/block_lines.hpp"
#include "tools/steno/replay/replay.hpp"
#include "tools/steno/replay/replay_report.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Position;
using base::Result;
using eventlog::BlockView;
using eventlog::SealedBlock;
using Json = nlohmann::ordered_json;

class Export {
 public:
  Export(const ReplayArguments& arguments, const eventlog::OpenedLog& log)
      : arguments_(arguments), store_(*log.store), later_(log.later) {}

  Result<void> run() {
    ProgressLine progress(arguments_.err, "export");
    const Position tail = store_.tail();
    while (next_ <= tail) {
      const auto blocks = store_.read(next_, eventlog::kScanBytes, arguments_.with_content);
      if (!blocks) return tl::unexpected(blocks.error());
      if (blocks->empty()) return damaged("the event is missing");
      for (const auto& stored : *blocks) {
        if (auto ok = print(stored); !ok) return ok;
      }
      progress.show(next_.plus(-1), tail);
    }
    for (const eventlog::LaterErasure& erasure : later_.erasures) {
      if (erasure.events.empty()) continue;
      if (auto ok = print_line(erased_line(erasure)); !ok) return ok;
    }
    const Json end = {{"position", tail.value}, {"hash", base::to_hex(base::view(hash_))}};
    return print_line(Json({{"end", end}}).dump());
  }

 private:
  Result<void> print(const eventlog::StoredBlock& stored) {
    const auto view = eventlog::parse_block(stored.facts);
    if (!view) return damaged(view.error().text);
    if (view->header.first != next_) return damaged("the event is missing");
    if (view->header.previous != hash_) return damaged("the chain is broken");
    SealedBlock block{view->header, view->hash(), stored.facts, stored.content, {}};
    if (next_ == Position{1}) {
      const Json head = {{"log", view->header.log.text()},
                         {"with_content", arguments_.with_content}};
      if (auto ok = print_line(Json({{"steno_export", 1}, {"of", head}}).dump()); !ok) return ok;
    }
    if (arguments_.with_content) {
      if (auto ok = print_chunks(*view, stored.content); !ok) return ok;
    }
    const auto line = block_line(block, {arguments_.with_content, {}});
    if (!line) return tl::unexpected(line.error());
    hash_ = block.hash;
    next_ = view->header.last().next();
    return print_line(*line);
  }

  Result<void> print_chunks(const BlockView& view, const base::Bytes& content) {
    if (content.empty()) return {};
    const auto decoded = base::decode<eventlog::ContentBlock>(content);
    if (!decoded) return damaged("the content cannot be read");
    for (const auto& entry : decoded->entries) {
      if (entry.chunks == 0) continue;
      const auto index = static_cast<std::size_t>(entry.index);
      if (index >= view.events.size()) return damaged("content of no event");
      const auto envelope = domain::decode_envelope(view.events[index]);
      if (!envelope || !envelope->content) return damaged("content of an event that has none");
      for (std::int64_t i = 0; i < entry.chunks; ++i) {
        auto key = eventlog::chunk_key(envelope->stream, envelope->content->digest,
                                       static_cast<std::uint32_t>(i));
        auto bytes = store_.read_chunk(key);
        if (!bytes) return damaged("a chunk of the content is missing");
        if (auto ok = print_line(chunk_line({std::move(key), std::move(*bytes)})); !ok) return ok;
      }
    }
    return {};
  }

  Result<void> print_line(const std::string& line) {
    const bool is_written =
        std::fwrite(line.data(), 1, line.size(), arguments_.out) == line.size() &&
        std::fputc('\n', arguments_.out) != EOF;
    if (is_written) return {};
    return base::failure(ErrorCode::io, "the lines cannot be written");
  }

  Result<void> damaged(const std::string& what) const {
    return base::failure(ErrorCode::damaged, what + "; steno replay salvage keeps what can be kept",
                         "position " + std::to_string(next_.value));
  }

  const ReplayArguments& arguments_;
  eventlog::BlockStore& store_;
  const eventlog::LaterErasures& later_;
  Position next_{1};
  base::Hash hash_{};
};

}  // namespace

int replay_export(const ReplayArguments& arguments) {
  base::SystemRandom random;
  eventlog::LogOptions options;
  options.archives = arguments.archives;
  const auto log =
      eventlog::open_log(arguments.folder, eventlog::LogMode::read_only, random, options);
  if (!log) return fail(arguments.err, log.error());
  if (auto ok = check_begin(*log); !ok) return fail(arguments.err, ok.error());
  if (log->is_new) {
    return fail(arguments.err, {base::ErrorCode::not_found, "the log is empty", arguments.folder});
  }
  // A broken pipe must not end the process: the log must be closed, and its temporary folder
  // removed.
  std::signal(SIGPIPE, SIG_IGN);
  const auto done = Export(arguments, *log).run();
  if (!done && is_reader_gone(arguments.out)) return kExitFailed;
  return done ? kExitOk : fail(arguments.err, done.error());
}

}  // namespace steno
