// Decides the commands of a page of notes.
#include "eventlog/domain/erasing.hpp"
#include "eventlog/domain/note/note.hpp"

namespace domain {
namespace {

Decided decide_one(const NoteState&, const Context&, const WriteNote& c) {
  if (c.text.empty()) return reject(RejectionCode::invalid, "a note has a text");
  Decision decision;
  decision.emit<NoteStream>(NoteWritten{}, c.text);
  return decision;
}

Decided decide_one(const NoteState& s, const Context& context, const EraseNotes& c) {
  return decide_erasure<NoteStream>(s, context, c.events, ErasureReason::requested);
}

Decided decide_one(const NoteState& s, const Context&, const CompleteErasure& c) {
  return decide_completion<NoteStream>(s, c);
}

}  // namespace

const ContentState& contents_of(const NoteState& s) {
  return s.contents;
}

std::string subject_of(const NoteState& s) {
  return "the page of " + std::to_string(s.notes) + " notes";
}

// The newest note is shown to somebody until there is another one.
base::Result<VersionRanges, Rejection> erasable_of(const NoteState& s, const VersionRanges& asked) {
  if (asked.empty()) return normalized({{StreamVersion{1}, s.contents.last_content}});
  VersionRanges wanted = normalized(asked);
  if (!contains(wanted, s.contents.last_content)) return wanted;
  return tl::unexpected(Rejection{RejectionCode::content_in_use, "the newest note is shown"});
}

void reads(const NoteCommand&, const StreamRef&, Reads&) {}

Decided decide(const NoteCommand& command, const States& states, const Context& context) {
  const auto& state = states.target<NoteStream>();
  return std::visit([&](const auto& c) { return decide_one(state, context, c); }, command);
}

NoteReply reply(const NoteState& state, const NoteCommand&) {
  return {state.notes};
}

}  // namespace domain
