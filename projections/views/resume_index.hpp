// Projection: what is needed to resume a session, long after it ended, by any word that the user
// has for it. There is one record a session; its id, alias, name and agent session id all lead to
// it.
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
  std::string agent_session;  // empty: its agent never began, so it cannot be resumed
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

// Returns the record that `reference` names: by id, alias, name (the live session's, else the
// newest one's) or the agent's own session id, in this order. Error: not_found; the store's.
Result<ResumeRecord> find_resumable(eventlog::KeyValueStore& store, std::string_view agent,
                                    std::string_view reference);

// Returns the agent's own session id that `reference` means: that of the session found as above. If
// none is found and `reference` has the form of a UUID, returns it as it is, for a session that the
// agent knows and Steno does not. Error: not_found; the store's.
Result<std::string> resolve_agent_session(eventlog::KeyValueStore& store, std::string_view agent,
                                          std::string_view reference);

}  // namespace projections
