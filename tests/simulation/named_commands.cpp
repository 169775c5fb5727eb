// Draws each command from the list of those that clients can send about a session.
#include "tests/simulation/named_commands.hpp"

#include <type_traits>

#include "tests/simulation/sim_agent.hpp"
#include "tests/support/random_value.hpp"

namespace simulation {
namespace {

using Named = base::Joined<domain::SessionClientCommands, domain::SchedulesClientCommands,
                           domain::RulesClientCommands, domain::ConversationClientCommands>;
using InEveryWorld = base::Types<domain::Spawn, domain::SendPrompt, domain::InterruptTurn,
                                 domain::KillSession, domain::CloseSession>;

template <class C>
void draw(const Drawing& from, C& command) {
  support::RandomValue(from.random, false).fill(command);
}

// Erases the whole session, or some range of its events.
void draw(const Drawing& from, domain::EraseContent& command) {
  const auto version = static_cast<std::uint64_t>(from.version.value);
  if (version == 0 || from.random.chance(50)) return;
  const auto first = static_cast<std::int64_t>(1 + from.random.below(version));
  const auto length = static_cast<std::int64_t>(from.random.below(version));
  command.events = {{{first}, {first + length}}};
}

std::string some_channel(const Drawing& from) {
  return from.random.chance(50) ? "telegram|1234" : "slack|42";
}

void draw(const Drawing& from, domain::SetForeground& command) {
  command.channel = some_channel(from);
  command.is_foreground = from.random.chance(70);
}

// The log's first event is always there.
void draw(const Drawing& from, domain::MarkSeen& command) {
  command.channel = some_channel(from);
  command.through = {1};
}

std::string some_schedule(const Drawing& from) {
  return from.random.chance(50) ? "often" : "seldom";
}

// Due soon, since a world lasts some seconds.
void draw(const Drawing& from, domain::AddSchedule& command) {
  domain::ScheduleSpec& spec = command.spec;
  spec.name = some_schedule(from);
  spec.kind = domain::ScheduleKind::every;
  spec.when = std::to_string(1 + from.random.below(4)) + "s";
  spec.zone = "UTC";
  spec.missed = from.random.chance(50) ? domain::MissedRuns::once : domain::MissedRuns::skip;
  spec.overlaps = from.random.chance(50);
  spec.agent = from.agent;
  spec.run = static_cast<domain::RunKind>(from.random.below(3));
  spec.uses_subagent = spec.run == domain::RunKind::heartbeat && spec.overlaps;
  if (spec.run == domain::RunKind::message) spec.to = from.session;
  spec.session.engine = "scripted";
  spec.session.workdir = "/srv";
  spec.prompt = kSchedulePrompt;
}
void draw(const Drawing& from, domain::RemoveSchedule& command) {
  command.schedule = some_schedule(from);
}
void draw(const Drawing& from, domain::RunSchedule& command) {
  command.schedule = some_schedule(from);
  support::RandomValue(from.random, true).fill(command.run);
}

void draw(const Drawing& from, domain::PauseSchedule& command) {
  command.schedule = some_schedule(from);
  command.is_over = from.random.chance(70);
}
void draw(const Drawing& from, domain::EditSchedule& command) {
  domain::AddSchedule added;
  draw(from, added);
  command.spec = std::move(added.spec);
}

// About what the simulated agents ask for, and something else.
void draw(const Drawing& from, domain::AddRule& command) {
  command.pattern = from.random.chance(70) ? "Bash" : "Read";
  if (from.random.chance(60)) command.agent = from.agent;
  if (!command.agent.empty() && from.random.chance(50)) command.session = from.session;
  command.verdict = static_cast<domain::RuleVerdict>(from.random.below(3));
}
void draw(const Drawing& from, domain::RemoveRule& command) {
  command.rule = static_cast<std::int64_t>(1 + from.random.below(6));
}

// Few, so that messages meet.
std::string some_conversation(const Drawing& from) {
  static constexpr std::string_view kKeys[] = {
      "agent:main:telegram:group:1", "agent:main:telegram:group:2", "agent:main:cron:nightly"};
  return std::string(kKeys[from.random.below(std::size(kKeys))]);
}

std::string some_mode(const Drawing& from) {
  return std::string(base::enum_name(static_cast<domain::QueueMode>(from.random.below(5))));
}

// Returns the files that go with the message of that number; with most there are none.
domain::PromptFiles files_of_message(std::uint64_t number) {
  domain::PromptFiles files;
  const std::string text = "of message " + std::to_string(number);
  if (number % 8 == 5) files.push_back({"a.txt", "notes " + text});
  if (number % 16 == 5) files.push_back({"b.png", "\x89PNG\r\n\x1a\n" + text});
  return files;
}

// A text that is a command of the conversation now and then.
void draw(const Drawing& from, domain::ReceiveMessage& command) {
  command.session_key = some_conversation(from);
  command.spec.engine = "scripted";
  command.spec.workdir = "/srv";
  const std::uint64_t drawn = from.random.below(40);
  const auto number = std::to_string(drawn);
  const std::uint64_t kind = from.random.below(20);
  command.files = files_of_message(drawn);
  command.text = kind == 0   ? "/new"
                 : kind == 1 ? "/stop"
                 : kind < 5  ? "/queue " + some_mode(from) + " debounce:0 cap:3"
                 : kind < 7  ? "/new begin with " + number
                 : kind < 9  ? "/compact " + number
                             : "do what message " + number + " asks";
  if (from.random.chance(20)) {
    command.session_key = "agent:main:subagent:" + std::to_string(from.random.below(40));
    command.parent = "agent:main:telegram:group:1";
    command.is_authorised = false;
    if (from.random.chance(50)) command.cleanup = domain::RunCleanup::remove;
    return;
  }
  if (from.random.chance(60)) command.id = number;
  if (from.random.chance(80)) command.route.channel = "telegram";
  if (!command.route.channel.empty()) command.route.to = from.random.chance(50) ? "1" : "2";
}
void draw(const Drawing& from, domain::PatchConversation& command) {
  command.session_key = some_conversation(from);
  command.set["queueMode"] = some_mode(from);
  if (from.random.chance(50)) command.set["label"] = from.random.chance(50) ? "one" : "two";
}
void draw(const Drawing& from, domain::ResetConversation& command) {
  command.session_key = some_conversation(from);
  command.is_undo = from.random.chance(40);
}
void draw(const Drawing& from, domain::StopConversation& command) {
  command.session_key = some_conversation(from);
}
void draw(const Drawing& from, domain::DeleteConversation& command) {
  command.session_key = some_conversation(from);
}
void draw(const Drawing& from, domain::EraseMessages& command) {
  command.session_key = some_conversation(from);
}

// Calls `use` with a default value of each command that a schedule can name.
template <class... C, class Use>
void for_each_named(base::Types<C...>, const Use& use) {
  const auto one = [&]<class One>(std::type_identity<One>) {
    if constexpr (!base::kContains<One, InEveryWorld>) use(One{});
  };
  (one(std::type_identity<C>{}), ...);
}

}  // namespace

const std::vector<std::string>& named_commands() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> all;
    for_each_named(Named{}, [&](const auto& c) { all.emplace_back(c.kType); });
    all.emplace_back(kSubagent);
    return all;
  }();
  return types;
}

domain::Command draw_named(const std::string& type, const Drawing& from) {
  std::optional<domain::Command> drawn;
  for_each_named(Named{}, [&](auto command) {
    if (command.kType != type) return;
    draw(from, command);
    drawn = std::move(command);
  });
  return std::move(drawn.value());
}

}  // namespace simulation
