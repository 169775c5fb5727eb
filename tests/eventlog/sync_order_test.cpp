// The order of syncs: a block is on the disk before it is acknowledged. The program has its own
// fdatasync, which every library in it calls. It notes each sync with the head file's content at
// that moment.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "eventlog/log/committer.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/stores.hpp"

namespace {

// A sync, noted just before it is done.
struct Sync {
  bool is_head = false;    // false: the write-ahead log
  std::int64_t bytes = 0;  // size of the file
  std::int64_t head = 0;   // position in the head file just before
};

// Syncs come from several threads and go through a pipe, whose writes are atomic.
int note_to = -1;
std::string head_path;

void note(int fd) {
  char path[4096] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  if (note_to < 0 || readlink(link.c_str(), path, sizeof path - 1) <= 0) return;
  const std::string_view name(path);
  if (name != head_path && !name.ends_with(".log")) return;
  Sync sync;
  sync.is_head = name == head_path;
  struct stat status {};
  fstat(fd, &status);
  sync.bytes = status.st_size;
  const auto head = eventlog::read_head_file(head_path);
  if (head && *head) sync.head = (*head)->position.value;
  if (write(note_to, &sync, sizeof sync) != sizeof sync) std::abort();
}

}  // namespace

extern "C" int fdatasync(int fd) {
  note(fd);
  return static_cast<int>(syscall(SYS_fdatasync, fd));
}

namespace eventlog {
namespace {

class Disk {
 public:
  Disk() {
    REQUIRE(pipe2(fds_, O_CLOEXEC | O_NONBLOCK) == 0);
    note_to = fds_[1];
    head_path = folder_.file("head");
    auto opened = open_rocksdb_store({folder_.file("log")});
    REQUIRE(opened);
    store = std::move(*opened);
    auto file = open_head_file(head_path);
    REQUIRE(file);
    head = std::move(*file);
    syncs();
  }
  ~Disk() {
    head.reset();
    store.reset();
    note_to = -1;
    for (int fd : fds_) close(fd);
  }

  // Returns all syncs since the last call.
  std::vector<Sync> syncs() {
    std::vector<Sync> found;
    for (Sync sync; read(fds_[0], &sync, sizeof sync) == sizeof sync;) found.push_back(sync);
    return found;
  }
  // Waits for the next sync, for at most 20 s. False: none came.
  bool wait_for_sync() {
    pollfd fd{fds_[0], POLLIN, 0};
    return poll(&fd, 1, 20'000) == 1;
  }
  // Returns the size of the write-ahead log, as far as it has been written.
  std::int64_t log_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file("log"))) {
      if (entry.path().extension() == ".log") bytes = static_cast<std::int64_t>(entry.file_size());
    }
    return bytes;
  }

 private:
  support::TempFolder folder_;
  int fds_[2];

 public:
  std::unique_ptr<BlockStore> store;
  std::unique_ptr<HeadFile> head;
};

TEST_CASE("a block is on the disk before the store says that it is stored", "[eventlog]") {
  Disk disk;
  support::BlockChain chain;
  for (int i = 0; i < 5; ++i) {
    // With and without chunks; one sync covers both.
    BlockBuilder builder;
    builder.add("facts");
    if (i % 2 == 1) builder.add_chunks(base::Salt{'s'}, {{"stream", Bytes(1 << 20, 'c')}});
    REQUIRE(disk.store->append(chain.sealed(builder)).status == AppendStatus::stored);
    const auto syncs = disk.syncs();
    REQUIRE(syncs.size() == 1);
    CHECK(syncs[0].bytes == disk.log_bytes());
  }
}

TEST_CASE("the head names a block only once the disk has it", "[eventlog]") {
  Disk disk;
  support::BlockChain chain;
  for (std::int64_t position = 1; position <= 20; ++position) {
    REQUIRE(commit(*disk.store, disk.head.get(), chain.next(1)).status == AppendStatus::stored);
    for (const Sync& sync : disk.syncs()) {
      if (!sync.is_head) CHECK(sync.head == position - 1);
    }
    CHECK((*read_head_file(head_path))->position == Position{position});
  }
}

TEST_CASE("a head is on the disk soon after it was written", "[eventlog]") {
  Disk disk;
  for (std::int64_t position = 1; position <= 3; ++position) {
    REQUIRE(disk.head->write({{}, {}, {position}, {}}));
    std::vector<Sync> syncs;
    do {
      REQUIRE(disk.wait_for_sync());
      syncs = disk.syncs();
    } while (syncs.back().head != position);
    CHECK(syncs.back().is_head);
  }
}

}  // namespace
}  // namespace eventlog
