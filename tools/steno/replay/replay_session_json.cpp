// The fields stand in a fixed order, so that the same state gives the same bytes.
#include "tools/steno/replay/replay_session_json.hpp"

#include "eventlog/base/time_text.hpp"

namespace steno {
namespace {

using domain::SessionState;
using Json = nlohmann::ordered_json;

template <class Id>
Json id_or_null(const Id& id) {
  return id.is_set() ? Json(id.text()) : Json();
}

}  // namespace

Json json_of(const FoldedSession& folded) {
  const SessionState& s = folded.state;
  Json json;
  json["session"] = s.session.text();
  json["agent"] = s.agent;
  json["name"] = domain::label(s);
  json["alias"] = s.alias;
  json["status"] = base::enum_name(s.status);
  json["end_reason"] = base::enum_name(s.end_reason);
  json["engine"] = s.spec.engine;
  json["workdir"] = s.spec.workdir;
  json["model"] = s.spec.model;
  json["permission_mode"] = base::enum_name(s.spec.permission_mode);
  json["multi_turn"] = s.spec.is_multi_turn;
  json["budget_nano_usd"] = s.spec.budget.value;
  json["lineage"] = id_or_null(s.lineage);
  json["agent_session"] = s.agent_session;
  json["close_requested"] = s.is_close_requested;
  json["tasks"] = s.tasks;
  json["subagents"] = s.subagents;
  json["version"] = folded.version.value;
  json["opened"] = s.opened.value;
  json["last"] = folded.last.value;
  json["opened_at"] = time_text(folded.opened_at);
  json["updated_at"] = time_text(folded.updated_at);
  json["turns"] = {{"queued", folded.turns_queued},
                   {"finished", folded.turns_finished},
                   {"failed", folded.turns_failed},
                   {"interrupted", folded.turns_interrupted}};
  json["turn"] = nullptr;
  if (s.turn) {
    json["turn"] = {{"turn", s.turn->turn.text()},
                    {"prompt", s.turn->prompt.value},
                    {"interrupt_requested", s.turn->is_interrupt_requested}};
  }
  json["queue"] = Json::array();
  for (const domain::QueuedTurn& queued : s.queue) {
    json["queue"].push_back({{"turn", queued.turn.text()}, {"prompt", queued.prompt.value}});
  }
  json["lease"] = nullptr;
  if (s.lease) {
    json["lease"] = {{"worker", s.lease->worker.text()},
                     {"token", s.lease->token.value},
                     {"report_sequence", s.lease->report_sequence},
                     {"pid", s.lease->pid},
                     {"start_ticks", s.lease->start_ticks}};
  }
  json["last_token"] = s.last_token.value;
  json["output_blocks"] = s.blocks;
  json["usage"] = {{"input", s.usage.input_tokens},
                   {"output", s.usage.output_tokens},
                   {"cache_read", s.usage.cache_read_tokens},
                   {"cache_creation", s.usage.cache_creation_tokens}};
  json["cost_nano_usd"] = s.cost.value;
  json["agent_total_nano_usd"] = s.agent_total.value;
  json["commands"] = s.commands.size();
  json["inconsistent"] = s.inconsistent.value;
  return json;
}

}  // namespace steno
