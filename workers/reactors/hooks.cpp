// Only durable events are acted on. A step that has ended meanwhile is forgotten; what its hooks
// still answer is dropped.
#include "workers/reactors/hooks.hpp"

#include <sys/eventfd.h>

#include <algorithm>

namespace workers {
namespace {

using domain::AskVerdict;
using domain::HookOutcome;
using domain::HookPoint;

std::string how_of(const Hook& hook) {
  if (hook.builtin) return std::string(base::enum_name(*hook.builtin));
  if (!hook.url.empty()) return "http";
  if (!hook.subscriber.empty()) return "subscriber " + hook.subscriber;
  return hook.command.empty() ? "program" : "command";
}

StepOutcome text_lost(const HookStep& step) {
  if (step.point == HookPoint::permission_request) return {};
  return {AskVerdict::denied, "The text of this step is not in the log any more.", {}};
}

}  // namespace

Hooks::Hooks(CommandLoop& commands, base::Random& random, const SessionsUnderWay& sessions,
             std::unique_ptr<ContentLoader> contents, SideWork& side_work, HookOptions options)
    : sessions_(sessions),
      contents_(std::move(contents)),
      options_(std::move(options)),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      outgoing_(commands, random, "hooks", [this](Asked&& asked, const auto& outcome) {
        on_answer(std::move(asked), outcome);
      }) {
  has_requests_ = options_.table->has(HookPoint::permission_request);
  if (options_.table->is_empty()) return;
  HookPrograms programs = options_.programs;
  programs.stop_fd = stop_.get();
  const auto ask = [table = options_.table, programs, own = options_.ask](const HookStep& step) {
    return own ? own(step) : run_hooks(*table, step, programs);
  };
  for (std::size_t i = 0; i < kLanes; ++i) {
    lanes_.push_back(
        {std::make_unique<Jobs<HookStep, StepOutcome>>(side_work.make_lane("hooks"), ask),
         std::nullopt});
  }
}

Hooks::~Hooks() {
  ::eventfd_write(stop_.get(), 1);
}

bool Hooks::is_for_hooks(const domain::OpenAsk& ask) const {
  if (ask.verdict != AskVerdict::none || ask.has_asked_hooks) return false;
  return ask.kind == domain::AskKind::step ||
         (has_requests_ && ask.kind == domain::AskKind::approval);
}

void Hooks::restore(const projections::StreamUnderWay& stream) {
  if (!stream.stream.is<domain::SessionStream>()) return;
  const StreamKey key{stream.stream.id, stream.stream.agent};
  const domain::LeaseState* known = sessions_.find(key);
  if (known == nullptr) return;
  look_at(key, *known);
  for (auto step = steps_.lower_bound(Key{key, 0});
       step != steps_.end() && step->first.session == key; ++step) {
    step->second.facts.is_asked_again = true;
  }
}

void Hooks::count(const std::string& hook, HookOutcome outcome, base::Duration took,
                  const std::string& note) {
  Count& so_far = counts_[hook];
  ++so_far.runs;
  ++so_far.outcomes[static_cast<std::size_t>(outcome)];
  so_far.took += took;
  if (note.empty()) return;
  ++so_far.failures;
  so_far.last_failure = note;
}

void Hooks::count(const domain::HookRun& run) {
  count(run.hook, run.outcome, run.took, run.note);
}

void Hooks::on_durable(const domain::RecordedEvent& event) {
  if (const auto* ran = event.event.as<domain::HookRan>()) {
    count(ran->hook, ran->outcome, ran->took, ran->note);
  }
  const auto* changed = sessions_.changed();
  if (changed != nullptr) look_at(changed->first, changed->second);
}

// Takes up what is asked of hooks, and forgets what is over.
void Hooks::look_at(const StreamKey& key, const domain::LeaseState& state) {
  if (state.asks->empty() && steps_.empty()) return;
  const auto find = [&](std::int64_t number) -> const domain::OpenAsk* {
    const auto found = std::find_if(state.asks->begin(), state.asks->end(),
                                    [&](const domain::OpenAsk& ask) { return ask.ask == number; });
    return found == state.asks->end() ? nullptr : &*found;
  };
  for (auto step = steps_.lower_bound(Key{key, 0});
       step != steps_.end() && step->first.session == key;) {
    const domain::OpenAsk* ask = find(step->first.ask);
    const bool is_over = ask == nullptr || !is_for_hooks(*ask);
    step = is_over ? steps_.erase(step) : std::next(step);
  }
  for (const domain::OpenAsk& ask : *state.asks) {
    if (!is_for_hooks(ask)) continue;
    const auto [step, is_new] = steps_.try_emplace(Key{key, ask.ask});
    if (!is_new) continue;
    HookStep& facts = step->second.facts;
    facts.session = key.id;
    facts.agent = key.agent;
    facts.tasks = state.tasks;
    facts.ask = ask.ask;
    facts.position = ask.at;
    facts.turn = ask.turn;
    facts.point = ask.kind == domain::AskKind::step ? ask.point : HookPoint::permission_request;
    facts.tool = ask.tool;
    facts.rule = ask.rule;
    if (state.turn && state.turn->started_at.us != 0) {
      facts.turn_took = ask.since - state.turn->started_at;
    }
    step->second.opened = state.opened;
  }
}

// Reads no more texts than there are lanes. Sessions take turns, so that one with many steps holds
// up no other.
bool Hooks::read_waiting() {
  if (lanes_.empty()) return conclude_unasked();
  std::map<StreamKey, std::size_t> busy;
  std::size_t count = 0;
  for (const auto& [key, step] : steps_) {
    const bool is_busy = step.stage != Stage::waiting && step.stage != Stage::concluding;
    if (is_busy) ++busy[key.session], ++count;
  }
  bool has_begun = false;
  while (count < kLanes) {
    auto next = steps_.end();
    for (auto step = steps_.begin(); step != steps_.end(); ++step) {
      if (step->second.stage != Stage::waiting) continue;
      const bool is_less =
          next == steps_.end() || busy[step->first.session] < busy[next->first.session];
      if (is_less) next = step;
    }
    if (next == steps_.end()) break;
    next->second.stage = Stage::reading;
    for (const Position position : {next->second.facts.position, next->second.opened}) {
      wanted_.emplace(position, next->first);
      contents_->request(position);
    }
    ++busy[next->first.session];
    ++count;
    has_begun = true;
  }
  return has_begun;
}

// Without hooks nobody is told anything.
bool Hooks::conclude_unasked() {
  bool has_concluded = false;
  for (auto& [key, step] : steps_) {
    if (step.stage != Stage::waiting) continue;
    has_concluded = true;
    conclude(key, run_hooks(no_hooks(), step.facts, {}));
  }
  return has_concluded;
}

void Hooks::take_text(const Key& key, Step& step, const domain::RecordedEvent& event) {
  if (const auto* opened = event.event.as<domain::SessionOpened>()) {
    step.has_opening = true;
    step.facts.alias = opened->alias;
    step.facts.engine = opened->spec->engine;
    step.facts.conversation = opened->descriptor->conversation;
    step.facts.workdir = opened->spec->workdir;
  } else if (event.envelope.content && !event.content) {
    return conclude(key, text_lost(step.facts));
  } else {
    step.has_text = true;
    step.facts.wall = event.envelope.wall_time;
    if (event.content) step.facts.text = event.content->text;
    const auto* raised = event.event.as<domain::AskRaised>();
    if (raised != nullptr) step.facts.rule_pattern = raised->pattern;
  }
  if (step.has_text && step.has_opening) step.stage = Stage::read;
}

bool Hooks::take_texts() {
  bool has_taken = false;
  while (auto outcome = contents_->poll()) {
    has_taken = true;
    if (!outcome->event) {
      // What cannot be read now is read again.
      unread_.insert(outcome->position);
      read_at_ = now_ + kUndecidedAgain;
      continue;
    }
    const auto [first, last] = wanted_.equal_range(outcome->position);
    for (auto wanted = first; wanted != last; ++wanted) {
      const auto step = steps_.find(wanted->second);
      if (step == steps_.end() || step->second.stage != Stage::reading) continue;
      take_text(step->first, step->second, *outcome->event);
    }
    wanted_.erase(first, last);
  }
  if (!unread_.empty() && read_at_ <= now_) {
    for (const Position position : std::exchange(unread_, {})) contents_->request(position);
  }
  return has_taken;
}

bool Hooks::begin_read() {
  bool has_begun = false;
  for (auto& [key, step] : steps_) {
    if (step.stage != Stage::read) continue;
    const auto lane =
        std::find_if(lanes_.begin(), lanes_.end(), [](const Lane& one) { return !one.key; });
    if (lane == lanes_.end()) break;  // one works on what is over
    step.stage = Stage::asking;
    lane->key = key;
    lane->jobs->submit(step.facts);
    step.facts.text.clear();
    has_begun = true;
  }
  return has_begun;
}

bool Hooks::take_outcomes() {
  bool has_taken = false;
  for (Lane& lane : lanes_) {
    if (!lane.key) continue;
    auto outcome = lane.jobs->poll();
    if (!outcome) continue;
    has_taken = true;
    const Key key = *std::exchange(lane.key, std::nullopt);
    if (steps_.contains(key)) conclude(key, std::move(*outcome));
  }
  return has_taken;
}

void Hooks::conclude(const Key& key, StepOutcome outcome) {
  steps_.at(key).stage = Stage::concluding;
  if (static_cast<std::int64_t>(outcome.text.size()) > domain::kAnswerBytesMax) {
    outcome.verdict = AskVerdict::denied;
    outcome.text = "What hooks changed is too large: at most 512 KiB.";
  }
  // Nothing is to be recorded of a request that no hook is about.
  const bool is_for_people = steps_.at(key).facts.point == HookPoint::permission_request;
  if (is_for_people && outcome.verdict == AskVerdict::none && outcome.runs.empty()) return;
  send({key,
        {key.ask, outcome.verdict, std::move(outcome.text), std::move(outcome.runs),
         std::move(outcome.hook)}});
}

void Hooks::send(Asked asked) {
  const StreamKey stream = asked.key.session;
  domain::SessionCommand command = asked.conclusion;
  outgoing_.send(std::move(asked), std::move(command), now_, stream);
}

// A refusal says that the step has its answer, or its end.
void Hooks::on_answer(Asked&& asked, const CommandOutcome& outcome) {
  if (!outcome) outgoing_.keep(std::move(asked), outcome.error(), now_);
}

bool Hooks::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  if (!cycle.has_taken_over) return false;
  bool has_worked = take_outcomes();
  has_worked |= take_texts();
  has_worked |= begin_read();
  has_worked |= read_waiting();
  for (Asked& asked : outgoing_.take_due(now_)) send(std::move(asked));
  next_timer_ = base::Duration::max();
  if (outgoing_.has_kept()) next_timer_ = cycle.boot + (outgoing_.due() - now_);
  if (!unread_.empty()) next_timer_ = std::min(next_timer_, cycle.boot + (read_at_ - now_));
  return has_worked;
}

