// The bodies of the requests, replies and notices of the command and worker endpoints.
// workers/README.md lists the verbs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eventlog/base/fields.hpp"
#include "eventlog/domain/command.hpp"

namespace workers {

using base::Position;

// ---- command endpoint ----

constexpr std::string_view kVerbCommand = "command";

// Verb "command". The request's id is the command's id, the idempotency key.
struct CommandBody {
  base::SessionId session;  // unset, as the agent is, in a command about the log as a whole
  std::string agent;
  std::string type;     // "Spawn", "SendPrompt", …: workers/README.md lists them
  base::RawValue body;  // the fields of that command
  std::string actor;    // who asks, for the record
  std::optional<base::StreamVersion> expected_version;
  base::Time deadline;  // log time; 0: none
  base::CommandId correlation;
  std::string traceparent;
  // Tells a retry from another request under the same id, where what a client asks for becomes a
  // command that depends on the time or on other sessions. None: the command itself does.
  std::optional<domain::BodyDigest> asked{};

  bool operator==(const CommandBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &CommandBody::session);
    visit("agent", &CommandBody::agent);
    visit("type", &CommandBody::type);
    visit("body", &CommandBody::body);
    visit("actor", &CommandBody::actor);
    visit("expected_version", &CommandBody::expected_version);
    visit("deadline", &CommandBody::deadline);
    visit("correlation", &CommandBody::correlation);
    visit("traceparent", &CommandBody::traceparent);
    visit("asked", &CommandBody::asked);
  }
};

// Body of the reply to an accepted command. `Reply` is that of the command's aggregate; its fields
// are encoded between the two here.
template <class Reply>
struct CommandReplyOf : Reply {
  Position position;  // durable when the reply is sent
  bool is_repeated = false;

  bool operator==(const CommandReplyOf&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("position", &CommandReplyOf::position);
    Reply::fields(visit);
    visit("repeated", &CommandReplyOf::is_repeated);
  }
};
using CommandReplyBody = CommandReplyOf<domain::SessionReply>;
using ServerCommandReplyBody = CommandReplyOf<domain::ServerReply>;
using OutboxReplyBody = CommandReplyOf<domain::OutboxReply>;
using SchedulesReplyBody = CommandReplyOf<domain::SchedulesReply>;
using RulesReplyBody = CommandReplyOf<domain::RulesReply>;
using ConversationReplyBody = CommandReplyOf<domain::ConversationReply>;

base::Result<domain::Command> decode_command(const CommandBody& body);
CommandBody encode_command(const domain::Command& command);
// Tells a retry from another request under the same id; computed over the bytes of the body.
domain::BodyDigest digest_of(std::string_view verb, const base::RawValue& body);
// Tells a retry from another command under the same id. It is computed over what the client says
// that it was asked, else over the command as understood, so that the order of fields does not
// matter. `command` is that of the body.
domain::BodyDigest digest_of(const CommandBody& body, const domain::Command& command);

// ---- worker endpoint: notices ----

constexpr std::string_view kVerbRegister = "register";     // worker → server: RegisterBody
constexpr std::string_view kVerbHeartbeat = "heartbeat";   // HeartbeatBody, both ways
constexpr std::string_view kVerbReports = "reports";       // worker → server: ReportsBody
constexpr std::string_view kVerbDirective = "directive";   // server → worker: DirectiveBody
constexpr std::string_view kVerbReportAck = "report_ack";  // server → worker: ReportAckBody
constexpr std::string_view kVerbRegisterAgain = "register_again";  // server → worker: no body

struct HeldLease {
  base::SessionId session;
  std::string agent;
  base::FencingToken token;
  std::int64_t directive = 0;  // number of the last directive obeyed

  bool operator==(const HeldLease&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &HeldLease::session);
    visit("agent", &HeldLease::agent);
    visit("token", &HeldLease::token);
    visit("directive", &HeldLease::directive);
  }
};

// Sent at least every 0.5 s. A lease that is missing here, or behind in its directives, is directed
// again. The server's answer has no leases, and repeats whether the worker leaves.
struct HeartbeatBody {
  std::vector<HeldLease> leases;
  bool is_leaving = false;  // it takes no further lease

  bool operator==(const HeartbeatBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("leases", &HeartbeatBody::leases);
    visit("leaving", &HeartbeatBody::is_leaving);
  }
};

// Sent after every HELLO of a worker, which goes on running the leases listed.
struct RegisterBody {
  base::WorkerId worker;
  std::int64_t pid = 0;
  std::vector<HeldLease> leases;
  bool is_leaving = false;

  bool operator==(const RegisterBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("worker", &RegisterBody::worker);
    visit("pid", &RegisterBody::pid);
    visit("leases", &RegisterBody::leases);
    visit("leaving", &RegisterBody::is_leaving);
  }
};

enum class LeaseEnd {
  none,
  close,  // let the agent process finish: close its stdin once it has no tasks in the background
  kill,   // end it now, with its tasks
};

// A file that the agent is given with a prompt of a turn.
struct DirectedFile {
  std::int64_t prompt = 0;  // 0: the turn's own; 1: the first that was added to it, and so on
  std::string name;
  std::string media_type;
  std::string data;

  bool operator==(const DirectedFile&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("prompt", &DirectedFile::prompt);
    visit("name", &DirectedFile::name);
    visit("media_type", &DirectedFile::media_type);
    visit("data", &DirectedFile::data);
  }
};

