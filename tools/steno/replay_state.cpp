#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <variant>

#include "eventlog/log_folder.hpp"
#include "eventlog/log_reader.hpp"
#include "eventlog/session/evolve.hpp"
#include "eventlog/session/stream_name.hpp"
#include "tools/steno/replay.hpp"
#include "tools/steno/replay_report.hpp"
#include "tools/steno/time_text.hpp"

namespace steno {
namespace {

using base::ErrorCode;
using base::Position;
using base::Result;
using base::Time;
using session::RecordedEvent;
using session::SessionState;
using Json = nlohmann::ordered_json;

constexpr std::size_t kStepBytes = 4 << 20;  // of facts in one read
constexpr std::size_t kPrefixMin = 4;        // of an id or alias, as a reference
// Digits of a number that is a time and not a position: from 1973 on, and beyond any log's length.
constexpr std::size_t kTimeDigitsMin = 14;
constexpr std::size_t kNumberDigitsMax = 16;

// A session's state and what it does not keep by itself.
struct FoldedSession {
  SessionState state;
  base::StreamVersion version;
  Position last;
  Time opened_at;
  Time updated_at;
  std::int64_t turns_queued = 0;
  std::int64_t turns_finished = 0;
  std::int64_t turns_failed = 0;
  std::int64_t turns_interrupted = 0;
};

// Where the fold stopped, and what it gave.
struct Fold {
  base::LogId log;
  Position position;
  Time log_time;
  std::map<std::string, FoldedSession> sessions;  // by stream
};

struct End {
  Position position{std::numeric_limits<std::int64_t>::max()};
  Time time{std::numeric_limits<std::int64_t>::max()};
  bool is_position = false;
};

Result<End> parse_at(const std::string& at) {
  End end;
  if (at.empty()) return end;
  const bool is_number = at.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && at.size() <= kNumberDigitsMax) {
    const std::int64_t number = std::stoll(at);
    if (at.size() >= kTimeDigitsMin) {
      end.time = Time{number};
    } else {
      end.position = Position{number};
      end.is_position = true;
    }
    return end;
  }
  const auto time = parse_time_text(at);
  if (!time) {
    return base::failure(ErrorCode::invalid, "'" + at +
                                                 "' is neither a position nor a time such as "
                                                 "2026-11-20T12:00:00Z or microseconds since 1970");
  }
  end.time = *time;
  return end;
}

void apply(Fold& fold, const RecordedEvent& event) {
  const session::Envelope& envelope = event.envelope;
  fold.position = envelope.position;
  fold.log_time = envelope.log_time;
  const auto ref = session::parse_stream(envelope.stream);
  if (!ref || ref->kind != session::StreamKind::session) return;
  FoldedSession& folded = fold.sessions[envelope.stream];
  session::evolve(folded.state, envelope, event.event);
  folded.version = envelope.version;
  folded.last = envelope.position;
  folded.updated_at = envelope.log_time;
  if (std::holds_alternative<session::SessionOpened>(event.event)) {
    folded.opened_at = envelope.log_time;
  }
  folded.turns_queued += std::holds_alternative<session::TurnQueued>(event.event);
  folded.turns_finished += std::holds_alternative<session::TurnFinished>(event.event);
  folded.turns_failed += std::holds_alternative<session::TurnFailed>(event.event);
  folded.turns_interrupted += std::holds_alternative<session::TurnInterrupted>(event.event);
}

// A state at the log's end, or at a time, must not silently be that of a shorter log.
Result<bool> check_end(const eventlog::UnprovedLog& log, const End& end) {
  const Position tail = log.store->tail();
  if (end.is_position) {
    if (end.position <= tail) return true;
    const bool is_lost =
        log.store_error || log.head_error || (log.head && end.position <= log.head->position);
    return base::failure(is_lost ? ErrorCode::damaged : ErrorCode::not_found,
                         is_lost ? "the event is missing" : "there is no such event yet",
                         "position " + std::to_string(end.position.value) +
                             ", and the log ends at " + std::to_string(tail.value));
  }
  if (log.store_error) return tl::unexpected(*log.store_error);
  if (log.head_error) return tl::unexpected(*log.head_error);
  if (log.head && log.head->position > tail) {
    return base::failure(ErrorCode::damaged,
                         "events " + std::to_string(tail.value + 1) + " to " +
                             std::to_string(log.head->position.value) +
                             " are missing; name a position before them with --at");
  }
  return true;
}

Result<Fold> fold_log(const eventlog::UnprovedLog& log, const End& end, ProgressLine& progress) {
  if (auto ok = check_end(log, end); !ok) return tl::unexpected(ok.error());
  eventlog::BlockStore& store = *log.store;
  const Position through = std::min(end.position, store.tail());
  Fold fold;
  if (auto first = store.read(Position{1}, 1, false); first && !first->empty()) {
    if (auto block = eventlog::parse_block(first->front().facts)) fold.log = block->header.log;
  }
  while (fold.position < through) {
    const Position next = fold.position.next();
    const auto events = eventlog::read_events(store, next, through, {kStepBytes, false});
    if (!events) return tl::unexpected(events.error());
    for (const RecordedEvent& event : *events) {
      if (event.envelope.log_time > end.time) return fold;
      if (event.envelope.position != fold.position.next()) break;
      apply(fold, event);
    }
    if (fold.position < next) {
      return base::failure(ErrorCode::damaged, "the event is missing",
                           "position " + std::to_string(next.value));
    }
    progress.show(fold.position, through);
  }
  return fold;
}

// ---- which sessions ----

using Sessions = std::vector<const FoldedSession*>;

Result<Sessions> only_one(const Sessions& found, const std::string& reference) {
  if (found.size() == 1) return found;
  std::string names;
  for (const FoldedSession* one : found) {
    names += (names.empty() ? "" : ", ") + one->state.agent + " " + one->state.session.text();
  }
  return base::failure(ErrorCode::invalid, "'" + reference + "' fits several sessions: " + names);
}

// As everywhere: id; alias; name, of several sessions the live one, else the newest; a prefix of id
// or alias; the agent's own session id. `all` is in the order of opening.
Result<Sessions> resolve(const Sessions& all, const std::string& reference) {
  const auto matching = [&](auto&& is_meant) {
    Sessions found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const FoldedSession* one) { return is_meant(one->state); });
    return found;
  };
  const auto id = base::SessionId::parse(reference);
  Sessions found = matching([&](const SessionState& s) { return id && s.session == *id; });
  if (!found.empty()) return found;
  found = matching([&](const SessionState& s) { return s.alias == reference; });
  if (!found.empty()) return found;
  std::map<std::string, const FoldedSession*> by_agent;
  for (const FoldedSession* one : matching([&](const auto& s) { return s.name == reference; })) {
    const FoldedSession*& chosen = by_agent[one->state.agent];
    const bool is_kept = chosen != nullptr && is_live(chosen->state.status);
    if (!is_kept) chosen = one;
  }
  for (const auto& [agent, one] : by_agent) found.push_back(one);
  if (!found.empty()) return only_one(found, reference);
  if (reference.size() >= kPrefixMin) {
    found = matching([&](const SessionState& s) {
      return s.session.text().starts_with(reference) || s.alias.starts_with(reference);
    });
    if (!found.empty()) return only_one(found, reference);
  }
  found = matching([&](const SessionState& s) { return s.agent_session == reference; });
  if (!found.empty()) return Sessions{found.back()};
  return base::failure(ErrorCode::not_found,
                       "there is no session '" + reference + "' at that point");
}

