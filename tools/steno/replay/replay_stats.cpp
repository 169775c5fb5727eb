// `steno replay stats`: counts in one pass over the blocks, decoding envelopes only.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/folder/open_log.hpp"
#include "tools/steno/replay/replay.hpp"
#include "tools/steno/replay/replay_report.hpp"

namespace steno {
namespace {

using base::Position;
using base::Result;
using Json = nlohmann::ordered_json;

struct Amount {
  std::int64_t count = 0;
  std::int64_t bytes = 0;

  void add(std::int64_t more) {
    ++count;
    bytes += more;
  }
};

struct Stats {
  base::LogId log;
  Position first;
  Position last;
  Amount blocks;    // facts, headers included
  Amount events;    // facts
  Amount contents;  // those still present, chunked ones included
  Amount inlined;   // content blocks, salts included
  std::int64_t chunked = 0;
  std::int64_t chunks = 0;
  std::int64_t contents_erased = 0;
  std::int64_t sessions = 0;
  std::int64_t epochs = 0;
  std::int64_t servers = 0;  // times that a server has taken over the log
  base::Time first_time;
  base::Time last_time;
  std::int64_t block_events_max = 0;
  std::map<std::string, Amount> types;
  std::map<std::string, Amount> agents;  // "": no agent
};

class Counting {
 public:
  // Counts the events behind that position.
  explicit Counting(Position before) {
    stats_.first = before.next();
    stats_.last = before;
  }

  Result<void> take(const eventlog::StoredBlock& stored) {
    const auto block = eventlog::parse_block(stored.facts);
    if (!block) return tl::unexpected(block.error());
    const eventlog::BlockHeader& header = block->header;
    if (header.first != stats_.last.next()) {
      return base::failure(base::ErrorCode::damaged, "the event is missing",
                           "position " + std::to_string(stats_.last.next().value));
    }
    stats_.log = header.log;
    stats_.last = header.last();
    stats_.blocks.add(static_cast<std::int64_t>(stored.facts.size()));
    stats_.block_events_max = std::max(stats_.block_events_max, header.count);
    eventlog::ContentBlock contents;
    if (!stored.content.empty()) {
      stats_.inlined.add(static_cast<std::int64_t>(stored.content.size()));
      auto decoded = base::decode<eventlog::ContentBlock>(stored.content);
      if (!decoded) return tl::unexpected(decoded.error());
      contents = std::move(*decoded);
    }
    auto next_content = contents.entries.begin();
    for (std::size_t i = 0; i < block->events.size(); ++i) {
      const bool has_entry = next_content != contents.entries.end() &&
                             next_content->index == static_cast<std::int64_t>(i);
      const auto envelope = domain::decode_envelope(block->events[i]);
      if (!envelope) return tl::unexpected(envelope.error());
      take_event(*envelope, block->events[i]);
      take_content(*envelope, has_entry ? &*next_content : nullptr);
      if (has_entry) ++next_content;
    }
    return {};
  }

  const Stats& stats() const { return stats_; }

 private:
  void take_event(const domain::Envelope& envelope, base::ByteView facts) {
    const auto bytes = static_cast<std::int64_t>(facts.size());
    stats_.events.add(bytes);
    stats_.types[envelope.type].add(bytes);
    const auto stream = domain::parse_stream(envelope.stream);
    stats_.agents[stream ? stream->agent : std::string()].add(bytes);
    stats_.sessions += envelope.type == domain::SessionOpened::kType;
    stats_.epochs += envelope.type == domain::EpochStarted::kType;
    stats_.servers += envelope.type == domain::ServerStarted::kType;
    if (stats_.first_time.us == 0) stats_.first_time = envelope.log_time;
    stats_.last_time = envelope.log_time;
  }

  void take_content(const domain::Envelope& envelope, const eventlog::StoredContent* entry) {
    if (!envelope.content) return;
    const bool is_there = entry != nullptr && (entry->chunks > 0 || !entry->content.bytes.empty());
    if (!is_there) {
      ++stats_.contents_erased;
      return;
    }
    stats_.contents.add(envelope.content->bytes);
    stats_.chunked += entry->chunks > 0;
    stats_.chunks += entry->chunks;
  }

