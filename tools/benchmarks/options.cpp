// Parses flags as "--name value" or "--name=value", and checks names against the rows.
#include "tools/benchmarks/options.hpp"

#include <algorithm>
#include <map>

#include "tools/benchmarks/row.hpp"

namespace benchmarks {
namespace {

tl::unexpected<base::Error> usage(const std::string& text) {
  return base::failure(base::ErrorCode::invalid, text + "; see --help");
}

base::Result<std::vector<std::string>> parse_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string name = text.substr(at, end - at);
    const bool is_known =
        std::any_of(rows().begin(), rows().end(), [&](const Row& row) { return row.name == name; });
    if (!is_known) return usage("there is no row '" + name + "'");
    names.push_back(std::move(name));
    at = end + 1;
  }
  return names;
}

}  // namespace

base::Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  std::string only;
  const std::map<std::string, std::string*> texts = {
      {"--json", &options.json_file},
      {"--folder", &options.folder},
      {"--commit", &options.commit},
      {"--only", &only},
      {"--echo-server", &options.echo_server},
      {"--echo-client", &options.echo_client},
      {"--subscriber", &options.subscriber},
      {"--feed-subscriber", &options.feed_subscriber},
      {"--flood", &options.flood}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& flag = arguments[i];
    if (flag == "--help" || flag == "-h") {
      options.wants_help = true;
    } else if (flag == "--quick") {
      options.is_quick = true;
    } else {
      const std::size_t equals = flag.find('=');
      const std::string name = flag.substr(0, equals);
      const auto found = texts.find(name);
      if (found == texts.end()) return usage("unknown argument '" + flag + "'");
      if (equals != std::string::npos) {
        *found->second = flag.substr(equals + 1);
      } else if (++i < arguments.size()) {
        *found->second = arguments[i];
      } else {
        return usage(name + " needs a value");
      }
      if (found->second->empty()) return usage(name + " needs a value");
    }
  }
  if (!only.empty()) {
    auto names = parse_names(only);
    if (!names) return tl::unexpected(names.error());
    options.only = std::move(*names);
  }
  return options;
}

std::string help_text() {
  std::string text =
      "Measures Steno beside the raw limits of this machine and beside other servers, by turns in\n"
      "one run, and prints a table.\n\n"
      "  --only NAME,…   only these rows\n"
      "  --quick         shorter runs on smaller logs: all rows in five minutes, with more noise\n"
      "  --json FILE     also write {\"commit\": …, \"figures\": {NAME: number, …}, \"absent\": "
      "[…]}\n"
      "  --folder DIR    on the disk to measure; default /var/tmp; must not be in memory\n"
      "  --help          this text\n\n"
      "Rows:\n";
  for (const Row& row : rows()) text += "  " + std::string(row.name) + "\n";
  return text +
         "\nExamples:\n"
         "  ./tools/bench\n"
         "  ./tools/bench --quick --json figures.json\n"
         "  ./tools/bench --only ack_p50_over_floor,rss_base_mb\n";
}

}  // namespace benchmarks
