// Whoever asks for an operation: for whom, from where, over which server, and with which settings
// for what it leaves unsaid.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "eventlog/domain/conversation/routing.hpp"
#include "eventlog/domain/decision.hpp"
#include "workers/client/async_client.hpp"
#include "workers/operations/grant.hpp"

namespace workers {

// The reader of an answer. Each has the JSON; some have a text, too.
enum class Reader {
  program,  // reads the JSON alone
  person,   // in a chat: the text must fit one message
  model,    // the text is a part of its context
};

// The settings of sessions, as far as nobody says them.
struct SpecDefaults {
  domain::SessionSpec spec;        // of a new session
  bool is_fallback_named = false;  // the fallback model was named for what this caller opens
  base::Duration start_within{0};  // a prompt that starts later is too late; 0: never
  std::string channel;             // where notifications go; empty: as the rules say
  domain::ChannelRules channel_rules{};
  bool names_channel = true;  // to a new session; false: the server finds its channel
};

// One request of a caller who said how it is known when it comes again.
struct RequestIdentity {
  base::CommandId id;          // of its commands
  domain::BodyDigest asked{};  // of what was said
};

// Used on the thread of its server's loop.
struct Caller {
  AsyncClient& server;    // outlives the caller
  std::string actor;      // for the record
  std::string agent;      // whose sessions it means
  std::string self{};     // the session whose agent it belongs to; empty: it belongs to none
  std::string channel{};  // where it reads, such as "telegram|1234"; empty: not known
  Reader reader = Reader::program;
  bool is_program = false;  // what it launches is held to a Grant
  SpecDefaults defaults{};
  GrantSettings grant{};              // the most that settings let it give
  domain::RoutingSettings routing{};  // whose conversation a message from a place is for
  // Returns the same by settings that no session can have said. It is asked for at each launch of a
  // caller that belongs to a session.
  std::function<Outcome<GrantSettings>()> grant_in_session{};
  std::optional<RequestIdentity> identity{};  // none: each time it is another request
};

// Returns the session that the caller belongs to; unset: to none.
base::SessionId session_of(const Caller& caller);

// Returns the id of the request's command: that of its identity, or a fresh one.
base::CommandId command_id(const Caller& caller);

// Sends a command to a session of an agent, under that id.
Task<Outcome<CommandReplyBody>> send_command(const Caller& caller, base::CommandId id,
                                             base::SessionId session, const std::string& agent,
                                             const domain::Command& command);

// Returns when it is too late to start a prompt that is sent now; 0: never.
base::Time start_before(const Caller& caller);

}  // namespace workers
