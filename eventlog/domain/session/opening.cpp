// Decides the beginning of a session: spawn, resume and fork. One decision writes to the session,
// to the registry, to admission, and to the session that is resumed.
#include <algorithm>

#include "eventlog/base/check.hpp"
#include "eventlog/domain/admission/alias.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/outbox/route.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/session/session_name.hpp"
#include "eventlog/domain/session/spec_settings.hpp"
#include "eventlog/domain/spec_check.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

// Live sessions, with those that are parked. A server keeps some bytes in memory for each.
constexpr std::int64_t kLiveSessionsMax = 10'000;

// The further states that beginning a session reads.
struct Opening {
  const RegistryState& registry;
  const AdmissionState& admission;
  const SessionState* source;   // the session to resume; null: none is named, or it is this one
  const LineageState* lineage;  // of the source; null: there is no source
  const SessionState* caller;   // whose agent asks; null: none of this agent
  SessionSpec spec;             // as the command and the source together say
};

bool is_said(const Spawn& c, std::string_view key) {
  return std::find(c.said.begin(), c.said.end(), key) != c.said.end();
}

// Returns the spec of a session that goes on with `source`. A limit that is not said is left out of
// it, and set_limits() fills it in.
SessionSpec taken_over(const Spawn& c, const SessionState& state) {
  SessionSpec source = state.spec;
  apply_changes(state.changed, source);
  SessionSpec spec = c.spec;
  for (const SpecSetting& setting : spec_settings()) {
    if (is_said(c, setting.key)) continue;
    copy_setting(setting, setting.is_limit() ? SessionSpec{} : source, spec);
  }
  // Asking is given up only if somebody says so for this session.
  if (!is_said(c, "permission_mode") &&
      source.permission_mode == PermissionMode::bypass_permissions) {
    spec.permission_mode = c.spec.permission_mode;
  }
  // One that was not said for the session's model does not stand beside it.
  const bool is_double = spec.fallback_model == spec.model;
  if (is_double && !is_said(c, "fallback_model")) spec.fallback_model.reset();
  return spec;
}

Opening opening_of(const Deciding& d, const Spawn& c) {
  const auto* registry = d.states.find<RegistryStream>(registry_stream(d.agent()));
  const auto* admission = d.states.find<AdmissionStream>(kAdmissionStream);
  CHECK(registry != nullptr && admission != nullptr);
  const auto* source = c.resume.is_set()
                           ? d.states.find<SessionStream>(session_stream(d.agent(), c.resume))
                           : nullptr;
  const auto* lineage =
      source == nullptr ? nullptr
                        : d.states.find<LineageStream>(lineage_stream(d.agent(), source->lineage));
  const auto* caller = c.caller.is_set()
                           ? d.states.find<SessionStream>(session_stream(d.agent(), c.caller))
                           : nullptr;
  const bool is_there = caller != nullptr && caller->status != SessionStatus::none;
  const bool is_merged = c.takes_over && source != nullptr && source->status != SessionStatus::none;
  return {*registry,
          *admission,
          source,
          lineage,
          is_there ? caller : nullptr,
          is_merged ? taken_over(c, *source) : c.spec};
}

std::optional<Rejection> bad_descriptor(std::string text) {
  return Rejection{RejectionCode::invalid, std::move(text)};
}

std::optional<Rejection> check_parent(const SessionState* parent, SessionId named) {
  if (parent == nullptr || parent->status == SessionStatus::none) {
    return Rejection{RejectionCode::not_found,
                     "there is no session " + named.text() + " of this agent to be the parent"};
  }
  if (parent->descriptor->kind == DescriptorKind::subagent) {
    return bad_descriptor("session " + label(*parent) +
                          " is a subagent itself, and subagents have none; name its parent");
  }
  if (is_live(parent->status)) return std::nullopt;
  return Rejection{RejectionCode::session_ended,
                   "session " + label(*parent) + " has ended, and can be no parent"};
}

// Notifications of a user's session go to where the user talks.
std::string channel_of(const Descriptor& d) {
  return d.kind == DescriptorKind::user ? d.connector + "|" + d.channel : std::string();
}

