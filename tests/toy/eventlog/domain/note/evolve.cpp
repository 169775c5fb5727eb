// Folds a page of notes.
#include "eventlog/domain/fold.hpp"
#include "eventlog/domain/note/state.hpp"

namespace domain {
namespace {

bool apply(NoteState& s, const Envelope&, const NoteWritten&) {
  ++s.notes;
  return true;
}

template <class E>
requires base::kContains<E, ContentEvents>
bool apply(NoteState& s, const Envelope& envelope, const E& e) {
  return fold_content(s.contents, envelope, e);
}

}  // namespace

void evolve(NoteState& state, const Envelope& envelope, const Event& event) {
  fold_or_mark<NoteEvents>(state, envelope, event,
                           [&](const auto& fact) { return apply(state, envelope, fact); });
  note_content(state.contents, envelope);
  if (envelope.actor_kind != ActorKind::client) return;
  state.commands.remember({envelope.command, envelope.command_digest, envelope.position});
}

std::optional<AcceptedCommand> known_command(const NoteState& state, const CommandId& command) {
  return state.commands.find(command);
}

}  // namespace domain
