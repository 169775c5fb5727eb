// An erasure names events before itself, and is completed once.
#include "eventlog/domain/content.hpp"

#include <algorithm>

namespace domain {

bool fold_content(ContentState& s, const Envelope& envelope, const ContentErased& e) {
  if (!is_proper(e.events) || e.events.back().last >= envelope.version) return false;
  s.erased = united(s.erased, e.events);
  s.erasure = envelope.version;
  return true;
}

bool fold_content(ContentState& s, const Envelope&, const ContentErasureCompleted& e) {
  if (e.through > s.erasure || e.through <= s.erasure_completed) return false;
  s.erasure_completed = e.through;
  return true;
}

void note_content(ContentState& s, const Envelope& envelope) {
  if (envelope.content) s.last_content = std::max(s.last_content, envelope.version);
}

}  // namespace domain
