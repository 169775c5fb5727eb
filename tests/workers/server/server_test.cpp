// The server's loop over a memory bus: requests to either endpoint, restarts in the midst of work,
// full queues, and the times that it reports.
#include "workers/server/server.hpp"

#include <algorithm>
#include <functional>

#include "bus/client.hpp"
#include "bus/memory_bus.hpp"
#include "eventlog/proof/anchor.hpp"
#include "eventlog/store/memory_store.hpp"
#include "projections/fold/projector.hpp"
#include "projections/views/session_list.hpp"
#include "tests/support/faulty_rows.hpp"
#include "tests/support/hand_committer.hpp"
#include "tests/support/log.hpp"
#include "tests/support/session_samples.hpp"
#include "tests/support/told_lease_locks.hpp"
#include "workers/protocol/notifications.hpp"
#include "workers/reactors/anchors.hpp"
#include "workers/reactors/archives.hpp"
#include "workers/reactors/backups.hpp"
#include "workers/server/derived_stores.hpp"
#include "workers/server/older_requests.hpp"
#include "workers/server/server_assembly.hpp"

namespace workers {
namespace {

using base::Duration;
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::kSession;
using support::kWorker;

struct Clock final : base::Clock {
  Duration boot() override { return now; }
  base::Time wall() override { return {1'700'000'000'000'000 + now.count()}; }
  Duration now = seconds(1);
};

// Time passes while numbers are drawn: once, when the test says so.
struct SlowRandom final : base::Random {
  SlowRandom(base::Random& from, Clock& time) : random(from), clock(time) {}
  std::uint64_t next() override {
    clock.now += std::exchange(delay, Duration{0});
    return random.next();
  }
  base::Random& random;
  Clock& clock;
  Duration delay{0};
};

// Time passes while the next frame is received, and while the next one is sent.
struct SlowSocket final : bus::ServerSocket {
  SlowSocket(std::unique_ptr<bus::ServerSocket> over, Clock& time)
      : socket(std::move(over)), clock(time) {}
  std::optional<bus::Incoming> receive() override {
    auto incoming = socket->receive();
    if (incoming) clock.now += std::exchange(receive_delay, Duration{0});
    return incoming;
  }
  bool send(const bus::PeerId& peer, bus::Bytes frame) override {
    clock.now += std::exchange(send_delay, Duration{0});
    return socket->send(peer, std::move(frame));
  }
  bus::ZmqSocket* poll_handle() const override { return socket->poll_handle(); }

  std::unique_ptr<bus::ServerSocket> socket;
  Clock& clock;
  Duration receive_delay{0};
  Duration send_delay{0};
};

// The parts that survive the server's restarts, and the bus.
struct ServerWorld {
  Clock clock;
  base::SeededRandom random{4};
  bus::MemoryBus bus{random};
  eventlog::MemoryStore store;
  std::unique_ptr<eventlog::KeyValueStore> rows = eventlog::make_memory_key_value_store();
  support::FaultyRows views;
};

// One life of the server. Blocks become durable when the test says so, or by themselves.
struct ServerLife {
  // `key` signs anchors.
  explicit ServerLife(ServerWorld& w, CommandLoopOptions options = {},
                      std::optional<base::SigningKey> key = std::nullopt)
      : world(w),
        side(open_side(w)),
        committer(w.store),
        loader(w.store, side->index, side->snapshots),
        queries(*side->service),
        random(w.random, w.clock),
        commands(w.bus.bind_server("command"), w.clock),
        workers(w.bus.bind_server("worker")),
        feed(w.bus.bind_publisher("feed")),
        server({w.clock, random, committer, loader, queries, locks, commands, *workers, *feed},
               {tail_of(w),
                options,
                {{}, key ? base::fingerprint(key->public_key()) : std::string(), {{}, {}, key}}},
               std::move(side->takeover), {w.store, side->index, *w.rows, w.views},
               *make_inline_side_work()) {}

  static eventlog::LogTail tail_of(ServerWorld& w) {
    auto tail = *eventlog::read_tail(w.store);
    if (tail.position.value == 0) tail.log.bytes[0] = 1;
    return tail;
  }
  static std::unique_ptr<DerivedStores> open_side(ServerWorld& w) {
    auto side = open_derived_stores(w.store, tail_of(w), *w.rows, w.views);
    REQUIRE(side);
    return std::move(*side);
  }
  void step() {
    world.clock.now += milliseconds(1);
    world.bus.advance(world.clock.now);
    server.do_work();
    if (commits && committer.submitted()) committer.complete();
  }

  ServerWorld& world;
  std::unique_ptr<DerivedStores> side;
  support::HandCommitter committer;
  eventlog::InlineLoader loader;
  InlineQueryPort queries;
  support::ToldLeaseLocks locks;
  SlowRandom random;
  SlowSocket commands;
  std::unique_ptr<bus::ServerSocket> workers;
  std::unique_ptr<bus::PublisherSocket> feed;
  Server server;
  bool commits = true;
};

base::SessionId session_number(std::uint8_t number) {
  base::SessionId session = kSession;
  session.bytes.back() = static_cast<char>(session.bytes.back() + number);
  return session;
}

base::RawValue spawn(std::uint8_t number = 0) {
  domain::Spawn command;
  command.spec = support::sample_spec(true);
  command.prompt = "work on it";
  CommandBody body = encode_command(command);
  body.session = session_number(number);
  body.agent = "main";
  return bus::to_body(body);
}

// A peer that is connected to one of the server's sockets.
struct Peer {
  Peer(ServerWorld& w, const std::string& endpoint, bus::Hello hello)
      : world(w),
        socket(w.bus.connect_client(endpoint, "peer")),
        client(*socket, w.clock, w.random, {std::move(hello), {}}) {}

  base::CommandId start(std::string_view verb, base::RawValue body) {
    return *client.start(verb, std::move(body), seconds(60));
  }
  // Sends a spawn; its session has the id of the command.
  base::CommandId start_spawn(std::uint8_t number = 0) {
    const base::CommandId id{session_number(number).bytes};
    REQUIRE(client.start(id, kVerbCommand, spawn(number), seconds(60)));
    return id;
  }
  // Steps until the condition holds. False: it did not within 2000 steps.
  template <class Condition>
  bool run(ServerLife& life, Condition&& condition) {
    for (int i = 0; i < 2000; ++i) {
      life.step();
      client.do_work(world.clock.now);
      if (condition()) return true;
    }
    return false;
  }
  std::optional<bus::Reply> answer(ServerLife& life, const base::CommandId& id) {
    std::optional<base::Result<bus::Reply>> outcome;
    if (!run(life, [&] { return (outcome = client.take(id)).has_value(); }) || !*outcome) return {};
    return std::move(**outcome);
  }

  ServerWorld& world;
  std::unique_ptr<bus::ClientSocket> socket;
  bus::Client client;
};

bus::Hello hello_of(bus::Role role, std::string scope = {}) {
  bus::Hello hello;
  hello.role = role;
  hello.name = "test";
  hello.scope = std::move(scope);
  return hello;
}

TEST_CASE("a connection that acts for one agent commands no other's sessions", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer other(w, "command", hello_of(bus::Role::client, "other"));
  const auto refused = other.answer(life, other.start_spawn());
  REQUIRE(refused);
  CHECK(refused->status == bus::ReplyStatus::rejected);
  QueryBody of_main;
  of_main.agent = "main";
  const auto hidden = other.answer(life, other.start(kVerbList, bus::to_body(of_main)));
  REQUIRE(hidden);
  CHECK(hidden->status == bus::ReplyStatus::error);
  const auto unread = other.answer(
      life, other.start(bus::kReadVerb, bus::to_body(bus::ReadRequest{"all/", {}, 0, 0})));
  REQUIRE(unread);
  CHECK(unread->status == bus::ReplyStatus::error);
  // It does not command the log as a whole either, whatever agent it names.
  for (const std::string agent : {"", "other"}) {
    CommandBody body = encode_command(domain::BeginBackup{"one", "/nowhere/one"});
    body.agent = agent;
    const auto copied = other.answer(life, other.start(kVerbCommand, bus::to_body(body)));
    REQUIRE(copied);
    CHECK(copied->status == bus::ReplyStatus::rejected);
  }
  for (const auto verb : {kVerbBackups, kVerbArchives, kVerbAnchors, kVerbAnchor}) {
    const auto told = other.answer(life, other.start(verb, bus::to_body(QueryBody{})));
    REQUIRE(told);
    CHECK(bus::is_error(*told, bus::ReplyError::refused));
  }

  Peer own(w, "command", hello_of(bus::Role::client, "main"));
  const auto accepted = own.answer(life, own.start_spawn());
  REQUIRE(accepted);
  CHECK(accepted->status == bus::ReplyStatus::ok);
}

TEST_CASE("a spawn that is sent again never starts a second agent", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer client(w, "command", hello_of(bus::Role::client));
  const auto first = client.answer(life, client.start_spawn());
  REQUIRE(first);
  CHECK(first->status == bus::ReplyStatus::ok);
  const base::CommandId id{kSession.bytes};
  REQUIRE(client.client.start(id, kVerbCommand, spawn(1), seconds(60)));
  const auto other = client.answer(life, id);
  REQUIRE(other);
  CHECK(other->status == bus::ReplyStatus::rejected);
  CHECK(other->code == "invalid");
  CHECK(life.server.commands().of<domain::AdmissionStream>().live.size() == 1);
}

TEST_CASE("a request under an id of zeros is answered, as a bad frame", "[workers]") {
  const auto verb = GENERATE(kVerbCommand, kVerbList, kVerbStatus, kVerbBackups);
  ServerWorld w;
  ServerLife life(w);
  const auto socket = w.bus.connect_client("command", "peer");
  bus::Hello hello = hello_of(bus::Role::client);
  hello.protocol_lowest = bus::kProtocolLowest;
  hello.protocol_highest = bus::kProtocolHighest;
  socket->send(bus::encode_frame(hello));
  socket->send(bus::encode_frame(bus::Request{{}, std::string(verb), spawn(), 1}));
  std::vector<std::string> codes;
  for (int i = 0; i < 200; ++i) {
    life.step();
    while (const auto bytes = socket->receive()) {
      const auto frame = bus::decode_frame(*bytes);
      REQUIRE(frame);
      if (const auto* reply = std::get_if<bus::Reply>(&*frame)) codes.push_back(reply->code);
    }
  }
  CHECK(codes == std::vector<std::string>{"bad_frame"});
}

TEST_CASE("a request on the workers' endpoint is answered with where it belongs", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer lost(w, "worker", hello_of(bus::Role::client));
  const auto reply = lost.answer(life, lost.start(kVerbStatus, {}));
  REQUIRE(reply);
  CHECK(reply->status == bus::ReplyStatus::error);
  CHECK(reply->code == "refused");
}

TEST_CASE("an archive for which the log cannot be trimmed can be forgotten while the log is whole",
          "[workers]") {
  ServerWorld w;
  {
    support::StoreWriter writer(w.store);
    const std::string server(domain::kServerStream);
    writer.append(server, domain::EpochStarted{1, "created"});
    writer.flush();
    writer.append(server, domain::ArchiveBegun{"one", "/nowhere/one"});
    writer.append(server, domain::ArchiveCompleted{"one", {1}, {1}});  // without an anchor
    writer.flush();
  }
  ServerLife life(w);
  Peer asker(w, "command", hello_of(bus::Role::client));
  const auto list = [&] {
    const auto reply = asker.answer(life, asker.start(kVerbArchives, {}));
    REQUIRE(reply);
    return bus::from_body<ArchivesAnswer>(reply->body)->archives;
  };
  const auto forget = [&] {
    ArchiveBody body;
    body.action = ArchiveAction::forget;
    body.name = "one";
    // The client itself repeats the request while the answer is that the archive is busy.
    const auto reply = asker.answer(life, asker.start(kVerbArchive, bus::to_body(body)));
    return reply && reply->status == bus::ReplyStatus::ok;
  };
  REQUIRE(asker.run(life, [&] { return life.server.has_taken_over(); }));
  REQUIRE(asker.run(life, [&] { return !list().empty() && !list()[0].fault.empty(); }));
  SECTION("whole") {
    CHECK(forget());
    CHECK(list().empty());
  }
  SECTION("whole, after a request that was refused") {
    CommandBody body = encode_command(domain::ForgetArchive{"one"});
    body.expected_version = base::StreamVersion{99};
    const auto refused = asker.answer(life, asker.start(kVerbCommand, bus::to_body(body)));
    REQUIRE(refused);
    CHECK(refused->code == "version_conflict");
    CHECK(forget());  // the trim was returned and can be given up again
    CHECK(list().empty());
  }
  SECTION("not whole any more") {
    REQUIRE(w.store.trim_before({2}));
    asker.run(life, [&, until = w.clock.now + seconds(2)] { return w.clock.now > until; });
    CHECK_FALSE(forget());
    CHECK(list().size() == 1);
  }
}

TEST_CASE(
    "a request of an operator has one outcome, however often and to whichever server it is sent",
    "[workers]") {
  ServerWorld w;
  {
    support::StoreWriter writer(w.store);
    const std::string server(domain::kServerStream);
    writer.append(server, domain::EpochStarted{1, "created"});
    writer.append(server, domain::BackupBegun{"one", "/nowhere/one"});
    writer.append(server, domain::BackupCompleted{"one", {1}});
    writer.append(server, domain::ArchiveBegun{"two", "/nowhere/two"});
    writer.append(server, domain::ArchiveCompleted{"two", {1}, {1}});
    writer.append(server, domain::LogTrimmed{"two", {}});
    writer.flush();
  }
  BackupBody backup;
  backup.action = BackupAction::forget;
  backup.name = "one";
  ArchiveBody archive;
  archive.action = ArchiveAction::forget;
  archive.name = "two";
  // As requests of older releases, or as commands.
  const bool is_older = GENERATE(true, false);
  const auto command = [](const domain::ServerCommand& c) {
    return std::pair(kVerbCommand, bus::to_body(encode_command(c)));
  };
  const std::pair<std::string_view, base::RawValue> forgets[] = {
      is_older ? std::pair(kVerbBackup, bus::to_body(backup))
               : command(domain::ForgetBackup{"one"}),
      is_older ? std::pair(kVerbArchive, bus::to_body(archive))
               : command(domain::ForgetArchive{"two"})};
  const auto ask = [&](ServerLife& life, int id, std::string_view verb, base::RawValue body) {
    Peer asker(w, "command", hello_of(bus::Role::client));
    const auto request = support::numbered<base::CommandId>(id);
    REQUIRE(asker.client.start(request, verb, std::move(body), seconds(60)));
    const auto reply = asker.answer(life, request);
    REQUIRE(reply);
    return *reply;
  };
  std::vector<Position> forgotten;
  {
    ServerLife life(w);
    for (int i = 0; i < 2; ++i) {
      const auto& [verb, body] = forgets[i];
      const auto first = ask(life, i, verb, body);
      REQUIRE(first.status == bus::ReplyStatus::ok);
      const auto again = ask(life, i, verb, body);
      REQUIRE(again.status == bus::ReplyStatus::ok);
      CHECK(bus::from_body<CopyReplyBody>(again.body)->position ==
            bus::from_body<CopyReplyBody>(first.body)->position);
      CHECK(ask(life, 10 + i, verb, body).code == "not_found");
      forgotten.push_back(bus::from_body<CopyReplyBody>(first.body)->position);
    }
  }
  ServerLife life(w);
  for (int i = 0; i < 2; ++i) {
    const auto& [verb, body] = forgets[i];
    const auto again = ask(life, i, verb, body);
    REQUIRE(again.status == bus::ReplyStatus::ok);
    CHECK(bus::from_body<CopyReplyBody>(again.body)->position ==
          forgotten[static_cast<std::size_t>(i)]);
  }
  backup.name = "another";
  const auto [verb, other] = is_older ? std::pair(kVerbBackup, bus::to_body(backup))
                                      : command(domain::ForgetBackup{"another"});
  CHECK(ask(life, 0, verb, other).code == "id_reused");
}

std::int64_t recorded(ServerWorld& w, std::string_view type) {
  const auto events =
      eventlog::read_events(w.store, {1}, eventlog::read_tail(w.store)->position, {});
  return std::count_if(events->begin(), events->end(), [&](const domain::RecordedEvent& event) {
    return event.envelope.type == type;
  });
}

TEST_CASE("a request for an anchor makes one, however often and to whichever server it is sent",
          "[workers]") {
  ServerWorld w;
  const base::SigningKey key(base::SigningKey::make_seed(w.random));
  const auto ask = [&](ServerLife& life) {
    Peer asker(w, "command", hello_of(bus::Role::client));
    const auto request = support::numbered<base::CommandId>(1);
    REQUIRE(asker.client.start(request, kVerbAnchor, bus::to_body(QueryBody{}), seconds(60)));
    const auto reply = asker.answer(life, request);
    REQUIRE(reply);
    REQUIRE(reply->status == bus::ReplyStatus::ok);
    const auto through = bus::from_body<AnchorReplyBody>(reply->body)->through;
    REQUIRE(asker.run(life, [&] { return recorded(w, domain::AnchorMade::kType) > 0; }));
    return through;
  };
  Position first;
  {
    ServerLife life(w, {}, key);
    first = ask(life);
    CHECK(ask(life) == first);
  }
  ServerLife life(w, {}, key);
  CHECK(ask(life) == first);
  for (int i = 0; i < 50; ++i) life.step();
  CHECK(recorded(w, domain::AnchorRequested::kType) == 1);
  CHECK(recorded(w, domain::AnchorMade::kType) == 1);
  const auto made =
      eventlog::open_anchor(life.server.commands().of<domain::ServerStream>().anchor->anchor);
  REQUIRE(made);
  CHECK(made->at.position >= first);
}

// A server with a backup, an archive, a notification and an anchor on the record, and a client.
struct ToldLife {
  ToldLife() {
    support::StoreWriter writer(world.store);
    const std::string server(domain::kServerStream);
    writer.append(server, domain::EpochStarted{1, "created"});
    writer.append(server, domain::BackupBegun{"one", "/nowhere/one"});
    writer.append(server, domain::BackupCompleted{"one", {1}});
    writer.append(server, domain::ArchiveBegun{"two", "/nowhere/two"});
    writer.append(server, domain::ArchiveCompleted{"two", {1}, {1}});
    writer.append(server, domain::LogTrimmed{"two", {}});
    domain::NotificationRequested requested;
    requested.session = kSession;
    requested.agent = "main";
    writer.append(std::string(domain::kOutboxStream), requested);
    writer.flush();
    notification = world.store.tail();
    life.emplace(world, CommandLoopOptions{},
                 base::SigningKey(base::SigningKey::make_seed(world.random)));
    client.emplace(world, "command", hello_of(bus::Role::client));
    REQUIRE(client->run(*life, [&] { return life->server.has_taken_over(); }));
  }
  template <class Answer>
  Answer ask(std::string_view verb) {
    const auto reply = client->answer(*life, client->start(verb, {}));
    REQUIRE(reply);
    return *bus::from_body<Answer>(reply->body);
  }
  // Has the command decided, while nothing becomes durable, until the condition holds.
  template <class Condition>
  void decide(const domain::Command& command, Condition&& condition) {
    life->commits = false;
    client->start(kVerbCommand, bus::to_body(encode_command(command)));
    REQUIRE(client->run(*life, condition));
  }
  const CommandLoop& decided() const { return life->server.commands(); }

  ServerWorld world;
  Position notification;
  std::optional<ServerLife> life;
  std::optional<Peer> client;
};

TEST_CASE("what is decided and not durable is not told", "[workers]") {
  ToldLife told;
  SECTION("of backups") {
    told.decide(domain::ServerCommand(domain::ForgetBackup{"one"}),
                [&] { return told.decided().of<domain::ServerStream>().backups.empty(); });
    CHECK(told.ask<BackupsAnswer>(kVerbBackups).backups.size() == 1);
    told.life->commits = true;
    REQUIRE(told.client->run(
        *told.life, [&] { return recorded(told.world, domain::BackupForgotten::kType) > 0; }));
    CHECK(told.ask<BackupsAnswer>(kVerbBackups).backups.empty());
  }
  SECTION("of archives") {
    told.decide(domain::ServerCommand(domain::ForgetArchive{"two"}),
                [&] { return told.decided().of<domain::ServerStream>().archives.empty(); });
    CHECK(told.ask<ArchivesAnswer>(kVerbArchives).archives.size() == 1);
  }
  SECTION("of notifications") {
    told.decide(domain::OutboxCommand(domain::DropNotification{told.notification}),
                [&] { return told.decided().of<domain::OutboxStream>().open.empty(); });
    const auto answer = told.ask<NotificationsAnswer>(kVerbNotifications);
    CHECK(answer.notifications.size() == 1);
    CHECK(answer.dropped == 0);
  }
  SECTION("of sessions") {
    told.life->commits = false;
    told.client->start_spawn();
    REQUIRE(told.client->run(
        *told.life, [&] { return !told.decided().of<domain::AdmissionStream>().live.empty(); }));
    CHECK(told.ask<StatusAnswer>(kVerbStatus).live_sessions == 0);
  }
}

TEST_CASE("an anchor is told while the next one is decided and not durable", "[workers]") {
  ToldLife told;
  const auto request = [&] {
    told.client->start(
        kVerbCommand, bus::to_body(encode_command(domain::ServerCommand(domain::RequestAnchor{}))));
  };
  request();
  const auto is_made = [&] { return recorded(told.world, domain::AnchorMade::kType) == 1; };
  REQUIRE(told.client->run(*told.life, is_made));
  const auto first = told.ask<AnchorsAnswer>(kVerbAnchors).anchor;
  REQUIRE(first);
  request();
  REQUIRE(told.client->run(
      *told.life, [&] { return recorded(told.world, domain::AnchorRequested::kType) == 2; }));
  told.life->commits = false;
  REQUIRE(told.client->run(
      *told.life, [&] { return told.decided().of<domain::ServerStream>().anchor != first; }));
  CHECK(told.ask<AnchorsAnswer>(kVerbAnchors).anchor == first);
}

TEST_CASE("an anchor that was asked for before a server died is made by the next", "[workers]") {
  ServerWorld w;
  {
    support::StoreWriter writer(w.store);
    const std::string server(domain::kServerStream);
    writer.append(server, domain::EpochStarted{1, "created"});
    writer.append(server, domain::AnchorRequested{});
    writer.flush();
  }
  ServerLife life(w, {}, base::SigningKey(base::SigningKey::make_seed(w.random)));
  for (int i = 0; i < 50; ++i) life.step();
  CHECK(recorded(w, domain::AnchorMade::kType) == 1);
}

TEST_CASE("a copy that is asked for where one is known is refused, unless it is the same request",
          "[workers]") {
  ServerWorld w;
  {
    support::StoreWriter writer(w.store);
    const std::string server(domain::kServerStream);
    writer.append(server, domain::EpochStarted{1, "created"});
    writer.append(server, domain::BackupBegun{"one", "/nowhere/one"});
    writer.append(server, domain::BackupCompleted{"one", {1}});
    writer.append(server, domain::ArchiveBegun{"two", "/nowhere/two"});
    writer.append(server, domain::ArchiveCompleted{"two", {1}, {1}});
    writer.append(server, domain::LogTrimmed{"two", {}});
    writer.flush();
  }
  ServerLife life(w, {}, base::SigningKey(base::SigningKey::make_seed(w.random)));
  const auto ask = [&](int id, std::string_view verb, base::RawValue body) {
    Peer asker(w, "command", hello_of(bus::Role::client));
    const auto request = support::numbered<base::CommandId>(id);
    REQUIRE(asker.client.start(request, verb, std::move(body), seconds(60)));
    const auto reply = asker.answer(life, request);
    REQUIRE(reply);
    return *reply;
  };
  const auto is_refused = [](const bus::Reply& reply, std::string_view forget) {
    INFO(reply.text);
    return bus::is_error(reply, bus::ReplyError::already_exists) &&
           reply.text.find("no copy was made") < 1000 && reply.text.find("another folder") < 1000 &&
           reply.text.find(forget) < 1000;
  };
  BackupBody backup;
  backup.name = "one";
  backup.folder = "/nowhere/one";
  CHECK(is_refused(ask(1, kVerbBackup, bus::to_body(backup)), "steno backup forget one"));
  backup.name = "other";
  CHECK(is_refused(ask(2, kVerbBackup, bus::to_body(backup)), "steno backup forget one"));
  backup.name = "one";
  backup.folder = "/nowhere/other";
  CHECK(is_refused(ask(3, kVerbBackup, bus::to_body(backup)), "steno backup forget one"));
  backup.name = "fresh";
  const auto first = ask(4, kVerbBackup, bus::to_body(backup));
  REQUIRE(first.status == bus::ReplyStatus::ok);
  CHECK(ask(4, kVerbBackup, bus::to_body(backup)).body == first.body);

  ArchiveBody archive;
  archive.name = "two";
  archive.folder = "/nowhere/two";
  archive.before = {1};
  CHECK(is_refused(ask(5, kVerbArchive, bus::to_body(archive)), "steno archive list"));
  archive.name = "other";
  CHECK(is_refused(ask(6, kVerbArchive, bus::to_body(archive)), "steno archive list"));
  archive.name = "two";
  archive.folder = "/nowhere/three";
  CHECK(is_refused(ask(7, kVerbArchive, bus::to_body(archive)), "steno archive list"));
}

TEST_CASE("each stage of a command has the time that passed in it", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer asker(w, "command", hello_of(bus::Role::client));
  REQUIRE(asker.answer(life, asker.start_spawn()));
  CommandBody kill = encode_command(domain::KillSession{});
  kill.session = kSession;
  kill.agent = "main";
  const auto id = asker.start(kVerbCommand, bus::to_body(kill));
  life.commits = false;
  life.commands.receive_delay = milliseconds(500);
  life.random.delay = milliseconds(70);
  REQUIRE(asker.run(life, [&] { return life.commands.receive_delay == Duration{0}; }));
  REQUIRE(life.random.delay == Duration{0});
  REQUIRE(life.committer.submitted());
  life.committer.complete();
  w.clock.now += milliseconds(1999);  // and one in a step
  life.commands.send_delay = milliseconds(300);
  REQUIRE(asker.answer(life, id));

  const auto reply = asker.answer(life, asker.start(kVerbStatus, bus::to_body(QueryBody{})));
  REQUIRE(reply);
  const auto status = bus::from_body<StatusAnswer>(reply->body);
  REQUIRE(status);
  const StageTimes& stages = status->stages;
  CHECK(stages.inbox.max_us == 500'000);
  CHECK(stages.decide.max_us == 70'000);
  CHECK(stages.sync.max_us == 2'000'000);
  CHECK(stages.reply.max_us == 300'000);
  CHECK(stages.total.max_us == 2'870'000);
  for (const StageTime& stage : {stages.inbox, stages.decide, stages.sync, stages.reply}) {
    CHECK(stage.count == stages.total.count);
    CHECK(stage.p50_us <= stage.max_us);
  }
}

TEST_CASE("a query waits for the position that it asks for", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer asker(w, "command", hello_of(bus::Role::client));
  REQUIRE(asker.run(life, [&] { return life.server.has_taken_over(); }));
  life.commits = false;
  asker.start_spawn();
  REQUIRE(asker.run(life, [&] { return life.committer.submitted().has_value(); }));
  QueryBody query;
  query.agent = "main";
  query.at_least = life.committer.submitted()->header.last();
  query.wait = seconds(30);
  const auto id = asker.start(kVerbList, bus::to_body(query));
  CHECK_FALSE(asker.answer(life, id));
  life.commits = true;
  const auto reply = asker.answer(life, id);
  REQUIRE(reply);
  const auto listed = bus::from_body<ListAnswer>(reply->body);
  REQUIRE(listed);
  CHECK(listed->position >= query.at_least);
  CHECK(listed->sessions.size() == 1);
}

TEST_CASE("rows that could not be written come up although nothing happens", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer asker(w, "command", hello_of(bus::Role::client));
  REQUIRE(asker.run(life, [&] { return life.server.has_taken_over(); }));
  w.views.is_full = true;
  REQUIRE(asker.answer(life, asker.start_spawn()));
  const auto reached = [&] {
    const auto at = projections::read_checkpoint(w.views, projections::SessionList::kName);
    return at && *at ? (*at)->checkpoint.position : base::Position{};
  };
  asker.run(life, [&, until = w.clock.now + seconds(1)] { return w.clock.now > until; });
  REQUIRE(reached() < life.server.durable());
  w.views.is_full = false;
  CHECK(asker.run(life, [&] { return reached() == life.server.durable(); }));
}

TEST_CASE("a query for a position that does not come is answered in time", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer asker(w, "command", hello_of(bus::Role::client));
  REQUIRE(asker.run(life, [&] { return life.server.has_taken_over(); }));
  QueryBody query;
  query.agent = "main";
  query.at_least = life.server.durable().plus(100);
  query.wait = milliseconds(500);
  const auto reply = asker.answer(life, asker.start(kVerbList, bus::to_body(query)));
  REQUIRE(reply);
  CHECK(reply->status == bus::ReplyStatus::error);
  CHECK(reply->code == "timeout");
}

TEST_CASE("a command that finds the inbox full is not called refused, and gets in later",
          "[workers]") {
  ServerWorld w;
  CommandLoopOptions options;
  options.inbox_max = 1;
  ServerLife life(w, options);
  Peer client(w, "command", hello_of(bus::Role::client));
  REQUIRE(client.run(life, [&] { return life.server.has_taken_over(); }));
  std::vector<base::CommandId> asked;
  for (std::uint8_t i = 1; i <= 3; ++i) asked.push_back(client.start_spawn(i));
  for (const base::CommandId& id : asked) {
    const auto reply = client.answer(life, id);
    REQUIRE(reply);
    CHECK(reply->status == bus::ReplyStatus::ok);
  }
  CHECK(client.client.resend_count() >= 2);
}

TEST_CASE("no request but one with texts has a large body", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer client(w, "command", hello_of(bus::Role::client));
  REQUIRE(client.run(life, [&] { return life.server.has_taken_over(); }));
  base::RawValue large;
  base::MsgpackWriter out(large.encoded);
  out.map(1);
  out.text("junk");
  out.text(std::string(65 << 10, 'x'));
  for (const auto verb : {kVerbList, kVerbStatus, kVerbFlight, kVerbBackups, bus::kReadVerb}) {
    const auto reply = client.answer(life, client.start(verb, large));
    REQUIRE(reply);
    CHECK(bus::is_error(*reply, bus::ReplyError::too_large));
  }
  CommandBody kill = encode_command(domain::KillSession{});
  kill.session = kSession;
  kill.agent = "main";
  kill.body = large;
  const auto reply = client.answer(life, client.start(kVerbCommand, bus::to_body(kill)));
  REQUIRE(reply);
  CHECK(reply->status == bus::ReplyStatus::rejected);
  CHECK(reply->text.find("65536 at most") != std::string::npos);
}

TEST_CASE("a refusal quotes only the beginning of what was wrong", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer client(w, "command", hello_of(bus::Role::client));
  REQUIRE(client.run(life, [&] { return life.server.has_taken_over(); }));
  domain::Spawn command;
  command.spec = support::sample_spec(true);
  command.spec.workdir = std::string(4000, 'r');
  command.prompt = "work on it";
  CommandBody body = encode_command(command);
  body.session = session_number(1);
  body.agent = "main";
  const base::CommandId id{body.session.bytes};
  REQUIRE(client.client.start(id, kVerbCommand, bus::to_body(body), seconds(60)));
  const auto reply = client.answer(life, id);
  REQUIRE(reply);
  CHECK(reply->text.find("must be an absolute path") != std::string::npos);
  CHECK(reply->text.size() <= 512);
}

TEST_CASE("a connection with many queries leaves room for those of others", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer many(w, "command", hello_of(bus::Role::client));
  Peer other(w, "command", hello_of(bus::Role::client));
  REQUIRE(other.run(life, [&] { return life.server.has_taken_over(); }));
  QueryBody later;
  later.agent = "main";
  later.at_least = {1'000'000};
  later.wait = seconds(50);
  REQUIRE(many.answer(life, many.start(kVerbStatus, bus::to_body(QueryBody{}))));
  // Sent by hand, since our client would repeat the request while the answer is `busy`.
  std::size_t busy = 0;
  for (int i = 0; i < 200; ++i) {
    bus::Request request{base::CommandId::make(w.clock.wall(), w.random), std::string(kVerbList),
                         bus::to_body(later), 1};
    REQUIRE(many.socket->send(bus::encode_frame(request)));
  }
  for (int i = 0; i < 100; ++i) {
    life.step();
    while (const auto frame = many.socket->receive()) {
      const auto decoded = bus::decode_frame(*frame);
      const auto* reply = decoded ? std::get_if<bus::Reply>(&*decoded) : nullptr;
      if (reply != nullptr && bus::is_error(*reply, bus::ReplyError::busy)) ++busy;
    }
  }
  CHECK(busy == 200 - 128);
  QueryBody now;
  now.agent = "main";
  const auto reply = other.answer(life, other.start(kVerbList, bus::to_body(now)));
  REQUIRE(reply);
  CHECK(reply->status == bus::ReplyStatus::ok);
}

TEST_CASE("what the flight recorder holds is told once in a cycle", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer peer(w, "command", hello_of(bus::Role::client));
  REQUIRE(peer.run(life, [&] { return life.server.has_taken_over(); }));
  REQUIRE(peer.answer(life, peer.start(kVerbStatus, bus::to_body(QueryBody{}))));
  const auto ask = [&] {
    const bus::Request request{base::CommandId::make(w.clock.wall(), w.random),
                               std::string(kVerbFlight), bus::to_body(QueryBody{}), 1};
    REQUIRE(peer.socket->send(bus::encode_frame(request)));
  };
  int told = 0;
  int busy = 0;
  const auto count = [&] {
    for (int i = 0; i < 10; ++i) {
      life.step();
      while (const auto frame = peer.socket->receive()) {
        const auto decoded = bus::decode_frame(*frame);
        const auto* reply = decoded ? std::get_if<bus::Reply>(&*decoded) : nullptr;
        if (reply == nullptr) continue;
        if (reply->status == bus::ReplyStatus::ok) ++told;
        if (bus::is_error(*reply, bus::ReplyError::busy)) ++busy;
      }
    }
  };
  for (int i = 0; i < 3; ++i) ask();
  count();
  CHECK(told == 1);
  CHECK(busy == 2);
  ask();
  count();
  CHECK(told == 2);
}

// A worker that connects to the server with these leases.
struct Holder : Peer {
  Holder(ServerWorld& w, std::vector<HeldLease> held)
      : Peer(w, "worker", hello_of(bus::Role::worker)), body{kWorker, 77, std::move(held)} {}

  bool join(ServerLife& life) {
    return run(life, [&] {
      return client.send_notice({std::string(kVerbRegister), bus::to_body(body)});
    });
  }
  // Returns the next directive. No acknowledgement before it may say that a lease is lost.
  DirectiveBody directive(ServerLife& life) {
    std::optional<DirectiveBody> found;
    REQUIRE(run(life, [&] {
      while (const auto notice = client.take_notice()) {
        if (notice->verb == kVerbReportAck) {
          CHECK_FALSE(bus::from_body<ReportAckBody>(notice->body)->lost);
        } else if (notice->verb == kVerbDirective) {
          found = *bus::from_body<DirectiveBody>(notice->body);
        }
      }
      return found.has_value();
    }));
    return *found;
  }

  RegisterBody body;
};

HeldLease held_by(const DirectiveBody& directive) {
  return {directive.session, directive.agent, directive.token, directive.number};
}

TEST_CASE("a killed session's agent is to be ended, also by a new server", "[workers][R024]") {
  ServerWorld w;
  DirectiveBody directive;
  {
    ServerLife life(w);
    Peer client(w, "command", hello_of(bus::Role::client));
    Holder worker(w, {});
    REQUIRE(worker.join(life));
    REQUIRE(client.answer(life, client.start_spawn()));
    CHECK(worker.directive(life).end == LeaseEnd::none);
    CommandBody kill = encode_command(domain::KillSession{});
    kill.session = kSession;
    kill.agent = "main";
    REQUIRE(client.answer(life, client.start(kVerbCommand, bus::to_body(kill))));
    directive = worker.directive(life);
    CHECK(directive.end == LeaseEnd::kill);
  }
  ServerLife life(w);
  Holder worker(w, {held_by(directive)});
  REQUIRE(worker.join(life));
  CHECK(worker.directive(life).end == LeaseEnd::kill);
}

TEST_CASE("a prompt that comes while the server drains waits for the next one", "[workers][R308]") {
  ServerWorld w;
  {
    ServerLife life(w);
    Peer client(w, "command", hello_of(bus::Role::client));
    Holder worker(w, {});
    REQUIRE(worker.join(life));
    REQUIRE(client.run(life, [&] { return life.server.status().workers == 1; }));
    life.server.drain();
    REQUIRE(client.answer(life, client.start_spawn()));
    for (int i = 0; i < 300; ++i) life.step();
    const domain::SessionState* state = life.server.commands().find<domain::SessionStream>(
        domain::session_stream("main", kSession));
    REQUIRE(state != nullptr);
    CHECK_FALSE(state->lease);
    CHECK(state->queue.size() == 1);
  }
  ServerLife life(w);
  Holder worker(w, {});
  REQUIRE(worker.join(life));
  CHECK(worker.directive(life).turn);
}

TEST_CASE("a new server takes over the leases of the one before", "[workers]") {
  ServerWorld w;
  DirectiveBody before;
  {
    ServerLife life(w);
    Peer client(w, "command", hello_of(bus::Role::client));
    Holder worker(w, {});
    REQUIRE(worker.join(life));
    REQUIRE(client.answer(life, client.start_spawn()));
    before = worker.directive(life);
  }
  ServerLife life(w);
  Holder worker(w, {held_by(before)});
  REQUIRE(worker.join(life));
  const DirectiveBody after = worker.directive(life);
  CHECK(after.token == before.token);
  CHECK(after.turn == before.turn);
  CHECK(after.number > before.number);
}

TEST_CASE("nobody is kept out by who has connected thousands of times", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  bus::Hello hello = hello_of(bus::Role::worker);
  hello.protocol_lowest = hello.protocol_highest = bus::kProtocolHighest;
  for (std::size_t i = 0; i < bus::kPeersMax + 4; ++i) {
    for (const char* endpoint : {"command", "worker"}) {
      const auto brief = w.bus.connect_client(endpoint, "brief");
      REQUIRE(brief->send(bus::encode_frame(hello)));
      std::optional<base::Bytes> answer;
      for (int steps = 0; steps < 100 && !answer; ++steps) {
        life.step();
        answer = brief->receive();
      }
      REQUIRE(answer);
      REQUIRE(std::holds_alternative<bus::Welcome>(*bus::decode_frame(*answer)));
    }
  }
  Holder worker(w, {});
  REQUIRE(worker.join(life));
  Peer client(w, "command", hello_of(bus::Role::client));
  REQUIRE(client.answer(life, client.start_spawn()));
  CHECK(worker.directive(life).turn);
}

// A forgotten peer is told to say HELLO. A worker then registers again and repeats its reports.
TEST_CASE("peers that are silent for long are forgotten, and lose nothing by it", "[workers]") {
  ServerWorld w;
  ServerLife life(w);
  Peer client(w, "command", hello_of(bus::Role::client));
  const auto clients = [&](Peer& asker) {
    const auto reply = asker.answer(life, asker.start(kVerbStatus, bus::to_body(QueryBody{})));
    REQUIRE(reply);
    return bus::from_body<StatusAnswer>(reply->body)->clients;
  };
  Holder worker(w, {});
  REQUIRE(worker.join(life));
  REQUIRE(client.answer(life, client.start_spawn()));
  const DirectiveBody directive = worker.directive(life);
  for (std::int64_t i = 0; i < 3; ++i) {
    Peer brief(w, "command", hello_of(bus::Role::client));
    CHECK(clients(brief) == 2 + i);
  }
  w.clock.now += bus::kPeerSilenceMax;
  life.step();

  const std::int64_t welcomes = worker.client.welcome_count();
  ReportsBody reports{directive.session, directive.agent, directive.token, {}};
  reports.reports.push_back(encode_report(1, domain::ReportAgentStarted{5, 6}));
  const bus::Notice report{std::string(kVerbReports), bus::to_body(reports)};
  REQUIRE(worker.client.send_notice(report));
  REQUIRE(worker.run(life, [&] { return worker.client.welcome_count() > welcomes; }));
  worker.body.leases = {held_by(directive)};
  REQUIRE(worker.join(life));
  std::optional<ReportAckBody> ack;
  const auto is_acknowledged = [&] {
    while (const auto notice = worker.client.take_notice()) {
      if (notice->verb == kVerbReportAck) ack = *bus::from_body<ReportAckBody>(notice->body);
    }
    return ack.has_value();
  };
  REQUIRE(worker.run(life, is_acknowledged));
  CHECK(*ack == ReportAckBody{directive.session, directive.token, 0, true, false});
  ack.reset();
  REQUIRE(worker.client.send_notice(report));
  REQUIRE(worker.run(life, is_acknowledged));
  CHECK(*ack == ReportAckBody{directive.session, directive.token, 1, false, false});

  CHECK(clients(client) == 1);
  REQUIRE(client.answer(life, client.start_spawn(1)));
}

TEST_CASE("a fact that is too long is refused before it is one, and named", "[workers]") {
  ServerWorld w;
  CommandLoopOptions options;
  options.limits.max_sessions = 10;
  ServerLife life(w, options);
  Peer client(w, "command", hello_of(bus::Role::client));
  REQUIRE(client.run(life, [&] { return life.server.has_taken_over(); }));
  struct Field {
    std::string name;
    std::size_t bytes_max;
    std::function<void(CommandBody&, domain::Spawn&, std::string)> set;
  };
  const std::vector<Field> fields = {
      {"actor", 256, [](auto& body, auto&, auto text) { body.actor = text; }},
      {"traceparent", 256, [](auto& body, auto&, auto text) { body.traceparent = text; }},
      {"origin_channel", 256, [](auto&, auto& spawn, auto text) { spawn.origin_channel = text; }},
      {"model", 256, [](auto&, auto& spawn, auto text) { spawn.spec.model = text; }},
      {"workdir", 4'096,
       [](auto&, auto& spawn, auto text) { spawn.spec.workdir = "/" + text.substr(1); }},
      {"allowed_tools", 65'536, [](auto&, auto& spawn, auto text) {
         spawn.spec.allowed_tools.edit() = {text.substr(0, 1'000), text.substr(1'002)};
       }}};
  std::uint8_t number = 0;
  const auto ask = [&](const Field& field, std::size_t bytes) {
    domain::Spawn command;
    command.spec = support::sample_spec(true);
    command.prompt = "work on it";
    CommandBody aside;
    field.set(aside, command, std::string(bytes, 'x'));
    CommandBody body = encode_command(command);
    body.actor = aside.actor;
    body.traceparent = aside.traceparent;
    body.session = kSession;
    body.session.bytes.back() = static_cast<char>(++number);
    body.agent = "main";
    const base::CommandId id{body.session.bytes};
    REQUIRE(client.client.start(id, kVerbCommand, bus::to_body(body), seconds(60)));
    const auto reply = client.answer(life, id);
    REQUIRE(reply);
    return *reply;
  };
  for (const Field& field : fields) {
    INFO(field.name);
    const Position before = life.server.durable();
    const bus::Reply refused = ask(field, field.bytes_max + 1);
    CHECK(refused.status == bus::ReplyStatus::rejected);
    CHECK(refused.code == "invalid");
    CHECK(refused.text == field.name + " has " + std::to_string(field.bytes_max + 1) +
                              " bytes, of " + std::to_string(field.bytes_max) + " at most");
    CHECK(life.server.durable() == before);
    CHECK(ask(field, field.bytes_max).status == bus::ReplyStatus::ok);
  }
}

}  // namespace
}  // namespace workers
