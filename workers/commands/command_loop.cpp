// A cycle takes loaded streams, decides one command of each class in turn, and evicts streams whose
// snapshot is written. Answers wait in held_, by the position that must be durable first.
#include "workers/commands/command_loop.hpp"

#include <algorithm>

#include "eventlog/base/check.hpp"
#include "eventlog/base/mutant.hpp"
#include "eventlog/base/rare_branches.hpp"
#include "eventlog/domain/evolve.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace workers {
namespace {

using domain::reject;
using domain::Rejection;
using domain::RejectionCode;

// Snapshots in flight at once. The loader's thread also writes them, so a command whose session
// must be loaded waits behind few of them.
constexpr std::size_t kSavesMax = 16;
// Streams that one cycle looks at to evict them: more than one command uses.
constexpr std::size_t kLooksMax = 64;

// True if `waiting` must be decided before the kill or interrupt `control`, which is about it.
bool is_meant_by(const domain::Command& control, const CommandMessage& waiting) {
  const auto followed = domain::follows(control);
  return domain::opens_stream(waiting.command) || (followed && *followed == waiting.id);
}

Rejection busy(const std::string& what, std::size_t waiting) {
  base::rare(base::Rare::inbox_full);
  return {RejectionCode::busy, what + " (" + std::to_string(waiting) + " commands); try again"};
}

bool is_remembered(const CommandMessage& message) {
  return message.actor_kind == domain::ActorKind::client || message.is_sent_again;
}

}  // namespace

CommandLoop::CommandLoop(eventlog::Sequencer& sequencer, eventlog::StreamLoader& loader,
                         CommandLoopOptions options)
    : sequencer_(sequencer), loader_(loader), options_(std::move(options)) {}

CommandLoop::Stream& CommandLoop::new_stream(const std::string& name) {
  const std::string& kept = sequencer_.set_head(name, eventlog::kHeadUnknown);
  Stream& s = streams_[kept];
  s.name = &kept;
  s.use = by_use_.insert(by_use_.end(), &s);
  s.used = boot_;
  return s;
}

CommandLoop::Stream& CommandLoop::stream(const std::string& name) {
  const auto found = streams_.find(name);
  if (found == streams_.end()) {
    loader_.request(name);
    return new_stream(name);
  }
  mark_used(found->second);
  return found->second;
}

void CommandLoop::mark_used(Stream& s) {
  by_use_.splice(by_use_.end(), by_use_, s.use);
  s.used = boot_;
}

CommandLoop::Pending& CommandLoop::pending(Stream& s) {
  if (!s.pending) s.pending = std::make_unique<Pending>();
  return *s.pending;
}

void CommandLoop::drop_pending(Stream& s) {
  if (!s.pending) return;
  const Pending& p = *s.pending;
  if (!s.has_commands() && p.dependants.empty() && !p.fault && p.saving.value == 0)
    s.pending.reset();
}

CommandLoop::Queue& CommandLoop::queue(Stream& s, CommandClass of) {
  return pending(s).queues[static_cast<std::size_t>(of)];
}

bool CommandLoop::Stream::has_commands() const {
  return pending && std::any_of(pending->queues.begin(), pending->queues.end(),
                                [](const Queue& q) { return !q.commands.empty(); });
}

std::size_t CommandLoop::waiting() const {
  std::size_t count = 0;
  for (const Inbox& inbox : inboxes_) count += inbox.count;
  return count;
}

void CommandLoop::forget(Stream& s) {
  const std::string name = *s.name;
  by_use_.erase(s.use);
  streams_.erase(name);
  sequencer_.forget_head(name);
}

// These checks hold for commands from every surface.
std::optional<Rejection> CommandLoop::check_message(const CommandMessage& message) const {
  if (auto bad = domain::check_length("actor", message.actor.size(), domain::kFactBytesMax)) {
    return bad;
  }
  return domain::check_length("traceparent", message.traceparent.size(), domain::kFactBytesMax);
}

