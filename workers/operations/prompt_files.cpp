// A file is opened without waiting, since a pipe would wait for its writer; what is read is looked
// at by the domain, which the server asks again.
#include "workers/operations/prompt_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/base/unique_fd.hpp"
#include "workers/operations/text_bounds.hpp"

namespace workers {
namespace {

std::string reason() {
  return std::strerror(errno);
}

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// Reads to the end, but not far beyond `size`. False: an error, which is in errno.
bool read_whole(int fd, std::size_t size, std::string& into) {
  into.resize(size + 1);
  std::size_t filled = 0;
  while (filled < into.size()) {
    const ssize_t count = ::read(fd, into.data() + filled, into.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  into.resize(filled);
  return true;
}

// Texts have many names; of the others a wrong one says that the sender means another file.
bool is_same_type(std::string_view said, std::string_view found) {
  const bool is_text = found == domain::kTextType;
  if (is_text) return !said.starts_with("image/") && said != domain::kPdfType;
  return said == found || (said == "image/jpg" && found == "image/jpeg");
}

Outcome<domain::PromptFile> decode(const SaidFile& said) {
  auto data = base::from_base64(said.data);
  if (!data) return refuse(OperationError::usage, "data of " + shown(said.name) + " is no base64");
  domain::PromptFile file{said.name, std::move(*data)};
  if (const auto bad = domain::check_file(file)) {
    return refuse(error_of(bad->code), bad->text);
  }
  const std::string_view found = *domain::media_type_of(file.data);
  if (said.media_type.empty() || is_same_type(said.media_type, found)) return file;
  return refuse(OperationError::usage, shown(said.name) + " is said to be " +
                                           shown(said.media_type) + ", and its bytes are " +
                                           std::string(found) + "; leave media_type out");
}

}  // namespace

Outcome<domain::PromptFile> read_prompt_file(const std::string& path) {
  const std::string called = shown(path);
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.is_open()) {
    const bool is_missing = errno == ENOENT || errno == ENOTDIR;
    return refuse(is_missing ? OperationError::not_found : OperationError::failed,
                  "the file " + called + " cannot be read: " + reason());
  }
  struct stat before {};
  if (::fstat(fd.get(), &before) != 0) {
    return refuse(OperationError::failed, "the file " + called + " cannot be read: " + reason());
  }
  if (!S_ISREG(before.st_mode)) {
    return refuse(OperationError::usage,
                  called + (S_ISDIR(before.st_mode) ? " is a folder; name a file in it"
                                                    : " is no regular file"));
  }
  if (before.st_size > domain::kPromptFilesBytesMax) {
    return refuse(OperationError::refused, called + " has " + std::to_string(before.st_size) +
                                               " bytes, and the files of a " + "prompt have " +
                                               std::to_string(domain::kPromptFilesBytesMax >> 20) +
                                               " MiB at most; name it in the prompt instead");
  }
  domain::PromptFile file{std::filesystem::path(path).filename().string(), {}};
  struct stat after {};
  const bool is_read = read_whole(fd.get(), static_cast<std::size_t>(before.st_size), file.data);
  if (!is_read || ::fstat(fd.get(), &after) != 0) {
    return refuse(OperationError::failed, "the file " + called + " cannot be read: " + reason());
  }
  if (!is_same(before, after) || static_cast<off_t>(file.data.size()) != before.st_size) {
    return refuse(OperationError::failed, "the file " + called +
                                              " changed while it was read; send it again once it "
                                              "is whole");
  }
  if (const auto bad = domain::check_file(file)) {
    return refuse(error_of(bad->code), called + " cannot be sent: " + bad->text);
  }
  return file;
}

Outcome<bool> check_prompt_files(const domain::PromptFiles& files) {
  const auto bad = domain::check_files(files);
  if (bad) return refuse(error_of(bad->code), bad->text);
  return true;
}

Outcome<domain::PromptFiles> prompt_files(const Caller& caller, const std::vector<SaidFile>& said) {
  domain::PromptFiles files;
  if (said.size() > domain::kPromptFilesMax) {
    return refuse(OperationError::refused,
                  "files has " + std::to_string(said.size()) + " files, and a prompt has " +
                      std::to_string(domain::kPromptFilesMax) + " at most");
  }
  for (const SaidFile& one : said) {
    if (!one.path.empty() && session_of(caller).is_set()) {
      return refuse(OperationError::refused,
                    "an agent cannot name a path in files, since the file would be read without "
                    "its permissions; read it and send it as data, or name it in the prompt");
    }
    if (!one.path.empty() && !std::filesystem::path(one.path).is_absolute()) {
      return refuse(OperationError::usage, "files takes absolute paths, not " + shown(one.path));
    }
    auto file = one.path.empty() ? decode(one) : read_prompt_file(one.path);
    if (!file) return tl::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  if (const auto ok = check_prompt_files(files); !ok) return tl::unexpected(ok.error());
  return files;
}

}  // namespace workers
