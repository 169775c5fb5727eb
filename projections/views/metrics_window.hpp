// The totals of a part of the log: what Metrics would count of its events, whatever was before.
#pragma once

#include <map>
#include <vector>

#include "eventlog/domain/recorded_event.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "projections/views/metrics.hpp"

namespace projections {

// A session that ended in the part and was opened before it. The part does not say when.
struct EarlierSession {
  std::string agent;
  SessionId session;
};

// Takes the events of one or several agents, each once, in their order.
class MetricsWindow {
 public:
  void add(const domain::RecordedEvent& event);

  // Returns the sessions that are not counted yet.
  std::vector<EarlierSession> earlier() const;
  // Counts the end of one of them, which was opened at that log time.
  void count_earlier(SessionId session, Time opened_at);

  // Its sessions are those of these events alone: `live` is 0. A session that was opened before has
  // no name.
  const MetricsReport& report() const { return report_; }

 private:
  struct Metering;
  struct Session {
    std::string agent;
    std::string name;
    Time opened_at;
    Position prompt;
    NanoUsd cost;
    domain::CostBasis basis = domain::CostBasis::totals;
    bool is_opened = false;  // by one of these events
    bool is_imported = false;
    bool is_closed = false;
    domain::SessionStatus status = domain::SessionStatus::none;  // with which it was closed
    Time closed_at;
  };

  std::map<SessionId, Session> sessions_;
  MetricsReport report_;
};

}  // namespace projections
