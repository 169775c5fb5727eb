// Decides about a session's labels. They are those of conversations: the same words can be used.
#include <algorithm>

#include "eventlog/domain/conversation/entry_fields.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

constexpr std::string_view kLabels = "labels";
constexpr std::size_t kChangesMax = 64;  // of one command; more than a session can have

bool contains(const std::vector<std::string>& labels, const std::string& label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

}  // namespace

std::optional<Rejection> check_labels(const std::vector<std::string>& has,
                                      const std::vector<std::string>& added) {
  const auto invalid = [](std::string text) {
    return Rejection{RejectionCode::invalid, std::move(text)};
  };
  if (added.size() > kChangesMax) {
    return invalid(std::to_string(added.size()) + " labels are given at once, and " +
                   std::to_string(kChangesMax) + " can be");
  }
  std::string joined;
  for (const std::string& label : added) {
    if (auto bad = check_length("a label", label.size(), kFactBytesMax)) return bad;
    const auto parts = labels_of(label);
    if (parts.size() != 1 || parts.front() != label) {
      return invalid("'" + cut_fact(label) +
                     "' is no label: one is a word or several, without a comma, such as nightly");
    }
    joined += label + ',';
  }
  for (const std::string& label : has) joined += label + ',';
  if (joined.empty()) return std::nullopt;
  const auto checked = field_text(*find_entry_field(kLabels), joined);
  return checked ? std::nullopt : std::optional(invalid(checked.error()));
}

Decided decide_one(Deciding d, const LabelSession& c) {
  const SessionState& s = d.session();
  if (auto bad = check_exists(s, d.context)) return tl::unexpected(*bad);
  if (auto bad = check_labels({}, c.add)) return tl::unexpected(*bad);
  if (c.remove.size() > kChangesMax) {
    return reject(RejectionCode::invalid, std::to_string(c.remove.size()) +
                                              " labels are taken at once, and " +
                                              std::to_string(kChangesMax) + " can be");
  }
  SessionLabelled changed;
  std::vector<std::string> kept = *s.labels;
  for (const std::string& label : c.remove) {
    if (contains(c.add, label)) {
      return reject(RejectionCode::invalid,
                    "'" + cut_fact(label) + "' cannot be both given and taken");
    }
    if (std::erase(kept, label) > 0) changed.removed.push_back(label);
  }
  for (const std::string& label : c.add) {
    const bool is_new = !contains(*s.labels, label) && !contains(changed.added, label);
    if (is_new) changed.added.push_back(label);
  }
  if (auto bad = check_labels(kept, changed.added)) return tl::unexpected(*bad);
  if (changed == SessionLabelled{}) return Decision{};
  d.emit(std::move(changed));
  return std::move(d.decision);
}

}  // namespace domain
