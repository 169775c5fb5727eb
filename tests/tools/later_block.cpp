// Appends to a log that nobody serves what a later release could have written there: an event of a
// type that this release does not know, or a block of a format that it does not read.
//
//   later_block DATA_FOLDER event|format
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "eventlog/base/hash.hpp"
#include "eventlog/domain/stream_name.hpp"
#include "eventlog/folder/open_log.hpp"
#include "eventlog/log/log_reader.hpp"

namespace {

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "later_block: %s\n", why.c_str());
  std::exit(1);
}

// Returns the version that the server's stream has reached.
base::StreamVersion server_version(eventlog::BlockStore& store) {
  base::StreamVersion reached;
  for (base::Position at{1}; at <= store.tail();) {
    const auto events = eventlog::read_events(store, at, store.tail(), {});
    if (!events) die(base::describe(events.error()));
    for (const domain::RecordedEvent& event : *events) {
      at = event.envelope.position.next();
      if (event.envelope.stream == domain::kServerStream) reached = event.envelope.version;
    }
  }
  return reached;
}

base::Bytes later_event(base::StreamVersion version, base::Time time) {
  base::SystemRandom random;
  domain::Envelope envelope;
  envelope.stream = domain::kServerStream;
  envelope.version = version;
  envelope.type = "ServerTeleported";
  envelope.event = base::EventId::make(time, random);
  envelope.command = base::CommandId::make(time, random);
  envelope.actor_kind = domain::ActorKind::server;
  envelope.log_time = envelope.wall_time = time;
  return base::encode(envelope);
}

void raise_format(eventlog::SealedBlock& block) {
  base::Bytes& facts = block.facts;
  ++facts[7];  // the last byte of the format
  facts.resize(facts.size() - 8);
  base::append_u64(facts, base::xxh3(facts));
  block.hash = base::blake2b(facts);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[2] : "";
  if (what != "event" && what != "format") die("usage: later_block DATA_FOLDER event|format");
  base::SystemRandom random;
  auto log = eventlog::open_log(argv[1], eventlog::LogMode::read_write, random);
  if (!log) die(base::describe(log.error()));
  const eventlog::LogTail& tail = log->tail;

  eventlog::BlockBuilder builder;
  builder.add(later_event(server_version(*log->store).next(), tail.time));
  eventlog::BlockHeader header;
  header.log = tail.log;
  header.epoch = tail.epoch;
  header.writer_term = tail.writer_term;
  header.first = tail.position.next();
  header.time = tail.time;
  header.previous = tail.hash;
  eventlog::SealedBlock block = builder.seal(header);
  if (what == "format") raise_format(block);
  if (log->store->append(block).status != eventlog::AppendStatus::stored) die("it is not stored");
  if (auto ok = log->head->write({tail.log, tail.epoch, block.header.first, block.hash}); !ok) {
    die(base::describe(ok.error()));
  }
}