  Stats stats_;
};

Json json_of(const std::map<std::string, Amount>& amounts, const char* name) {
  Json json = Json::array();
  for (const auto& [key, amount] : amounts) {
    json.push_back({{name, key.empty() ? Json() : Json(key)},
                    {"events", amount.count},
                    {"bytes", amount.bytes}});
  }
  return json;
}

Json json_of(const Stats& s) {
  return {
      {"log", s.log.is_set() ? Json(s.log.text()) : Json()},
      {"first", s.first.value},
      {"last", s.last.value},
      {"first_time", s.events.count > 0 ? Json(time_text(s.first_time)) : Json()},
      {"last_time", s.events.count > 0 ? Json(time_text(s.last_time)) : Json()},
      {"epochs", s.epochs},
      {"server_starts", s.servers},
      {"sessions", s.sessions},
      {"blocks",
       {{"count", s.blocks.count}, {"bytes", s.blocks.bytes}, {"events_max", s.block_events_max}}},
      {"events", {{"count", s.events.count}, {"bytes", s.events.bytes}}},
      {"contents",
       {{"count", s.contents.count},
        {"bytes", s.contents.bytes},
        {"erased", s.contents_erased},
        {"chunked", s.chunked},
        {"chunks", s.chunks},
        {"content_blocks", s.inlined.count},
        {"content_block_bytes", s.inlined.bytes}}},
      {"types", json_of(s.types, "type")},
      {"agents", json_of(s.agents, "agent")}};
}

void print_amounts(std::FILE* out, const char* head, const std::map<std::string, Amount>& amounts) {
  std::vector<std::pair<std::string, Amount>> sorted(amounts.begin(), amounts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  fmt::print(out, "\n{:<26}{:>12}{:>16}\n", head, "events", "bytes");
  for (const auto& [name, amount] : sorted) {
    fmt::print(out, "{:<26}{:>12}{:>16}\n", name.empty() ? "(none)" : printable(name), amount.count,
               amount.bytes);
  }
}

void print_text(std::FILE* out, const Stats& s) {
  const auto row = [&](std::string_view name, const std::string& value) {
    fmt::print(out, "{:<12}{}\n", name, value);
  };
  row("log", s.log.is_set() ? s.log.text() : "empty");
  row("events", fmt::format("{}, positions {} to {}, {} bytes of facts", s.events.count,
                            s.first.value, s.last.value, s.events.bytes));
  if (s.events.count > 0) {
    row("from", time_text(s.first_time));
    row("to", time_text(s.last_time));
  }
  row("blocks", fmt::format("{}, {} bytes, {} events at most", s.blocks.count, s.blocks.bytes,
                            s.block_events_max));
  row("contents", fmt::format("{}, {} bytes of text; {} erased", s.contents.count, s.contents.bytes,
                              s.contents_erased));
  row("chunks", fmt::format("{}, of {} large contents", s.chunks, s.chunked));
  row("sessions", std::to_string(s.sessions));
  row("epochs", std::to_string(s.epochs));
  row("servers", fmt::format("{} starts", s.servers));
  print_amounts(out, "TYPE", s.types);
  print_amounts(out, "AGENT", s.agents);
}

Result<void> count(eventlog::BlockStore& store, Counting& counting, std::FILE* err) {
  ProgressLine progress(err, "stats");
  const Position tail = store.tail();
  while (counting.stats().last < tail) {
    const Position next = counting.stats().last.next();
    const auto blocks = store.read(next, eventlog::kScanBytes, true);
    if (!blocks) return tl::unexpected(blocks.error());
    if (blocks->empty()) {
      return base::failure(base::ErrorCode::damaged, "the event is missing",
                           "position " + std::to_string(next.value));
    }
    for (const auto& stored : *blocks) {
      if (auto ok = counting.take(stored); !ok) return ok;
    }
    progress.show(counting.stats().last, tail);
  }
  return {};
}

}  // namespace

int replay_stats(const ReplayArguments& arguments) {
  base::SystemRandom random;
  eventlog::LogOptions options;
  options.archives = arguments.archives;
  const auto log =
      eventlog::open_log(arguments.folder, eventlog::LogMode::read_only, random, options);
  if (!log) return fail(arguments.err, log.error());
  tell_archived(arguments.err, log->base);
  Counting counting(log->base ? log->base->anchor.at.position : Position{0});
  if (auto ok = count(*log->store, counting, arguments.err); !ok) {
    return fail(arguments.err, ok.error());
  }
  if (arguments.is_json) {
    print_json_text(arguments.out, json_of(counting.stats()));
  } else {
    print_text(arguments.out, counting.stats());
  }
  return kExitOk;
}

}  // namespace steno
