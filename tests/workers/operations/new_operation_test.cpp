// An operation that only this test has: its row, its handler and its result are all that it takes
// to be on every surface.
#include "tests/support/async_world.hpp"
#include "tests/support/catch.hpp"
#include "workers/operations/json_rpc.hpp"
#include "workers/operations/operation.hpp"
#include "workers/operations/surfaces.hpp"

namespace toy {

struct Greeting {
  std::string name;
  std::int64_t times = 0;
};

workers::Json json_of(const Greeting& greeting) {
  return {{"name", greeting.name}, {"times", greeting.times}};
}
std::string text_of(const Greeting& greeting, workers::Reader reader) {
  return (reader == workers::Reader::person ? "👋 " : "") + greeting.name;
}

struct GreetArguments {
  std::string name;
  std::int64_t times = 1;
};

workers::Task<workers::Outcome<Greeting>> greet(const workers::Caller& caller,
                                                const GreetArguments& arguments) {
  auto pause = caller.server.after(std::chrono::seconds(1));
  co_await pause;
  if (arguments.name == "nobody") {
    co_return workers::refuse(workers::OperationError::not_found, "there is nobody");
  }
  co_return Greeting{arguments.name, arguments.times};
}

}  // namespace toy

namespace {

using workers::Json;

const workers::OperationTable& table() {
  using A = toy::GreetArguments;
  static const workers::OperationTable kTable{{
      workers::Describe<A>({"toy.greet", "Greet somebody"})
          .need("name", &A::name, "Whom", workers::ChatPlace::word)
          .can("times", &A::times, "How often")
          .within(1, 9)
          .runs(toy::greet),
  }};
  return kTable;
}

class World : public support::AsyncWorld {
 public:
  workers::Outcome<workers::ChatAnswer> chat(const std::string& line) {
    return finish(workers::do_chat_line(table(), caller, line, false));
  }
  Json message(const Json& message) {
    const workers::Connect connect = [this]() -> workers::Outcome<const workers::Caller*> {
      return &caller;
    };
    return Json::parse(finish(workers::answer_json_rpc(table(), connect, message.dump())));
  }
  Json request(const std::string& method, const Json& params) {
    return message(call(1, method, params));
  }
  static Json call(int id, const std::string& method, const Json& params) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
  }

  const workers::Caller caller{tasks, "ann", "main"};
};

TEST_CASE("a new operation is a chat command", "[workers]") {
  World world;
  CHECK(workers::chat_usages(table()) == std::vector<std::string>{"/toy_greet NAME"});
  const auto told = world.chat("/toy_greet Ann");
  REQUIRE(told);
  CHECK(told->text == "👋 Ann");
  CHECK(told->json == R"({"name":"Ann","times":1})");
  const auto refused = world.chat("/toy_greet nobody");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().error == workers::OperationError::not_found);
}

TEST_CASE("a new operation is a method, whose parameters are checked", "[workers]") {
  World world;
  CHECK(world.request("toy.greet", {{"name", "Ann"}, {"times", 2}})["result"] ==
        Json{{"name", "Ann"}, {"times", 2}});
  const Json wrong = world.request("toy.greet", {{"name", "Ann"}, {"times", 10}})["error"];
  CHECK(wrong["message"] == "times takes a whole number from 1 to 9, not 10");
  CHECK(world.request("toy.greet", {{"name", "nobody"}})["error"]["data"]["code"] == "not_found");
}

TEST_CASE("a new operation is a tool of agents", "[workers]") {
  World world;
  const Json tools = world.request("tools/list", nullptr)["result"]["tools"];
  REQUIRE(tools.size() == 1);
  CHECK(tools[0]["name"] == "toy_greet");
  CHECK(tools[0]["inputSchema"]["required"] == Json{"name"});
  const Json call = {{"name", "toy_greet"}, {"arguments", {{"name", "Ann"}}}};
  const Json result = world.request("tools/call", call)["result"];
  CHECK(result["content"][0]["text"] == "Ann");
  CHECK(result["structuredContent"]["times"] == 1);
}

TEST_CASE("the requests of a batch run at the same time and are answered in their order",
          "[workers]") {
  World world;
  Json batch = Json::array();
  for (int id = 0; id < 100; ++id) {
    batch.push_back(World::call(id, id % 2 == 0 ? "toy.greet" : "ping", {{"name", "Ann"}}));
  }
  const base::Duration began = world.clock.now;
  const Json answers = world.message(batch);
  CHECK(world.clock.now - began < std::chrono::seconds(2));
  REQUIRE(answers.size() == 100);
  for (int id = 0; id < 100; ++id) CHECK(answers[static_cast<std::size_t>(id)]["id"] == id);
}

}  // namespace
