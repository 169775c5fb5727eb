// A client has at most one request in flight. Every answer and event is checked at once against the
// log that is durable by then.
#include "tests/simulation/actors.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "eventlog/domain/event_codec.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "tests/simulation/named_commands.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace simulation {
namespace {

constexpr Duration kAnswerMax = std::chrono::hours(1);           // longer than any world lasts
constexpr Duration kPatienceMin = std::chrono::milliseconds(5);  // waits for no answer
constexpr std::uint64_t kAheadMax = 3;                           // positions that a query waits for
constexpr Duration kThinkMax = std::chrono::milliseconds(250);
constexpr Duration kPageMax = std::chrono::seconds(5);
constexpr std::size_t kKeptMax = 8;
constexpr std::size_t kFeedQueueMax = 50;
constexpr const char* kAgent = "main";

base::SessionId session_of(const std::string& stream) {
  return domain::parse_stream(stream)->id;
}

bool is_of_session(const std::string& stream) {
  const auto parsed = domain::parse_stream(stream);
  return parsed && parsed->is<domain::SessionStream>();
}

bool is_of_conversation(const std::string& stream) {
  const auto parsed = domain::parse_stream(stream);
  return parsed && parsed->is<domain::ConversationStream>();
}

}  // namespace

void Stage::say(const std::string& text) {
  if (trace == nullptr) return;
  char when[32];
  std::snprintf(when, sizeof when, "%12.6f  ", static_cast<double>(around.time.now.count()) / 1e6);
  trace->push_back(when + text);
}

void Stage::violate(const std::string& text) {
  say("VIOLATION: " + text);
  if (violation.empty()) violation = text;
}

ClientActor::ClientActor(Stage& stage, std::size_t number, std::uint64_t seed,
                         std::int64_t commands)
    : stage_(stage), number_(number), random_(seed), clock_(stage.around.time), left_(commands) {
  connect();
}

void ClientActor::connect() {
  socket_ = stage_.around.bus.connect_client("command", "client-" + std::to_string(number_),
                                             stage_.around.queue_max);
  client_ = std::make_unique<bus::Client>(*socket_, clock_, stage_.around.id_random,
                                          bus::ClientOptions{});
}

void ClientActor::restart() {
  ++stage_.around.counts[name_of(FaultKind::restart_client)];
  stage_.say("client-" + std::to_string(number_) + " restarts");
  connect();
  if (asked_) asked_->is_sent = false;
}

bool ClientActor::do_work() {
  bool has_worked = client_->do_work(clock_.boot()) > 0;
  if (asked_ && !asked_->is_sent) {
    has_worked = true;
    asked_->is_sent =
        client_->start(asked_->id, asked_->verb, asked_->body, asked_->patience).has_value();
  }
  if (asked_) {
    if (auto reply = client_->take(asked_->id)) {
      take(*reply);
      asked_.reset();
      next_ = stage_.around.time.now + Duration{random_.below(kThinkMax.count())};
      has_worked = true;
    }
    return has_worked;
  }
  if (is_done() && number_ == 0) to_remove_ = left_schedules();
  if (is_done() || stage_.around.time.now < next_) return has_worked;
  if (left_ == 0) {
    ask(base::CommandId::make(clock_.wall(), stage_.around.id_random),
        domain::SchedulesCommand(domain::RemoveSchedule{to_remove_.back()}),
        std::string(domain::kSchedulesStream), {});
    return true;
  }
  --left_;
  choose();
  return true;
}

// Returns the schedules that nobody removes: they were added by commands that came late.
std::vector<std::string> ClientActor::left_schedules() const {
  std::vector<std::string> left;
  const auto found = stage_.log.states().find(std::string(domain::kSchedulesStream));
  if (found == stage_.log.states().end()) return left;
  const auto& state = std::get<domain::SchedulesState>(found->second);
  for (const auto& [name, schedule] : state.schedules) left.push_back(name);
  return left;
}

Duration ClientActor::due() const {
  const Duration timer = clock_.when(client_->next_timer());
  return asked_ || is_done() ? timer : std::min(timer, next_);
}

