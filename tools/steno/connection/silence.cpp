// Every event of a session is a sign of it, partial output once a second included.
#include "tools/steno/connection/silence.hpp"

#include "tools/steno/text/units.hpp"

namespace steno {

bool is_at_work(const projections::SessionRow& row) {
  return row.turn.is_set() || row.own_turn.is_set();
}

std::string silence_text(const projections::SessionRow& row, base::Time now) {
  std::string trouble = row.trouble.empty() ? "" : "retrying (" + row.trouble + ")";
  if (!is_at_work(row) || now - row.updated_at < kSilence) return trouble;
  return "silent " + duration_text(now - row.updated_at) + (trouble.empty() ? "" : ", " + trouble);
}

}  // namespace steno
