// conversation_update_over_json_index, conversation_update_over_sqlite: updates of conversations a
// second, over those of an index in one JSON file, and of a database with a row for each. By turns.
#include <fmt/format.h>

#include <filesystem>

#include "tools/benchmarks/entry_files.hpp"
#include "tools/benchmarks/postgres_load.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/steno_conversations.hpp"

namespace benchmarks {
namespace {

constexpr Nanoseconds kManyFileMax = std::chrono::seconds(4);

// Something that stores updates.
struct EntryStore {
  std::string text;
  std::unique_ptr<LoadTarget> load;
  std::size_t outstanding = kUpdatesOutstanding;
  Rounds rounds{};

  base::Result<void> run(Nanoseconds duration) {
    const auto result = run_closed_loop(*load, {outstanding, duration, kTurnCountMax});
    if (!result) return tl::unexpected(result.error());
    rounds.add(*result);
    return {};
  }
};

// Measures Steno with few conversations, and each of the stores, by turns.
base::Result<Rounds> take_turns(Workbench& bench, const std::string& row,
                                std::vector<EntryStore>& stores) {
  auto steno = StenoConversations::open(bench, bench.fresh_folder(row), kFewConversations);
  if (!steno) return tl::unexpected(steno.error());
  for (EntryStore& store : stores) {
    if (auto ok = store.run(kUpdatesWarmUp); !ok) return tl::unexpected(ok.error());
    store.rounds = {};
  }
  const UpdateTurns turns = update_turns(bench);
  for (int turn = 0; turn < turns.count; ++turn) {
    bench.progress(fmt::format("{} {}/{}", row, turn + 1, turns.count));
    if (auto ok = steno->run(turns.duration); !ok) return tl::unexpected(ok.error());
    for (EntryStore& store : stores) {
      if (auto ok = store.run(turns.duration); !ok) return tl::unexpected(ok.error());
    }
  }
  return std::move(steno->rounds);
}

std::string steno_text(const Rounds& rounds, std::size_t conversations) {
  return describe(
      fmt::format("steno, {} outstanding, {} conversations", kUpdatesOutstanding, conversations),
      rounds);
}

std::string turns_text(Workbench& bench) {
  const UpdateTurns turns = update_turns(bench);
  return fmt::format("{} turns of {:.2f} s; {} connections; each update of one of all, at random{}",
                     turns.count, seconds(turns.duration), kLoadConnections,
                     bench.is_quick() ? "; --quick, so fewer conversations" : "");
}

base::Result<EntryStore> open_file_store(Workbench& bench, std::size_t conversations) {
  const std::string folder = bench.fresh_folder(fmt::format("entry-files-{}", conversations));
  auto load = open_entry_files(folder, conversations);
  if (!load) return tl::unexpected(load.error());
  std::error_code gone;
  const auto bytes = std::filesystem::file_size(folder + "/" + kEntryFile, gone);
  return EntryStore{
      fmt::format("a JSON file of {} entries, {} B, with a lock file and a line of JSONL, "
                  "one writer",
                  conversations, bytes),
      std::move(*load), 1};
}

base::Result<std::vector<EntryStore>> open_sqlite_stores(Workbench& bench,
                                                         std::size_t conversations) {
  std::vector<EntryStore> stores;
  for (const std::size_t outstanding : {kUpdatesOutstanding, std::size_t{1}}) {
    std::vector<StoredEntry> entries;
    for (std::size_t i = 0; i < conversations; ++i) {
      entries.push_back({conversation_key(i), entry_text(i)});
    }
    auto load = open_sqlite_entries_load(
        bench.fresh_folder(fmt::format("entries-{}-{}", conversations, outstanding)),
        std::move(entries));
    if (!load) return tl::unexpected(load.error());
    stores.push_back(
        {fmt::format("sqlite {}, WAL, FULL, {} rows, {}", sqlite_version(), conversations,
                     outstanding == 1 ? "one a transaction" : "all of 64 in one transaction"),
         std::move(*load), outstanding});
  }
  return stores;
}

// Fills the table with so many rows, and connects.
base::Result<EntryStore> open_postgres_store(const PostgresServer& server,
                                             std::size_t conversations) {
  PostgresLoadOptions options{kUpdatesOutstanding, entry_text(0).size()};
  const std::string first = conversation_key(0);
  const std::size_t digits = first.find_last_not_of("0123456789") + 1;
  for (const std::string& statement :
       {std::string("DROP TABLE IF EXISTS entries"),
        std::string("CREATE TABLE entries (key text PRIMARY KEY, entry bytea, updated bigint)"),
        fmt::format("INSERT INTO entries SELECT '{}' || ({} + n), repeat('v', {})::bytea, 0 FROM "
                    "generate_series(0, {}) n",
                    first.substr(0, digits), first.substr(digits), options.value_bytes,
                    conversations - 1)}) {
    if (auto ok = server.run(statement); !ok) return tl::unexpected(ok.error());
  }
  for (std::size_t i = 0; i < conversations; ++i) options.keys.push_back(conversation_key(i));
  auto load = PostgresLoad::connect(server, std::move(options));
  if (!load) return tl::unexpected(load.error());
  return EntryStore{fmt::format("postgresql {}, UPDATE, {} rows, {} connections", server.version(),
                                conversations, kUpdatesOutstanding),
                    std::move(*load)};
}

// An error if the updates changed nothing.
constexpr std::string_view kCheckUpdated =
    "DO $$ BEGIN IF (SELECT sum(updated) FROM entries) = 0 THEN RAISE 'no row was changed'; "
    "END IF; END $$";

}  // namespace

base::Result<Figure> measure_entries_over_json(Workbench& bench) {
  std::vector<EntryStore> stores;
  auto few = open_file_store(bench, kFewConversations);
  if (!few) return tl::unexpected(few.error());
  stores.push_back(std::move(*few));
  const auto steno = take_turns(bench, "conversation_update_over_json_index", stores);
  if (!steno) return tl::unexpected(steno.error());
  const auto& home = many_conversations(bench);
  if (!home) return tl::unexpected(home.error());
  bench.progress("conversation_update_over_json_index, a large file");
  auto large = open_file_store(bench, home->count);
  if (!large) return tl::unexpected(large.error());
  if (auto ok = large->run(kManyFileMax); !ok) return tl::unexpected(ok.error());
  return Figure{
      median_ratio(*steno, stores.front().rounds),
      {steno_text(*steno, kFewConversations), describe(stores.front().text, stores.front().rounds),
       steno_text(home->rounds, home->count), describe(large->text, large->rounds),
       turns_text(bench)}};
}

base::Result<Figure> measure_entries_over_sqlite(Workbench& bench) {
  const std::string row = "conversation_update_over_sqlite";
  bench.progress(row);
  const auto postgres = PostgresServer::start(bench);
  if (!postgres && postgres.error().code != base::ErrorCode::not_found) {
    return tl::unexpected(postgres.error());
  }
  if (!postgres) bench.note_absent("postgresql");
  const auto open_stores = [&](std::size_t conversations) -> base::Result<std::vector<EntryStore>> {
    auto stores = open_sqlite_stores(bench, conversations);
    if (!stores || !postgres) return stores;
    auto store = open_postgres_store(**postgres, conversations);
    if (!store) return tl::unexpected(store.error());
    stores->push_back(std::move(*store));
    return stores;
  };
  auto few = open_stores(kFewConversations);
  if (!few) return tl::unexpected(few.error());
  const auto steno = take_turns(bench, row, *few);
  if (!steno) return tl::unexpected(steno.error());
  Figure figure{median_ratio(*steno, few->front().rounds), {steno_text(*steno, kFewConversations)}};
  for (const EntryStore& store : *few) figure.raw.push_back(describe(store.text, store.rounds));
  few->clear();
  if (postgres) {
    if (auto ok = (*postgres)->run(kCheckUpdated); !ok) return tl::unexpected(ok.error());
  }
  const auto& home = many_conversations(bench);
  if (!home) return tl::unexpected(home.error());
  figure.raw.push_back(steno_text(home->rounds, home->count));
  bench.progress(row + ", many rows");
  auto large = open_stores(home->count);
  if (!large) return tl::unexpected(large.error());
  for (EntryStore& store : *large) {
    for (int turn = 0; turn < update_turns(bench).count_of_many; ++turn) {
      if (auto ok = store.run(update_turns(bench).duration); !ok) return tl::unexpected(ok.error());
    }
    figure.raw.push_back(describe(store.text, store.rounds));
  }
  figure.raw.push_back(turns_text(bench) + fmt::format("; entries of {} B", entry_text(0).size()));
  return figure;
}

}  // namespace benchmarks
