// Follows a log block by block and checks what must hold of every log, whatever happened: positions
// and versions dense, the chain whole, log time never falling, no stream inconsistent, tokens only
// growing, reports only under the lease of their token and in sequence, no command decided twice.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/store/block_store.hpp"

namespace simulation {

// A command's events, which lie together.
struct CommandGroup {
  base::Position first;
  base::Position last;
  std::string stream;                 // of its first event
  base::StreamVersion first_version;  // of that event
  domain::ActorKind actor_kind = domain::ActorKind::client;
};

class LogObserver {
 public:
  // Takes what the store holds beyond position(). A sentence about the first thing that is wrong,
  // or nothing; after a sentence the observer is of no further use.
  std::string follow(eventlog::BlockStore& store);

  base::Position position() const { return position_; }
  const std::map<std::string, domain::StreamState>& states() const { return states_; }
  // None: that stream has no events.
  const domain::SessionState* session(const std::string& stream) const;
  base::StreamVersion version(const std::string& stream) const;
  // By command id; also those of workers' reports and of the server.
  const std::map<base::CommandId, CommandGroup>& commands() const { return commands_; }
  // How many events of each type there are.
  const std::map<std::string, std::int64_t>& types() const { return types_; }
  // TurnStarted of that turn under that token is on the record.
  bool has_started(base::TurnId turn, base::FencingToken token) const {
    return started_.contains({turn, token});
  }
  // All events so far, with their content.
  const std::vector<domain::RecordedEvent>& events() const { return events_; }
  // What the streams say of each other: who is admitted lives or is unsettled, and names belong to
  // sessions that live. Holds between two blocks.
  std::string check_streams_agree() const;

 private:
  std::string take_block(eventlog::BlockStore& store, const eventlog::StoredBlock& stored);
  std::string take(const domain::RecordedEvent& event);
  std::string check_token(const domain::RecordedEvent& event);

  base::Position position_;
  base::Hash hash_{};
  base::Time time_;
  std::map<std::string, domain::StreamState> states_;
  std::map<std::string, base::StreamVersion> versions_;
  std::map<std::string, base::FencingToken> tokens_;
  std::map<std::pair<std::string, base::FencingToken>, std::int64_t> sequences_;
  std::map<base::CommandId, CommandGroup> commands_;
  std::set<std::pair<base::TurnId, base::FencingToken>> started_;
  std::map<std::string, std::int64_t> types_;
  std::vector<domain::RecordedEvent> events_;
};

}  // namespace simulation
