#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "eventlog/key_value_store.hpp"
#include "eventlog/log_folder.hpp"
#include "eventlog/private_folder.hpp"
#include "projections/digest.hpp"
#include "projections/projections.hpp"
#include "tools/steno/replay.hpp"
#include "tools/steno/replay_report.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Position;
using base::Result;
using eventlog::KeyValueStore;
using projections::Projection;
using Json = nlohmann::ordered_json;

constexpr std::size_t kBatchEvents = 16 << 10;  // folded between two writes and two signs of life

// What the server's rows of one projection are, if there are any that this release can compare.
struct Live {
  std::optional<eventlog::Checkpoint> checkpoint;
  base::Hash digest{};
};

struct Outcome {
  std::string name;
  Position position;  // where the rebuilt rows stand
  Live live;
  base::Hash rebuilt{};
  bool is_compared = false;
  bool is_equal = false;
};

std::string hex16(const base::Hash& digest) {
  return base::to_hex(base::view(digest).substr(0, 8));
}

// Null when there are none, or when they cannot be read: then there is nothing to compare with.
std::unique_ptr<KeyValueStore> open_live_rows(const ReplayArguments& arguments) {
  const std::string folder = eventlog::LogFolder{arguments.folder}.views();
  auto rows = eventlog::open_rocksdb_key_value_view(folder);
  if (rows) return std::move(*rows);
  if (rows.error().code != ErrorCode::not_found) {
    fmt::print(arguments.err, "steno: the live rows cannot be read: {}\n",
               base::describe(rows.error()));
  }
  return nullptr;
}

Result<Live> read_live(KeyValueStore* rows, const Projection& projection) {
  Live live;
  if (rows == nullptr) return live;
  const auto stored = projections::read_checkpoint(*rows, projection.name());
  if (!stored) return tl::unexpected(stored.error());
  if (!*stored || (*stored)->schema != projection.schema()) return live;
  const auto digest = projections::digest(*rows, projection.name());
  if (!digest) return tl::unexpected(digest.error());
  live.checkpoint = (*stored)->checkpoint;
  live.digest = *digest;
  return live;
}

Result<Position> choose_end(const ReplayArguments& arguments, const eventlog::BlockStore& store,
                            const Live& live) {
  const Position tail = store.tail();
  if (arguments.to > 0) {
    if (arguments.to <= tail.value) return Position{arguments.to};
    return base::failure(ErrorCode::not_found,
                         "the log ends at position " + std::to_string(tail.value),
                         "position " + std::to_string(arguments.to));
  }
  if (!live.checkpoint) return tail;
  const Position reached = live.checkpoint->position;
  if (reached <= tail) return reached;
  return base::failure(ErrorCode::damaged,
                       "the live rows hold events " + std::to_string(tail.value + 1) + " to " +
                           std::to_string(reached.value) + ", which the log does not");
}

class Rebuild {
 public:
  Rebuild(const ReplayArguments& arguments, eventlog::BlockStore& log, KeyValueStore& rows)
      : arguments_(arguments), log_(log), rows_(rows) {}

  Result<Outcome> run(const Projection& projection, Live live) {
    const auto end = choose_end(arguments_, log_, live);
    if (!end) return tl::unexpected(end.error());
    auto projector = projections::Projector::open(projection, rows_);
    if (!projector) return tl::unexpected(projector.error());
    if (auto ok = fold(*projector, *end); !ok) return tl::unexpected(ok.error());
    const auto digest = projections::digest(rows_, projection.name());
    if (!digest) return tl::unexpected(digest.error());
    Outcome outcome{std::string(projection.name()),
                    projector->position(),
                    std::move(live),
                    *digest,
                    false,
                    false};
    const auto& checkpoint = outcome.live.checkpoint;
    outcome.is_compared = checkpoint && checkpoint->position == *end;
    // Rows of another history may happen to be the same; they are wrong all the same.
    outcome.is_equal = outcome.is_compared && *checkpoint == projector->checkpoint() &&
                       outcome.live.digest == outcome.rebuilt;
    return outcome;
  }

