// A command before it is decided: its stream, what it reads, and how it travels.
#include "eventlog/domain/command.hpp"

#include <set>

#include "eventlog/domain/admission/name_mark.hpp"
#include "tests/support/session_samples.hpp"

namespace domain {
namespace {

using support::as_command;
using support::kSession;
using support::kSource;
using support::turn;

// One of each that a client may send.
std::vector<Command> clients_commands() {
  return {as_command(Spawn{}),         as_command(SendPrompt{}),   as_command(InterruptTurn{}),
          as_command(KillSession{}),   as_command(CloseSession{}), as_command(EraseContent{}),
          as_command(BeginBackup{}),   as_command(ForgetBackup{}), as_command(BeginArchive{}),
          as_command(ForgetArchive{}), as_command(RequestAnchor{})};
}

std::vector<Command> own_commands() {
  return {as_command(ExpireContent{}),   as_command(SessionCommand(CompleteErasure{})),
          as_command(GrantLease{}),      as_command(ExpireLease{}),
          as_command(GiveUpContent{}),   as_command(LeaseReport{}),
          as_command(StartServer{}),     as_command(CompleteBackup{}),
          as_command(AbandonBackup{}),   as_command(RecordAnchor{}),
          as_command(CompleteArchive{}), as_command(RecordTrim{}),
          as_command(AbandonArchive{})};
}

TEST_CASE("a client's command comes back from its type and its fields, no other does",
          "[session]") {
  SendPrompt prompt;
  prompt.prompt = "Go on";
  prompt.is_interrupting = true;
  BeginBackup backup;
  backup.name = "b";
  backup.folder = "/b";
  auto all = clients_commands();
  all.push_back(as_command(prompt));
  all.push_back(as_command(backup));
  for (const Command& command : all) {
    INFO(type_name(command));
    CHECK(is_clients(command));
    const auto back = decode_client_command(type_name(command), encode_client_command(command));
    REQUIRE(back);
    CHECK((*back == command));
    CHECK_FALSE(decode_client_command(type_name(command), "\xC1"));
  }
  for (const Command& command : own_commands()) {
    INFO(type_name(command));
    CHECK_FALSE(is_clients(command));
    CHECK_FALSE(decode_client_command(type_name(command), base::encode(KillSession{})));
  }
  const auto unknown = decode_client_command("Dance", base::encode(KillSession{}));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == base::ErrorCode::invalid);
  for (const Command& command : clients_commands()) {
    CHECK_THAT(unknown.error().text, Catch::Contains(std::string(type_name(command))));
  }
  CHECK_THAT(unknown.error().text, Catch::StartsWith("unknown type 'Dance'; known are Spawn, "));
}

TEST_CASE("only commands that hold text of people may be large", "[session]") {
  std::set<std::string> large;
  for (const Command& command : clients_commands()) {
    if (may_be_large(type_name(command))) large.emplace(type_name(command));
  }
  CHECK(large == std::set<std::string>{"Spawn", "SendPrompt", "EraseContent"});
  for (const Command& command : own_commands()) CHECK_FALSE(may_be_large(type_name(command)));
  CHECK_FALSE(may_be_large(""));
  CHECK_FALSE(may_be_large("Dance"));
}

TEST_CASE("what must not wait behind clients' commands is of another class", "[session]") {
  const auto classes = [](CommandClass wanted) {
    std::set<std::string> types;
    for (auto all : {clients_commands(), own_commands()}) {
      for (const Command& command : all) {
        if (class_of(command) == wanted) types.emplace(type_name(command));
      }
    }
    return types;
  };
  CHECK(classes(CommandClass::control) == std::set<std::string>{"InterruptTurn", "KillSession",
                                                                "ExpireContent", "CompleteErasure",
                                                                "GrantLease", "GiveUpContent"});
  CHECK(classes(CommandClass::reported) == std::set<std::string>{"ExpireLease", "LeaseReport"});
  CHECK(classes(CommandClass::recorded) ==
        std::set<std::string>{"StartServer", "CompleteBackup", "AbandonBackup", "RecordAnchor",
                              "CompleteArchive", "AbandonArchive", "RecordTrim"});
}

TEST_CASE("only a spawn opens a stream, and only an interrupt of a turn follows another command",
          "[session]") {
  for (auto all : {clients_commands(), own_commands()}) {
    for (const Command& command : all) {
      INFO(type_name(command));
      CHECK(opens_stream(command) == (type_name(command) == "Spawn"));
      CHECK_FALSE(follows(command));
    }
  }
  CHECK(follows(as_command(InterruptTurn{turn(3)})) == CommandId{turn(3).bytes});
}

TEST_CASE("a command is for its session's stream, or for the log's own", "[session]") {
  const auto stream = [](const Command& command, std::string_view agent) {
    const auto target = target_of(command, agent, kSession);
    return target ? stream_of(*target) : std::string();
  };
  CHECK(stream(as_command(KillSession{}), "main") == session_stream("main", kSession));
  CHECK(stream(as_command(KillSession{}), "Main").empty());
  CHECK(stream(as_command(KillSession{}), "").empty());
  CHECK(stream(as_command(RequestAnchor{}), "main") == std::string(kServerStream));
  CHECK(stream(as_command(RequestAnchor{}), "") == std::string(kServerStream));
  const auto own = target_of(as_command(RequestAnchor{}), "main", kSession);
  CHECK(own->agent.empty());
  CHECK_FALSE(own->id.is_set());
}

TEST_CASE(
    "registry, admission and outbox are read by what may begin or end a session, and the budget "
    "by what spends",
    "[session]") {
  const StreamRef target = support::session_ref("main", kSession);
  const auto reads = [&](const Command& command) {
    const Reads read = reads_of(command, target);
    return std::vector<std::string>(read.streams().begin(), read.streams().end());
  };
  const std::vector<std::string> shared{support::kRegistry, support::kAdmission};
  std::vector<std::string> ending = shared;
  ending.emplace_back(kOutboxStream);
  const std::vector<std::string> none;
  const std::vector<std::string> budget{budget_stream("main")};
  const auto and_budget = [&](std::vector<std::string> streams) {
    streams.push_back(budget.front());
    streams.emplace_back(kTotalBudgetStream);
    return streams;
  };
  CHECK(reads(as_command(Spawn{})) == and_budget(shared));
  CHECK(reads(as_command(support::report(1, AgentSilenceReported{}))) ==
        std::vector<std::string>{std::string(kOutboxStream)});
  for (const Command& command :
       {as_command(KillSession{}), as_command(CloseSession{}), as_command(InterruptTurn{})}) {
    INFO(type_name(command));
    CHECK(reads(command) == ending);
  }
  for (const Command& command :
       {as_command(GrantLease{}), as_command(GiveUpContent{}), as_command(ContinueSession{}),
        as_command(PassDeadline{}), as_command(support::report(1, ReportSpending{})),
        as_command(ExpireLease{}), as_command(support::report(1, ReportStartFailed{})),
        as_command(support::report(1, ReportAgentExited{})),
        as_command(support::report(1, ReportTurnResult{}))}) {
    INFO(type_name(command));
    CHECK(reads(command) == and_budget(ending));
  }
  CHECK(reads(as_command(SendPrompt{})) ==
        and_budget({support::kAdmission, std::string(kOutboxStream)}));
  for (const Command& command :
       {as_command(EraseContent{}), as_command(ExpireContent{}),
        as_command(SessionCommand(CompleteErasure{})), as_command(RequestAnchor{}),
        as_command(support::report(1, ReportOutput{})),
        as_command(support::report(1, ReportInitialized{}))}) {
    INFO(type_name(command));
    CHECK(reads(command) == none);
  }
  SendPrompt sent;
  sent.from = kSource;
  CHECK(reads(as_command(sent)) ==
        and_budget({support::kSourceStream, support::kAdmission, std::string(kOutboxStream)}));
  Spawn resuming;
  resuming.resume = kSource;
  CHECK(reads(as_command(resuming)) ==
        and_budget({support::kSourceStream, support::kRegistry, support::kAdmission}));
  resuming.resume = kSession;  // itself: that is refused, and read anyhow
  CHECK(reads(as_command(resuming)) == and_budget(shared));
}

TEST_CASE("a reply says what became of the session, and by which name", "[session]") {
  SessionState state;
  state.status = SessionStatus::running;
  state.alias = "alias000";
  state.name = "fix-bug";
  CHECK((reply_to(as_command(KillSession{}), StreamState(state)) ==
         Reply(SessionReply{SessionStatus::running, "fix-bug", "alias000", {}, {}})));
  state.name.clear();
  CHECK((reply_to(as_command(KillSession{}), StreamState(state)) ==
         Reply(SessionReply{SessionStatus::running, "alias000", "alias000", {}, {}})));
  // A name that was made is known to whoever sent the prompt.
  Spawn spawn;
  spawn.prompt = "Fix the login bug";
  state.made_name.mark = name_mark("fix-login-bug-2");
  CHECK((reply_to(as_command(spawn), StreamState(state)) ==
         Reply(SessionReply{SessionStatus::running, "fix-login-bug-2", "alias000", {}, {}})));
  state.made_name.mark = -1;
  CHECK((reply_to(as_command(spawn), StreamState(state)) ==
         Reply(SessionReply{SessionStatus::running, "alias000", "alias000", {}, {}})));
  state.name = "fix-bug";
  CHECK((reply_to(as_command(spawn), StreamState(state)) ==
         Reply(SessionReply{SessionStatus::running, "fix-bug", "alias000", {}, {}})));
  CHECK(
      (reply_to(as_command(RequestAnchor{}), StreamState(ServerState{})) == Reply(ServerReply{})));
}

}  // namespace
}  // namespace domain
