// A backup, an erasure that reaches it, and a restore from it, ended in each of their disk
// operations in turn; the next server's recovery, too. A copy recorded as made is whole; any other
// is gone. Words whose erasure is recorded as completed are in no file, even after a loss of power.
// The folder of a restore holds a whole log of a new epoch, or none.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "eventlog/copies/backup.hpp"
#include "eventlog/proof/verify.hpp"
#include "tests/crash/disk_stage.hpp"
#include "tests/crash/require.hpp"
#include "tests/support/environment_number.hpp"
#include "tests/support/log.hpp"

namespace {

using base::Position;
using base::Result;
using crash::End;
using crash::kEnds;
using crash::kSmallBuffer;
using crash::require;
using crash::ServerLife;
using support::PowerLoss;

// The second end comes in the next server's life; the first one's operation decides where.
constexpr std::int64_t kStride = 67;
constexpr std::int64_t kNextMax = 151;
constexpr std::int64_t kLastCopied = 14;
constexpr std::int64_t kErasedSession = 2;  // one short prompt, one of 30,000 bytes, one in chunks

struct CopyStage : crash::DiskStage {
  using DiskStage::DiskStage;
  std::string copy() const { return folder.file("copy"); }
  std::string restored() const { return folder.file("restored"); }
};

bool holds_words(const std::string& root, const std::string& words) {
  if (!std::filesystem::exists(root)) return false;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    if (bytes.find(words) == std::string::npos) continue;
    UNSCOPED_INFO(entry.path().string());
    return true;
  }
  return false;
}

bool holds_erased(const std::string& root) {
  for (std::int64_t number = 1; number <= kLastCopied; ++number) {
    const bool is_erased = number % crash::kSessionsOfLife == kErasedSession;
    // The end of a text identifies it, also when it is stored in chunks.
    const std::string prompt = crash::prompt_of_command(number);
    const std::string words = prompt.size() > 1000 ? prompt.substr(prompt.size() - 1000) : prompt;
    if (is_erased && holds_words(root, words)) return true;
  }
  return false;
}

eventlog::VerifyReport whole_report(const std::string& root) {
  const auto log = eventlog::open_unproved_log(root);
  if (!log) FAIL(root << ": " << base::describe(log.error()));
  for (const auto& error : {log->store_error, log->head_error, log->base_error}) {
    if (error) FAIL(root << ": " << base::describe(*error));
  }
  auto report = eventlog::verify_log(*log->store, log->head, {}, eventlog::besides_of(*log));
  for (const auto& problem : report.problems) FAIL(root << ": " << problem.text);
  return report;
}

// The record's word on the copy and on the erasure.
struct Recorded {
  bool is_begun = false;
  Position copied;  // 0: not recorded as whole
  bool is_erased = false;
};

Recorded recorded(const std::string& root) {
  Recorded found;
  const auto log = require(eventlog::open_unproved_log(root));
  for (const auto& event : support::all_events(*log.store, false)) {
    if (event.event.is<domain::BackupBegun>()) found.is_begun = true;
    if (event.event.is<domain::BackupForgotten>()) found = {};
    if (const auto* done = event.event.as<domain::BackupCompleted>()) {
      found.copied = done->through;
    }
    if (event.event.is<domain::ContentErasureCompleted>()) {
      found.is_erased = true;
    }
  }
  return found;
}

// Checks everything that the record says by now, whatever work is still open.
void check_record(const CopyStage& stage) {
  whole_report(stage.root());
  const Recorded said = recorded(stage.root());
  if (said.copied.value > 0) CHECK(whole_report(stage.copy()).last == said.copied);
  if (!said.is_erased) return;
  CHECK_FALSE(holds_erased(stage.root()));
  CHECK_FALSE(holds_erased(stage.copy()));
}

Result<void> back_up_and_erase(CopyStage& stage) {
  auto life = ServerLife::begin(stage.root(), stage.disk, kSmallBuffer);
  if (!life) return tl::unexpected(life.error());
  if (auto ok = (*life)->take_over(); !ok) return ok;
  if (auto ok = (*life)->back_up(stage.copy()); !ok) return ok;
  if (auto ok = (*life)->ask(kLastCopied - 3, kLastCopied, stage.acknowledged); !ok) return ok;
  if (auto ok = (*life)->ask_to_erase(kErasedSession); !ok) return ok;
  return (*life)->finish_erasures();
}

// Runs the next server, which goes on with the work that it finds.
Result<void> go_on(CopyStage& stage) {
  auto life = ServerLife::begin(stage.root(), stage.disk, kSmallBuffer);
  if (!life) return tl::unexpected(life.error());
  if (auto ok = (*life)->take_over(); !ok) return ok;
  if (auto ok = (*life)->finish_backups(); !ok) return ok;
  if (auto ok = (*life)->ask(1, kLastCopied + 1, stage.acknowledged); !ok) return ok;
  if (auto ok = (*life)->ask_to_erase(kErasedSession); !ok) return ok;
  return (*life)->finish_erasures();
}