void CommandLoop::submit(Ticket ticket, CommandMessage message) {
  auto target = domain::target_of(message.command, message.agent, message.stream_id);
  if (!target) {
    return turn_away(ticket,
                     {RejectionCode::invalid, "not the name of an agent: '" + message.agent +
                                                  "'; it is 1 to 64 of a-z 0-9 . _ -"});
  }
  if (auto bad = check_message(message)) return turn_away(ticket, std::move(*bad));
  CommandClass of = domain::class_of(message.command);
  if (auto full = check_inbox(inbox(of), message.asker, message.bytes);
      full && of != CommandClass::recorded) {
    return turn_away(ticket, std::move(*full));
  }
  Stream& s = stream(domain::stream_of(*target));
  if (of == CommandClass::control) {
    const std::list<Waiting>& asked = queue(s, CommandClass::asked).commands;
    const bool is_awaited = std::any_of(asked.begin(), asked.end(), [&](const Waiting& w) {
      return is_meant_by(message.command, w.message);
    });
    if (is_awaited) of = CommandClass::asked;
  }
  Inbox& in = inbox(of);
  Queue& q = queue(s, of);
  auto full = check_inbox(in, message.asker, message.bytes);
  if (!full)
    full = check_share(domain::noun_of(*target), q.commands.size(), q.bytes, message.bytes);
  if (full && of != CommandClass::recorded) {
    drop_pending(s);
    return turn_away(ticket, std::move(*full));
  }
  ++in.count;
  in.bytes += message.bytes;
  q.bytes += message.bytes;
  if (!message.asker.empty()) {
    Share& share = in.askers[message.asker];
    ++share.count;
    share.bytes += message.bytes;
  }
  q.commands.insert(q.commands.end(), {ticket, std::move(message), std::move(*target)});
  if (q.commands.size() == 1) in.ready.push_back(&s);
}

std::optional<Rejection> CommandLoop::check_room(const std::string& asker,
                                                 std::size_t bytes) const {
  return check_inbox(inboxes_[static_cast<std::size_t>(CommandClass::asked)], asker, bytes);
}

std::optional<Rejection> CommandLoop::check_inbox(const Inbox& in, const std::string& asker,
                                                  std::size_t bytes) const {
  const auto share = in.askers.find(asker);
  const bool has_any = share != in.askers.end();
  if (!asker.empty() && !has_any && bytes <= kSmallBytes) return std::nullopt;
  const bool is_full = in.count >= options_.inbox_max ||
                       (in.count > 0 && in.bytes + bytes > options_.inbox_bytes_max);
  if (is_full) return busy("the server's inbox is full", in.count);
  if (!has_any) return std::nullopt;
  return check_share("connection", share->second.count, share->second.bytes, bytes);
}

// `count` commands of `held` bytes wait, of one stream or one connection.
std::optional<Rejection> CommandLoop::check_share(std::string_view whose, std::size_t count,
                                                  std::size_t held, std::size_t bytes) const {
  const bool is_full = count > 0 && (count >= options_.inbox_max / kShares ||
                                     held + bytes > options_.inbox_bytes_max / kShares);
  if (!is_full) return std::nullopt;
  return busy("the " + std::string(whose) + "'s share of the server's inbox is full", count);
}

// Refuses a command without looking at any state. Every copy of it is answered so, or says nothing
// about the command's fate (busy).
void CommandLoop::turn_away(const Ticket& ticket, domain::Rejection rejection) {
  hold(Position{}, {ticket, tl::unexpected(std::move(rejection))});
}

void CommandLoop::hold(Position release, CommandAnswer answer) {
  undated_.push_back(&held_.emplace_hint(held_.end(), release, std::move(answer))->second);
}

void CommandLoop::date_answers(base::Duration boot) {
  for (CommandAnswer* answer : undated_) {
    answer->taken = boot_;
    answer->appended = boot;
  }
  undated_.clear();
}

