// `launch`, `resume` and `respond`: give agents work.
#include <utility>

#include "workers/operations/finding.hpp"
#include "workers/operations/handlers.hpp"

namespace workers {
namespace {

constexpr std::int64_t kResumableMax = 50;

Task<Outcome<ResumableSessions>> list_resumable(const Caller& caller) {
  QueryBody query;
  query.agent = caller.agent;
  query.statuses = {domain::SessionStatus::completed, domain::SessionStatus::failed,
                    domain::SessionStatus::killed};
  query.limit = kResumableMax;
  auto listed = list_page(caller, query);
  auto page = co_await std::move(listed);
  if (!page) co_return tl::unexpected(page.error());
  co_return ResumableSessions{std::move(*page)};
}

}  // namespace

Task<Outcome<Launched>> launch(const Caller& caller, const LaunchArguments& arguments) {
  if (arguments.is_fork && arguments.resumed.empty()) {
    co_return refuse(OperationError::usage,
                     "fork_session needs resume_session_id, the session to fork");
  }
  auto before = co_await launched_before(caller, arguments);
  if (!before) co_return tl::unexpected(before.error());
  if (*before) co_return std::move(**before);
  if (arguments.resumed.empty()) {
    const std::string no_agent_session;
    const domain::Descriptor of_caller;
    auto begun = co_await begin_new(caller, arguments, no_agent_session, of_caller);
    co_return begun;
  }
  auto resumed = co_await begin_resumed(caller, arguments, !arguments.is_single_turn);
  co_return resumed;
}

Task<Outcome<Resumed>> go_on(const Caller& caller, const GoOnArguments& arguments) {
  if (arguments.lists) {
    if (arguments.is_fork || !arguments.session.empty()) {
      co_return refuse(OperationError::usage, "list stands alone");
    }
    auto listed = co_await list_resumable(caller);
    if (!listed) co_return tl::unexpected(listed.error());
    co_return Resumed(std::move(*listed));
  }
  if (arguments.session.empty()) {
    co_return refuse(OperationError::usage, "session is missing");
  }
  LaunchArguments said;
  said.resumed = arguments.session;
  said.is_fork = arguments.is_fork;
  said.prompt = arguments.prompt.empty() ? std::string(kResumePrompt) : arguments.prompt;
  auto before = co_await launched_before(caller, said);
  if (!before) co_return tl::unexpected(before.error());
  if (*before) co_return Resumed(std::move(**before));
  auto launched = co_await begin_resumed(caller, said, std::nullopt);
  if (!launched) co_return tl::unexpected(launched.error());
  co_return Resumed(std::move(*launched));
}

Task<Outcome<Responded>> respond(const Caller& caller, const RespondArguments& arguments) {
  if (const auto ok = check_prompt(arguments.message, !arguments.files.empty()); !ok) {
    co_return tl::unexpected(ok.error());
  }
  LaunchArguments first;
  first.prompt = arguments.message;
  auto before = co_await launched_before(caller, first);
  if (!before) co_return tl::unexpected(before.error());
  if (*before) co_return Responded(std::move(**before));
  auto files = prompt_files(caller, arguments.files);
  if (!files) co_return tl::unexpected(files.error());
  const auto shown = co_await find_session(caller, arguments.session);
  if (!shown) {
    const bool is_missing = shown.error().error == OperationError::not_found;
    if (!is_missing || !user_named(arguments.session)) co_return tl::unexpected(shown.error());
    const SaidToUser said{arguments.session, arguments.message, start_before(caller),
                          std::move(*files)};
    auto begun = co_await launch_for(caller, said);
    if (!begun) co_return tl::unexpected(begun.error());
    co_return Responded(std::move(*begun));
  }
  SentPrompt sent;
  sent.row = shown->session;
  sent.prompt = arguments.message;
  for (const domain::PromptFile& file : *files) sent.files.push_back(domain::facts_of(file));
  sent.is_interrupting = arguments.is_interrupting;
  // A prompt to a paused session waits for as long as it takes, and its sender is told so.
  const bool waits = sent.row.pause != domain::EndReason::none;
  const base::Time limit = waits ? base::Time{} : start_before(caller);
  const domain::Command command =
      domain::SendPrompt{arguments.message, arguments.is_interrupting, {}, limit, true,
                         caller.channel,    std::move(*files)};
  auto reply =
      co_await send_command(caller, command_id(caller), sent.row.session, sent.row.agent, command);
  if (!reply) co_return tl::unexpected(reply.error());
  sent.reply = std::move(*reply);
  co_return Responded(std::move(sent));
}

}  // namespace workers
