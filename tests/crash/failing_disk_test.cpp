// A disk that fails or runs full under the writing part of a server. The server stops with the
// reason, everything it acknowledged is there, and the next one needs no repair.
#include <poll.h>

#include "eventlog/copies/erase.hpp"
#include "tests/crash/disk_stage.hpp"
#include "tests/crash/require.hpp"
#include "tests/support/log_writer.hpp"
#include "tests/support/one_session.hpp"
#include "tests/support/searched_files.hpp"

namespace {

using base::Position;
using base::Result;
using Catch::Contains;
using crash::check_and_go_on;
using crash::live;
using crash::require;
using Stage = crash::DiskStage;

constexpr std::int64_t kLastAsked = 12;

// Checks the server that follows on a disk that works, and again after a loss of power.
void require_unharmed(Stage& stage) {
  for (const auto& [number, position] : stage.acknowledged) {
    stage.told = std::max(stage.told, position);
  }
  stage.disk.restart();
  require(check_and_go_on(stage, kLastAsked));
  for (const auto& [number, position] : stage.acknowledged) {
    stage.told = std::max(stage.told, position);
  }
  stage.disk.cut_power(support::PowerLoss::drops);
  require(check_and_go_on(stage, kLastAsked));
}

TEST_CASE("whichever sync fails, nothing is acknowledged behind it and nothing told is lost",
          "[eventlog]") {
  int stopped = 0;
  for (std::int64_t number = 1;; ++number) {
    Stage stage(1);
    stage.disk.fail_sync(number);
    const auto done = live(stage, 1, kLastAsked);
    INFO("sync " << number << ": " << stage.disk.fault());
    if (stage.disk.fault().empty()) break;
    if (!done) {
      ++stopped;
      CHECK(done.error().code == base::ErrorCode::io);
      CHECK(stage.acknowledged.size() < kLastAsked);
    }
    require_unharmed(stage);
  }
  CHECK(stopped >= 10);
}

TEST_CASE("whichever write is cut short, nothing is acknowledged behind it and nothing is lost",
          "[eventlog]") {
  int stopped = 0;
  for (std::int64_t number = 1;; ++number) {
    Stage stage(1);
    stage.disk.fail_write(number);
    const auto done = live(stage, 1, kLastAsked);
    INFO("write " << number << ": " << stage.disk.fault());
    if (stage.disk.fault().empty()) break;
    stopped += done ? 0 : 1;
    require_unharmed(stage);
  }
  CHECK(stopped >= 20);
}

TEST_CASE("a full disk stops the server, and space alone lets the next one begin", "[eventlog]") {
  int stopped = 0;
  for (std::int64_t space = 0;; space += 7'000) {
    Stage stage(1);
    stage.disk.set_space(space);
    const auto done = live(stage, 1, kLastAsked);
    INFO("space for " << space << " bytes: " << stage.disk.fault());
    if (stage.disk.fault().empty()) break;
    if (!done) {
      ++stopped;
      CHECK_THAT(done.error().text, Contains("o space left"));
    }
    // The disk has space again, and the next server needs nothing else.
    require_unharmed(stage);
  }
  CHECK(stopped >= 20);
}

// Returns a text of three chunks, with the same words in each of them.
std::string large_text(const std::string& said) {
  std::string text(600'000, 'x');
  for (const std::size_t at : {std::size_t{0}, std::size_t{300'000}, std::size_t{599'000}}) {
    text.replace(at, said.size(), said);
  }
  return text;
}

// Appends the text as the first event of a session of its own. Error: the disk's.
Result<void> say(eventlog::OpenedLog& log, const std::string& text) {
  base::SystemRandom random;
  try {
    support::LogWriter(log, random).append(support::kStream, domain::SessionOpened{}, text);
  } catch (const std::runtime_error& failed) {
    return base::failure(base::ErrorCode::io, failed.what());
  }
  return {};
}

Result<void> erase_all(eventlog::OpenedLog& log) {
  const auto rows = eventlog::make_memory_key_value_store();
  eventlog::StreamIndex index(*rows);
  if (auto ok = index.catch_up(*log.store, log.store->tail()); !ok) {
    return tl::unexpected(ok.error());
  }
  eventlog::ScrubScope scope;
  const domain::VersionRanges all{{base::StreamVersion{1}, base::StreamVersion{1}}};
  auto erased = eventlog::erase_content(*log.store, index, support::kStream, all, scope);
  return erased ? log.store->scrub(scope) : erased;
}

TEST_CASE("whichever write of a large text was its last, an erasure leaves nothing of it",
          "[eventlog]") {
  const std::string secret = "what is to be erased in whole";
  int failed = 0;
  for (std::int64_t number = 1;; ++number) {
    Stage stage(1);
    base::SystemRandom random;
    const auto open = [&] {
      return require(
          eventlog::open_log(stage.root(), eventlog::LogMode::read_write, random, {stage.disk}));
    };
    {
      auto log = open();
      stage.disk.fail_write(stage.disk.writes() + number);
      if (!say(log, large_text(secret))) ++failed;
    }
    INFO("write " << number << ": " << stage.disk.fault());
    if (stage.disk.fault().empty()) break;
    stage.disk.restart();
    auto log = open();
    // A client without an answer sends its text again.
    if (log.store->tail() < Position{2}) require(say(log, large_text(secret)));
    REQUIRE_FALSE(support::files_with(stage.root(), secret).empty());
    require(erase_all(log));
    CHECK(support::files_with(stage.root(), secret).empty());
  }
  CHECK(failed >= 3);
}

TEST_CASE("the head file takes nothing more once a sync of it has failed", "[eventlog]") {
  const support::TempFolder folder;
  support::FaultyDisk disk(1, folder.file("removed"));
  const auto head = require(eventlog::open_head_file(folder.file("head"), disk));
  const std::int64_t syncs = disk.syncs();
  disk.fail_sync(syncs + 1);
  eventlog::Checkpoint reached;
  reached.position = {1};
  require(head->write(reached));
  for (int waited = 0; disk.syncs() == syncs && waited < 1000; ++waited) ::poll(nullptr, 0, 10);
  REQUIRE(disk.syncs() > syncs);
  for (int i = 0; i < 3; ++i) {
    ++reached.position.value;
    const auto written = head->write(reached);
    REQUIRE_FALSE(written);
    CHECK(written.error().code == base::ErrorCode::io);
  }
}

TEST_CASE("a head file that is being made is there whole or not at all", "[eventlog]") {
  for (std::int64_t operation = 1;; ++operation) {
    const support::TempFolder folder;
    support::FaultyDisk disk(static_cast<std::uint64_t>(operation), folder.file("removed"));
    disk.crash_at(operation);
    eventlog::Checkpoint reached;
    reached.position = {1};
    if (const auto head = eventlog::open_head_file(folder.file("head"), disk)) {
      static_cast<void>((*head)->write(reached));
    }
    const bool has_crashed = disk.has_crashed();
    INFO("operation " << operation << ": " << disk.fault());
    disk.restart();
    disk.cut_power(support::PowerLoss::tears);
    const auto found = require(eventlog::read_head_file(folder.file("head")));
    CHECK((!found || *found == reached));
    require(eventlog::open_head_file(folder.file("head"), disk));
    if (!has_crashed) break;
  }
}

}  // namespace
