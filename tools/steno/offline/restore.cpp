// `steno restore`: makes a log from a backup.
#include <filesystem>

#include "eventlog/copies/backup.hpp"
#include "tools/steno/config/absolute_path.hpp"
#include "tools/steno/offline/offline_commands.hpp"
#include "tools/steno/text/console.hpp"
#include "tools/steno/text/progress_line.hpp"
#include "workers/json/json.hpp"

namespace steno {

Outcome<int> restore(const Config& config, const RestoreArguments& arguments) {
  const std::string home = absolute_path(arguments.home);
  std::error_code error;
  std::filesystem::create_directories(home, error);
  if (error) return fail(kExitRefused, "cannot make " + home + ": " + error.message());
  base::SystemRandom random;
  ProgressLine progress(stderr, "prove");
  const auto restored =
      eventlog::restore_backup(absolute_path(arguments.folder), home + "/data", random,
                               [&](auto reached, auto tail) { progress.show(reached, tail); });
  progress.clear();
  if (!restored) return fail(restored.error());
  if (config.output != OutputFormat::table) {
    print(workers::JsonObject()
              .add("home", home)
              .add("through", restored->through)
              .add("epoch", restored->epoch)
              .text() +
          "\n");
    return kExitOk;
  }
  print("restored the log up to event " + std::to_string(restored->through.value) + " into epoch " +
        std::to_string(restored->epoch) + "; start it with: steno --home " + home + " serve\n");
  return kExitOk;
}

}  // namespace steno
