// Follows a log block by block and checks what holds of every log. Positions and versions are
// dense, the chain is whole, log time never falls, and no stream is inconsistent. Tokens only grow,
// reports come in sequence under the lease of their token, and no command is decided twice.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "eventlog/domain/aggregates.hpp"
#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/store/block_store.hpp"

namespace simulation {

// The events of one command, which are adjacent.
struct CommandGroup {
  base::Position first;
  base::Position last;
  std::string stream;                 // of its first event
  base::StreamVersion first_version;  // of that event
  domain::ActorKind actor_kind = domain::ActorKind::client;
};

class LogObserver {
 public:
  // Reads everything that the store holds beyond position(). Returns a sentence about the first
  // thing that is wrong, or an empty text. After a sentence the observer must not be used any more.
  std::string follow(eventlog::BlockStore& store);

  base::Position position() const { return position_; }
  const std::map<std::string, domain::StreamState>& states() const { return states_; }
  // Returns null if that stream has no events.
  const domain::SessionState* session(const std::string& stream) const;
  base::StreamVersion version(const std::string& stream) const;
  // By command id, including those of workers' reports and of the server.
  const std::map<base::CommandId, CommandGroup>& commands() const { return commands_; }
  // The number of events of each type.
  const std::map<std::string, std::int64_t>& types() const { return types_; }
  // True if TurnStarted of that turn under that token is on the record.
  bool has_started(base::TurnId turn, base::FencingToken token) const {
    return started_.contains({turn, token});
  }
  // All events so far, with their content.
  const std::vector<domain::RecordedEvent>& events() const { return events_; }
  // Checks that the streams agree: an admitted session lives or is unsettled, and names belong to
  // live sessions. Holds between two blocks.
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
