// The packets between worker and keeper, in both directions.
#include "workers/engines/process/keeper_protocol.hpp"

#include "tests/fuzz/fuzz.hpp"

void fuzz::run(ByteView in) {
  if (const auto command = engines::decode_command(in)) {
    const auto again = engines::decode_command(engines::encode(*command));
    require(again && *again == *command, "decode(encode(decode(x))) is the same command");
  }
  const auto report = engines::decode_report(in);
  if (!report) return;
  const std::string bytes = engines::encode(*report);
  require(bytes.size() <= engines::kKeeperMessageBytesMax, "a packet is bounded");
  const auto again = engines::decode_report(bytes);
  const bool is_cut = in.size() > engines::kKeeperMessageBytesMax;
  require(again && (is_cut || *again == *report), "decode(encode(decode(x))) is the same report");
}
