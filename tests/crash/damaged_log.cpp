// Writes the log in three stages and copies the folder after the first two, so that damage can roll
// files back to real older versions.
#include "tests/crash/damaged_log.hpp"

#include "eventlog/proof/verify.hpp"
#include "tests/crash/require.hpp"
#include "tests/support/history.hpp"
#include "tests/support/log_writer.hpp"
#include "tests/support/raw_log.hpp"

namespace crash {
namespace {

using base::Position;
using support::LogWriter;

constexpr std::int64_t kHistoryFrom = 1000;  // events of a log that begins with a history
constexpr std::size_t kHistorySteps = 150;
constexpr std::size_t kLargeText = 300'000;  // two chunks

void append_history(LogWriter& writer, std::uint64_t seed) {
  support::History history(seed, {kHistorySteps, 12, 8});
  for (const auto& event : history.log().events()) {
    if (event.envelope.position == Position{1}) continue;  // the writer has its own EpochStarted
    writer.set_now(event.envelope.log_time);
    writer.add(event.envelope.stream, event.event, event.envelope.content ? "words" : "");
    if (event.envelope.position.value % 5 == 0) writer.flush();
  }
  writer.flush();
}

// Sessions come one after the other, each with this many events.
constexpr std::int64_t kSessionEvents = 200;

void append_event(LogWriter& writer, std::int64_t number, const std::string& text) {
  domain::SessionOpened opened;
  opened.agent = "main";
  base::append_u64(opened.name, static_cast<std::uint64_t>(number / kSessionEvents));
  opened.name.copy(opened.session.bytes.data(), opened.name.size());
  opened.session.bytes.back() = 1;
  opened.name = "bulk";
  const std::string stream = domain::session_stream(opened.agent, opened.session);
  if (number % kSessionEvents == 0) {
    writer.add(stream, opened, text);
  } else {
    writer.add(stream, domain::TurnQueued{}, text);
  }
}

std::string text_of(std::int64_t number) {
  if (number % 20'000 == 3) return std::string(kLargeText, 't');
  return number % 3 == 0 ? "text " + std::to_string(number) : std::string();
}

}  // namespace

DamagedLog::DamagedLog(std::int64_t events, std::uint64_t seed) {
  write(events * 4 / 10, seed, 0);
  copy_folder(copies_.now, copies_.long_before);
  write(events * 8 / 10, seed, 1);
  copy_folder(copies_.now, copies_.before);
  write(events, seed, 2);
  files_ = files_of_log(copies_.now);
  learn();
}

void DamagedLog::write(std::int64_t events, std::uint64_t seed, int stage) {
  base::SeededRandom random(seed + static_cast<std::uint64_t>(stage));
  {
    auto log = require(eventlog::open_log(copies_.now, eventlog::LogMode::read_write, random));
    LogWriter writer(log, random);
    if (stage == 0 && events * 2 > kHistoryFrom / 2) append_history(writer, seed);
    const std::int64_t per_block = events < kHistoryFrom ? 3 : 100;
    for (std::int64_t at = log.store->tail().value + 1; at <= events; ++at) {
      append_event(writer, numbers_++, text_of(at));
      if (at <= 10 || random.below(static_cast<std::uint64_t>(per_block)) == 0) writer.flush();
    }
    writer.flush();
  }
  // The events of the last stage stay in the write-ahead log.
  if (stage < 2) support::RawLog(eventlog::LogFolder{copies_.now}.log()).flush();
}

void DamagedLog::learn() {
  const auto log = require(eventlog::open_unproved_log(copies_.now));
  const auto report = eventlog::verify_log(*log.store, log.head);
  REQUIRE(report.problems.empty());
  contents_ = report.contents;
  end_ = *log.head;
  for (Position at{1}; at <= log.store->tail();) {
    for (const auto& stored : require(log.store->read(at, 4 << 20, false))) {
      const auto block = require(eventlog::parse_block(stored.facts));
      blocks_.push_back({block.header.first, block.header.last(), block.hash()});
      at = block.header.last().next();
    }
  }
}

std::string DamagedLog::damaged(const std::vector<Damage>& damages) {
  const std::string folder = temporary_.file("damaged");
  std::filesystem::remove_all(folder);
  copy_folder(copies_.now, folder);
  bool is_different = false;
  for (const Damage& damage : damages) is_different |= inflict(damage, copies_, folder);
  return is_different ? folder : std::string();
}

}  // namespace crash
