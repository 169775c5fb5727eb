// `replay salvage`: a new whole log from a damaged one. Every loss is named, and erased content is
// never brought back.
#include <algorithm>
#include <fstream>
#include <memory>

#include "eventlog/log/log_reader.hpp"
#include "projections/projections.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/child_program.hpp"
#include "tests/support/log.hpp"
#include "tests/support/log_writer.hpp"
#include "tests/support/raw_log.hpp"
#include "tests/support/replay_log.hpp"

namespace {

using base::Position;
using Catch::Contains;
using nlohmann::json;
using support::Answer;
using support::ReplayLog;
using support::run;

struct SalvageFixture : ReplayLog {
  std::string target = temporary.file("new");
  std::string rest = target + "-rest.jsonl";

  Answer salvage(bool is_json = true) const {
    auto wanted = arguments(is_json);
    wanted.target = target;
    return run(steno::replay_salvage, wanted);
  }
  Answer verify_target(const std::string& checkpoint = {}) const {
    auto wanted = arguments(true);
    wanted.folder = target;
    wanted.checkpoint = checkpoint;
    return run(steno::replay_verify, wanted);
  }
  std::vector<json> rest_lines() const {
    std::vector<json> lines;
    std::ifstream in(rest);
    for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
    return lines;
  }
  // Returns the first position of the block that holds the position, and that of the next block.
  std::pair<std::int64_t, std::int64_t> block_at(std::int64_t position) const {
    const auto log = *eventlog::open_rocksdb_view({folder.log(), {}});
    const auto block = *eventlog::parse_block(log->read({position}, 1, false)->front().facts);
    return {block.header.first.value, block.header.last().value + 1};
  }
  // Damages this block alone, in every file of the log that has it.
  void damage_block(std::int64_t first) {
    std::string facts;
    {
      const auto log = *eventlog::open_rocksdb_view({folder.log(), {}});
      facts = log->read({first}, 1, false)->front().facts;
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder.log())) {
      std::string bytes = read(entry.path());
      // Searches for the part that differs from its neighbours; a write-ahead log can split the
      // rest.
      const std::size_t at = bytes.find(facts.substr(0, 130));
      if (at == std::string::npos) continue;
      bytes[at + 128] = static_cast<char>(bytes[at + 128] ^ 1);
      std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << bytes;
    }
  }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_CASE("of a log that is whole, salvage makes another that is whole", "[tools]") {
  SalvageFixture f;
  const auto old = f.verify(true).parsed();
  const auto answer = f.salvage();
  CHECK(answer.exit == 0);
  const auto done = answer.parsed();
  CHECK(done["kept"] == f.head.position.value);
  CHECK(done["missing"].empty());
  CHECK(done["contents_lost"].empty());
  CHECK(done["rest"].is_null());
  CHECK_FALSE(std::filesystem::exists(f.rest));
  const auto made = f.verify_target().parsed();
  CHECK(made["verdict"] == "clean");
  CHECK(made["events"] == f.head.position.value + 1);
  CHECK(made["epochs"] == 2);
  CHECK(made["contents"] == old["contents"]);
  CHECK(made["checkpoint"] == done["checkpoint"]);
  CHECK(f.verify_target(old["checkpoint"]).exit == 0);
}

// Makes a log one of an earlier release, which admitted one id for two agents: both sessions are
// under way. Returns its end.
eventlog::Checkpoint double_session(const std::string& folder, base::Random& random,
                                    base::SessionId id) {
  auto log = *eventlog::open_log(folder, eventlog::LogMode::read_write, random);
  support::LogWriter writer(log, random);
  writer.set_now(log.tail.time);
  const std::string admission(domain::kAdmissionStream);
  for (const std::string agent : {"main", "other"}) {
    const std::string stream = domain::session_stream(agent, id);
    domain::SessionOpened opened;
    opened.session = opened.lineage = id;
    opened.agent = agent;
    opened.alias = "twin-" + agent.substr(0, 3);
    opened.name = "twin-of-" + agent;
    opened.spec.edit().engine = "scripted";
    writer.append(stream, opened);
    const base::TurnId turn{id.bytes};
    writer.append(stream, domain::TurnQueued{turn}, "Whose is it?");
    writer.append(domain::registry_stream(agent), domain::NameClaimed{id, opened.name, {}});
    writer.append(admission, domain::SessionAdmitted{id, agent, opened.alias, opened.name, 0});
    writer.append(stream, domain::LeaseGranted{base::WorkerId{id.bytes}, {1}, {}});
    writer.append(stream, domain::TurnStarted{turn, {1}});
  }
  return writer.durable();
}

TEST_CASE("a log with one session id under two agents says what it is, and salvage mends it",
          "[tools]") {
  SalvageFixture f;
  base::SessionId id;
  id.bytes.fill(7);
  f.head = double_session(f.folder.root, f.random, id);
  const auto found = f.verify(true).parsed();
  CHECK(found["verdict"] != "clean");
  REQUIRE(found["problems"].size() == 1);
  const std::string text = found["problems"][0]["text"];
  CHECK_THAT(text, Contains(id.text()) && Contains("main") && Contains("other") &&
                       Contains("replay salvage"));

  const auto answer = f.salvage();
  CHECK(answer.exit == 0);
  CHECK(answer.parsed()["doubled"] == json::array({id.text()}));
  const auto mended = f.verify_target();
  INFO(mended.out);
  CHECK(mended.exit == 0);
  CHECK(mended.parsed()["verdict"] == "clean");

  const auto log = *eventlog::open_rocksdb_view({f.target + "/log", {}});
  const auto streams = support::fold_all(*log);
  for (const std::string agent : {"main", "other"}) {
    const auto& session =
        std::get<domain::SessionState>(streams.at(domain::session_stream(agent, id)).state);
    CHECK(session.status == domain::SessionStatus::failed);
    CHECK_FALSE(session.lease);
    const auto& registry =
        std::get<domain::RegistryState>(streams.at(domain::registry_stream(agent)).state);
    CHECK_FALSE(registry.names.contains("twin-of-" + agent));
  }
  const auto& admission =
      std::get<domain::AdmissionState>(streams.at(std::string(domain::kAdmissionStream)).state);
  CHECK(admission.inconsistent.value == 0);
  CHECK_FALSE(admission.live.contains(id));
}

// `steno` with a home of its own, whose server is stopped with the test.
struct ProgramHome {
  explicit ProgramHome(std::string folder) : home(std::move(folder)) {}
  ~ProgramHome() { steno({"stop"}); }

