// The envelope of an event says where the event stands, who made it, and why.
#pragma once

#include <optional>

#include "eventlog/domain/types.hpp"

namespace domain {

enum class ActorKind { client, worker, server };

// Proof of an event's content, kept among the facts: BLAKE2b-256 keyed with a salt. The salt is
// stored with the content and erased with it.
struct ContentProof {
  base::Hash digest{};
  std::int64_t bytes = 0;  // of the content's text

  bool operator==(const ContentProof&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("d", &ContentProof::digest);
    visit("b", &ContentProof::bytes);
  }
};

// The first 8 bytes of a digest of a command's body, to tell a retry from a reused id.
using BodyDigest = std::array<char, 8>;
// That of the server's own commands whose ids are remembered: such an id says all of its command.
constexpr BodyDigest kOwnDigest = {'o', 'w', 'n'};

struct Envelope {
  Position position;  // not in the bytes: follows from the block
  std::string stream;
  StreamVersion version;
  std::string type;
  std::int64_t schema = 1;
  base::EventId event;
  CommandId command;  // the command that appended the event
  BodyDigest command_digest{};
  CommandId correlation;    // unset: the command itself began the conversation
  base::EventId causation;  // the event that made a reactor send the command; else unset
  ActorKind actor_kind = ActorKind::client;
  std::string actor;
  FencingToken token;                // for a worker's report, else 0
  std::int64_t report_sequence = 0;  // for a worker's report: from 1 in its lease; else 0
  Time log_time;
  Time wall_time;
  std::string traceparent;  // W3C trace context, or empty
  std::optional<ContentProof> content;

  bool operator==(const Envelope&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("s", &Envelope::stream);
    visit("v", &Envelope::version);
    visit("t", &Envelope::type);
    visit("n", &Envelope::schema);
    visit("e", &Envelope::event);
    visit("c", &Envelope::command);
    visit("cd", &Envelope::command_digest);
    visit("co", &Envelope::correlation);
    visit("ca", &Envelope::causation);
    visit("ak", &Envelope::actor_kind);
    visit("a", &Envelope::actor);
    visit("to", &Envelope::token);
    visit("rs", &Envelope::report_sequence);
    visit("l", &Envelope::log_time);
    visit("w", &Envelope::wall_time);
    visit("tp", &Envelope::traceparent);
    visit("x", &Envelope::content);
  }
};

// True if the event's command is remembered under its id, so that sending it again changes nothing:
// a client's, and what the server may have to send again after a restart. Earlier releases recorded
// the latter as clients'.
inline bool is_remembered(const Envelope& envelope) {
  return envelope.actor_kind == ActorKind::client || envelope.command_digest == kOwnDigest;
}

}  // namespace domain

template <>
struct base::EnumNames<domain::ActorKind> {
  static constexpr std::string_view kNames[] = {"client", "worker", "server"};
};
