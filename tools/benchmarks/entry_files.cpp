// The index stays in memory as nlohmann/json, which encodes all of it for each update.
#include "tools/benchmarks/entry_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "eventlog/base/random.hpp"
#include "tools/benchmarks/conversation_load.hpp"
#include "tools/benchmarks/failure.hpp"
#include "tools/benchmarks/replace_file.hpp"
#include "tools/benchmarks/stop.hpp"

namespace benchmarks {
namespace {

nlohmann::json entry_of(std::size_t number) {
  const std::string group = fmt::format("-100{}", 1'000'000 + number);
  return {{"sessionId", fmt::format("01985e2a-7c31-7f52-9a10-{:012x}", number)},
          {"updatedAt", 1'764'500'000'000 + static_cast<std::int64_t>(number)},
          {"label", conversation_label(number)},
          {"displayName", fmt::format("Project {}", number)},
          {"subject", fmt::format("Project {}, builds and releases", number)},
          {"chatType", "group"},
          {"channel", "telegram"},
          {"groupId", group},
          {"lastChannel", "telegram"},
          {"lastTo", group},
          {"lastAccountId", "default"},
          {"origin",
           {{"label", fmt::format("Project {}", number)},
            {"provider", "telegram"},
            {"surface", "telegram"},
            {"from", fmt::format("user-{}", number)}}},
          {"model", "claude-sonnet-4-5"},
          {"modelProvider", "anthropic"},
          {"thinkingLevel", "low"},
          {"queueMode", "collect"},
          {"inputTokens", 1'200},
          {"outputTokens", 350},
          {"totalTokens", 41'550},
          {"contextTokens", 200'000}};
}

class EntryFiles final : public EmbeddedLoad {
 public:
  EntryFiles(std::string folder, std::size_t conversations) : folder_(std::move(folder)) {
    for (std::size_t i = 0; i < conversations; ++i) {
      keys_.push_back(conversation_key(i));
      index_[keys_.back()] = entry_of(i);
    }
  }
  ~EntryFiles() override {
    if (lines_ >= 0) close(lines_);
  }
  EntryFiles(const EntryFiles&) = delete;
  EntryFiles& operator=(const EntryFiles&) = delete;

  base::Result<void> open_files() {
    const std::string path = folder_ + "/lines.jsonl";
    lines_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (lines_ < 0) return tl::unexpected(errno_error(path));
    return replace_file(folder_, kEntryFile, index_.dump());
  }

 private:
  base::Result<void> store(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      if (is_stopped()) return stopped();
      if (auto ok = update(); !ok) return ok;
    }
    return {};
  }

  base::Result<void> update() {
    const std::string lock = folder_ + "/" + kEntryFile + ".lock";
    const int fd = open(lock.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return tl::unexpected(errno_error(lock));
    const std::string owner = fmt::format("{}\n", getpid());
    const bool is_locked =
        write(fd, owner.data(), owner.size()) == static_cast<ssize_t>(owner.size());
    close(fd);
    if (!is_locked) return tl::unexpected(errno_error(lock));
    auto updated = update_locked();
    if (unlink(lock.c_str()) != 0 && updated) return tl::unexpected(errno_error(lock));
    return updated;
  }

  base::Result<void> update_locked() {
    const std::string& key = keys_[drawn_.below(keys_.size())];
    nlohmann::json& entry = index_[key];
    entry["displayName"] = fmt::format("Project, renamed {}", ++changes_);
    entry["updatedAt"] = entry["updatedAt"].get<std::int64_t>() + 1;
    if (auto ok = replace_file(folder_, kEntryFile, index_.dump()); !ok) return ok;
    const std::string line = nlohmann::json({{"type", "session_update"},
                                             {"key", key},
                                             {"displayName", entry["displayName"]},
                                             {"updatedAt", entry["updatedAt"]}})
                                 .dump() +
                             "\n";
    if (write(lines_, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
        fdatasync(lines_) == 0) {
      return {};
    }
    return tl::unexpected(errno_error(folder_));
  }

  const std::string folder_;
  nlohmann::json index_;
  std::vector<std::string> keys_;
  int lines_ = -1;
  base::SeededRandom drawn_{1};
  std::int64_t changes_ = 0;  // so far
};

}  // namespace

std::string entry_text(std::size_t number) {
  return entry_of(number).dump();
}

base::Result<std::unique_ptr<EmbeddedLoad>> open_entry_files(const std::string& folder,
                                                             std::size_t conversations) {
  auto files = std::make_unique<EntryFiles>(folder, conversations);
  if (auto ok = files->open_files(); !ok) return tl::unexpected(ok.error());
  return files;
}

}  // namespace benchmarks
