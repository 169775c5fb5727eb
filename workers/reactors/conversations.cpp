// The state of the lanes says what is due and what runs. Nothing else is remembered but what was
// sent since this server began.
#include "workers/reactors/conversations.hpp"

#include <algorithm>

#include "eventlog/domain/conversation/conversation.hpp"
#include "eventlog/domain/conversation/place.hpp"
#include "eventlog/domain/conversation/queued_prompt.hpp"

namespace workers {
namespace {

// After a refusal that is none of the conversation's, and when the clock may have been set.
constexpr base::Duration kRefusedAgain = std::chrono::seconds(1);
constexpr base::Duration kLanesAgain = std::chrono::minutes(1);

// True if the same run can be taken a little later, perhaps by another session.
bool can_be_had_later(domain::RejectionCode code) {
  using Code = domain::RejectionCode;
  return domain::is_undecided(code) || code == Code::session_limit || code == Code::lease_held ||
         code == Code::in_progress || code == Code::source_live || code == Code::session_ended ||
         code == Code::not_accepting;
}

domain::RefuseRun refusal_of(base::TurnId run, bool opens, const domain::Rejection& refused) {
  using Code = domain::RejectionCode;
  // A person has filled the session's queue.
  const bool is_full = refused.code == Code::limit_reached && !opens;
  const bool is_lost = refused.code == Code::not_resumable || refused.code == Code::not_found;
  domain::RefuseRun refusal{run, is_lost || is_full || can_be_had_later(refused.code), is_lost, {}};
  refusal.why = std::string(base::enum_name(refused.code)) + ": " + refused.text;
  return refusal;
}

domain::Spawn spawn_for(const domain::LaneWork& work, const domain::ConversationRun& run) {
  domain::Spawn spawn;
  spawn.spec = *run.spec;
  spawn.resume = run.resumes;
  spawn.caller = run.caller;
  spawn.is_fork = run.spec->is_fork;
  spawn.descriptor.conversation = work.key;
  spawn.origin_channel = domain::place_of(run.route);
  return spawn;
}

}  // namespace

// Among others, a message says which files came with it, or would have.
std::string Conversations::prompt_of(const domain::ConversationRun& run, const Doing& doing) {
  const bool is_alone = run.shape == domain::TurnShape::single;
  const auto texts_of = [&](const std::vector<Position>& positions) {
    std::vector<std::string> texts;
    for (const Position position : positions) {
      const auto found = doing.texts.find(position);
      if (found == doing.texts.end()) {
        texts.emplace_back();
      } else {
        const auto& [text, files] = found->second;
        texts.push_back(is_alone ? text : domain::prompt_text(text, files));
      }
    }
    return texts;
  };
  const std::vector<std::string> messages = texts_of(run.messages);
  const std::vector<std::string> latest = texts_of(run.overflow.latest);
  domain::NextTurn turn;
  turn.shape = run.shape;
  turn.overflow = run.overflow;
  return domain::queued_prompt(turn,
                               std::vector<std::string_view>(messages.begin(), messages.end()),
                               std::vector<std::string_view>(latest.begin(), latest.end()));
}

// Those that the log has no more are left out.
domain::PromptFiles Conversations::files_of(const domain::ConversationRun& run,
                                            const Doing& doing) {
  std::vector<domain::FileFacts> facts;
  for (const Position position : run.messages) {
    const auto message = doing.texts.find(position);
    if (message != doing.texts.end() && !message->second.files.empty()) {
      facts = message->second.files;
    }
  }
  domain::PromptFiles files;
  for (std::size_t i = 0; i < run.files.size() && i < facts.size(); ++i) {
    const auto file = doing.files.find(run.files[i]);
    if (file != doing.files.end()) files.push_back({facts[i].name, file->second});
  }
  return files;
}

Conversations::Conversations(CommandLoop& commands, base::Random& random,
                             const SessionsUnderWay& sessions,
                             std::unique_ptr<ContentLoader> contents,
                             std::function<void()> want_place)
    : commands_(commands),
      sessions_(sessions),
      contents_(std::move(contents)),
      want_place_(std::move(want_place)),
      outgoing_(commands, random, "conversations",
                [this](Asked&& asked, const auto& outcome) { on_answer(asked, outcome); }) {}

void Conversations::on_durable(const domain::RecordedEvent& event) {
  is_changed_ |= event.envelope.stream == domain::kLanesStream;
  // A session that was left can be asked to close once it is open.
  is_changed_ |= event.event.is<domain::SessionOpened>();
}

void Conversations::wait_for(base::Duration wait) {
  next_timer_ = std::min(next_timer_, boot_ + std::min(wait, kLanesAgain));
}

void Conversations::send(Asked asked, domain::ConversationCommand command) {
  const StreamKey stream = asked.conversation;
  outgoing_.send(std::move(asked), std::move(command), now_, stream);
}

void Conversations::on_answer(const Asked& asked, const CommandOutcome& outcome) {
  is_changed_ = true;
  const StreamKey& key = asked.conversation;
  if (asked.step == Step::advance) busy_.erase(key);
  if (asked.step == Step::close) {
    if (!outcome && domain::is_undecided(outcome.error().code)) {
      closing_.erase(key);
      close_again_ = boot_ + kRefusedAgain;
    }
    return;
  }
  const bool is_of_lanes = asked.step == Step::advance || asked.step == Step::refuse;
  const bool is_held = !outcome && (is_of_lanes || domain::is_undecided(outcome.error().code));
  if (is_held) held_[key] = boot_ + kRefusedAgain;
  const auto found = doing_.find(key);
  if (found == doing_.end() || found->second.run != asked.run) return;
  Doing& doing = found->second;
  if (asked.step == Step::steer || asked.step == Step::settle) {
    if (outcome) return;
    if (domain::is_undecided(outcome.error().code)) {
      doing.steers.erase(asked.message);
      held_[key] = boot_ + kRefusedAgain;
    } else if (asked.step == Step::steer) {
      send({key, Step::settle, asked.run, asked.message}, domain::SettleSteer{asked.message});
    }
    return;
  }
  const bool is_turn_over =
      !outcome && outcome.error().code == domain::RejectionCode::turn_not_running;
  if (asked.step == Step::interrupt && is_turn_over) {
    // The session of one turn goes on until its agent's tasks in the background have ended.
    close_now(key);
  }
  if (asked.step == Step::interrupt || asked.step == Step::refuse) {
    doing.is_interrupted &= outcome || !domain::is_undecided(outcome.error().code);
    doing.is_sent = false;
    // A run that is still this one was taken before.
    doing.is_begun |= asked.step == Step::refuse && outcome.has_value();
    return;
  }
  if (asked.step != Step::begin) return;
  doing.is_begun = outcome.has_value();
  if (doing.is_begun) doing.files.clear();
  doing.is_sent = false;
  if (outcome || domain::is_undecided(outcome.error().code)) return;
  const domain::Rejection& refused = outcome.error();
  if (refused.code == domain::RejectionCode::session_limit) want_place_();
  doing.is_sent = true;
  const auto& works = commands_.of<domain::LanesStream>().works;
  const auto work = works.find(key.id);
  const bool opens = work != works.end() && work->second.run && work->second.run->opens;
  send({key, Step::refuse, doing.run}, refusal_of(doing.run, opens, refused));
}

// Ends the session of the conversation's run, with whatever its agent does.
void Conversations::close_now(const StreamKey& key) {
  const auto& works = commands_.of<domain::LanesStream>().works;
  const auto work = works.find(key.id);
  if (work == works.end() || !work->second.run) return;
  const StreamKey session{work->second.run->session, work->second.agent};
  outgoing_.send({session, Step::close, {}}, domain::SessionCommand(domain::CloseSession{true}),
                 now_, session);
}

// A conversation whose turn it is not is looked at again when the lanes change. What waits can be
// too late while a run is under way.
bool Conversations::advance(const StreamKey& key, const domain::LaneWork& work, bool is_its_turn,
                            const Cycle& cycle) {
  if (busy_.contains(key)) return false;
  const base::Time expires = work.run ? work.expires_behind : work.expires;
  const bool has_expired = expires.us != 0 && expires <= cycle.wall;
  if (has_expired || is_its_turn) {
    busy_.insert(key);
    send({key, Step::advance, {}}, domain::AdvanceConversation{});
    return true;
  }
  if (!work.run && work.due > cycle.now) wait_for(work.due - cycle.now);
  if (expires.us != 0) wait_for(expires - cycle.wall);
  return false;
}

void Conversations::read(const StreamKey& key, Doing& doing,
                         const std::vector<Position>& messages) {
  for (const Position position : messages) {
    doing.awaited.insert(position);
    wanted_.emplace(position, key);
    coming_.insert(position);
  }
  request_durable();
}

// A text that is not durable yet cannot be told from one that the log has lost.
void Conversations::request_durable() {
  while (!coming_.empty() && *coming_.begin() <= durable_) {
    contents_->request(*coming_.begin());
    coming_.erase(coming_.begin());
  }
}

void Conversations::begin_run(const StreamKey& key, const domain::LaneWork& work, Doing& doing) {
  const domain::ConversationRun& run = *work.run;
  doing.is_sent = true;
  domain::PromptFiles files = files_of(run, doing);
  const bool has_text = std::any_of(run.messages.begin(), run.messages.end(), [&](Position at) {
    const auto message = doing.texts.find(at);
    return message != doing.texts.end() && !message->second.text.empty();
  });
  if (!has_text && files.empty() && !run.messages.empty()) {
    const std::string what = run.files.empty() ? "text is" : "message's files are";
    return send(
        {key, Step::refuse, run.run},
        domain::RefuseRun{run.run, false, false, "the " + what + " not in the log any more"});
  }
  domain::SessionCommand command;
  if (run.opens) {
    domain::Spawn spawn = spawn_for(work, run);
    spawn.prompt = prompt_of(run, doing);
    spawn.files = std::move(files);
    command = std::move(spawn);
  } else {
    domain::SendPrompt more;
    more.prompt = prompt_of(run, doing);
    more.place = domain::place_of(run.route);
    more.files = std::move(files);
    command = std::move(more);
  }
  outgoing_.send_once({key, Step::begin, run.run}, base::CommandId{run.run.bytes},
                      std::move(command), {run.session, work.agent});
}

// Does what the run needs next.
bool Conversations::carry_out(const StreamKey& key, const domain::LaneWork& work) {
  const domain::ConversationRun& run = *work.run;
  Doing& doing = doing_[key];
  if (doing.run != run.run) {
    doing = {};
    doing.run = run.run;
  }
  if (doing.is_sent) return false;
  if (!doing.is_read) {
    doing.is_read = true;
    read(key, doing, run.messages);
    read(key, doing, run.files);
    read(key, doing, run.overflow.latest);
    return true;
  }
  if (!doing.awaited.empty() && !(doing.is_begun && run.is_to_end)) return false;
  if (!doing.is_begun && run.is_to_end && !doing.is_interrupted) {
    // Without effect if its session has it already.
    doing.is_sent = true;
    send({key, Step::refuse, run.run}, domain::RefuseRun{run.run, false, false, "stopped"});
    return true;
  }
  if (!doing.is_begun) return begin_run(key, work, doing), true;
  if (!run.is_to_end) return steer(key, work, doing);
  if (doing.is_interrupted) return false;
  doing.is_interrupted = doing.is_sent = true;
  outgoing_.send({key, Step::interrupt, run.run},
                 domain::SessionCommand(domain::InterruptTurn{run.run}), now_,
                 {run.session, work.agent});
  return true;
}

// Offers the session what came for the turn under way, one after the other.
bool Conversations::steer(const StreamKey& key, const domain::LaneWork& work, Doing& doing) {
  for (const domain::Steer& one : work.steers) {
    if (one.is_taken) continue;
    if (doing.steers.contains(one.message)) return false;
    const auto text = doing.texts.find(one.message);
    if (text == doing.texts.end() && !doing.sought.insert(one.message).second) {
      // The log has it no more.
      doing.steers.insert(one.message);
      send({key, Step::settle, doing.run, one.message}, domain::SettleSteer{one.message});
      return true;
    }
    if (text == doing.texts.end()) return read(key, doing, {one.message}), true;
    doing.steers.insert(one.message);
    outgoing_.send({key, Step::steer, doing.run, one.message},
                   domain::SessionCommand(domain::SteerTurn{text->second.text, one.message}), now_,
                   {work.run->session, work.agent});
    return true;
  }
  return false;
}

// Has the sessions that conversations have left end with what they do.
bool Conversations::close_left() {
  const auto& left = commands_.of<domain::LanesStream>().left;
  std::erase_if(closing_, [&](const StreamKey& key) { return !left.contains(key.id); });
  if (close_again_ > boot_) {
    wait_for(close_again_ - boot_);
    return false;
  }
  bool has_done = false;
  for (const auto& [session, agent] : left) {
    const StreamKey key{session, agent};
    if (sessions_.find(key) == nullptr || !closing_.insert(key).second) continue;
    outgoing_.send({key, Step::close, {}}, domain::SessionCommand(domain::CloseSession{}), now_,
                   key);
    has_done = true;
  }
  return has_done;
}

bool Conversations::look(const Cycle& cycle) {
  const domain::LanesState& lanes = commands_.of<domain::LanesStream>();
  const auto& works = lanes.works;
  const auto next = domain::next_in_lanes(lanes, commands_.lane_limits(), cycle.now);
  const std::set<base::SessionId> in_turn(next.begin(), next.end());
  const auto is_gone = [&](const auto& of) { return !works.contains(of.first.id); };
  std::erase_if(doing_, is_gone);
  std::erase_if(held_, is_gone);
  bool has_done = close_left();
  for (const auto& [id, work] : works) {
    const StreamKey key{id, work.agent};
    const auto held = held_.find(key);
    if (held != held_.end() && held->second > boot_) {
      wait_for(held->second - boot_);
      continue;
    }
    if (held != held_.end()) held_.erase(held);
    if (work.run) has_done |= carry_out(key, work);
    has_done |= advance(key, work, in_turn.contains(id), cycle);
  }
  return has_done;
}

// A message tells of its files also if it has no text, or none any more.
void Conversations::keep(Doing& doing, Position at, const domain::RecordedEvent& read) {
  const std::string_view text = read.content ? std::string_view(read.content->text) : "";
  const auto* message = read.event.as<domain::MessageReceived>();
  if (message == nullptr) {
    if (!text.empty()) doing.files[at] = text;
  } else if (!text.empty() || !message->files->empty()) {
    doing.texts[at] = {std::string(text), *message->files};
  }
}

bool Conversations::take_texts() {
  bool has_taken = false;
  while (auto outcome = contents_->poll()) {
    has_taken = is_changed_ = true;
    const auto [first, last] = wanted_.equal_range(outcome->position);
    const bool is_gone =
        !outcome->event && outcome->event.error().code == base::ErrorCode::not_found;
    if (!outcome->event && !is_gone) {
      if (first == last) continue;
      unread_.insert(outcome->position);
      read_at_ = now_ + kUndecidedAgain;
      continue;
    }
    for (auto wanted = first; wanted != last; ++wanted) {
      const auto one = doing_.find(wanted->second);
      if (one == doing_.end()) continue;
      one->second.awaited.erase(outcome->position);
      if (!is_gone) keep(one->second, outcome->position, *outcome->event);
    }
    wanted_.erase(first, last);
  }
  if (!unread_.empty() && read_at_ <= now_) {
    for (const Position position : std::exchange(unread_, {})) contents_->request(position);
  }
  return has_taken;
}

bool Conversations::do_work(const Cycle& cycle) {
  now_ = cycle.now;
  boot_ = cycle.boot;
  durable_ = cycle.durable;
  if (!cycle.has_taken_over) return false;
  request_durable();
  bool has_worked = take_texts();
  if (is_changed_ || boot_ >= next_timer_) {
    is_changed_ = false;
    next_timer_ = base::Duration::max();
    has_worked |= look(cycle);
  }
  if (!unread_.empty()) wait_for(read_at_ - now_);
  return has_worked;
}

}  // namespace workers
