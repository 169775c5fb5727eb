// Asks the lock of the data folder, which no environment can hide.
#include "tools/steno/connection/found_server.hpp"

namespace steno {
namespace {

using workers::ServerPhase;

std::string process_text(const workers::DataHolder& holder) {
  return "process " + std::to_string(holder.pid);
}

}  // namespace

FoundServer find_server(const Config& config) {
  FoundServer found{workers::data_holder(config.data_folder), config.run_folder};
  const bool is_told = found.holder.place && !is_run_folder_said(config);
  if (is_told) found.run_folder = found.holder.place->run_folder;
  return found;
}

std::string command_text(const Config& config, std::string_view command) {
  const std::string home = is_set(config, "home") ? "--home " + config.home + " " : "";
  return "steno " + home + std::string(command);
}

std::string unreachable_text(const Config& config, const FoundServer& found) {
  const workers::DataHolder& holder = found.holder;
  if (!holder.is_there()) {
    return "no server listens here; start it with `" + command_text(config, "serve") + "`";
  }
  const std::string server = "server " + process_text(holder);
  const std::string serves = server + " serves the log in " + config.data_folder;
  if (!holder.place) {
    return "no server listens here, but " + process_text(holder) + " has the log in " +
           config.data_folder +
           " open and does not say where it listens: it has just been started, is of an older "
           "release, or is no server. Try again; or set run_folder to its folder; or end it "
           "(kill " +
           std::to_string(holder.pid) + ") and say `" + command_text(config, "serve") + "`";
  }
  const std::string& folder = holder.place->run_folder;
  if (folder != found.run_folder) {
    return "no server listens here, where run_folder says; " + serves + " from " + folder +
           ". Leave run_folder out, or set it to that";
  }
  if (holder.place->phase == ServerPhase::starting) {
    return server + " is starting and takes no commands yet; try again in a moment";
  }
  if (holder.place->phase == ServerPhase::stopping) {
    return server + " is stopping; when it has ended, say `" + command_text(config, "serve") + "`";
  }
  return serves +
         ", and its socket is gone. It binds it anew within a second; if it does not, say `" +
         command_text(config, "restart") + "`";
}

}  // namespace steno
