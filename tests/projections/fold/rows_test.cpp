// A batch of rows: reads see its own changes, scans agree with the store, damage fails the batch,
// and the digest follows every row.
#include "projections/fold/rows.hpp"

#include "projections/fold/digest.hpp"
#include "tests/support/catch.hpp"

namespace {

using base::Bytes;
using projections::RowReader;
using projections::Rows;

struct Row {
  std::int64_t number = 0;
  bool operator==(const Row&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("number", &Row::number);
  }
};

void store(eventlog::KeyValueStore& store, Rows& rows) {
  eventlog::WriteBatch batch;
  rows.move_into(batch);
  REQUIRE(store.write(batch));
}

std::vector<std::pair<Bytes, std::int64_t>> numbers(const std::vector<eventlog::KeyValue>& rows) {
  std::vector<std::pair<Bytes, std::int64_t>> found;
  for (const auto& row : rows) found.emplace_back(row.key, base::decode<Row>(row.value)->number);
  return found;
}

TEST_CASE("a batch reads what is stored and what it changed itself", "[projections]") {
  const auto kept = eventlog::make_memory_key_value_store();
  Rows first(*kept, "p");
  first.put("a", Row{1});
  first.put("b", Row{2});
  store(*kept, first);

  Rows rows(*kept, "p");
  REQUIRE(rows.find<Row>("a"));
  CHECK(*rows.find<Row>("a") == Row{1});
  rows.put("a", Row{10});
  rows.remove("b");
  CHECK(*rows.find<Row>("a") == Row{10});
  CHECK_FALSE(rows.find<Row>("b"));
  CHECK(RowReader(*kept, "p").get<Row>("a")->value() == Row{1});
  store(*kept, rows);
  CHECK(RowReader(*kept, "p").get<Row>("a")->value() == Row{10});
  CHECK_FALSE(RowReader(*kept, "p").get<Row>("b")->has_value());
  CHECK_FALSE(rows.error());
}

TEST_CASE("a row is written only when a change says so", "[projections]") {
  const auto kept = eventlog::make_memory_key_value_store();
  Rows first(*kept, "p");
  first.put("a", Row{1});
  store(*kept, first);

  Rows rows(*kept, "p");
  const auto add = [&](base::ByteView key, std::int64_t number) {
    rows.edit<Row>(key, [&](Row& row) {
      row.number += number;
      return number != 0;
    });
  };
  add("a", 0);
  add("b", 0);
  CHECK_FALSE(rows.find<Row>("b"));
  eventlog::WriteBatch nothing;
  rows.move_into(nothing);
  CHECK(nothing.is_empty());

  add("a", 2);
  add("a", 3);
  add("b", 4);
  CHECK(*rows.find<Row>("a") == Row{6});
  CHECK(numbers(rows.scan({}, {}, 9)) ==
        std::vector<std::pair<Bytes, std::int64_t>>{{"a", 6}, {"b", 4}});
  store(*kept, rows);
  CHECK(numbers(*RowReader(*kept, "p").scan({}, {}, 9)) ==
        std::vector<std::pair<Bytes, std::int64_t>>{{"a", 6}, {"b", 4}});
}

TEST_CASE("one projection does not see the rows of another", "[projections]") {
  const auto kept = eventlog::make_memory_key_value_store();
  Rows rows(*kept, "p");
  rows.put("a", Row{1});
  store(*kept, rows);
  CHECK_FALSE(Rows(*kept, "p2").find<Row>("a"));
  CHECK(Rows(*kept, "q").scan({}, {}, 10).empty());
  CHECK(*projections::digest(*kept, "q") == *projections::digest(*kept, "r"));
}

TEST_CASE("a row whose bytes are not a row fails the batch, not the process", "[projections]") {
  const auto kept = eventlog::make_memory_key_value_store();
  eventlog::WriteBatch batch;
  batch.put("p/a", "\xC1");
  REQUIRE(kept->write(batch));
  Rows rows(*kept, "p");
  CHECK_FALSE(rows.find<Row>("a"));
  REQUIRE(rows.error());
  CHECK(rows.error()->code == base::ErrorCode::rows_damaged);
  const auto read = RowReader(*kept, "p").get<Row>("a");
  REQUIRE_FALSE(read);
  CHECK(read.error().code == base::ErrorCode::rows_damaged);
}

TEST_CASE("a scan of a batch equals a scan after it was stored", "[projections]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    base::SeededRandom random(seed);
    const auto kept = eventlog::make_memory_key_value_store();
    const auto change = [&](Rows& rows) {
      // More rows than one page of a scan, with keys that are prefixes of each other.
      for (std::uint64_t i = random.below(600); i > 0; --i) {
        Bytes key(1 + random.below(3), 'a');
        for (char& c : key) c = static_cast<char>('a' + random.below(12));
        if (random.chance(20)) key.append(40, 'z');
        const Row row{static_cast<std::int64_t>(random.below(1000))};
        switch (random.below(4)) {
          case 0:
            rows.remove(key);
            break;
          case 1:
            rows.put(key, row);
            break;
          case 2:
            rows.find<Row>(key);
            break;
          default:
            // An edit can use other rows, even so many that the rows in memory move.
            rows.edit<Row>(key, [&](Row& edited) {
              if (random.chance(5)) {
                for (int k = 0; k < 100; ++k) rows.put(key + std::to_string(k), row);
              }
              if (random.chance(5)) rows.scan(key.substr(0, 1), {}, 10);
              const bool is_changed = random.chance(60);
              if (is_changed) edited = row;
              return is_changed;
            });
        }
      }
    };
    Rows before(*kept, "p");
    change(before);
    store(*kept, before);
    Rows first(*kept, "p");
    change(first);
    Rows rows = std::move(first);
    change(rows);
    const Bytes prefix(random.below(3), 'c');
    const Bytes from(random.below(3), 'd');
    const std::size_t count_max = random.below(500);
    const auto in_batch = numbers(rows.scan(prefix, from, count_max));
    store(*kept, rows);
    INFO("seed " << seed);
    REQUIRE(in_batch == numbers(*RowReader(*kept, "p").scan(prefix, from, count_max)));
  }
}

TEST_CASE("the digest changes with any row and any key, and with nothing else", "[projections]") {
  const auto digest_of = [](std::vector<std::pair<Bytes, std::int64_t>> rows_put) {
    const auto kept = eventlog::make_memory_key_value_store();
    Rows rows(*kept, "p");
    for (const auto& [key, number] : rows_put) rows.put(key, Row{number});
    store(*kept, rows);
    return *projections::digest(*kept, "p");
  };
  const auto original = digest_of({{"a", 1}, {"b", 2}, {"c", 0}});
  CHECK(original == digest_of({{"c", 0}, {"b", 9}, {"a", 1}, {"b", 2}}));
  CHECK(original != digest_of({{"a", 2}, {"b", 2}, {"c", 0}}));
  CHECK(original != digest_of({{"a", 1}, {"b", 2}}));
  CHECK(original != digest_of({{"a", 1}, {"bb", 2}, {"c", 0}}));
  CHECK(original != digest_of({{"a", 2}, {"b", 1}, {"c", 0}}));
  CHECK(original != digest_of({}));
  CHECK(digest_of({{"a", 1}}) != digest_of({{"b", 1}}));
}

}  // namespace
