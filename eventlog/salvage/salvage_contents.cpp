// Looks for each content among all copies that were found, and takes the first one that matches the
// digest among the facts.
#include "eventlog/salvage/salvage_contents.hpp"

#include <algorithm>

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/session/events.hpp"

namespace eventlog {
namespace {

bool is_proved(ByteView bytes, const StoredContent& entry, const domain::Envelope& envelope) {
  return base::blake2b(bytes, entry.salt) == envelope.content->digest;
}

bool holds(const std::map<std::string, domain::VersionRanges>& erased,
           const domain::Envelope& envelope) {
  const auto found = erased.find(envelope.stream);
  return found != erased.end() && domain::contains(found->second, envelope.version);
}

}  // namespace

void SalvagedContents::take(const domain::Envelope& envelope, const domain::Event& event,
                            bool is_kept) {
  const auto* erased = event.as<domain::ContentErased>();
  if (erased == nullptr) return;
  domain::VersionRanges& all = (is_kept ? erased_ : erased_in_rest_)[envelope.stream];
  all = domain::united(all, domain::normalized(erased->events));
}

void SalvagedContents::allow(const LaterErasures& later) {
  for (const LaterErasure& erasure : later.erasures) {
    domain::VersionRanges& all = erased_later_[erasure.stream];
    all = domain::united(all, erasure.events);
  }
}

SealedBlock SalvagedContents::seal(const FoundBlock& block, Bytes facts, std::vector<Lost>& lost) {
  SealedBlock sealed;
  sealed.header = block.header;
  sealed.hash = block.hash;
  sealed.facts = std::move(facts);
  const auto view = parse_block(sealed.facts);
  if (!view) return sealed;  // cannot happen: it was parsed when it was found
  std::vector<ContentBlock> candidates;
  for (const Bytes& bytes : files_.contents(block.header.first)) {
    auto decoded = base::decode<ContentBlock>(bytes);
    if (decoded) candidates.push_back(std::move(*decoded));
  }
  ContentBlock content;
  for (std::size_t i = 0; i < view->events.size(); ++i) {
    const auto envelope = domain::decode_envelope(view->events[i]);
    if (!envelope || !envelope->content || holds(erased_, *envelope)) continue;
    if (holds(erased_later_, *envelope)) continue;
    const auto index = static_cast<std::int64_t>(i);
    if (holds(erased_in_rest_, *envelope) ||
        !add_entry(*envelope, index, candidates, content, sealed)) {
      lost.push_back({envelope->stream, envelope->version, block.header.first.plus(index)});
    }
  }
  if (!content.entries.empty()) sealed.content = base::encode(content);
  return sealed;
}

bool SalvagedContents::add_entry(const domain::Envelope& envelope, std::int64_t index,
                                 const std::vector<ContentBlock>& candidates, ContentBlock& content,
                                 SealedBlock& sealed) {
  for (const ContentBlock& candidate : candidates) {
    for (const StoredContent& entry : candidate.entries) {
      if (entry.index != index) continue;
      const bool is_found = entry.chunks > 0 ? add_chunks(envelope, entry, sealed)
                                             : is_proved(entry.content.bytes, entry, envelope);
      if (!is_found) continue;
      content.entries.push_back(entry);
      return true;
    }
  }
  return false;
}

// Tries the newest copy of every chunk, then the ones before them, until the content proves itself.
bool SalvagedContents::add_chunks(const domain::Envelope& envelope, const StoredContent& entry,
                                  SealedBlock& sealed) {
  bool has_copies = true;
  for (std::size_t copy = 0; has_copies; ++copy) {
    std::vector<Chunk> chunks;
    Bytes joined;
    for (std::int64_t i = 0; has_copies && i < entry.chunks; ++i) {
      Bytes key =
          chunk_key(envelope.stream, envelope.content->digest, static_cast<std::uint32_t>(i));
      const auto copies = files_.chunks(key);
      has_copies = !copies.empty() && (copy == 0 || copy < copies.size());
      if (!has_copies) break;
      joined.append(copies[copy]);
      chunks.push_back({std::move(key), copies[copy]});
    }
    if (!has_copies || !is_proved(joined, entry, envelope)) continue;
    for (Chunk& chunk : chunks) sealed.chunks.push_back(std::move(chunk));
    return true;
  }
  return false;
}

}  // namespace eventlog
