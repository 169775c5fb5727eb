// Builds and parses the lines with nlohmann-json. A block that is read is built from its bytes
// alone; the words beside them are compared, never used.
#include "tools/steno/replay/block_lines.hpp"

#include <nlohmann/json.hpp>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/base/time_text.hpp"
#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "workers/json/json.hpp"

namespace steno {
namespace {

using base::Bytes;
using base::ByteView;
using base::ErrorCode;
using base::Result;
using eventlog::BlockHeader;
using eventlog::BlockView;
using eventlog::ContentBlock;
using eventlog::SealedBlock;
using eventlog::StoredContent;
using Json = nlohmann::ordered_json;
using Parsed = nlohmann::json;  // whatever order its names came in

Json json_of(const BlockHeader& header) {
  return {
      {"log", header.log.text()},
      {"epoch", {{"counter", header.epoch.counter}, {"random", base::to_hex(header.epoch.random)}}},
      {"writer_term", header.writer_term},
      {"first", header.first.value},
      {"count", header.count},
      {"time_us", header.time.us},
      {"previous", base::to_hex(header.previous)}};
}

// Adds the content as a text if that encodes to the same bytes.
void add_content(Json& event, const StoredContent& entry) {
  Json content = {{"salt", base::to_hex(entry.salt)}};
  const Bytes& bytes = entry.content.bytes;
  const auto decoded = domain::decode_content(bytes);
  if (entry.chunks > 0) {
    content["chunks"] = entry.chunks;
  } else if (decoded && domain::encode_content(*decoded) == bytes && base::is_utf8(decoded->text)) {
    content["text"] = decoded->text;
  } else {
    content["bytes"] = base::to_base64(bytes);
  }
  event["content"] = std::move(content);
}

// Adds the words that say what the bytes mean, unless this release does not know the event.
Json json_of_event(ByteView facts, base::Position position) {
  Json json = {{"position", position.value}};
  if (const auto event = domain::decode_facts(facts)) {
    const domain::Envelope& envelope = event->envelope;
    json["time"] = time_text(envelope.log_time);
    const auto add = [&](const char* name, const std::string& words) {
      json[name] = Json::parse(words, nullptr, false);
    };
    add("stream",
        workers::to_json(envelope.stream));  // a damaged writer can leave bytes that are not a text
    json["version"] = envelope.version.value;
    add("type", workers::to_json(envelope.type));
    add("facts", domain::visit([](const auto& e) { return workers::to_json(e); }, event->event));
  }
  json["bytes"] = base::to_base64(facts);
  return json;
}

// Returns the entries of a content block that lines can express; none if the block must go as
// bytes.
std::optional<ContentBlock> plain_content(const SealedBlock& block, std::size_t events) {
  auto content = base::decode<ContentBlock>(block.content);
  if (!content || base::encode(*content) != block.content) return std::nullopt;
  std::int64_t next = 0;
  for (const StoredContent& entry : content->entries) {
    const bool is_both = entry.chunks != 0 && !entry.content.bytes.empty();
    if (entry.index < next || entry.index >= static_cast<std::int64_t>(events) || is_both ||
        entry.chunks < 0) {
      return std::nullopt;
    }
    next = entry.index + 1;
  }
  return std::move(*content);
}

Json json_of_block(const SealedBlock& block, const BlockView& view, bool with_content) {
  Json json = {{"block", json_of(view.header)},
               {"hash", base::to_hex(view.hash())},
               {"events", Json::array()}};
  for (std::size_t i = 0; i < view.events.size(); ++i) {
    const auto position = view.header.first.plus(static_cast<std::int64_t>(i));
    json["events"].push_back(json_of_event(view.events[i], position));
  }
  if (!with_content || block.content.empty()) return json;
  const auto content = plain_content(block, view.events.size());
  if (!content) {
    json["content_block"] = base::to_base64(block.content);
    return json;
  }
  for (const StoredContent& entry : content->entries) {
    add_content(json["events"][static_cast<std::size_t>(entry.index)], entry);
  }
  return json;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// ---- reading: the library's exceptions end in BlockLineReader::read ----

template <std::size_t Size>
std::array<char, Size> array_from(const Parsed& json, const char* name) {
  const auto bytes = base::from_hex(json.at(name).get<std::string>(), Size);
  if (!bytes) throw std::invalid_argument(std::string("'") + name + "' has the wrong size");
  std::array<char, Size> all{};
  bytes->copy(all.data(), Size);
  return all;
}

Bytes bytes_from(const Parsed& json, const char* name) {
  auto bytes = base::from_base64(json.at(name).get<std::string>());
  if (!bytes) throw std::invalid_argument(std::string("'") + name + "' is not base64");
  return std::move(*bytes);
}

// Returns an integer as msgpack holds it. The library itself would convert a fraction, or a number
// that is too large.
std::int64_t integer_from(const Parsed& json, const char* name) {
  const Parsed& value = json.at(name);
  const auto number = value.is_number_integer() ? value.get<std::int64_t>() : INT64_MIN;
  const bool is_wrapped = value.is_number_unsigned() && number < 0;
  if (is_wrapped || number >= base::kIntegerLimit || number <= -base::kIntegerLimit) {
    throw std::invalid_argument(std::string("'") + name + "' is not an integer below 2^53");
  }
  return number;
}

BlockHeader header_from(const Parsed& json) {
  BlockHeader header;
  const auto log = base::LogId::parse(json.at("log").get<std::string>());
  if (!log) throw std::invalid_argument("'log' is not an id");
  header.log = *log;
  header.epoch.counter = integer_from(json.at("epoch"), "counter");
  header.epoch.random = array_from<8>(json.at("epoch"), "random");
  header.writer_term = integer_from(json, "writer_term");
  header.first.value = integer_from(json, "first");
  header.time.us = integer_from(json, "time_us");
  header.previous = array_from<32>(json, "previous");
  return header;
}

StoredContent content_from(const Parsed& json, std::int64_t index) {
  StoredContent entry;
  entry.index = index;
  entry.salt = array_from<16>(json, "salt");
  if (json.contains("chunks")) {
    entry.chunks = integer_from(json, "chunks");
  } else if (json.contains("text")) {
    entry.content.bytes = domain::encode_content({json["text"].get<std::string>()});
  } else {
    entry.content.bytes = bytes_from(json, "bytes");
  }
  return entry;
}

SealedBlock block_from(const Parsed& json) {
  eventlog::BlockBuilder builder;
  ContentBlock content;
  std::int64_t index = 0;
  for (const Parsed& event : json.at("events")) {
    builder.add(bytes_from(event, "bytes"));
    if (event.contains("content")) {
      content.entries.push_back(content_from(event["content"], index));
    }
    ++index;
  }
  SealedBlock block = builder.seal(header_from(json.at("block")));
  if (json.contains("content_block")) {
    block.content = bytes_from(json, "content_block");
  } else if (!content.entries.empty()) {
    block.content = base::encode(content);
  }
  return block;
}

eventlog::Chunk chunk_from(const Parsed& json) {
  return {bytes_from(json, "chunk"), bytes_from(json, "bytes")};
}

eventlog::LaterErasure erased_from(const Parsed& json) {
  eventlog::LaterErasure erasure{json.at("erased").get<std::string>(), {}};
  for (const Parsed& range : json.at("events")) {
    erasure.events.push_back({base::StreamVersion{integer_from(range, "first")},
                              base::StreamVersion{integer_from(range, "last")}});
  }
  const auto stream = domain::parse_stream(erasure.stream);
  if (!stream || !stream->is<domain::SessionStream>()) {
    throw std::invalid_argument("'erased' is not the stream of a session");
  }
  if (!domain::is_proper(erasure.events)) {
    throw std::invalid_argument("'events' are not ascending ranges of versions");
  }
  return erasure;
}

}  // namespace

std::string chunk_line(const eventlog::Chunk& chunk) {
  return text_of({{"chunk", base::to_base64(chunk.key)}, {"bytes", base::to_base64(chunk.bytes)}});
}

std::string erased_line(const eventlog::LaterErasure& erasure) {
  Json events = Json::array();
  for (const domain::VersionRange& range : erasure.events) {
    events.push_back({{"first", range.first.value}, {"last", range.last.value}});
  }
  return text_of({{"erased", erasure.stream}, {"events", std::move(events)}});
}

Result<std::string> block_line(const SealedBlock& block, const BlockLineOptions& options) {
  const auto view = eventlog::parse_block(block.facts);
  if (!view) return tl::unexpected(view.error());
  Json json = json_of_block(block, *view, options.with_content);
  if (!options.proof.empty()) json["proof"] = options.proof;
  return text_of(json);
}

Result<BlockLineReader::Kind> BlockLineReader::read(const std::string& line) {
  const auto wrong = [](const std::string& what) {
    return base::failure(ErrorCode::invalid, what);
  };
  try {
    Parsed json = Parsed::parse(line);
    if (!json.is_object()) return wrong("it is not a JSON object");
    if (json.contains("chunk")) {
      chunks_.push_back(chunk_from(json));
      return Kind::chunk;
    }
    if (json.contains("erased")) {
      erased_ = erased_from(json);
      return Kind::erased;
    }
    if (!json.contains("block")) return wrong("it is neither a block, a chunk nor an erasure");
    json.erase("proof");
    block_ = block_from(json);
    const auto view = eventlog::parse_block(block_.facts);
    if (!view) return wrong("it is not a block: " + view.error().text);
    if (Parsed(json_of_block(block_, *view, true)) != json) {
      return wrong("its words differ from its bytes");
    }
    return Kind::block;
  } catch (const std::exception& error) {
    return wrong(error.what());
  }
}

SealedBlock BlockLineReader::take_block() {
  block_.chunks = std::exchange(chunks_, {});
  return std::move(block_);
}

}  // namespace steno
