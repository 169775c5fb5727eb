// Runs a target without libFuzzer: every input of its file, then a number of seeded mutations of
// them, the same each time. An input that ends the process is written to a file first.
//
//   fuzz_block tests/fuzz/corpus/block     STENO_FUZZ_RUNS, STENO_FUZZ_SEED: see README.md
//   fuzz_block --input FILE...             each file is one input; no mutations
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/inputs.hpp"

namespace {

using base::Bytes;
using fuzz::Input;

constexpr std::uint64_t kRuns = 20'000;
constexpr std::size_t kBytesMax = 8192;  // largest mutated input

// What runs now.
Bytes current;
std::string current_name;

// Where an input that ends the process is written, and what is said then.
std::string crash_path;
std::string how_to_repeat;

void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(1);
}

// Makes only calls that are allowed in a signal handler.
void write_current(int signal) {
  say(signal == SIGABRT ? "fuzz: ended by " : "fuzz: a signal, by ");
  say(current_name);
  const int fd = ::open(crash_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool is_written = fd >= 0 && ::write(fd, current.data(), current.size()) >= 0;
  say(is_written ? how_to_repeat : "\nfuzz: its bytes cannot be written\n");
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

// Ends the process with an error if a file cannot be read.
template <class T>
T whole(base::Result<T> read) {
  if (read) return std::move(*read);
  std::fprintf(stderr, "fuzz: %s\n", base::describe(read.error()).c_str());
  std::exit(2);
}

std::vector<Input> inputs_of(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1) return whole(fuzz::read_inputs(arguments.front()));
  std::vector<Input> all;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    all.push_back({arguments[i], whole(fuzz::read_whole(arguments[i]))});
  }
  return all;
}

void mutate(Bytes& bytes, const std::vector<Input>& all, base::Random& random) {
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
        const Bytes& other = all[random.below(all.size())].bytes;
        bytes = bytes.substr(0, at) + other.substr(random.below(other.size() + 1));
      }
    }
  }
  if (bytes.size() > kBytesMax) bytes.resize(kBytesMax);
}

void run(Bytes input, std::string name) {
  current = std::move(input);
  current_name = std::move(name);
  fuzz::run_bounded(current);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool is_single = !arguments.empty() && arguments.front() == "--input";
  if (is_single ? argc < 3 : argc != 2) {
    std::fprintf(stderr, "usage: %s FILE-OF-INPUTS | --input FILE...\n", argv[0]);
    return 2;
  }
  crash_path = std::filesystem::absolute(argv[0]).filename().string() + "-crash";
  crash_path = std::filesystem::absolute(crash_path).string();
  how_to_repeat = "; its bytes are in " + crash_path + "\nfuzz: to repeat: " + argv[0] +
                  " --input " + crash_path + "\n";
  catch_signals();
  const std::vector<Input> all = inputs_of(arguments);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = all[i].name;
    run(all[i].bytes, "input " + std::to_string(i + 1) + (name.empty() ? "" : ", " + name));
  }
  const std::uint64_t seed = setting("STENO_FUZZ_SEED", 1);
  const std::uint64_t runs = is_single ? 0 : setting("STENO_FUZZ_RUNS", kRuns);
  base::SeededRandom random(seed);
  for (std::uint64_t i = 0; i < runs; ++i) {
    Bytes input = all[random.below(all.size())].bytes;
    mutate(input, all, random);
    run(std::move(input), "mutation " + std::to_string(i + 1) + " of seed " + std::to_string(seed));
  }
  std::printf("%zu inputs, %llu mutations\n", all.size(), static_cast<unsigned long long>(runs));
  return 0;
}