 private:
  Result<bool> fold(projections::Projector& projector, Position end) {
    ProgressLine progress(arguments_.err, projector.projection().name());
    for (;;) {
      const auto folded = projector.catch_up(log_, end, kBatchEvents);
      if (!folded) return tl::unexpected(folded.error());
      if (*folded == 0) return true;
      progress.show(projector.position(), end);
    }
  }

  const ReplayArguments& arguments_;
  eventlog::BlockStore& log_;
  KeyValueStore& rows_;
};

void print_text(std::FILE* out, const std::vector<Outcome>& outcomes) {
  for (const Outcome& one : outcomes) {
    if (one.is_compared) {
      fmt::print(out, "digest {} live={} rebuilt={} {}\n", one.name, hex16(one.live.digest),
                 hex16(one.rebuilt), one.is_equal ? "equal" : "DIFFERENT");
    } else {
      fmt::print(out, "digest {} live=absent rebuilt={}\n", one.name, hex16(one.rebuilt));
    }
  }
}

void print_json(std::FILE* out, const std::vector<Outcome>& outcomes) {
  Json json = Json::array();
  for (const Outcome& one : outcomes) {
    json.push_back(
        {{"projection", one.name},
         {"position", one.position.value},
         {"live", one.is_compared ? Json(base::to_hex(base::view(one.live.digest))) : Json()},
         {"rebuilt", base::to_hex(base::view(one.rebuilt))},
         {"equal", one.is_compared ? Json(one.is_equal) : Json()}});
  }
  print_json_text(out, json);
}

Result<std::vector<std::unique_ptr<Projection>>> choose_projections(const std::string& name) {
  auto all = projections::all_projections();
  std::string known;
  for (const auto& one : all) {
    known.append(known.empty() ? "" : ", ").append(one->name());
  }
  if (!name.empty()) {
    std::erase_if(all, [&](const auto& one) { return one->name() != name; });
  }
  if (!all.empty()) return all;
  return base::failure(ErrorCode::not_found,
                       "there is no projection '" + name + "'; there are " + known);
}

Result<std::vector<Outcome>> rebuild(const ReplayArguments& arguments) {
  const auto chosen = choose_projections(arguments.projection);
  if (!chosen) return tl::unexpected(chosen.error());
  // The rows first: a log that is opened later is never behind them, though a server goes on.
  const auto live_rows = open_live_rows(arguments);
  base::SystemRandom random;
  const auto log = eventlog::open_log(arguments.folder, eventlog::LogMode::read_only, random);
  if (!log) return tl::unexpected(log.error());
  const auto folder = eventlog::PrivateFolder::make();
  if (!folder) return tl::unexpected(folder.error());
  const auto rows = eventlog::open_rocksdb_key_value_store(folder->path() + "/rows");
  if (!rows) return tl::unexpected(rows.error());
  Rebuild one_of_them(arguments, *log->store, **rows);
  std::vector<Outcome> outcomes;
  for (const auto& projection : *chosen) {
    auto live = read_live(live_rows.get(), *projection);
    if (!live) return tl::unexpected(live.error());
    auto outcome = one_of_them.run(*projection, std::move(*live));
    if (!outcome) return tl::unexpected(outcome.error());
    outcomes.push_back(std::move(*outcome));
  }
  return outcomes;
}

}  // namespace

int replay_rebuild(const ReplayArguments& arguments) {
  const auto outcomes = rebuild(arguments);
  if (!outcomes) return fail(arguments.err, outcomes.error());
  (arguments.is_json ? print_json : print_text)(arguments.out, *outcomes);
  for (const Outcome& one : *outcomes) {
    if (one.is_compared && !one.is_equal) {
      fmt::print(arguments.err,
                 "steno: {} is different; a server builds it anew when the folder {} is removed "
                 "while no server runs\n",
                 one.name, eventlog::LogFolder{arguments.folder}.views());
      return kExitDamaged;
    }
  }
  return kExitOk;
}

}  // namespace steno
