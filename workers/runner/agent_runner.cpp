// Each lease is a Run. Directives are compared with what the agent was told; whatever happens to an
// agent goes through its engine (tell), and reports queue in the Run until they are acknowledged.
#include "workers/runner/agent_runner.hpp"

#include <algorithm>
#include <deque>

#include "eventlog/base/rare_branches.hpp"
#include "workers/engines/setting_changes.hpp"
#include "workers/runner/unattended.hpp"

namespace workers {
namespace {

// The cost of a waiting report beside its text: envelope, queue node, map entries.
constexpr std::size_t kReportOverhead = 64;

std::size_t size_of(const SequencedReport& report) {
  return report.type.size() + report.body.encoded.size() + kReportOverhead;
}

base::Time as_time(base::Duration boot) {
  return {boot.count()};
}

// A frame without a header that can be read is recorded as a line of a kind that nobody knows.
domain::LineFault fault_of(processes::FrameEnding ending) {
  if (ending == processes::FrameEnding::too_long) return domain::LineFault::too_long;
  const bool is_cut_short = ending == processes::FrameEnding::cut_short;
  return is_cut_short ? domain::LineFault::cut_short : domain::LineFault::unknown_kind;
}

// Returns what helps, behind the text of the failure.
std::string advice_on(processes::StartFailure reason, const std::string& setting) {
  if (reason == processes::StartFailure::no_folder) {
    return "; make the folder, or start the session in another one (--workdir)";
  }
  if (reason != processes::StartFailure::no_program) return {};
  return "; install it in the PATH of steno serve, or set " + setting +
         " and start the server again (steno restart); steno doctor shows both";
}

domain::AskKind kind_of(engines::AskKind kind) {
  if (kind == engines::AskKind::question) return domain::AskKind::question;
  if (kind == engines::AskKind::step) return domain::AskKind::step;
  return kind == engines::AskKind::plan ? domain::AskKind::plan : domain::AskKind::approval;
}

// True if the host itself asks hooks there, and not the agent.
bool is_of_host(domain::HookPoint point) {
  return point == domain::HookPoint::session_start ||
         point == domain::HookPoint::user_prompt_submit;
}

// Returns the files of the prompt of that number.
std::vector<engines::PromptFile> files_of(const DirectedTurn& turn, std::size_t number) {
  std::vector<engines::PromptFile> files;
  for (const DirectedFile& file : turn.files) {
    if (file.prompt != static_cast<std::int64_t>(number)) continue;
    files.push_back({file.name, file.media_type, file.data});
  }
  return files;
}

constexpr std::string_view kOthersNote =
    "<note>Somebody else has meanwhile gone on with this conversation, in another program. What "
    "they and their agent said and did is not in it, but files can have changed.</note>\n\n";

constexpr std::size_t kFaultyFrameMax = 64 << 10;  // the part of a broken frame that is kept

}  // namespace

AgentRunner::AgentRunner(AgentLauncher& launcher, AgentRunnerOptions options)
    : launcher_(launcher), options_(options) {}

AgentRunner::~AgentRunner() = default;

void AgentRunner::on_directive(DirectiveBody directive, base::Duration now) {
  const Key key{directive.session, directive.token};
  // A newer lease of the session makes every older one void.
  for (auto& [other, run] : runs_) {
    if (other.session == key.session && other.token < key.token) run.is_lost = true;
    if (other.session == key.session && other.token > key.token) return;
  }
  const auto* ended = ended_.find(key.session, now);
  if (ended != nullptr && *ended >= key.token) {
    base::rare(base::Rare::directive_of_ended_lease);
    return;
  }
  Run& run = runs_[key];
  const bool is_new = directive.number > run.directive.number;
  if (!is_new) base::rare(base::Rare::directive_overtaken);  // or it came twice
  if (!is_new) return;
  run.directive = std::move(directive);
  advance(key, run, now);
}

void AgentRunner::on_ack(const ReportAckBody& ack) {
  const auto found = runs_.find({ack.session, ack.token});
  if (found == runs_.end()) return;
  Run& run = found->second;
  const std::size_t before = run.unacked_bytes;
  while (!run.unacked.empty() && run.unacked.front().sequence <= ack.through) forget_first(run);
  if (run.unacked_bytes != before) run.acked_at = now_;
  unacked_bytes_ -= before - run.unacked_bytes;
  run.sent = std::max(run.sent, ack.through);
  const bool is_held_back = ack.resend_after.count() > 0 && run.resend_at.count() == 0;
  if (is_held_back) run.resend_at = now_ + ack.resend_after;
  if (ack.resend) unsend(run, ack.through);
  if (ack.lost) {
    base::rare(base::Rare::lease_lost);
    run.is_lost = true;
  }
}

void AgentRunner::forget_first(Run& run) {
  const std::size_t bytes = size_of(run.unacked.front());
  run.unacked_bytes -= bytes;
  if (run.unacked.front().sequence <= run.sent) run.in_flight_bytes -= bytes;
  run.unacked.pop_front();
}

// Marks the reports behind `through` as not sent, as far as they are still here.
void AgentRunner::unsend(Run& run, std::int64_t through) {
  if (run.unacked.empty()) return;
  const std::int64_t first = run.unacked.front().sequence;
  const std::int64_t kept = std::max(through, first - 1);
  while (run.sent > kept) {
    const auto index = static_cast<std::size_t>(run.sent - first);
    run.in_flight_bytes -= size_of(run.unacked[index]);
    --run.sent;
  }
}

// Each lease counts for itself: acknowledgements of others say nothing about its reports.
void AgentRunner::resend_when_due(Run& run) {
  const bool is_in_flight = !run.unacked.empty() && run.unacked.front().sequence <= run.sent;
  if (!is_in_flight) run.acked_at = now_;
  const bool is_held_back = run.resend_at.count() > 0;
  if (is_held_back ? now_ < run.resend_at : now_ - run.acked_at <= options_.resend_after) return;
  run.acked_at = now_;
  run.resend_at = {};
  if (!is_in_flight) return;
  base::rare(base::Rare::reports_resent);
  unsend(run, 0);
}

void AgentRunner::set_reading(Run& run) {
  const bool may_read = run.unacked_bytes < options_.unacked_bytes_max / runs_.size();
  if (std::exchange(run.is_reading, may_read) == may_read || !run.agent.process) return;
  run.agent.process->set_reading(may_read);
}

bool AgentRunner::do_work(base::Duration now) {
  thread_.check();
  now_ = now;
  const std::size_t before = unacked_bytes_;
  for (auto& [key, run] : runs_) {
    resend_when_due(run);
    set_reading(run);
    advance(key, run, now);
    pump(run, now);
  }
  forget_ended(now);
  return unacked_bytes_ != before;
}

void AgentRunner::forget_ended(base::Duration now) {
  std::erase_if(runs_, [&](const auto& entry) {
    const auto& [key, run] = entry;
    if (!run.has_ended() || (!run.unacked.empty() && !run.is_lost)) return false;
    unacked_bytes_ -= run.unacked_bytes;
    const auto* ended = ended_.find(key.session, now);
    ended_.put(key.session, ended == nullptr ? key.token : std::max(*ended, key.token), now);
    // After any other end another lease can follow, whose agent uses the same folders.
    if (!run.is_lost && run.directive.end != LeaseEnd::none) launcher_.clean_up(key.session);
    return true;
  });
}

void AgentRunner::forget_unbegun() {
  std::erase_if(runs_, [](const auto& entry) { return entry.second.stage == Stage::waiting; });
}

void AgentRunner::advance(const Key& key, Run& run, base::Duration now) {
  if (run.has_ended()) return;
  if (run.stage == Stage::waiting) {
    const bool is_older_alive = std::any_of(runs_.begin(), runs_.end(), [&](const auto& entry) {
      return entry.first.session == key.session && entry.first.token < key.token &&
             !entry.second.has_ended();
    });
    if (is_older_alive) {
      base::rare(base::Rare::older_lease_alive);
      return;
    }
    if (is_leaving_ || run.is_lost || run.directive.end != LeaseEnd::none) {
      domain::ReportAgentExited exited;
      exited.is_stopped = is_leaving_;
      report(run, exited);
      run.stage = Stage::has_ended;
      return;
    }
    run.active_at = now;
    launch(run, now);
  }
  obey(run, now);
}

void AgentRunner::launch(Run& run, base::Duration now) {
  auto agent = launcher_.launch(run.directive);
  if (!agent) {
    report(run, domain::ReportStartFailed{base::describe(agent.error())});
    run.stage = Stage::has_ended;
    return;
  }
  run.stage = Stage::running;
  run.approvals = run.directive.spec.approvals;
  run.changes = run.directive.changes;
  run.told = run.directive.spec;
  if (run.directive.turn) run.requests = run.directive.turn->deferred_request;
  run.steps = PromptSteps(run.directive.hook_points);
  run.agent = std::move(*agent);
  run.agent.process->set_reading(run.is_reading);
  if (run.agent.answers_of_others > 0) report_others(run);
  tell(run, engines::Begin{}, now);
}

void AgentRunner::report_others(Run& run) {
  const DirectiveBody& wanted = run.directive;
  domain::AgentSessionShared shared;
  if (wanted.turn) shared.turn = wanted.turn->turn;
  shared.agent_session = wanted.resume_agent_session.empty() ? *wanted.spec.resume_agent_session
                                                             : wanted.resume_agent_session;
  shared.message = wanted.last_message;
  shared.answers = run.agent.answers_of_others;
  report(run, shared);
  run.is_note_due = true;
}

// Returns the prompt as the agent is to get it. A command of the agent must stand alone.
std::string AgentRunner::noted_prompt(Run& run, const std::string& prompt) {
  if (!run.is_note_due || prompt.starts_with('/')) return prompt;
  run.is_note_due = false;
  return std::string(kOthersNote) + prompt;
}

// Brings the agent from its present state to the one that the latest directive describes.
void AgentRunner::obey(Run& run, base::Duration now) {
  if (run.stage >= Stage::ending) return;
  const DirectiveBody& wanted = run.directive;
  if (run.is_lost || wanted.end == LeaseEnd::kill) return end(run);
  run.is_stopped |= is_to_stop(run, now);
  // Before a prompt that is given now: the interrupt is not for it.
  const base::TurnId own = wanted.own_turn_to_end;
  if (own.is_set() && own == run.own && std::exchange(run.own_interrupted, own) != own) {
    tell(run, engines::Interrupt{own}, now);
  }
  give_answers(run, now);
  if (run.stage >= Stage::ending) return;
  tell_settings(run, now);
  if (const auto due = defer_due(run); due && now >= *due) defer(run, now);
  if (wanted.turn && wanted.turn->turn != run.begun && !run.is_stopped && !run.is_deaf) {
    begin_turn(run, now);
  }
  add_prompts(run, now);
  const bool is_asked =
      wanted.turn && wanted.turn->is_interrupted && wanted.turn->turn == run.begun;
  if (is_asked && run.begun != run.answered && run.begun != run.interrupted) {
    run.interrupted = run.begun;
    tell(run, engines::Interrupt{run.begun}, now);
  }
  if (run.is_stopped && is_leaving_) return end(run);
  const bool is_done = wanted.end == LeaseEnd::close || run.is_refused || run.state.wants_exit;
  if (!is_done) run.tasks_awaited.reset();
  if (run.is_stopped || run.is_deaf || (is_done && !waits_for_tasks(run, now))) {
    close_stdin(run, now);
  }
  if (run.stage == Stage::closing && now >= run.close_by) end(run);
}

// Returns the prompt of that number of the turn as its hooks have left it; none: they are asked.
std::optional<SteppedPrompt> AgentRunner::stepped_prompt(Run& run, std::size_t number) {
  const DirectiveBody& wanted = run.directive;
  const base::TurnId turn = wanted.turn->turn;
  const std::string& prompt = number == 0 ? wanted.turn->prompt : wanted.turn->injected[number - 1];
  const bool is_resumed =
      !wanted.resume_agent_session.empty() || !wanted.spec.resume_agent_session->empty();
  const StartFacts facts{wanted.spec, is_resumed};
  if (auto step = run.steps.next({turn, number}, prompt, facts, wanted.turn->files)) {
    this->ask(run, std::move(*step));
  }
  return run.steps.ready({turn, number}, prompt);
}

// Ends a turn whose prompt the agent was not given.
void AgentRunner::end_unbegun(Run& run, std::string_view subtype, const std::string& why) {
  run.begun = run.answered = run.directive.turn->turn;
  run.injected = 0;
  domain::ReportTurnResult result;
  result.turn = run.begun;
  result.is_error = true;
  result.subtype = subtype;
  result.text = why;
  result.basis = domain::CostBasis::reported;
  report(run, std::move(result));
}

// Hooks can still be about to answer what was asked before the prompt.
void AgentRunner::drop_steps(Run& run) {
  std::erase_if(run.asks, [&](const auto& open) {
    const bool is_dropped = is_of_host(open.second.point);
    if (is_dropped) report(run, domain::ReportAskClosed{open.first, true});
    return is_dropped;
  });
  run.steps.drop();
}

void AgentRunner::begin_turn(Run& run, base::Duration now) {
  const DirectedTurn& wanted = *run.directive.turn;
  if (wanted.is_interrupted && run.steps.is_awaiting()) {
    drop_steps(run);
    return end_unbegun(run, "interrupted", {});
  }
  const bool is_deferred = !wanted.deferred.empty();
  auto prompt = is_deferred ? SteppedPrompt{} : stepped_prompt(run, 0);
  if (!prompt) return;
  run.active_at = now;
  if (prompt->is_blocked) return end_unbegun(run, domain::kBlockedByHook, prompt->reason);
  const base::TurnId before = std::exchange(run.begun, wanted.turn);
  run.injected = 0;
  engines::BeginTurn begin{run.begun, {}, {}, is_deferred};
  if (!is_deferred) {
    begin.prompt = noted_prompt(run, prompt->text);
    begin.files = files_of(wanted, 0);
  }
  run.is_deaf = !tell(run, std::move(begin), now);
  if (run.is_deaf) run.begun = before;
  run.is_refused &= run.is_deaf;
}

// Adds what the agent was not given yet to the turn under way. Behind its result it is too late:
// the server sees that from the result.
void AgentRunner::add_prompts(Run& run, base::Duration now) {
  const auto& turn = run.directive.turn;
  if (!turn || turn->turn != run.begun || run.begun == run.answered) return;
  if (!turn->deferred.empty() || run.deferring != 0) return;
  while (run.injected < turn->injected.size() && !run.is_stopped && !run.is_deaf) {
    auto prompt = stepped_prompt(run, run.injected + 1);
    if (!prompt) return;
    run.active_at = now;
    engines::AddPrompt added{std::move(prompt->text), {}};
    // The record has it among the turn's prompts, so something stands for it.
    if (prompt->is_blocked) {
      added.prompt = "<note>A hook blocked a prompt: " + prompt->reason + "</note>";
    } else {
      added.files = files_of(*turn, run.injected + 1);
    }
    run.is_deaf = !tell(run, std::move(added), now);
    if (run.is_deaf) {
      tell(run, engines::TakeBackPrompt{}, now);
      return;
    }
    ++run.injected;
  }
}

// An answer that comes again was given, or is not waited for any more.
void AgentRunner::give_answers(Run& run, base::Duration now) {
  for (const DirectedAnswer& directed : run.directive.answers) {
    const auto found = run.asks.find(directed.request);
    if (found == run.asks.end() || directed.request == run.deferring) continue;
    run.active_at = now;
    if (is_of_host(found->second.point)) {
      run.steps.take(found->second.point, directed.is_granted, directed.text);
      run.asks.erase(found);
      report(run, domain::ReportAskClosed{directed.request});
      continue;
    }
    engines::Answer answer{std::move(found->second), directed.is_granted, directed.text};
    if (!answer.is_granted && answer.text.empty()) answer.text = kDenied;
    run.asks.erase(found);
    const bool is_read = tell(run, std::move(answer), now);
    // The end of a process that was not given it is the end of what it asks.
    if (!is_read || run.stage >= Stage::ending) return;
    report(run, domain::ReportAskClosed{directed.request});
  }
}

// Returns the only thing that the agent waits for, if its next process can ask it again.
const engines::Ask* AgentRunner::deferrable(const Run& run) {
  const bool is_alone = run.asks.size() == 1 && run.injected == 0 && !run.own.is_set() &&
                        run.state.can_defer && !run.state.has_tasks &&
                        run.directive.end == LeaseEnd::none;
  if (!is_alone) return nullptr;
  const engines::Ask& ask = run.asks.begin()->second;
  return ask.is_deferrable && ask.turn == run.begun ? &ask : nullptr;
}

// A person who takes long needs no process meanwhile.
std::optional<base::Duration> AgentRunner::defer_due(const Run& run) const {
  if (deferrable(run) == nullptr || run.deferring != 0 || run.is_lost) return std::nullopt;
  if (is_leaving_) return base::Duration{0};
  if (options_.idle_max.count() == 0) return std::nullopt;
  return run.asked_at + options_.idle_max;
}

void AgentRunner::defer(Run& run, base::Duration now) {
  run.deferring = run.asks.begin()->first;
  tell(run, engines::Defer{run.asks.begin()->second}, now);
}

// The agent was started with what had changed by then.
void AgentRunner::tell_settings(Run& run, base::Duration now) {
  const DirectiveBody& wanted = run.directive;
  if (wanted.changes <= run.changes || wanted.end != LeaseEnd::none) return;
  run.changes = wanted.changes;
  engines::Configure changed{wanted.changes,
                             engines::differing_settings(wanted.changed, run.told, wanted.spec),
                             wanted.spec};
  run.untold = std::exchange(run.told, wanted.spec);
  tell(run, std::move(changed), now);
}

bool AgentRunner::waits_for_people(const Run& run) {
  return std::any_of(run.asks.begin(), run.asks.end(),
                     [](const auto& open) { return open.second.kind != engines::AskKind::step; });
}

bool AgentRunner::is_at_work(const Run& run) {
  return run.answered != run.begun || run.own.is_set() || run.state.has_tasks;
}

// Called while the agent is to end. True if it has tasks that are to end before. Gives them up
// after a time, and reports that.
bool AgentRunner::waits_for_tasks(Run& run, base::Duration now) {
  if (run.stage >= Stage::closing || !run.state.has_tasks) return false;
  // A task that waits for an answer does nothing meanwhile.
  if (!run.asks.empty()) {
    run.tasks_awaited.reset();
    return true;
  }
  // The agent deals with a task that has ended, and may be about to say what matters.
  if (run.own.is_set() && run.directive.end == LeaseEnd::none) {
    run.tasks_awaited.reset();
    return true;
  }
  if (!run.tasks_awaited) run.tasks_awaited = now;
  const auto due = tasks_due(run);
  if (!due || now < *due) return true;
  report(run, domain::ReportTasksChanged{0, "", true});
  return false;
}

std::optional<base::Duration> AgentRunner::tasks_due(const Run& run) const {
  const bool is_limited = run.tasks_awaited && options_.task_wait.count() > 0;
  return is_limited ? std::optional(*run.tasks_awaited + options_.task_wait) : std::nullopt;
}

// True if the agent is to be ended although nobody asked for that. Its session goes on.
bool AgentRunner::is_to_stop(const Run& run, base::Duration now) const {
  // Nobody knows when an agent that waits for an answer would go on.
  if (is_leaving_) {
    const bool waits = waits_for_people(run) && deferrable(run) == nullptr;
    return !is_at_work(run) || waits || now >= leave_by_;
  }
  const bool is_directed = run.directive.turn && run.directive.turn->turn != run.begun;
  if (is_at_work(run) || is_directed) return false;
  if (run.directive.is_place_wanted) return true;
  return options_.idle_max.count() > 0 && now - run.active_at >= options_.idle_max;
}

// Returns when the agent counts as silent if it says nothing until then; none: its silence is no
// sign of anything.
std::optional<base::Duration> AgentRunner::silence_due(const Run& run) const {
  const bool is_awaited = run.answered != run.begun || run.own.is_set();
  if (!is_awaited || !run.asks.empty() || !run.is_reading || run.stage >= Stage::ending ||
      run.is_lost)
    return std::nullopt;
  return run.watch.silent_at(run.active_at, options_.silence_max);
}

void AgentRunner::report_silence(Run& run, bool is_over, base::Duration silence) {
  const base::TurnId turn = run.answered != run.begun ? run.begun : run.own;
  report(run, domain::AgentSilenceReported{turn, is_over, silence});
}

void AgentRunner::close_stdin(Run& run, base::Duration now) {
  if (run.stage >= Stage::closing) return;
  run.stage = Stage::closing;
  // An agent with tasks would go on with them after the end of its input.
  run.close_by = run.state.has_tasks ? now : now + options_.close_grace;
  run.agent.process->close_stdin();
}

void AgentRunner::end(Run& run) {
  run.stage = Stage::ending;
  run.agent.process->terminate(options_.kill_grace);
}

void AgentRunner::pump(Run& run, base::Duration now) {
  if (run.has_ended() || !run.agent.process) return;
  run.agent.process->pump(now);
  for (processes::ProcessEvent& event : run.agent.process->take_events()) {
    take_event(run, event, now);
  }
  if (run.has_ended()) return;
  // An agent that is not read may have said something: it does not count as silent.
  const auto due = run.is_reading ? run.state.deadline : std::nullopt;
  if (due && *due <= as_time(now)) tell(run, engines::TimeIsDue{}, now, false);
  if (const auto silent = silence_due(run); silent && *silent <= now) {
    report_silence(run, false, now - run.active_at);
  }
}

void AgentRunner::take_event(Run& run, processes::ProcessEvent& event, base::Duration now) {
  run.active_at = now;
  if (const auto* started = std::get_if<processes::ProcessStarted>(&event)) {
    report(run,
           domain::ReportAgentStarted{started->pid, started->start_ticks, run.agent.price_table});
  } else if (const auto* failed = std::get_if<processes::StartFailed>(&event)) {
    report(run, domain::ReportStartFailed{failed->text +
                                          advice_on(failed->reason, run.agent.program_setting)});
    run.stage = Stage::has_ended;
  } else if (auto* frame = std::get_if<processes::Frame>(&event)) {
    take_frame(run, *frame, now);
  } else if (const auto* exited = std::get_if<processes::ProcessExited>(&event)) {
    tell(run, engines::OutputEnded{}, now);
    report(run,
           domain::ReportAgentExited{std::max<std::int64_t>(0, exited->code), exited->signal,
                                     exited->stderr_tail, run.is_stopped, run.has_introduced,
                                     run.is_refused ? base::TurnId{} : run.begun, run.is_whole});
    run.stage = Stage::has_ended;
  }
}

void AgentRunner::take_frame(Run& run, processes::Frame& frame, base::Duration now) {
  const std::int64_t reports_before = run.sequence;
  if (frame.ending == processes::FrameEnding::whole) {
    tell(run, engines::FrameCame{std::move(frame.bytes)}, now);
  } else {
    run.is_whole = false;
    report(run, domain::ReportAgentLine{fault_of(frame.ending),
                                        static_cast<std::int64_t>(frame.bytes.size()),
                                        frame.bytes.substr(0, kFaultyFrameMax)});
    if (frame.ending != processes::FrameEnding::cut_short) give_up_turns(run, frame.ending, now);
  }
  const bool has_reported = run.sequence != reports_before;
  if (run.watch.is_silence_reported() && !has_reported) report_silence(run, true);
}

// Fails the turns under way, and ends the agent: the lost part of its output may have been the end
// of a turn, for which everybody would wait for ever.
void AgentRunner::give_up_turns(Run& run, processes::FrameEnding ending, base::Duration now) {
  tell(run, engines::OutputEnded{}, now);
  const bool is_too_long = ending == processes::FrameEnding::too_long;
  domain::ReportTurnResult failed;
  failed.is_error = true;
  failed.subtype = is_too_long ? "line_too_long" : "frame_malformed";
  failed.text =
      is_too_long
          ? "the agent wrote a line of more than 16 MiB, which was cut; its turn was ended, "
            "because nobody can tell what else the line said"
          : "the agent's output has no frames any more; its turn was ended, because nobody can "
            "tell what else it said";
  failed.basis = domain::CostBasis::at_least;
  if (run.own.is_set()) {
    failed.turn = run.own;
    report(run, failed);
  }
  if (run.answered != run.begun) {
    failed.turn = run.begun;
    report(run, failed);
  }
  if (run.stage < Stage::ending) end(run);
}

void AgentRunner::note(Run& run, const domain::Report& report) {
  constexpr std::int64_t kTooManyRequests = 429;
  run.has_introduced |= std::holds_alternative<domain::ReportInitialized>(report);
  if (const auto* own = std::get_if<domain::ReportOwnTurnStarted>(&report)) run.own = own->turn;
  if (const auto* status = std::get_if<domain::AgentStatusReported>(&report)) {
    const auto mode = base::parse_enum<domain::PermissionMode>(status->permission_mode);
    if (mode) run.told.permission_mode = *mode;
  }
  const auto* settings = std::get_if<domain::SettingsTold>(&report);
  if (settings != nullptr && !settings->refusal.empty()) run.told = run.untold;
  const auto* limit = std::get_if<domain::RateLimitReported>(&report);
  run.is_limited |= limit != nullptr && limit->status == "rejected";
  const auto* result = std::get_if<domain::ReportTurnResult>(&report);
  if (result == nullptr) return;
  run.is_limited &= result->is_error;
  if (result->turn == run.begun) {
    run.answered = run.begun;
    run.is_refused = run.is_limited || !result->deferred.empty() ||
                     (result->is_error && result->api_status == kTooManyRequests);
    // It stays asked.
    if (!result->deferred.empty()) run.asks.erase(std::exchange(run.deferring, 0));
  }
  if (result->turn == run.own) run.own = {};
}

void AgentRunner::report(Run& run, domain::Report report, bool is_heard) {
  if (run.is_lost) return;
  note(run, report);
  auto* result = std::get_if<domain::ReportTurnResult>(&report);
  if (result != nullptr && result->turn == run.begun) {
    result->injected = static_cast<std::int64_t>(run.injected);
  }
  run.watch.take(report, is_heard);
  run.unacked.push_back(encode_report(++run.sequence, report));
  const std::size_t bytes = size_of(run.unacked.back());
  run.unacked_bytes += bytes;
  unacked_bytes_ += bytes;
}

// Has the server ask whoever is to answer. What was deferred is asked already.
void AgentRunner::ask(Run& run, engines::Ask ask) {
  run.asked_at = now_;
  const auto& turn = run.directive.turn;
  const bool is_again = turn && !turn->deferred.empty() && turn->deferred == ask.call &&
                        ask.kind != engines::AskKind::step;
  if (is_again) {
    run.has_introduced = true;
    run.asks[turn->deferred_request] = std::move(ask);
    return;
  }
  // It has not deferred the call, and goes on with it.
  const auto deferring = run.asks.find(run.deferring);
  if (deferring != run.asks.end() && deferring->second.call == ask.call) {
    deferring->second = std::move(ask);
    run.deferring = 0;
    return;
  }
  report(run, domain::ReportAskRaised{++run.requests, kind_of(ask.kind), ask.turn, ask.subject,
                                      ask.call, engines::ask_text(ask), ask.point});
  run.asks[run.requests] = std::move(ask);
}

void AgentRunner::withdraw(Run& run, const std::string& ask) {
  for (auto open = run.asks.begin(); open != run.asks.end(); ++open) {
    if (ask.empty() || open->second.id != ask) continue;
    report(run, domain::ReportAskClosed{open->first, true});
    if (open->first == run.deferring) run.deferring = 0;
    run.asks.erase(open);
    return;
  }
}

// Gives the engine an input and passes on what follows from it. An ask for which nobody is to wait
// is answered at once. Returns false if the agent does not read any more; its exit follows.
bool AgentRunner::tell(Run& run, engines::Input::Step step, base::Duration now, bool is_heard) {
  std::deque<engines::Input::Step> steps;
  steps.push_back(std::move(step));
  bool is_read = true;
  // An answer can bring further asks, as many as the agent likes.
  for (bool is_first = true; !steps.empty(); is_first = false) {
    engines::Output out = run.agent.engine->handle({std::move(steps.front()), as_time(now)});
    steps.pop_front();
    run.state = out.state;
    for (const std::string& withdrawn : out.withdrawn) withdraw(run, withdrawn);
    for (domain::Report& each : out.reports) report(run, std::move(each), is_heard);
    const bool is_written = write(run, out.writes);
    if (is_first) is_read = is_written;
    for (engines::Ask& ask : out.asks) {
      const bool is_recorded =
          ask.kind == engines::AskKind::step ||
          (ask.kind != engines::AskKind::request && run.approvals == domain::Approvals::ask);
      if (is_recorded) {
        this->ask(run, std::move(ask));
      } else {
        steps.emplace_back(unattended_answer(ask));
      }
    }
  }
  return is_read;
}

// Returns false if the agent does not read any more; its exit follows.
bool AgentRunner::write(Run& run, const base::Bytes& bytes) {
  if (bytes.empty()) return true;
  const auto written = run.agent.process->write(bytes);
  if (written) return true;
  if (written.error().code == base::ErrorCode::unreachable) return false;
  report(run,
         domain::ReportAgentLine{domain::LineFault::unknown_kind, 0,
                                 "not given to the agent: " + base::describe(written.error())});
  end(run);
  return true;
}

bool AgentRunner::has_unsent(const Run& run) const {
  if (run.is_lost || run.unacked.empty() || run.unacked.back().sequence <= run.sent) return false;
  if (run.resend_at.count() > 0) return false;
  const std::int64_t in_flight = run.sent + 1 - run.unacked.front().sequence;
  return in_flight < options_.in_flight_max && run.in_flight_bytes < options_.in_flight_bytes_max;
}

std::optional<ReportsBody> AgentRunner::take_reports() {
  // Begins behind the lease that was taken last, and wraps around.
  auto next = runs_.upper_bound(last_sent_);
  for (std::size_t i = 0; i < runs_.size(); ++i, ++next) {
    if (next == runs_.end()) next = runs_.begin();
    if (!has_unsent(next->second)) continue;
    last_sent_ = next->first;
    return take_reports(next->first, next->second);
  }
  return std::nullopt;
}

ReportsBody AgentRunner::take_reports(const Key& key, Run& run) {
  ReportsBody body{key.session, run.directive.agent, key.token, {}};
  std::size_t bytes = 0;
  const std::int64_t first = run.unacked.front().sequence;
  for (auto i = static_cast<std::size_t>(run.sent + 1 - first); i < run.unacked.size(); ++i) {
    const SequencedReport& report = run.unacked[i];
    const bool is_full = bytes + size_of(report) > options_.batch_bytes_max;
    if (!body.reports.empty() && is_full) break;
    if (report.sequence - first >= options_.in_flight_max) break;
    bytes += size_of(report);
    body.reports.push_back(report);
  }
  run.sent = body.reports.back().sequence;
  run.in_flight_bytes += bytes;
  return body;
}

void AgentRunner::put_back(const ReportsBody& reports) {
  const auto found = runs_.find({reports.session, reports.token});
  if (found != runs_.end()) unsend(found->second, reports.reports.front().sequence - 1);
}

std::vector<HeldLease> AgentRunner::held() const {
  std::vector<HeldLease> held;
  for (const auto& [key, run] : runs_) {
    if (run.is_lost) continue;
    held.push_back({key.session, run.directive.agent, key.token, run.directive.number});
  }
  return held;
}

bool AgentRunner::is_idle() const {
  return runs_.empty();
}

void AgentRunner::end_all(base::Duration by) {
  is_leaving_ = true;
  leave_by_ = by;
}

std::vector<processes::PollWish> AgentRunner::poll_wishes() const {
  std::vector<processes::PollWish> wishes;
  for (const auto& [key, run] : runs_) {
    if (run.has_ended() || !run.agent.process) continue;
    const auto own = run.agent.process->poll_wishes();
    wishes.insert(wishes.end(), own.begin(), own.end());
  }
  return wishes;
}

std::optional<base::Duration> AgentRunner::deadline() const {
  std::optional<base::Duration> earliest;
  for (const auto& [key, run] : runs_) {
    const auto note = [&](base::Duration due) { earliest = std::min(earliest.value_or(due), due); };
    if (run.resend_at.count() > 0) note(run.resend_at);
    if (run.has_ended() || !run.agent.engine) continue;
    const auto of_engine = run.is_reading ? run.state.deadline : std::nullopt;
    if (of_engine) note(base::Duration{of_engine->us});
    if (const auto due = tasks_due(run); due && run.stage == Stage::running) note(*due);
    if (const auto due = defer_due(run); due && run.stage == Stage::running) note(*due);
    if (const auto due = silence_due(run)) note(*due);
  }
  return earliest;
}

}  // namespace workers
