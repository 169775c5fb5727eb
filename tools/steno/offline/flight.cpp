// `steno doctor --flight`: prints the last steps of the server's loop. If the server ended by a
// fault, reads the file that it left in the run folder.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "tools/steno/connection/connection.hpp"
#include "tools/steno/connection/found_server.hpp"
#include "tools/steno/offline/offline_commands.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/json.hpp"
#include "workers/protocol/status.hpp"

namespace steno {
namespace {

using workers::FlightAnswer;
using workers::FlightEntry;
using workers::FlightKind;

std::string meaning(const FlightEntry& entry) {
  const std::string number = std::to_string(entry.number);
  switch (entry.kind) {
    case FlightKind::frame:
      return entry.number == 0 ? "from a client" : "from a worker";
    case FlightKind::decided:
      return number + " commands wait";
    case FlightKind::appended:
      return "up to position " + number;
    case FlightKind::durable:
      return "up to position " + number;
    case FlightKind::answered:
      return number + " commands";
    case FlightKind::directed:
      return number + " sessions looked after";
    case FlightKind::failed:
      break;
  }
  return "the server ended with this";
}

// Reads lines "<µs> <kind> <number>". Lines with a kind of a later release are skipped.
Outcome<FlightAnswer> read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return fail(kExitNotFound,
                "no server runs here, and no server that ended by a fault left " + path);
  }
  FlightAnswer answer;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::int64_t at = 0;
    std::string kind;
    FlightEntry entry;
    if (!(words >> at >> kind >> entry.number)) continue;
    const auto known = base::parse_enum<FlightKind>(kind);
    if (!known) continue;
    entry.at = base::Duration{at};
    entry.kind = *known;
    answer.entries.push_back(entry);
  }
  return answer;
}

Outcome<FlightAnswer> ask(const Config& config, std::string& from) {
  auto connection = Connection::open(config);
  if (connection) {
    from = "the server that runs";
    return (*connection)->ask<FlightAnswer>(workers::kVerbFlight, workers::QueryBody{});
  }
  if (connection.error().exit_code != kExitUnreachable) {
    return tl::unexpected(connection.error());
  }
  from = find_server(config).run_folder + "/flight.log";
  return read_file(from);
}

}  // namespace

Outcome<int> show_flight(const Config& config) {
  std::string from;
  const auto answer = ask(config, from);
  if (!answer) return tl::unexpected(answer.error());
  if (config.output == OutputFormat::json) {
    print(workers::JsonObject().add("from", from).add("entries", answer->entries).text() + "\n");
    return kExitOk;
  }
  if (config.output == OutputFormat::table) {
    remark("the last " + std::to_string(answer->entries.size()) + " steps of " + from +
           ", in milliseconds before the last one");
  }
  for (const FlightEntry& entry : answer->entries) {
    if (config.output == OutputFormat::jsonl) {
      print(workers::to_json(entry) + "\n");
      continue;
    }
    const base::Duration before = answer->entries.back().at - entry.at;
    print(fmt::format("{:>12.3f}  {:<9} {}\n", static_cast<double>(before.count()) / 1000,
                      base::enum_name(entry.kind), meaning(entry)));
  }
  return kExitOk;
}

}  // namespace steno
