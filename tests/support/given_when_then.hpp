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
  Fact with(std::string text) const {
    Fact copy = *this;
    copy.content = std::move(text);
    return copy;
  }
  Fact on(std::string where) const {
    Fact copy = *this;
    copy.stream = std::move(where);
    return copy;
  }
  // Marks the event as made by a worker's report.
  Fact by_report(std::int64_t lease_token, std::int64_t number) const {
    Fact copy = *this;
    copy.token = {lease_token};
    copy.sequence = number;
    return copy;
  }
  // Marks the event as made by a client's command.
  Fact by_command(base::CommandId id) const {
    Fact copy = *this;
    copy.command = id;
    return copy;
  }

  Event event;
  std::string stream;  // empty: the command's
  std::string content;
  base::FencingToken token;
  std::int64_t sequence = 0;
  base::CommandId command;
};

template <class E>
Fact fact(E event) {
  return Fact(std::move(event));
}

class When;

// The streams that a decision reads, and its context.
class Given {
 public:
  Given() = default;

  void fold(const Fact& past, domain::Envelope envelope) {
    position_ = position_.next();
    envelope.position = position_;
    if (past.stream.empty()) envelope.version = context.version = context.version.next();
    if (!past.content.empty()) envelope.content = domain::ContentProof{};
    streams.fold(context.target, past.stream, envelope, past.event);
  }
  void fold(const Fact& past) {
    domain::Envelope envelope;
    envelope.actor_kind = domain::ActorKind::server;
    if (past.command.is_set()) {
      envelope.actor_kind = domain::ActorKind::client;
      envelope.command = past.command;
    }
    envelope.token = past.token;
    envelope.report_sequence = past.sequence;
    fold(past, envelope);
  }
  void fold(const std::vector<Fact>& past) {
    for (const Fact& one : past) fold(one);
  }

  bool is_consistent() const { return streams.is_consistent(); }

  Given with_limits(domain::Limits limits) const {
    Given copy = *this;
    copy.context.limits = limits;
    return copy;
  }
  // Allows a past that contradicts itself.
  Given even_inconsistent() const {
    Given copy = *this;
    copy.may_be_inconsistent_ = true;
    return copy;
  }

  template <class C>
  When when(C command) const;

  const domain::SessionState& session() const {
    return streams.get<domain::SessionStream>(domain::stream_of(context.target));
  }
  const domain::RegistryState& registry() const {
    return streams.get<domain::RegistryStream>(kRegistry);
  }
  const domain::AdmissionState& admission() const {
    return streams.get<domain::AdmissionStream>(kAdmission);
  }

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
inline domain::LeaseReport report(std::int64_t sequence, domain::Report what,
                                  std::int64_t token = 1) {
  return {{token}, sequence, std::move(what)};
}

class When {
 public:
  When(Given world, Command command) : world_(std::move(world)), command_(std::move(command)) {
    if (!world_.may_be_inconsistent()) REQUIRE(world_.is_consistent());
    outcome_ = world_.streams.decide(command_, world_.context);
  }

  template <class... Facts>
  Given then(Facts... facts) {
    Decision expected;
    [[maybe_unused]] const auto take = [&](Fact f) {
      expected.push_back({f.stream, f.event, {f.content}});
    };
    (take(Fact(std::move(facts))), ...);
    if (!outcome_) FAIL("rejected: " << outcome_.error().text);
    CHECK(lines(*outcome_) == lines(expected));
    REQUIRE((*outcome_ == expected));
    return after();
  }
  Given then_nothing() { return then(); }
  void then_rejected(RejectionCode code) {
    if (outcome_) {
      CHECK(lines(*outcome_).empty());
      FAIL("accepted, not rejected with " << base::enum_name(code));
    }
    CHECK(base::enum_name(outcome_.error().code) == base::enum_name(code));
    CHECK_FALSE(outcome_.error().text.empty());
  }
  const base::Result<Decision, domain::Rejection>& outcome() const { return outcome_; }

 private:
  static std::vector<std::string> lines(const Decision& decision) {
    std::vector<std::string> text;
    for (const Emitted& e : decision) {
      text.push_back((e.stream.empty() ? "" : e.stream + ": ") + text_of(e.event) +
                     (e.content.text.empty() ? "" : " content " + text_of(e.content.text)));
    }
    return text;
  }

  Given after() {
    Given next = world_;
    domain::Envelope envelope;
    envelope.command = world_.context.command;
    envelope.actor_kind = domain::ActorKind::server;
    const bool is_clients = domain::is_clients(command_);
    if (is_clients) envelope.actor_kind = domain::ActorKind::client;
    if (const auto* r = domain::command_if<domain::LeaseReport>(command_)) {
      envelope.actor_kind = domain::ActorKind::worker;
      envelope.token = r->token;
      envelope.report_sequence = r->sequence;
    }
    bool has_own = false;
    for (const Emitted& e : *outcome_) {
      next.fold(std::visit([&](const auto& x) { return Fact(x).on(e.stream).with(e.content.text); },
                           e.event),
                envelope);
      has_own = has_own || e.stream.empty();
    }
    if (!world_.may_be_inconsistent()) REQUIRE(next.is_consistent());
    if (is_clients && has_own) {
      // A retry of the command is answered from this.
      const auto& target = next.streams.at(domain::stream_of(next.context.target));
      REQUIRE(domain::accepted_before(target, world_.context.command));
    }
    return next;
  }

  Given world_;
  Command command_;
  base::Result<Decision, domain::Rejection> outcome_;
};

template <class C>
When Given::when(C command) const {
  return When(*this, as_command(std::move(command)));
}

}  // namespace support
