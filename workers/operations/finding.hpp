// Finds sessions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workers/operations/caller.hpp"
#include "workers/protocol/queries.hpp"

namespace workers {

// Returns the session that a caller means by `reference`: an id, alias, name or the beginning of
// one. "@self" is the session that the caller belongs to, and "@parent" its parent.
Task<Outcome<ShowAnswer>> find_named_session(const Caller& caller, const std::string& reference,
                                             bool with_texts = false);

// Likewise; if no session is called that, a conversation's key means its last session.
Task<Outcome<ShowAnswer>> find_session(const Caller& caller, const std::string& reference,
                                       bool with_texts = false);

// Returns the session that the caller belongs to, of whichever agent; none: it belongs to none, or
// to one of another log.
Task<Outcome<std::optional<ShowAnswer>>> own_session(const Caller& caller);

// Returns the first 4 KiB of the session's first prompt; empty: they are erased or archived, or the
// session is not there any more.
Task<Outcome<std::string>> first_prompt(const Caller& caller, const std::string& agent,
                                        base::SessionId session);

// A session as lists show it.
struct ListedSession {
  projections::SessionRow row;
  std::string prompt;  // the first one, or its beginning; empty: erased
};

struct SessionPage {
  std::vector<ListedSession> sessions;
  base::Time as_of;  // wall time
  bool has_more = false;
  base::Position before;  // of the next page
  std::int64_t total = 0;
};
// Returns a page of sessions with their prompts.
Task<Outcome<SessionPage>> list_page(const Caller& caller, QueryBody query);

// Returns the live sessions of an agent; empty: of all.
Task<Outcome<std::vector<projections::SessionRow>>> list_live(const Caller& caller,
                                                              const std::string& agent);

// Returns the sessions of an agent that need a person, all of them on one page; empty: of all.
Task<Outcome<AttentionAnswer>> list_needing(const Caller& caller, const std::string& agent);

}  // namespace workers