void ClientActor::choose() {
  if (!just_changed_.empty() && random_.chance(40)) {
    choose_query(std::exchange(just_changed_, {}));
  } else if (!kept_.empty() && random_.chance(8)) {
    choose_repetition();
  } else if (!stage_.sessions.empty() && random_.chance(15)) {
    choose_query(stage_.sessions[random_.below(stage_.sessions.size())]);
  } else {
    choose_command();
  }
}

namespace {

// Gives one in two sessions a limit, each kind its own.
void limit(domain::SessionSpec& spec, unsigned kind) {
  if (kind == 0) spec.budget = {6'000'000};
  if (kind == 1) spec.idle_timeout = std::chrono::milliseconds(700);
  if (kind == 2) spec.run_timeout = std::chrono::milliseconds(200);
  if (kind == 3) spec.repeated_calls_max = 1;
  if (kind == 5) spec.remind_after = std::chrono::milliseconds(300);
  if (kind == 6) spec.use_limits.edit().max_tool_calls = 2;
  if (kind % 2 == 0) spec.approval_timeout = std::chrono::milliseconds(400);
  if (kind % 4 == 0) spec.unanswered = domain::UnansweredAsk::approve;
  if (kind == 7) spec.restart_policy = domain::RestartPolicy::retry;
}

// Returns the files that go with the turn's prompt, without a draw; with most there are none.
domain::PromptFiles files_of(base::TurnId turn) {
  const auto number = static_cast<unsigned char>(turn.bytes.back());
  domain::PromptFiles files;
  if (number % 16 == 5) files.push_back({"a.txt", "notes of " + turn.text()});
  if (number % 32 == 5) files.push_back({"b.png", "\x89PNG\r\n\x1a\n" + turn.text()});
  return files;
}

}  // namespace

domain::Command ClientActor::make_command(base::CommandId id, std::string& stream,
                                          base::SessionId& session) {
  const auto& sessions = stage_.sessions;
  const base::TurnId turn{id.bytes};
  if (sessions.empty() || random_.chance(25)) {
    session = base::SessionId{id.bytes};
    stream = domain::session_stream(kAgent, session);
    domain::Spawn spawn;
    spawn.spec.engine = "scripted";
    spawn.spec.workdir = "/srv";
    spawn.spec.is_multi_turn = random_.chance(70);
    spawn.prompt = prompt_of(turn);
    spawn.files = files_of(turn);
    spawn.origin_channel = "telegram|1234";
    // Without a draw, so that what else is drawn stays as it is.
    limit(spawn.spec, static_cast<unsigned char>(session.bytes.back()) % 8);
    if (!sessions.empty() && random_.chance(40)) {
      const std::size_t place = random_.below(sessions.size());
      spawn.resume = session_of(sessions[place]);
      // Often resumes the first session that went on with an agent's session, so that many compete
      // for it.
      const auto* state = stage_.log.session(sessions[place]);
      if (place % 2 == 0 && state != nullptr) spawn.resume = state->lineage;
      spawn.is_fork = random_.chance(30);
    } else if (session.bytes.back() % 8 == 4) {
      // Without a draw. Few, so that several compete for one.
      spawn.agent_session = "elsewhere-" + std::to_string(session.bytes.back() % 3 + 3);
      spawn.is_fork = session.bytes.back() % 16 == 4;
    }
    // Without a draw, too. The first ones launch many.
    if (!sessions.empty() && session.bytes.back() % 4 == 1) {
      const auto drawn = static_cast<std::uint8_t>(session.bytes[14]);
      spawn.caller = session_of(sessions[drawn % sessions.size()]);
    }
    return spawn;
  }
  // Mostly the latest sessions, which probably live.
  const std::size_t back = random_.below(random_.chance(70) ? 4 : sessions.size());
  stream = sessions[sessions.size() - 1 - std::min(back, sessions.size() - 1)];
  session = session_of(stream);
  for (const auto& [type, percent] : stage_.around.shares) {
    if (!random_.chance(static_cast<unsigned>(percent))) continue;
    if (type == kSubagent) {
      domain::Spawn spawn;
      spawn.spec.engine = "scripted";
      spawn.spec.workdir = "/srv";
      spawn.prompt = prompt_of(turn);
      spawn.descriptor = {domain::DescriptorKind::subagent, {}, {}, {}, {}, session};
      session = base::SessionId{id.bytes};
      stream = domain::session_stream(kAgent, session);
      return spawn;
    }
    domain::Command drawn =
        draw_named(type, {random_, stage_.log.version(stream), kAgent, session});
    stream = domain::stream_of(*domain::target_of(drawn, kAgent, session));
    return drawn;
  }
  // Without a draw, as above.
  if (const auto* asking = stage_.log.session(stream)) {
    for (const domain::OpenAsk& open : *asking->asks) {
      if (open.verdict != domain::AskVerdict::none) continue;
      const bool is_granted = turn.bytes.back() % 2 == 0;
      return domain::AnswerAsk{
          open.ask, is_granted ? domain::AskVerdict::granted : domain::AskVerdict::denied,
          turn.bytes.back() % 4 < 2 ? "[\"because\"]" : ""};
    }
  }
  switch (random_.below(12)) {
    case 0:
      return domain::KillSession{};
    case 1:
      return domain::CloseSession{session.bytes.back() % 4 == 0};
    case 3:
      if (session.bytes.back() % 4 == 1) return domain::DismissAttention{};
      if (session.bytes.back() % 4 == 2) {
        return domain::ChangeSettings{{"permission_mode", "run_timeout"}, {}};
      }
      return domain::SendPrompt{
          prompt_of(turn), false, {}, clock_.wall() + std::chrono::milliseconds(300)};
    case 2: {
      const auto* state = stage_.log.session(stream);
      if (state != nullptr && state->turn) return domain::InterruptTurn{state->turn->turn};
      const bool has_own = state != nullptr && state->own_turn.is_set();
      return domain::InterruptTurn{has_own ? state->own_turn : turn};
    }
    default: {
      domain::SendPrompt send{prompt_of(turn), random_.chance(20)};
      send.files = files_of(turn);
      return send;
    }
  }
}

