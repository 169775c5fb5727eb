// Checks what can be checked before the server is asked.
#include "tools/steno/client/spawning.hpp"

#include <unistd.h>

#include <filesystem>

namespace steno {

domain::SessionSpec spec_of(const Config& config) {
  domain::SessionSpec spec;
  spec.engine = config.engine;
  spec.workdir = config.workdir;
  spec.model = config.model;
  spec.permission_mode = config.permission_mode;
  spec.background = config.background;
  spec.budget = config.budget;
  spec.idle_timeout = said(config.idle_timeout);
  spec.run_timeout = said(config.run_timeout);
  spec.repeated_calls_max = said(config.repeated_calls_max);
  spec.remind_after = said(config.remind_after);
  return spec;
}

std::string read_all(LineInput& input) {
  std::string all;
  while (!input.is_at_end() && all.size() <= LineInput::kLineBytesMax) {
    input.fill();
    all += input.take_all();
  }
  while (!all.empty() && all.back() == '\n') all.pop_back();
  return all;
}

Outcome<bool> check_prompt(const std::string& prompt) {
  if (prompt.empty()) {
    return fail(kExitUsage, "the prompt is empty; say what the agent is to do");
  }
  if (static_cast<std::int64_t>(prompt.size()) <= domain::kContentBytesMax) return true;
  return fail(kExitRefused, "the prompt is over " + std::to_string(domain::kContentBytesMax) +
                                " bytes, the most that is accepted; name a file instead");
}

Outcome<bool> check_workdir(const std::string& workdir) {
  std::error_code ignored;
  if (std::filesystem::is_directory(workdir, ignored)) return true;
  return fail(kExitNotFound, "the working folder " + workdir +
                                 " is not there; make it, or name another one with --workdir");
}

Outcome<std::string> prompt_of(const std::string& argument) {
  LineInput input(STDIN_FILENO);
  std::string prompt = argument == "-" ? read_all(input) : argument;
  if (const auto ok = check_prompt(prompt); !ok) return tl::unexpected(ok.error());
  return prompt;
}

}  // namespace steno