  support::ChildProgram& steno(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {STENO_PROGRAM, "--home", home});
    program = std::make_unique<support::ChildProgram>(
        arguments, std::vector<std::string>{"PATH=/usr/bin:/bin", "HOME=" + home});
    code = program->wait();
    return *program;
  }
  void succeeds(const std::vector<std::string>& arguments) {
    const auto& ran = steno(arguments);
    INFO(arguments.front() << ": " << ran.out() << ran.err());
    CHECK(code == 0);
  }

  std::string home;
  std::unique_ptr<support::ChildProgram> program;
  int code = -1;
};

TEST_CASE("of a log that had one id under two agents and was mended, copies can be made",
          "[tools]") {
  const support::TemporaryFolder temporary;
  base::SeededRandom random{4};
  base::SessionId id;
  id.bytes.fill(7);
  const std::string old = temporary.file("old");
  double_session(old, random, id);
  ProgramHome home(temporary.file("home"));
  std::filesystem::create_directories(home.home);
  home.succeeds({"replay", "salvage", old, "--to", home.home + "/data"});
  home.succeeds({"replay", "verify"});
  home.succeeds({"serve", "--detach"});
  home.succeeds({"backup", "create", temporary.file("copy")});
  home.succeeds({"backup", "verify", temporary.file("copy")});
  home.succeeds({"archive", "create", temporary.file("archive"), "--before", "1000000"});
  home.succeeds({"backup", "create", temporary.file("later")});
  CHECK(home.steno({"doctor"}).out().find("contradicts itself") == std::string::npos);
  home.succeeds({"stop"});
  home.succeeds({"replay", "verify", "--archive", temporary.file("archive")});
  home.succeeds({"backup", "verify", temporary.file("later")});
  // The restored log is served, and copied again.
  ProgramHome restored(temporary.file("restored"));
  restored.succeeds({"restore", temporary.file("copy"), "--to", restored.home});
  restored.succeeds({"replay", "verify"});
  restored.succeeds({"serve", "--detach"});
  restored.succeeds({"backup", "create", temporary.file("again")});
  restored.succeeds({"archive", "create", temporary.file("other"), "--before", "1000000"});
  restored.succeeds({"stop"});
  restored.succeeds({"replay", "verify", "--archive", temporary.file("other")});
}

