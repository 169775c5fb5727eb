// P7 for every file of a log: damage to one file, or to several at once, is found, and the missing
// events are named by position. The log is only read, so nothing more is lost. STENO_DAMAGE_EVENTS
// chooses the log's length, STENO_DAMAGE_SEED its damage. STENO_DAMAGES is then the number of
// damages; without a length, it counts the damages to several files that follow all single ones.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <set>

#include "eventlog/folder/open_log.hpp"
#include "tests/crash/damaged_log.hpp"
#include "tests/crash/require.hpp"
#include "tests/support/environment_number.hpp"
#include "tests/support/listing.hpp"
#include "tests/support/replay_run.hpp"
#include "tools/steno/replay/replay_checkpoints.hpp"
#include "tools/steno/text/exit_codes.hpp"

namespace {

using base::Position;
using crash::Damage;
using crash::DamagedLog;
using crash::Harm;
using nlohmann::json;

constexpr std::int64_t kEventsMin = 10;
constexpr std::int64_t kDamagesToDiffer = 10;
constexpr std::int64_t kDamagesToJudge = 100;

struct Range {
  Position from;
  Position through;
};

// True for a file that RocksDB does not need to read a log.
bool is_note(const std::string& file) {
  for (const char* name : {"log/LOG", "log/OPTIONS", "log/IDENTITY", "log/LOCK"}) {
    if (file.starts_with(name)) return true;
  }
  return false;
}

// Returns the blocks of the original log that cannot be read from the folder any more.
std::vector<Range> find_lost(const DamagedLog& known, const std::string& folder) {
  std::vector<Range> lost;
  const auto log = eventlog::open_unproved_log(folder);
  for (const auto& [first, last, hash] : known.blocks()) {
    if (log) {
      const auto stored = log->store->read(first, 1, false);
      if (stored && !stored->empty() && base::blake2b(stored->front().facts) == hash) continue;
    }
    lost.push_back({first, last});
  }
  return lost;
}

// Returns the first lost range that the problems do not name from end to end.
std::optional<Range> first_unnamed(const std::vector<Range>& lost, const json& problems) {
  for (const Range& range : lost) {
    Position at = range.from;
    for (bool goes_on = true; goes_on && at <= range.through;) {
      goes_on = false;
      for (const json& problem : problems) {
        if (problem["position"] > at.value) continue;
        const bool is_open = problem["through"].is_null();
        const Position through{is_open ? range.through.value
                                       : problem["through"].get<std::int64_t>()};
        goes_on |= through >= at;
        at = std::max(at, through.next());
      }
    }
    if (at <= range.through) return range;
  }
  return std::nullopt;
}

bool rolls_head_back(const std::vector<Damage>& damages) {
  for (const Damage& damage : damages) {
    const bool is_back = damage.harm == Harm::rolled_back || damage.harm == Harm::rolled_far_back;
    if (is_back && damage.file == "head") return true;
  }
  return false;
}

support::Answer verify(const std::string& folder, const std::string& checkpoint) {
  steno::ReplayArguments arguments;
  arguments.folder = folder;
  arguments.checkpoint = checkpoint;
  arguments.is_json = true;
  return support::run(steno::replay_verify, arguments);
}

using Verify = std::function<support::Answer(const std::string& folder, const std::string&)>;

// Checks every promise on one damaged copy.
class Judge {
 public:
  Judge(const DamagedLog& known, std::vector<Damage> damages, std::string folder, Verify by)
      : known_(known),
        damages_(std::move(damages)),
        folder_(std::move(folder)),
        verify_(std::move(by)) {}

  bool has_loss() const { return !lost_.empty(); }

  // Returns the first promise that is broken; empty: none is.
  std::string complaint() {
    const auto before = support::listing(folder_);
    lost_ = find_lost(known_, folder_);
    const auto answer = verify_(folder_, {});
    if (support::listing(folder_) != before) return "reading has changed the folder";
    if (answer.exit == steno::kExitNotFound) return "verify finds no log: " + answer.err;
    if (answer.out.empty()) return "verify prints no report: " + answer.err;
    const json report = answer.parsed();
    if (auto text = complaint_about(report, answer.exit); !text.empty()) {
      return text + "\n" + answer.out;
    }
    if (auto text = complaint_about_salvage(); !text.empty()) return "salvage: " + text;
    if (support::listing(folder_) != before) return "salvage has changed the folder";
    return complaint_about_opening();
  }

