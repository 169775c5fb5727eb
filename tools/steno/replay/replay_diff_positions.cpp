// Folds the log twice and compares the sessions' states as JSON, field by field.
#include <fmt/format.h>

#include "tools/steno/replay/replay_diff.hpp"
#include "tools/steno/replay/replay_fold.hpp"
#include "tools/steno/replay/replay_report.hpp"
#include "tools/steno/replay/replay_session_json.hpp"

namespace steno {
namespace {

using base::Result;
using Json = nlohmann::ordered_json;

Result<Fold> fold_to(const eventlog::UnprovedLog& log, const std::string& at,
                     const ReplayArguments& arguments) {
  const auto end = parse_fold_end(at);
  if (!end) return tl::unexpected(end.error());
  ProgressLine progress(arguments.err, "diff");
  return fold_log(log, *end, progress);
}

// Returns the fields that differ, each with both values; null if the session was not opened before.
Json changes(const Json& before, const Json& after) {
  Json all = Json::object();
  for (const auto& [name, value] : after.items()) {
    const Json old = before.is_null() ? Json() : before.at(name);
    if (old != value) all[name] = {{"from", old}, {"to", value}};
  }
  return all;
}

Json compare(const Fold& from, const FoldedSessions& chosen) {
  Json sessions = Json::array();
  for (const FoldedSession* after : chosen) {
    const auto before = std::find_if(
        from.sessions.begin(), from.sessions.end(),
        [&](const auto& one) { return one.second.state.session == after->state.session; });
    const bool is_new = before == from.sessions.end();
    Json changed = changes(is_new ? Json() : json_of(before->second), json_of(*after));
    if (changed.empty()) continue;
    sessions.push_back({{"session", after->state.session.text()},
                        {"agent", after->state.agent},
                        {"name", domain::label(after->state)},
                        {"new", is_new},
                        {"changes", std::move(changed)}});
  }
  return sessions;
}

void print_text(std::FILE* out, const Fold& from, const Fold& to, const Json& sessions) {
  const auto text = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  fmt::print(out, "position {} to {}, {} sessions changed\n", from.position.value,
             to.position.value, sessions.size());
  for (const Json& one : sessions) {
    fmt::print(out, "\nsession {} {} {}{}\n", one["session"].get<std::string>(),
               one["agent"].get<std::string>(), text(one["name"]), one["new"] ? " (new)" : "");
    for (const auto& [name, change] : one["changes"].items()) {
      if (one["new"]) {
        fmt::print(out, "  {:<22}{}\n", name, text(change["to"]));
      } else {
        fmt::print(out, "  {:<22}{} -> {}\n", name, text(change["from"]), text(change["to"]));
      }
    }
  }
}

}  // namespace

int diff_positions(const ReplayArguments& arguments) {
  const auto log = eventlog::open_unproved_log(arguments.folder, arguments.archives);
  if (!log) return fail(arguments.err, log.error());
  const auto from = fold_to(*log, arguments.from, arguments);
  if (!from) return fail(arguments.err, from.error());
  const auto to = fold_to(*log, arguments.at, arguments);
  if (!to) return fail(arguments.err, to.error());
  if (to->position < from->position) {
    return fail(arguments.err,
                {base::ErrorCode::invalid, "--to is before --from; exchange them", {}});
  }
  tell_archived(arguments.err, log->base);
  const auto chosen = choose_sessions(*to, arguments.agent, arguments.session);
  if (!chosen) return fail(arguments.err, chosen.error());
  const Json sessions = compare(*from, *chosen);
  if (arguments.is_json) {
    print_json_text(
        arguments.out,
        Json({{"from", from->position.value}, {"to", to->position.value}, {"sessions", sessions}}));
  } else {
    print_text(arguments.out, *from, *to, sessions);
  }
  return sessions.empty() ? kExitOk : kExitFailed;
}

}  // namespace steno
