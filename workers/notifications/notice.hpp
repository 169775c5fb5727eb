// The words of a notification: the facts of its session, read from the log, and texts made of them.
#pragma once

#include <map>
#include <string>

#include "eventlog/domain/session/ask.hpp"
#include "eventlog/log/stream_index.hpp"
#include "eventlog/store/block_store.hpp"
#include "workers/engines/engine_catalog.hpp"
#include "workers/notifications/notifier.hpp"

namespace workers {

struct Notice {
  Position notification;
  domain::NotificationRequested requested;
  std::string name;        // the session's; its alias if it has none
  std::string given_name;  // empty: its name was made from the prompt
  std::string engine;
  std::string conversation;  // the session key of the one that it works for; empty: none
  // The agent's names for people: as the one who speaks, and as what has run; see name_agent.
  std::string speaker = "The agent";
  std::string title = "Session";
  std::string workdir;
  std::string prompt;  // the first one
  // The agent's last words: at most 5 blocks, and of them the last 500 characters, or 16,000 for
  // hooks. Of an answer to it that answer. For a conversation that has given a task the last block.
  std::string last;
  bool is_for_nobody = false;  // the agent of a conversation says so, or says nothing
  std::string error;           // of the turn that failed last, if that is what it is about
  std::string end;       // what is odd about the end of the turn that finished last; empty: nothing
  std::int64_t ask = 0;  // of one that asks: the number of that; 0: it is not about one
  domain::AskKind ask_kind = domain::AskKind::approval;
  std::string asked{};                     // on one line
  std::vector<std::string> asked_lines{};  // the beginning of all of it
  std::string risks{};                     // in words; empty: none is known
  std::string why{};                       // it asks; empty: nothing is known
  bool is_silent = false;  // of a stuck one: it says nothing; else it repeats one tool call
  bool is_multi_turn = false;
  bool is_completed = false;                           // the session has ended so
  domain::EndReason reason = domain::EndReason::none;  // of the session's end
  base::Time until;             // wall time until which it is paused; 0: not known
  std::int64_t tasks_lost = 0;  // in the background, that ended with its agent
  base::Duration lived{0};
  base::Time at;      // log time of what it is about
  std::string fault;  // why some of this could not be read
};

// A part that cannot be read is left out, and the notice says why. Waits a moment for the index,
// unless `stop_fd` is readable. Error busy: it is behind.
base::Result<Notice> read_notice(eventlog::BlockStore& log, eventlog::StreamIndex& index,
                                 const DeliveryJob& job, int stop_fd);

// Fills in the agent's names, if its engine is in the catalogue.
void name_agent(Notice& notice, const engines::EngineCatalog& engines);

// The texts for a place where people chat, and for an orchestrator.
std::string chat_text(const Notice& notice);
std::string system_text(const Notice& notice);
// The prompt for the session that has this one as its subagent. It quotes nothing that can be
// erased: an erasure of the subagent does not reach its parent.
std::string parent_text(const Notice& notice);
// The message for the conversation that has given the session its task. The agent's words in it are
// the conversation's own from then on.
std::string announcement_text(const Notice& notice);
// A line, and what is behind it, as a desktop shows them.
std::string title_text(const Notice& notice);

// The values that templates can name.
std::map<std::string, std::string> template_values(const Notice& notice, std::string text);

// The body of a webhook's request. `words`: those of the chat's text; empty: as chat_text() says.
std::string json_text(const Notice& notice, const std::string& words = {});

// What hooks are told of the notification, and of the session's end, each as a JSON object.
std::string news_hook_text(const Notice& notice);
std::string end_hook_text(const Notice& notice);

}  // namespace workers
