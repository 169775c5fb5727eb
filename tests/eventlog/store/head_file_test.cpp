// The head file's two slots: a write torn at any byte leaves the head before it. Damage that can
// hide a newer head is reported.
#include "eventlog/store/head_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

namespace eventlog {
namespace {

constexpr std::size_t kSlotBytes = 4096;

Checkpoint head_at(std::int64_t position) {
  Checkpoint head;
  head.log.bytes[0] = 9;
  head.epoch = {2, {'r'}};
  head.position = {position};
  head.hash[0] = static_cast<char>(position);
  return head;
}

Bytes contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void overwrite(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Writes heads 1 to `count` and closes the file.
void write_heads(const std::string& path, std::int64_t count) {
  const auto file = open_head_file(path);
  REQUIRE(file);
  for (std::int64_t i = 1; i <= count; ++i) REQUIRE((*file)->write(head_at(i)));
}

TEST_CASE("no file and an empty file have no head", "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  REQUIRE(read_head_file(path));
  CHECK_FALSE(*read_head_file(path));
  REQUIRE(open_head_file(path));
  REQUIRE(read_head_file(path));
  CHECK_FALSE(*read_head_file(path));
}

TEST_CASE("what a crash left behind of a head file that was being made does no harm",
          "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  overwrite(path + ".new", Bytes(100'000, 'x'));
  write_heads(path, 1);
  CHECK(contents(path).size() == 2 * kSlotBytes);
  CHECK(**read_head_file(path) == head_at(1));
}

TEST_CASE("the newest head is read, while the file is open and after", "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  {
    const auto file = open_head_file(path);
    REQUIRE(file);
    for (std::int64_t i = 1; i <= 5; ++i) {
      REQUIRE((*file)->write(head_at(i)));
      REQUIRE(**read_head_file(path) == head_at(i));
    }
  }
  CHECK(**read_head_file(path) == head_at(5));
}

TEST_CASE("a reopened head file goes on with the slot that is older", "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  for (std::int64_t i = 1; i <= 4; ++i) {
    const auto file = open_head_file(path);
    REQUIRE(file);
    REQUIRE((*file)->write(head_at(i)));
    REQUIRE(**read_head_file(path) == head_at(i));
  }
}

TEST_CASE("a head may go back, as after a restore: the newest write wins", "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  write_heads(path, 9);
  const auto file = open_head_file(path);
  REQUIRE((*file)->write(head_at(3)));
  CHECK(**read_head_file(path) == head_at(3));
}

TEST_CASE("a torn slot leaves the head before it, wherever it tore", "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  write_heads(path, 4);  // head 4 in the first slot, head 3 in the second
  const Bytes before = contents(path);
  write_heads(folder.file("next"), 5);
  const Bytes after = contents(folder.file("next"));
  REQUIRE(after.size() == before.size());
  for (std::size_t torn = 1; kSlotBytes + torn < after.size(); ++torn) {
    Bytes bytes = after;
    bytes.replace(kSlotBytes + torn, Bytes::npos, before.substr(kSlotBytes + torn));
    overwrite(path, bytes);
    const auto head = read_head_file(path);
    REQUIRE(head);
    REQUIRE(*head);
    INFO("torn at byte " << torn);
    // Bytes that both heads share show no tear.
    REQUIRE((**head == head_at(4) || (bytes == after && **head == head_at(5)) ||
             (bytes == before && **head == head_at(4))));
  }
}

TEST_CASE("any damaged byte of the newest slot leaves the head before it", "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  write_heads(path, 2);  // head 2 in the first slot
  const Bytes good = contents(path);
  const std::size_t used = 4 + base::read_u32(good) + 8;
  for (std::size_t at = 0; at < used; ++at) {
    Bytes bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    overwrite(path, bad);
    const auto head = read_head_file(path);
    REQUIRE(head);
    REQUIRE(**head == head_at(1));
  }
}

TEST_CASE("writing goes on over the torn slot", "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  write_heads(path, 2);
  Bytes bytes = contents(path);
  bytes[10] = static_cast<char>(bytes[10] ^ 1);
  overwrite(path, bytes);
  const auto file = open_head_file(path);
  REQUIRE(file);
  REQUIRE((*file)->write(head_at(7)));
  CHECK(**read_head_file(path) == head_at(7));
}

TEST_CASE("a file of which no slot is whole is damaged, and is not opened", "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  write_heads(path, 2);
  Bytes bytes = contents(path);
  SECTION("both slots damaged") {
    bytes[10] = static_cast<char>(bytes[10] ^ 1);
    bytes[kSlotBytes + 10] = static_cast<char>(bytes[kSlotBytes + 10] ^ 1);
  }
  SECTION("all zero") {
    bytes.assign(bytes.size(), '\0');
  }
  SECTION("a few bytes") {
    bytes = "head";
  }
  SECTION("a length beyond the file") {
    bytes = Bytes(8192, '\xFF');
  }
  overwrite(path, bytes);
  REQUIRE_FALSE(read_head_file(path));
  CHECK(read_head_file(path).error().code == base::ErrorCode::damaged);
  REQUIRE_FALSE(open_head_file(path));
  CHECK(open_head_file(path).error().code == base::ErrorCode::damaged);
  CHECK(contents(path) == bytes);
}

TEST_CASE("a damaged slot beside the newest whole one is told", "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  CHECK_FALSE(inspect_head_file(path)->is_there);
  for (std::int64_t count = 0; count <= 3; ++count) {
    std::filesystem::remove(path);
    write_heads(path, count);
    const auto whole = *inspect_head_file(path);
    CHECK(whole.is_there);
    CHECK_FALSE(whole.is_doubtful);
    CHECK(whole.head.has_value() == (count > 0));
    const Bytes good = contents(path);
    for (const std::size_t slot : {std::size_t{0}, kSlotBytes}) {
      if (count == 0 && slot == 0) continue;  // both hold the same: none is newest
      Bytes bad = good;
      bad[slot + 5] = static_cast<char>(bad[slot + 5] ^ 1);
      overwrite(path, bad);
      CHECK(inspect_head_file(path)->is_doubtful);
    }
    overwrite(path, good.substr(0, kSlotBytes));
    CHECK(inspect_head_file(path)->is_doubtful);
  }
}

TEST_CASE("a slot that was torn on its way beside a newer one raises no doubt", "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  write_heads(path, 4);  // head 4 in the first slot, head 3 in the second
  const Bytes older = contents(path);
  write_heads(folder.file("next"), 6);
  const Bytes newer = contents(folder.file("next"));
  for (std::size_t torn = 1; kSlotBytes + torn < newer.size(); ++torn) {
    Bytes bytes = newer;
    bytes.replace(kSlotBytes + torn, Bytes::npos, older.substr(kSlotBytes + torn));
    overwrite(path, bytes);
    INFO("torn at byte " << torn);
    REQUIRE(inspect_head_file(path)->head == head_at(6));
    REQUIRE_FALSE(inspect_head_file(path)->is_doubtful);
  }
}

TEST_CASE("of two slots that are whole the older may be older by any number of writes",
          "[eventlog]") {
  const support::TempFolder folder;
  const auto path = folder.file("head");
  Bytes bytes = encode_head_slot({8, head_at(8)});
  bytes.resize(kSlotBytes, '\0');
  bytes += encode_head_slot({3, head_at(3)});
  overwrite(path, bytes);
  CHECK(inspect_head_file(path)->head == head_at(8));
  CHECK_FALSE(inspect_head_file(path)->is_doubtful);
}

TEST_CASE("a head file in a folder that is not there is an error", "[eventlog]") {
  const support::TempFolder folder;
  const auto file = open_head_file(folder.file("none/head"));
  REQUIRE_FALSE(file);
  CHECK(file.error().code == base::ErrorCode::io);
  CHECK_FALSE(*read_head_file(folder.file("none/head")));
}

TEST_CASE("a head file is its owner's alone", "[eventlog]") {
  const support::TempFolder folder;
  write_heads(folder.file("head"), 1);
  const auto permissions = std::filesystem::status(folder.file("head")).permissions();
  CHECK((permissions & std::filesystem::perms(077)) == std::filesystem::perms::none);
}

}  // namespace
}  // namespace eventlog