std::vector<int> Hooks::wake_fds() const {
  std::vector<int> fds{contents_->wake_fd()};
  for (const Lane& lane : lanes_) fds.push_back(lane.jobs->wake_fd());
  return fds;
}

base::RawValue Hooks::answer(const DurableStates&) const {
  HooksAnswer answer;
  for (const HookTable::Entry& entry : options_.table->entries()) {
    const Hook& hook = entry.hook;
    HookShown shown;
    shown.name = hook.name;
    shown.points = hook.points;
    shown.how = how_of(hook);
    shown.tool = hook.tool;
    shown.input = hook.input;
    shown.agent = hook.agent;
    shown.engine = hook.engine;
    shown.timeout = hook.timeout;
    shown.blocks_on_failure = hook.blocks_on_failure;
    shown.may_change = hook.may_change;
    shown.is_optional = hook.is_optional;
    shown.not_asked = options_.table->not_asked(hook);
    if (const auto found = counts_.find(hook.name); found != counts_.end()) {
      const Count& count = found->second;
      const auto of = [&](HookOutcome outcome) {
        return count.outcomes[static_cast<std::size_t>(outcome)];
      };
      shown.runs = count.runs;
      shown.changed = of(HookOutcome::changed);
      shown.blocked = of(HookOutcome::blocked);
      shown.failed = count.failures;
      shown.took = count.took;
      shown.last_failure = count.last_failure;
    }
    answer.hooks.push_back(std::move(shown));
  }
  return bus::to_body(answer);
}

}  // namespace workers
