// Given events, when a command, then events or a rejection: the language of the decider's tests.
//
//   given(running(), TurnQueued{turn(2)})
//       .when(KillSession{})
//       .then(TurnInterrupted{turn(1), EndReason::user, {}}, …);
//
// A fact belongs to the command's stream, unless it names another one: fact(…).on("main/registry").
// The past is folded with the real evolve and must be consistent. The events of the decision are
// compared as a whole, then folded too, and must leave every stream consistent. A story can go on
// with another when(): then() returns the world afterwards.
#pragma once

#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/folded_streams.hpp"
#include "tests/support/print.hpp"

namespace support {

using domain::Command;
using domain::Context;
using domain::Decision;
using domain::Emitted;
using domain::Event;
using domain::RejectionCode;

// Returns the id of this number, the same in every run.
template <class Id>
constexpr Id numbered(int number) {
  Id id;
  id.bytes[0] = 1;
  id.bytes[14] = static_cast<char>(number >> 8);
  id.bytes[15] = static_cast<char>(number);
  return id;
}

constexpr auto kSession = numbered<base::SessionId>(1);
constexpr auto kCommand = numbered<base::CommandId>(900);
const std::string kRegistry = "main/registry";
const std::string kAdmission(domain::kAdmissionStream);

// An event of the past, or an expected one. A plain event converts to it.
struct Fact {
  template <class E>
  requires std::constructible_from<Event, E> Fact(E e) : event(std::move(e)) {}

  // Adds the text that belongs to the event.
  Fact with(std::string text) const;
  Fact on(std::string where) const;
  // Marks the event as made by a worker's report.
  Fact by_report(std::int64_t lease_token, std::int64_t number) const;

  Event event;
  std::string stream;  // empty: the command's
  std::string content;
  base::FencingToken token;
  std::int64_t sequence = 0;
};

template <class E>
Fact fact(E event) {
  return Fact(std::move(event));
}

class When;

// The streams that a decision reads, and its context.
class Given {
 public:
  Given();
  Given(const Given&);
  Given(Given&&) noexcept;
  Given& operator=(const Given&);
  Given& operator=(Given&&) noexcept;
  ~Given();

  void fold(const Fact& past, domain::Envelope envelope);
  void fold(const Fact& past);
  void fold(const std::vector<Fact>& past);

  bool is_consistent() const { return streams.is_consistent(); }

  Given with_limits(domain::Limits limits) const;
  // Allows a past that contradicts itself.
  Given even_inconsistent() const;

  template <class C>
  When when(C command) const;

  const domain::SessionState& session() const;
  const domain::RegistryState& registry() const;
  const domain::AdmissionState& admission() const;

  FoldedStreams streams;
  Context context = context_of(session_ref("main", kSession), kCommand);

  bool may_be_inconsistent() const { return may_be_inconsistent_; }
  base::Position position() const { return position_; }

 private:
  base::Position position_;
  bool may_be_inconsistent_ = false;
};

// Each part is an event or a list of facts.
template <class... Parts>
Given given(Parts... parts) {
  Given world;
  [[maybe_unused]] const auto take = [&](auto&& part) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(part)>, std::vector<Fact>>) {
      world.fold(part);
    } else {
      world.fold(Fact(std::move(part)));
    }
  };
  (take(std::move(parts)), ...);
  return world;
}

template <class C>
Command as_command(C c) {
  return Command(std::move(c));
}

// Returns a report under the lease with this token.
domain::LeaseReport report(std::int64_t sequence, domain::Report what, std::int64_t token = 1);

class When {
 public:
  When(Given world, Command command);

  template <class... Facts>
  Given then(Facts... facts) {
    return then_all({Fact(std::move(facts))...});
  }
  Given then_nothing() { return then(); }
  void then_rejected(RejectionCode code);
  const base::Result<Decision, domain::Rejection>& outcome() const { return outcome_; }

  Given then_all(const std::vector<Fact>& facts);
  // Returns the world behind what was decided, which must have been accepted.
  Given after() const;

 private:
  Given world_;
  Command command_;
  base::Result<Decision, domain::Rejection> outcome_;
};

template <class C>
When Given::when(C command) const {
  return When(*this, as_command(std::move(command)));
}

}  // namespace support
