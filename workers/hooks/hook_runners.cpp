// All three are read as programs are.
#include "workers/hooks/hook_runners.hpp"

#include <unistd.h>

#include "workers/engines/session_folders.hpp"
#include "workers/http/http_post.hpp"

namespace workers {
namespace {

// The most that is read of a hook's answer.
constexpr std::size_t kAnswerBytesMax = std::size_t{1} << 20;
constexpr std::size_t kSaidMax = 200;  // of what is no answer

// Names the step where the same one can be told twice.
std::string number_of(const HookStep& step) {
  return std::to_string(step.ask != 0 ? step.ask : step.position.value);
}

HookAnswer failure(std::string why, std::string said = {}) {
  HookAnswer answer;
  answer.failure = std::move(why);
  answer.said = std::move(said);
  return answer;
}

// An agent can have moved its folder away, which must not keep its guards from being asked.
std::string folder_for(const std::string& workdir) {
  return ::access(workdir.c_str(), X_OK) == 0 ? workdir : "/";
}

// Where Claude Code's hooks leave variables for the commands of its agent.
std::string variables_file(const HookStep& step, const HookPrograms& programs) {
  if (programs.session_folder.empty()) return "/dev/null";
  return engines::hook_variables(
      engines::SessionFolders(programs.session_folder, step.session).runtime);
}

HookAnswer run_program(const Hook& hook, const ToldStep& told, const HookPrograms& programs) {
  const HookStep& step = told.step;
  processes::ProgramRun how{hook.timeout, programs.stop_fd, programs.guard};
  how.folder = folder_for(step.workdir);
  how.output_max = kAnswerBytesMax + 1;
  how.has_errors_apart = true;
  how.ends_tree = true;
  how.environment = {"CLAUDE_PROJECT_DIR=" + step.workdir, "STENO_STEP=" + step_name(step),
                     "STENO_SESSION=" + step.session.text(), "STENO_AGENT=" + step.agent};
  if (told.point == domain::HookPoint::session_start) {
    how.environment.push_back("CLAUDE_ENV_FILE=" + variables_file(step, programs));
  }
  const auto argv =
      hook.command.empty() ? hook.argv : std::vector<std::string>{"/bin/sh", "-c", hook.command};
  const processes::ProgramOutcome ran = processes::run_program(argv, how, told.told);
  if (ran.exit_code < 0) return failure(ran.problem, ran.errors);
  if (ran.output.size() > kAnswerBytesMax) return failure("its answer has more than 1 MiB");
  return read_answer(told.point, ran.exit_code, ran.output, ran.errors);
}

HookAnswer run_post(const Hook& hook, const ToldStep& told, const HookPrograms& programs) {
  const HookStep& step = told.step;
  const std::string id = step.session.text() + "-" + number_of(step) + "-" + hook.name;
  const std::int64_t seconds = step.wall.us / 1'000'000;
  const HttpOutcome sent =
      post({programs.webhook, hook.url, signed_headers(hook.secret, id, seconds, told.told),
            told.told, kAnswerBytesMax},
           {hook.timeout, programs.stop_fd, programs.guard});
  if (!sent.problem.empty()) return failure(sent.problem);
  if (sent.answer.size() >= kAnswerBytesMax) return failure("its answer has more than 1 MiB");
  const bool is_object = sent.answer.empty() || sent.answer.front() == '{';
  return is_object ? read_answer(told.point, 0, sent.answer, {})
                   : failure("its answer is no JSON object", sent.answer.substr(0, kSaidMax));
}

HookAnswer ask_subscriber(const Hook& hook, const ToldStep& told, const HookPrograms& programs) {
  if (programs.subscribers == nullptr) return failure("subscribers are asked by the server alone");
  const SubscriberAnswer said =
      programs.subscribers->ask({hook.subscriber, hook.name, step_name(told.step), told.told,
                                 hook.timeout, told.step.is_asked_again},
                                programs.stop_fd);
  if (!said.problem.empty()) return failure(said.problem);
  if (said.output.size() > kAnswerBytesMax) return failure("its answer has more than 1 MiB");
  const bool is_code = said.exit_code >= 0 && said.exit_code <= 255;
  return read_answer(told.point, is_code ? static_cast<int>(said.exit_code) : 255, said.output,
                     said.errors);
}

}  // namespace

HookAnswer run_hook(const Hook& hook, const ToldStep& told, const HookPrograms& programs) {
  if (!hook.subscriber.empty()) return ask_subscriber(hook, told, programs);
  return hook.url.empty() ? run_program(hook, told, programs) : run_post(hook, told, programs);
}

std::string step_name(const HookStep& step) {
  return step.session.text() + "#" + number_of(step);
}

}  // namespace workers
