// Projection: what is needed to go on with a session, long after it ended, by whatever the user
// calls it. One record a session (R051); its id, alias, name and agent session id all lead to it
// (R052).
#pragma once

#include "projections/fold/projection.hpp"
#include "projections/views/session_names.hpp"

namespace projections {

using base::NanoUsd;
using base::Position;
using base::Time;

class ResumeIndex final : public Projection {
 public:
  static constexpr std::string_view kName = "resume_index";

  std::string_view name() const override { return kName; }
  std::int64_t schema() const override { return 2; }
  void apply(const domain::RecordedEvent& event, const std::optional<domain::StreamRef>& stream,
             Rows& rows) const override;
};

// s/<agent>/<id>
struct ResumeRecord {
  SessionId session;
  std::string agent;
  std::string name;  // as it was given; empty: made from the prompt
  std::string alias;
  std::string agent_session;  // empty: its agent never began, there is nothing to go on with
  std::string engine;
  std::string workdir;
  std::string model;  // as it was asked for; empty: the agent's default
  SessionId lineage;
  domain::SessionStatus status = domain::SessionStatus::none;
  NanoUsd cost;
  Time completed_at;  // 0: live
  Position prompt;    // of its first TurnQueued, whose content is the first prompt
  std::int64_t prompt_bytes = 0;

  bool operator==(const ResumeRecord&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &ResumeRecord::session);
    visit("agent", &ResumeRecord::agent);
    visit("name", &ResumeRecord::name);
    visit("alias", &ResumeRecord::alias);
    visit("agent_session", &ResumeRecord::agent_session);
    visit("engine", &ResumeRecord::engine);
    visit("workdir", &ResumeRecord::workdir);
    visit("model", &ResumeRecord::model);
    visit("lineage", &ResumeRecord::lineage);
    visit("status", &ResumeRecord::status);
    visit("cost", &ResumeRecord::cost);
    visit("completed_at", &ResumeRecord::completed_at);
    visit("prompt", &ResumeRecord::prompt);
    visit("prompt_bytes", &ResumeRecord::prompt_bytes);
  }
};

// The record that `reference` means: id, alias, name (the live session's, else the newest one's),
// the agent's own session id, in this order. Error: not_found.
Result<ResumeRecord> find_resumable(eventlog::KeyValueStore& store, std::string_view agent,
                                    std::string_view reference);

// The agent's own session id that `reference` means (R036–R038): that of the session found as
// above; else `reference` itself if it has the form of a UUID, for a session that the agent knows
// and Steno does not. Error: not_found.
Result<std::string> resolve_agent_session(eventlog::KeyValueStore& store, std::string_view agent,
                                          std::string_view reference);

}  // namespace projections
