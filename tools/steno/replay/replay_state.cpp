// `steno replay state`: prints folded sessions as text or JSON, the same bytes for the same log.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "eventlog/base/time_text.hpp"
#include "tools/steno/replay/replay.hpp"
#include "tools/steno/replay/replay_fold.hpp"
#include "tools/steno/replay/replay_report.hpp"
#include "tools/steno/replay/replay_session_json.hpp"

namespace steno {
namespace {

using domain::SessionState;
using Json = nlohmann::ordered_json;

void print_sessions_as_json(std::FILE* out, const Fold& fold, const FoldedSessions& sessions) {
  Json json;
  json["log"] = fold.log.is_set() ? Json(fold.log.text()) : Json();
  json["position"] = fold.position.value;
  json["log_time"] = fold.log_time.us > 0 ? Json(time_text(fold.log_time)) : Json();
  json["sessions"] = Json::array();
  for (const FoldedSession* one : sessions) json["sessions"].push_back(json_of(*one));
  print_json_text(out, json);
}

// Quotes text that people chose, since it can hold control characters.
std::string quoted(const std::string& word) {
  return Json(word).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string money(base::NanoUsd amount) {
  return fmt::format("{}{}.{:09} USD", amount.value < 0 ? "-" : "",
                     std::abs(amount.value) / 1'000'000'000,
                     std::abs(amount.value) % 1'000'000'000);
}

std::string status_text(const SessionState& s) {
  std::string text(base::enum_name(s.status));
  if (s.end_reason != domain::EndReason::none) {
    text.append(" (").append(base::enum_name(s.end_reason)).append(")");
  }
  return s.is_close_requested && is_live(s.status) ? text + ", to be closed" : text;
}

void print_session(std::FILE* out, const FoldedSession& folded) {
  const SessionState& s = folded.state;
  const auto row = [&](std::string_view name, const std::string& value) {
    fmt::print(out, "  {:<12}{}\n", name, value);
  };
  fmt::print(out, "\nsession {} {} {} {}\n", s.session.text(), s.agent, quoted(domain::label(s)),
             s.alias);
  row("status", status_text(s));
  row("engine", fmt::format("{} in {}{}", s.spec.engine, quoted(s.spec.workdir),
                            s.spec.is_multi_turn ? ", multi-turn" : ""));
  row("opened", fmt::format("{} at position {}", time_text(folded.opened_at), s.opened.value));
  row("updated", fmt::format("{} at position {}, version {}", time_text(folded.updated_at),
                             folded.last.value, folded.version.value));
  row("turns", fmt::format("{} queued, {} finished, {} failed, {} interrupted", folded.turns_queued,
                           folded.turns_finished, folded.turns_failed, folded.turns_interrupted));
  if (s.turn) {
    row("turn",
        fmt::format("{}, prompt at position {}{}", s.turn->turn.text(), s.turn->prompt.value,
                    s.turn->is_interrupt_requested ? ", to be interrupted" : ""));
  }
  if (s.own_turn.is_set()) {
    row("own turn",
        fmt::format("{}{}", s.own_turn.text(), s.is_own_turn_to_end ? ", to be interrupted" : ""));
  }
  for (const domain::QueuedTurn& queued : s.queue) {
    row("queue", fmt::format("{}, prompt at position {}", queued.turn.text(), queued.prompt.value));
  }
  if (s.lease) {
    row("lease", fmt::format("worker {}, token {}, {} reports, pid {}", s.lease->worker.text(),
                             s.lease->token.value, s.lease->report_sequence, s.lease->pid));
  }
  if (!s.agent_session.empty()) row("agent's id", quoted(s.agent_session));
  row("output", fmt::format("{} blocks", s.blocks));
  row("tokens",
      fmt::format("{} in, {} out, {} cache read, {} cache created", s.usage.input_tokens,
                  s.usage.output_tokens, s.usage.cache_read_tokens, s.usage.cache_creation_tokens));
  row("cost", money(s.cost));
  if (s.inconsistent.value > 0) {
    row("INCONSISTENT", fmt::format(" from position {} on", s.inconsistent.value));
  }
}

void print_sessions_as_text(std::FILE* out, const Fold& fold, const FoldedSessions& sessions) {
  fmt::print(out, "position {}", fold.position.value);
  if (fold.log_time.us > 0) fmt::print(out, ", {}", time_text(fold.log_time));
  fmt::print(out, ", {} sessions\n", sessions.size());
  for (const FoldedSession* one : sessions) print_session(out, *one);
}

}  // namespace

int replay_state(const ReplayArguments& arguments) {
  const auto end = parse_fold_end(arguments.at);
  if (!end) return fail(arguments.err, end.error());
  const auto log = eventlog::open_unproved_log(arguments.folder, arguments.archives);
  if (!log) return fail(arguments.err, log.error());
  ProgressLine progress(arguments.err, "replay");
  const auto fold = fold_log(*log, *end, progress);
  progress.clear();
  if (!fold) return fail(arguments.err, fold.error());
  tell_archived(arguments.err, log->base);
  const auto sessions = choose_sessions(*fold, arguments.agent, arguments.session);
  if (!sessions) return fail(arguments.err, sessions.error());
  (arguments.is_json ? print_sessions_as_json : print_sessions_as_text)(arguments.out, *fold,
                                                                        *sessions);
  return kExitOk;
}

}  // namespace steno
