// The conversations are groups of one channel, with the settings and facts that an entry of
// sessions.json has.
#include "tools/benchmarks/conversation_load.hpp"

#include <fmt/format.h>

#include "eventlog/domain/command.hpp"
#include "tools/benchmarks/log_author.hpp"
#include "tools/benchmarks/one_command.hpp"

namespace benchmarks {
namespace {

constexpr std::size_t kOpeningsOutstanding = 256;
constexpr Nanoseconds kOpeningMax = std::chrono::minutes(5);

// Numbers of one length, as ids of groups have.
std::size_t group_of(std::size_t number) {
  return 1'000'000 + number;
}

domain::ReceiveMessage first_message(std::size_t number) {
  const std::string group = fmt::format("-100{}", group_of(number));
  domain::ReceiveMessage message;
  message.session_key = conversation_key(number);
  message.spec = spawn_command().spec;
  message.text = "/queue collect";
  message.sender = fmt::format("user-{}", number);
  message.id = "4711";
  message.route.channel = "telegram";
  message.route.to = group;
  message.route.account = "default";
  message.origin = {fmt::format("Project {}", number), "telegram", "telegram", message.sender};
  message.entry = {{"chatType", "group"},
                   {"displayName", fmt::format("Project {}", number)},
                   {"subject", fmt::format("Project {}, builds and releases", number)},
                   {"groupId", group},
                   {"labels", conversation_label(number)},
                   {"modelOverride", "claude-sonnet-4-5"},
                   {"providerOverride", "anthropic"},
                   {"thinkingLevel", "low"},
                   {"verboseLevel", "off"}};
  return message;
}

}  // namespace

std::string conversation_key(std::size_t number) {
  return fmt::format("agent:{}:telegram:group:-100{}", kLogAgent, group_of(number));
}

std::string conversation_label(std::size_t number) {
  return fmt::format("team-{}", number % kConversationLabels);
}

base::Result<std::unique_ptr<ConversationLoad>> ConversationLoad::connect(
    Workbench& bench, const StenoServer& server, std::size_t conversations) {
  std::unique_ptr<ConversationLoad> load(new ConversationLoad(bench, conversations));
  if (auto ok = load->CommandLoad::connect(server, kLoadConnections); !ok) {
    return tl::unexpected(ok.error());
  }
  return load;
}

base::Result<void> ConversationLoad::open_all() {
  is_opening_ = true;
  const auto opened = run_closed_loop(*this, {kOpeningsOutstanding, kOpeningMax, conversations_});
  is_opening_ = false;
  if (!opened) return tl::unexpected(opened.error());
  if (opened->latencies.count() < conversations_) {
    return base::failure(base::ErrorCode::timeout, "the conversations take too long to open");
  }
  count_anew();
  return {};
}

base::Result<void> ConversationLoad::start(std::size_t slot) {
  const auto id = base::CommandId::make(bench_.clock().wall(), bench_.random());
  workers::CommandBody body;
  if (is_opening_) {
    body = workers::encode_command(domain::ConversationCommand(first_message(opened_++)));
  } else {
    domain::PatchConversation patch;
    patch.session_key = conversation_key(drawn_.below(conversations_));
    patch.set["displayName"] = fmt::format("Project, renamed {}", ++changes_);
    body = workers::encode_command(domain::ConversationCommand(std::move(patch)));
  }
  body.agent = kLogAgent;
  return send(slot, id, std::move(body));
}

base::Result<void> ConversationLoad::finish(std::size_t, const bus::Reply& reply) {
  return count<workers::ConversationReplyBody>(reply);
}

}  // namespace benchmarks
