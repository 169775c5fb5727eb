// An anchor: a signed word of the server about the log up to a position, to be carried away. Who
// has one can tell a log that was edited or shortened since by somebody without the key.
// eventlog/README.md has the grammar of the bytes.
#pragma once

#include <string>
#include <vector>

#include "eventlog/base/signing.hpp"
#include "eventlog/domain/event.hpp"
#include "eventlog/store/block.hpp"
#include "eventlog/store/disk.hpp"

namespace eventlog {

// Of the rows that all events up to the anchor add up to.
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

// As it is on the record and in a file: the anchor's bytes, who signed them, and the signature.
using SignedAnchor = domain::AnchorMade;

SignedAnchor sign_anchor(const Anchor& anchor, const base::SigningKey& key);

// What the key that it names has signed; whether that key is to be believed is for the caller to
// say. Error damaged: the signature is not that key's, or it is of something else.
Result<Anchor> open_anchor(const SignedAnchor& anchor);

// A file of one anchor. Errors: not_found; damaged, naming the file; io.
Result<SignedAnchor> read_anchor_file(const std::string& path);
// Durable when it returns.
Result<bool> write_anchor_file(const std::string& path, const SignedAnchor& anchor,
                               Disk& disk = system_disk());

}  // namespace eventlog
