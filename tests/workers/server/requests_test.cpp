// Requests are understood, or refused with what is accepted, without a server.
#include "workers/server/requests.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/given_when_then.hpp"
#include "workers/protocol/commands.hpp"
#include "workers/protocol/feed_levels.hpp"
#include "workers/protocol/status.hpp"
#include "workers/queries/queries.hpp"
#include "workers/server/principal.hpp"

namespace workers {
namespace {

const base::CommandId kId = support::numbered<base::CommandId>(7);
const base::SessionId kOpened{kId.bytes};

bus::Peer peer(const std::string& scope = {}) {
  bus::Peer one;
  one.id = "peer";
  one.hello.name = "chat";
  one.hello.scope = scope;
  return one;
}

// A reactor with a list, and nothing to do.
class Lists : public Reactor {
 public:
  std::string_view verb() const override { return "lists"; }
};

struct Asking {
  std::string verb;
  base::RawValue body{};
  std::string scope{};
  std::optional<domain::Rejection> full{};

  base::Result<Asked, bus::Reply> run() const {
    static const std::unique_ptr<Reactor> reactors[] = {std::make_unique<Lists>()};
    return understand(peer(scope), {kId, verb, body, 3}, reactors,
                      [this](std::size_t) { return full; });
  }
  std::string refusal() const {
    const auto asked = run();
    if (asked) return "understood";
    return std::string(asked.error().code) + ": " + asked.error().text;
  }
  template <class Wanted>
  bool is() const {
    const auto asked = run();
    return asked && std::holds_alternative<Wanted>(*asked);
  }
};

Asking command(const domain::Command& one, const std::string& agent, base::SessionId session,
               const std::string& scope = {}) {
  CommandBody body = encode_command(one);
  body.agent = agent;
  body.session = session;
  return {std::string(kVerbCommand), bus::to_body(body), scope};
}

domain::Command interrupt() {
  return domain::SessionCommand(domain::InterruptTurn{base::TurnId{kId.bytes}});
}

TEST_CASE("a command is understood with who sent it", "[workers]") {
  const auto asked = command(interrupt(), "main", kOpened).run();
  REQUIRE(asked);
  const CommandMessage& message = std::get<Submission>(*asked).message;
  CHECK(message.id == kId);
  CHECK(message.ask == 3);
  CHECK(message.agent == "main");
  CHECK(message.stream_id == kOpened);
  CHECK(message.actor == "chat");
  CHECK(message.asker == "peer");
  CHECK(domain::command_if<domain::InterruptTurn>(message.command) != nullptr);
}

TEST_CASE("what a client says that it was asked tells a retry from another request", "[workers]") {
  const auto digest = [](const std::string& prompt, std::optional<char> asked) {
    CommandBody body = encode_command(domain::SessionCommand(domain::SendPrompt{prompt, false}));
    body.agent = "main";
    body.session = kOpened;
    if (asked) body.asked = domain::BodyDigest{*asked};
    const auto understood = Asking{std::string(kVerbCommand), bus::to_body(body)}.run();
    REQUIRE(understood);
    return std::get<Submission>(*understood).message.digest;
  };
  CHECK(digest("one", {}) != digest("two", {}));
  CHECK(digest("one", 'a') == digest("two", 'a'));
  CHECK(digest("one", 'a') != digest("one", 'b'));
  CHECK(digest("one", 'a') != digest("one", {}));
  // It cannot pass for what the server itself sends again.
  CHECK(digest("one", 'a') != domain::BodyDigest{'a'});
}

TEST_CASE("each verb has its own form", "[workers]") {
  CHECK(Asking{std::string(kVerbStatus)}.is<StatusWanted>());
  CHECK(Asking{std::string(kVerbFlight)}.is<FlightWanted>());
  CHECK(Asking{"lists"}.is<ListWanted>());
  CHECK(Asking{std::string(query_kinds()[0]->verb)}.is<Question>());
  const std::string unknown = Asking{"dance"}.refusal();
  CHECK(unknown.starts_with("invalid: unknown verb 'dance'; known are command, "));
  CHECK(unknown.ends_with(", status, flight, lists"));
}

TEST_CASE("a command that cannot be is refused before it is decided", "[workers]") {
  Asking torn = command(interrupt(), "main", kOpened);
  torn.body.encoded.pop_back();
  CHECK(torn.refusal().starts_with("invalid: "));
  CHECK(Asking{std::string(kVerbCommand)}.refusal().starts_with("invalid: "));
  const domain::Command spawn = domain::SessionCommand(domain::Spawn{});
  CHECK(command(spawn, "main", kOpened).is<Submission>());
  CHECK(command(spawn, "main", support::kSession).refusal().find("has the id of the command") !=
        std::string::npos);
  Asking large = command(interrupt(), "main", kOpened);
  large.body.encoded.resize(CommandLoop::kSmallBytes + 1);
  large.full = domain::Rejection{domain::RejectionCode::busy, "no room"};
  CHECK(large.refusal() == "busy: no room");
  Asking query{"lists", large.body};
  CHECK(query.refusal().starts_with("too_large: the body of 'lists' has "));
}

TEST_CASE("who acts for one agent asks about that agent alone", "[workers]") {
  CHECK(command(interrupt(), "main", kOpened, "main").is<Submission>());
  CHECK(command(interrupt(), "ops", kOpened, "main").refusal().find("acts for agent 'main' only") !=
        std::string::npos);
  const domain::Command anchor = domain::ServerCommand(domain::RequestAnchor{});
  CHECK(command(anchor, "main", {}).is<Submission>());
  CHECK(command(anchor, "main", {}, "main").refusal().find("concern all agents") !=
        std::string::npos);
  CHECK(Asking{"lists", {}, "main"}.refusal().starts_with("refused: "));
  CHECK(Asking{std::string(kVerbStatus), {}, "main"}.is<StatusWanted>());
  const std::string verb(query_kinds()[0]->verb);
  QueryBody of_agent;
  of_agent.agent = "main";
  CHECK(Asking{verb, bus::to_body(of_agent), "main"}.is<Question>());
  CHECK(Asking{verb, bus::to_body(QueryBody{}), "main"}.refusal().starts_with("refused: "));
  const std::string read(bus::kReadVerb);
  const auto level = [](const std::string& name) {
    bus::ReadRequest request;
    request.level = name;
    return bus::to_body(request);
  };
  CHECK(Asking{read, level(session_level("main", kOpened)), "main"}.is<Question>());
  CHECK(Asking{read, level("session/ops/1/"), "main"}.refusal().starts_with("refused: "));
  CHECK(Asking{read, level(""), "main"}.refusal().starts_with("refused: "));
  CHECK(Asking{read, level("")}.is<Question>());
}

TEST_CASE("nobody may ask for what no rule is about", "[workers]") {
  CHECK(why_not({}, Reach::unknown));
  CHECK(why_not({"main"}, Reach::unknown));
  CHECK_FALSE(why_not({}, Reach::all_agents));
  CHECK(why_not({"main"}, Reach::all_agents));
  CHECK(why_not({"main"}, Reach::agent, "ops"));
  CHECK_FALSE(why_not({"main"}, Reach::agent, "main"));
  CHECK_FALSE(why_not({"main"}, Reach::server));
}

}  // namespace
}  // namespace workers