void ClientActor::choose_command() {
  const base::CommandId id = base::CommandId::make(clock_.wall(), stage_.around.id_random);
  std::string stream;
  base::SessionId session;
  const domain::Command command = make_command(id, stream, session);
  if (domain::command_if<domain::AddSchedule>(command) != nullptr) {
    to_remove_ = {"often", "seldom"};
  }
  ask(id, command, stream, session);
}

void ClientActor::ask(base::CommandId id, const domain::Command& command, const std::string& stream,
                      base::SessionId session) {
  Asked asked;
  asked.id = id;
  asked.verb = workers::kVerbCommand;
  asked.patience = kAnswerMax;
  Operation operation;
  operation.stream = stream;
  workers::CommandBody body = workers::encode_command(command);
  if (!is_of_conversation(stream)) body.session = session;
  body.agent = kAgent;
  body.actor = "client-" + std::to_string(number_);
  if (random_.chance(10)) {
    const auto version = stage_.log.version(operation.stream);
    body.expected_version =
        version.value > 0 && random_.chance(30) ? base::StreamVersion{version.value - 1} : version;
    operation.expected_version = body.expected_version;
  }
  asked.body = bus::to_body(body);
  operation.client = number_;
  operation.command = asked.id;
  stage_.say("client-" + std::to_string(number_) + " asks " + body.type + " " + asked.id.text() +
             " of " + operation.stream);
  if (kept_.size() == kKeptMax) kept_.erase(kept_.begin());
  kept_.push_back({asked, operation.stream});
  if (random_.chance(5)) asked.patience = kPatienceMin + Duration{random_.below(kThinkMax.count())};
  asked.place = stage_.history.invoke(std::move(operation));
  asked_ = std::move(asked);
}

void ClientActor::choose_repetition() {
  Kept kept = kept_[random_.below(kept_.size())];
  if (random_.chance(20) && is_of_session(kept.stream)) {
    auto body = *bus::from_body<workers::CommandBody>(kept.asked.body);
    workers::CommandBody other =
        workers::encode_command(domain::SendPrompt{"something else", false});
    other.session = body.session;
    other.agent = body.agent;
    kept.asked.body = bus::to_body(other);
    // If the first one was refused, this one can be accepted with its other prompt.
    if (!stage_.log.commands().contains(kept.asked.id)) return choose_command();
  }
  Operation operation;
  operation.client = number_;
  operation.command = kept.asked.id;
  operation.stream = kept.stream;
  stage_.say("client-" + std::to_string(number_) + " asks again " + kept.asked.id.text());
  kept.asked.place = stage_.history.invoke(std::move(operation));
  asked_ = std::move(kept.asked);
}

