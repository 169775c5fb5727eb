// Reads a prompt to its end, and files whole.
#include "tools/steno/client/prompt_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "eventlog/base/unique_fd.hpp"
#include "workers/operations/opening.hpp"
#include "workers/operations/prompt_files.hpp"

namespace steno {
namespace {

// Reads at most enough to see that it is too long.
Outcome<domain::PromptFile> file_of_stdin() {
  domain::PromptFile file{"stdin", {}};
  LineInput input(STDIN_FILENO);
  const auto most = static_cast<std::size_t>(domain::kPromptFilesBytesMax);
  while (!input.is_at_end() && file.data.size() <= most) {
    input.fill();
    file.data += input.take_all();
  }
  if (const auto bad = domain::check_file(file)) {
    return fail(workers::refuse(workers::error_of(bad->code), bad->text).value());
  }
  return file;
}

}  // namespace

std::string read_all(LineInput& input) {
  std::string all;
  while (!input.is_at_end() && all.size() <= LineInput::kLineBytesMax) {
    input.fill();
    all += input.take_all();
  }
  while (!all.empty() && all.back() == '\n') all.pop_back();
  return all;
}

Outcome<std::string> prompt_in_file(const std::string& path) {
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  const bool is_open = file.is_open() && ::fstat(file.get(), &facts) == 0;
  if (is_open && !S_ISDIR(facts.st_mode)) {
    LineInput input(file.get());
    return read_all(input);
  }
  const int why = is_open ? EISDIR : errno;
  return fail(why == ENOENT ? kExitNotFound : kExitFailed,
              "the prompt's file " + path + " cannot be read: " + std::strerror(why));
}

Outcome<std::string> prompt_of(const std::string& argument, const PromptPlace& place,
                               bool has_files) {
  LineInput input(STDIN_FILENO);
  Outcome<std::string> prompt = argument;
  if (!place.file.empty()) {
    prompt = prompt_in_file(place.file);
  } else if (argument == "-") {
    prompt = read_all(input);
  }
  if (!prompt) return prompt;
  if (const auto ok = workers::check_prompt(*prompt, has_files); !ok) return fail(ok.error());
  return prompt;
}

Outcome<domain::PromptFiles> files_of(const std::vector<std::string>& paths,
                                      const std::string& prompt) {
  domain::PromptFiles files;
  bool has_stdin = prompt == "-";
  for (const std::string& path : paths) {
    const bool is_stdin = path == "-";
    if (is_stdin && std::exchange(has_stdin, true)) {
      return fail(kExitUsage,
                  "stdin is read once: as the prompt, or as one file; name the others by a path");
    }
    if (files.size() == domain::kPromptFilesMax) {
      return fail(kExitRefused, std::to_string(paths.size()) +
                                    " files are named, and a prompt has " +
                                    std::to_string(domain::kPromptFilesMax) + " at most");
    }
    if (is_stdin) {
      auto file = file_of_stdin();
      if (!file) return tl::unexpected(file.error());
      files.push_back(std::move(*file));
      continue;
    }
    auto file = workers::read_prompt_file(path);
    if (!file) return fail(file.error());
    files.push_back(std::move(*file));
  }
  if (const auto ok = workers::check_prompt_files(files); !ok) return fail(ok.error());
  return files;
}

}  // namespace steno
