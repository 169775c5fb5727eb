// Compiled once: each source that visits all events takes seconds.
#include "tests/support/given_when_then.hpp"

#include "eventlog/domain/stream_name.hpp"

namespace support {

Fact Fact::with(std::string text) const {
  Fact copy = *this;
  copy.content = std::move(text);
  return copy;
}

Fact Fact::on(std::string where) const {
  Fact copy = *this;
  copy.stream = std::move(where);
  return copy;
}

Fact Fact::by_report(std::int64_t lease_token, std::int64_t number) const {
  Fact copy = *this;
  copy.token = {lease_token};
  copy.sequence = number;
  return copy;
}

Given::Given() = default;
Given::Given(const Given&) = default;
Given::Given(Given&&) noexcept = default;
Given& Given::operator=(const Given&) = default;
Given& Given::operator=(Given&&) noexcept = default;
Given::~Given() = default;

void Given::fold(const Fact& past, domain::Envelope envelope) {
  context.head = position_ = position_.next();
  envelope.position = position_;
  if (past.stream.empty()) envelope.version = context.version = context.version.next();
  if (!past.content.empty()) {
    envelope.content = domain::ContentProof{{}, static_cast<std::int64_t>(past.content.size())};
  }
  streams.fold(context.target, past.stream, envelope, past.event);
}

void Given::fold(const Fact& past) {
  domain::Envelope envelope;
  envelope.actor_kind = domain::ActorKind::server;
  envelope.token = past.token;
  envelope.report_sequence = past.sequence;
  fold(past, envelope);
}

void Given::fold(const std::vector<Fact>& past) {
  for (const Fact& one : past) fold(one);
}

Given Given::with_limits(domain::Limits limits) const {
  Given copy = *this;
  copy.context.limits = limits;
  return copy;
}

Given Given::even_inconsistent() const {
  Given copy = *this;
  copy.may_be_inconsistent_ = true;
  return copy;
}

const domain::SessionState& Given::session() const {
  return streams.get<domain::SessionStream>(domain::stream_of(context.target));
}

const domain::RegistryState& Given::registry() const {
  return streams.get<domain::RegistryStream>(kRegistry);
}

const domain::AdmissionState& Given::admission() const {
  return streams.get<domain::AdmissionStream>(kAdmission);
}

domain::LeaseReport report(std::int64_t sequence, domain::Report what, std::int64_t token) {
  return {{token}, sequence, std::move(what)};
}

namespace {

std::vector<std::string> lines(const std::vector<Emitted>& decision) {
  std::vector<std::string> text;
  for (const Emitted& e : decision) {
    text.push_back((e.stream.empty() ? "" : e.stream + ": ") + text_of(e.event) +
                   (e.content.text.empty() ? "" : " content " + text_of(e.content.text)));
  }
  return text;
}

}  // namespace

When::When(Given world, Command command) : world_(std::move(world)), command_(std::move(command)) {
  if (!world_.may_be_inconsistent()) REQUIRE(world_.is_consistent());
  outcome_ = world_.streams.decide(command_, world_.context);
}

Given When::then_all(const std::vector<Fact>& facts) {
  std::vector<Emitted> expected;
  for (const Fact& fact : facts) expected.push_back({fact.stream, fact.event, {fact.content}});
  if (!outcome_) FAIL("rejected: " << outcome_.error().text);
  CHECK(lines(outcome_->all()) == lines(expected));
  REQUIRE((outcome_->all() == expected));
  return after();
}

void When::then_rejected(RejectionCode code) {
  if (outcome_) {
    CHECK(lines(outcome_->all()).empty());
    FAIL("accepted, not rejected with " << base::enum_name(code));
  }
  CHECK(base::enum_name(outcome_.error().code) == base::enum_name(code));
  CHECK_FALSE(outcome_.error().text.empty());
}

Given When::after() const {
  Given next = world_;
  domain::Envelope envelope;
  envelope.command = world_.context.command;
  envelope.log_time = world_.context.now;
  envelope.wall_time = world_.context.wall;
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
    domain::Envelope own = envelope;
    const auto other = domain::parse_stream(e.stream);
    // A report counts in its own session alone.
    if (other && other->is<domain::SessionStream>()) own.token = {};
    if (other && other->is<domain::SessionStream>()) own.report_sequence = 0;
    next.fold(Fact(e.event).on(e.stream).with(e.content.text), own);
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

}  // namespace support
