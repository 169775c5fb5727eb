// Reads each file once and searches it for the magic of a block. Contents and chunks are looked up
// in the tables and in the records of write-ahead logs, whatever the manifest says.
#include "eventlog/salvage/block_scan.hpp"

#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/write_batch.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <unordered_set>

#include "eventlog/base/list_files.hpp"
#include "eventlog/rocksdb/write_ahead_log.hpp"

namespace eventlog {
namespace {

// In the order in which rocksdb_store.cpp makes the column families.
enum class Family : std::uint32_t { facts = 0, content = 1, chunks = 2 };

Result<Bytes> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad() || !in.is_open()) {
    return base::failure(base::ErrorCode::io, "the file cannot be read", path);
  }
  return bytes;
}

// True if the checksum holds of a block that cannot be parsed otherwise.
bool is_sealed(ByteView block) {
  const std::size_t checked = block.size() - sizeof(std::uint64_t);
  return base::read_u64(block.substr(checked)) == base::xxh3(block.substr(0, checked));
}

struct File {
  std::string path;
  std::size_t folder = 0;
  std::uint64_t number = 0;  // RocksDB's file number; grows with time
  std::size_t size = 0;
  bool is_table = false;
  Bytes payload;  // of a write-ahead log
};

// A readable table that holds contents or chunks.
struct Table {
  std::uint64_t number = 0;
  Family family = Family::content;
  std::unique_ptr<rocksdb::SstFileReader> reader;
  std::unique_ptr<rocksdb::Iterator> at;
};

