// A client's command: its body, the command in it, and what is decided on it.
#include "workers/protocol/commands.hpp"
#include "bus/frames.hpp"
#include "eventlog/base/bytes.hpp"
#include "eventlog/domain/characters.hpp"
#include "eventlog/domain/session/session_name.hpp"
#include "tests/fuzz/decisions.hpp"
#include "tests/fuzz/values.hpp"
#include "tests/support/folded_streams.hpp"

namespace {

using base::ByteView;
using fuzz::require;

void decide_on(const workers::CommandBody& body, const domain::Command& command) {
  const auto target = domain::target_of(command, body.agent, body.session);
  if (!target) return;
  support::FoldedStreams empty;
  const auto decision = empty.decide(command, support::context_of(*target, {{1}}));
  if (!decision) {
    require(!decision.error().text.empty(), "a rejection says why");
    return;
  }
  fuzz::with_stored(*decision, [](const auto&, const auto&) {});
}

// Makes a random client command of one kind.
using Filled = domain::Command (*)(support::RandomValue& values);

template <class One>
domain::Command filled(support::RandomValue& values) {
  One one;
  values.fill(one);
  return one;
}

template <class... One>
void add_all(std::vector<Filled>& all, base::Types<One...>) {
  (all.push_back(filled<One>), ...);
}
// Returns one such function for every kind of command.
template <class... A>
std::vector<Filled> all_commands(base::Types<A...>) {
  std::vector<Filled> all;
  (add_all(all, typename A::ClientCommands{}), ...);
  return all;
}

void read_body(ByteView bytes) {
  const auto body = fuzz::read_again<workers::CommandBody>(bytes);
  if (!body) return;
  const auto command = workers::decode_command(*body);
  require(command.has_value() ==
              domain::decode_client_command(body->type, bus::fields_of(body->body)).has_value(),
          "a body holds the command that its type and fields say");
  if (!command) {
    require(!command.error().text.empty(), "an error says what is wrong");
    return;
  }
  const auto again = workers::decode_command(workers::encode_command(*command));
  require(again && *again == *command, "decode(encode(decode(x))) is the same command");
  require(workers::digest_of(*body, *command) == workers::digest_of(*body, *again),
          "one command has one digest");
  decide_on(*body, *command);
}

base::Bytes build(fuzz::Source& source) {
  fuzz::SourceRandom random(source);
  support::RandomValue values(random, false);
  static const auto kAll = all_commands(domain::AskedAggregates{});
  const Filled& chosen = kAll[source.byte() % kAll.size()];
  const domain::Command command = chosen(values);
  workers::CommandBody body = workers::encode_command(command);
  body.agent = "main";
  body.session.bytes[0] = 1;
  if (source.byte() % 4 == 0) values.fill(body.agent);
  if (source.byte() % 4 == 0) fuzz::damage(source, body.body.encoded);
  base::Bytes bytes = base::encode(body);
  fuzz::damage(source, bytes);
  return bytes;
}

}  // namespace

// The first byte chooses: 0 a body as it comes, 1 a body that the rest describes, 2 a prompt from
// which a name is made.
void fuzz::run(ByteView in) {
  Source source(in);
  switch (source.byte() % 3) {
    case 0:
      return read_body(source.rest());
    case 1:
      return read_body(build(source));
    default: {
      const std::string name = domain::name_from_prompt(source.rest());
      require(!name.empty() && name.size() <= 74, "a name is short");
      require(base::is_utf8(name), "a name is text");
      for (std::string_view rest = name; !rest.empty();) {
        const char32_t c = domain::take_code_point(rest);
        require(c == '-' || domain::is_word_char(c), "a name is made of parts of words and dashes");
      }
    }
  }
}
