// update_over_json_index: session updates a second, over those of an index of 1,000 sessions in one
// JSON file. Like tools that keep sessions so, each update writes a new file, syncs it, renames it
// over the old one and syncs the folder. By turns.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/benchmarks/rate_subject.hpp"
#include "tools/benchmarks/replace_file.hpp"
#include "tools/benchmarks/rows.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kSessions = 1000;
constexpr std::size_t kJsonOutstanding = 64;

class JsonIndex {
 public:
  JsonIndex(std::string folder, Workbench& bench) : folder_(std::move(folder)) {
    for (std::size_t i = 0; i < kSessions; ++i) {
      const auto id = base::SessionId::make(bench.clock().wall(), bench.random()).text();
      ids_.push_back(id);
      index_[id] = {{"name", fmt::format("task-{}", i)},
                    {"agent", "bench"},
                    {"status", "running"},
                    {"workdir", "/home/user/project"},
                    {"model", "claude-sonnet-4-5"},
                    {"created_us", bench.clock().wall().us},
                    {"updated_us", 0},
                    {"turns", 0},
                    {"input_tokens", 1200},
                    {"output_tokens", 350},
                    {"cost_usd", 0.03}};
    }
  }

  std::size_t size_bytes() const { return index_.dump().size(); }

  base::Result<void> update(std::size_t number) {
    auto& session = index_[ids_[number % ids_.size()]];
    session["turns"] = session["turns"].get<int>() + 1;
    session["updated_us"] = session["updated_us"].get<std::int64_t>() + 1;
    return replace_file(folder_, "index.json", index_.dump());
  }

 private:
  const std::string folder_;
  nlohmann::json index_;
  std::vector<std::string> ids_;
};

base::Result<LoadResult> update_for(JsonIndex& index, Nanoseconds duration) {
  LoadResult result;
  const Nanoseconds begun = now();
  for (std::size_t i = 0; now() < begun + duration; ++i) {
    if (is_stopped()) return stopped();
    const Nanoseconds at = now();
    if (auto ok = index.update(i); !ok) return tl::unexpected(ok.error());
    result.latencies.add(now() - at);
  }
  result.took = now() - begun;
  return result;
}

}  // namespace

base::Result<Figure> measure_update_over_json(Workbench& bench) {
  const int turns = bench.is_quick() ? 5 : 20;
  const Nanoseconds duration = std::chrono::milliseconds(bench.is_quick() ? 350 : 1000);
  auto server = StenoServer::start(bench, "json-steno");
  if (!server) return tl::unexpected(server.error());
  auto steno = RateSubject::start(bench, std::move(*server), {kLoadConnections, kSessions});
  if (!steno) return tl::unexpected(steno.error());
  JsonIndex index(bench.fresh_folder("json"), bench);
  Rounds of_json;
  for (int turn = 0; turn < turns; ++turn) {
    bench.progress(fmt::format("update_over_json_index {}/{}", turn + 1, turns));
    if (auto ok = steno->run(kJsonOutstanding, duration); !ok) return tl::unexpected(ok.error());
    const auto updated = update_for(index, duration);
    if (!updated) return tl::unexpected(updated.error());
    of_json.add(*updated);
  }
  const auto open = open_loop_text("steno", *steno, 3 * duration);
  if (!open) return tl::unexpected(open.error());
  return Figure{median_ratio(steno->rounds, of_json),
                {describe(fmt::format("steno, {} outstanding", kJsonOutstanding), steno->rounds),
                 describe(fmt::format("a JSON file of {} B, written anew and synced, one writer",
                                      index.size_bytes()),
                          of_json),
                 *open,
                 fmt::format("{} turns of {:.2f} s; {} sessions; {} connections", turns,
                             seconds(duration), kSessions, kLoadConnections)}};
}

}  // namespace benchmarks
