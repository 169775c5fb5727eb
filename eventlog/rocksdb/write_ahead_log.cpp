// Parses the file format of RocksDB's write-ahead log, which its public headers do not offer.
#include "eventlog/rocksdb/write_ahead_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "eventlog/base/list_files.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {
namespace {

using base::Bytes;
using base::ByteView;

// A record is cut into fragments, none of which spans two blocks. The rest of a block that has no
// room for a header is padding. Numbers are little-endian:
//   fragment = checksum:u32 size:u16 type:u8 payload:bytes[size]
constexpr std::size_t kBlockBytes = 32 << 10;
constexpr std::size_t kFragmentHeaderBytes = 7;
enum class Fragment : unsigned char { none = 0, whole = 1, first = 2, middle = 3, last = 4 };

std::uint32_t little_endian(ByteView bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
    table[i] = crc;
  }
  return table;
}

// CRC-32C, rotated and shifted as RocksDB stores it.
std::uint32_t checksum_of(ByteView bytes) {
  static constexpr auto kTable = make_crc_table();
  std::uint32_t crc = ~0U;
  for (char c : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xA282EAD8U;
}

base::Result<Bytes> read_whole(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return tl::unexpected(errno_error("cannot read the write-ahead log", path));
  Bytes bytes;
  std::array<char, kBlockBytes> part;
  ssize_t count = 0;
  do {
    count = ::read(fd, part.data(), part.size());
    if (count > 0) bytes.append(part.data(), static_cast<std::size_t>(count));
  } while (count > 0 || (count < 0 && errno == EINTR));
  const base::Error error = errno_error("cannot read the write-ahead log", path);
  ::close(fd);
  if (count < 0) return tl::unexpected(error);
  return bytes;
}

// One fragment of the log, or the bytes that stand in the place of one.
struct Piece {
  Fragment type = Fragment::none;
  ByteView payload;  // if it is no fragment: the rest of the block
  bool is_whole = false;
};

// Takes the next piece off the front of a block's rest.
Piece take_piece(ByteView& block) {
  const std::size_t size = little_endian(block.substr(4, 2));
  const auto type = static_cast<Fragment>(block[6]);
  Piece piece;
  if (type < Fragment::whole || type > Fragment::last ||
      size > block.size() - kFragmentHeaderBytes) {
    piece.payload = block;
    block = {};
    return piece;
  }
  piece.type = type;
  piece.payload = block.substr(kFragmentHeaderBytes, size);
  piece.is_whole = checksum_of(block.substr(6, 1 + size)) == little_endian(block.substr(0, 4));
  block.remove_prefix(kFragmentHeaderBytes + size);
  return piece;
}

// Calls `use` for each piece in order, until it returns false.
template <class Use>
void for_each_piece(ByteView log, Use&& use) {
  while (!log.empty()) {
    ByteView block = log.substr(0, kBlockBytes);
    log.remove_prefix(block.size());
    while (block.size() >= kFragmentHeaderBytes) {
      if (!use(take_piece(block))) return;
    }
    const bool is_end = log.empty() && block.find_first_not_of('\0') != ByteView::npos;
    if (is_end && !use(Piece{Fragment::none, block, false})) return;
  }
}

bool begins_record(const Piece& piece) {
  return piece.type == Fragment::whole || piece.type == Fragment::first;
}

bool ends_record(const Piece& piece) {
  return piece.type == Fragment::whole || piece.type == Fragment::last;
}

std::vector<Bytes> records_of(ByteView log, bool with_damaged) {
  std::vector<Bytes> records;
  Bytes record;
  bool is_inside = false;
  for_each_piece(log, [&](const Piece& piece) {
    const bool is_fragment = piece.type != Fragment::none;
    if (begins_record(piece)) record.clear();
    is_inside =
        is_fragment && (piece.is_whole || with_damaged) && (is_inside || begins_record(piece));
    if (is_inside) record.append(piece.payload);
    if (is_inside && ends_record(piece)) {
      records.push_back(std::move(record));
      record = {};
      is_inside = false;
    }
    return true;
  });
  return records;
}

}  // namespace

bool is_torn(ByteView log) {
  bool is_inside = false;  // inside a record: its last fragment has not been read yet
  bool is_wrong = false;
  for_each_piece(log, [&](const Piece& piece) {
    is_wrong = !piece.is_whole || is_inside == begins_record(piece);
    is_inside = !ends_record(piece);
    return !is_wrong;
  });
  return is_wrong || is_inside;
}

std::vector<Bytes> whole_records(ByteView log) {
  return records_of(log, false);
}

std::vector<Bytes> all_records(ByteView log) {
  return records_of(log, true);
}

Bytes salvaged_payload(ByteView log) {
  Bytes payload;
  for_each_piece(log, [&](const Piece& piece) {
    payload.append(piece.payload);
    return true;
  });
  return payload;
}

base::Result<bool> has_torn_write_ahead_log(const std::string& folder) {
  const auto entries = base::list_files(folder);
  if (!entries) return tl::unexpected(entries.error());
  std::uint64_t newest = 0;
  std::string path;
  for (const base::ListedFile& entry : *entries) {
    if (entry.extension() != ".log") continue;
    const auto number = std::strtoull(entry.stem().c_str(), nullptr, 10);
    if (number < newest) continue;
    newest = number;
    path = entry.path;
  }
  if (path.empty()) return false;
  const auto bytes = read_whole(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return is_torn(*bytes);
}

}  // namespace eventlog
