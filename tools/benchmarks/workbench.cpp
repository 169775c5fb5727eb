// Refuses tmpfs by its magic number, and removes every folder that it made.
#include "tools/benchmarks/workbench.hpp"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace benchmarks {

base::Result<std::unique_ptr<Workbench>> Workbench::open(const Options& options) {
  struct statfs disk {};
  if (statfs(options.folder.c_str(), &disk) != 0) {
    return base::failure(base::ErrorCode::io, std::strerror(errno), options.folder);
  }
  if (disk.f_type == TMPFS_MAGIC || disk.f_type == RAMFS_MAGIC) {
    return base::failure(base::ErrorCode::refused,
                         "the folder lies in memory, where a sync costs nothing; name one on a "
                         "disk with --folder",
                         options.folder);
  }
  std::error_code failed;
  const auto parent = std::filesystem::absolute(options.folder, failed);
  if (failed) return base::failure(base::ErrorCode::io, failed.message(), options.folder);
  std::string path = parent.string() + "/steno-bench.XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return base::failure(base::ErrorCode::io, std::strerror(errno), path);
  }
  return std::unique_ptr<Workbench>(new Workbench(options, path));
}

Workbench::Workbench(const Options& options, std::string folder)
    : options_(options), folder_(std::move(folder)) {
  getloadavg(&load_before_, 1);
}

Workbench::~Workbench() {
  clear_progress();
  remove(folder_);
}

std::string Workbench::fresh_folder(const std::string& name) {
  std::string path = folder_ + "/" + name;
  remove(path);
  mkdir(path.c_str(), 0700);
  return path;
}

void Workbench::remove(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

std::string Workbench::program(const std::string& name) const {
  std::error_code ignored;
  return (std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / name).string();
}

std::string Workbench::load_text() const {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return fmt::format("load before the run: {:.1f} on {} cores{}\n", load_before_, cores,
                     load_before_ > 0.5 ? "; the machine was not idle, so mind the noise" : "");
}

void Workbench::progress(const std::string& text) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
  has_progress_ = true;
}

void Workbench::clear_progress() {
  if (has_progress_) std::fprintf(stderr, "\r\x1b[K");
  has_progress_ = false;
}

}  // namespace benchmarks