struct DirectedTurn {
  base::TurnId turn;
  std::string prompt;
  bool is_interrupted = false;
  std::vector<std::string> injected{};  // prompts that were added to it, in order
  std::vector<DirectedFile> files{};    // those of each prompt in their order
  // The call about which the agent asks again, as TurnReturned has it: it has the prompt already.
  std::string deferred{};
  std::int64_t deferred_request = 0;  // the number of that request, as AskRaised has it

  bool operator==(const DirectedTurn&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("turn", &DirectedTurn::turn);
    visit("prompt", &DirectedTurn::prompt);
    visit("interrupted", &DirectedTurn::is_interrupted);
    visit("injected", &DirectedTurn::injected);
    visit("files", &DirectedTurn::files);
    visit("deferred", &DirectedTurn::deferred);
    visit("deferred_request", &DirectedTurn::deferred_request);
  }
};

// An answer that the agent is to be given, unless it was.
struct DirectedAnswer {
  std::int64_t request = 0;  // as AskRaised has it
  bool is_granted = false;
  std::string text;  // as AskAnswered has it; empty: none

  bool operator==(const DirectedAnswer&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("request", &DirectedAnswer::request);
    visit("granted", &DirectedAnswer::is_granted);
    visit("text", &DirectedAnswer::text);
  }
};

// The state that the worker must bring one lease to. It is complete each time: sending it again is
// harmless, and the next one makes up for a lost one.
struct DirectiveBody {
  base::SessionId session;
  std::string agent;
  base::FencingToken token;
  domain::SessionSpec spec;  // its defaults where `end` is not none
  std::string resume_agent_session;
  std::string system_prompt;         // empty where `end` is not none
  std::optional<DirectedTurn> turn;  // runs now, or must be begun; none where `end` is not none
  base::TurnId own_turn_to_end;      // the agent's own; to be interrupted if it still runs
  LeaseEnd end = LeaseEnd::none;
  std::int64_t number = 0;  // grows with each directive, over restarts of the server, too
  // The last message that the agent session should have; empty: that is not known.
  std::string last_message{};
  std::vector<DirectedAnswer> answers{};  // none where `end` is kill
  // At which its agent process, once started, waits for hooks; none where `end` is not none.
  std::vector<domain::HookPoint> hook_points{};
  // Its agent process, if it was started before this change of settings, is told these of `spec`.
  std::int64_t changes = 0;  // as ChangedSettings has it
  std::vector<std::string> changed{};
  bool is_place_wanted = false;  // others wait for its place: its agent, if idle, is to end

  bool operator==(const DirectiveBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &DirectiveBody::session);
    visit("agent", &DirectiveBody::agent);
    visit("token", &DirectiveBody::token);
    visit("spec", &DirectiveBody::spec);
    visit("resume_agent_session", &DirectiveBody::resume_agent_session);
    visit("system_prompt", &DirectiveBody::system_prompt);
    visit("turn", &DirectiveBody::turn);
    visit("own_turn_to_end", &DirectiveBody::own_turn_to_end);
    visit("end", &DirectiveBody::end);
    visit("number", &DirectiveBody::number);
    visit("last_message", &DirectiveBody::last_message);
    visit("answers", &DirectiveBody::answers);
    visit("hook_points", &DirectiveBody::hook_points);
    visit("changes", &DirectiveBody::changes);
    visit("changed", &DirectiveBody::changed);
    visit("place_wanted", &DirectiveBody::is_place_wanted);
  }
};

struct SequencedReport {
  std::int64_t sequence = 0;  // from 1 within the lease, without holes
  std::string type;
  base::RawValue body;

  bool operator==(const SequencedReport&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("sequence", &SequencedReport::sequence);
    visit("type", &SequencedReport::type);
    visit("body", &SequencedReport::body);
  }
};

struct ReportsBody {
  base::SessionId session;
  std::string agent;
  base::FencingToken token;
  std::vector<SequencedReport> reports;

  bool operator==(const ReportsBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &ReportsBody::session);
    visit("agent", &ReportsBody::agent);
    visit("token", &ReportsBody::token);
    visit("reports", &ReportsBody::reports);
  }
};

base::Result<domain::Report> decode_report(const SequencedReport& report);
SequencedReport encode_report(std::int64_t sequence, const domain::Report& report);

// Reports up to `through` are durable. `resend`: a report was missing; send again from through + 1.
// `resend_after`: a report could not be decided yet; send none for so long, then again from
// through + 1. `lost`: the lease is no longer the worker's; end its agent process.
struct ReportAckBody {
  base::SessionId session;
  base::FencingToken token;
  std::int64_t through = 0;
  bool resend = false;
  bool lost = false;
  base::Duration resend_after{0};  // 0: nothing was refused undecided

  bool operator==(const ReportAckBody&) const = default;
  template <class Visit>
  static constexpr void fields(Visit&& visit) {
    visit("session", &ReportAckBody::session);
    visit("token", &ReportAckBody::token);
    visit("through", &ReportAckBody::through);
    visit("resend", &ReportAckBody::resend);
    visit("lost", &ReportAckBody::lost);
    visit("resend_after", &ReportAckBody::resend_after);
  }
};

}  // namespace workers

template <>
struct base::EnumNames<workers::LeaseEnd> {
  static constexpr std::string_view kNames[] = {"none", "close", "kill"};
};
