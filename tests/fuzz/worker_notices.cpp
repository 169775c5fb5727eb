// The notices between worker and server: registration, heartbeats, directives, acknowledgements and
// reports, which are decided as well.
#include "tests/fuzz/decisions.hpp"
#include "tests/fuzz/values.hpp"
#include "tests/support/folded_streams.hpp"
#include "workers/protocol/commands.hpp"

namespace {

using base::ByteView;
using fuzz::require;
using fuzz::Source;

constexpr base::SessionId kSession{{1}};
constexpr base::TurnId kTurn{{2}};

const domain::StreamRef kTarget = support::session_ref("main", kSession);

// Returns the streams of a session whose worker runs a turn under token 1.
support::FoldedStreams leased() {
  support::FoldedStreams past;
  domain::Envelope envelope;
  const auto fold = [&](const std::string& stream, domain::Event fact) {
    envelope.position = envelope.position.next();
    past.fold(kTarget, stream, envelope, fact);
  };
  domain::SessionOpened opened;
  opened.session = opened.lineage = kSession;
  opened.agent = "main";
  opened.name = "name";
  opened.alias = "alias000";
  opened.spec.edit().engine = "scripted";
  opened.spec.edit().is_multi_turn = true;
  fold({}, opened);
  fold({}, domain::TurnQueued{kTurn});
  fold("main/registry", domain::NameClaimed{kSession, "name", {}});
  fold("$admission", domain::SessionAdmitted{kSession, "main", "alias000"});
  fold({}, domain::LeaseGranted{{{3}}, {1}, {}});
  fold({}, domain::TurnStarted{kTurn, {1}});
  return past;
}

// Decides the report under its sequence number; every resulting event must be storable and
// foldable.
void decide_on(support::FoldedStreams& past, std::int64_t sequence, const domain::Report& report) {
  const auto decision =
      past.decide(domain::LeaseReport{{1}, sequence, report}, support::context_of(kTarget, {{4}}));
  if (!decision) return;
  fuzz::with_stored(*decision, [&](const std::string& stream, domain::RecordedEvent event) {
    event.envelope.position = {100 + sequence};
    event.envelope.token = {1};
    event.envelope.report_sequence = sequence;
    event.envelope.actor_kind = domain::ActorKind::worker;
    past.fold(kTarget, stream, event.envelope, event.event);
  });
  const auto& state = past.get<domain::SessionStream>(domain::stream_of(kTarget));
  const auto read = base::decode<domain::SessionState>(base::encode(state));
  require(read && *read == state, "the state can be stored");
  require(past.is_consistent(), "what decide emits keeps the states consistent");
}

void read_reports(ByteView bytes) {
  const auto body = fuzz::read_again<workers::ReportsBody>(bytes);
  if (!body) return;
  static const support::FoldedStreams kLeased = leased();
  support::FoldedStreams past = kLeased;
  std::int64_t sequence = 0;
  for (const workers::SequencedReport& each : body->reports) {
    const auto report = workers::decode_report(each);
    if (!report) {
      require(!report.error().text.empty(), "an error says what is wrong");
      continue;
    }
    const auto again = workers::decode_report(workers::encode_report(each.sequence, *report));
    require(again && *again == *report, "decode(encode(decode(x))) is the same report");
    decide_on(past, ++sequence, *report);
  }
}

template <std::size_t... I>
domain::Report make_report(std::size_t index, std::index_sequence<I...>) {
  domain::Report report;
  ((index == I ? void(report = std::variant_alternative_t<I, domain::Report::Variant>{}) : void()),
   ...);
  return report;
}

base::Bytes build_reports(Source& source) {
  constexpr std::size_t kKinds = std::variant_size_v<domain::Report::Variant>;
  fuzz::SourceRandom random(source);
  support::RandomValue values(random, false);
  workers::ReportsBody body;
  body.session = kSession;
  body.agent = "main";
  body.token = {1};
  for (int left = source.byte() % 8; left >= 0; --left) {
    const std::uint8_t how = source.byte();
    auto report = make_report(how % kKinds, std::make_index_sequence<kKinds>());
    std::visit(
        [&](auto& r) {
          values.fill(r);
          if constexpr (requires { r.turn; }) {
            if (how >= 64) r.turn = kTurn;
          }
        },
        report);
    body.reports.push_back(
        workers::encode_report(static_cast<std::int64_t>(body.reports.size()) + 1, report));
    if (how >= 240) fuzz::damage(source, body.reports.back().body.encoded);
  }
  base::Bytes bytes = base::encode(body);
  fuzz::damage(source, bytes);
  return bytes;
}

}  // namespace

// The first byte chooses: 0 reports as they come, 1 reports that the rest describes, 2 other
// notices.
void fuzz::run(ByteView in) {
  Source source(in);
  switch (source.byte() % 3) {
    case 0:
      return read_reports(source.rest());
    case 1:
      return read_reports(build_reports(source));
    default:
      return read_one_of<workers::RegisterBody, workers::HeartbeatBody, workers::DirectiveBody,
                         workers::ReportAckBody, workers::ReportsBody>(source.rest());
  }
}
