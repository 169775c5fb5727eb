// A step of an agent's work as its hooks are told of it, and what becomes of it.
#pragma once

#include <string>
#include <vector>

#include "eventlog/domain/session/commands.hpp"
#include "workers/hooks/hook.hpp"
#include "workers/hooks/subscriber_mail.hpp"

namespace workers {

// One request, and what is known around it.
struct HookStep {
  base::SessionId session;
  std::string agent;
  std::string alias;
  std::string engine;
  std::string conversation{};  // the session key of the one that it works for; empty: none
  std::string workdir;
  std::int64_t tasks = 0;  // of the session, in the background
  std::int64_t ask = 0;
  base::Position position;  // of its AskRaised; of a notification its id
  base::TurnId turn;
  domain::HookPoint point = domain::HookPoint::none;
  std::string tool;
  std::string text;            // content of its AskRaised
  base::Time wall;             // of its AskRaised
  base::Time ended;            // of a session's end: when that was; the same in each repetition
  base::Duration turn_took{};  // until then, without the time in which the agent waited
  // Number of the rule by which people are to be asked, whatever hooks allow; 0: none.
  std::int64_t rule = 0;
  bool is_asked_again = false;  // a server that has ended can have asked before
  std::string rule_pattern{};  // of that rule
};

// What hooks answer, taken together. What they change is kept as engines/step_changes.hpp has it.
struct StepOutcome {
  // `none`: nothing was decided about a request that is for people.
  domain::AskVerdict verdict = domain::AskVerdict::none;
  std::string text;
  std::vector<domain::HookRun> runs;
  std::string hook{};  // that blocked it, or granted what was asked; empty: none
};

// How hooks reach the world outside.
struct HookPrograms {
  std::string webhook;  // path of steno-webhook
  std::string guard;    // path of steno-keeper; empty: a hook's program can outlive this process
  // Of the sessions' private folders; empty: what hooks leave there for the agent is dropped.
  std::string session_folder;
  int stop_fd = -1;     // readable: break off
  SubscriberMail* subscribers = nullptr;  // null: none can be asked
};

// Returns the text of a step that is no agent's: of a notification, or of a session's end.
// `context` is what hooks are told of it, as a JSON object.
std::string step_text_of(const std::string& context);
// Returns what a hook has made of the words of a notification; empty: it left them.
std::string changed_words(const StepOutcome& outcome);

// Asks the hooks that are about the step, or about the request of an approval, one after the other,
// until one blocks it. Waits for each for its time-out at most. They are told the fields of Claude
// Code's hooks, and those of the hook events of the gateway that Steno takes the place of. A step
// whose text is no JSON, or too deep, is denied.
StepOutcome run_hooks(const HookTable& hooks, const HookStep& step, const HookPrograms& programs);

}  // namespace workers
