// Folders are made before the start and removed by a thread, since removing many files takes long.
#include "workers/runner/kept_agent_launcher.hpp"

#include <unistd.h>

#include <filesystem>

#include "eventlog/base/own_folder.hpp"

namespace workers {
namespace {

// The largest prompt (64 MiB) with its files (20 MiB) as JSON, where an escape is up to six times
// as long as its character, and a reserve.
constexpr std::size_t kStdinBufferMax = std::size_t{6 * 84 + 8} << 20;
static_assert(6 * (domain::kContentBytesMax + domain::kInjectedBytesMax +
                   domain::kPromptFilesBytesMax) <
              static_cast<std::int64_t>(kStdinBufferMax));

}  // namespace

std::string session_lock_path(const std::string& lock_folder, base::SessionId session) {
  return lock_folder + "/" + session.text() + ".lock";
}

KeptAgentLauncher::KeptAgentLauncher(KeptAgentOptions options)
    : options_(std::move(options)), cleaner_("clean-up", [](const std::string& folder) {
        std::error_code error;
        std::filesystem::remove_all(folder, error);
        return !error;
      }) {}

void KeptAgentLauncher::clean_up(base::SessionId session) {
  while (cleaner_.poll()) {
  }
  launched_.erase(session);
  cleaner_.submit(engines::SessionFolders(options_.session_folder, session).own);
}

base::Result<engines::SessionFolders> KeptAgentLauncher::make_folders(
    base::SessionId session) const {
  engines::SessionFolders folders(options_.session_folder, session);
  for (const std::string& folder : {folders.own, folders.temp, folders.runtime}) {
    if (auto ok = base::make_own_folder(folder); !ok) return tl::unexpected(ok.error());
  }
  return folders;
}

void KeptAgentLauncher::keep_folders() {
  if (launched_.empty() || ::access(options_.session_folder.c_str(), F_OK) == 0) return;
  for (const base::SessionId session : launched_) {
    static_cast<void>(make_folders(session));
  }
}

base::Result<LaunchedAgent> KeptAgentLauncher::launch(const DirectiveBody& directive) {
  const engines::CatalogEntry* entry = options_.engines.find(directive.spec.engine);
  if (entry == nullptr) {
    return base::failure(base::ErrorCode::not_found, "this worker has no engine '" +
                                                         directive.spec.engine + "'; known are " +
                                                         options_.engines.names_text());
  }
  launched_.insert(directive.session);
  auto folders = make_folders(directive.session);
  if (!folders) return tl::unexpected(folders.error());
  engines::SessionLaunch session;
  session.spec = directive.spec;
  session.token = directive.token;
  session.resume_agent_session = directive.resume_agent_session;
  session.last_message = directive.last_message;
  session.system_prompt = directive.system_prompt;
  session.hook_points = directive.hook_points;
  session.temp_folder = std::move(folders->temp);
  session.runtime_folder = std::move(folders->runtime);
  const engines::EngineKind& kind = *entry->kind;
  const engines::EngineSettings& settings = entry->settings;

  LaunchedAgent agent;
  if (kind.count_others != nullptr) {
    agent.answers_of_others = kind.count_others(settings, session);
  }
  session.is_shared = agent.answers_of_others > 0;
  agent.engine = kind.make(settings, session);
  agent.program_setting = entry->program_setting();
  if (kind.is_pricing) agent.price_table = settings.prices.name;
  processes::KeeperPlan plan;
  plan.agent = agent.engine->plan();
  plan.keeper = options_.keeper_program;
  plan.lock_file = session_lock_path(options_.lock_folder, directive.session);
  plan.workdir = directive.spec.workdir;
  std::vector<std::string>& environment = plan.agent.environment;
  const auto& ours = options_.server_environment;
  environment.insert(environment.end(), ours.begin(), ours.end());
  environment.push_back("STENO_AGENT=" + directive.agent);
  plan.session = directive.session;
  plan.stdin_buffer_max = kStdinBufferMax;
  auto process = processes::spawn_under_keeper(plan);
  if (!process) return tl::unexpected(process.error());
  agent.process = std::move(*process);
  return agent;
}

}  // namespace workers
