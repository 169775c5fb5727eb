// The packets between worker and keeper, in both directions.
#include "workers/processes/keeper_protocol.hpp"

#include "tests/fuzz/fuzz.hpp"

void fuzz::run(ByteView in) {
  if (const auto command = processes::decode_command(in)) {
    const auto again = processes::decode_command(processes::encode(*command));
    require(again && *again == *command, "decode(encode(decode(x))) is the same command");
  }
  const auto report = processes::decode_report(in);
  if (!report) return;
  const std::string bytes = processes::encode(*report);
  require(bytes.size() <= processes::kKeeperMessageBytesMax, "a packet is bounded");
  const auto again = processes::decode_report(bytes);
  const bool is_cut = in.size() > processes::kKeeperMessageBytesMax;
  require(again && (is_cut || *again == *report), "decode(encode(decode(x))) is the same report");
}
