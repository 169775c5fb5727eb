// A record is found by trying id, alias, name and agent session id in turn.
#include "projections/views/resume_index.hpp"

#include "eventlog/domain/all_events.hpp"
#include "eventlog/domain/spending.hpp"

namespace projections {
namespace {

using base::ErrorCode;
using domain::SessionStatus;

// One event that is being folded. Each overload returns whether the record has changed.
struct Indexing {
  const domain::Envelope& envelope;
  const domain::StreamRef& ref;
  Rows& rows;
  ResumeRecord& record;

  bool apply(const domain::SessionOpened& e) {
    if (record.status != SessionStatus::none) return false;
    record.session = ref.id;
    record.agent = ref.agent;
    record.name = e.name;
    record.alias = e.alias;
    record.engine = e.spec->engine;
    record.workdir = e.spec->workdir;
    record.model = e.spec->model;
    record.lineage = e.lineage;
    record.status = SessionStatus::starting;
    refer_opened(rows, e, ref.agent, ref.id);
    return true;
  }

  bool apply(const domain::TurnQueued&) {
    if (record.prompt.value != 0) return false;
    record.prompt = envelope.position;
    record.prompt_bytes = envelope.content ? envelope.content->bytes : 0;
    return true;
  }

  bool apply(const domain::MessageImported& e) {
    return e.kind == domain::ImportedKind::prompt && apply(domain::TurnQueued{});
  }

  bool apply(const domain::AgentInitialized& e) {
    if (record.status == SessionStatus::starting) record.status = SessionStatus::running;
    record.agent_session = e.agent_session;
    refer_agent_session(rows, ref.agent, e.agent_session, ref.id);
    return true;
  }

  bool apply(const domain::SessionRenamed& e) {
    refer_renamed(rows, ref.agent, ref.id, domain::is_live(record.status), record.name, e.name);
    record.name = e.name;
    return true;
  }

  bool apply(const domain::SpendingRecorded& e) { return add_cost(domain::cost_of(e.spent)); }
  bool apply(const domain::TurnFinished& e) { return add_cost(domain::unbooked(e.cost).cost); }
  bool apply(const domain::TurnFailed& e) { return add_cost(domain::unbooked(e.cost).cost); }
  bool apply(const domain::TurnInterrupted& e) { return add_cost(domain::unbooked(e.cost).cost); }

  bool apply(const domain::SessionClosed& e) {
    if (!domain::is_live(record.status) || !domain::is_terminal(e.status)) return false;
    record.status = e.status;
    record.completed_at = envelope.log_time;
    release_name(rows, ref.agent, record.name, ref.id);
    return true;
  }

 private:
  bool add_cost(NanoUsd cost) {
    domain::add_bounded(record.cost.value, cost.value);
    return cost.value != 0;
  }
};

template <class Event>
concept Indexed = requires(Indexing& indexing, const Event& e) {
  indexing.apply(e);
};

Result<std::optional<ResumeRecord>> find(eventlog::KeyValueStore& store, std::string_view agent,
                                         std::string_view reference) {
  const RowReader rows(store, ResumeIndex::kName);
  std::optional<SessionId> session = SessionId::parse(reference);
  if (session) {
    auto record = rows.get<ResumeRecord>(session_key(agent, *session));
    if (!record || *record) return record;
  }
  for (const auto find_by : {find_alias, find_name, find_agent_session}) {
    auto found = find_by(rows, agent, reference);
    if (!found) return tl::unexpected(found.error());
    if (*found) return rows.get<ResumeRecord>(session_key(agent, **found));
  }
  return std::nullopt;
}

// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text) {
  return text.size() == 36 && base::parse_id(text).has_value();
}

}  // namespace

void ResumeIndex::apply(const domain::RecordedEvent& event,
                        const std::optional<domain::StreamRef>& stream, Rows& rows) const {
  const auto* ref = session_of(stream);
  if (!ref) return;
  domain::visit(
      [&]<class Event>(const Event& e) {
        if constexpr (Indexed<Event>) {
          rows.edit<ResumeRecord>(session_key(ref->agent, ref->id), [&](ResumeRecord& record) {
            return Indexing{event.envelope, *ref, rows, record}.apply(e);
          });
        }
      },
      event.event);
}

Result<ResumeRecord> find_resumable(eventlog::KeyValueStore& store, std::string_view agent,
                                    std::string_view reference) {
  auto record = find(store, agent, reference);
  if (!record) return tl::unexpected(record.error());
  if (*record && (*record)->status != SessionStatus::none) return std::move(**record);
  return base::failure(ErrorCode::not_found,
                       "agent " + std::string(agent) + " has no session '" +
                           std::string(reference) +
                           "' to resume; name it by id, alias, name or the agent's session id");
}

Result<std::string> resolve_agent_session(eventlog::KeyValueStore& store, std::string_view agent,
                                          std::string_view reference) {
  auto record = find_resumable(store, agent, reference);
  if (!record) {
    const bool is_foreign = record.error().code == ErrorCode::not_found && is_uuid(reference);
    if (is_foreign) return std::string(reference);
    return tl::unexpected(record.error());
  }
  if (!record->agent_session.empty()) return std::move(record->agent_session);
  return base::failure(ErrorCode::not_found,
                       "session " + (record->name.empty() ? record->alias : record->name) +
                           " cannot be resumed: its agent never began; spawn a new session");
}

}  // namespace projections
