// Every event of a session is a sign of it, partial output once a second included.
#include "tools/steno/connection/silence.hpp"

#include "tools/steno/text/units.hpp"

namespace steno {

bool is_at_work(const projections::SessionRow& row) {
  return row.turn.is_set() || row.own_turn.is_set();
}

std::string hook_wait_text(const projections::SessionRow& row, base::Time now) {
  for (const domain::OpenAsk& ask : row.asks) {  // the oldest first
    const bool is_waiting =
        ask.kind == domain::AskKind::step && ask.verdict == domain::AskVerdict::none;
    if (!is_waiting || now - ask.since < kHookWait) continue;
    return "waits " + duration_text(now - ask.since) + " for hooks at " +
           std::string(base::enum_name(ask.point));
  }
  return {};
}

std::string silence_text(const projections::SessionRow& row, base::Time now) {
  std::string trouble = row.trouble.empty() ? "" : "retrying (" + row.trouble + ")";
  if (!is_at_work(row) || now - row.updated_at < kSilence) return trouble;
  return "silent " + duration_text(now - row.updated_at) + (trouble.empty() ? "" : ", " + trouble);
}

}  // namespace steno
