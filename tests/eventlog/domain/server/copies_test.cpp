// Decisions about backups, archives and anchors, and the states that follow from them.
#include "tests/support/given_when_then.hpp"

namespace domain {
namespace {

using support::fact;
using support::FoldedStreams;
using support::numbered;

const StreamRef kServerTarget{ServerStream::kPattern, {}, {}};

// The server's own stream, and the commands to it.
class Log {
 public:
  Decided decide(const Command& command, bool has_key = true) {
    Context context = support::context_of(kServerTarget, numbered<CommandId>(1));
    context.has_key = has_key;
    Decided decided = streams_.decide(command, context);
    if (!decided) CHECK_FALSE(decided.error().text.empty());
    return decided;
  }
  // Requires that the command is accepted, folds its events and returns their types.
  std::vector<std::string> take(const Command& command) {
    const Decided decided = decide(command);
    REQUIRE(decided);
    std::vector<std::string> types;
    for (const Emitted& emitted : *decided) {
      CHECK(emitted.stream.empty());
      types.emplace_back(emitted.event.type());
      fold(emitted.event);
    }
    REQUIRE(streams_.is_consistent());
    return types;
  }
  void fold(const Event& event) {
    Envelope envelope;
    envelope.actor_kind = ActorKind::server;
    envelope.position = position_ = position_.next();
    streams_.fold(kServerTarget, {}, envelope, event);
  }
  std::optional<RejectionCode> refusal(const Command& command, bool has_key = true) {
    const Decided decided = decide(command, has_key);
    return decided ? std::nullopt : std::optional(decided.error().code);
  }
  const ServerState& state() const {
    return streams_.get<ServerStream>(std::string(kServerStream));
  }
  bool is_consistent() const { return streams_.is_consistent(); }