 private:
  std::string complaint_about(const json& report, int exit) {
    const bool is_all_there = lost_.empty() && report["contents"] == known_.contents();
    if (exit == steno::kExitOk) {
      if (lost_.empty()) return is_all_there ? "" : "contents are missing without a word";
      return complaint_without_checkpoint();
    }
    if (report["problems"].empty() && exit != steno::kExitTornTail) return "no problem is named";
    if (exit == steno::kExitTornTail) return lost_.empty() ? "" : complaint_without_checkpoint();
    if (damages_.size() == 1 && is_note(damages_[0].file)) return "a note of RocksDB's is missed";
    if (const auto range = first_unnamed(lost_, report["problems"])) {
      if (rolls_head_back(damages_)) return complaint_without_checkpoint();
      return "events " + std::to_string(range->from.value) + " to " +
             std::to_string(range->through.value) + " are lost and not named";
    }
    return "";
  }

  // A head file that went back together with its log can be detected only with a later checkpoint.
  std::string complaint_without_checkpoint() {
    if (!rolls_head_back(damages_)) return "the log is silently shorter";
    const auto answer = verify_(folder_, steno::checkpoint_text(known_.end()));
    if (answer.exit != steno::kExitDamaged) return "a checkpoint does not find what is missing";
    if (first_unnamed(lost_, answer.parsed()["problems"])) return "a checkpoint does not name it";
    return "";
  }

  // Salvage keeps all events before the first damage, and throws away nothing readable behind it.
  std::string complaint_about_salvage() {
    steno::ReplayArguments arguments;
    arguments.folder = folder_;
    arguments.target = folder_ + "-salvaged";
    arguments.is_json = true;
    std::filesystem::remove_all(arguments.target);
    std::filesystem::remove(arguments.target + "-rest.jsonl");
    const auto answer = support::run(steno::replay_salvage, arguments);
    if (answer.exit == steno::kExitNotFound || answer.out.empty()) {
      return lost_.size() == known_.blocks().size() ? "" : "nothing is found";
    }
    if (answer.exit != steno::kExitOk && answer.exit != steno::kExitDamaged) return answer.err;
    const json done = answer.parsed();
    const Position kept{done["kept"].get<std::int64_t>()};
    const Position whole = lost_.empty() ? known_.end().position : lost_.front().from.plus(-1);
    if (kept < whole) return "it keeps less than is readable\n" + answer.out;
    const auto found =
        done["kept_blocks"].get<std::size_t>() + done["rest_blocks"].get<std::size_t>();
    if (found + lost_.size() < known_.blocks().size()) return "blocks are gone\n" + answer.out;
    const bool is_all_there = kept == known_.end().position && done["contents_lost"].empty();
    if (answer.exit == steno::kExitOk && !is_all_there && !rolls_head_back(damages_)) {
      return "it does not say that something is missing\n" + answer.out;
    }
    const auto proof = verify(arguments.target, {});
    if (proof.exit != steno::kExitOk) return "the new log is not whole\n" + proof.out + proof.err;
    const auto old = verify(arguments.target, steno::checkpoint_text(known_.end()));
    const bool is_known = old.exit == steno::kExitOk;
    if (is_known != (kept == known_.end().position)) return "old checkpoints are taken wrongly";
    base::SeededRandom random(1);
    const auto opened = eventlog::open_log(arguments.target, eventlog::LogMode::read_write, random);
    return opened ? "" : "it cannot be opened: " + base::describe(opened.error());
  }

  // A server opens a log for writing only if its end is whole; a refused opening changes no file.
  std::string complaint_about_opening() {
    const auto before = contents_of_log();
    base::SeededRandom random(1);
    {
      const auto opened = eventlog::open_log(folder_, eventlog::LogMode::read_write, random);
      if (opened && opened->tail.position < known_.end().position && !rolls_head_back(damages_)) {
        return "a log that is shorter is opened for writing";
      }
      if (opened) return "";
    }
    const auto after = contents_of_log();
    for (const auto& file : before) {
      if (!after.contains(file)) return "a refused opening has taken " + file.first + " away";
    }
    for (const auto& file : after) {
      if (!before.contains(file)) return "a refused opening has left " + file.first;
    }
    return "";
  }

  static std::string first_line_of(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
  }

  // Returns name and size of each file that the log is read from.
  std::set<std::pair<std::string, std::uintmax_t>> contents_of_log() const {
    std::set<std::pair<std::string, std::uintmax_t>> found;
    if (!std::filesystem::exists(folder_ + "/log")) return found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/log")) {
      const std::string name = entry.path().filename();
      if (!is_note("log/" + name)) found.emplace(name, entry.file_size());
      // CURRENT names the manifest; its size is the same for all of them.
      if (name == "CURRENT") found.emplace("CURRENT: " + first_line_of(entry.path()), 0);
    }
    return found;
  }

  const DamagedLog& known_;
  const std::vector<Damage> damages_;
  const std::string folder_;
  const Verify verify_;
  std::vector<Range> lost_;
};

