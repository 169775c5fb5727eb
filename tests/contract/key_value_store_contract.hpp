// The contract of every key-value store; a store's test calls it with a fixture of its own.
#pragma once

#include <limits>
#include <map>

#include "eventlog/base/random.hpp"
#include "tests/support/stores.hpp"

namespace contract {

using eventlog::KeyValueStore;

inline std::vector<std::string> keys_of(const std::vector<eventlog::KeyValue>& rows) {
  std::vector<std::string> keys;
  for (const auto& row : rows) keys.push_back(row.key);
  return keys;
}

inline void put_all(KeyValueStore& store, const std::vector<std::string>& keys) {
  eventlog::WriteBatch batch;
  for (const std::string& key : keys) batch.put(key, "value of " + key);
  REQUIRE(store.write(batch));
}

template <class Fixture>
void key_value_store_contract() {
  constexpr std::size_t kMany = std::numeric_limits<std::size_t>::max();
  using Keys = std::vector<std::string>;
  Fixture fixture;
  KeyValueStore& store = fixture.store();
  SECTION("a value is there from its batch on, until it is removed or replaced") {
    CHECK_FALSE(*store.get("a"));
    put_all(store, {"a", "b"});
    CHECK(*store.get("a") == "value of a");
    eventlog::WriteBatch batch;
    batch.put("a", "");
    batch.remove("b");
    batch.remove("never there");
    REQUIRE(store.write(batch));
    CHECK(*store.get("a") == "");
    CHECK_FALSE(*store.get("b"));
    fixture.reopen();
    CHECK(*fixture.store().get("a") == "");
    CHECK_FALSE(*fixture.store().get("b"));
  }
  SECTION("a batch removes before it puts") {
    put_all(store, {"a"});
    eventlog::WriteBatch batch;
    batch.put("a", "new");
    batch.remove("a");
    REQUIRE(store.write(batch));
    CHECK(*store.get("a") == "new");
  }
  SECTION("the last put of a key in a batch wins, and an empty batch is fine") {
    eventlog::WriteBatch batch;
    CHECK(batch.is_empty());
    REQUIRE(store.write(batch));
    batch.put("a", "1");
    batch.put("a", "2");
    REQUIRE(store.write(batch));
    CHECK(*store.get("a") == "2");
  }
  SECTION("keys and values are any bytes") {
    const base::Bytes odd("\0\xFF\x80k", 4);
    const base::Bytes large(3'000'000, '\xAB');
    eventlog::WriteBatch batch;
    batch.put(odd, large);
    REQUIRE(store.write(batch));
    CHECK(*store.get(odd) == large);
    CHECK_FALSE(*store.get(odd.substr(0, 3)));
  }
  SECTION("a scan gives the prefix's rows in order, from a key on, as many as asked for") {
    put_all(store, {"b/2", "a/1", "b/1", "b/3", "b", "c/1", "b0"});
    CHECK(keys_of(*store.scan("b/", "", kMany)) == Keys{"b/1", "b/2", "b/3"});
    CHECK(keys_of(*store.scan("b/", "b/2", kMany)) == Keys{"b/2", "b/3"});
    CHECK(keys_of(*store.scan("b/", "b/11", kMany)) == Keys{"b/2", "b/3"});
    CHECK(keys_of(*store.scan("b/", "", 2)) == Keys{"b/1", "b/2"});
    CHECK(store.scan("b/", "", 0)->empty());
    CHECK(store.scan("b/", "c", kMany)->empty());
    CHECK(keys_of(*store.scan("b/", "a", kMany)) == Keys{"b/1", "b/2", "b/3"});
    CHECK(store.scan("", "", kMany)->size() == 7);
    CHECK(store.scan("d", "", kMany)->empty());
  }
  SECTION("the last row of a prefix is its greatest key") {
    CHECK_FALSE(*store.last(""));
    const std::string high = "b/\xFF\xFF";
    put_all(store, {"a/1", "b/1", "b/2", high, "c"});
    CHECK((*store.last("b/"))->key == high);
    CHECK((*store.last("a/"))->key == "a/1");
    CHECK((*store.last("a/"))->value == "value of a/1");
    CHECK((*store.last(""))->key == "c");
    CHECK_FALSE(*store.last("a/2"));
    CHECK_FALSE(*store.last("d"));
  }
  SECTION("clear removes everything, and the store goes on") {
    put_all(store, {"", "a", "\xFF\xFF", "z"});
    REQUIRE(store.clear());
    CHECK(store.scan("", "", kMany)->empty());
    CHECK_FALSE(*store.last(""));
    REQUIRE(store.clear());
    put_all(store, {"a"});
    CHECK(*store.get("a") == "value of a");
    fixture.reopen();
    CHECK(keys_of(*fixture.store().scan("", "", kMany)) == Keys{"a"});
  }
  SECTION("a snapshot stays as it was, whatever is written") {
    put_all(store, {"a/1", "b/1", "b/3", "c/1"});
    const auto snapshot = store.snapshot();
    REQUIRE(snapshot);
    eventlog::WriteBatch batch;
    batch.remove("b/1");
    batch.put("b/2", "new");
    batch.put("b/3", "new");
    REQUIRE(store.write(batch));
    REQUIRE(store.flush());
    const auto seen = (*snapshot)->scan("b/", "", kMany);
    REQUIRE(keys_of(*seen) == Keys{"b/1", "b/3"});
    CHECK(seen->back().value == "value of b/3");
    CHECK(keys_of(*(*snapshot)->scan("b/", "b/2", kMany)) == Keys{"b/3"});
    CHECK(keys_of(*(*snapshot)->scan("", "", 1)) == Keys{"a/1"});
    CHECK(keys_of(*store.scan("b/", "", kMany)) == Keys{"b/2", "b/3"});
  }
  SECTION("clear waits for no snapshot, and none shows what came later") {
    put_all(store, {"a"});
    const auto snapshot = store.snapshot();
    REQUIRE(snapshot);
    REQUIRE(store.clear());
    put_all(store, {"b"});
    const auto seen = (*snapshot)->scan("", "", kMany);
    if (seen) {
      CHECK(keys_of(*seen) == Keys{"a"});
    } else {
      CHECK(seen.error().code == base::ErrorCode::busy);
    }
    const auto later = store.snapshot();
    REQUIRE(later);
    CHECK(keys_of(*(*later)->scan("", "", kMany)) == Keys{"b"});
  }
  SECTION("a store holds what a map holds") {
    base::SeededRandom random(17);
    std::map<std::string, std::string> model;
    for (int round = 0; round < 300; ++round) {
      eventlog::WriteBatch batch;
      for (int i = 0; i < 4; ++i) {
        const std::string key(1 + random.below(3), static_cast<char>('a' + random.below(4)));
        if (random.chance(30)) {
          batch.remove(key);
        } else {
          batch.put(key, std::to_string(random.next()));
        }
      }
      for (const auto& key : batch.removes) model.erase(key);
      for (const auto& [key, value] : batch.puts) model[key] = value;
      REQUIRE(store.write(batch));
    }
    fixture.reopen();
    const auto rows = fixture.store().scan("", "", kMany);
    REQUIRE(rows->size() == model.size());
    auto expected = model.begin();
    for (const auto& row : *rows) {
      CHECK(row.key == expected->first);
      CHECK(row.value == expected->second);
      ++expected;
    }
  }
}

}  // namespace contract
