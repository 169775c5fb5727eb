// Follows the log through the server, page by page, and checks each new event: positions are dense,
// each command is decided once, and no session is in an impossible state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/crash/load.hpp"

namespace crash {

using base::Position;

// The events of one command of a client.
struct CommandEvents {
  Position first;
  Position last;
  std::map<base::SessionId, Position> last_of;  // in each session's own stream
};

class LogWatch {
 public:
  // Reads on to the durable head. Error: the log cannot be read, or the first thing that is wrong.
  Result<void> catch_up(Load& load);

  Position position() const { return position_; }
  const std::map<base::SessionId, domain::SessionState>& sessions() const { return sessions_; }
  // Returns null if the log holds nothing of this command.
  const CommandEvents* find(base::CommandId command) const;
  std::int64_t count(const std::string& type) const;

 private:
  std::string take(const domain::RecordedEvent& event);

  Position position_;
  std::map<base::SessionId, domain::SessionState> sessions_;
  std::map<base::CommandId, CommandEvents> commands_;
  std::map<std::string, std::int64_t> counts_;  // number of events, by type
};

}  // namespace crash