TEST_CASE("what lies behind a damaged block is kept as lines, and the loss is named", "[tools]") {
  SalvageFixture f;
  { support::RawLog(f.folder.log()).flush(); }
  const auto old = f.verify(true).parsed();
  const auto [first, behind] = f.block_at(200);
  f.damage_block(first);
  const auto answer = f.salvage();
  CHECK(answer.exit == 9);
  const auto done = answer.parsed();
  CHECK(done["kept"] == first - 1);
  REQUIRE(done["missing"].size() == 2);
  CHECK(done["missing"][0] ==
        json({{"position", first}, {"through", behind - 1}, {"in_rest", false}}));
  CHECK(done["missing"][1] ==
        json({{"position", behind}, {"through", f.head.position.value}, {"in_rest", true}}));
  CHECK_FALSE(done["missing_versions"].empty());

  std::int64_t next = behind;
  for (const json& line : f.rest_lines()) {
    if (line.contains("chunk")) continue;
    CHECK(line["proof"] == "head");
    CHECK(line["block"]["first"] == next);
    next += line["block"]["count"].get<std::int64_t>();
  }
  CHECK(next == f.head.position.value + 1);

  CHECK(f.verify_target().exit == 0);
  CHECK(f.verify_target(old["checkpoint"]).exit == 9);
  const auto text = run(steno::replay_salvage, [&] {
    auto again = f.arguments();
    again.target = f.temporary.file("again");
    return again;
  }());
  CHECK_THAT(text.out, Contains("nowhere"));
  CHECK_THAT(text.out, Contains("among the rest"));
}

TEST_CASE("rows and clients of the old history refuse the new one", "[tools]") {
  SalvageFixture f;
  { support::RawLog(f.folder.log()).flush(); }
  f.project(f.head.position);
  f.damage_block(f.block_at(200).first);
  REQUIRE(f.salvage().exit == 9);
  std::filesystem::remove_all(f.target + "/views");
  std::filesystem::copy(f.folder.views(), f.target + "/views");
  {
    auto log = *eventlog::open_log(f.target, eventlog::LogMode::read_write, f.random);
    support::LogWriter writer(log, f.random);
    while (writer.durable().position <= f.head.position) {
      writer.append(domain::kServerStream, domain::ServerStarted{});
    }
    auto rows = *eventlog::open_rocksdb_key_value_store(f.target + "/views");
    const auto projection = projections::all_projections();
    auto projector = *projections::Projector::open(*projection.front(), *rows);
    const auto verified = projector.verify_checkpoint(*log.store);
    REQUIRE_FALSE(verified);
    CHECK(verified.error().code == base::ErrorCode::wrong_log);
  }
  const auto answer = f.verify_target();
  CHECK(answer.exit == 9);
  CHECK_THAT(answer.out, Contains("another block than the one that the projection"));
}

TEST_CASE("contents that are lost are on the record as lost, and their facts are kept", "[tools]") {
  SalvageFixture f;
  const auto whole = f.verify(true).parsed();
  { support::RawLog(f.folder.log()).flush(); }
  // The contents are in the later of the two tables; the write-ahead log's part is gone as well.
  for (const auto& entry : std::filesystem::directory_iterator(f.folder.log())) {
    if (entry.path().extension() == ".log") std::filesystem::remove(entry.path());
  }
  std::filesystem::remove(support::newest_file(f.folder.log(), ".sst"));
  const auto answer = f.salvage();
  CHECK(answer.exit == 9);
  const auto done = answer.parsed();
  CHECK(done["kept"] == f.head.position.value);
  CHECK(done["contents_lost"].size() == whole["contents"]);
  const auto made = f.verify_target().parsed();
  CHECK(made["verdict"] == "clean");
  CHECK(made["contents"] == 0);
  CHECK(made["contents_erased"] == whole["contents"]);
}

