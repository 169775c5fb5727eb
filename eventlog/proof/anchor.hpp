// An anchor is a signed statement about the log up to a position, for storage elsewhere. With it,
// anyone can detect later edits or truncation by someone without the key.
// eventlog/README.md has the grammar of the bytes.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/signing.hpp"
#include "eventlog/domain/server/events.hpp"
#include "eventlog/store/block.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

// The digest of the rows that all events up to the anchor add up to.
struct RowsDigest {
  std::string name;  // of a projection, or "streams": the states of all streams
  std::int64_t schema = 0;
  Hash digest{};

  bool operator==(const RowsDigest&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("name", &RowsDigest::name);
    visit("schema", &RowsDigest::schema);
    visit("digest", &RowsDigest::digest);
  }
};

struct Anchor {
  Checkpoint at;  // the end of a block, and its hash
  std::vector<RowsDigest> rows;
  Time made;  // wall time

  bool operator==(const Anchor&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("at", &Anchor::at);
    visit("rows", &Anchor::rows);
    visit("made", &Anchor::made);
  }
};

// An anchor on the record and in a file: its bytes, the key that signed them, and the signature.
using SignedAnchor = domain::AnchorMade;

SignedAnchor sign_anchor(const Anchor& anchor, const base::SigningKey& key);

// Returns the anchor, if it is signed by the key that it names. The caller must decide whether to
// trust that key. Error damaged: the signature is not that key's, or the signed bytes are no
// anchor.
Result<Anchor> open_anchor(const SignedAnchor& anchor);

// Reads a file that holds one anchor. Errors: not_found; damaged, naming the file; io.
Result<SignedAnchor> read_anchor_file(const std::string& path);
// The file is durable on return.
Result<void> write_anchor_file(const std::string& path, const SignedAnchor& anchor,
                               Disk& disk = system_disk());

}  // namespace eventlog