// Each kind has its own fields, and no others.
std::optional<Rejection> check_descriptor(const Descriptor& d) {
  for (const std::string* text : {&d.connector, &d.user, &d.channel, &d.task}) {
    if (auto bad = check_length("descriptor", text->size(), kFactBytesMax)) return bad;
  }
  const bool is_user = d.kind == DescriptorKind::user;
  const bool has_all = !d.connector.empty() && !d.user.empty() && !d.channel.empty();
  const bool has_any = !d.connector.empty() || !d.user.empty() || !d.channel.empty();
  if (is_user ? !has_all : has_any) {
    return bad_descriptor(
        "the session of a user has a connector, a user and a channel; others "
        "have none of them");
  }
  // They are parts of a reference and of a route.
  const bool has_marks =
      d.connector.find_first_of("/|") != std::string::npos || d.user.find('/') != std::string::npos;
  if (has_marks) return bad_descriptor("a connector has no / and no |, and a user no /");
  if (auto bad = check_length("channel", channel_of(d).size(), kFactBytesMax)) return bad;
  const bool is_scheduled = d.kind == DescriptorKind::cron || d.kind == DescriptorKind::heartbeat;
  if (is_scheduled == d.task.empty()) {
    return bad_descriptor("a session of a schedule names its task; others have none");
  }
  if ((d.kind == DescriptorKind::subagent) != d.parent.is_set()) {
    return bad_descriptor("a subagent has a parent; others have none");
  }
  return std::nullopt;
}

std::optional<Rejection> check_descriptor(const Deciding& d, const Spawn& c) {
  if (auto bad = check_descriptor(c.descriptor)) return bad;
  const SessionId parent = c.descriptor.parent;
  if (!parent.is_set()) return std::nullopt;
  return check_parent(d.states.find<SessionStream>(session_stream(d.agent(), parent)), parent);
}

// A session is opened for a conversation only by the run that it has begun.
std::optional<Rejection> check_conversation(const Deciding& d, const Spawn& c) {
  if (c.descriptor.conversation.empty()) return std::nullopt;
  const auto* s =
      d.states.find<ConversationStream>(conversation_stream(d.agent(), c.descriptor.conversation));
  const bool is_its_run = s != nullptr && s->run && !s->run->is_taken &&
                          s->run->run.bytes == d.context.command.bytes &&
                          s->run->session == d.context.target.id;
  if (is_its_run) return std::nullopt;
  return Rejection{RejectionCode::refused,
                   "the conversation " + cut_fact(c.descriptor.conversation) +
                       " has not begun this run; send it a message instead"};
}

std::optional<Rejection> check_said(const Spawn& c) {
  for (const std::string& key : c.said) {
    if (find_spec_setting(key) == nullptr) {
      return Rejection{RejectionCode::invalid,
                       "there is no setting '" + cut_fact(key) + "' to take over"};
    }
  }
  return std::nullopt;
}

std::optional<Rejection> check_spawn(const Spawn& c) {
  if (auto bad = check_length("origin_channel", c.origin_channel.size(), kFactBytesMax)) return bad;
  if (auto fault = channel_fault(c.origin_channel)) {
    return Rejection{RejectionCode::invalid, *std::move(fault)};
  }
  if (auto bad = check_said(c)) return bad;
  if (auto bad = check_prompt(c.prompt, c.files)) return bad;
  if (auto bad = check_size("the system prompt", c.system_prompt, kSystemPromptBytesMax))
    return bad;
  for (const std::string* name : {&c.name, &c.name_like}) {
    if (auto fault = name_fault(*name)) return Rejection{RejectionCode::invalid, *fault};
  }
  return check_labels({}, c.labels);
}

// Returns the labels of the new session: those that are asked for, and those of the one that it
// goes on with, as far as there is room. None: there are none.
std::optional<SessionLabelled> labels_for(const Spawn& c, const SessionState* source) {
  SessionLabelled labelled;
  const auto add = [&](const std::string& label) {
    const auto& added = labelled.added;
    const bool is_new = std::find(added.begin(), added.end(), label) == added.end();
    if (is_new && !check_labels(added, {label})) labelled.added.push_back(label);
  };
  for (const std::string& label : c.labels) add(label);
  if (c.resume.is_set() && source != nullptr) {
    for (const std::string& label : *source->labels) add(label);
  }
  return labelled.added.empty() ? std::nullopt : std::optional(std::move(labelled));
}

// Returns where notifications go of a session that was told of no channel: to where its caller's
// go, else to where the server's settings say.
std::string unsaid_channel(const Deciding& d, const SessionState* caller,
                           const std::string& workdir) {
  if (caller != nullptr && !caller->spec.channel->empty()) return caller->spec.channel;
  return d.context.channels == nullptr ? std::string() : d.context.channels->channel_of(workdir);
}

