// Decides imports of transcripts. The session is opened, named and closed in the append that has
// its first lines, so that none is ever live.
#include <algorithm>

#include "eventlog/base/check.hpp"
#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "eventlog/domain/session/session_name.hpp"
#include "eventlog/domain/spec_check.hpp"
#include "eventlog/domain/text_limits.hpp"

namespace domain {
namespace {

std::optional<Rejection> check_facts(const ImportedMessage& message) {
  const MessageImported& facts = message.facts;
  for (const std::string* text :
       {&facts.message, &facts.call, &facts.tool, &facts.parent, &facts.model}) {
    if (auto bad = check_length("a message's fact", text->size(), kFactBytesMax)) return bad;
  }
  return check_size("a message", message.text);
}

std::optional<Rejection> check_lines(const ImportTranscript& c) {
  if (c.lines.size() > kImportedLinesMax) {
    return Rejection{RejectionCode::limit_reached,
                     std::to_string(c.lines.size()) + " lines are more than the " +
                         std::to_string(kImportedLinesMax) + " of one import"};
  }
  std::int64_t bytes = 0;
  std::size_t messages = 0;
  for (const ImportedLine& line : c.lines) {
    if (bytes > kImportedBytesMax || messages > kImportedLinesMax) {
      return Rejection{RejectionCode::limit_reached,
                       "these lines are too much for one import; send fewer"};
    }
    if (auto bad = check_size("a line", line.text)) return bad;
    bytes += static_cast<std::int64_t>(line.text.size());
    messages += line.messages.size();
    for (const ImportedMessage& message : line.messages) {
      if (auto bad = check_facts(message)) return bad;
      bytes += static_cast<std::int64_t>(message.text.size());
    }
  }
  return std::nullopt;
}

std::optional<Rejection> check_import(const ImportTranscript& c) {
  const TranscriptImported& read = c.read;
  if (auto bad = check_length("file", read.file.size(), kPathBytesMax)) return bad;
  for (const std::string* text : {&read.agent_session, &c.model, &c.agent_version}) {
    if (auto bad = check_length("a fact of the transcript", text->size(), kFactBytesMax)) {
      return bad;
    }
  }
  const bool is_forward = c.from_bytes >= 0 && read.bytes > c.from_bytes && read.lines > 0 &&
                          read.unread >= 0 && read.unread <= read.lines;
  if (!is_forward || c.lines.empty()) {
    return Rejection{RejectionCode::invalid, "an import has at least one line, and its bytes"};
  }
  return check_lines(c);
}

// Returns the first prompt of the lines; null: they have none.
const ImportedMessage* first_prompt(const ImportTranscript& c) {
  for (const ImportedLine& line : c.lines) {
    for (const ImportedMessage& message : line.messages) {
      if (message.facts.kind == ImportedKind::prompt) return &message;
    }
  }
  return nullptr;
}

std::string name_of(const ImportTranscript& c) {
  const ImportedMessage* prompt = first_prompt(c);
  const std::string& words = !c.title.empty() || prompt == nullptr ? c.title : prompt->text;
  const std::string name = name_from_prompt(words);
  const auto is_free = [](const std::string&) { return false; };
  return numbered_name(name, free_number(name, is_free));
}

Decided open(Deciding d, const ImportTranscript& c) {
  const auto* admission = d.states.find<AdmissionStream>(kAdmissionStream);
  CHECK(admission != nullptr);
  if (!is_agent_name(d.agent()) || !d.context.target.id.is_set() || c.from_bytes != 0) {
    return reject(RejectionCode::invalid,
                  "an import begins with the file, and needs an id and an agent named by 1 to 64 "
                  "of a-z 0-9 . _ -");
  }
  SessionSpec spec;
  spec.engine = c.engine;
  spec.workdir = c.workdir;
  if (auto bad = check_spec(spec, d.context.engines)) return tl::unexpected(*bad);
  SessionOpened opened;
  opened.session = opened.lineage = d.context.target.id;
  opened.agent = d.agent();
  opened.alias = choose_alias(*admission, d.context.target.id);
  opened.spec = std::move(spec);
  if (c.parent.is_set()) {
    opened.descriptor.edit().kind = DescriptorKind::subagent;
    opened.descriptor.edit().parent = c.parent;
  }
  d.emit(opened);
  std::string name = name_of(c);
  const std::int64_t mark = name_mark(name);
  d.emit(SessionNamed{mark, 1}, std::move(name));
  d.emit(AgentInitialized{c.read.agent_session, c.model, c.agent_version});
  d.emit_to_admission(SessionAdmitted{opened.session, opened.agent, opened.alias, {}, 0});
  d.emit_to_admission(SessionReleased{opened.session, false});
  return std::move(d.decision);
}

// Returns the reason why nothing can be added to the session.
std::optional<Rejection> check_goes_on(const SessionState& s, const ImportTranscript& c) {
  if (s.imported->lines == 0) {
    return Rejection{RejectionCode::already_exists,
                     "session " + label(s) + " is no import of a transcript"};
  }
  if (s.is_left_behind) {
    return Rejection{RejectionCode::session_ended,
                     "another session has gone on with session " + label(s) +
                         "; what was said since is on the record of that one"};
  }
  if (c.from_bytes == s.imported->bytes) return std::nullopt;
  return Rejection{RejectionCode::version_conflict,
                   "session " + label(s) + " has " + std::to_string(s.imported->bytes) +
                       " bytes of the transcript; go on from there"};
}

}  // namespace

Decided decide_one(Deciding d, const ImportTranscript& c) {
  if (auto bad = check_import(c)) return tl::unexpected(*bad);
  const bool is_first = d.session().status == SessionStatus::none;
  if (is_first) {
    Decided opened = open(d, c);
    if (!opened) return opened;
    d.decision = std::move(*opened);
  } else {
    const TranscriptImported& before = d.session().imported;
    const bool is_there = c.read.bytes == before.bytes && c.read.tail == before.tail;
    if (is_there) return std::move(d.decision);
    if (auto bad = check_goes_on(d.session(), c)) return tl::unexpected(*bad);
  }
  d.emit(c.read);
  for (const ImportedLine& line : c.lines) {
    d.emit(line.facts, line.text);
    for (const ImportedMessage& message : line.messages) d.emit(message.facts, message.text);
  }
  if (is_first) d.emit(SessionClosed{SessionStatus::completed, EndReason::none});
  return std::move(d.decision);
}

}  // namespace domain