bool CommandLoop::do_work(base::Time now, base::Time wall, base::Duration boot) {
  thread_.check();
  now_ = now;
  wall_ = wall;
  // Streams that were adopted before the first cycle count as used in it.
  if (boot_.count() == 0) {
    for (Stream* s : by_use_) s->used = boot;
  }
  boot_ = boot;
  bool has_worked = take_loaded();
  for (int i = 0; i < kDecisionsPerCycle && sequencer_.has_room(); ++i) {
    const auto of = next_class();
    if (!of) break;
    run_next(*of);
    has_worked = true;
  }
  take_saved();
  forget_faulted();
  evict();
  return has_worked;
}

bool CommandLoop::take_loaded() {
  bool has_taken = false;
  while (auto outcome = loader_.poll()) {
    has_taken = true;
    Stream& s = streams_.at(outcome->stream);
    if (outcome->loaded) {
      take_state(s, std::move(*outcome->loaded));
    } else {
      pending(s).fault = outcome->loaded.error();
      faulted_.push_back(*s.name);
    }
    if (!s.pending) continue;
    for (const Turn& turn : std::exchange(s.pending->dependants, {})) {
      inbox(turn.of).ready.push_back(&streams_.at(turn.stream));
    }
    drop_pending(s);
  }
  return has_taken;
}

void CommandLoop::take_state(Stream& s, eventlog::LoadedStream loaded) {
  s.state = std::move(loaded.state);
  s.version = loaded.version;
  s.last = loaded.last;
  s.is_loaded = true;
  sequencer_.set_head(*s.name, s.version);
}

void CommandLoop::adopt(const std::string& name, eventlog::LoadedStream loaded) {
  if (domain::residency_of(loaded.state) == domain::Residency::with_server) ++kept_;
  durable_.adopt(name, loaded.state);
  take_state(new_stream(name), std::move(loaded));
}

// True when the stream's state is in memory; else the session's turn comes again once it is.
bool CommandLoop::is_at_hand(Stream& wanted, const Turn& turn) {
  if (wanted.is_loaded || wanted.has_fault()) return true;
  base::rare(base::Rare::command_waited);
  pending(wanted).dependants.insert(turn);
  return false;
}

std::optional<CommandLoop::Involved> CommandLoop::involve(Stream& target, const Waiting& waiting,
                                                          CommandClass of) {
  Involved streams{&target};
  const domain::Reads further = domain::reads_of(waiting.message.command, waiting.target);
  for (const std::string& name : further.streams()) streams.push_back(&stream(name));
  const bool is_twin_possible =
      domain::opens_stream(waiting.message.command) && !domain::is_keyed(waiting.message.command);
  if (is_twin_possible) add_twins(waiting.target, streams);
  const Turn turn{of, *target.name};
  if (!are_at_hand(streams, 0, turn)) return std::nullopt;
  // What cannot be read names no further streams; the command is refused.
  if (std::any_of(streams.begin(), streams.end(), [](Stream* s) { return s->has_fault(); })) {
    return streams;
  }
  for (std::size_t known = 0; known < streams.size();) {
    known = streams.size();
    const domain::Reads behind =
        domain::further_reads_of(waiting.message.command, waiting.target, states_of(streams));
    for (const std::string& name : behind.streams()) {
      Stream* one = &stream(name);
      if (std::find(streams.begin(), streams.end(), one) == streams.end()) streams.push_back(one);
    }
    if (!are_at_hand(streams, known, turn)) return std::nullopt;
    const auto has_fault = [](Stream* s) { return s->has_fault(); };
    if (std::any_of(streams.begin(), streams.end(), has_fault)) return streams;
  }
  return streams;
}

// Adds the streams that a session of the same id would have under the other agents. The index finds
// a stream by its whole name, so each agent is looked up; there are few.
void CommandLoop::add_twins(const domain::StreamRef& target, Involved& streams) {
  domain::StreamRef twin = target;
  for (const std::string& agent : agents_) {
    if (agent == target.agent) continue;
    twin.agent = agent;
    streams.push_back(&stream(domain::stream_of(twin)));
  }
}