// True if a schedule opened it. No schedule knows of a session that goes on with it.
bool is_scheduled(const SessionState& session) {
  const DescriptorKind kind = session.descriptor->kind;
  return kind == DescriptorKind::cron || kind == DescriptorKind::heartbeat;
}

// Fills in the limits that the command does not name: those of the source, else the server's. Only
// a multi-turn session waits for prompts.
void set_limits(SessionSpec& spec, const SessionSpec& source, const Limits& limits) {
  const auto fill = [](auto& limit, const auto& of_source, const auto& of_server) {
    const auto unsaid = std::decay_t<decltype(limit)>{};
    if (limit == unsaid) limit = of_source;
    if (limit == unsaid) limit = of_server;
  };
  fill(spec.idle_timeout, source.idle_timeout, limits.idle_timeout);
  fill(spec.run_timeout, source.run_timeout, limits.run_timeout);
  fill(spec.remind_after, source.remind_after, limits.remind_after);
  // The server has none.
  fill(spec.approval_timeout, source.approval_timeout, base::Duration{});
  spec.approval_timeout = std::max(spec.approval_timeout, base::Duration{});
  fill(spec.thinking_tokens, source.thinking_tokens, std::int64_t{0});
  spec.thinking_tokens = std::max<std::int64_t>(spec.thinking_tokens, 0);
  fill(spec.repeated_calls_max, source.repeated_calls_max, limits.repeated_calls_max);
  UseLimits use = spec.use_limits;
  for (auto limit :
       {&UseLimits::max_tokens, &UseLimits::max_tool_calls, &UseLimits::max_output_bytes}) {
    fill(use.*limit, (*source.use_limits).*limit, std::int64_t{0});
  }
  spec.use_limits = use;
  if (!spec.is_multi_turn) spec.idle_timeout = {};
}

// Takes over what a command of an earlier release leaves out.
void fill_in(SessionSpec& spec, const SessionSpec& source) {
  spec.hooks_must_answer |= source.hooks_must_answer;
  spec.mcp_must_connect |= source.mcp_must_connect;
  if (spec.setting_sources->empty()) spec.setting_sources = source.setting_sources;
  const bool has_other_model = source.fallback_model != spec.model;
  if (spec.fallback_model->empty() && has_other_model) spec.fallback_model = source.fallback_model;
  spec.approvals = std::max(spec.approvals, source.approvals);
  if (spec.restart_policy == RestartPolicy::none) spec.restart_policy = source.restart_policy;
}

// True if what was said can be told to a new agent.
bool has_lost_transcript(const SessionState& source) {
  return source.lost_at.value > 0;
}

// The agent's own session may have gone on with another session since the source ended. Of sessions
// that an older release resumed or forked that is not known, and neither is their last message.
ResumedAt resumed_at(const SessionState& source) {
  if (source.agent_session.empty()) return ResumedAt::record;
  const bool has_message = !source.last_message.empty();
  if (source.is_left_behind && has_message) return ResumedAt::message;
  const bool may_be_behind = source.is_left_behind || source.is_continued;
  return may_be_behind && !has_message ? ResumedAt::latest : ResumedAt::end;
}

// Sets where the session's agent begins. Only one session goes on with the agent's own, in which
// nothing branches off; all others get copies of it.
void resume_from(SessionSpec& spec, const SessionState& source, bool is_fork) {
  const bool is_empty_copy = source.spec.is_fork && begins_as_opened(source);
  spec.resumed_at = is_empty_copy ? source.spec.resumed_at : resumed_at(source);
  spec.resume_agent_session =
      is_empty_copy ? *source.spec.resume_agent_session : source.agent_session;
  spec.resume_message = source.last_message;
  spec.is_fork = (is_fork || is_empty_copy || spec.resumed_at != ResumedAt::end) &&
                 spec.resumed_at != ResumedAt::record;
}

// Returns a live session's alias, as far as its name tells; else its id.
std::string called(const AdmissionState& admission, SessionId session) {
  for (const auto& [name, holder] : admission.names) {
    if (holder.session == session) return holder.alias;
  }
  for (const auto& [mark, holder] : admission.name_marks) {
    if (holder.session == session) return holder.alias;
  }
  return session.text();
}

Rejection still_ending(const std::string& holder) {
  return {RejectionCode::lease_held,
          "session " + holder +
              " went on with the agent's session, and its agent process has not ended yet; try "
              "again in a moment, or resume with fork"};
}

Rejection already_goes_on(const std::string& holder) {
  return {RejectionCode::source_live, "session " + holder +
                                          " already goes on with the agent's session; send it "
                                          "the prompt, kill it first, or resume with --fork"};
}

