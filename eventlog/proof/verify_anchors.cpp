// An anchor before the log's base is accepted on its signature alone, since its block was archived.
// One at the base must equal the base's own checkpoint.
#include "eventlog/proof/verify_anchors.hpp"

#include "eventlog/proof/verify_events.hpp"

namespace eventlog {
namespace {

bool is_end_of_block(BlockStore& store, const Checkpoint& at) {
  const auto blocks = store.read(at.position, 1, false);
  if (!blocks || blocks->empty()) return false;
  const auto block = parse_block(blocks->front().facts);
  return block && block->header.last() == at.position && block->header.log == at.log &&
         block->header.epoch == at.epoch && block->hash() == at.hash;
}

}  // namespace

void AnchorVerifier::take(const domain::RecordedEvent& event, BlockStore& store,
                          Findings& findings) {
  const auto* made = event.event.as<domain::AnchorMade>();
  if (made == nullptr) return;
  const Position position = event.envelope.position;
  const auto anchor = open_anchor(*made);
  if (!anchor) {
    findings.add(position, anchor.error().text);
    return;
  }
  const std::string signer = base::fingerprint(made->key);
  if (!keys_.empty() && !keys_.contains(signer)) {
    findings.add(position, "the anchor is signed by key " + signer + ", which is not trusted",
                 base::ErrorCode::wrong_log);
    return;
  }
  const Checkpoint& at = anchor->at;
  const bool is_held = at.position < begin_.position ||
                       (at.position == begin_.position && at == begin_) ||
                       (at.position < position && is_end_of_block(store, at));
  if (!is_held) {
    findings.add(position, "the log holds no such block as the anchor names at position " +
                               std::to_string(at.position.value));
    return;
  }
  ++findings.report.anchors[signer];
  findings.report.anchored = at.position;
}

void AnchorVerifier::finish(Findings& findings) const {
  if (keys_.empty() || !findings.report.anchors.empty()) return;
  std::string all;
  for (const std::string& key : keys_) all += (all.empty() ? "" : " or ") + key;
  findings.add(findings.report.last,
               "no anchor of key " + all +
                   " is on the record: the log was shortened to before the "
                   "first one, or is another one",
               base::ErrorCode::wrong_log);
}

}  // namespace eventlog
