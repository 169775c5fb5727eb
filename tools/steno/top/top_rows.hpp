// The sessions that `top` shows, as rows of words in their order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "projections/views/session_list.hpp"
#include "tools/steno/top/screen.hpp"
#include "workers/protocol/queries.hpp"

namespace steno {

// The request that a session has waited for longest.
struct KnownAsk {
  std::int64_t ask = 0;
  std::string line;  // "Bash — make test"
};

// The end of what an agent has said or done.
struct KnownLine {
  base::Position at;  // of the session's last event
  std::string text;
};

// The server's answers.
struct TopFacts {
  std::string agent;                              // whose rows do not name it; empty: all rows
  base::Position position;                        // that the answers were made at; 0: never asked
  std::vector<projections::SessionRow> sessions;  // that live or need a person, each once
  std::map<base::SessionId, KnownAsk> asks;
  std::map<base::SessionId, KnownLine> lines;
  std::string cost_today;  // "$0.0123"; empty: nothing has cost anything today
};

enum class TopGroup { needs, works, waits };

struct TopRow {
  base::SessionId session;
  TopGroup group = TopGroup::works;
  bool is_live = true;
  bool has_asks = false;
  std::string alias;
  std::string name;
  std::string age;      // needs: since it needs a person; works: since it was opened; waits: since
                        // it waits
  std::string silence;  // since its last event; empty: it does not work
  std::string cost;
  std::string text;  // what it needs; what its agent does; what it waits for
  Style style = Style::plain;
};

// Returns the rows in which `filter` is found; empty: all. Those that need a person come first, of
// these the ones that ask, and the one that has waited longest. `now` is wall time.
std::vector<TopRow> top_rows(const TopFacts& facts, const std::string& filter, base::Time now);

struct TopTotals {
  std::size_t needing = 0;
  std::size_t working = 0;
  std::size_t waiting = 0;
  std::size_t live = 0;
};
TopTotals top_totals(const TopFacts& facts);

// Returns the request of the session that people have not answered yet and that is open for
// longest; null: there is none.
const domain::OpenAsk* first_ask(const projections::SessionRow& row);

// Returns the last line of these items as people read them; empty: they have none.
std::string last_line(const std::vector<workers::OutputItem>& items);

}  // namespace steno