std::optional<Rejection> check_resume(const Opening& o, const Spawn& c) {
  const SessionState* source = o.source;
  if (source == nullptr || source->status == SessionStatus::none) {
    return Rejection{RejectionCode::not_found,
                     "there is no session " + c.resume.text() + " to resume"};
  }
  if (source->agent_session.empty() && !has_lost_transcript(*source)) {
    return Rejection{RejectionCode::not_resumable,
                     "session " + label(*source) +
                         " cannot be resumed: its agent never began; spawn a new session"};
  }
  if (c.is_fork) return std::nullopt;
  if (is_live(source->status)) {
    return Rejection{RejectionCode::source_live,
                     "session " + label(*source) + " is still " +
                         std::string(base::enum_name(source->status)) +
                         "; send it a prompt, kill it first, or resume with fork"};
  }
  if (source->lease) {
    return Rejection{RejectionCode::lease_held,
                     "the agent process of session " + label(*source) +
                         " has not ended yet; try again in a moment, or resume with fork"};
  }
  const auto held = o.registry.agent_sessions.find(source->agent_session);
  if (held == o.registry.agent_sessions.end()) return std::nullopt;
  const std::string holder = called(o.admission, held->second);
  if (o.admission.unsettled.contains(held->second)) return still_ending(holder);
  return already_goes_on(holder);
}

// Registries know only the agent sessions that live sessions have resumed. Whoever names another
// one must know that no session of the record has it.
std::optional<Rejection> check_foreign(const Opening& o, const Spawn& c) {
  if (c.resume.is_set()) {
    return Rejection{RejectionCode::invalid,
                     "resume a session, or a session of the agent's own, not both"};
  }
  if (auto bad = check_length("agent_session", c.agent_session.size(), kFactBytesMax)) return bad;
  const auto held = o.registry.agent_sessions.find(c.agent_session);
  if (c.is_fork || held == o.registry.agent_sessions.end()) return std::nullopt;
  const std::string holder = called(o.admission, held->second);
  if (o.admission.unsettled.contains(held->second)) return still_ending(holder);
  return already_goes_on(holder);
}

std::optional<Rejection> check_budget(const Opening& o) {
  const NanoUsd spent = spent_by(*o.source, o.lineage);
  if (o.spec.budget.value == 0 || spent < o.spec.budget) return std::nullopt;
  return over_budget(*o.source, spent, o.spec.budget, "name a larger one to go on");
}

// Returns those that pay besides the new session's own lineage, `lineage`: that of the session
// whose agent launches it, and those that pay for that one.
std::vector<Payer> payers_behind(const SessionState* caller, SessionId lineage) {
  if (caller == nullptr) return {};
  std::vector<Payer> payers = {{caller->lineage, caller->spec.budget}};
  payers.insert(payers.end(), caller->payers->begin(), caller->payers->end());
  std::erase_if(payers, [&](const Payer& payer) { return payer.lineage == lineage; });
  return payers;
}

std::optional<Rejection> check_payers(const Deciding& d, const SessionState* caller,
                                      const std::vector<Payer>& payers) {
  if (payers.size() > kPayersMax) {
    return Rejection{RejectionCode::limit_reached,
                     "session " + label(*caller) + " was itself launched " +
                         std::to_string(kPayersMax) +
                         " deep, and can launch none; let the session that launched it do so"};
  }
  for (const Payer& payer : payers) {
    const auto* lineage = d.states.find<LineageStream>(lineage_stream(d.agent(), payer.lineage));
    NanoUsd spent = lineage == nullptr ? NanoUsd{} : lineage->spent;
    if (payer.lineage == caller->lineage) spent = spent_by(*caller, lineage);
    if (payer.budget.value == 0 || spent < payer.budget) continue;
    return Rejection{RejectionCode::over_budget,
                     "session " + label(*caller) + " has no budget left, and what it launches " +
                         "would have none; resume it with a larger one"};
  }
  return std::nullopt;
}

// The session has its first relative, or launches its first session: from here on its lineage
// counts what is spent.
void begin_lineage(Deciding& d, const SessionState& first, const LineageState& lineage) {
  const std::string stream = lineage_stream(d.agent(), first.lineage);
  if (!lineage.has_begun) {
    // Relatives of an earlier release may have gone on with the agent's session.
    const bool is_older = has_relatives(first) || first.basis == CostBasis::totals;
    LineageSpent told{first.session, first.cost, first.agent_session,
                      is_older ? NanoUsd{} : running_total(first)};
    told.basis = first.basis;
    told.has_begun_it = !is_older && !is_foreign(first);
    d.emit_to<LineageStream>(stream, std::move(told));
  }
  // A session that had no relatives has told nobody that it is at work.
  if (first.lease && !has_relatives(first)) {
    d.emit_to<LineageStream>(
        stream, LineageReserved{first.session, first.spec.budget, first.lease->budget});
  }
}

