// Runs `steno replay` beside the server, and compares the server's answers with a fold of the whole
// log.
#include "tests/crash/whole_log.hpp"

#include "eventlog/folder/open_log.hpp"
#include "projections/projections.hpp"
#include "tests/simulation/checkers.hpp"

namespace crash {
namespace {

using base::ErrorCode;
using base::failure;

constexpr Duration kQueryMax = std::chrono::seconds(20);
constexpr std::size_t kFoldedAtOnce = 100'000;

Result<eventlog::OpenedLog> open(const StenoServer& server) {
  base::SystemRandom random;
  return eventlog::open_log(server.data_folder(), eventlog::LogMode::read_only, random);
}

Result<void> check_replay(StenoServer& server, const std::string& command) {
  const auto said = server.run({"replay", command});
  if (!said) return tl::unexpected(said.error());
  if (said->exit_code == 0) return {};
  return failure(ErrorCode::damaged, "steno replay " + command + " exited " +
                                         std::to_string(said->exit_code) + ":\n" + said->output);
}

}  // namespace

Result<void> check_whole_log(StenoServer& server, const std::deque<SentCommand>& sent) {
  std::vector<simulation::Acknowledged> acknowledged;
  for (const SentCommand& command : sent) {
    if (command.outcome != Outcome::accepted) continue;
    acknowledged.push_back({command.id, command.reply.position});
  }
  const auto log = open(server);
  if (!log) return tl::unexpected(log.error());
  if (auto wrong = simulation::check_log(*log->store, acknowledged); !wrong.empty()) {
    return failure(ErrorCode::damaged, wrong);
  }
  if (auto ok = check_replay(server, "verify"); !ok) return ok;
  return check_replay(server, "rebuild");
}

Result<void> check_live_projections(StenoServer& server, Load& load) {
  const auto live =
      load.query<workers::DigestsAnswer>(workers::kVerbDigests, workers::QueryBody{}, kQueryMax);
  if (!live) return tl::unexpected(live.error());
  const auto log = open(server);
  if (!log) return tl::unexpected(log.error());
  for (const workers::DigestRow& row : live->projections) {
    const auto rows = eventlog::make_memory_key_value_store();
    auto fresh = projections::ProjectionSet::open(*rows);
    if (!fresh) return tl::unexpected(fresh.error());
    if (!row.fault.empty()) return failure(ErrorCode::damaged, row.fault, row.name);
    while (!fresh->reached(row.position)) {
      const auto folded = fresh->catch_up(*log->store, row.position, kFoldedAtOnce);
      if (!folded) return tl::unexpected(folded.error());
    }
    const auto digests = fresh->digests();
    if (!digests) return tl::unexpected(digests.error());
    const projections::ProjectionDigest wanted{row.name, row.position, row.digest};
    if (std::find(digests->begin(), digests->end(), wanted) == digests->end()) {
      return failure(ErrorCode::damaged,
                     "the live projection differs from a fold of the events up to position " +
                         std::to_string(row.position.value),
                     row.name);
    }
  }
  return {};
}

}  // namespace crash
