// Calls a replay command in the test's process, and returns its output and exit code.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/steno/replay/replay.hpp"

namespace support {

struct Answer {
  int exit = 0;
  std::string out;
  std::string err;
  nlohmann::json parsed() const { return nlohmann::json::parse(out); }
};

// A stream into a string, which is complete once the stream is destroyed.
class Capture {
 public:
  explicit Capture(std::string& into) : into_(into), file_(::open_memstream(&bytes_, &size_)) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    std::fclose(file_);
    into_.assign(bytes_, size_);
    std::free(bytes_);
  }
  std::FILE* file() { return file_; }

 private:
  std::string& into_;
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

inline Answer run(int (*command)(const steno::ReplayArguments&), steno::ReplayArguments arguments) {
  Answer answer;
  {
    Capture out(answer.out);
    Capture err(answer.err);
    arguments.out = out.file();
    arguments.err = err.file();
    answer.exit = command(arguments);
  }
  return answer;
}

}  // namespace support
