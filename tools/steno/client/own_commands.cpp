// `steno config` and `steno version`: print what this process knows by itself.
#include "tools/steno/client/own_commands.hpp"

#include "bus/frames.hpp"
#include "eventlog/base/log_format.hpp"
#include "tools/steno/client/release.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/table.hpp"
#include "workers/json/json.hpp"

namespace steno {
Outcome<int> show_config(const Config& config, const NoArguments&) {
  if (config.tables_fault) {
    remark("steno serve refuses this file: " + base::describe(*config.tables_fault));
  }
  const std::vector<Setting> settings = all_settings(config);
  if (config.output == OutputFormat::table) {
    Table table({{"KEY"}, {"VALUE", Align::left, 100}, {"SOURCE", Align::left, 160}});
    table.add({"config", config.config_file, "the file that is read if it exists"});
    for (const Setting& setting : settings) {
      table.add({setting.key, setting.value, setting.where});
    }
    print(table.text(stdout_columns()));
    return kExitOk;
  }
  if (config.output == OutputFormat::jsonl) {
    for (const Setting& setting : settings) print(workers::to_json(setting) + "\n");
    return kExitOk;
  }
  workers::JsonObject object;
  object.add("config_file", config.config_file).add("settings", settings);
  print(object.text() + "\n");
  return kExitOk;
}

Outcome<int> show_version(const Config& config, const NoArguments&) {
  const Release made = release();
  if (config.output == OutputFormat::table) {
    print("steno " + made.release + "\n");
    return kExitOk;
  }
  print(workers::JsonObject()
            .add("release", made.release)
            .add("commit", made.commit)
            .add("log_format", std::int64_t{base::kLogFormat})
            .add("protocol", bus::kProtocolHighest)
            .add("build", made.build)
            .add("compiler", made.compiler)
            .text() +
        "\n");
  return kExitOk;
}

}  // namespace steno
