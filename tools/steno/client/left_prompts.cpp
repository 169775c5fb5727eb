// Follows the session's level from its first event to its last, which are all on the record.
#include "tools/steno/client/left_prompts.hpp"

#include <algorithm>

#include "tools/steno/client/session_follow.hpp"
#include "tools/steno/connection/follower.hpp"
#include "tools/steno/text/console.hpp"
#include "workers/json/event_json.hpp"
#include "workers/protocol/feed_levels.hpp"

namespace steno {
namespace {

struct Prompt {
  base::TurnId turn;
  base::Position position;
  std::string text;        // empty: see bytes
  std::int64_t bytes = 0;  // of a text that did not come with the event
  bool is_given = false;
  bool is_left = false;
};

class LeftPrompts {
 public:
  void on(const workers::SeenEvent& seen) {
    const domain::Event& event = seen.recorded.event;
    if (const auto* queued = std::get_if<domain::TurnQueued>(&event)) {
      prompts_.push_back({queued->turn, seen.recorded.envelope.position,
                          seen.recorded.content ? seen.recorded.content->text : std::string(),
                          seen.content_bytes});
    } else if (const auto* started = std::get_if<domain::TurnStarted>(&event)) {
      if (Prompt* prompt = find(started->turn)) prompt->is_given = true;
    } else if (const auto* returned = std::get_if<domain::TurnReturned>(&event)) {
      if (Prompt* prompt = find(returned->turn)) prompt->is_given = false;
    } else if (const auto* ended = std::get_if<domain::TurnInterrupted>(&event)) {
      Prompt* prompt = find(ended->turn);
      const bool is_dropped = ended->reason == domain::EndReason::session_ended;
      if (prompt != nullptr) prompt->is_left = is_dropped && !prompt->is_given;
    }
  }

  std::vector<Prompt> take() {
    std::erase_if(prompts_, [](const Prompt& prompt) { return !prompt.is_left; });
    return std::move(prompts_);
  }

 private:
  Prompt* find(base::TurnId turn) {
    const auto found = std::find_if(prompts_.begin(), prompts_.end(),
                                    [&](const Prompt& prompt) { return prompt.turn == turn; });
    return found == prompts_.end() ? nullptr : &*found;
  }

  std::vector<Prompt> prompts_;
};

Outcome<std::vector<Prompt>> read_left(Connection& connection,
                                       const projections::SessionRow& ended) {
  auto follower = Follower::open(connection, workers::session_level(ended.agent, ended.session),
                                 ended.opened.plus(-1));
  if (!follower) return tl::unexpected(follower.error());
  LeftPrompts prompts;
  WaitFor wanted;
  for (base::Position last; last < ended.last_position;) {
    wanted.until = connection.clock().boot() + connection.config().timeout;
    const auto wake = (*follower)->wait(wanted);
    if (!wake) return tl::unexpected(wake.error());
    if (*wake == Wake::interrupted) return fail(kExitInterrupted, "");
    if (*wake != Wake::event) {
      return fail(kExitTimeout, "the events of session " + ended.alias +
                                    " were not read in time; nothing was resumed, try again");
    }
    last = (*follower)->event().position;
    const auto seen = workers::see((*follower)->event());
    if (!seen) return fail(seen.error());
    prompts.on(*seen);
  }
  return prompts.take();
}

}  // namespace

Outcome<std::vector<std::string>> left_prompts(Connection& connection,
                                               const projections::SessionRow& ended) {
  if (domain::is_live(ended.status)) {
    return fail(kExitConflict, "session " + ended.alias +
                                   " has not ended, and its prompts still wait there; --with-queue "
                                   "is for one that has");
  }
  if (!ended.is_multi_turn) {
    return fail(kExitUsage,
                "session " + ended.alias +
                    " is single-turn, and what was added to its turn is not taken along; "
                    "resume it without --with-queue");
  }
  auto left = read_left(connection, ended);
  if (!left) return tl::unexpected(left.error());
  std::vector<std::string> texts;
  std::size_t erased = 0;
  for (Prompt& prompt : *left) {
    if (prompt.text.empty() && prompt.bytes > 0) {
      auto text = fetch_content(connection, ended.agent, ended.session, prompt.position);
      if (!text) return tl::unexpected(text.error());
      prompt.text = std::move(*text);
    }
    if (prompt.text.empty()) ++erased;
    if (!prompt.text.empty()) texts.push_back(std::move(prompt.text));
  }
  if (erased > 0) {
    remark(std::to_string(erased) + " of the prompts that waited were erased, and are left out");
  }
  return texts;
}

}  // namespace steno
