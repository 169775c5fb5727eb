// Chooses each next event among those that the folded state allows.
#include "tests/support/history.hpp"

#include <algorithm>
#include <utility>

#include "eventlog/base/text_bytes.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/evolve.hpp"

namespace support {
namespace {

constexpr std::string_view kAgents[] = {"main", "ops", "main.2"};
// Few names, so that names of ended sessions are used again.
constexpr std::string_view kNames[] = {"fix-login", "fix-login-2", "read me/first", "größe", "a"};

// Returns the agent's session that a live session with this spec holds; empty: none.
std::string held_agent_session(const domain::SessionSpec& spec) {
  return spec.is_fork ? std::string() : *spec.resume_agent_session;
}

}  // namespace

History::History(std::uint64_t seed, const HistoryOptions& options)
    : options_(options), log_(seed) {
  while (options_.steps-- > 0) {
    step();
    if (below(options_.block_events_max) == 0) log_.seal();
  }
  log_.seal();
}

void History::step() {
  if (live_.empty() || (live_.size() < options_.sessions_max && chance(8))) return open();
  if (chance(2)) {
    import();
    log_.add(domain::kServerStream, domain::ServerStarted{{}, 1, "test"});
    log_.advance(std::chrono::hours{below(30)});
  }
  // A copy, since act() can take the session off the list.
  const std::string stream = live_[below(live_.size())];
  act(stream);
}

void History::emit(const std::string& stream, domain::Event event, std::string content) {
  log_.add(stream, std::move(event), std::move(content));
  const domain::RecordedEvent& recorded = log_.events().back();
  domain::evolve(states_[stream], recorded.envelope, recorded.event);
}

// Some conversations, which change now and then.
void History::converse(const std::string& agent) {
  const std::string number = std::to_string(conversed_++ % 8);
  const std::string key = "agent:" + agent + ":telegram:group:" + number;
  const std::string stream = domain::conversation_stream(agent, key);
  if (conversations_.insert(stream).second) {
    log_.add(stream, domain::ConversationOpened{key, {}, {}, {}});
  }
  log_.add(stream, domain::EntryChanged{{{"label", "the " + number}}, {}});
}

void History::open() {
  domain::SessionOpened opened;
  opened.agent = kAgents[below(std::size(kAgents))];
  opened.session = base::SessionId::make(log_.now(), log_.random());
  const std::string stream = domain::session_stream(opened.agent, opened.session);
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(live_.begin(), live_.end(), [&](const std::string& other) {
      return states_[other].agent == opened.agent && states_[other].name == name;
    });
  };
  opened.name = kNames[below(std::size(kNames))];
  while (is_taken(opened.name)) opened.name += "-" + std::to_string(below(100));
  // Some sessions get no name. All are admitted without one, as by older releases.
  const std::string made_name = chance(30) ? std::exchange(opened.name, {}) : std::string();
  opened.alias = base::to_hex(base::EventId::make(log_.now(), log_.random()).view()).substr(24);
  opened.spec.edit().engine = chance(50) ? "claude" : "scripted";
  opened.spec.edit().workdir = "/tmp/somewhere";
  opened.spec.edit().model = chance(50) ? "opus" : "";
  opened.spec.edit().is_multi_turn = chance(70);
  opened.spec.edit().remind_after = std::chrono::minutes(10);
  opened.spec.edit().channel = "telegram|1234";
  converse(opened.agent);
  if (opened.alias.back() < '4') {
    opened.descriptor.edit().kind = domain::DescriptorKind::cron;
    opened.descriptor.edit().task = "nightly";
  }
  opened.lineage = opened.session;
  if (!ended_.empty() && chance(30)) {
    const domain::SessionState& source = states_[ended_[below(ended_.size())]];
    if (source.agent == opened.agent && !source.agent_session.empty()) {
      opened.resumed_from = source.session;
      opened.lineage = source.lineage;
      opened.carried_cost = source.agent_total;
      opened.spec.edit().resume_agent_session = source.agent_session;
      opened.spec.edit().is_fork = is_held(source.agent, source.agent_session) || chance(30);
      emit(domain::session_stream(source.agent, source.session),
           domain::SessionResumed{opened.session, opened.spec->is_fork});
    }
  }
  emit(stream, opened, chance(20) ? std::string("You are terse.") : std::string());
  if (!made_name.empty()) {
    emit(stream, domain::SessionNamed{domain::name_mark(made_name), 0}, made_name);
  }
  emit(stream, domain::TurnQueued{base::TurnId::make(log_.now(), log_.random())}, "Do it.");
  log_.add(domain::registry_stream(opened.agent),
           domain::NameClaimed{opened.session, opened.name, held_agent_session(opened.spec)});
  log_.add(domain::kAdmissionStream,
           domain::SessionAdmitted{opened.session, opened.agent, opened.alias});
  live_.push_back(stream);
}