// True if a session of another agent has the id, or had it: its stream is then among those that are
// read.
bool is_anothers(const Deciding& d, const AdmissionState& admission) {
  const StreamRef& target = d.context.target;
  for (const auto* sessions : {&admission.live, &admission.unsettled}) {
    const auto known = sessions->find(target.id);
    if (known != sessions->end() && known->second != target.agent) return true;
  }
  return std::any_of(d.states.further().begin(), d.states.further().end(), [&](const auto& one) {
    const auto* session = one.second.template as<SessionState>();
    const auto ref = match_stream(SessionStream::kPattern, *one.first);
    return session != nullptr && ref && ref->id == target.id &&
           session->status != SessionStatus::none;
  });
}

}  // namespace

std::string choose_alias(const AdmissionState& admission, SessionId session) {
  const SessionId first = admission.first.is_set() ? admission.first : session;
  const std::int64_t number = free_alias(admission, first);
  return alias_of(first, number);
}

Decided decide_one(Deciding d, const Spawn& c) {
  if (d.session().status != SessionStatus::none) {
    return reject(RejectionCode::already_exists,
                  "session " + d.context.target.id.text() + " already exists; make a fresh id");
  }
  if (!is_agent_name(d.context.target.agent) || !d.context.target.id.is_set()) {
    return reject(RejectionCode::invalid,
                  "a session needs an id and an agent named by 1 to 64 of a-z 0-9 . _ -");
  }
  if (auto bad = check_spawn(c)) return tl::unexpected(*bad);
  if (auto bad = check_start(c.start_before, d.context)) return tl::unexpected(*bad);
  if (auto bad = check_descriptor(d, c)) return tl::unexpected(*bad);
  if (auto bad = check_conversation(d, c)) return tl::unexpected(*bad);
  const Opening o = opening_of(d, c);
  if (auto bad = check_spec(o.spec, d.context.engines)) return tl::unexpected(*bad);
  if (auto bad = check_takes_files(c.files, o.spec.engine, d.context.file_engines)) {
    return tl::unexpected(*bad);
  }
  if (auto bad = check_hooks(o.spec, d.agent(), d.context.hook_gaps)) return tl::unexpected(*bad);
  // Whose it is may not be known to one who acts for another agent.
  if (is_anothers(d, o.admission)) {
    return reject(RejectionCode::already_exists,
                  "the session id " + d.context.target.id.text() +
                      " is taken: no two sessions have one id, whatever their agents; make a "
                      "fresh id");
  }
  // Prompts that wait for a place were there before.
  const auto awaiting = static_cast<std::int64_t>(o.admission.awaiting.size());
  if (places_taken(o.admission) + awaiting >= d.context.limits.max_sessions) {
    return tl::unexpected(no_place(o.admission, d.context, "kill one first, or raise the limit"));
  }
  const auto live = static_cast<std::int64_t>(o.admission.live.size());
  if (live >= std::max(kLiveSessionsMax, d.context.limits.max_sessions)) {
    return reject(RejectionCode::session_limit,
                  std::to_string(live) +
                      " sessions are live, as many as there may be with those that are parked; "
                      "close some that nobody needs any more");
  }
  if (d.cap_reached() != EndReason::none) return tl::unexpected(over_cap(d));
  if (c.resume.is_set()) {
    if (auto bad = check_resume(o, c)) return tl::unexpected(*bad);
    if (auto bad = check_budget(o)) return tl::unexpected(*bad);
  }
  if (!c.agent_session.empty()) {
    if (auto bad = check_foreign(o, c)) return tl::unexpected(*bad);
  }
  std::vector<Payer> payers =
      payers_behind(o.caller, o.source == nullptr ? d.context.target.id : o.source->lineage);
  if (auto bad = check_payers(d, o.caller, payers)) return tl::unexpected(*bad);
  if (!c.name.empty()) {
    if (auto bad = check_name_free(d, c.name)) return tl::unexpected(*bad);
  }
  const std::string alias = choose_alias(o.admission, d.context.target.id);

  SessionOpened opened{d.context.target.id,
                       d.context.target.agent,
                       {},
                       alias,
                       c.origin_channel,
                       {},
                       c.resume,
                       d.context.target.id,
                       {}};
  opened.name = c.name;
  NameClaimed claim{d.context.target.id, opened.name, {}};
  SessionAdmitted admitted{d.context.target.id, d.context.target.agent, alias, opened.name, 0};
  opened.descriptor = c.descriptor;
  SessionSpec spec = o.spec;
  spec.resume_agent_session.reset();
  spec.resume_message.reset();
  spec.resumed_at = ResumedAt::end;
  spec.is_fork = false;
  spec.channel = c.origin_channel.empty() ? channel_of(c.descriptor) : c.origin_channel;
  if (!c.agent_session.empty()) {
    spec.resume_agent_session = c.agent_session;
    spec.is_fork = c.is_fork;
    if (!c.is_fork) claim.agent_session = c.agent_session;
  }
  if (c.resume.is_set()) {
    const SessionState& source = *o.source;
    opened.lineage = source.lineage;
    if (c.descriptor.kind == DescriptorKind::none && !is_scheduled(source)) {
      opened.descriptor = source.descriptor;
      const std::string& conversation = c.descriptor.conversation;
      if (opened.descriptor->conversation != conversation) {
        opened.descriptor.edit().conversation = conversation;
      }
    }
    if (spec.channel->empty()) spec.channel = told_place(source);
    // Whoever goes on with a session means it by its name.
    if (opened.name.empty() && !c.is_fork && !source.name.empty() && !holder_of(d, source.name)) {
      opened.name = claim.name = admitted.name = source.name;
    }
    opened.carried_cost = running_total(source);
    resume_from(spec, source, c.is_fork);
    opened.is_heard = source.is_heard;
    if (!spec.is_fork) claim.agent_session = spec.resume_agent_session;
    // Limits of the source stay in force where the command leaves them out.
    if (spec.allowed_tools->empty()) spec.allowed_tools = source.spec.allowed_tools;
    if (spec.max_turns == 0) spec.max_turns = source.spec.max_turns;
    spec.continues_after_failure |= source.spec.continues_after_failure;
    if (!c.takes_over) fill_in(spec, source.spec);
    d.emit_to<SessionStream>(
        session_stream(d.agent(), c.resume),
        SessionResumed{d.context.target.id, spec.is_fork, true, !claim.agent_session.empty()});
    begin_lineage(d, source, *o.lineage);
  }
  if (!payers.empty() && payers.front().lineage == o.caller->lineage) {
    d.emit_to<SessionStream>(session_stream(d.agent(), o.caller->session),
                             SessionLaunched{d.context.target.id});
    const auto* lineage =
        d.states.find<LineageStream>(lineage_stream(d.agent(), o.caller->lineage));
    CHECK(lineage != nullptr);
    begin_lineage(d, *o.caller, *lineage);
  }
  opened.payers = std::move(payers);
  if (spec.channel->empty()) spec.channel = unsaid_channel(d, o.caller, spec.workdir);
  SessionSpec before = o.source == nullptr ? SessionSpec{} : o.source->spec;
  // That of heartbeats does not end for waiting; one that nobody schedules does. Nor is it handed
  // on that a session may wait for ever, as a person's does.
  const bool waits_for_ever = before.idle_timeout.count() < 0;
  if (waits_for_ever || (o.source != nullptr && is_scheduled(*o.source))) before.idle_timeout = {};
  set_limits(spec, before, d.context.limits);
  opened.spec = std::move(spec);
  d.emit(opened, c.system_prompt);
  if (auto labelled = labels_for(c, o.source)) d.emit(std::move(*labelled));
  const TurnId turn{d.context.command.bytes};
  auto files = attach(d, turn, c.files);
  if (opened.name.empty()) {
    // The name's words are the prompt's, so they are erasable text and not a fact.
    const std::string words = words_of_name(c);
    const std::int64_t number =
        free_number(words, [&](const std::string& n) { return holder_of(d, n).has_value(); });
    std::string name = numbered_name(words, number);
    admitted.name_mark = name_mark(name);
    d.emit(SessionNamed{admitted.name_mark, number}, std::move(name));
  }
  d.emit(TurnQueued{turn, {}, c.start_before, std::move(files)}, c.prompt);
  if (!claim.name.empty() || !claim.agent_session.empty()) d.emit_to_registry(claim);
  d.emit_to_admission(admitted);
  return std::move(d.decision);
}

}  // namespace domain