void ClientActor::choose_query(const std::string& stream) {
  Asked asked;
  asked.id = base::CommandId::make(clock_.wall(), stage_.around.id_random);
  asked.patience = kAnswerMax;
  asked.verb = random_.chance(80) ? workers::kVerbShow : workers::kVerbList;
  workers::QueryBody body;
  body.agent = kAgent;
  if (asked.verb == workers::kVerbShow) body.reference = session_of(stream).text();
  if (random_.chance(20)) {
    body.at_least = stage_.log.position().plus(static_cast<std::int64_t>(random_.below(kAheadMax)));
    body.wait = Duration{random_.below(kThinkMax.count())};
  }
  asked.body = bus::to_body(body);
  Operation operation;
  operation.client = number_;
  operation.is_query = true;
  operation.stream = stream;
  asked.place = stage_.history.invoke(std::move(operation));
  asked_ = std::move(asked);
}

void ClientActor::take(const base::Result<bus::Reply>& reply) {
  Operation& operation = stage_.history.answer(asked_->place);
  // Answered in whatever way it is gone: accepted, or not there.
  const bool is_removal = left_ == 0 && !to_remove_.empty() && reply && !operation.is_query &&
                          operation.stream == domain::kSchedulesStream;
  if (is_removal && (reply->status == bus::ReplyStatus::ok || reply->code == "not_found")) {
    to_remove_.pop_back();
  }
  Counts& counts = stage_.around.counts;
  if (!reply) {
    ++counts["outcomes unknown"];
    stage_.say("client-" + std::to_string(number_) + " knows nothing of " + asked_->id.text());
    return;
  }
  if (reply->status != bus::ReplyStatus::ok) {
    // An error leaves the command's outcome open: it can have happened.
    const bool is_refused = reply->status == bus::ReplyStatus::rejected;
    if (is_refused) operation.result = Result::failed;
    operation.code = reply->code;
    ++counts[(is_refused ? "refused: " : "errors: ") + reply->code];
    stage_.say("client-" + std::to_string(number_) + " is told: " + reply->text);
    if (operation.is_query && reply->code == "not_found") {
      stage_.violate(operation.stream + " was opened, and a query does not find it");
    }
    return;
  }
  operation.result = Result::ok;
  if (operation.is_query) {
    ++counts["queries answered"];
    take_row(operation, reply->body);
    return;
  }
  bool is_repeated = false;
  base::Position position;
  const auto read = [&]<class Body>(std::type_identity<Body>) {
    const auto body = bus::from_body<Body>(reply->body);
    std::tie(position, is_repeated) = std::tie(body->position, body->is_repeated);
  };
  if (operation.stream == domain::kSchedulesStream) {
    read(std::type_identity<workers::SchedulesReplyBody>{});
  } else if (operation.stream == domain::kRulesStream) {
    read(std::type_identity<workers::RulesReplyBody>{});
  } else if (is_of_conversation(operation.stream)) {
    read(std::type_identity<workers::ConversationReplyBody>{});
  } else {
    read(std::type_identity<workers::CommandReplyBody>{});
  }
  operation.position = position;
  operation.is_repeated = is_repeated;
  ++counts[is_repeated ? "accepted before" : "accepted"];
  stage_.say("client-" + std::to_string(number_) + " is told " + std::to_string(position.value));
  // An acknowledgement means durable now, not soon.
  if (position > stage_.around.disk.log().tail()) {
    stage_.violate("a command was acknowledged at position " + std::to_string(position.value) +
                   " before it was durable");
  }
  if (!is_of_session(operation.stream)) return;
  auto& sessions = stage_.sessions;
  if (std::find(sessions.begin(), sessions.end(), operation.stream) == sessions.end()) {
    sessions.push_back(operation.stream);
  }
  just_changed_ = operation.stream;
}