// Checks the end state, when all work is done, and again after a loss of power.
void check_end(CopyStage& stage) {
  check_record(stage);
  stage.disk.cut_power(PowerLoss::drops);
  stage.disk.restart();
  check_record(stage);
  const Recorded said = recorded(stage.root());
  CHECK(said.is_erased);
  CHECK(std::filesystem::exists(stage.copy()) == (said.copied.value > 0));
}

TEST_CASE("wherever a backup and an erasure end, what the record says of them is so",
          "[.crash][eventlog]") {
  const std::int64_t only = support::environment_number("STENO_CRASH_POINT", 0);
  const std::int64_t step = support::environment_number("STENO_CRASH_STEP", 15);
  std::int64_t points = 0;
  for (const End how : kEnds) {
    // Each kind of end uses other operations, unless every operation is tried.
    const std::int64_t first = only > 0 ? only : 1 + static_cast<std::int64_t>(how) % step;
    for (std::int64_t operation = first;; operation += step) {
      CopyStage stage(static_cast<std::uint64_t>(operation));
      require(crash::live(stage, 1, kLastCopied - 4, kSmallBuffer));
      stage.disk.crash_at(stage.disk.operations() + operation);
      const auto done = back_up_and_erase(stage);
      INFO("STENO_CRASH_POINT=" << operation << ": " << crash::kEndNames[static_cast<int>(how)]
                                << ", " << stage.disk.fault());
      if (!stage.disk.has_crashed()) {
        require(done);
        const Recorded said = recorded(stage.root());
        CHECK((said.copied.value > 0 && said.is_erased));
        check_record(stage);
        break;
      }
      crash::end(stage, how);
      check_record(stage);
      // The next server ends early, too, each time in another operation.
      stage.disk.crash_at(stage.disk.operations() + 1 + operation * kStride % kNextMax);
      static_cast<void>(go_on(stage));
      UNSCOPED_INFO("then " << stage.disk.fault());
      crash::end(stage, how);
      check_record(stage);
      require(go_on(stage));
      check_end(stage);
      ++points;
      if (only != 0) break;
    }
  }
  std::printf("{\"campaign\":\"copy_points\",\"points\":%lld,\"violations\":0}\n",
              static_cast<long long>(points));
  std::fflush(stdout);
  // An operation that was asked for by number must exist.
  CHECK((only != 0 ? points == std::ssize(kEnds) : points > 300 / step));
}

TEST_CASE("wherever a restore ends, there is a whole log of a new epoch, or none",
          "[.crash][eventlog]") {
  const std::int64_t only = support::environment_number("STENO_CRASH_POINT", 0);
  const std::int64_t step = support::environment_number("STENO_CRASH_STEP", 15);
  std::int64_t points = 0;
  CopyStage stage(1);
  require(crash::live(stage, 1, kLastCopied - 4, kSmallBuffer));
  require(back_up_and_erase(stage));
  const Position copied = recorded(stage.root()).copied;
  const auto restore = [&] {
    base::SeededRandom random(1);
    return eventlog::restore_backup(stage.copy(), stage.restored(), random, {}, stage.disk);
  };
  const auto is_there = [&] {
    base::SeededRandom random(2);
    const auto mode = eventlog::LogMode::read_only;
    return eventlog::open_log(stage.restored(), mode, random).has_value();
  };
  const auto check_restored = [&] {
    const auto report = whole_report(stage.restored());
    CHECK(report.epochs == 2);
    CHECK(report.last > copied);
    CHECK_FALSE(holds_erased(stage.restored()));
  };
  for (const End how : kEnds) {
    const std::int64_t first = only > 0 ? only : 1 + static_cast<std::int64_t>(how) % step;
    for (std::int64_t operation = first;; operation += step) {
      std::filesystem::remove_all(stage.restored());
      stage.disk.crash_at(stage.disk.operations() + operation);
      const auto done = restore();
      INFO("STENO_CRASH_POINT=" << operation << ": " << crash::kEndNames[static_cast<int>(how)]
                                << ", " << stage.disk.fault());
      if (!stage.disk.has_crashed()) {
        REQUIRE(done);
        check_restored();
        break;
      }
      crash::end(stage, how);
      const bool is_found = is_there();
      if (is_found) check_restored();
      const auto again = restore();
      if (!again) {
        REQUIRE(is_found);
        CHECK(again.error().code == base::ErrorCode::conflict);
      }
      check_restored();
      stage.disk.cut_power(PowerLoss::drops);
      stage.disk.restart();
      // The first attempt died before it reported success, so a log that only it made can be lost.
      if (!again && !is_there()) REQUIRE(restore());
      check_restored();
      ++points;
      if (only != 0) break;
    }
  }
  std::printf("{\"campaign\":\"restore_points\",\"points\":%lld,\"violations\":0}\n",
              static_cast<long long>(points));
  std::fflush(stdout);
  CHECK((only != 0 ? points == std::ssize(kEnds) : points > 60 / step));
}

}  // namespace
