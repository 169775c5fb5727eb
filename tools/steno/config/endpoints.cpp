// Sockets and locks follow from the run folder and the data folder.
#include <algorithm>

#include "bus/endpoint.hpp"
#include "tools/steno/config/run_folder.hpp"
#include "tools/steno/config/sources.hpp"

namespace steno {

using base::ErrorCode;
using base::Result;

namespace {

constexpr std::string_view kLongestSocket = "gateway";

std::string socket_path(const std::string& run_folder, std::string_view name) {
  return run_folder + "/" + std::string(name) + ".sock";
}

}  // namespace

std::string default_run_folder(const Config& config, const ConfigInput& input) {
  std::string own = config.data_folder + "/run";
  if (socket_path(own, kLongestSocket).size() <= bus::kSocketPathBytesMax) return own;
  const std::string folder = xdg_folder(input, "XDG_RUNTIME_DIR", "");
  return folder.empty() ? own : folder + "/steno";
}

Result<Endpoints> endpoints_of(const Config& config) {
  Endpoints endpoints;
  for (const auto& [name, endpoint] :
       {std::pair{"command", &endpoints.command}, std::pair{"worker", &endpoints.worker},
        std::pair{"feed", &endpoints.feed}, std::pair{"gateway", &endpoints.gateway}}) {
    const std::string path = socket_path(config.run_folder, name);
    if (path.size() > bus::kSocketPathBytesMax) {
      return base::failure(ErrorCode::too_large,
                           "a socket's path has at most " +
                               std::to_string(bus::kSocketPathBytesMax) + " bytes, and this has " +
                               std::to_string(path.size()) + "; set run_folder to a shorter path",
                           path);
    }
    *endpoint = "ipc://" + path;
  }
  return endpoints;
}

bool is_run_folder_said(const Config& config) {
  return std::any_of(config.settings.begin(), config.settings.end(), [](const Setting& setting) {
    return setting.key == "run_folder" && setting.source != SettingSource::builtin &&
           !setting.where.starts_with(kByHome);
  });
}

std::string worker_lock_of(const Config& config) {
  return config.data_folder + "/worker.lock";
}

std::string session_locks_of(const Config& config) {
  return config.data_folder + "/locks";
}

}  // namespace steno