bool History::is_held(const std::string& agent, const std::string& agent_session) const {
  return std::any_of(live_.begin(), live_.end(), [&](const std::string& stream) {
    const domain::SessionState& s = states_.at(stream);
    return s.agent == agent && held_agent_session(s.spec) == agent_session;
  });
}

void History::act(const std::string& stream) {
  const domain::SessionState& s = states_[stream];
  if (chance(4)) return close(stream, domain::SessionStatus::killed, domain::EndReason::user);
  if (!s.lease) return act_without_lease(stream);
  s.turn ? act_in_turn(stream) : act_between_turns(stream);
}

void History::act_without_lease(const std::string& stream) {
  const domain::SessionState& s = states_[stream];
  emit(stream, domain::LeaseGranted{base::WorkerId::make(log_.now(), log_.random()),
                                    s.last_token.next(), s.agent_session});
  start_next_turn(stream);
  if (chance(10)) {
    emit(stream, domain::AgentStartFailed{}, "no such program");
    emit(stream, domain::LeaseReleased{s.last_token});
    return close(stream, domain::SessionStatus::failed, domain::EndReason::start_failed);
  }
  emit(stream, domain::AgentStarted{static_cast<std::int64_t>(2 + below(30000)), 77});
  if (!s.agent_session.empty() && chance(10)) {
    if (const std::string held = held_agent_session(s.spec); !held.empty()) {
      log_.add(domain::registry_stream(s.agent), domain::AgentSessionReleased{s.session, held});
    }
    emit(stream, domain::AgentSessionLost{s.agent_session}, "No conversation found");
  }
  const bool is_new = s.agent_session.empty() || chance(20);
  const std::string agent_session = !s.spec.resume_agent_session->empty() && !s.spec.is_fork
                                        ? *s.spec.resume_agent_session
                                    : is_new ? base::EventId::make(log_.now(), log_.random()).text()
                                             : s.agent_session;
  emit(stream, domain::AgentInitialized{agent_session, "model-1", "9.9"});
}

void History::act_in_turn(const std::string& stream) {
  const domain::SessionState& s = states_[stream];
  const base::TurnId turn = s.turn->turn;
  switch (below(9)) {
    case 0:
    case 1:
      emit(stream, domain::PartialOutputRecorded{turn, s.blocks + 1}, "so");
      [[fallthrough]];
    case 2:
      emit(stream, domain::OutputRecorded{turn, s.blocks + 1, domain::OutputKind::text}, "so!");
      return;
    case 3:
      emit(stream, domain::ToolCallStarted{turn, "call", "Bash", "", "", 12}, "{}");
      emit(stream, domain::ToolCallsRepeated{turn, "Bash", 12});
      emit(stream, domain::AgentSilenceReported{turn});
      emit(stream, domain::AgentSilenceReported{turn, true});
      emit(stream,
           domain::AskRaised{s.asks_raised + 1, 1, domain::AskKind::approval, turn, "Bash", "call"},
           "{\"input\":{}}");
      emit(stream, domain::AskAnswered{s.asks_raised, domain::AskVerdict::granted,
                                       domain::AskBasis::person});
      emit(stream, domain::AskClosed{s.asks_raised, domain::AskEnd::told});
      emit(stream, domain::ToolCallFinished{turn, "call", chance(20)}, "done");
      return;
    case 4:
      if (s.spec.is_multi_turn && s.queue.size() < 4) {
        const base::TurnId next = base::TurnId::make(log_.now(), log_.random());
        emit(stream, domain::TurnQueued{next}, "And then?");
        if (chance(20)) {
          emit(stream, domain::TurnInterrupted{next, domain::EndReason::user, {}});
        }
      }
      if (!s.spec.is_multi_turn) {
        emit(stream, domain::FileAttached{turn}, "notes");
        const domain::FileFacts file{"a.txt", std::string(domain::kTextType), 5};
        emit(stream, domain::PromptInjected{turn, {}, std::vector{file}}, "And this.");
      }
      return;
    case 5:
      if (!s.turn->is_interrupt_requested) emit(stream, domain::InterruptRequested{turn});
      return;
    case 6:
      if (!chance(30)) return;
      if (chance(50)) {
        if (!s.turn->injected->empty()) emit(stream, domain::TurnContinued{turn, 0});
        emit(stream, domain::TurnReturned{turn});
        return start_next_turn(stream);
      }
      emit(stream, domain::TurnInterrupted{turn, domain::EndReason::worker_lost, {}});
      emit(stream, domain::LeaseExpired{s.lease->token});
      if (s.spec.is_multi_turn) return;
      return close(stream, domain::SessionStatus::failed, domain::EndReason::worker_lost);
    default:
      return end_turn(stream);
  }
}

