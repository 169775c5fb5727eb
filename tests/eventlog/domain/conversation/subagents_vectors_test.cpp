// The vectors of subagents: how runs are shown, spawned, announced and read from old files.
#include <cmath>

#include "eventlog/domain/conversation/agent_exchange.hpp"
#include "eventlog/domain/conversation/announce.hpp"
#include "eventlog/domain/conversation/queued_prompt.hpp"
#include "eventlog/domain/conversation/short_age.hpp"
#include "eventlog/domain/conversation/subagent_spawn.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/vectors.hpp"

namespace domain {
namespace {

using nlohmann::json;

std::string text_at(const json& object, const char* name) {
  return object.contains(name) && object[name].is_string() ? object[name].get<std::string>() : "";
}

json or_null(const std::string& text) {
  return text.empty() ? json() : json(text);
}

Time time_at(const json& object, const char* name) {
  return {object.contains(name) ? object[name].get<std::int64_t>() * 1'000 : 0};
}

// A number in that unit. None: it is not given, or is no number.
std::optional<base::Duration> duration_at(const json& object, const char* name, double unit_us) {
  if (!object.contains(name) || !object[name].is_number()) return std::nullopt;
  return base::Duration{std::llround(object[name].get<double>() * unit_us)};
}

DeliveryContext place(std::string channel, std::string to, std::string account,
                      std::string thread = {}) {
  return {std::move(channel), std::move(to), std::move(account), std::move(thread), false, {}};
}

DeliveryContext context_of(const json& object) {
  DeliveryContext context =
      place(text_at(object, "channel"), text_at(object, "to"), text_at(object, "accountId"));
  if (object.contains("threadId") && !object["threadId"].is_null()) {
    context.is_thread_number = object["threadId"].is_number();
    context.thread =
        context.is_thread_number ? object["threadId"].dump() : text_at(object, "threadId");
  }
  return context;
}

// A run as a file or a vector has it; `outcome` can be an object.
SubagentRun run_of(const json& object) {
  SubagentRun run;
  run.run = text_at(object, "runId");
  run.child = text_at(object, "childSessionKey");
  run.requester = text_at(object, "requesterSessionKey");
  run.requester_name = text_at(object, "requesterDisplayKey");
  run.task = text_at(object, "task");
  run.label = text_at(object, "label");
  if (text_at(object, "cleanup") == "delete") run.cleanup = RunCleanup::remove;
  run.origin = context_of(object.value("requesterOrigin", json::object()));
  run.created = time_at(object, "createdAt");
  run.started = time_at(object, "startedAt");
  run.ended = time_at(object, "endedAt");
  const json outcome = object.value("outcome", json::object());
  const std::string status = text_at(outcome, "status");
  if (!status.empty()) run.outcome = base::parse_enum<SubagentOutcome>(status).value();
  run.error = text_at(outcome, "error");
  run.is_announced = object.value("cleanupHandled", false);
  run.cleaned_up = time_at(object, "cleanupCompletedAt");
  return run;
}

json json_of(const SubagentRun& run) {
  json object = {{"runId", run.run},
                 {"childSessionKey", run.child},
                 {"requesterSessionKey", run.requester},
                 {"requesterDisplayKey", run.requester_name},
                 {"task", run.task},
                 {"cleanup", base::enum_name(run.cleanup)},
                 {"createdAt", run.created.us / 1'000},
                 {"startedAt", run.started.us / 1'000},
                 {"endedAt", run.ended.us / 1'000},
                 {"cleanupHandled", run.is_announced}};
  if (run.cleaned_up != Time{}) object["cleanupCompletedAt"] = run.cleaned_up.us / 1'000;
  json origin = json::object();
  if (!run.origin.channel.empty()) origin["channel"] = run.origin.channel;
  if (!run.origin.to.empty()) origin["to"] = run.origin.to;
  if (!run.origin.account.empty()) origin["accountId"] = run.origin.account;
  if (!run.origin.thread.empty()) origin["threadId"] = run.origin.thread;
  if (!origin.empty()) object["requesterOrigin"] = origin;
  return object;
}

json registry_load(const json& given) {
  const json file = given["file"];
  json answer = {{"runs", json::object()}, {"file_version_after", nullptr}};
  const std::int64_t version = file.value("version", 0);
  if (!is_known_runs_file(version)) return answer;
  answer["file_version_after"] = 2;
  const json runs = file.value("runs", json::object());
  for (const auto& [id, object] : runs.items()) {
    OldRunFields old;
    if (version == 1) {
      old.announce_completed = time_at(object, "announceCompletedAt");
      if (object.contains("announceHandled")) old.is_announce_handled = object["announceHandled"];
      old.channel = text_at(object, "requesterChannel");
      old.account = text_at(object, "requesterAccountId");
    }
    answer["runs"][id] = json_of(upgraded(run_of(object), old));
  }
  return answer;
}

json spawn(const json& given) {
  const json args = given["args"];
  SpawnAsked asked{text_at(args, "task"),  text_at(args, "label"),    text_at(args, "agentId"),
                   text_at(args, "model"), text_at(args, "thinking"), {}};
  asked.timeout = duration_at(args, "runTimeoutSeconds", 1e6);
  if (!asked.timeout) asked.timeout = duration_at(args, "timeoutSeconds", 1e6);
  SpawnRequester requester;
  requester.key = text_at(given, "from");
  requester.channel = text_at(given, "channel");
  const json session = given.value("session", json::object());
  if (text_at(session, "scope") == "global") requester.keys.scope = KeyScope::global;
  if (session.contains("mainKey")) requester.keys.main_key = text_at(session, "mainKey");
  SpawnLimits limits;
  const json defaults = given.value("defaults", json::object()).value("subagents", json::object());
  limits.default_model = text_at(defaults, "model");
  for (const json& agent : given.value("agents", json::array())) {
    if (normal_agent_id(text_at(agent, "id")) != agent_of_key(requester.key)) continue;
    const json subagents = agent.value("subagents", json::object());
    limits.allowed_agents = subagents.value("allowAgents", std::vector<std::string>());
    limits.agent_model = text_at(subagents, "model");
  }
  const auto spawned = check_spawn(asked, limits, requester);
  if (!spawned) {
    const SpawnRefusal& refusal = spawned.error();
    json answer;
    switch (refusal.fault) {
      case SpawnFault::no_task:
        return {{"status", nullptr}, {"thrown", true}};
      case SpawnFault::from_subagent:
        return {{"status", "forbidden"}, {"why", "asked from a subagent"}};
      case SpawnFault::thinking:
        return {{"status", "error"}, {"why", "thinking"}, {"choices", refusal.choices}};
      case SpawnFault::agent: {
        const std::string text = refusal.text;
        const std::string allowed = text.substr(text.rfind("allowed: ") + 9);
        return {{"status", "forbidden"}, {"why", "agent"}, {"allowed", allowed}};
      }
      case SpawnFault::limit:
        break;
    }
    return {{"status", "forbidden"}, {"why", "limit"}};
  }
  json answer = {{"status", "accepted"}, {"runId", "run-1"}};
  if (!spawned->model.empty()) {
    const std::string fault = text_at(given, "patch_fails");
    const bool is_refused = fault.find("invalid model") != std::string::npos ||
                            fault.find("model not allowed") != std::string::npos;
    const ModelAnswer model = fault.empty() ? ModelAnswer::applied
                              : is_refused  ? ModelAnswer::refused
                                            : ModelAnswer::failed;
    if (!goes_on_after(model)) {
      return {{"status", "error"}, {"error", fault}, {"model_asked", spawned->model}};
    }
    if (!fault.empty()) answer["warning"] = fault;
    answer["modelApplied"] = model == ModelAnswer::applied;
    answer["model_asked"] = spawned->model;
  }
  const bool has_timeout = spawned->timeout && spawned->timeout->count() > 0;
  answer["run"] = {{"key", subagent_key(spawned->agent, "<uuid>")},
                   {"message", spawned->task},
                   {"lane", "subagent"},
                   {"deliver", false},
                   {"spawnedBy", spawned->requester},
                   {"channel", or_null(spawned->channel)},
                   {"thinking", or_null(spawned->thinking)},
                   {"timeout", has_timeout ? json(spawned->timeout->count() / 1'000'000) : json()},
                   {"label", or_null(spawned->label)}};
  return answer;
}

// ---- announcements ----

json turn_json(const std::string& session, const DeliveryContext& route) {
  return {{"to_session", session},
          {"channel", or_null(route.channel)},
          {"to", or_null(route.to)},
          {"accountId", or_null(route.account)},
          {"threadId", or_null(route.thread)},
          {"deliver", true}};
}

struct Announced {
  std::vector<std::string> texts;
  json turns = json::array();
};

// Takes the queue's turns as a conversation would, once the requester's turn has ended.
Announced drained(MessageQueue queue, const QueueSettings& settings,
                  const std::vector<std::string>& waiting, const std::string& session) {
  Announced announced;
  while (true) {
    const NextTurn turn = next_turn(queue, settings, {1'000'000'000'000});
    if (turn.shape == TurnShape::none) return announced;
    std::vector<std::string_view> texts;
    for (const Position at : turn.messages) {
      texts.push_back(waiting[static_cast<std::size_t>(at.value) - 1]);
    }
    announced.texts.push_back(announces_prompt(turn, texts));
    announced.turns.push_back(turn_json(
        session, place(turn.route.channel, turn.route.to, turn.route.account, turn.route.thread)));
    take(queue, turn);
  }
}

json announce(const json& given) {
  SubagentRun run;
  run.child = "agent:main:subagent:test";
  run.requester = canonical_key(given.value("requester", "main"), {}).value();
  run.task = given.value("task", "do thing");
  run.label = text_at(given, "label");
  run.origin = context_of(given.value("origin", json::object()));
  if (text_at(given, "cleanup") == "delete") run.cleanup = RunCleanup::remove;
  const json end = given.contains("outcome") ? given["outcome"] : given.value("wait", json());
  run.outcome = SubagentOutcome::unknown;
  if (end.is_object()) {
    run.outcome = base::parse_enum<SubagentOutcome>(text_at(end, "status")).value();
    run.error = text_at(end, "error");
    run.started = time_at(end, "startedAt");
    run.ended = time_at(end, "endedAt");
  }
  const bool has_reply = !given.contains("reply") || given["reply"].is_string();
  const std::string reply = has_reply ? given.value("reply", "raw reply") : "";

  const json entry = given.value("store", json::object()).value(run.requester, json::object());
  const DeliveryContext last = place(text_at(entry, "lastChannel"), text_at(entry, "lastTo"),
                                     text_at(entry, "lastAccountId"));
  QueueLayers layers;
  layers.conversation = {parse_queue_mode(text_at(entry, "queueMode")),
                         duration_at(entry, "queueDebounceMs", 1e3),
                         {},
                         {}};
  const QueueSettings settings = queue_settings(layers);
  AgentWork work = AgentWork::none;
  if (given.value("requester_running", false)) {
    work = given.value("steerable", false) ? AgentWork::steerable : AgentWork::busy;
  }

  Announced announced;
  json answer = {{"announced", json::array()}, {"way", "turn"}, {"after", json::array()}};
  MessageQueue queue;
  std::vector<std::string> waiting;
  for (const json& one : given.value("runs", json::array({json::object()}))) {
    SubagentRun each = run;
    if (one.contains("requesterOrigin")) each.origin = context_of(one["requesterOrigin"]);
    const std::string text = announce_text(each, reply, {});
    const DeliveryContext route = announce_route(each, last);
    answer["announced"].push_back(!given.value("agent_fails", false));
    switch (announce_way(reply, settings.mode, work)) {
      case AnnounceWay::none:
        answer["way"] = "none";
        break;
      case AnnounceWay::steered:
        answer["way"] = "steered";
        announced.texts.push_back(text);
        break;
      case AnnounceWay::turn:
        announced.texts.push_back(text);
        announced.turns.push_back(turn_json(run.requester, route));
        break;
      case AnnounceWay::queued: {
        waiting.push_back(text);
        QueuedMessage message;
        message.at = Position{static_cast<std::int64_t>(waiting.size())};
        message.route = {route.channel, route.to, route.account, route.thread};
        message.text_bytes = static_cast<std::int64_t>(text.size());
        admit(queue, message, accept(queue, message, settings));
        break;
      }
    }
  }
  if (!waiting.empty()) announced = drained(queue, settings, waiting, run.requester);
  answer["turns"] = announced.turns;
  answer["text_has"] = json::array();
  for (const json& part : given.value("look_for", json::array())) {
    const bool has =
        std::any_of(announced.texts.begin(), announced.texts.end(), [&](const std::string& text) {
          return text.find(part.get<std::string>()) != std::string::npos;
        });
    if (has) answer["text_has"].push_back(part);
  }
  const AnnounceCleanup after = announce_cleanup(run);
  if (!after.label.empty()) {
    answer["after"].push_back(
        {{"method", "sessions.patch"}, {"key", run.child}, {"label", after.label}});
  }
  if (after.deletes_child) {
    answer["after"].push_back(
        {{"method", "sessions.delete"}, {"key", run.child}, {"deleteTranscript", true}});
  }
  return answer;
}

// Says only what the vector asks about.
json restarted(const json& given, const json& expected) {
  json answer = json::object();
  for (const auto& asked : expected.items()) answer[asked.key()] = json::array();
  for (const json& one : given["runs"]) {
    SubagentRun run;
    run.ended = {one.value("ended", false) ? 1 : 0};
    run.is_announced = one.value("handled", false);
    const RunAfterRestart after = after_restart(run);
    const char* list = after == RunAfterRestart::wait ? "waits_again_for" : "announced_again";
    if (after == RunAfterRestart::nothing) continue;
    answer[list].push_back(one["runId"]);
  }
  return answer;
}

json answer_of(const std::string& op, const json& given, const json& expected) {
  if (op == "a2a.allowed") {
    const json policy = given.value("policy", json::object());
    return can_reach(
        {policy.value("enabled", false), policy.value("allow", std::vector<std::string>())},
        text_at(given, "from"), text_at(given, "to"));
  }
  if (op == "age.short") return short_age(duration_at(given, "ms", 1e3));
  if (op == "duration.short") return short_duration(duration_at(given, "ms", 1e3));
  if (op == "pingpong.turns") {
    const bool is_number = given["value"].is_number();
    const double value = is_number ? std::floor(given["value"].get<double>()) : 0;
    return exchange_turns(is_number ? std::optional(static_cast<std::int64_t>(value))
                                    : std::nullopt);
  }
  if (op == "skip.announce") return is_announce_skip(text_at(given, "text"));
  if (op == "skip.reply") return is_reply_skip(text_at(given, "text"));
  if (op == "subagent.after_restart") return restarted(given, expected);
  if (op == "subagent.announce") return announce(given);
  if (op == "subagent.archive") {
    const auto after = archive_after(duration_at(given, "archiveAfterMinutes", 6e7));
    return {{"archive_after_ms", after ? json(after->count() / 1'000) : json()}};
  }
  if (op == "subagent.label") return label_of(run_of(given));
  if (op == "subagent.short_label") {
    return short_label(run_of(given), given.value("max", kRunLabelCharacters));
  }
  if (op == "subagent.status") return base::enum_name(status_of(run_of(given)));
  if (op == "subagent.order") {
    std::vector<SubagentRun> runs;
    for (const json& run : given["runs"]) runs.push_back(run_of(run));
    std::stable_sort(runs.begin(), runs.end(), is_newer);
    json ids = json::array();
    for (const SubagentRun& run : runs) ids.push_back(run.run);
    return ids;
  }
  if (op == "subagent.registry_load") return registry_load(given);
  REQUIRE(op == "subagent.spawn");
  return spawn(given);
}

TEST_CASE("subagents are those of the vectors", "[conversation][R127][R128]") {
  const json vectors = support::read_vectors("subagents");
  REQUIRE_FALSE(vectors.empty());
  for (const json& vector : vectors) {
    INFO(vector["id"] << " " << vector["given"].dump());
    json expected = support::expected(vector);
    if (vector["op"] == "subagent.registry_load") {
      // A run that does not say that it was handled was not.
      for (json& run : expected["runs"]) run.emplace("cleanupHandled", false);
    }
    CHECK(answer_of(vector["op"], vector["given"], expected) == expected);
  }
}

}  // namespace
}  // namespace domain
