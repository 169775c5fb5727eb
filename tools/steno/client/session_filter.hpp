// Which sessions a list shows, and in which order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "projections/views/session_list.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/text/failure.hpp"
#include "workers/protocol/queries.hpp"

namespace steno {

// The words for states, and for orders, as "starting, running, …".
std::string status_words();
std::string sort_words();

class SessionFilter {
 public:
  // A word or a time that means nothing is a Failure with kExitUsage, which names those that do.
  static Outcome<SessionFilter> of(const ListArguments& arguments, base::Time now);

  // The server leaves out what this does not ask for.
  const workers::QueryBody& query() const { return query_; }
  // True if the server's rows must be looked at, too.
  bool leaves_out() const { return !tests_.empty(); }
  bool matches(const projections::SessionRow& row) const;
  bool sorts() const { return static_cast<bool>(order_); }
  // The first one in the order comes first; equal ones stay as they were.
  void sort(std::vector<projections::SessionRow>& rows) const;

 private:
  workers::QueryBody query_;
  std::vector<std::function<bool(const projections::SessionRow&)>> tests_;  // all must hold
  // Empty: as the server has them.
  std::function<bool(const projections::SessionRow&, const projections::SessionRow&)> order_;
};

}  // namespace steno
