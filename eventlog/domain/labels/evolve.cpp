// Folds the facts of an agent's labels.
#include "eventlog/domain/fold.hpp"
#include "eventlog/domain/labels/state.hpp"

namespace domain {
namespace {

bool apply(LabelsState& s, const LabelTaken& e) {
  return s.holders.emplace(e.label, e.conversation).second;
}

bool apply(LabelsState& s, const LabelFreed& e) {
  return s.holders.erase(e.label) == 1;
}

}  // namespace

void evolve(LabelsState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<LabelsEvents>(state, envelope, event,
                             [&](const auto& fact) { return apply(state, fact); });
}

}  // namespace domain
