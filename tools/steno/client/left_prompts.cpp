// Follows the session's level from its first event to its last, which are all on the record.
#include "tools/steno/client/left_prompts.hpp"

#include <algorithm>

#include "eventlog/domain/all_events.hpp"
#include "tools/steno/client/session_events.hpp"
#include "tools/steno/client/session_follow.hpp"
#include "tools/steno/text/console.hpp"

namespace steno {
namespace {

struct Prompt {
  base::TurnId turn;
  base::Position position;
  std::string text;        // empty: see bytes
  std::int64_t bytes = 0;  // of a text that did not come with the event
  bool is_given = false;
  bool is_left = false;
  bool is_added = false;  // to the turn, behind its own prompt
  std::vector<domain::FileFacts> files{};
  std::vector<base::Position> files_at{};  // of their contents, in the same order
};

// The prompts of a turn that no agent was given are left when it is interrupted. So are those that
// were added to a turn which its agent did not live to answer: nobody knows whether it read them.
class LeftPrompts {
 public:
  void on(const workers::SeenEvent& seen) {
    domain::visit([&](const auto& event) { take(event, seen); }, seen.recorded.event);
  }

  std::vector<Prompt> take() {
    std::erase_if(prompts_, [](const Prompt& prompt) { return !prompt.is_left; });
    return std::move(prompts_);
  }

 private:
  template <class Event>
  void take(const Event&, const workers::SeenEvent&) {}
  void take(const domain::FileAttached&, const workers::SeenEvent& seen) {
    attached_.push_back(seen.recorded.envelope.position);
  }
  void take(const domain::TurnQueued& e, const workers::SeenEvent& seen) {
    add(e.turn, e.files, seen);
  }
  void take(const domain::PromptInjected& e, const workers::SeenEvent& seen) {
    add(e.turn, e.files, seen);
    prompts_.back().is_added = true;
  }
  void take(const domain::TurnStarted& e, const workers::SeenEvent&) {
    for_turn(e.turn, [](Prompt& prompt) { prompt.is_given = true; });
  }
  void take(const domain::TurnReturned& e, const workers::SeenEvent&) {
    for_turn(e.turn, [&](Prompt& prompt) { prompt.is_given = !e.deferred.empty(); });
  }
  // The turn's own prompt is answered, and so many that were added.
  void take(const domain::TurnContinued& e, const workers::SeenEvent&) {
    std::int64_t answered = e.injected + 1;
    std::erase_if(prompts_,
                  [&](const Prompt& prompt) { return prompt.turn == e.turn && answered-- > 0; });
  }
  void take(const domain::TurnInterrupted& e, const workers::SeenEvent&) {
    using domain::EndReason;
    const bool is_unbegun =
        e.reason == EndReason::session_ended || e.reason == EndReason::start_failed;
    const bool is_unmet = e.reason == EndReason::worker_lost ||
                          e.reason == EndReason::agent_exited || e.reason == EndReason::stopped;
    for_turn(e.turn, [&](Prompt& prompt) {
      // What a turn begins with, and its agent could not be started for, no agent was given.
      const bool was_given = prompt.is_given && e.reason != EndReason::start_failed;
      prompt.is_left = (is_unbegun && !was_given) || (prompt.is_added && is_unmet) ||
                       (is_unmet && !has_agent_begun_);
    });
  }
  void take(const domain::LeaseGranted&, const workers::SeenEvent&) { has_agent_begun_ = false; }
  void take(const domain::AgentInitialized&, const workers::SeenEvent&) { has_agent_begun_ = true; }

  void add(base::TurnId turn, const std::vector<domain::FileFacts>& files,
           const workers::SeenEvent& seen) {
    Prompt prompt;
    prompt.turn = turn;
    prompt.position = seen.recorded.envelope.position;
    if (seen.recorded.content) prompt.text = seen.recorded.content->text;
    prompt.bytes = seen.content_bytes;
    prompt.files = files;
    prompt.files_at = std::exchange(attached_, {});
    prompts_.push_back(std::move(prompt));
  }
  template <class Use>
  void for_turn(base::TurnId turn, const Use& use) {
    for (Prompt& prompt : prompts_) {
      if (prompt.turn == turn) use(prompt);
    }
  }

  std::vector<Prompt> prompts_;
  std::vector<base::Position> attached_;  // the files of the next prompt
  bool has_agent_begun_ = false;          // the one under the newest lease has introduced itself
};

Outcome<std::vector<Prompt>> read_left(Connection& connection,
                                       const projections::SessionRow& ended) {
  LeftPrompts prompts;
  const auto read = read_session(connection, ended, "nothing was resumed",
                                 [&](const workers::SeenEvent& seen) { prompts.on(seen); });
  if (!read) return tl::unexpected(read.error());
  return prompts.take();
}

// Reads the prompt's files, and counts those that were erased.
Outcome<domain::PromptFiles> files_of(Connection& connection, const projections::SessionRow& ended,
                                      const Prompt& prompt, std::size_t& erased) {
  domain::PromptFiles files;
  for (std::size_t i = 0; i < std::min(prompt.files.size(), prompt.files_at.size()); ++i) {
    auto data = fetch_content(connection, ended.agent, ended.session, prompt.files_at[i]);
    if (!data) return tl::unexpected(data.error());
    if (data->empty()) ++erased;
    if (!data->empty()) files.push_back({prompt.files[i].name, std::move(*data)});
  }
  return files;
}

}  // namespace

Outcome<std::vector<LeftPrompt>> left_prompts(Connection& connection,
                                              const projections::SessionRow& ended) {
  if (domain::is_live(ended.status)) {
    return fail(kExitConflict, "session " + ended.alias +
                                   " has not ended, and its prompts still wait there; --with-queue "
                                   "is for one that has");
  }
  auto left = read_left(connection, ended);
  if (!left) return tl::unexpected(left.error());
  std::vector<LeftPrompt> all;
  std::size_t erased = 0;
  std::size_t erased_files = 0;
  for (Prompt& prompt : *left) {
    if (prompt.text.empty() && prompt.bytes > 0) {
      auto text = fetch_content(connection, ended.agent, ended.session, prompt.position);
      if (!text) return tl::unexpected(text.error());
      prompt.text = std::move(*text);
    }
    auto files = files_of(connection, ended, prompt, erased_files);
    if (!files) return tl::unexpected(files.error());
    const bool is_erased = prompt.text.empty() && (prompt.bytes > 0 || files->empty());
    if (is_erased) ++erased;
    if (!is_erased) all.push_back({std::move(prompt.text), std::move(*files)});
  }
  if (erased_files > 0) {
    remark(std::to_string(erased_files) + " of their files were erased, and are left out");
  }
  if (erased > 0) {
    remark(std::to_string(erased) + " of the prompts that waited were erased, and are left out");
  }
  return all;
}

}  // namespace steno
