// The compact set of accepted commands against a map: lookups, equality and bytes are the same.
#include "eventlog/domain/accepted_commands.hpp"

#include <map>

#include "eventlog/base/random.hpp"
#include "tests/support/catch.hpp"

namespace domain {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 32;

CommandId id(std::uint64_t number) {
  CommandId id;
  id.bytes[0] = static_cast<char>(number >> 8);
  id.bytes[15] = static_cast<char>(number);
  return id;
}

struct Listed {
  std::vector<AcceptedCommand> commands;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("commands", &Listed::commands);
  }
};
struct Held {
  AcceptedCommands commands;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("commands", &Held::commands);
  }
};

// Remembers random commands in any order, some of them twice, at positions around `around`. Returns
// what must be known then.
std::map<CommandId, AcceptedCommand> remember(AcceptedCommands& commands, std::uint64_t seed,
                                              std::int64_t around) {
  base::SeededRandom random(seed);
  std::map<CommandId, AcceptedCommand> model;
  for (int i = 0; i < 300; ++i) {
    const AcceptedCommand next{id(random.below(400)),
                               {static_cast<char>(i)},
                               {around - 100 + static_cast<std::int64_t>(random.below(200))}};
    commands.remember(next);
    AcceptedCommand& known = model.try_emplace(next.command, next).first->second;
    known.position = next.position;
  }
  return model;
}

TEST_CASE("what was accepted is found, with the position of its last event", "[session]") {
  for (const std::int64_t around : {std::int64_t{1000}, kFar, 5 * kFar}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      INFO("seed " << seed << ", positions around " << around);
      AcceptedCommands commands;
      const auto model = remember(commands, seed, around);
      REQUIRE(commands.size() == model.size());
      std::size_t index = 0;
      for (const auto& [command, accepted] : model) {
        REQUIRE((commands.find(command) == accepted));
        REQUIRE((commands.at(index++) == accepted));  // ascending by id
      }
      for (std::uint64_t number = 0; number < 400; ++number) {
        REQUIRE(commands.find(id(number)).has_value() == model.contains(id(number)));
      }
    }
  }
}

TEST_CASE("accepted commands are equal when all of each of them is", "[session]") {
  AcceptedCommands a;
  a.remember({id(1), {'d'}, {7}});
  a.remember({id(2), {'d'}, {8}});
  AcceptedCommands b = a;
  CHECK((a == b));
  b.remember({id(2), {'d'}, {kFar + 8}});
  CHECK((a != b));
  b.remember({id(2), {'d'}, {8}});
  CHECK((a == b));
  b.remember({id(3), {'d'}, {8}});
  CHECK((a != b));
  AcceptedCommands other;
  other.remember({id(1), {'d'}, {7}});
  other.remember({id(2), {'x'}, {8}});
  CHECK((a != other));
  AcceptedCommands first;
  first.remember({id(1), {'x'}, {7}});
  first.remember({id(2), {'d'}, {8}});
  CHECK((a != first));
}

TEST_CASE("in bytes accepted commands are a list, ascending by id", "[session]") {
  for (const std::int64_t around : {std::int64_t{1000}, kFar}) {
    Held held;
    Listed listed;
    for (const auto& [command, accepted] : remember(held.commands, 1, around)) {
      listed.commands.push_back(accepted);
    }
    const base::Bytes bytes = base::encode(listed);
    CHECK(base::encode(held) == bytes);
    CHECK((base::decode<Held>(bytes).value().commands == held.commands));
    CHECK((base::decode<Listed>(base::encode(held)).value().commands == listed.commands));
  }
}

TEST_CASE("what is no list of accepted commands is not read as one", "[session]") {
  for (const bool is_list : {true, false}) {
    base::Bytes bytes;
    base::MsgpackWriter writer(bytes);
    writer.map(1);
    writer.text("commands");
    if (is_list) writer.array(1);
    writer.integer(7);
    CHECK_FALSE(base::decode<Held>(bytes));
  }
}

TEST_CASE("only what was remembered is there, whatever was before", "[session]") {
  Held used;
  used.commands.remember({id(9), {'d'}, {7}});
  Held one;
  one.commands.remember({id(1), {'d'}, {kFar}});
  REQUIRE(base::decode_to(used, base::encode(one)));
  CHECK((used.commands == one.commands));
}

TEST_CASE("the commands that were accepted first are forgotten, with the time of their ids",
          "[domain]") {
  base::SeededRandom random(4);
  const Time begun{1'800'000'000'000'000};
  const auto now = [&](std::int64_t number) { return Time{begun.us + number * 1'000}; };
  AcceptedCommands commands;
  std::vector<CommandId> ids;
  Time forgotten;
  for (std::int64_t i = 0; i <= static_cast<std::int64_t>(kRememberedMax); ++i) {
    ids.push_back(CommandId::make(now(i), random));
    // One of version 8 is made from a key.
    if (i % 2 == 1) ids.back().bytes[6] = '\x80';
    commands.remember({ids.back(), {}, {i + 1}});
    forgotten = std::max(forgotten, commands.forget_oldest(now(i)));
  }
  CHECK(commands.size() == kRememberedMin);
  const std::size_t gone = kRememberedMax + 1 - kRememberedMin;
  CHECK_FALSE(commands.find(ids[gone - 1]));
  CHECK(commands.find(ids[gone]));
  CHECK(commands.find(ids.back()));
  CHECK(forgotten == now(static_cast<std::int64_t>(gone - 1) / 2 * 2));
  CHECK(tells_its_time(ids[0], now(0)));
  CHECK_FALSE(tells_its_time(ids[1], now(0)));
  // A clock that is far ahead would have the ids of all others refused.
  CHECK(tells_its_time(ids[0], Time{begun.us} + std::chrono::minutes(-9)));
  CHECK_FALSE(tells_its_time(ids[0], Time{begun.us} + std::chrono::minutes(-11)));
}

}  // namespace
}  // namespace domain
