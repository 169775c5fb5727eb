// Every block store against a model that is too simple to be wrong, under random sequences of every
// operation that a store has.
#include <map>

#include "tests/support/blocks.hpp"
#include "tests/support/random_operations.hpp"
#include "tests/support/stores.hpp"

namespace {

using base::Bytes;
using base::Position;
using eventlog::AppendStatus;
using eventlog::SealedBlock;

enum class StoreAction {
  append,
  append_large,
  conflict,
  read,
  read_back,
  reopen,
  erase,
  erase_chunks,
  trim
};
constexpr int kStoreActions = 9;
using StoreOperation = support::Operation<StoreAction>;

template <class Fixture>
class StoreMachine {
 public:
  void run(const std::vector<StoreOperation>& sequence) {
    for (const StoreOperation& operation : sequence) {
      step(operation);
      check_ends();
    }
    check_read({1}, SIZE_MAX, true);
    check_chunks();
  }

 private:
  void step(const StoreOperation& operation) {
    switch (operation.kind) {
      case StoreAction::append:
        return append(chain_.next(1 + operation.a % 5, text_of(operation.b)));
      case StoreAction::append_large:
        return append_large(operation);
      case StoreAction::conflict:
        return conflict(operation);
      case StoreAction::read:
        return check_read(position_of(operation.a), operation.b, operation.c % 2 == 0);
      case StoreAction::read_back:
        return check_read_back(position_of(operation.a), operation.b);
      case StoreAction::reopen:
        return fixture_.reopen();
      case StoreAction::erase:
        return replace_content(operation);
      case StoreAction::erase_chunks:
        return erase_chunks(operation);
      case StoreAction::trim:
        // Trims are seldom far, or little would be left for the other operations.
        return trim(position_of(operation.c % 10 == 0 ? operation.a : operation.a / 100));
    }
  }

  static std::string text_of(unsigned number) {
    return number % 2 == 0 ? "content " + std::to_string(number) : std::string();
  }
  // Returns a position from before the first block to behind the last one.
  Position position_of(unsigned number) const {
    return {static_cast<std::int64_t>(number) % (tail_.value + 3)};
  }

  void append(const SealedBlock& block) {
    const auto outcome = fixture_.store().append(block);
    RC_ASSERT(outcome.status == AppendStatus::stored);
    RC_ASSERT(outcome.tail == block.header.last());
    for (const auto& chunk : block.chunks) chunks_[chunk.key] = chunk.bytes;
    blocks_[block.header.first] = block;
    tail_ = block.header.last();
  }

  void append_large(const StoreOperation& operation) {
    eventlog::BlockBuilder builder;
    builder.add("event");
    std::vector<eventlog::Chunk> chunks;
    for (unsigned i = 0; i <= operation.b % 3; ++i) {
      chunks.push_back({key_of(operation.a) + std::to_string(i), Bytes(operation.c, 'c')});
    }
    builder.add_chunks({}, std::move(chunks));
    append(chain_.sealed(builder));
  }
  static Bytes key_of(unsigned number) {
    return Bytes(1, static_cast<char>('a' + number % 3)) + "/";
  }

  void conflict(const StoreOperation& operation) {
    support::BlockChain other;
    other.header().first = {1 + static_cast<std::int64_t>(operation.a) % (tail_.value + 5)};
    if (other.header().first == tail_.next()) return;
    eventlog::BlockBuilder builder;
    builder.add("intruder");
    builder.add_chunks({}, {{"intruder", "bytes"}});
    const auto outcome = fixture_.store().append(other.sealed(builder));
    RC_ASSERT(outcome.status == AppendStatus::conflict);
    RC_ASSERT(outcome.tail == tail_);
    RC_ASSERT_FALSE(fixture_.store().read_chunk("intruder").has_value());
  }

  using Blocks = std::map<Position, SealedBlock>;
  // Returns the block that holds the position, or else the first one behind it.
  typename Blocks::const_iterator holding(Position position) const {
    const auto after = blocks_.upper_bound(position);
    return after == blocks_.begin() ? after : std::prev(after);
  }

  void check_same(const eventlog::StoredBlock& stored, const SealedBlock& block,
                  bool with_content) {
    RC_ASSERT(stored.facts == block.facts);
    RC_ASSERT(stored.content == (with_content ? block.content : Bytes()));
  }

  void check_read(Position from, std::size_t bytes_max, bool with_content) {
    const auto found = fixture_.store().read(from, bytes_max, with_content);
    RC_ASSERT(found.has_value());
    std::size_t bytes = 0;
    std::size_t count = 0;
    if (from <= tail_) {
      for (auto at = holding(from); at != blocks_.end() && (count == 0 || bytes < bytes_max);
           ++at) {
        RC_ASSERT(count < found->size());
        check_same((*found)[count++], at->second, with_content);
        bytes += at->second.facts.size() + (with_content ? at->second.content.size() : 0);
      }
    }
    RC_ASSERT(found->size() == count);
  }

  void check_read_back(Position from, std::size_t bytes_max) {
    const auto found = fixture_.store().read_reverse(from, bytes_max);
    RC_ASSERT(found.has_value());
    std::size_t bytes = 0;
    std::size_t count = 0;
    auto at = blocks_.upper_bound(from);
    while (at != blocks_.begin() && (count == 0 || bytes < bytes_max)) {
      --at;
      RC_ASSERT(count < found->size());
      check_same((*found)[count++], at->second, true);
      bytes += at->second.facts.size() + at->second.content.size();
    }
    RC_ASSERT(found->size() == count);
  }

  void replace_content(const StoreOperation& operation) {
    const Position at = position_of(operation.a);
    const auto block = blocks_.find(at);
    const std::string content = text_of(operation.b);
    const auto replaced = fixture_.store().replace_content(at, content);
    RC_ASSERT(replaced.has_value() == (block != blocks_.end()));
    if (block != blocks_.end()) block->second.content = content;
  }

  void erase_chunks(const StoreOperation& operation) {
    const Bytes prefix = operation.b % 4 == 0 ? key_of(operation.a) + "1" : key_of(operation.a);
    RC_ASSERT(fixture_.store().erase_chunks(prefix).has_value());
    std::erase_if(chunks_, [&](const auto& chunk) { return chunk.first.starts_with(prefix); });
  }

  void trim(Position position) {
    RC_ASSERT(fixture_.store().trim_before(position).has_value());
    if (!blocks_.empty()) blocks_.erase(blocks_.cbegin(), holding(position));
  }

  void check_ends() {
    RC_ASSERT(fixture_.store().tail() == tail_);
    RC_ASSERT(fixture_.store().first() == (blocks_.empty() ? Position{0} : blocks_.begin()->first));
  }

  void check_chunks() {
    for (const char* key : {"a/0", "a/1", "a/2", "b/0", "b/1", "b/2", "c/0", "c/1", "c/2"}) {
      const auto found = fixture_.store().read_chunk(key);
      const auto known = chunks_.find(key);
      RC_ASSERT(found.has_value() == (known != chunks_.end()));
      if (found) RC_ASSERT(*found == known->second);
    }
  }

  Fixture fixture_;
  support::BlockChain chain_;
  Blocks blocks_;
  std::map<Bytes, Bytes> chunks_;
  Position tail_;
};

TEMPLATE_TEST_CASE("whatever is asked of a block store, in any order, it does what its model does",
                   "[eventlog]", support::MemoryBlockStore, support::RocksDbBlockStore) {
  support::check_sequences<StoreAction>(
      "a block store is its model", kStoreActions,
      [](const std::vector<StoreOperation>& sequence) { StoreMachine<TestType>().run(sequence); });
}

}  // namespace
