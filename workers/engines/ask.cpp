// Both parts are JSON already.
#include "workers/engines/ask.hpp"

namespace engines {

base::Bytes ask_text(const Ask& ask) {
  base::Bytes text = "{\"input\":";
  text += ask.details.empty() ? base::Bytes("{}") : ask.details;
  if (!ask.context.empty()) text.append(",\"context\":").append(ask.context);
  return text += '}';
}

}  // namespace engines