bool CommandLoop::are_at_hand(const Involved& streams, std::size_t from, const Turn& turn) {
  const bool are = std::all_of(streams.begin() + static_cast<std::ptrdiff_t>(from), streams.end(),
                               [&](Stream* s) { return is_at_hand(*s, turn); });
  // Those that are there stay until the others have come.
  for (Stream* s : streams) {
    if (!are && s->is_loaded && s != streams.front()) pending(*s).dependants.insert(turn);
  }
  return are;
}

void CommandLoop::let_go(const Involved& streams, const Turn& turn) {
  for (Stream* s : streams) {
    if (!s->pending) continue;
    s->pending->dependants.erase(turn);
    drop_pending(*s);
  }
}

domain::States CommandLoop::states_of(const Involved& streams) {
  domain::States states(streams.front()->state);
  for (std::size_t i = 1; i < streams.size(); ++i) states.add(*streams[i]->name, streams[i]->state);
  return states;
}

// The classes take turns, whatever waits in the others.
std::optional<CommandClass> CommandLoop::next_class() {
  for (std::size_t i = 0; i < domain::kCommandClasses; ++i) {
    const std::size_t index = (next_class_ + i) % domain::kCommandClasses;
    if (inboxes_[index].ready.empty()) continue;
    next_class_ = index + 1;
    return static_cast<CommandClass>(index);
  }
  return std::nullopt;
}

CommandLoop::Waiting CommandLoop::take_first(Stream& s, CommandClass of) {
  Queue& q = queue(s, of);
  Waiting first = std::move(q.commands.front());
  q.commands.pop_front();
  q.bytes -= first.message.bytes;
  Inbox& in = inbox(of);
  --in.count;
  in.bytes -= first.message.bytes;
  if (const auto share = in.askers.find(first.message.asker); share != in.askers.end()) {
    share->second.bytes -= first.message.bytes;
    if (--share->second.count == 0) in.askers.erase(share);
  }
  return first;
}

void CommandLoop::run_next(CommandClass of) {
  Stream& s = *inbox(of).ready.front();
  inbox(of).ready.pop_front();
  mark_used(s);
  const auto streams = involve(s, queue(s, of).commands.front(), of);
  if (!streams) return;
  let_go(*streams, {of, *s.name});
  Waiting waiting = take_first(s, of);
  Position release;
  CommandOutcome outcome = decide(*streams, waiting, release);
  if (!outcome) domain::cut_text(outcome.error().text, domain::kRefusalBytesMax);
  if (!outcome && !domain::is_undecided(outcome.error().code) && is_remembered(waiting.message)) {
    refusals_.add(waiting.message.id, {waiting.message.ask, outcome.error(), release}, boot_);
  }
  hold(release, {waiting.ticket, std::move(outcome)});
  if (!queue(s, of).commands.empty()) inbox(of).ready.push_back(&s);
  drop_pending(s);
}

