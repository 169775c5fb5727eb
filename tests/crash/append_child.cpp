// The process that the crash test kills. It takes over the log in the given folder as a server does
// and appends numbered commands as fast as they are acknowledged. Each acknowledgement goes to
// stdout as two big-endian 64-bit numbers: the command's and its position. It ends when its work is
// done or nobody reads any more.
//
//   append_child FOLDER FIRST LAST [hasty]
//
// `hasty` is the mistake that the test must find: it acknowledges commands that are decided and not
// yet durable.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/crash/numbered_commands.hpp"

namespace {

constexpr std::size_t kOutstandingMax = 64;

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "append_child: %s\n", why.c_str());
  std::_Exit(3);
}

template <class T>
T must(base::Result<T> result) {
  if (!result) die(base::describe(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

bool acknowledge(std::int64_t number, base::Position position) {
  base::Bytes record;
  base::append_u64(record, static_cast<std::uint64_t>(number));
  base::append_u64(record, static_cast<std::uint64_t>(position.value));
  return write(STDOUT_FILENO, record.data(), record.size()) == static_cast<ssize_t>(record.size());
}

// Ignores answers: main() takes them from the command loop.
struct Waiting final : workers::Asker {
  void on_answer(std::uint64_t, const workers::CommandAnswer&) override {}
};

// Acknowledges every decided command from `told` on, whether or not its events are durable.
void acknowledge_decided(const workers::CommandLoop& worker, std::int64_t& told) {
  for (;; ++told) {
    const auto* state = worker.find<domain::SessionStream>(
        domain::session_stream("main", crash::id_of<base::SessionId>(crash::session_of(told))));
    if (state == nullptr) return;
    const auto known = state->commands.find(crash::id_of<base::CommandId>(told));
    if (!known || !acknowledge(told, known->position)) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || argv[1][0] == '-') die("usage: append_child FOLDER FIRST LAST [hasty]");
  const bool is_hasty = argc == 5;
  const std::string folder = argv[1];
  std::int64_t next = std::atoll(argv[2]);
  const std::int64_t last = std::atoll(argv[3]);

  const auto store = must(eventlog::open_rocksdb_store({folder + "/log"}));
  const auto rows = must(eventlog::open_rocksdb_key_value_store(folder + "/rows"));
  const auto head = must(eventlog::open_head_file(folder + "/head"));
  eventlog::StreamIndex index(*rows);
  must(index.catch_up(*store, store->tail()));
  eventlog::SnapshotStore snapshots(*rows);
  const auto loader = eventlog::make_thread_loader(*store, index, snapshots);
  const auto committer = eventlog::make_thread_committer(*store, head.get());
  base::SystemRandom random;
  eventlog::LogTail tail = must(eventlog::read_tail(*store));
  if (!tail.log.is_set()) tail.log = base::LogId::make({1}, random);
  eventlog::Sequencer sequencer(tail, *committer, random);
  workers::CommandLoop worker(sequencer, *loader, crash::options());

  Waiting asker;
  std::size_t outstanding = 0;
  std::int64_t told = next;
  while (next <= last || outstanding > 0) {
    for (; outstanding < kOutstandingMax && next <= last; ++next, ++outstanding) {
      worker.submit({&asker, static_cast<std::uint64_t>(next)}, crash::numbered_command(next));
    }
    const base::Time now{1'000'000 + next};
    bool has_worked = worker.do_work(now, now, base::Duration{now.us});
    if (is_hasty) acknowledge_decided(worker, told);
    has_worked = sequencer.do_work() || has_worked;
    if (sequencer.failure()) die(base::describe(*sequencer.failure()));
    if (!sequencer.take_durable().empty()) must(index.catch_up(*store, sequencer.durable()));
    for (const workers::CommandAnswer& answer : worker.take_answers()) {
      if (!answer.outcome) die("refused: " + answer.outcome.error().text);
      if (answer.outcome->is_repeated) die("repeated: " + std::to_string(answer.ticket.number));
      --outstanding;
      has_worked = true;
      if (!is_hasty &&
          !acknowledge(static_cast<std::int64_t>(answer.ticket.number), answer.outcome->position)) {
        return 0;
      }
    }
    if (has_worked) continue;
    pollfd wakes[] = {{committer->wake_fd(), POLLIN, 0}, {loader->wake_fd(), POLLIN, 0}};
    if (poll(wakes, 2, 30'000) == 0) die("nothing happens");
  }
  return 0;
}
