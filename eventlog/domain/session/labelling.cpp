// Decides about a session's labels. They are those of conversations: the same words can be used.
#include <algorithm>

#include "eventlog/domain/conversation/entry_fields.hpp"
#include "eventlog/domain/session/deciding.hpp"

namespace domain {
namespace {

constexpr std::string_view kLabels = "labels";

bool contains(const std::vector<std::string>& labels, const std::string& label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

}  // namespace

std::optional<Rejection> check_labels(const std::vector<std::string>& has,
                                      const std::vector<std::string>& added) {
  const auto invalid = [](std::string text) {
    return Rejection{RejectionCode::invalid, std::move(text)};
  };
  std::string joined;
  for (const std::string& label : added) {
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
