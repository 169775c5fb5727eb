// Signing covers a fixed purpose text and the anchor's bytes as they are on the record. Fields of a
// later release therefore stay under the signature.
#include "eventlog/proof/anchor.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace eventlog {
namespace {

using base::ErrorCode;

// Keeps a signature of something else from passing as one of an anchor.
constexpr ByteView kPurpose = "steno anchor 1\n";

Bytes message_of(ByteView anchor) {
  return Bytes(kPurpose).append(anchor);
}

}  // namespace

SignedAnchor sign_anchor(const Anchor& anchor, const base::SigningKey& key) {
  SignedAnchor made;
  made.anchor.encoded = base::encode(anchor);
  made.key = key.public_key();
  made.signature = key.sign(message_of(made.anchor.encoded));
  return made;
}

Result<Anchor> open_anchor(const SignedAnchor& anchor) {
  const Bytes message = message_of(anchor.anchor.encoded);
  if (!base::is_signed_by(anchor.key, message, anchor.signature)) {
    return base::failure(ErrorCode::damaged, "the anchor's signature is not that of key " +
                                                 base::fingerprint(anchor.key) +
                                                 ": it was changed after it was made");
  }
  auto opened = base::decode<Anchor>(anchor.anchor.encoded);
  if (opened) return opened;
  return base::failure(ErrorCode::damaged,
                       "the anchor cannot be read: " + base::describe(opened.error()));
}

Result<SignedAnchor> read_anchor_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return base::failure(ErrorCode::not_found, "there is no such anchor", path);
  const Bytes bytes(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return base::failure(ErrorCode::io, "the anchor cannot be read", path);
  auto anchor = base::decode<SignedAnchor>(bytes);
  if (!anchor) return base::failure(ErrorCode::damaged, "the file is not an anchor", path);
  if (auto opened = open_anchor(*anchor); !opened) {
    return base::failure(opened.error().code, opened.error().text, path);
  }
  return anchor;
}

Result<void> write_anchor_file(const std::string& path, const SignedAnchor& anchor, Disk& disk) {
  if (auto ok = write_whole(disk, path, base::encode(anchor)); !ok) return ok;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return disk.sync_folder(folder.empty() ? "." : folder);
}

}  // namespace eventlog
