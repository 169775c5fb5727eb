// The events of a real-sized session of one agent, in the order in which a server and its worker
// would append them. It is opened, has twelve turns of nine tool calls each, and is closed: 367
// events.
#pragma once

#include <string>

#include "eventlog/base/random.hpp"
#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/session/events.hpp"

namespace benchmarks {

// The median prompt of real sessions has 98 characters.
constexpr std::size_t kPromptBytes = 98;
// Size of other contents, unless a row varies them.
constexpr std::size_t kUsualContentBytes = 101;
// Sessions alive at once while a log is made.
constexpr std::size_t kSessionsAlive = 100;

struct SessionIdentity {
  base::SessionId id;
  std::string agent = "main";
  std::string name = "fix-login";
  std::string alias = "k3m9x0ab";

  static SessionIdentity any(base::Time now, base::Random& random) {
    SessionIdentity identity;
    identity.id = base::SessionId::make(now, random);
    return identity;
  }
};

domain::SessionOpened opened_event(const SessionIdentity& identity);

// True if events of that kind have content in a real log.
bool has_content(const domain::Event& event);

class SessionHistory {
 public:
  // `random` must outlive it.
  SessionHistory(SessionIdentity identity, base::Random& random);

  const SessionIdentity& identity() const { return identity_; }
  const std::string& stream() const { return name_; }
  base::StreamVersion version() const { return version_; }  // of the last event made
  bool has_ended() const { return has_ended_; }

  domain::Event next(base::Time now);

 private:
  static constexpr int kOpening = 4;
  static constexpr base::FencingToken kToken{1};

  domain::Event make(base::Time now);
  domain::Event opening(int step, base::Time now);
  domain::Event in_turn(int step, base::Time now);
  domain::Event finish();

  base::Random* random_;
  SessionIdentity identity_;
  std::string name_;
  base::WorkerId worker_;
  base::StreamVersion version_;
  base::TurnId turn_;
  std::string call_;
  std::int64_t blocks_ = 0;
  int turns_ = 0;
  int step_ = 0;
  bool has_ended_ = false;
};

}  // namespace benchmarks
