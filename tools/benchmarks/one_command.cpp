// Times the client's own blocking request, from encoding to the decoded reply.
#include "tools/benchmarks/one_command.hpp"

#include "bus/zmq_sockets.hpp"
#include "eventlog/base/release.hpp"
#include "tools/benchmarks/session_history.hpp"
#include "tools/benchmarks/stop.hpp"
#include "workers/protocol/earlier_names.hpp"

namespace benchmarks {
namespace {

constexpr base::Duration kCommandAnswerMax = std::chrono::seconds(60);
constexpr base::Duration kViewsMax = std::chrono::minutes(20);
constexpr Nanoseconds kSearchIndexMax = std::chrono::minutes(10);

}  // namespace

domain::Spawn spawn_command() {
  domain::Spawn spawn;
  spawn.spec.engine = "scripted";
  spawn.spec.workdir = "/home/user/project";
  spawn.spec.is_multi_turn = true;
  spawn.prompt.assign(kPromptBytes, 'p');
  return spawn;
}

base::Result<std::unique_ptr<OneCommand>> OneCommand::connect(Workbench& bench,
                                                              const StenoServer& server) {
  std::unique_ptr<OneCommand> one(new OneCommand(bench));
  auto socket = bus::connect_client(bench.context(), server.command_endpoint());
  if (!socket) return tl::unexpected(socket.error());
  one->socket_ = std::move(*socket);
  bus::ClientOptions options;
  options.hello.role = bus::Role::client;
  options.hello.name = "bench";
  options.hello.release = base::release();
  options.hello.features = {std::string(workers::kFeatureNames)};
  options.endpoint = server.command_endpoint();
  one->client_ =
      std::make_unique<bus::Client>(*one->socket_, bench.clock(), bench.random(), options);
  return one;
}

base::Result<Nanoseconds> OneCommand::run(base::SessionId session, std::string_view agent,
                                          const domain::Command& command) {
  return run(base::CommandId::make(bench_.clock().wall(), bench_.random()), session, agent,
             command);
}

base::Result<Nanoseconds> OneCommand::run(const base::CommandId& id, base::SessionId session,
                                          std::string_view agent, const domain::Command& command) {
  workers::CommandBody body = workers::encode_command(command);
  body.session = session;
  body.agent = agent;
  body.actor = "bench";
  const Nanoseconds begun = now();
  const auto reply =
      client_->request(id, workers::kVerbCommand, bus::to_body(body), kCommandAnswerMax);
  const Nanoseconds took = now() - begun;
  if (!reply) return tl::unexpected(reply.error());
  if (reply->status == bus::ReplyStatus::ok) return took;
  return base::failure(base::ErrorCode::refused, "a command was refused: " + reply->text,
                       reply->code);
}

base::Result<Nanoseconds> OneCommand::ask(std::string_view verb, const workers::QueryBody& query) {
  const Nanoseconds begun = now();
  const auto reply = reply_to(verb, query);
  const Nanoseconds took = now() - begun;
  if (!reply) return tl::unexpected(reply.error());
  return took;
}

base::Result<bus::Reply> OneCommand::reply_to(std::string_view verb,
                                              const workers::QueryBody& query) {
  auto reply = client_->request(verb, bus::to_body(query), kViewsMax);
  if (!reply || reply->status == bus::ReplyStatus::ok) return reply;
  return base::failure(base::ErrorCode::refused, "a query failed: " + reply->text, reply->code);
}

base::Result<void> OneCommand::wait_for_views() {
  workers::QueryBody query;
  query.limit = 1;
  const auto answered = ask(workers::kVerbList, query);
  if (!answered) return tl::unexpected(answered.error());
  return {};
}

base::Result<Nanoseconds> OneCommand::wait_for_search_index() {
  const Nanoseconds begin = now();
  workers::QueryBody query;
  query.words = "any";
  query.limit = 1;
  for (;;) {
    const auto answer = answer_to<workers::SearchAnswer>(workers::kVerbSearch, query);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->indexed >= answer->position) return now() - begin;
    if (now() - begin > kSearchIndexMax) {
      return base::failure(base::ErrorCode::timeout, "the index does not come to the log's end");
    }
    if (is_stopped()) return stopped();
  }
}

}  // namespace benchmarks