// The contents and chunks in write-ahead logs.
class Puts final : public rocksdb::WriteBatch::Handler {
 public:
  using Values = std::map<Bytes, std::vector<Bytes>>;  // the newest last
  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    if (family == static_cast<std::uint32_t>(Family::content)) add(contents, key, value);
    if (family == static_cast<std::uint32_t>(Family::chunks)) add(chunks, key, value);
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(std::uint32_t, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteRangeCF(std::uint32_t, const rocksdb::Slice&,
                                const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  void LogData(const rocksdb::Slice&) override {}

  Values contents;
  Values chunks;

 private:
  static void add(Values& values, const rocksdb::Slice& key, const rocksdb::Slice& value) {
    values[key.ToString()].push_back(value.ToString());
  }
};

class FilesOfLog final : public LogFiles {
 public:
  Result<void> read(const std::vector<LogFolder>& folders, const Progress& progress);

  const std::vector<FoundBlock>& blocks() const override { return blocks_; }
  bool has_newer_format() const override { return has_newer_format_; }
  Result<Bytes> facts(const FoundBlock& block) override;
  std::vector<Bytes> contents(Position first) override {
    Bytes key;
    base::append_u64(key, static_cast<std::uint64_t>(first.value));
    return values(Family::content, puts_.contents, key);
  }
  std::vector<Bytes> chunks(ByteView key) override {
    return values(Family::chunks, puts_.chunks, Bytes(key));
  }

 private:
  Result<void> list(const std::string& part, std::size_t folder);
  void find_blocks(ByteView bytes, std::size_t file);
  void take_records(ByteView bytes);
  void open_table(const File& file);
  std::vector<Bytes> values(Family family, const Puts::Values& put, const Bytes& key);

  std::vector<File> files_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> inodes_;  // a link is the same file
  std::vector<FoundBlock> blocks_;
  std::unordered_set<std::string> hashes_;
  bool has_newer_format_ = false;
  std::vector<Table> tables_;
  Puts puts_;
};

Result<void> FilesOfLog::list(const std::string& part, std::size_t folder) {
  const auto entries = base::list_files(part);
  // A missing folder holds no files, nor does a file in its place.
  if (!entries && (entries.error().code == base::ErrorCode::not_found ||
                   entries.error().code == base::ErrorCode::invalid)) {
    return {};
  }
  if (!entries) return tl::unexpected(entries.error());
  for (const base::ListedFile& entry : *entries) {
    const bool is_table = entry.extension() == ".sst";
    if (!is_table && entry.extension() != ".log") continue;
    struct stat status {};
    if (::stat(entry.path.c_str(), &status) != 0) {
      return tl::unexpected(errno_error("cannot look at a file", entry.path));
    }
    // Each file is read once, however many names it has.
    if (!inodes_.insert({status.st_dev, status.st_ino}).second) continue;
    const std::uint64_t number = std::strtoull(entry.stem().c_str(), nullptr, 10);
    const auto size = static_cast<std::size_t>(status.st_size);
    files_.push_back({entry.path, folder, number, size, is_table, {}});
  }
  return {};
}

Result<void> FilesOfLog::read(const std::vector<LogFolder>& folders, const Progress& progress) {
  for (std::size_t i = 0; i < folders.size(); ++i) {
    for (const std::string& part : {folders[i].log(), folders[i].evidence()}) {
      if (auto ok = list(part, i); !ok) return ok;
    }
  }
  std::sort(files_.begin(), files_.end(),
            [](const File& a, const File& b) { return a.number < b.number; });
  std::size_t all = 0;
  std::size_t done = 0;
  for (const File& file : files_) all += file.size;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    File& file = files_[i];
    auto bytes = read_file(file.path);
    if (!bytes) return tl::unexpected(bytes.error());
    if (file.is_table) {
      find_blocks(*bytes, i);
      open_table(file);
    } else {
      take_records(*bytes);
      file.payload = salvaged_payload(*bytes);
      find_blocks(file.payload, i);
    }
    done += file.size;
    if (progress) progress(done, all);
  }
  std::stable_sort(blocks_.begin(), blocks_.end(), [](const FoundBlock& a, const FoundBlock& b) {
    return a.header.first < b.header.first;
  });
  return {};
}

// The value of a table's entry, like the payload of a log's record, is one uncompressed piece.
void FilesOfLog::find_blocks(ByteView bytes, std::size_t file) {
  for (std::size_t at = bytes.find(kBlockMagic); at != ByteView::npos;) {
    const ByteView rest = bytes.substr(at);
    const std::size_t size = claimed_bytes(rest);
    std::size_t step = 1;
    if (size > 0 && size <= rest.size()) {
      if (const auto block = parse_block(rest.substr(0, size))) {
        step = size;
        const base::Hash hash = block->hash();
        if (hashes_.insert(Bytes(base::view(hash))).second) {
          blocks_.push_back({block->header, hash, files_[file].folder, file, at, size});
        }
      } else if (block.error().code == base::ErrorCode::wrong_log) {
        has_newer_format_ |= is_sealed(rest.substr(0, size));
      }
    }
    at = bytes.find(kBlockMagic, at + step);
  }
}

void FilesOfLog::take_records(ByteView bytes) {
  // Contents have their own proof, even in a record that is damaged elsewhere.
  for (Bytes& record : all_records(bytes)) {
    rocksdb::WriteBatch batch(std::move(record));
    static_cast<void>(batch.Iterate(&puts_));  // unreadable parts are passed over
  }
}

// A table that cannot be opened is passed over: its contents are lost.
void FilesOfLog::open_table(const File& file) {
  Table table;
  table.number = file.number;
  table.reader = std::make_unique<rocksdb::SstFileReader>(rocksdb::Options());
  if (!table.reader->Open(file.path).ok()) return;
  const auto properties = table.reader->GetTableProperties();
  if (!properties) return;
  if (properties->column_family_name != "content" && properties->column_family_name != "chunks") {
    return;
  }
  table.family = properties->column_family_name == "content" ? Family::content : Family::chunks;
  rocksdb::ReadOptions options;
  options.verify_checksums = false;  // contents have their own proof
  table.at.reset(table.reader->NewIterator(options));
  tables_.push_back(std::move(table));
}

Result<Bytes> FilesOfLog::facts(const FoundBlock& block) {
  const File& file = files_[block.file];
  if (!file.is_table) return file.payload.substr(block.offset, block.bytes);
  std::ifstream in(file.path, std::ios::binary);
  Bytes bytes(block.bytes, '\0');
  in.seekg(static_cast<std::streamoff>(block.offset));
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    return base::failure(base::ErrorCode::io, "the file cannot be read", file.path);
  }
  return bytes;
}

std::vector<Bytes> FilesOfLog::values(Family family, const Puts::Values& put, const Bytes& key) {
  std::vector<Bytes> found;
  if (const auto values = put.find(key); values != put.end()) {
    found.assign(values->second.rbegin(), values->second.rend());
  }
  for (auto table = tables_.rbegin(); table != tables_.rend(); ++table) {
    if (table->family != family) continue;
    table->at->Seek(key);
    if (table->at->Valid() && table->at->key() == key)
      found.push_back(table->at->value().ToString());
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<LogFiles>> read_log_files(const std::vector<LogFolder>& folders,
                                                 const LogFiles::Progress& progress) {
  auto files = std::make_unique<FilesOfLog>();
  if (auto ok = files->read(folders, progress); !ok) return tl::unexpected(ok.error());
  return files;
}

}  // namespace eventlog
