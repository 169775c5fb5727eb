// `steno hooks`: lists the server's hooks, shows what came of asking them, and tries one without
// effect.
#include <map>
#include <nlohmann/json.hpp>

#include "tools/steno/client/client_commands.hpp"
#include "tools/steno/connection/connection.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "tools/steno/text/units.hpp"
#include "workers/hooks/hook_step.hpp"
#include "workers/json/event_json.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/protocol/hooks.hpp"
#include "workers/text/terminal_text.hpp"

namespace steno {
namespace {

using domain::HookPoint;
using Json = nlohmann::ordered_json;

std::string took_text(base::Duration took) {
  const std::int64_t ms = took.count() / 1000;
  return ms < 10'000 ? std::to_string(ms) + "ms" : duration_text(took);
}

std::string points_of(const std::vector<HookPoint>& points) {
  std::string text;
  for (const HookPoint point : points) {
    text += (text.empty() ? "" : " ") + std::string(base::enum_name(point));
  }
  return text;
}

std::string what_of(const workers::HookShown& hook) {
  std::string text = hook.tool;
  if (!hook.input.empty()) text += (text.empty() ? "" : " ") + ("/" + hook.input + "/");
  if (!hook.agent.empty()) text += (text.empty() ? "" : " ") + ("agent " + hook.agent);
  if (!hook.engine.empty()) text += (text.empty() ? "" : " ") + ("engine " + hook.engine);
  return text.empty() ? "all" : text;
}

std::string average(const workers::HookShown& hook) {
  return hook.runs == 0 ? "-" : took_text(hook.took / hook.runs);
}

std::string table_text(const std::vector<workers::HookShown>& hooks) {
  Table table({{"HOOK"},
               {"ON"},
               {"ABOUT", Align::left, 40},
               {"HOW"},
               {"TIMEOUT", Align::right},
               {"FAILURE"},
               {"RUNS", Align::right},
               {"CHANGED", Align::right},
               {"BLOCKED", Align::right},
               {"FAILED", Align::right},
               {"AVERAGE", Align::right}});
  for (const workers::HookShown& hook : hooks) {
    table.add({hook.name, points_of(hook.points), what_of(hook), hook.how,
               exact_duration_text(hook.timeout), hook.blocks_on_failure ? "block" : "allow",
               std::to_string(hook.runs), std::to_string(hook.changed),
               std::to_string(hook.blocked), std::to_string(hook.failed), average(hook)});
  }
  return table.text(stdout_columns());
}

// Calls `use` with each event of the session, the oldest first.
template <class Use>
Outcome<bool> read_events(Connection& connection, const projections::SessionRow& row,
                          const Use& use) {
  bus::ReadRequest request;
  request.level = workers::session_level(row.agent, row.session);
  request.after = row.opened.plus(-1);
  for (;;) {
    const auto page = connection.ask<bus::LogPage>(bus::kReadVerb, request);
    if (!page) return tl::unexpected(page.error());
    for (const bus::FeedEvent& event : page->events) {
      const auto seen = workers::see(event);
      if (!seen) return fail(seen.error());
      use(seen->recorded);
    }
    if (page->complete_through == page->head || page->complete_through == request.after) {
      return true;
    }
    request.after = page->complete_through;
    request.digest = page->digest;
  }
}

struct Ran {
  base::Position position;  // of the step
  domain::HookRan ran;
  domain::AskRaised about;
  std::string said;  // if it failed
};

Json ran_json(const Ran& one) {
  return {{"position", one.position.value},
          {"step", one.ran.ask},
          {"point", one.about.kind == domain::AskKind::step
                        ? base::enum_name(one.about.point)
                        : base::enum_name(HookPoint::permission_request)},
          {"tool", one.about.tool},
          {"hook", one.ran.hook},
          {"outcome", base::enum_name(one.ran.outcome)},
          {"took_us", one.ran.took.count()},
          {"note", one.ran.note},
          {"said", one.said}};
}

std::string log_text(const std::vector<Ran>& all) {
  Table table({{"POSITION", Align::right},
               {"STEP", Align::right},
               {"POINT"},
               {"TOOL"},
               {"HOOK"},
               {"OUTCOME"},
               {"TOOK", Align::right},
               {"NOTE", Align::left, 80}});
  for (const Ran& one : all) {
    const Json json = ran_json(one);
    table.add({std::to_string(one.position.value), std::to_string(one.ran.ask),
               json["point"].get<std::string>(), one.about.tool, one.ran.hook,
               std::string(base::enum_name(one.ran.outcome)), took_text(one.ran.took),
               one.ran.note + (one.said.empty() ? "" : ": " + one.said)});
  }
  return table.text(stdout_columns());
}

// Returns the step that stands at that position of the session.
Outcome<workers::HookStep> recorded_step(Connection& connection, const std::string& reference,
                                         std::int64_t at) {
  const auto shown = connection.find(reference);
  if (!shown) return tl::unexpected(shown.error());
  const projections::SessionRow& row = shown->session;
  bus::ReadRequest request;
  request.level = workers::session_level(row.agent, row.session);
  request.after = base::Position{at - 1};
  request.events_max = 1;
  const auto page = connection.ask<bus::LogPage>(bus::kReadVerb, request);
  if (!page) return tl::unexpected(page.error());
  const bool is_there = !page->events.empty() && page->events.front().position.value == at;
  const auto seen =
      is_there
          ? workers::see(page->events.front())
          : base::Result<workers::SeenEvent>(base::failure(base::ErrorCode::not_found, "no event"));
  const auto* raised = seen ? seen->recorded.event.as<domain::AskRaised>() : nullptr;
  if (raised == nullptr) {
    return fail(kExitNotFound, "position " + std::to_string(at) + " is no request of session " +
                                   row.alias + "; steno hooks log " + row.alias +
                                   " lists steps, and steno watch --from start " + row.alias +
                                   " all events");
  }
  if (!seen->recorded.content) {
    return fail(kExitFailed, "the text of that request was erased, or is too large to be tried");
  }
  workers::HookStep step;
  step.session = row.session;
  step.agent = row.agent;
  step.alias = row.alias;
  step.engine = row.engine;
  step.workdir = row.workdir;
  step.ask = raised->ask;
  step.position = base::Position{at};
  step.turn = raised->turn;
  step.point =
      raised->kind == domain::AskKind::step ? raised->point : HookPoint::permission_request;
  step.tool = raised->tool;
  step.text = seen->recorded.content->text;
  step.wall = seen->recorded.envelope.wall_time;
  return step;
}

Outcome<workers::HookStep> made_step(const Config& config, const HookArguments& arguments,
                                     const workers::Hook& hook) {
  workers::HookStep step;
  step.agent = config.agent;
  step.alias = "try";
  step.engine = config.session.engine;
  step.workdir = config.session.workdir;
  step.wall = step.ended = base::SystemClock().wall();
  step.point = hook.points.front();
  if (!arguments.point.empty()) {
    const auto point = base::parse_enum<HookPoint>(arguments.point);
    if (!point || !hook.has(*point)) {
      return fail(kExitUsage, "the hook " + hook.name + " is asked on " + points_of(hook.points));
    }
    step.point = *point;
  }
  step.tool = arguments.prompt.empty() ? arguments.tool : std::string();
  Json text = {{"input", Json::object()}, {"context", Json::object()}};
  Json& context = text["context"];
  if (!arguments.prompt.empty()) context["prompt"] = arguments.prompt;
  if (step.point == HookPoint::notification) {
    context["notification"] = {{"title", "A try"}, {"body", "A try"}, {"priority", "active"}};
  }
  if (step.point == HookPoint::session_end) {
    context["reason"] = "none";
    context["last_assistant_message"] = "A try";
  }
  if (!arguments.input.empty()) {
    text["input"] = Json::parse(arguments.input, nullptr, false);
    if (!text["input"].is_object()) return fail(kExitUsage, "--input is no JSON object");
  }
  if (!arguments.result.empty()) {
    text["context"]["tool_response"] = Json::parse(arguments.result, nullptr, false);
    if (text["context"]["tool_response"].is_discarded()) {
      text["context"]["tool_response"] = {{"stdout", arguments.result}, {"stderr", ""}};
    }
  }
  step.text = text.dump(-1, ' ', false, Json::error_handler_t::replace);
  return step;
}

}  // namespace

Outcome<int> hooks_list(const Config& config, const HookArguments&) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto answer =
      (*connection)->ask<workers::HooksAnswer>(workers::kVerbHooks, workers::QueryBody{});
  if (!answer) return tl::unexpected(answer.error());
  if (config.output != OutputFormat::table) {
    print(workers::to_json(*answer) + "\n");
    return kExitOk;
  }
  if (answer->hooks.empty()) {
    remark("there are no hooks; tables [[hooks]] in " + config.config_file +
           " make some, and steno restart takes them up");
    return kExitOk;
  }
  print(table_text(answer->hooks));
  for (const workers::HookShown& hook : answer->hooks) {
    if (hook.last_failure.empty()) continue;
    remark(workers::safe_line(hook.name) + ": " + workers::safe_line(hook.last_failure));
  }
  return kExitOk;
}

