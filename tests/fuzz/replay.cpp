// Runs a target without libFuzzer: every file of a folder, then a number of seeded mutations of
// them, the same each time. An input that ends the process is written to a file first.
//
//   fuzz_block tests/fuzz/corpus/block     STENO_FUZZ_RUNS, STENO_FUZZ_SEED: see README.md
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/fuzz/fuzz.hpp"

namespace {

using base::Bytes;

constexpr std::uint64_t kRuns = 20'000;
constexpr std::size_t kBytesMax = 8192;  // largest mutated input

Bytes current;

// Makes only calls that are allowed in a signal handler.
void write_current(int signal) {
  const int fd = ::open("fuzz-crash", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const std::string_view said =
      signal == SIGABRT
          ? "fuzz: the input is in the file fuzz-crash of the working folder\n"
          : "fuzz: a signal; the input is in the file fuzz-crash of the working folder\n";
  const bool is_written = fd >= 0 && ::write(fd, current.data(), current.size()) >= 0;
  if (is_written && ::write(STDERR_FILENO, said.data(), said.size()) >= 0) ::close(fd);
  ::_exit(1);
}

// The handlers have a stack of their own, since the usual one can have overflowed.
void catch_signals() {
  static char stack[64 << 10];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = write_current;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    sigaction(signal, &action, nullptr);
  }
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  std::uint64_t value = 0;
  const std::string_view all = text;
  const auto [end, error] = std::from_chars(all.begin(), all.end(), value);
  if (error == std::errc{} && end == all.end()) return value;
  std::fprintf(stderr, "fuzz: %s must be a number, not '%s'\n", name, text);
  std::exit(2);
}

std::vector<Bytes> read_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> all;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    all.push_back(text.str());
  }
  return all;
}

void mutate(Bytes& bytes, const std::vector<Bytes>& all, base::Random& random) {
  static constexpr std::uint8_t kTelling[] = {0x00, 0x01, 0x7F, 0x80, 0x8F, 0x90, 0xA0, 0xC0,
                                              0xC4, 0xD9, 0xDC, 0xDF, 0xFF, '\n', '"',  '{'};
  for (std::uint64_t left = 1 + random.below(4); left > 0; --left) {
    const std::size_t at = random.below(bytes.size() + 1);
    const std::size_t size = 1 + random.below(8);
    const auto value = static_cast<char>(
        random.chance(50) ? kTelling[random.below(std::size(kTelling))] : random.below(256));
    switch (random.below(6)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.below(8));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = value;
        break;
      case 2:
        bytes.insert(at, size, value);
        break;
      case 3:
        bytes.erase(at, size);
        break;
      case 4:
        bytes.insert(at, bytes.substr(random.below(bytes.size() + 1), 4 * size));
        break;
      default: {
        const Bytes& other = all[random.below(all.size())];
        bytes = bytes.substr(0, at) + other.substr(random.below(other.size() + 1));
      }
    }
  }
  if (bytes.size() > kBytesMax) bytes.resize(kBytesMax);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s FOLDER-OF-INPUTS\n", argv[0]);
    return 2;
  }
  catch_signals();
  std::vector<Bytes> all = read_folder(argv[1]);
  if (all.empty()) {
    std::fprintf(stderr, "fuzz: no input in %s\n", argv[1]);
    return 2;
  }
  const auto run = [](Bytes input) {
    current = std::move(input);
    fuzz::run_bounded(current);
  };
  for (const Bytes& input : all) run(input);
  base::SeededRandom random(setting("STENO_FUZZ_SEED", 1));
  const std::uint64_t runs = setting("STENO_FUZZ_RUNS", kRuns);
  for (std::uint64_t i = 0; i < runs; ++i) {
    Bytes input = all[random.below(all.size())];
    mutate(input, all, random);
    run(std::move(input));
  }
  std::printf("%zu inputs, %llu mutations\n", all.size(), static_cast<unsigned long long>(runs));
  return 0;
}
