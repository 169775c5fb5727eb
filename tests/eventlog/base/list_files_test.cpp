// Listing folders, also when reading one fails: this program has its own readdir, which can fail.
#include "eventlog/base/list_files.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <optional>

#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

std::optional<int> reads_left;  // until readdir fails with EIO; nullopt: it never does

}  // namespace

extern "C" dirent* readdir(DIR* folder) {
  using Read = dirent* (*)(DIR*);
  static const auto real = reinterpret_cast<Read>(::dlsym(RTLD_NEXT, "readdir"));
  if (reads_left && (*reads_left)-- <= 0) {
    errno = EIO;
    return nullptr;
  }
  return real(folder);
}

namespace {

using base::ErrorCode;
using base::FileKind;
using base::list_files;
using base::list_tree;

std::vector<std::string> names_of(const std::vector<base::ListedFile>& files) {
  std::vector<std::string> names;
  for (const base::ListedFile& file : files) names.push_back(file.name);
  return names;
}

TEST_CASE("a folder is listed by name, and links in it are not followed", "[base]") {
  const support::TempFolder folder;
  ::mkdir(folder.file("deep").c_str(), 0700);
  std::ofstream(folder.file("deep/inner.log")) << "x";
  std::ofstream(folder.file(".hidden")) << "x";
  std::ofstream(folder.file("a.sst")) << "x";
  REQUIRE(::symlink(folder.file("deep").c_str(), folder.file("link").c_str()) == 0);
  const auto files = list_files(folder.file("."));
  REQUIRE(files);
  CHECK(names_of(*files) == std::vector<std::string>{".hidden", "a.sst", "deep", "link"});
  CHECK(files->at(0).extension().empty());
  CHECK(files->at(1).extension() == ".sst");
  CHECK(files->at(1).stem() == "a");
  CHECK(files->at(1).kind == FileKind::file);
  CHECK(files->at(2).kind == FileKind::folder);
  CHECK(files->at(3).kind == FileKind::other);
  CHECK(files->at(2).path == folder.file("./deep"));
  const auto all = list_tree(folder.file("."));
  REQUIRE(all);
  CHECK(names_of(*all) ==
        std::vector<std::string>{".hidden", "a.sst", "deep", "inner.log", "link"});
}

TEST_CASE("a folder that cannot be listed is an error with its reason", "[base]") {
  const support::TempFolder folder;
  std::ofstream(folder.file("file")) << "x";
  REQUIRE(::symlink("loop", folder.file("loop").c_str()) == 0);
  for (const auto& list : {list_files, list_tree}) {
    CHECK(list(folder.file("nothing")).error().code == ErrorCode::not_found);
    CHECK(list(folder.file("file")).error().code == ErrorCode::invalid);
    CHECK(list(folder.file("file/below")).error().code == ErrorCode::invalid);
    CHECK(list(folder.file("loop")).error().code == ErrorCode::io);
    CHECK(list(folder.file(std::string(300, 'x'))).error().code == ErrorCode::io);
  }
}

TEST_CASE("a folder whose reading fails on its way is an error, wherever it fails", "[base]") {
  const support::TempFolder folder;
  ::mkdir(folder.file("deep").c_str(), 0700);
  for (const char* name : {"deep/a", "deep/b", "c"}) std::ofstream(folder.file(name)) << "x";
  int failed = 0;
  for (reads_left = 0;; ++failed) {
    const int count = failed;
    reads_left = count;
    const auto files = list_tree(folder.file("."));
    if (files) break;
    CHECK(files.error().code == ErrorCode::io);
    REQUIRE(failed < 100);
  }
  reads_left.reset();
  // Every read of both folders failed once: "." and "..", each entry, and the end.
  CHECK(failed == 10);
}

}  // namespace
