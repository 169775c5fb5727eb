// The parts are chained from the last one backwards. A read goes to the part that holds its
// position, so it ends with that part.
#include "eventlog/folder/archive_chain.hpp"

#include <algorithm>

#include "eventlog/log/tail_proof.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;
using base::failure;
using Parts = std::vector<std::unique_ptr<BlockStore>>;

tl::unexpected<base::Error> refused() {
  return failure(ErrorCode::refused, "archives are read, and not changed");
}

class ChainedStore final : public BlockStore {
 public:
  explicit ChainedStore(Parts parts) : parts_(std::move(parts)) {}

  AppendOutcome append(const SealedBlock&) override {
    return {AppendStatus::unknown, tail(), refused().value()};
  }
  Position first() const override { return parts_.front()->first(); }
  Position tail() const override { return parts_.back()->tail(); }

  Result<std::vector<StoredBlock>> read(Position from, std::size_t bytes_max,
                                        bool with_content) override {
    return part_of(from).read(from, bytes_max, with_content);
  }
  Result<std::vector<StoredBlock>> read_reverse(Position from, std::size_t bytes_max) override {
    return part_of(from).read_reverse(from, bytes_max);
  }
  Result<Bytes> read_chunk(ByteView key) override {
    for (const auto& part : parts_) {
      auto bytes = part->read_chunk(key);
      if (bytes || bytes.error().code != ErrorCode::not_found) return bytes;
    }
    return failure(ErrorCode::not_found, "no such chunk");
  }

  Result<void> replace_content(Position, ByteView) override { return refused(); }
  Result<void> erase_chunks(ByteView) override { return refused(); }
  Result<void> scrub(const ScrubScope&) override { return refused(); }
  Result<void> copy_to(const std::string&) override { return refused(); }
  Result<void> trim_before(Position) override { return refused(); }

 private:
  BlockStore& part_of(Position position) {
    const auto found = std::find_if(parts_.begin(), parts_.end() - 1,
                                    [&](const auto& part) { return position <= part->tail(); });
    return **found;
  }

  Parts parts_;  // ascending, without a gap
};

Result<BlockView> only_block(const Result<std::vector<StoredBlock>>& blocks) {
  if (!blocks) return tl::unexpected(blocks.error());
  if (blocks->empty()) return failure(ErrorCode::damaged, "there is no block");
  return parse_block(blocks->front().facts);
}

}  // namespace

Result<void> check_seam(BlockStore& before, BlockStore& after) {
  const auto last = before.read(before.tail(), 1, false);
  const auto next = after.read(after.first(), 1, false);
  const auto end = only_block(last);
  if (!end) return tl::unexpected(end.error());
  const auto begin = only_block(next);
  if (!begin) return tl::unexpected(begin.error());
  if (begin->header.log == end->header.log && begin->header.previous == end->hash()) return {};
  return failure(ErrorCode::wrong_log, "the archive that ends here is not one of this log",
                 "position " + std::to_string(before.tail().value));
}

Result<std::unique_ptr<BlockStore>> chain_stores(Parts parts) {
  std::erase_if(parts, [](const auto& part) { return part->tail().value == 0; });
  if (parts.empty()) return failure(ErrorCode::not_found, "there is no event");
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a->tail() < b->tail(); });
  Parts chained;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (chained.empty()) {
      chained.push_back(std::move(*part));
      continue;
    }
    BlockStore& after = *chained.back();
    if ((*part)->first() >= after.first()) continue;
    if ((*part)->tail().next() != after.first()) {
      if ((*part)->tail() >= after.first()) {
        return failure(ErrorCode::wrong_log, "two of the archives overlap",
                       "position " + std::to_string(after.first().value));
      }
      return failure(ErrorCode::not_found,
                     missing_text((*part)->tail().next(), after.first().plus(-1)) +
                         " in the archives that were given");
    }
    if (auto ok = check_seam(**part, after); !ok) return tl::unexpected(ok.error());
    chained.push_back(std::move(*part));
  }
  std::reverse(chained.begin(), chained.end());
  if (chained.size() == 1) return std::move(chained.front());
  return std::make_unique<ChainedStore>(std::move(chained));
}

}  // namespace eventlog
