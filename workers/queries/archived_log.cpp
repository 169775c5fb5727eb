// Archives are opened from the newest one backwards, and each must end where the part behind it
// begins. The first that does not is the end of what can be read.
#include "workers/queries/archived_log.hpp"

#include <algorithm>

#include "eventlog/folder/archive_chain.hpp"

namespace workers {
namespace {

tl::unexpected<base::Error> refused() {
  return base::failure(base::ErrorCode::refused, "archives are read, and not changed");
}

}  // namespace

ArchivedLog::ArchivedLog(BlockStore& log, std::vector<ArchivePlace> places, OpenArchive open)
    : log_(log), places_(std::move(places)), open_(std::move(open)) {
  std::sort(places_.begin(), places_.end(),
            [](const auto& a, const auto& b) { return a.through < b.through; });
}

Position ArchivedLog::first() const {
  return opened_.empty() ? log_.first() : opened_.back()->first();
}

Position ArchivedLog::reach(Position position) {
  while (first() > position && open_ && !places_.empty()) {
    const ArchivePlace place = std::move(places_.back());
    places_.pop_back();
    // The log can still hold what is archived, until it is trimmed.
    if (place.through >= first()) continue;
    auto archive = open(place);
    if (archive == nullptr) {
      places_.clear();
      break;
    }
    opened_.push_back(std::move(archive));
  }
  return first();
}

// Returns the archive whose end is where the opened part begins; null: it is in none of the
// folders.
std::unique_ptr<BlockStore> ArchivedLog::open(const ArchivePlace& place) {
  BlockStore& behind = opened_.empty() ? log_ : *opened_.back();
  for (const std::string& folder : place.folders) {
    auto archive = open_(folder);
    const bool is_it =
        archive && (*archive)->tail().next() == first() && eventlog::check_seam(**archive, behind);
    if (is_it) return std::move(*archive);
  }
  return nullptr;
}

BlockStore& ArchivedLog::part_of(Position position) {
  if (position >= log_.first()) return log_;
  for (const auto& part : opened_) {
    if (position >= part->first() && position <= part->tail()) return *part;
  }
  return log_;
}

Result<std::vector<eventlog::StoredBlock>> ArchivedLog::read(Position from, std::size_t bytes_max,
                                                             bool with_content) {
  return part_of(from).read(from, bytes_max, with_content);
}

Result<std::vector<eventlog::StoredBlock>> ArchivedLog::read_reverse(Position from,
                                                                     std::size_t bytes_max) {
  return part_of(from).read_reverse(from, bytes_max);
}

Result<Bytes> ArchivedLog::read_chunk(ByteView key) {
  auto bytes = log_.read_chunk(key);
  for (const auto& part : opened_) {
    if (bytes || bytes.error().code != base::ErrorCode::not_found) break;
    bytes = part->read_chunk(key);
  }
  return bytes;
}

eventlog::AppendOutcome ArchivedLog::append(const eventlog::SealedBlock&) {
  return {eventlog::AppendStatus::unknown, tail(), refused().value()};
}
Result<void> ArchivedLog::replace_content(Position, ByteView) {
  return refused();
}
Result<void> ArchivedLog::erase_chunks(ByteView) {
  return refused();
}
Result<void> ArchivedLog::scrub(const eventlog::ScrubScope&) {
  return refused();
}
Result<void> ArchivedLog::copy_to(const std::string&) {
  return refused();
}
Result<void> ArchivedLog::trim_before(Position) {
  return refused();
}

}  // namespace workers
