// The rules of the server, and those of a command line that are only tried.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "eventlog/domain/rules/rules.hpp"
#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/connection/connection.hpp"
#include "workers/protocol/rules.hpp"

namespace steno {

// The aliases of sessions that have rules of their own.
using RuleSessions = std::map<base::SessionId, std::string>;

struct KnownRules {
  RuleSessions sessions;
  domain::RulesState state;      // those that are tried have the numbers behind the stored ones
  std::int64_t last_stored = 0;  // number of the last stored one; 0: there is none

  // False for one that is only tried, and for 0, which is none.
  bool is_stored(std::int64_t rule) const { return rule > 0 && rule <= last_stored; }
  // Returns "deny Bash(git push *) (rule 2, all agents)". The rule must be one of these.
  std::string text_of(std::int64_t rule) const;
};

Outcome<workers::RulesAnswer> ask_rules(Connection& connection);
// Asks for the stored rules and adds those that the arguments give. A pattern that is not valid is
// a Failure.
Outcome<KnownRules> known_rules(Connection& connection, const RuleArguments& arguments);

// Asks for the aliases of the sessions that these rules are for.
RuleSessions sessions_of(Connection& connection, const std::vector<domain::Rule>& rules);
// Returns whom the rule is for: "all agents", "agent main", "session 4fzk2q9x". A session that
// cannot be asked for is named by its id.
std::string scope_text(const domain::Rule& rule, const RuleSessions& sessions);

}  // namespace steno
