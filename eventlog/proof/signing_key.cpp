// The key file holds the seed and the public key, so that a damaged seed is noticed.
#include "eventlog/proof/signing_key.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "eventlog/base/fields.hpp"

namespace eventlog {
namespace {

using base::ErrorCode;

struct KeyFile {
  base::SigningKey::Seed seed{};
  base::PublicKey key{};  // derived from the seed

  bool operator==(const KeyFile&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("seed", &KeyFile::seed);
    visit("key", &KeyFile::key);
  }
};

Result<base::SigningKey> make_key(const std::string& path, base::Random& random, Disk& disk) {
  const auto seed = base::SigningKey::make_seed(random);
  const base::SigningKey key(seed);
  const base::Bytes bytes = base::encode(KeyFile{seed, key.public_key()});
  if (auto ok = write_whole(disk, path, bytes); !ok) return tl::unexpected(ok.error());
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (auto ok = disk.sync_folder(folder); !ok) return tl::unexpected(ok.error());
  return key;
}

}  // namespace

Result<base::SigningKey> open_signing_key(const std::string& path, base::Random& random,
                                          Disk& disk) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return make_key(path, random, disk);
    return tl::unexpected(errno_error("cannot look at the signing key", path));
  }
  if ((status.st_mode & 077) != 0) {
    return base::failure(ErrorCode::refused,
                         "the signing key is open to other users: it may be known to them; close "
                         "it (chmod 600), or remove it to have a new one made",
                         path);
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return tl::unexpected(errno_error("cannot read the signing key", path));
  const base::Bytes bytes(std::istreambuf_iterator<char>(in), {});
  const auto file = base::decode<KeyFile>(bytes);
  if (file) {
    base::SigningKey key(file->seed);
    if (key.public_key() == file->key) return key;
  }
  return base::failure(ErrorCode::damaged,
                       "the signing key cannot be read; restore the file, or remove it to have a "
                       "new one made",
                       path);
}

}  // namespace eventlog
