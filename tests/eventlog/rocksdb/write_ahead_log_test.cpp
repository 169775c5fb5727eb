// A write-ahead log that does not end with a whole record is torn, wherever it is cut or damaged.
#include "eventlog/rocksdb/write_ahead_log.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "eventlog/rocksdb/rocksdb_store.hpp"
#include "tests/support/listing.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/raw_log.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

base::Bytes contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Returns the write-ahead log of a store with blocks of these sizes.
base::Bytes log_of(const std::vector<std::size_t>& sizes) {
  const support::TempFolder folder;
  const auto store = eventlog::open_rocksdb_store({folder.file("log")});
  REQUIRE(store);
  support::LogBuilder log(1, **store);
  for (const std::size_t size : sizes) {
    log.append(domain::kServerStream, domain::ServerStarted{{}, 1, "test"}, std::string(size, 'x'));
  }
  return contents(support::newest_file(folder.file("log"), ".log"));
}

TEST_CASE("a write-ahead log is torn unless it ends with a record", "[eventlog]") {
  const base::Bytes log = log_of({1, 100, 1});
  REQUIRE_FALSE(eventlog::is_torn(log));
  REQUIRE_FALSE(eventlog::is_torn({}));
  int whole = 0;
  for (std::size_t end = 1; end < log.size(); ++end) {
    if (!eventlog::is_torn(base::ByteView(log).substr(0, end))) ++whole;
  }
  CHECK(whole == 3);  // cuts behind each record but the last
}

TEST_CASE("any damaged byte of a write-ahead log makes it torn", "[eventlog]") {
  const base::Bytes log = log_of({1});
  for (std::size_t at = 0; at < log.size(); ++at) {
    base::Bytes bad = log;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    INFO("byte " << at);
    REQUIRE(eventlog::is_torn(bad));
  }
  CHECK(eventlog::is_torn(log + base::Bytes(100, '\0')));
}

TEST_CASE("records in many fragments are followed", "[eventlog]") {
  const base::Bytes log = log_of({60'000, 1, 32'768, 90'000, 5, 32'700, 40'000});
  REQUIRE(log.size() > 6 * 32'768);
  CHECK_FALSE(eventlog::is_torn(log));
  // A record continues across the end of each of RocksDB's blocks.
  for (std::size_t end = 32'768; end < log.size(); end += 32'768) {
    CHECK(eventlog::is_torn(base::ByteView(log).substr(0, end)));
  }
}

TEST_CASE("a write-ahead log that cannot be read is an error, not a whole one", "[eventlog]") {
  const support::TempFolder folder;
  const std::string log = folder.file("log");
  CHECK_FALSE(eventlog::has_torn_write_ahead_log(log));
  std::filesystem::create_directory(log);
  CHECK(eventlog::has_torn_write_ahead_log(log) == false);
  std::ofstream(log + "/000007.log") << "torn";
  CHECK(eventlog::has_torn_write_ahead_log(log) == true);
  std::filesystem::create_directory(log + "/000009.log");  // can be opened, but not read
  const auto unread = eventlog::has_torn_write_ahead_log(log);
  REQUIRE_FALSE(unread);
  CHECK(unread.error().code == base::ErrorCode::io);
  CHECK(unread.error().where == log + "/000009.log");
}

}  // namespace
