// `steno config` and `steno version`: print what this process knows by itself.
#include "tools/steno/client/own_commands.hpp"

#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "workers/json/json.hpp"

namespace steno {
Outcome<int> show_config(const Config& config, const NoArguments&) {
  if (config.output == OutputFormat::table) {
    Table table({{"KEY"}, {"VALUE", Align::left, 100}, {"SOURCE", Align::left, 160}});
    table.add({"config", config.config_file, "the file that is read if it exists"});
    for (const Setting& setting : config.settings) {
      table.add({setting.key, setting.value, setting.where});
    }
    print(table.text());
    return kExitOk;
  }
  if (config.output == OutputFormat::jsonl) {
    for (const Setting& setting : config.settings) print(workers::to_json(setting) + "\n");
    return kExitOk;
  }
  workers::JsonObject object;
  object.add("config_file", config.config_file).add("settings", config.settings);
  print(object.text() + "\n");
  return kExitOk;
}

Outcome<int> show_version(const Config& config, const NoArguments&) {
  const bool is_table = config.output == OutputFormat::table;
  print(is_table ? "steno " STENO_RELEASE "\n"
                 : workers::JsonObject().add("release", STENO_RELEASE).text() + "\n");
  return kExitOk;
}

}  // namespace steno