Result<Sessions> choose(const Fold& fold, const ReplayArguments& arguments) {
  Sessions all;
  for (const auto& [stream, folded] : fold.sessions) {
    if (arguments.agent.empty() || folded.state.agent == arguments.agent) all.push_back(&folded);
  }
  std::sort(all.begin(), all.end(), [](const FoldedSession* a, const FoldedSession* b) {
    return a->state.opened < b->state.opened;
  });
  return arguments.session.empty() ? all : resolve(all, arguments.session);
}

// ---- printing ----

template <class Id>
Json id_or_null(const Id& id) {
  return id.is_set() ? Json(id.text()) : Json();
}

Json json_of(const FoldedSession& folded) {
  const SessionState& s = folded.state;
  Json json;
  json["session"] = s.session.text();
  json["agent"] = s.agent;
  json["name"] = s.name;
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
  for (const session::QueuedTurn& queued : s.queue) {
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

void print_json(std::FILE* out, const Fold& fold, const Sessions& sessions) {
  Json json;
  json["log"] = id_or_null(fold.log);
  json["position"] = fold.position.value;
  json["log_time"] = fold.position.value > 0 ? Json(time_text(fold.log_time)) : Json();
  json["sessions"] = Json::array();
  for (const FoldedSession* one : sessions) json["sessions"].push_back(json_of(*one));
  print_json_text(out, json);
}

// Words that people chose may hold anything, control characters too.
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
  if (s.end_reason != session::EndReason::none) {
    text.append(" (").append(base::enum_name(s.end_reason)).append(")");
  }
  return s.is_close_requested && is_live(s.status) ? text + ", to be closed" : text;
}

void print_session(std::FILE* out, const FoldedSession& folded) {
  const SessionState& s = folded.state;
  const auto row = [&](std::string_view name, const std::string& value) {
    fmt::print(out, "  {:<12}{}\n", name, value);
  };
  fmt::print(out, "\nsession {} {} {} {}\n", s.session.text(), s.agent, quoted(s.name), s.alias);
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
  for (const session::QueuedTurn& queued : s.queue) {
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

void print_text(std::FILE* out, const Fold& fold, const Sessions& sessions) {
  fmt::print(out, "position {}", fold.position.value);
  if (fold.position.value > 0) fmt::print(out, ", {}", time_text(fold.log_time));
  fmt::print(out, ", {} sessions\n", sessions.size());
  for (const FoldedSession* one : sessions) print_session(out, *one);
}

}  // namespace

int replay_state(const ReplayArguments& arguments) {
  const auto end = parse_at(arguments.at);
  if (!end) return fail(arguments.err, end.error());
  const auto log = eventlog::open_unproved_log(arguments.folder);
  if (!log) return fail(arguments.err, log.error());
  ProgressLine progress(arguments.err, "replay");
  const auto fold = fold_log(*log, *end, progress);
  progress.clear();
  if (!fold) return fail(arguments.err, fold.error());
  const auto sessions = choose(*fold, arguments);
  if (!sessions) return fail(arguments.err, sessions.error());
  (arguments.is_json ? print_json : print_text)(arguments.out, *fold, *sessions);
  return kExitOk;
}

}  // namespace steno