Outcome<int> hooks_log(const Config& config, const HookArguments& arguments) {
  auto connection = Connection::open(config);
  if (!connection) return tl::unexpected(connection.error());
  const auto shown = (*connection)->find(arguments.reference);
  if (!shown) return tl::unexpected(shown.error());
  std::map<std::int64_t, std::pair<base::Position, domain::AskRaised>> asks;
  std::vector<Ran> all;
  const auto read =
      read_events(**connection, shown->session, [&](const domain::RecordedEvent& event) {
        const base::Position position = event.envelope.position;
        const auto* raised = event.event.as<domain::AskRaised>();
        if (raised != nullptr) asks[raised->ask] = {position, *raised};
        const auto* ran = event.event.as<domain::HookRan>();
        if (ran == nullptr) return;
        const std::string said = event.content ? event.content->text : std::string();
        all.push_back({asks[ran->ask].first, *ran, asks[ran->ask].second, said});
      });
  if (!read) return tl::unexpected(read.error());
  if (config.output != OutputFormat::table) {
    Json lines = Json::array();
    for (const Ran& one : all) lines.push_back(ran_json(one));
    print(lines.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  } else if (all.empty()) {
    remark("no hook was asked in this session");
  } else {
    print(log_text(all));
  }
  return kExitOk;
}

Outcome<int> hooks_try(const Config& config, const HookArguments& arguments) {
  if (config.tables_fault) return fail(*config.tables_fault);
  const auto row = std::find_if(config.hooks.begin(), config.hooks.end(),
                                [&](const auto& one) { return one.hook.name == arguments.name; });
  if (row == config.hooks.end()) {
    return fail(kExitNotFound, "there is no hook " + arguments.name + " in " + config.config_file);
  }
  workers::Hook hook = row->hook;
  if (!row->url_file.empty()) {
    return fail(kExitUsage, "a hook with a url_file cannot be tried: its secret is the server's");
  }
  Outcome<workers::HookStep> step = made_step(config, arguments, hook);
  if (!arguments.reference.empty()) {
    auto connection = Connection::open(config);
    if (!connection) return tl::unexpected(connection.error());
    step = recorded_step(**connection, arguments.reference, arguments.at);
  }
  if (!step) return tl::unexpected(step.error());
  const workers::HookTable table(std::vector<workers::Hook>{hook});
  const auto outcome =
      workers::run_hooks(table, *step, {webhook_program(config), config.keeper_program, {}, -1});
  if (outcome.runs.empty()) {
    return fail(kExitUsage, "the hook " + hook.name +
                                " is not asked about this: its point, tool, input, agent or "
                                "engine is another one");
  }
  const domain::HookRun& run = outcome.runs.front();
  if (config.output != OutputFormat::table) {
    const Json json = {{"hook", run.hook},
                       {"outcome", base::enum_name(run.outcome)},
                       {"took_us", run.took.count()},
                       {"note", run.note},
                       {"verdict", base::enum_name(outcome.verdict)},
                       {"text", outcome.text}};
    print(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  } else {
    print(run.hook + ": " + std::string(base::enum_name(run.outcome)) + " after " +
          took_text(run.took) + "\n");
    if (!run.note.empty()) {
      print(workers::safe_line(run.note + (run.said.empty() ? "" : ": " + run.said)) + "\n");
    }
    if (!outcome.text.empty()) print(workers::safe_line(outcome.text) + "\n");
  }
  // A failure that blocks is one: the hook did not say so.
  if (!run.note.empty() || run.outcome == domain::HookOutcome::failed) return kExitFailed;
  return run.outcome == domain::HookOutcome::blocked ? kExitRefused : kExitOk;
}

}  // namespace steno