CommandOutcome CommandLoop::decide(const Involved& streams, const Waiting& waiting,
                                   Position& release) {
  const CommandMessage& message = waiting.message;
  // A repeated command gets its earlier answer, even if the other streams cannot be read by now.
  const Stream& target = *streams.front();
  if (is_remembered(message) && !target.has_fault()) {
    release = target.last;
    if (auto answer = answer_again(target, message, release)) return std::move(*answer);
  }
  for (Stream* s : streams) {
    if (s->has_fault()) {
      s->pending->is_fault_told = true;
      return reject(RejectionCode::unavailable,
                    "the record could not be read: " + base::describe(*s->pending->fault));
    }
    release = std::max(release, s->last);
  }
  if (message.deadline.us != 0 && message.deadline < now_) {
    return reject(RejectionCode::deadline_passed, "the command's deadline has passed");
  }
  if (message.expected_version && *message.expected_version != target.version) {
    base::rare(base::Rare::version_conflict);
    return reject(RejectionCode::version_conflict,
                  "its stream is at version " + std::to_string(target.version.value) + ", not at " +
                      std::to_string(message.expected_version->value));
  }
  domain::Context context;
  context.target = waiting.target;
  context.command = message.id;
  context.limits = options_.limits;
  context.version = target.version;
  context.head = sequencer_.tail();
  context.now = now_;
  context.wall = wall_;
  context.engines = options_.engines.names();
  context.injecting_engines = options_.engines.injecting_names();
  context.file_engines = options_.engines.names_with_files();
  context.hook_gaps = options_.hook_gaps;
  context.has_key = options_.has_key;
  context.zones = options_.zones;
  context.calls = options_.calls;
  context.channels = &options_.channels;
  context.conversations = &options_.conversations;
  auto decision = domain::decide_on(message.command, states_of(streams), context);
  if (!decision) {
    const bool is_for_new =
        decision.error().code == RejectionCode::session_limit && target.version.value == 0;
    if (is_for_new) ++places_missed_;
    return tl::unexpected(decision.error());
  }
  return append(streams, message, std::move(*decision), release);
}

// Returns the answer that this command was given before; none: it is new, or asked anew after a
// refusal.
std::optional<CommandOutcome> CommandLoop::answer_again(const Stream& target,
                                                        const CommandMessage& message,
                                                        Position& release) {
  const auto known = domain::accepted_before(target.state, message.id);
  if (!known || base::mutant(base::Mutant::skip_deduplication)) {
    const RecentRejections::Refusal* refused = refusals_.find(message.id, message.ask, boot_);
    if (refused == nullptr) return std::nullopt;
    base::rare(base::Rare::refusal_repeated);
    release = std::max(release, refused->release);
    return tl::unexpected(refused->rejection);
  }
  if (!message.is_sent_again && known->digest != message.digest) {
    base::rare(base::Rare::id_reused);
    return reject(RejectionCode::id_reused,
                  "command id " + message.id.text() + " was used with another body");
  }
  base::rare(base::Rare::command_repeated);
  release = std::max(release, known->position);
  return Accepted{known->position, domain::reply_to(message.command, target.state), true};
}

CommandOutcome CommandLoop::append(const Involved& streams, const CommandMessage& message,
                                   domain::Decision decision, Position& release) {
  std::vector<eventlog::StreamAppend> appends;
  std::size_t placed = 0;
  for (const Stream* stream : streams) {
    eventlog::StreamAppend append;
    for (domain::Emitted& emitted : decision) {
      const bool is_its =
          emitted.stream.empty() ? stream == streams.front() : emitted.stream == *stream->name;
      if (is_its) append.events.push_back({std::move(emitted.event), std::move(emitted.content)});
    }
    if (append.events.empty()) continue;
    placed += append.events.size();
    append.stream = *stream->name;
    append.expected = stream->version;
    // A report counts in its own session alone.
    append.is_reported =
        stream == streams.front() || !std::holds_alternative<domain::SessionState>(stream->state);
    appends.push_back(std::move(append));
  }
  CHECK(placed == decision.size());  // each stream that `decide` writes was named
  if (!appends.empty()) {
    eventlog::AppendContext context;
    context.command = message.id;
    context.command_digest = message.is_sent_again ? domain::kOwnDigest : message.digest;
    context.correlation = message.correlation;
    context.causation = message.causation;
    context.actor_kind = message.actor_kind;
    context.actor = message.actor;
    context.token = message.token;
    context.report_sequence = message.report_sequence;
    context.traceparent = message.traceparent;
    context.log_time = now_;
    context.wall_time = wall_;
    // A log is opened without agents, and most commands begin no session.
    if (domain::opens_stream(message.command)) agents_.insert(message.agent);
    release = std::max(release, append_and_evolve(streams, std::move(appends), context));
  }
  const Stream& target = *streams.front();
  return Accepted{target.last, domain::reply_to(message.command, target.state), false};
}

