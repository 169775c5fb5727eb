// `steno replay rebuild`: prints the digests that RebuiltRows found, and a verdict for each.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "eventlog/base/text_bytes.hpp"
#include "tools/steno/replay/replay.hpp"
#include "tools/steno/replay/replay_report.hpp"
#include "tools/steno/replay/replay_rows.hpp"

namespace steno {
namespace {

using base::Result;
using Json = nlohmann::ordered_json;
using Outcomes = std::vector<RebuiltProjection>;

std::string hex16(const base::Hash& digest) {
  return base::to_hex(base::view(digest).substr(0, 8));
}

void print_outcomes_as_text(std::FILE* out, const Outcomes& outcomes) {
  for (const RebuiltProjection& one : outcomes) {
    if (one.is_compared) {
      fmt::print(out, "digest {} live={} rebuilt={} {}\n", one.name, hex16(one.live_digest),
                 hex16(one.digest), one.is_equal ? "equal" : "DIFFERENT");
    } else {
      fmt::print(out, "digest {} live=absent rebuilt={}\n", one.name, hex16(one.digest));
    }
  }
}

void print_outcomes_as_json(std::FILE* out, const Outcomes& outcomes) {
  Json json = Json::array();
  for (const RebuiltProjection& one : outcomes) {
    json.push_back(
        {{"projection", one.name},
         {"position", one.position.value},
         {"live", one.is_compared ? Json(base::to_hex(base::view(one.live_digest))) : Json()},
         {"rebuilt", base::to_hex(base::view(one.digest))},
         {"equal", one.is_compared ? Json(one.is_equal) : Json()}});
  }
  print_json_text(out, json);
}

Result<Outcomes> rebuild(const ReplayArguments& arguments) {
  const auto chosen = choose_projections(arguments.projection);
  if (!chosen) return tl::unexpected(chosen.error());
  auto rows = RebuiltRows::open(arguments);
  if (!rows) return tl::unexpected(rows.error());
  Outcomes outcomes;
  for (const auto& projection : *chosen) {
    auto outcome = rows->run(*projection);
    if (!outcome) return tl::unexpected(outcome.error());
    outcomes.push_back(std::move(*outcome));
  }
  return outcomes;
}

}  // namespace

int replay_rebuild(const ReplayArguments& arguments) {
  const auto outcomes = rebuild(arguments);
  if (!outcomes) return fail(arguments.err, outcomes.error());
  (arguments.is_json ? print_outcomes_as_json : print_outcomes_as_text)(arguments.out, *outcomes);
  for (const RebuiltProjection& one : *outcomes) {
    if (one.is_compared && !one.is_equal) {
      fmt::print(arguments.err,
                 "steno: {} is different; steno replay diff --projection {} says where. A server "
                 "builds it anew when the folder {} is removed while no server runs\n",
                 one.name, one.name, eventlog::LogFolder{arguments.folder}.views());
      return kExitDamaged;
    }
  }
  return kExitOk;
}

}  // namespace steno