void ClientActor::take_row(Operation& operation, const base::RawValue& body) {
  if (asked_->verb == workers::kVerbList) {
    operation.position = bus::from_body<workers::ListAnswer>(body)->position;
  } else {
    auto answer = bus::from_body<workers::ShowAnswer>(body);
    operation.position = answer->position;
    operation.row = std::move(answer->session);
  }
  if (operation.position > stage_.around.disk.log().tail()) {
    stage_.violate("a query was answered at position " + std::to_string(operation.position.value) +
                   " before it was durable");
  }
}

SubscriberActor::SubscriberActor(Stage& stage, std::string name, std::string level,
                                 std::uint64_t seed)
    : stage_(stage),
      name_(std::move(name)),
      level_(std::move(level)),
      clock_(stage.around.time),
      random_(seed) {
  connect();
}

void SubscriberActor::connect() {
  subscription_.reset();
  reader_.reset();
  client_socket_ = stage_.around.bus.connect_client("command", name_);
  feed_socket_ = stage_.around.bus.connect_subscriber("feed", name_, kFeedQueueMax);
  client_ = std::make_unique<bus::Client>(*client_socket_, clock_, random_, bus::ClientOptions{});
  reader_ =
      std::make_unique<bus::ClientLogReader>(*client_, kPageMax, stage_.around.page_events_max);
  subscription_ = std::make_unique<bus::Subscription>(
      *feed_socket_, *reader_, random_,
      bus::SubscriptionOptions{level_, seen_, identity_, 4096, seen_digest_});
}

void SubscriberActor::restart() {
  stage_.say(name_ + " restarts at " + std::to_string(seen_.value));
  gaps_ += subscription_->counts().gaps;
  seen_digest_ = subscription_->digest();
  connect();
}

bool SubscriberActor::do_work() {
  if (stage_.around.time.now < stopped_until_) return false;
  bool has_worked = client_->do_work(clock_.boot()) > 0;
  has_worked |= subscription_->do_work(clock_.boot()) > 0;
  while (auto event = subscription_->receive()) {
    has_worked = true;
    if (!*event) {
      stage_.violate(name_ + "'s subscription ended: " + base::describe(event->error()));
      return true;
    }
    const base::Position position = (*event)->position;
    if (level_ == bus::kAllLevel ? position != seen_.next() : position <= seen_) {
      stage_.violate(name_ + " was given position " + std::to_string(position.value) + " after " +
                     std::to_string(seen_.value));
    }
    if (position > stage_.around.disk.log().tail()) {
      stage_.violate("position " + std::to_string(position.value) +
                     " was published before it was durable");
    }
    check_same(**event);
    given_.push_back(position);
    seen_ = position;
  }
  if (subscription_->position() > seen_) {
    if (level_ == bus::kAllLevel) {
      stage_.violate(name_ + " has come to position " +
                     std::to_string(subscription_->position().value) +
                     " and was given none after " + std::to_string(seen_.value));
    }
    seen_ = subscription_->position();
  }
  if (subscription_->identity()) identity_ = subscription_->identity();
  return has_worked;
}

// Requires that the event equals the recorded one. Its text can be left out, or erased since.
void SubscriberActor::check_same(const bus::FeedEvent& event) {
  const auto& events = stage_.log.events();
  const auto place = static_cast<std::size_t>(event.position.value - 1);
  auto given = domain::decode_facts(event.facts.bytes);
  if (place >= events.size() || !given) {
    stage_.violate(name_ + " was given what is not on the record at position " +
                   std::to_string(event.position.value));
    return;
  }
  given->envelope.position = event.position;
  given->content = events[place].content;
  if (event.content) {
    const auto text = domain::decode_content(event.content->bytes);
    given->content = text ? std::optional(*text) : std::nullopt;
  }
  if (*given != events[place]) {
    stage_.violate(name_ + " was given another event than the record has at position " +
                   std::to_string(event.position.value));
  }
}

Duration SubscriberActor::due() const {
  const Duration timer =
      std::min(clock_.when(client_->next_timer()), clock_.when(subscription_->next_timer()));
  return std::max(timer, stopped_until_);
}

}  // namespace simulation
