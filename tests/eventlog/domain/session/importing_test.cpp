// A transcript that others wrote becomes a session that has ended, and grows with later imports.
#include "eventlog/domain/admission/name_mark.hpp"
#include "eventlog/domain/session/deciding.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::Fact;
using support::fact;
using support::given;
using support::kSession;
using support::turn;

TranscriptImported read_to(std::int64_t bytes, std::int64_t lines) {
  TranscriptImported read;
  read.form = TranscriptForm::claude;
  read.file = "/home/me/.claude/projects/p/a.jsonl";
  read.agent_session = "agent-session";
  read.bytes = bytes;
  read.lines = lines;
  read.began = Time{100};
  read.ended = Time{200};
  return read;
}

ImportedMessage message(ImportedKind kind, std::string text) {
  ImportedMessage one;
  one.facts.kind = kind;
  one.facts.said = Time{150};
  one.facts.turn = turn(7);
  one.facts.message = "m-" + text;
  one.text = std::move(text);
  return one;
}

ImportTranscript import() {
  ImportTranscript c;
  c.read = read_to(40, 2);
  c.engine = "scripted";
  c.workdir = "/srv/project";
  c.model = "opus";
  c.agent_version = "2.1";
  c.lines.push_back({{1}, "{\x01q1\x01}", {message(ImportedKind::prompt, "Fix the login page")}});
  c.lines.push_back({{2}, "{\x01q1\x01}", {message(ImportedKind::said, "It is fixed.")}});
  return c;
}

void add_lines(const ImportTranscript& c, std::vector<Fact>& facts) {
  facts.emplace_back(c.read);
  for (const ImportedLine& line : c.lines) {
    facts.push_back(fact(line.facts).with(line.text));
    for (const ImportedMessage& one : line.messages) {
      facts.push_back(fact(one.facts).with(one.text));
    }
  }
}

// The events of the first import of a transcript.
std::vector<Fact> imported(const ImportTranscript& c = import()) {
  SessionOpened opened;
  opened.session = opened.lineage = kSession;
  opened.agent = "main";
  opened.alias = choose_alias(AdmissionState{}, kSession);
  opened.spec.edit().engine = c.engine;
  opened.spec.edit().workdir = c.workdir;
  if (c.parent.is_set()) {
    opened.descriptor.edit().kind = DescriptorKind::subagent;
    opened.descriptor.edit().parent = c.parent;
  }
  std::vector<Fact> facts{opened};
  facts.push_back(fact(SessionNamed{name_mark("fix-login-page"), 1}).with("fix-login-page"));
  facts.emplace_back(AgentInitialized{c.read.agent_session, "opus", "2.1"});
  facts.push_back(fact(SessionAdmitted{kSession, "main", opened.alias}).on(support::kAdmission));
  facts.push_back(fact(SessionReleased{kSession}).on(support::kAdmission));
  add_lines(c, facts);
  facts.emplace_back(SessionClosed{SessionStatus::completed, EndReason::none});
  return facts;
}

TEST_CASE("an import makes a session that has ended and can be resumed", "[session]") {
  // Nothing else: it takes no place, and nobody is told.
  const auto world = given().when(import()).then_all(imported());
  const SessionState& s = world.session();
  CHECK(s.status == SessionStatus::completed);
  CHECK(s.agent_session == "agent-session");
  CHECK(s.imported->bytes == 40);
  CHECK(s.last_message == "m-It is fixed.");
  CHECK(s.blocks == 1);
  CHECK(attention_of(s) == Attention::none);
  CHECK(is_foreign(s));
}

TEST_CASE("an import goes on where the last one ended", "[session]") {
  ImportTranscript more = import();
  more.from_bytes = 40;
  more.read = read_to(60, 3);
  more.lines = {{{3}, "{\x01q1\x01}", {message(ImportedKind::said, "And tested.")}}};
  std::vector<Fact> added;
  add_lines(more, added);
  const auto world = given(imported()).when(more).then_all(added);
  CHECK(world.session().imported->bytes == 60);
  CHECK(world.session().blocks == 2);
  CHECK(world.session().status == SessionStatus::completed);
}

TEST_CASE("what was imported before is not imported again", "[session]") {
  given(imported()).when(import()).then(NothingChanged{std::string(ImportTranscript::kType)});
}

TEST_CASE("another file of an imported session is refused", "[session]") {
  ImportTranscript other = import();
  other.read.tail[0] = 1;
  given(imported()).when(other).then_rejected(RejectionCode::version_conflict);
  other = import();
  other.read = read_to(30, 2);
  given(imported()).when(other).then_rejected(RejectionCode::version_conflict);
}

TEST_CASE("an import that leaves lines out is refused", "[session]") {
  ImportTranscript more = import();
  more.from_bytes = 50;
  more.read = read_to(60, 3);
  given(imported()).when(more).then_rejected(RejectionCode::version_conflict);
  more.from_bytes = 10;
  given().when(more).then_rejected(RejectionCode::invalid);
}

TEST_CASE("nothing is imported into a session of another kind", "[session]") {
  given(support::running()).when(import()).then_rejected(RejectionCode::already_exists);
}

TEST_CASE("nothing is imported into a session that another one went on with", "[session]") {
  ImportTranscript more = import();
  more.from_bytes = 40;
  more.read = read_to(60, 3);
  given(imported() + SessionResumed{support::kSource, false, true, true})
      .when(more)
      .then_rejected(RejectionCode::session_ended);
}

TEST_CASE("an import without a line, or that is too large, is refused", "[session]") {
  ImportTranscript c = import();
  c.lines.clear();
  given().when(c).then_rejected(RejectionCode::invalid);
  c = import();
  c.lines.resize(kImportedLinesMax + 1);
  given().when(c).then_rejected(RejectionCode::limit_reached);
  c = import();
  c.lines.front().messages.front().facts.call.assign(257, 'a');
  given().when(c).then_rejected(RejectionCode::invalid);
}

TEST_CASE("a session of a subagent is one of its parent's", "[session]") {
  ImportTranscript c = import();
  c.parent = support::kSource;
  c.read.agent_session.clear();
  const auto world = given().when(c).then_all(imported(c));
  CHECK(world.session().descriptor->parent == support::kSource);
  CHECK(world.session().agent_session.empty());
}

TEST_CASE("pieces of a transcript before it was read are impossible", "[session]") {
  SessionState s = given(support::running()).session();
  Envelope envelope;
  envelope.position = base::Position{99};
  evolve(s, envelope, MessageImported{});
  CHECK(s.inconsistent == envelope.position);
}

}  // namespace
}  // namespace domain