TEST_CASE("content that was erased on the record is not brought back from where it still lies",
          "[tools]") {
  SalvageFixture f;
  std::string stream;
  domain::VersionRanges erased;
  {
    auto log = *eventlog::open_log(f.folder.root, eventlog::LogMode::read_write, f.random);
    const auto events =
        *eventlog::read_events(*log.store, {1}, log.store->tail(), {SIZE_MAX, true});
    for (const auto& event : events) {
      if (!event.content || !erased.empty()) continue;
      stream = event.envelope.stream;
      erased = {{event.envelope.version, event.envelope.version}};
    }
    support::LogWriter writer(log, f.random);
    writer.append(stream, domain::ContentErased{erased, domain::ErasureReason::requested});
  }
  REQUIRE(f.salvage().exit == 0);
  const auto made = f.verify_target().parsed();
  CHECK(made["verdict"] == "clean");
  CHECK(made["contents_erased"] == 1);
}

TEST_CASE("what was erased from a copy is on the record of the log that is salvaged from it",
          "[tools]") {
  SalvageFixture f;
  const auto [stream, content] = f.erase_from_copy();
  REQUIRE(f.verify().exit == 0);
  const auto answer = f.salvage();
  REQUIRE(answer.exit == 0);
  CHECK(answer.parsed()["contents_lost"].empty());
  const auto made = f.verify_target().parsed();
  CHECK(made["verdict"] == "clean");
  CHECK(made["contents_erased"] == 1);
  const auto log = *eventlog::open_log(f.target, eventlog::LogMode::read_only, f.random);
  const auto last = eventlog::read_events(*log.store, log.tail.position, log.tail.position, {});
  REQUIRE(last);
  CHECK(last->front().envelope.stream == stream);
  const domain::ContentErased expected{{{content, content}}, domain::ErasureReason::requested};
  CHECK(last->front().event.get<domain::ContentErased>() == expected);
}

TEST_CASE("what is left out because of an erasure behind the damage is on the record as lost",
          "[tools]") {
  SalvageFixture f;
  domain::RecordedEvent early;
  {
    auto log = *eventlog::open_log(f.folder.root, eventlog::LogMode::read_write, f.random);
    auto events = *eventlog::read_events(*log.store, {1}, {100}, {SIZE_MAX, true});
    early = *std::find_if(events.begin(), events.end(),
                          [](const auto& event) { return event.content.has_value(); });
    support::LogWriter writer(log, f.random);
    const base::StreamVersion version = early.envelope.version;
    writer.append(early.envelope.stream, domain::ContentErased{{{version, version}}, {}});
  }
  { support::RawLog(f.folder.log()).flush(); }
  f.damage_block(f.block_at(200).first);
  const auto answer = f.salvage();
  CHECK(answer.exit == 9);
  CHECK(answer.parsed()["contents_lost"] == json::array({early.envelope.position.value}));
  const auto made = f.verify_target().parsed();
  CHECK(made["verdict"] == "clean");
  CHECK(made["contents_erased"] == 1);
}

TEST_CASE("salvage writes only where nothing is, and not beside a server", "[tools]") {
  SalvageFixture f;
  auto wanted = f.arguments();
  CHECK(run(steno::replay_salvage, wanted).exit == 2);
  wanted.target = f.folder.root;
  CHECK(run(steno::replay_salvage, wanted).exit == 4);
  wanted.target = f.target;
  wanted.folder = f.temporary.file("nowhere");
  CHECK(run(steno::replay_salvage, wanted).exit == 3);
  const auto server = eventlog::open_log(f.folder.root, eventlog::LogMode::read_write, f.random);
  const auto answer = f.salvage();
  CHECK(answer.exit == 11);
  CHECK_THAT(answer.err, Contains("stop it first"));
  CHECK_FALSE(std::filesystem::exists(f.target));
}

TEST_CASE("without a head file salvage says that more may be missing", "[tools]") {
  SalvageFixture f;
  std::filesystem::remove(f.folder.head());
  CHECK(f.salvage().exit == 9);
  CHECK(f.salvage().exit == 4);
  CHECK(f.verify_target().exit == 0);
}

}  // namespace