Position CommandLoop::append_and_evolve(const Involved& streams,
                                        std::vector<eventlog::StreamAppend> appends,
                                        const eventlog::AppendContext& context) {
  const auto appended = sequencer_.append(std::move(appends), context);
  CHECK(appended.has_value());  // this loop is the only writer, so the versions are right
  for (const eventlog::SequencedEvent* event : *appended) {
    const domain::Envelope& envelope = event->recorded.envelope;
    Stream& s = **std::find_if(streams.begin(), streams.end(), [&](const Stream* stream) {
      return *stream->name == envelope.stream;
    });
    domain::evolve(s.state, envelope, event->recorded.event);
    s.version = envelope.version;
    s.last = envelope.position;
  }
  return sequencer_.tail();
}

std::vector<CommandAnswer> CommandLoop::take_answers() {
  undated_.clear();
  std::vector<CommandAnswer> answers;
  const auto end = held_.upper_bound(sequencer_.durable());
  for (auto at = held_.begin(); at != end; ++at) answers.push_back(std::move(at->second));
  held_.erase(held_.begin(), end);
  return answers;
}

const domain::StreamState* CommandLoop::find_state(std::string_view stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() || !found->second.is_loaded ? nullptr : &found->second.state;
}

const domain::StreamState& CommandLoop::kept_state(std::string_view stream) const {
  const domain::StreamState* state = find_state(stream);
  CHECK(state != nullptr);  // it was adopted
  return *state;
}

// True if nobody waits for the stream, its last event is durable, and it is not one that stays with
// the server.
bool CommandLoop::is_idle(const Stream& s) const {
  return s.is_loaded && !s.has_commands() && (!s.pending || s.pending->dependants.empty()) &&
         s.last <= sequencer_.durable() &&
         domain::residency_of(s.state) == domain::Residency::on_demand;
}

// Forgets a stream once its snapshot holds its last version.
void CommandLoop::take_saved() {
  while (const auto saved = loader_.poll_saved()) {
    --saving_;
    const auto found = streams_.find(saved->stream);
    if (found == streams_.end()) continue;
    Stream& s = found->second;
    const auto version = std::exchange(pending(s).saving, {});
    drop_pending(s);
    if (saved->is_saved && is_idle(s) && s.version == version) {
      forget(s);
    }
  }
}

// Forgets streams that could not be read, so that the next command reads them anew.
void CommandLoop::forget_faulted() {
  for (const std::string& name : std::exchange(faulted_, {})) {
    const auto found = streams_.find(name);
    if (found == streams_.end() || !found->second.has_fault()) continue;
    Stream& s = found->second;
    const Pending& p = *s.pending;
    if (p.is_fault_told && !s.has_commands() && p.dependants.empty()) {
      forget(s);
    } else {
      faulted_.push_back(name);
    }
  }
}

// Asks for snapshots of the streams that were used longest ago, while too many are in memory or
// they were idle for idle_max.
void CommandLoop::evict() {
  for (std::size_t looked_at = 0; looked_at < kLooksMax && saving_ < kSavesMax; ++looked_at) {
    if (by_use_.empty()) return;
    Stream& s = *by_use_.front();
    const bool are_too_many = streams_.size() > options_.streams_max + kept_ + saving_;
    if (!are_too_many && boot_ - s.used < options_.idle_max) return;
    // A stream that is not idle, or is being saved, is looked at again when its turn comes.
    by_use_.splice(by_use_.end(), by_use_, s.use);
    if (!is_idle(s) || (s.pending && s.pending->saving.value > 0)) continue;
    if (s.version.value == 0) {  // a command asked for a stream that does not exist
      forget(s);
      continue;
    }
    base::rare(base::Rare::stream_evicted);
    pending(s).saving = s.version;
    ++saving_;
    loader_.save(*s.name, {s.state, s.version, s.last});
  }
}

}  // namespace workers
