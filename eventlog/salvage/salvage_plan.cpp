// Blocks are linked by their hashes. The prefix follows the chain from the first block; the head's
// block and its ancestors win where the chain forks.
#include "eventlog/salvage/salvage_plan.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace eventlog {
namespace {

using Block = const FoundBlock*;

Bytes key_of(const Hash& hash) {
  return Bytes(base::view(hash));
}

class Planner {
 public:
  Planner(const std::vector<FoundBlock>& blocks, const std::optional<Checkpoint>& head)
      : head_(head) {
    plan_.log = choose_log(blocks);
    for (const FoundBlock& block : blocks) {
      if (block.header.log != plan_.log) continue;
      blocks_.push_back(&block);
      by_hash_.emplace(key_of(block.hash), &block);
      followers_[key_of(block.header.previous)].push_back(&block);
    }
  }

  SalvagePlan plan() {
    walk_back_from_head();
    follow_from_first();
    for (Block block : blocks_) {
      plan_.epoch_counter = std::max(plan_.epoch_counter, block->header.epoch.counter);
      plan_.writer_term = std::max(plan_.writer_term, block->header.writer_term);
      if (!is_kept_.contains(block)) plan_.rest.push_back({block, proof_of(block)});
    }
    if (head_) plan_.epoch_counter = std::max(plan_.epoch_counter, head_->epoch.counter);
    list_missing();
    return std::move(plan_);
  }

 private:
  base::LogId choose_log(const std::vector<FoundBlock>& blocks) const {
    if (head_) return head_->log;
    // Blocks of the log's own folder count before those of archives.
    std::map<base::LogId, std::pair<std::size_t, std::size_t>> counts;
    for (const FoundBlock& block : blocks) {
      auto& [own, archived] = counts[block.header.log];
      ++(block.folder == 0 ? own : archived);
    }
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? base::LogId{} : most->first;
  }

  Block previous_of(Block block) const {
    const auto found = by_hash_.find(key_of(block->header.previous));
    if (found == by_hash_.end()) return nullptr;
    return found->second->header.last().next() == block->header.first ? found->second : nullptr;
  }

  // Marks the acknowledged blocks: the head's block and all blocks that it is chained back to.
  void walk_back_from_head() {
    if (!head_) return;
    const auto found = by_hash_.find(key_of(head_->hash));
    for (Block at = found == by_hash_.end() ? nullptr : found->second; at != nullptr;) {
      acknowledged_.insert(at);
      at = previous_of(at);
    }
  }

  // If two blocks follow the same one, the acknowledged one is the history; else the one that a
  // later server wrote.
  Block follower_of(const Hash& hash, Position first) const {
    Block chosen = nullptr;
    const auto found = followers_.find(key_of(hash));
    if (found == followers_.end()) return chosen;
    const auto rank = [&](Block block) {
      return std::pair(acknowledged_.contains(block), block->header.writer_term);
    };
    for (Block block : found->second) {
      if (block->header.first != first) continue;
      if (chosen == nullptr || rank(block) > rank(chosen)) chosen = block;
    }
    return chosen;
  }

  void follow_from_first() {
    Hash hash{};
    Position next{1};
    for (Block block = follower_of(hash, next); block != nullptr;) {
      plan_.prefix.push_back(block);
      is_kept_.insert(block);
      hash = block->hash;
      next = block->header.last().next();
      block = follower_of(hash, next);
    }
  }

  RestProof proof_of(Block block) const {
    if (acknowledged_.contains(block)) return RestProof::head;
    const Block follower = follower_of(block->hash, block->header.last().next());
    if (previous_of(block) != nullptr || follower != nullptr) return RestProof::chain;
    return RestProof::alone;
  }

  void list_missing() {
    Position next = plan_.prefix.empty() ? Position{1} : plan_.prefix.back()->header.last().next();
    const auto add = [&](Position through, bool is_in_rest) {
      if (through < next) return;
      const bool goes_on = !plan_.missing.empty() &&
                           plan_.missing.back().is_in_rest == is_in_rest &&
                           plan_.missing.back().through.next() == next;
      if (goes_on) {
        plan_.missing.back().through = through;
      } else {
        plan_.missing.push_back({next, through, is_in_rest});
      }
      next = through.next();
    };
    for (const PlannedRest& rest : plan_.rest) {
      add(rest.block->header.first.plus(-1), false);
      add(rest.block->header.last(), true);
    }
    if (head_) add(head_->position, false);
  }

  const std::optional<Checkpoint> head_;
  std::vector<Block> blocks_;
  std::unordered_map<Bytes, Block> by_hash_;
  std::unordered_map<Bytes, std::vector<Block>> followers_;
  std::unordered_set<Block> acknowledged_;
  std::unordered_set<Block> is_kept_;
  SalvagePlan plan_;
};

}  // namespace

SalvagePlan plan_salvage(const std::vector<FoundBlock>& blocks,
                         const std::optional<Checkpoint>& head) {
  return Planner(blocks, head).plan();
}

}  // namespace eventlog