 private:
  FoldedStreams streams_;
  Position position_;
};

using Types = std::vector<std::string>;

TEST_CASE("a backup is begun, completed and forgotten", "[server]") {
  Log log;
  CHECK(log.take(BeginBackup{"one", "/b/one"}) == Types{"BackupBegun"});
  CHECK(log.state().backups.at("one").through.value == 0);
  CHECK(log.refusal(ForgetBackup{"one"}) == RejectionCode::in_progress);
  CHECK(log.take(CompleteBackup{"one", {7}}) == Types{"BackupCompleted"});
  CHECK(log.state().backups.at("one").through.value == 7);
  CHECK(log.take(ForgetBackup{"one"}) == Types{"BackupForgotten"});
  CHECK(log.state().backups.empty());
  CHECK(log.refusal(ForgetBackup{"one"}) == RejectionCode::not_found);
}

TEST_CASE("a backup's name and folder are its own, and whole", "[server]") {
  Log log;
  CHECK(log.refusal(BeginBackup{"a/b", "/b"}) == RejectionCode::invalid);
  CHECK(log.refusal(BeginBackup{"", "/b"}) == RejectionCode::invalid);
  CHECK(log.refusal(BeginBackup{"one", "b"}) == RejectionCode::invalid);
  CHECK(log.refusal(BeginBackup{"one", std::string("/b\0c", 4)}) == RejectionCode::invalid);
  CHECK(log.refusal(BeginBackup{"one", "/" + std::string(4096, 'b')}) == RejectionCode::invalid);
  CHECK_FALSE(log.refusal(BeginBackup{"one", "/" + std::string(4095, 'b')}));
  log.take(BeginBackup{"one", "/b/one"});
  CHECK(log.refusal(BeginBackup{"one", "/b/two"}) == RejectionCode::already_exists);
  CHECK(log.refusal(BeginBackup{"two", "/b/one"}) == RejectionCode::already_exists);
  CHECK_FALSE(log.refusal(BeginBackup{"two", "/b/two"}));
}

TEST_CASE("no more backups are known than an erasure can open", "[server]") {
  Log log;
  for (std::size_t i = 0; i < kBackupsMax; ++i) {
    const std::string name = "b" + std::to_string(i);
    log.take(BeginBackup{name, "/b/" + name});
  }
  CHECK(log.refusal(BeginBackup{"more", "/b/more"}) == RejectionCode::limit_reached);
}

TEST_CASE("what came of a copy that is not known any more is no fact", "[server]") {
  Log log;
  CHECK(log.take(CompleteBackup{"one", {7}}).empty());
  CHECK(log.take(AbandonBackup{"one"}).empty());
  CHECK(log.take(CompleteArchive{"one", {1}, {7}, {}}).empty());
  CHECK(log.take(AbandonArchive{"one"}).empty());
  CHECK(log.take(RecordTrim{"one", {7}}).empty());
}

TEST_CASE("an archive is begun, completed, trimmed for and forgotten", "[server]") {
  Log log;
  CHECK(log.take(BeginArchive{"one", "/a/one", {5}, {}}) == Types{"ArchiveBegun"});
  CHECK(log.refusal(ForgetArchive{"one"}) == RejectionCode::in_progress);
  CHECK(log.refusal(BeginArchive{"two", "/a/two", {9}, {}}) == RejectionCode::in_progress);
  CHECK(log.take(CompleteArchive{"one", {1}, {4}, {}}) == Types{"AnchorMade", "ArchiveCompleted"});
  CHECK(log.state().anchor->recorded.value == 2);
  CHECK(log.refusal(ForgetArchive{"one"}) == RejectionCode::in_progress);
  CHECK(log.take(RecordTrim{"one", {4}}) == Types{"LogTrimmed"});
  CHECK(log.state().trimmed.value == 4);
  CHECK_FALSE(log.refusal(BeginArchive{"two", "/a/two", {9}, {}}));
  CHECK(log.take(ForgetArchive{"one"}) == Types{"ArchiveForgotten"});
  CHECK(log.state().archives.empty());
  CHECK(log.state().trimmed.value == 4);
  CHECK(log.refusal(ForgetArchive{"one"}) == RejectionCode::not_found);
}

TEST_CASE("an archive whose trimming was given up can be forgotten", "[server]") {
  Log log;
  log.take(BeginArchive{"one", "/a/one", {5}, {}});
  log.take(CompleteArchive{"one", {1}, {4}, {}});
  CHECK(log.take(ForgetArchive{"one", true}) == Types{"ArchiveForgotten"});
}

TEST_CASE("an archive needs a place, a bound and a key", "[server]") {
  Log log;
  CHECK(log.refusal(BeginArchive{"a b", "/a", {5}, {}}) == RejectionCode::invalid);
  CHECK(log.refusal(BeginArchive{"one", "a", {5}, {}}) == RejectionCode::invalid);
  CHECK(log.refusal(BeginArchive{"one", "/a", {}, {}}) == RejectionCode::invalid);
  CHECK_FALSE(log.refusal(BeginArchive{"one", "/a", {}, {1}}));
  CHECK_FALSE(log.refusal(BeginArchive{"one", "/a", {1}, {}}));
  CHECK(log.refusal(BeginArchive{"one", "/a", {5}, {}}, false) == RejectionCode::refused);
  log.take(BeginArchive{"one", "/a", {5}, {}});
  log.take(CompleteArchive{"one", {1}, {4}, {}});
  log.take(RecordTrim{"one", {4}});
  CHECK(log.refusal(BeginArchive{"one", "/b", {9}, {}}) == RejectionCode::already_exists);
  CHECK(log.refusal(BeginArchive{"two", "/a", {9}, {}}) == RejectionCode::already_exists);
}

TEST_CASE("no more archives are known than erasures can look into", "[server]") {
  Log log;
  for (std::size_t i = 0; i < kArchivesMax; ++i) {
    const std::string name = "a" + std::to_string(i);
    log.take(BeginArchive{name, "/a/" + name, {5}, {}});
    log.take(CompleteArchive{name, {1}, {4}, {}});
    log.take(RecordTrim{name, {4}});
  }
  CHECK(log.refusal(BeginArchive{"more", "/a/more", {9}, {}}) == RejectionCode::limit_reached);
}

TEST_CASE("an anchor is requested where there is a key, and recorded", "[server]") {
  Log log;
  CHECK(log.refusal(RequestAnchor{}, false) == RejectionCode::refused);
  CHECK(log.take(RequestAnchor{}) == Types{"AnchorRequested"});
  CHECK(log.state().anchor_requested.value == 1);
  CHECK(log.take(RecordAnchor{}) == Types{"AnchorMade"});
  CHECK(log.state().anchor->recorded.value == 2);
}

TEST_CASE("a server's start is recorded, in a new log behind its epoch", "[server]") {
  Log log;
  CHECK(log.take(StartServer{{}, 3, "0.1", 7}) == Types{"EpochStarted", "ServerStarted"});
  CHECK(log.state().epoch_counter == 7);
  CHECK(log.state().writer_term == 3);
  CHECK(log.take(StartServer{{}, 4, "0.1", 0}) == Types{"ServerStarted"});
  CHECK(log.state().epoch_counter == 7);
}

TEST_CASE("an impossible event of the log's own stream is seen, and changes nothing", "[server]") {
  const Event impossible[] = {LogTrimmed{"one", {4}},  ArchiveCompleted{"one", {1}, {4}},
                              ArchiveForgotten{"one"}, BackupCompleted{"one", {4}},
                              BackupForgotten{"one"},  CloseRequested{}};
  for (const Event& event : impossible) {
    INFO(event.type());
    Log log;
    log.take(RequestAnchor{});
    const ServerState before = log.state();
    log.fold(event);
    CHECK_FALSE(log.is_consistent());
    ServerState after = log.state();
    CHECK(after.inconsistent.value == 2);
    after.inconsistent = {};
    CHECK(after == before);
  }
}

}  // namespace
}  // namespace domain