struct Tally {
  std::int64_t damages = 0;
  std::int64_t differences = 0;  // damages that changed a file
  std::int64_t losses = 0;       // damages that took events away
  std::vector<std::string> violations;
};

void judge(DamagedLog& log, const std::vector<Damage>& damages, Tally& tally,
           const Verify& by = verify) {
  const std::string folder = log.damaged(damages);
  ++tally.damages;
  if (folder.empty()) return;
  ++tally.differences;
  Judge judge(log, damages, folder, by);
  const std::string complaint = judge.complaint();
  tally.losses += judge.has_loss();
  if (!complaint.empty()) tally.violations.push_back(crash::describe(damages) + ": " + complaint);
}

// Returns STENO_DAMAGES numbered damages of a long log, or all single ones of a short log and as
// many random ones.
std::vector<std::vector<Damage>> choose(const DamagedLog& log, bool is_long, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(support::environment_number("STENO_DAMAGES", 60));
  if (is_long) return crash::numbered_damages(log.files(), seed, count);
  base::SeededRandom random(seed);
  auto all = crash::single_damages(log.files());
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(crash::random_damages(log.files(), random));
  }
  return all;
}

TEST_CASE("whatever is done to the files of a log is found and named", "[.crash][eventlog][C03]") {
  const std::int64_t only = support::environment_number("STENO_DAMAGE_EVENTS", 0, kEventsMin);
  const std::int64_t events = only != 0 ? only : GENERATE(10, 1000);
  const auto seed = static_cast<std::uint64_t>(support::environment_number("STENO_DAMAGE_SEED", 1));
  DamagedLog log(events, seed);
  Tally tally;
  for (const auto& damages : choose(log, only != 0, seed)) judge(log, damages, tally);
  std::printf(
      "{\"campaign\":\"damage_matrix\",\"damages\":%lld,\"differences\":%lld,\"losses\":%lld,"
      "\"singles\":%zu,\"violations\":%zu,\"seed\":%llu}\n",
      static_cast<long long>(tally.damages), static_cast<long long>(tally.differences),
      static_cast<long long>(tally.losses), crash::single_damages(log.files()).size(),
      tally.violations.size(), static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  INFO("STENO_DAMAGE_EVENTS=" << events << " STENO_DAMAGE_SEED=" << seed);
  for (const std::string& violation : tally.violations) UNSCOPED_INFO(violation);
  CHECK(tally.violations.empty());
  // A small portion can consist of single damages that change nothing, or lose nothing.
  if (tally.damages >= kDamagesToDiffer) CHECK(tally.differences > 0);
  if (tally.damages >= kDamagesToJudge) CHECK(tally.losses > tally.differences / 10);
}

TEST_CASE("portions of any size that follow each other do all single damages", "[eventlog]") {
  const std::vector<std::string> files = {"head", "log/000001.log", "log/000002.sst"};
  const auto singles = crash::single_damages(files);
  for (const std::size_t size : std::vector<std::size_t>{1, 2, 3, 7, 30, 60}) {
    std::set<std::string> done;
    for (std::size_t first = 1; first <= singles.size(); first += size) {
      const auto portion = crash::numbered_damages(files, first, size);
      REQUIRE(portion.size() == size);
      for (const auto& damages : portion) {
        done.insert(crash::describe(damages));
      }
    }
    INFO("portions of " << size);
    for (const auto& damages : singles) CHECK(done.contains(crash::describe(damages)));
  }
  // The damage of a number does not depend on the portion.
  const auto whole = crash::numbered_damages(files, 1, singles.size() + 20);
  for (std::size_t number = 1; number <= whole.size(); ++number) {
    CHECK(crash::describe(crash::numbered_damages(files, number, 1).front()) ==
          crash::describe(whole[number - 1]));
  }
}

TEST_CASE("a verifier that is blind, or does not say where, is found out by the damage matrix",
          "[.crash][eventlog]") {
  DamagedLog log(10, 1);
  const Verify blind = [&](const std::string&, const std::string&) {
    return verify(log.copies().now, {});
  };
  const Verify vague = [](const std::string& folder, const std::string&) {
    auto answer = verify(folder, {});
    json report = answer.parsed();
    for (json& problem : report["problems"]) problem["position"] = problem["through"] = 0;
    answer.out = report.dump();
    return answer;
  };
  for (const Verify& by : {blind, vague}) {
    Tally tally;
    for (const auto& file : log.files()) {
      if (file.ends_with(".log")) judge(log, {{file, Harm::emptied}}, tally, by);
    }
    CHECK(tally.violations.size() == 1);  // the other file's events are already in tables
  }
}

}  // namespace