void History::act_between_turns(const std::string& stream) {
  const domain::SessionState& s = states_[stream];
  if (!s.queue.empty()) return start_next_turn(stream);
  if (s.is_close_requested || chance(15)) {
    if (!s.is_close_requested) emit(stream, domain::CloseRequested{});
    emit(stream, domain::AgentExited{0, 0});
    emit(stream, domain::LeaseReleased{s.lease->token});
    return close(stream, domain::SessionStatus::completed, domain::EndReason::none);
  }
  if (chance(20)) return have_own_turn(stream);
  emit(stream, domain::TurnQueued{base::TurnId::make(log_.now(), log_.random())}, "Go on.");
  start_next_turn(stream);
}

void History::have_own_turn(const std::string& stream) {
  const domain::SessionState& s = states_[stream];
  const base::TurnId turn = base::TurnId::make(log_.now(), log_.random());
  emit(stream, domain::TasksChanged{2, false, 1}, "Wait.");
  emit(stream, domain::ModelCallRetried{turn, 1, 10, base::Duration{500'000}, 529, "overloaded"});
  emit(stream, domain::ModelFellBack{turn, "opus", "sonnet", "overloaded"});
  emit(stream,
       domain::RateLimitReported{turn, "allowed_warning", "five_hour", {1'999'999'999}, {}});
  emit(stream, domain::ToolCallDenied{turn, "call", "Write"});
  emit(stream, domain::AgentNoted{turn, "warning", "hook_no_verdict", "call"}, "No answer.");
  emit(stream, domain::McpServersReported{{"docs: failed"}});
  emit(stream, domain::SlashCommandsReported{{"compact"}});
  emit(stream, domain::SettingsChanged{s.changed->changes + 1, {"model"}, {}, true});
  emit(stream, domain::SettingsTold{s.changed->changes, ""});
  emit(stream, domain::ContextCompacted{turn, true, 190'104, 2'876});
  emit(stream, domain::AgentStatusReported{turn, "compacting", "plan", ""});
  emit(stream, domain::OwnTurnStarted{turn, domain::OwnTurnCause::task, "task", {}});
  emit(stream, domain::OutputRecorded{turn, s.blocks + 1, domain::OutputKind::text}, "It ended.");
  emit(stream, domain::TurnFinished{turn, random_cost(s)}, "It ended.");
  emit(stream, domain::TasksChanged{});
  emit(stream, domain::AttentionDismissed{});
  emit(stream, domain::ForegroundChanged{"telegram|1234", true, {}});
  emit(stream, domain::OutputSeen{"telegram|1234", s.opened});
}

// Makes a session of a transcript, and adds to it later.
void History::import() {
  domain::SessionOpened opened;
  opened.agent = kAgents[below(std::size(kAgents))];
  opened.session = opened.lineage = base::SessionId::make(log_.now(), log_.random());
  opened.alias = base::to_hex(base::EventId::make(log_.now(), log_.random()).view()).substr(24);
  opened.spec.edit().engine = "claude";
  opened.spec.edit().workdir = "/tmp/somewhere";
  const std::string stream = domain::session_stream(opened.agent, opened.session);
  emit(stream, opened);
  emit(stream, domain::SessionNamed{domain::name_mark("imported"), 1}, "imported");
  emit(stream, domain::AgentInitialized{"imported-" + opened.alias, "opus", "2.1"});
  log_.add(domain::kAdmissionStream,
           domain::SessionAdmitted{opened.session, opened.agent, opened.alias});
  log_.add(domain::kAdmissionStream, domain::SessionReleased{opened.session, false});
  domain::TranscriptImported read;
  read.form = domain::TranscriptForm::claude;
  for (int part = 1; part <= 2; ++part) {
    read.bytes += 100;
    read.lines += 2;
    read.ended = read.began = log_.now();
    emit(stream, read);
    emit(stream, domain::LineImported{read.lines - 1}, "{\"text\":\x01q1\x01}");
    domain::MessageImported message;
    message.said = log_.now();
    message.turn = base::TurnId::make(log_.now(), log_.random());
    emit(stream, message, "What is new?");
    emit(stream, domain::LineImported{read.lines}, "{\"input\":\x01r1\x01}");
    message.kind = part == 1 ? domain::ImportedKind::tool_call : domain::ImportedKind::said;
    message.usage.edit().output_tokens = 7;
    emit(stream, message, "{}");
    if (part == 1) {
      emit(stream, domain::SessionClosed{domain::SessionStatus::completed, {}});
    }
  }
  ended_.push_back(stream);
}

void History::start_next_turn(const std::string& stream) {
  const domain::SessionState& s = states_[stream];
  if (!s.queue.empty() && !s.turn) {
    emit(stream, domain::TurnStarted{s.queue.front().turn, s.lease->token});
  }
}

void History::end_turn(const std::string& stream) {
  const domain::SessionState& s = states_[stream];
  const base::TurnId turn = s.turn->turn;
  if (s.turn->is_interrupt_requested) {
    emit(stream, domain::TurnInterrupted{turn, domain::EndReason::user, random_cost(s)});
  } else if (chance(10)) {
    emit(stream, domain::TurnFailed{turn, "error", "api_error", 529, random_cost(s)}, "overload");
    if (!s.spec.is_multi_turn) {
      return close(stream, domain::SessionStatus::failed, domain::EndReason::turn_error);
    }
    if (s.queue.empty()) return;
    emit(stream, domain::QueuePaused{domain::EndReason::turn_error});
    emit(stream, domain::QueueContinued{});
  } else {
    emit(stream, domain::TurnFinished{turn, random_cost(s)}, "Done.");
  }
  if (!s.spec.is_multi_turn) {
    close(stream, domain::SessionStatus::completed, domain::EndReason::none);
  }
}

void History::close(const std::string& stream, domain::SessionStatus status,
                    domain::EndReason reason) {
  const domain::SessionState& s = states_[stream];
  if (s.turn) emit(stream, domain::TurnInterrupted{s.turn->turn, reason, random_cost(s)});
  while (!s.queue.empty()) {
    emit(stream,
         domain::TurnInterrupted{s.queue.front().turn, domain::EndReason::session_ended, {}});
  }
  if (s.remind_since.us != 0) emit(stream, domain::LongRunReached{});
  emit(stream, domain::SessionClosed{status, reason});
  notify(s);
  run_schedule(s);
  if (!s.name.empty()) {
    log_.add(domain::registry_stream(s.agent), domain::NameReleased{s.session, s.name});
  }
  if (const std::string held = held_agent_session(s.spec); !held.empty()) {
    log_.add(domain::registry_stream(s.agent), domain::AgentSessionReleased{s.session, held});
  }
  log_.add(domain::kAdmissionStream, domain::SessionReleased{s.session});
  std::erase(live_, stream);
  ended_.push_back(stream);
}

void History::run_schedule(const domain::SessionState& s) {
  const std::string_view schedules = domain::kSchedulesStream;
  if (std::exchange(has_schedule_, true)) {
    const base::CommandId run{s.session.bytes};
    log_.add(schedules,
             domain::ScheduleFired{"nightly", run, s.session, false, {1}, 1, {2'000'000}});
    if (s.alias.back() < '8') {
      log_.add(schedules, domain::RunTaken{"nightly", run});
    } else {
      log_.add(schedules, domain::RunRefused{"nightly", run, "no room"});
    }
    log_.add(schedules,
             domain::ScheduleSkipped{"nightly", domain::SkipReason::overlap, {3}, 1, {}});
    return;
  }
  for (const char* name : {"nightly", "weekly"}) {
    domain::ScheduleSpec spec;
    spec.name = name;
    spec.when = "0 3 * * *";
    spec.zone = "UTC";
    spec.agent = s.agent;
    spec.session = s.spec;
    spec.prompt = "as every night";
    log_.add(schedules, domain::ScheduleAdded{spec, {1'000'000}});
  }
  log_.add(schedules, domain::ScheduleRemoved{"weekly"});
}

void History::notify(const domain::SessionState& s) {
  domain::NotificationRequested request;
  request.kind = domain::NotificationKind::completed;
  request.session = s.session;
  request.agent = s.agent;
  request.alias = s.alias;
  request.channel = s.spec.channel;
  const std::string_view outbox = domain::kOutboxStream;
  const base::Position at = log_.add(outbox, request);
  if (s.alias.back() == 'a') return;
  log_.add(outbox, domain::NotificationFailed{at, 1, "no answer", {}});
  log_.add(outbox, domain::NotificationRetried{at});
  if (s.alias.back() < '8') {
    log_.add(outbox, domain::NotificationDelivered{at, s.alias.back() % 2 == 0});
  } else {
    log_.add(outbox, domain::NotificationDropped{at, domain::DropReason::user});
  }
}

domain::TurnCost History::random_cost(const domain::SessionState& state) {
  domain::TurnCost cost;
  if (chance(20)) return cost;
  cost.usage = {static_cast<std::int64_t>(below(5000)), static_cast<std::int64_t>(below(900)), 7,
                0};
  cost.cost.value = static_cast<std::int64_t>(below(2000000000));
  cost.agent_total.value = state.agent_total.value + cost.cost.value;
  cost.model_calls = 1;
  return cost;
}

}  // namespace support
